"""The accepted figures of a suite, flat: counts must be equal, other figures to 1e-9."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.measure.estimate import Estimate
from bench.measure.experiment_figures import ExperimentLine
from bench.measure.figures import Figures
from bench.measure.judge_line import JudgeLine
from bench.problems import BrokenInput, Problem
from bench.verify.checks import Check

TOLERANCE = 1e-9
Flat = dict[str, float | int | str | None]
Entry = tuple[str, float | int | str | None]


def flatten(figures: Figures) -> Flat:
    """Every figure under a readable path. No clock, host, commit, file name or latency."""
    return dict(sorted(_all(figures)))


def _all(figures: Figures) -> Iterator[Entry]:
    for table in figures.tables:
        place = f"{table.stratum.id}/{table.statement}"
        for answer, count in table.labels.items():
            yield f"{place}/labels/{answer}", count
        yield from _estimate(f"{place}/labels", table.prevalence)
        for line in table.lines:
            yield from _line(f"{place}/{line.judge_id}", line)
    yield from _passes(figures)
    yield from _comparisons(figures)
    yield from _standing(figures)
    yield from _agreement(figures)


def _passes(figures: Figures) -> Iterator[Entry]:
    for source in figures.pass_k:
        for figure in source.figures:
            place = f"pass/{source.judge_id or source.source}"  # two judges may share a name
            yield from _estimate(place, figure.estimate)
            yield f"{place}/{figure.estimate.name}/cases", figure.cases


def _comparisons(figures: Figures) -> Iterator[Entry]:
    for comparison in figures.comparisons:
        e = comparison.entry
        place = f"comparison/{e.stratum}/{e.statement}/{e.candidate}-{e.claim}-{e.comparator}-{e.metric}-{e.margin:g}"
        yield f"{place}/items", comparison.items
        yield f"{place}/verdict", comparison.decided.verdict if comparison.decided else "cannot tell"
        if comparison.decided:
            yield from _estimate(place, comparison.decided.gap)


def _standing(figures: Figures) -> Iterator[Entry]:
    for standing in figures.rankings:
        for ranking in standing.rankings:
            for rank in ranking.ranks:
                place = f"ranking/{standing.stratum}/{standing.statement}/{ranking.metric}/{rank.judge}"
                yield f"{place}/place", rank.place
                yield f"{place}/first", rank.first
    for repeat in figures.repeats:
        place = f"repeat/{repeat.stratum}/{repeat.statement}/{repeat.judge_id}"
        yield f"{place}/verdict", repeat.repeat.verdict
        yield from _estimate(place, repeat.repeat.gap)


def _agreement(figures: Figures) -> Iterator[Entry]:
    for experiment in figures.experiments:
        for told in experiment.lines:
            yield from _experiment(f"experiment/{experiment.id}/{told.stratum}/{told.statement}/{told.response}", told)
    for agreement in figures.agreement:
        place = f"agreement/{agreement.stratum}/{agreement.statement}"
        yield f"{place}/votes", agreement.votes
        yield f"{place}/adjudicated", agreement.adjudicated
        yield from _estimate(place, agreement.raw)
        yield from _estimate(place, agreement.alpha)
        yield from _estimate(f"{place}/without-unclear", agreement.alpha_without_unclear)
    for third in figures.third_votes:
        place = f"third-votes/{third.stratum}/{third.statement}"
        yield f"{place}/items", third.items
        yield from _estimate(place, third.agrees)
        for yes, count in enumerate(third.rates.counts):
            yield f"{place}/yes-{yes}", count
        for estimate in (third.rates.true_yes, third.rates.miss, third.rates.false_yes, third.rates.agreed_wrong):
            yield from _estimate(place, estimate)


def _experiment(place: str, line: ExperimentLine) -> Iterator[tuple[str, float | int | str | None]]:
    yield f"{place}/items", line.items
    for share in line.breakdown.shares:
        yield from _estimate(f"{place}/share", share.share)
    for number, factor in enumerate(line.levels, 1):
        for level, mean in enumerate(factor.means, 1):
            yield from _estimate(f"{place}/factor-{number}/level-{level}", mean)
        yield from _estimate(f"{place}/factor-{number}", factor.range)


def _line(place: str, line: JudgeLine) -> Iterator[Entry]:
    for name, count in line.counts.items():
        yield f"{place}/{name}", count
    yield f"{place}/expected", line.books.expected
    yield f"{place}/scored", line.books.scored
    for reason, count in line.books.unscored.items():
        yield f"{place}/unscored/{reason}", count
    yield from _estimate(place, line.coverage)
    for estimate in line.metrics.values():
        yield from _estimate(place, estimate)
    if line.samples is not None:
        for estimate in (line.samples.flip_rate, line.samples.right_once, line.samples.right_always):
            yield from _estimate(place, estimate)
    if line.probability is not None:
        found = line.probability
        for estimate in (found.brier, found.log_loss, found.calibration, found.risk_area):
            yield from _estimate(place, estimate)


def _estimate(place: str, estimate: Estimate) -> Iterator[tuple[str, float | str | None]]:
    if estimate.value is None:
        yield f"{place}/{estimate.name}", f"undefined: {estimate.undefined}"
        return
    yield f"{place}/{estimate.name}", estimate.value
    yield f"{place}/{estimate.name}/low", estimate.low
    yield f"{place}/{estimate.name}/high", estimate.high


def read_baseline(path: Path, suite: str) -> Flat | None:
    """The accepted figures of a suite; None where none were accepted yet."""
    if not path.exists():
        return None
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        figures = held.get(suite) if isinstance(held, dict) else held
        if not isinstance(held, dict) or not isinstance(figures, dict | None):
            raise ValueError("a map of suites to maps of figures is wanted")
    except ValueError as error:
        fix = "restore the file from version control, or write it anew with bench accept"
        raise BrokenInput([Problem(path.name, None, None, suite, str(error)[:120], fix)]) from None
    return figures


def write_baseline(path: Path, suite: str, figures: Flat) -> None:
    """Accept figures as the suite's baseline."""
    held: dict[str, Flat] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    held[suite] = figures
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n", encoding="utf-8", newline="\n")


def moved(old: Mapping[str, object], new: Mapping[str, object]) -> tuple[str, ...]:
    """Each figure that differs, as ``path: old -> new``."""
    lines = []
    for path in sorted(set(old) | set(new)):
        before, after = old.get(path, "absent"), new.get(path, "absent")
        if not _same(before, after):
            lines.append(f"{path}: {_shown(before)} -> {_shown(after)}")
    return tuple(lines)


def _same(a: object, b: object) -> bool:
    if (isinstance(a, float) and isinstance(b, float | int)) or (isinstance(b, float) and isinstance(a, int)):
        return math.isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return a == b


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def figures_are_as_accepted(accepted: Flat | None, present: Flat, selected: bool) -> Check:
    """The present figures against the baseline; not asked where only a part of the suite was selected."""
    name = "figures equal to the baseline"
    if selected:
        return Check(name, "not asked", "only a part of the suite was selected")
    if accepted is None:
        return Check(name, "cannot decide", "no baseline yet", "look at the figures, then accept them: bench accept")
    changes = moved(accepted, present)
    if not changes:
        return Check(name, "met", f"{len(present)} figures")
    points = [change for change in changes if not change.split(": ")[0].endswith(("/low", "/high"))]
    first = (points or list(changes))[0]
    found = f"{len(changes)} of {len(set(accepted) | set(present))} figures moved, the first: {first}"
    return Check(name, "not met", found, "if the change is meant: bench accept, and say why in the commit", changes)
