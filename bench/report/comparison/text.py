"""A comparison of base and head in the terminal: what each judge's figures did, which cases to look at, one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.comparing.compare import JudgeComparison
from bench.comparing.comparison import Comparison, judge_sentence
from bench.comparing.items import CoverageChange, Flip, Place
from bench.comparing.noise import Noise
from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, rounded
from bench.report.comparison.document import signature_of
from bench.terminal.table import columns
from bench.terminal.words import wrapped

SHOWN, SLICES_SHOWN = 20, 12
_ORDER = ("right->wrong", "wrong->right", "wrong->wrong", "no label")
_KINDS = ("lost", "gained", "not judged", "other reason")


def comparison_lines(found: Comparison) -> Iterator[str]:
    """The comparison; the last line agrees with the exit code."""
    table = found.table
    yield f"base: {found.sides.words[0]}"
    yield f"head: {found.sides.words[1]}"
    yield wrapped(
        f"decides: {table.statement} on {table.stratum}, split {' + '.join(table.splits)}, by the head's labels"
    )
    yield wrapped(f"config: {found.config_file or _default(found)}")
    for judge in found.judges:
        yield ""
        if len(found.judges) > 1 and judge.verdict == "no change" and judge.exit_code == 0 and not judge.notes:
            yield wrapped(judge_sentence(judge))
        else:
            yield from _judge_lines(found, judge)
    for where, names in (("base", found.paired.only_base), ("head", found.paired.only_head)):
        if names:
            yield wrapped(f"only in {where}, not compared: {', '.join(names)}")
    yield ""
    yield wrapped(f"{found.outcome}: {found.sentence} [exit {found.exit_code}]")


def _default(found: Comparison) -> str:
    objective = found.config.objective
    return f"no bench.toml, so {objective.metric} must not be worse by more than {objective.margin:g}"


def _judge_lines(found: Comparison, judge: JudgeComparison) -> Iterator[str]:
    if len(found.judges) > 1:
        yield wrapped(judge_sentence(judge))
    yield wrapped(
        f"{judge.items} items on both sides, {judge.scored} of them scored by both and labelled, {judge.families} families"
    )
    yield columns(_metric_rows(judge))
    for line in judge.red_lines:
        yield wrapped(f"red line {line.decision}; head has {line.estimate.cell()}")
    if len(found.config.deciding) > 1:
        yield f"those with a margin are decided together at {LEVEL * 100:g} % (Holm)"
    if judge.accuracy is not None and judge.verdict != "no change":
        test = judge.accuracy
        yield wrapped(
            f"only head right on {test.only_a_right}, only base right on {test.only_b_right}: "
            f"p = {rounded(test.p_value, 3)} ({test.method}; told, does not decide)"
        )
    yield wrapped(f"coverage: base {judge.base.coverage.cell()}, head {judge.head.coverage.cell()}")
    if judge.noise is not None:
        yield from _noise_lines(judge.noise)
    yield from (wrapped(f"note: {note}") for note in judge.notes)
    yield from _flip_lines(judge.matched.flips)
    yield from _coverage_lines(judge.matched.coverage_changes)
    yield from _slice_lines(judge)
    for side, replayed, run in (("base", found.sides.base, judge.base), ("head", found.sides.head, judge.head)):
        yield wrapped(f"{side} {signature_of(found, replayed, run)}")


def _metric_rows(judge: JudgeComparison) -> list[list[str]]:
    rows = [["metric", "base", "head", "head - base", "margin", "verdict"]]
    for line in judge.metrics:
        margin = "told" if line.margin is None else rounded(line.margin)
        rows.append([line.metric, _value(line.base), _value(line.head), _cell(line.gap), margin, line.verdict])
    return rows


def _value(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else rounded(estimate.value)


def _cell(gap: Estimate) -> str:
    return "n/a" if gap.value is None else gap.cell()


def _noise_lines(noise: Noise) -> Iterator[str]:
    yield wrapped(f"noise floor: two samples of the base differ on {noise.within_base.cell()} of {noise.items} items")
    beyond = noise.beyond
    if beyond.value is None or beyond.low is None:
        return
    says = "flips beyond the noise" if beyond.low > 0 else "nothing beyond the noise is shown"
    yield wrapped(f"base and head differ on {noise.across.cell()}; beyond the floor {beyond.cell()}: {says}")


def _flip_lines(flips: Sequence[Flip]) -> Iterator[str]:
    if not flips:
        return
    counts = [(change, sum(flip.change == change for flip in flips)) for change in _ORDER]
    yield f"flipped: {len(flips)} ({', '.join(f'{count} {change}' for change, count in counts if count)})"
    ordered = sorted(flips, key=lambda flip: (not flip.place.decides, _ORDER.index(flip.change), _sorted(flip.place)))
    for flip in ordered[:SHOWN]:
        label = flip.label if flip.base_label is None else f"{flip.base_label} -> {flip.label}"
        marks = [
            *(() if flip.place.decides else ("does not decide",)),
            *(() if flip.same_content else ("other content",)),
        ]
        yield f"  {_where(flip.place)} {flip.base} -> {flip.head}, label {label}, {', '.join((flip.change, *marks))}"
    yield from _more(len(flips))


def _coverage_lines(changes: Sequence[CoverageChange]) -> Iterator[str]:
    if not changes:
        return
    yield f"coverage changed on {len(changes)}"
    ordered = sorted(changes, key=lambda c: (not c.place.decides, _KINDS.index(c.kind), _sorted(c.place)))
    for change in ordered[:SHOWN]:
        mark = "" if change.place.decides else ", does not decide"
        yield f"  {_where(change.place)} {change.base} -> {change.head}, {change.kind}{mark}"
    yield from _more(len(changes))


def _more(count: int) -> Iterator[str]:
    if count > SHOWN:
        yield f"  and {count - SHOWN} more (--json has all)"


def _where(place: Place) -> str:
    """File and line first, so that a terminal makes a link of them."""
    file = place.file if place.line is None else f"{place.file}:{place.line}"
    return f"{file} {place.case}/{place.attempt}/{place.statement}"


def _sorted(place: Place) -> tuple[str, str, str]:
    return place.case, place.attempt, place.statement


def _slice_lines(judge: JudgeComparison) -> Iterator[str]:
    """Strata first, then the slices that lost most."""
    moved = [line for line in judge.slices if line.to_wrong or line.to_right]
    moved.sort(key=lambda s: (s.dimension != "stratum", s.to_right - s.to_wrong, s.dimension, s.value))
    if not moved:
        return
    rows = [["slice (never decides)", "items", "to wrong", "to right", "accuracy, head - base"]]
    rows += [
        [f"{s.dimension} {s.value}", str(s.items), str(s.to_wrong), str(s.to_right), _cell(s.accuracy)]
        for s in moved[:SLICES_SHOWN]
    ]
    yield columns(rows)
    if len(moved) > SLICES_SHOWN:
        yield f"  and {len(moved) - SLICES_SHOWN} more slices that moved (--json has all)"
