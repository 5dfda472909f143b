"""Panels and cascades as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.measure.estimate import Estimate, rounded
from bench.policies.cascade import Cascade
from bench.policies.combine import Stacked, Weighted
from bench.policies.frontier import Axis, Frontier
from bench.policies.members import Item
from bench.policies.panels import Line, Study
from bench.policies.replay import Recorded
from bench.terminal.table import columns
from bench.terminal.words import counted, wrapped

_AXES: dict[Axis, str] = {"usd": "cost", "ms": "time"}
_SHORT = {"balanced_accuracy": "balanced accuracy"}


def sentence(study: Study) -> str:
    """Whether combining helped, in one sentence."""
    compared = [(place, line) for place, line in enumerate(study.lines, 1) if line.gain is not None]
    metric = _SHORT.get(study.asked.metric, study.asked.metric)
    if not compared:
        return "Nothing says whether combining helps: no best member can be named on development."
    told = [(place, line) for place, line in compared if line.gain is not None and line.gain.low is not None]
    better = [f"{place} ({line.name})" for place, line in told if line.gain and (line.gain.low or 0) > 0]
    worse = sum(line.gain is not None and line.gain.high is not None and line.gain.high < 0 for _, line in told)
    if better:
        what = f"{len(better)} of {len(compared)} panels and cascades beat their best member by more than the interval"
        return f"In {metric}, {what}: {', '.join(better)}."
    rest = f"; {worse} of {len(compared)} are worse by more than it" if worse else ""
    return f"No panel or cascade beats its best member in {metric} by more than its interval{rest}."


def study_lines(study: Study) -> Iterator[str]:
    """Everything as text."""
    asked = study.asked
    yield wrapped(sentence(study))
    yield ""
    floors = f"A panel decides where at least {study.floor} of its {len(study.members)} members answered"
    yield wrapped(
        f"{asked.statement} on {asked.stratum.id}. Chosen on development ({_size(study.development)}), reported on "
        f"{' + '.join(study.splits)} ({_size(study.reported)}). {floors} (of a weighted one, of those with weight: "
        f"{_weighted_floor(study)}); a tie decides nothing."
    )
    yield ""
    yield columns(list(_cost_rows(study)), left=(0, 1))
    yield ""
    yield columns(list(_quality_rows(study)))
    yield from _bound_lines(study)
    yield ""
    yield from _choice_lines(study)
    for found in study.frontiers:
        yield ""
        yield from _frontier_lines(study, found)
    yield ""
    yield wrapped(
        "$ (mean) and ms (median / mean) are for one session and this statement, as recorded when and where the stored verdicts "
        "were made, members asked one after the other. Judges that are code cost 0 by definition; n/a: unknown for some "
        "verdict. Quality is that of the decided, labelled items; for what is not dominated, of all labelled ones, an "
        "undecided one taken as wrong."
    )


def _cost_rows(study: Study) -> Iterator[Sequence[str]]:
    yield "#", "what decides", "undecided", "went on", "$", "ms"
    for place, line in enumerate(study.lines, 1):
        found, books = line.reported, line.reported.books
        yield (
            f"{place:>2}",
            line.name,
            f"{books.expected - books.scored}/{books.expected}",
            f"{_count(found.escalated)}/{books.expected}" if line.kind == "cascade" else "",
            _dollars(found.usd),
            f"{_milliseconds(found.ms_median)} / {_milliseconds(found.ms_mean)}",
        )


def _quality_rows(study: Study) -> Iterator[Sequence[str]]:
    names = list(study.lines[0].reported.metrics)
    yield (" #", "items", *(_SHORT.get(name, name) for name in names))
    for place, line in enumerate(study.lines, 1):
        found = [line.reported.metrics[name] for name in names]
        cells = ["n/a" if estimate.value is None else estimate.cell() for estimate in found]
        yield (f"{place:>2}", str(line.reported.books.labelled), *cells)


def _bound_lines(study: Study) -> Iterator[str]:
    gone: dict[str, list[str]] = {}
    for place, line in enumerate(study.lines, 1):
        for name, estimate in line.reported.metrics.items():
            if estimate.undefined is not None:
                gone.setdefault(f"{place} {estimate.undefined}", []).append(_SHORT.get(name, name))
    if gone:
        reasons = "; ".join(f"{why} ({', '.join(names)})" for why, names in gone.items())
        yield wrapped(f"n/a: {reasons}.")
    told = []
    for place, line in enumerate(study.lines, 1):
        if line.bounds is not None:
            low, high = ("n/a" if end is None else rounded(end) for end in line.bounds)
            told.append(f"{place} {low} to {high}")
    if told:
        metric = _SHORT.get(study.asked.metric, study.asked.metric)
        yield wrapped(f"{metric} with the undecided items all wrong, and all right: {'; '.join(told)}.")


def _choice_lines(study: Study) -> Iterator[str]:
    metric = _SHORT.get(study.asked.metric, study.asked.metric)
    yield wrapped(
        f"{metric} on development (out of fold by family where something was fitted), and the difference from the best of "
        f"its own members there, on the reported items (intervals of {study.level * 100:.2f} %, which hold together at 95 %):"
    )
    rows = [(" #", "on development", "best member", "difference")]
    for place, line in enumerate(study.lines, 1):
        before = "n/a" if line.development is None else line.development.metrics[study.asked.metric].cell()
        best = "" if line.best_member is None else str(line.best_member + 1)
        rows.append((f"{place:>2}", before, best, "" if line.gain is None else line.gain.cell()))
    yield columns(rows)
    for place, line in enumerate(study.lines, 1):
        if isinstance(line.arrangement, Weighted) and line.kind == "weighted":
            told = ", ".join(f"{i} {rounded(w)}" for i, w in enumerate(line.arrangement.weights, 1))
            yield wrapped(f"weights: {told}")
        if isinstance(line.arrangement, Stacked):
            told = ", ".join(f"{i} {rounded(w)}" for i, w in enumerate(line.arrangement.model.coefficients, 1))
            yield wrapped(f"stack: {told} (of standardised values); a missing value is the median, and is indicated")
        if isinstance(line.arrangement, Cascade):
            yield wrapped(f"{place}: {saving(study, line)}")
    for name, reason in study.missing:
        yield wrapped(f"{name}: not made, {reason}")


def saving(study: Study, line: Line) -> str:
    if not isinstance(line.arrangement, Cascade):
        return ""
    total = line.reported.books.expected
    if line.arrangement.last is None:
        return f"a person decides {_count(line.reported.reviewed)} of {total} items"
    calls = line.reported.asked[line.arrangement.last]
    return f"{total - calls} of {total} calls of {study.members[line.arrangement.last].name} saved"


def _frontier_lines(study: Study, found: Frontier) -> Iterator[str]:
    axis = _AXES[found.axis]
    if not found.steps:
        yield wrapped(f"No frontier over {axis}: no arrangement has both figures.")
        return
    told = []
    for step in found.steps:
        doubt = "" if step.gain is None else f", {step.gain.cell()} over the one before"
        mark = " (cannot be told from it)" if step.cannot_be_told else ""
        told.append(f"{step.point.place + 1}{doubt}{mark}")
    yield wrapped(f"Not dominated on quality and {axis}, from cheap to dear: {'; '.join(told)}.")
    if found.left_out:
        reasons = "; ".join(f"{place + 1} ({reason})" for place, reason in found.left_out)
        yield wrapped(f"Left out: {reasons}.", "  ", "  ")


def _weighted_floor(study: Study) -> str:
    floors = [
        line.arrangement.floor
        for line in study.lines
        if line.kind == "weighted" and isinstance(line.arrangement, Weighted)
    ]
    return str(floors[0]) if floors else "none was made"


def _count(share: Estimate) -> str:
    return "0" if share.numerator is None else str(share.numerator)


def _dollars(found: Recorded) -> str:
    if found.value is None:
        return "n/a"
    return "0" if found.value == 0 else f"{found.value:.2g}"


def _milliseconds(found: Recorded) -> str:
    return "n/a" if found.value is None else f"{found.value:.3g}" if found.value < 100 else f"{found.value:.0f}"


def _size(items: Sequence[Item]) -> str:
    return f"{counted(len(items), 'item')}, {counted(families_of(items), 'family')}"


def families_of(items: Sequence[Item]) -> int:
    return len({item.row.family for item in items})
