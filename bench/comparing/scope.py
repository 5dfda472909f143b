"""Which items decide: the stratum, the statement and the splits, as given or as the suite implies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.comparing.compare import Table
from bench.comparing.config import FILE, Config
from bench.measure.items import REPORTED_SPLITS
from bench.problems import BrokenInput, Problem
from bench.reading.strict_yaml import Document
from bench.schema.statement import YesNo

_BY_DESIGN = ("precision", "f1")  # prevalence set by design decides them


@dataclass(frozen=True)
class Asked:
    """What the command line and the config name; the command line comes first."""

    stratum: str | None
    statement: str | None
    config: Config
    document: Document | None  # of the config, where there is a file

    def refusal(self, field: str, found: str, fix: str, *, typed: bool = False) -> BrokenInput:
        """A name that will not do, and where it came from."""
        if typed or self.document is None:
            return BrokenInput([Problem(f"--{field}", None, None, None, found, fix)])
        line = self.document.line_of(("compare", field))
        return BrokenInput([Problem(self.document.file, line, None, f"compare.{field}", found, fix)])


def table_of(suite: LoadedSuite, asked: Asked) -> Table:
    """The table that decides. Raises BrokenInput where a name is unknown, or the suite implies none or several."""
    strata = [stratum.id for stratum in suite.suite.strata]
    primary = [stratum.id for stratum in suite.suite.strata if stratum.primary]
    statements = {s.id: s for loaded in suite.cases for s in loaded.statements}
    statements |= {s.id: s for s in suite.suite.statements}
    yes_no = [name for name, statement in statements.items() if isinstance(statement, YesNo)]
    critical = [name for name in yes_no if statements[name].critical]
    stratum = _one(asked, "stratum", strata, primary, "primary stratum")
    statement = _one(asked, "statement", yes_no, critical, "critical yes / no statement")
    _means_something(suite, stratum, asked.config)
    return Table(stratum, statement, _splits(suite, asked))


def _one(asked: Asked, field: str, known: Sequence[str], implied: Sequence[str], what: str) -> str:
    typed = getattr(asked, field)
    chosen = getattr(asked.config.compare, field) if typed is None else typed
    if chosen is None and len(implied) == 1:
        return implied[0]
    if chosen in known:
        return str(chosen)
    choices = f"use one of {', '.join(known)}"
    if chosen is not None:
        raise asked.refusal(
            field, f"no {what.split(' ')[-1]} {chosen!r} to compare by", choices, typed=typed is not None
        )
    found = f"the suite has {f'{len(implied)} {what}s' if implied else f'no {what}'}, and none is named"
    raise asked.refusal(field, found, f"name it by --{field}, or by {field} in [compare]: {choices}", typed=True)


def _means_something(suite: LoadedSuite, stratum: str, config: Config) -> None:
    if next(s for s in suite.suite.strata if s.id == stratum).precision_means_something:
        return
    compared = [e.metric for e in config.deciding] + [e.metric for e in config.negotiable]
    named = [metric for metric in [*compared, *(e.metric for e in config.red_line)] if metric in _BY_DESIGN]
    if named:
        found = f"{named[0]} on {stratum}, where prevalence is set by design and decides it"
        fix = "use recall, specificity or balanced_accuracy there, or compare another stratum"
        raise BrokenInput([Problem(FILE, None, None, "metric", found, fix)])


def _splits(suite: LoadedSuite, asked: Asked) -> tuple[str, ...]:
    wanted = asked.config.compare.splits
    if wanted is None:
        return tuple(split for split in REPORTED_SPLITS if (split == "all") == (suite.splits is None))
    if suite.splits is None and set(wanted) != {"all"}:
        raise asked.refusal("splits", ", ".join(wanted), "leave it out: the suite has no splits")
    if suite.splits is not None and "all" in wanted:
        raise asked.refusal("splits", "all", "name development, calibration or test: the suite has splits")
    return tuple(dict.fromkeys(wanted))
