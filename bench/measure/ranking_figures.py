"""Who ranks first in a table, how surely, and whether the metric decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.cases.load import LoadedSuite
from bench.measure.items import REPORTED_SPLITS, JudgedRows
from bench.measure.metrics import METRICS
from bench.measure.ranks import Rank, Ranking, count_judges, rank_judges_by
from bench.measure.rows import Row
from bench.schema.suite import Stratum

_ANYWHERE = ("recall", "specificity", "balanced_accuracy", "mcc", "cohen_kappa", "accuracy")
_WITH_PREVALENCE = ("precision", "f1")  # where the design sets the share of yes they rank the design


@dataclass(frozen=True)
class RankingLine:
    """All rankings of one statement in one stratum, on the items that every ranked judge scored."""

    stratum: str
    statement: str
    items: int
    families: int
    labelled: int  # items that a judge could have scored
    left_out: tuple[str, ...]  # judges that scored nothing here
    rankings: tuple[Ranking, ...]

    @property
    def winners(self) -> Mapping[str, tuple[Rank, ...]]:
        """For each metric the judges in first place; several when they tie, none when nobody has a value."""
        return {ranking.metric: _first(ranking) for ranking in self.rankings}

    @property
    def sentence(self) -> str:
        """Whether one judge is first by every metric, in plain words."""
        winners = {metric: {rank.judge for rank in ranks} for metric, ranks in self.winners.items() if ranks}
        if not winners:
            return "No judge can be ranked."
        always = set.intersection(*winners.values())
        if always:
            verb = "is" if len(always) == 1 else "are"
            return f"{' and '.join(sorted(always))} {verb} first by every metric that is defined."
        return "The winner depends on the metric: say which one counts before looking."


def _first(ranking: Ranking) -> tuple[Rank, ...]:
    best = min((rank.place for rank in ranking.ranks if rank.place is not None), default=None)
    return tuple(rank for rank in ranking.ranks if rank.place == best) if best is not None else ()


def ranking_lines(suite: LoadedSuite, judged: JudgedRows) -> tuple[RankingLine, ...]:
    """The rankings on the critical statements, in every stratum where two judges can be ranked."""
    found = []
    for stratum in suite.suite.strata:
        for statement in suite.suite.statements:
            if statement.critical and statement.type == "yes_no":
                line = _line(suite, judged, stratum, statement.id)
                if line is not None:
                    found.append(line)
    return tuple(found)


def _line(suite: LoadedSuite, judged: JudgedRows, stratum: Stratum, statement: str) -> RankingLine | None:
    owed = {
        outcome.judge.id: (outcome.judge.judge.name, [row for row in rows if _is_of(row, stratum.id, statement)])
        for outcome, rows in judged
    }
    asked = {judge: (name, rows) for judge, (name, rows) in owed.items() if rows}
    scored = {judge: {_item(r): r for r in rows if r.answer in ("yes", "no")} for judge, (_, rows) in asked.items()}
    ranked = {judge: rows for judge, rows in scored.items() if rows}
    if len(ranked) < 2:
        return None
    first = next(iter(ranked.values()))
    common = [item for item in first if all(item in rows for rows in ranked.values())]
    metrics = [*(_WITH_PREVALENCE if stratum.precision_means_something else ()), *_ANYWHERE]
    rankings: tuple[Ranking, ...] = ()
    if common:
        rankings = rank_judges_by(
            [METRICS[name] for name in metrics],
            _names({judge: asked[judge][0] for judge in ranked}),
            count_judges(
                np.array([first[item].label.answer == "yes" for item in common], dtype=bool),
                {judge: np.array([rows[i].answer == "yes" for i in common], bool) for judge, rows in ranked.items()},
                [first[item].family for item in common],
            ),
            suite.suite.seed,
            suite.suite.resamples,
        )
    return RankingLine(
        stratum=stratum.id,
        statement=statement,
        items=len(common),
        families=len({first[item].family for item in common}),
        labelled=len({_item(row) for _, rows in asked.values() for row in rows}),
        left_out=tuple(asked[judge][0] for judge in scored if judge not in ranked),
        rankings=rankings,
    )


def _is_of(row: Row, stratum: str, statement: str) -> bool:
    here = row.stratum == stratum and row.statement == statement and row.split in REPORTED_SPLITS
    return here and row.label.answer in ("yes", "no")


def _item(row: Row) -> tuple[str, str]:
    return row.case, row.attempt


def _names(names: Mapping[str, str]) -> Sequence[str]:
    """Names as reports show them; a judge_id where two judges share a name."""
    shown = list(names.values())
    return [judge if shown.count(name) > 1 else name for judge, name in names.items()]
