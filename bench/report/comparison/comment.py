"""A comparison as the body of a pull-request comment: what moved, is it real, three cases to look at, how to get it again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bench.comparing.compare import JudgeComparison
from bench.comparing.comparison import Comparison
from bench.comparing.items import Flip
from bench.measure.estimate import Estimate, rounded
from bench.report.ci.refusal import exit_words, outcome_words
from bench.report.ci.step_summary import fitting
from bench.report.comparison.document import signature_of
from bench.report.comparison.junit import base_of
from bench.report.markdown.grid import fold, quiet, quiet_grid
from bench.repository import in_repository
from bench.terminal.words import counted

LARGEST = 60_000  # bytes: a code host takes 65,536 characters, marker included
CASES = 3
RULE = (
    "first what is newly wrong under a red line that is not met, then other newly wrong, then newly right; a case once"
)
_CUT = "*The comment is cut here: `bench compare` prints the rest.*"
_HAPPENED = {"right->wrong": "newly wrong", "wrong->right": "newly right"}
_PLAIN = {
    "worse": "Yes, and it is a loss: more than luck with these cases explains.",
    "better": "Yes, and it is a gain: more than luck with these cases explains.",
    "not worse": "A loss that would matter is ruled out; a gain is not shown.",
    "no change": "Nothing moved: every verdict on the same items is the same.",
    "cannot tell": "Nobody can tell from these items: neither a loss nor its absence is shown.",
}


def comparison_comment(found: Comparison, again: str) -> str:
    """Markdown. ``again`` is the command that gives the same."""
    judges = sorted(found.judges, key=lambda judge: (1, 2, 0).index(judge.exit_code))
    told = [judge for judge in judges if judge.exit_code or judge.verdict != "no change" or len(judges) == 1]
    same = [judge.head.name for judge in judges if judge not in told]
    table = found.table
    parts = [
        f"### bench compare: {outcome_words(found.exit_code)}",
        f"**{quiet(found.sentence)}** {exit_words(found.exit_code)}",
        quiet(
            f"Decides: {table.statement} on {table.stratum}, split {' + '.join(table.splits)}, by the head's labels."
        ),
        *_cases(found, judges),
        *(part for judge in told for part in _judge(judge)),
        *([f"No change: {quiet(', '.join(same))}."] if same else []),
        fold("Signatures, and how to get this again", list(_origin(found, told or judges[:1], again))),
    ]
    return fitting("\n\n".join(parts) + "\n", LARGEST, _CUT)


def _judge(judge: JudgeComparison) -> Iterator[str]:
    yield f"#### {quiet(judge.head.name)}: {judge.verdict}"
    yield f"Is it real? {_PLAIN[judge.verdict]} Why: {quiet('; '.join(judge.reasons))}."
    rows = [["metric", "base", "head", "head - base", "margin", "verdict"]]
    for line in judge.metrics:
        margin = "told" if line.margin is None else rounded(line.margin)
        rows.append([line.metric, _cell(line.base), _cell(line.head), _cell(line.gap), margin, line.verdict])
    yield quiet_grid(rows)
    lines = [f"- red line {line.decision}; head has {line.estimate.cell()}" for line in judge.red_lines]
    lines.append(f"- coverage: base {judge.base.coverage.cell()}, head {judge.head.coverage.cell()}")
    lines.append(f"- {judge.scored} of {judge.items} items scored by both and labelled, {judge.families} families")
    yield "\n".join(quiet(line) for line in [*lines, *(f"- note: {note}" for note in judge.notes)])


def _cell(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else estimate.cell()


def _cases(found: Comparison, judges: Sequence[JudgeComparison]) -> list[str]:
    chosen = cases_to_look_at(judges)
    if not chosen:
        return []
    rows = [["where", "item", "judge", "label", "verdict", "what happened"]]
    for judge, flip in chosen:
        place = flip.place
        file = in_repository(place.file, base_of(found)) + ("" if place.line is None else f":{place.line}")
        item = f"{place.case}/{place.attempt}/{place.statement}"
        rows.append([file, item, judge.head.name, flip.label, f"{flip.base} -> {flip.head}", _HAPPENED[flip.change]])
    return [f"{counted(len(chosen), 'case')} to look at ({RULE}):", quiet_grid(rows)]


def cases_to_look_at(judges: Sequence[JudgeComparison]) -> list[tuple[JudgeComparison, Flip]]:
    """By the rule, among the items that decide; judges in the order given, items by their ids."""
    pairs = [(judge, flip) for judge in judges for flip in judge.matched.flips if _counts(flip)]
    pairs.sort(key=lambda pair: (_weight(*pair), pair[1].place.case, pair[1].place.attempt))
    seen: dict[str, tuple[JudgeComparison, Flip]] = {}
    for judge, flip in pairs:
        seen.setdefault(flip.place.case, (judge, flip))
    return list(seen.values())[:CASES]


def _counts(flip: Flip) -> bool:
    return flip.place.decides and flip.same_content and flip.change in _HAPPENED


def _weight(judge: JudgeComparison, flip: Flip) -> int:
    if flip.change == "wrong->right":
        return 2
    return 0 if any(line.decision.status == "not met" for line in judge.red_lines) else 1


def _origin(found: Comparison, judges: Sequence[JudgeComparison], again: str) -> Iterator[str]:
    lines = []
    for judge in judges:
        for side, replayed, run in (("base", found.sides.base, judge.base), ("head", found.sides.head, judge.head)):
            lines.append(f"{side} {signature_of(found, replayed, run)}")
    yield _block("\n".join(lines))
    yield _block(" ".join(again.split()), "sh")


def _block(text: str, language: str = "") -> str:
    """Text as it is, in a fence that nothing in it can end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
