"""``bench recalibrate``: fit a map from a judge's values to probabilities on development rows, and say what it does elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import __version__
from bench.benchmark import stored_rows
from bench.cases.layout import find_suite
from bench.certifying.recalibrate import (
    DEVELOPMENT,
    OUT_OF_FOLD,
    Material,
    Outcome,
    TornGroup,
    recalibrate,
    suite_material,
    table_material,
)
from bench.certifying.recalibration import FLEXIBLE_FROM, NONE_OF, Candidate, Recalibration
from bench.certifying.reliability import BeforeAfter, Reliability
from bench.commands.options import json_option, sessions_option, suite_option
from bench.measure.answers import WrongValues, is_missing
from bench.measure.calibration import LABEL_MIX
from bench.measure.estimate import Estimate, rounded
from bench.measure.one_metric import SEED
from bench.measure.ranking import RANK_RESAMPLES
from bench.policies.attempts import judged_suites, named
from bench.problems import BrokenInput, CannotDecide, Problem, shorten
from bench.report.plots.recalibration import draw_reliability
from bench.tables import GUESSES, NO_COLUMN, Table, choose_columns, read_table
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.whole_file import write_whole
from bench.workspace import session_folders, stratum_of

FORMAT = 1
_MET = 0
_ROLES = {"labels": "label", "probabilities": "probability", "groups": "group"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judge", metavar="JUDGE", nargs="?", help="name or judge_id (with --table: what to call it)")
    parser.add_argument("--statement", metavar="ID", help="the statement whose values are mapped")
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument(
        "--stratum", metavar="ID", action="append", default=[], help="fit and tell on this (default: the primary ones)"
    )
    parser.add_argument(
        "--table", metavar="FILE", type=Path, help="a table in place of a suite, as bench check reads it"
    )
    for role in _ROLES.values():
        parser.add_argument(f"--{role}", metavar="COL", help=f"column of the table: {role} (guessed if not given)")
    parser.add_argument(
        "--split", metavar="COL", help=f"column of the table: {DEVELOPMENT} or any other word (guessed: split)"
    )
    parser.add_argument("--positive", metavar="VALUE", help="the value that means yes in the table")
    parser.add_argument("--out", metavar="FILE.json", type=Path, help="write the calibrator, for bench calibrate")
    parser.add_argument("--plot", metavar="OUT.svg", type=Path, help="draw reliability before and after")
    json_option(parser)


@dataclass(frozen=True)
class _Subject:
    """What is mapped, the seed and the resamples, and lines that say where the rows come from."""

    judge: str
    statement: str | None
    material: Material
    seed: int
    resamples: int
    source: str


def run(args: argparse.Namespace) -> int:
    with waiting("reading"):
        subject = _of_suite(args) if args.table is None else _of_table(args)
    with waiting("fitting"):
        outcome = recalibrate(subject.material, subject.seed, subject.resamples)
    if args.out is not None:
        _write(args.out, outcome.recalibration.calibrator.model_dump_json(indent=1) + "\n")
    if args.plot is not None:
        _draw(args.plot, subject, outcome)
    if args.json:
        print_json(_as_json(subject, outcome))
    else:
        say("\n".join(_lines(subject, outcome)))
        if args.out is not None:
            say(wrapped(f"next: bench calibrate {args.judge or ''} --calibrator {args.out}".replace("  ", " ")))
    return _MET


def _of_suite(args: argparse.Namespace) -> _Subject:
    missing = [name for name in ("judge", "statement") if getattr(args, name) is None]
    if missing:
        fix = "bench recalibrate JUDGE --statement ID, or --table FILE"
        raise BrokenInput([Problem("command line", None, None, missing[0], "not given", fix)])
    layout = find_suite(args.suite)
    suite, _, judged = stored_rows(layout, session_folders(layout, args.sessions))
    named_strata = [stratum_of(suite, name).id for name in args.stratum]
    chosen = named_strata or [one.id for one in suite.suite.strata if one.primary]
    material = suite_material(named(judged_suites(judged), args.judge), args.statement, chosen)
    resamples = min(suite.suite.resamples, RANK_RESAMPLES)
    source = f"{suite.suite.id} {suite.suite.version}, {', '.join(chosen)}"
    return _Subject(args.judge, args.statement, material, suite.suite.seed, resamples, source)


def _of_table(args: argparse.Namespace) -> _Subject:
    table = read_table(args.table)
    guesses = GUESSES["probability"]
    if args.probability is None and not any(name.strip().casefold() in guesses for name in table.columns):
        fix = f"say which: --probability COLUMN, one of: {', '.join(shorten(name, 30) for name in table.columns)}"
        raise BrokenInput([Problem(table.file, 1, None, None, "no column is named like a probability", fix)])
    named_columns = {role: getattr(args, role) for role in _ROLES.values()} | {"verdict": NO_COLUMN, "id": NO_COLUMN}
    if args.split not in (None, NO_COLUMN):
        named_columns["split"] = args.split
    chosen = choose_columns(table, named_columns).columns
    split = chosen.get("split")
    if args.split is None:
        split = next((name for name in table.columns if name.strip().casefold() == "split"), None)
    names = {role: chosen[short] or short for role, short in _ROLES.items()}
    given = {role: None if chosen[short] is None else table.column(names[role]) for role, short in _ROLES.items()}
    splits = None if split is None else _splits(table, split)
    try:
        material = table_material(given, names, splits, args.positive)
    except TornGroup as error:
        fix = "keep rows that hang together on one side"
        raise BrokenInput(
            [Problem(table.file, table.lines[error.row], None, names["groups"], str(error), fix)]
        ) from None
    except WrongValues as error:
        raise table.refused(error.problems) from None
    source = f"{table.file}, sha256 {table.digest[:12]}"
    return _Subject(args.judge or "the judge", args.statement, material, SEED, RANK_RESAMPLES, source)


def _splits(table: Table, column: str) -> list[str]:
    words = table.column(column)
    empty = [row for row, word in enumerate(words) if is_missing(word)]
    if empty:
        fix = f"write {DEVELOPMENT} where the map may be fitted, and any other word elsewhere"
        raise BrokenInput([Problem(table.file, table.lines[empty[0]], None, column, "no split", fix)])
    found = [str(word).strip() for word in words]
    if DEVELOPMENT not in found:
        told = f"no row says {DEVELOPMENT}; found {shorten(', '.join(sorted(set(found))[:5]))}"
        fix = f"write {DEVELOPMENT} in the rows to fit on, or --split {NO_COLUMN} to fit on all"
        raise BrokenInput([Problem(table.file, 1, None, column, told, fix)])
    return found


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        fix = "name a file in a folder that can be written"
        raise BrokenInput(
            [Problem(str(path), None, None, None, f"cannot be written ({error.strerror})", fix)]
        ) from None


def _draw(path: Path, subject: _Subject, outcome: Outcome) -> None:
    found = outcome.reliability
    if found is None:
        raise CannotDecide("there is no row outside development, so nothing to draw")
    title = subject.judge if subject.statement is None else f"{subject.judge} on {subject.statement}"
    after = None if found.after is None else found.after.calibration
    _write(path, draw_reliability(f"{title}, {found.on}", found.before.calibration, after))


def _lines(subject: _Subject, outcome: Outcome) -> Iterator[str]:
    chosen = outcome.recalibration
    about = subject.judge if subject.statement is None else f"{subject.judge} on {subject.statement}"
    yield wrapped(f"{about} ({subject.source})")
    kind = "labelled" if _is_out_of_fold(outcome) else DEVELOPMENT
    yield wrapped(
        f"fitted on {counted(chosen.rows, f'{kind} row')} in {counted(chosen.families, 'family')}, "
        f"{chosen.yes} labelled yes; {chosen.how}"
    )
    if outcome.left_out:
        yield wrapped("left out: " + ", ".join(f"{count} {why}" for why, count in outcome.left_out.items()))
    yield ""
    yield columns(
        [("map", "log loss", "gain over none", "standard error", ""), *map(_candidate_row, chosen.candidates)],
        left=(0, 4),
    )
    yield from (wrapped(f"{one.kind}: {one.why_not}") for one in chosen.candidates if one.why_not is not None)
    if chosen.rows < FLEXIBLE_FROM:
        yield wrapped(f"maps with more freedom ({_freer(chosen)}) need {FLEXIBLE_FROM} rows")
    yield ""
    yield from _reliability_lines(outcome)
    yield ""
    yield wrapped(f"{chosen.sentence} [exit {_MET}]")


def _freer(chosen: Recalibration) -> str:
    return "beta, isotonic" if chosen.scale == "probability" else "isotonic"


def _is_out_of_fold(outcome: Outcome) -> bool:
    return outcome.reliability is not None and outcome.reliability.on == OUT_OF_FOLD


def _candidate_row(one: Candidate) -> tuple[str, ...]:
    cells = ["n/a" if value is None else rounded(value, 3) for value in (one.log_loss, one.gain, one.error)]
    if one.kind == "none":
        cells[1:] = ["", ""]
    return one.kind, *cells, "kept" if one.kept else ""


def _reliability_lines(outcome: Outcome) -> Iterator[str]:
    found = outcome.reliability
    if found is None:
        yield f"there is no row outside {DEVELOPMENT}: reliability cannot be told"
        return
    how = ", each row by a map fitted without its family" if _is_out_of_fold(outcome) else ""
    size = f"{counted(found.rows, 'row')} in {counted(found.families, 'family')}"
    yield wrapped(f"{found.on}{how}: {size}, {found.yes} labelled yes")
    yield columns(list(_reliability_rows(found)))
    scale = outcome.recalibration.scale
    share = f", {rounded(outcome.recalibration.share_of_yes)} on {DEVELOPMENT}" if scale == "score" else ""
    yield wrapped(f"before: {NONE_OF[scale]}{share}; * too few rows; {LABEL_MIX}")
    yield wrapped(
        f"calibration error: {found.before.calibration.definition}; by chance alone: of perfectly calibrated judges that state "
        "the same probabilities, the mean and the 95th percentile"
    )


def _reliability_rows(found: BeforeAfter) -> Iterator[tuple[str, ...]]:
    sides = [found.before] if found.after is None else [found.before, found.after]
    changed = found.after is not None
    yield ("", "before", *(("after", "change") if changed else ()))
    lost, squared = ([getattr(side, name) for side in sides] for name in ("log_loss", "brier"))
    for name, cells, change in (
        ("log loss", lost, found.log_loss_change),
        ("Brier score", squared, found.brier_change),
    ):
        yield (name, *map(_cell, cells), *([_cell(change)] if change is not None else []))
    empty = ("",) if changed else ()
    yield ("calibration error", *(_cell(side.calibration.error) for side in sides), *empty)
    yield ("  by chance alone", *map(_chance, sides), *empty)


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return "n/a"
    low, high = (rounded(end) if end is not None else "no bound" for end in (estimate.low, estimate.high))
    return f"{rounded(estimate.value)} [{low}, {high}]{'*' if estimate.too_few else ''}"


def _chance(side: Reliability) -> str:
    found = side.calibration
    if found.null_mean is None or found.null_high is None:
        return "n/a"
    return f"{rounded(found.null_mean)}, 95 % under {rounded(found.null_high)}"


def _as_json(subject: _Subject, outcome: Outcome) -> dict[str, Any]:
    chosen = outcome.recalibration
    return {
        "format": FORMAT,
        "exit_code": _MET,
        "outcome": chosen.sentence,
        "judge": subject.judge,
        "statement": subject.statement,
        "source": subject.source,
        "scale": chosen.scale,
        "calibrator": chosen.calibrator.model_dump(mode="json"),
        "fitted_on": {"rows": chosen.rows, "families": chosen.families, "yes": chosen.yes},
        "left_out_in_turn": {"folds": chosen.folds, "seed": chosen.seed, "how": chosen.how},
        "left_out": dict(outcome.left_out),
        "candidates": [
            {**asdict(one), "calibrator": None if one.calibrator is None else one.calibrator.model_dump(mode="json")}
            for one in chosen.candidates
        ],
        "reliability": None if outcome.reliability is None else asdict(outcome.reliability),
        "holds": LABEL_MIX,
        "resamples": subject.resamples,
        "bench": __version__,
    }
