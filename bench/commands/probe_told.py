"""What ``bench probe`` found, as text, as Markdown and as JSON; the three are made from the same record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from bench.measure.estimate import Estimate, rounded
from bench.probing.bias import Bias
from bench.probing.figures import Figures
from bench.probing.result import ProbeReport, told
from bench.probing.transforms import TRANSFORMS
from bench.problems import shorten
from bench.report.jsonable import Json, estimate_json
from bench.schema.probe import Probe
from bench.terminal.table import columns
from bench.terminal.words import counted, wrapped

_MUST = {
    "same": "the answer must not change",
    "falls": "a yes must become a no",
    "abstains_or_falls": "a yes must become a no, or the judge must abstain",
    "not_rises": "a no must not become a yes",
}
_HEAD = ("judge", "could", "broke it", "yes>no", "no>yes", "mean dp", "unscored", "not shown")
_BIAS_HEAD = ("judge", "x2 events", "x2 prompts", "last prompt late")
_HUGE = 99  # an odds ratio beyond it says no more than that
_NAME = 200  # characters: one line of a table, folded if need be
_FEW_JUDGES = 3  # up to so many, each figure gets a sentence
_READ = (
    "could: sessions whose answer before the change is one that the probe asks something of; broke it: the share of them "
    "in which the answer then did what it must not, with its 95 % interval, families drawn whole; mean dp: mean size of the "
    "change of P(yes); not shown: the change did not reach the judge. No label was read: a judge may break nothing and be "
    "wrong, and a direction is a claim about most sessions, not about each."
)
_READ_BIAS = (
    "Odds ratio of a yes: per doubling of the events, per doubling of the typed prompts, and for a last typed prompt at the "
    "end and not at the start; all at once, with the harness. It controls for nothing else: a session's length may be a real "
    "sign."
)


def as_text(report: ProbeReport) -> str:
    """As wide as the terminal is."""
    lines = [wrapped(text) for text in _opening(report)]
    for probe, statement, figures in _groups(report):
        loud, quiet = _by_noise(report, figures)
        lines += [
            "",
            wrapped(_title(probe, statement)),
            *([columns([_HEAD, *loud])] if loud else []),
            *map(wrapped, quiet),
        ]
        if len(report.seats) <= _FEW_JUDGES:
            lines += [wrapped(told(one, report.name(one.judge))) for one in figures]
    lines += ["", wrapped(_READ)]
    for statement, rows in _bias_rows(report):
        lines += ["", f"length, prompts, position: {statement}", columns([_BIAS_HEAD, *rows])]
    lines += ["", wrapped(_READ_BIAS), *map(wrapped, _bias_reasons(report)), *map(wrapped, _closing(report))]
    return "\n".join(
        [*lines, wrapped(report.signature, rest=""), wrapped(f"{report.outcome} [exit {report.exit_code}]")]
    )


def as_markdown(report: ProbeReport) -> str:
    """The same, as a page."""
    lines = ["# Probes: does a judge react to what matters, and only to that?", "", *_opening(report), "", _READ, ""]
    last = ""
    for probe, statement, figures in _groups(report):
        loud, quiet = _by_noise(report, figures)
        if probe.id != last:
            lines += [f"## {probe.id}", "", _sentence(_what(probe)), ""]
        last = probe.id
        lines += [f"### {probe.id} on {statement}", "", *([*_table(_HEAD, loud), ""] if loud else []), *quiet]
        lines += [""] if quiet else []
    lines += ["## Length, prompts, position", "", _READ_BIAS, ""]
    for statement, rows in _bias_rows(report):
        lines += [f"### Ratios of {statement}", "", *_table(_BIAS_HEAD, rows), ""]
    lines += [line for text in (*_bias_reasons(report), *_closing(report)) for line in (text, "")]
    return "\n".join([*lines, f"`{report.signature}`", "", f"{report.outcome} (exit {report.exit_code})"]) + "\n"


def _opening(report: ProbeReport) -> Iterator[str]:
    yield (
        f"{counted(report.sessions, 'session')} of {counted(report.families, 'family')} ({report.where}), "
        f"{counted(len(report.probes), 'probe')}, {counted(len(report.seats), 'judge')}. No label was read."
    )
    if report.not_at_hand:
        yield f"Not at hand (--sessions FOLDER) and not asked about: {counted(report.not_at_hand, 'session')}."
    if report.left_out:
        yield f"Of the suite's judges these were not asked (--judge NAME asks them): {', '.join(report.left_out)}."
    for judge, why in report.unavailable.items():
        yield f"{report.name(judge)} cannot be asked here: {why}"


def _groups(report: ProbeReport) -> Iterator[tuple[Probe, str, list[Figures]]]:
    groups: dict[tuple[str, str], list[Figures]] = {}
    for one in report.figures:
        groups.setdefault((one.probe.id, one.statement), []).append(one)
    for (_, statement), figures in groups.items():
        yield figures[0].probe, statement, figures


def _title(probe: Probe, statement: str) -> str:
    return f"{probe.id} on {statement}: {_what(probe)}"


def _what(probe: Probe) -> str:
    because = f" {probe.because}" if probe.because else ""
    return f"{TRANSFORMS[probe.transform].does}; {_MUST[probe.expect]}.{because}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _by_noise(report: ProbeReport, figures: Sequence[Figures]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The rows of a table, and a line for the judges that did not move at all."""
    still = [one for one in figures if _is_still(one)]
    loud = _rows(report, [one for one in figures if not _is_still(one)])
    lines = []
    if still:
        highest = max(one.rate.high or 0.0 for one in still)
        names = ", ".join(dict.fromkeys(report.name(one.judge) for one in still))
        fewest = min(one.base for one in still)
        lines.append(f"Never, each in at least {fewest} sessions (rate at most {rounded(highest)}): {names}.")
    lines += [
        f"{report.name(one.judge)} itself cut what it was shown in {one.cut} of {one.base}, and may not have seen the change."
        for one in figures
        if one.cut
    ]
    return loud, lines


def _is_still(one: Figures) -> bool:
    """A judge that broke nothing and moved nowhere: one of a long list of zeros."""
    moved = one.violations or one.to_yes or one.to_no or (one.moved.value or 0.0) >= 0.0005
    return one.base > 0 and not moved and not one.cut


def _rows(report: ProbeReport, figures: Sequence[Figures]) -> list[tuple[str, ...]]:
    return [
        (
            shorten(report.name(one.judge), _NAME),
            f"{one.base}/{one.sessions}",
            _cell(one.rate),
            str(one.to_no),
            str(one.to_yes),
            "" if one.moved.value is None else f"{one.moved.value:.3f}",
            str(sum(one.fates.get(name, 0) for name in ("unscored_before", "unscored_after", "silent"))),
            str(one.fates.get("not_shown", 0)),
        )
        for one in figures
    ]


def _cell(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else estimate.cell().removesuffix(" too few")


def _ratio_cell(ratio: Estimate) -> str:
    if ratio.value is None or ratio.low is None or ratio.high is None:
        return "n/a"
    value, low, high = (">99" if x > _HUGE else rounded(x) for x in (ratio.value, ratio.low, ratio.high))
    return f"{value} [{low}, {high}]"


def _bias_rows(report: ProbeReport) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    for statement in dict.fromkeys(one.statement for one in report.bias):
        yield (
            statement,
            [
                (shorten(report.name(one.judge), _NAME), *(_ratio_cell(ratio) for ratio in one.ratios[:3]))
                for one in report.bias
                if one.statement == statement
            ],
        )


def _bias_reasons(report: ProbeReport) -> Iterator[str]:
    every = (r.undefined for one in report.bias for r in one.ratios if r.undefined is not None)
    reasons = dict.fromkeys(
        reason.split(" (")[0] for reason in every
    )  # without their counts, which are each judge's own
    if reasons:
        yield f"n/a: {'; '.join(reasons)}."
    yield "The ratios of harnesses, each reason, and who was regressed by P(yes): JSON."


def _closing(report: ProbeReport) -> Iterator[str]:
    for (judge, statement), estimate in report.noise.items():
        yield f"{report.name(judge)} asked again about the unchanged session on {statement} flips in {estimate.cell()}."
    for one in report.decided:
        yield (
            f"{one.status}: {report.name(one.judge)} breaks {one.probe} on {one.statement} in at most {one.limit:g} "
            f"({one.reason})"
        )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


# --- JSON ---


def as_json(report: ProbeReport) -> Json:
    """Everything, ready to be written."""
    return {
        "exit_code": report.exit_code,
        "outcome": report.outcome,
        "from": report.where,
        "sessions": report.sessions,
        "not_at_hand": report.not_at_hand,
        "families": report.families,
        "probes": [probe.model_dump(mode="json", exclude_none=True) for probe in report.probes],
        "judges": [
            {"id": s.id, "name": s.judge.name, "preset": s.preset.label, "unavailable": report.unavailable.get(s.id)}
            for s in report.seats
        ],
        "not_asked": list(report.left_out),
        "figures": [_figures_json(one, report.name(one.judge)) for one in report.figures],
        "noise": [
            {"judge": judge, "statement": statement, "flip_rate": estimate_json(estimate)}
            for (judge, statement), estimate in report.noise.items()
        ],
        "bias": [_bias_json(one, report.name(one.judge)) for one in report.bias],
        "limits": [dict(one.__dict__) for one in report.decided],
        "signature": report.signature,
    }


def _figures_json(one: Figures, name: str) -> Json:
    fates: dict[str, JsonValue] = {fate: one.fates[fate] for fate in sorted(one.fates)}
    return {
        "probe": one.probe.id,
        "judge": one.judge,
        "name": name,
        "statement": one.statement,
        "sessions": one.sessions,
        "applicable": one.applicable,
        "could": one.base,
        "violations": one.violations,
        "fates": fates,
        "cut_by_the_judge": one.cut,
        "rate": estimate_json(one.rate),
        "yes_to_no": one.to_no,
        "no_to_yes": one.to_yes,
        "mean_dp": estimate_json(one.moved),
        "told": told(one, name),
    }


def _bias_json(one: Bias, name: str) -> Json:
    ratios: dict[str, JsonValue] = {ratio.name: estimate_json(ratio) for ratio in one.ratios}
    return {
        "judge": one.judge,
        "name": name,
        "statement": one.statement,
        "target": one.target,
        "sessions": one.sessions,
        "left_out": one.left_out,
        "odds_ratios": ratios,
    }
