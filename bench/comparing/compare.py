"""One judge, base against head: metrics, red lines, coverage, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from bench.comparing.config import Config
from bench.comparing.items import Contents, Matched, match
from bench.comparing.metric_lines import (
    Chance,
    MetricLine,
    Verdict,
    identical,
    joint_of,
    metric_lines,
    scored_by_both,
)  # fmt: skip
from bench.comparing.noise import Noise, noise_of
from bench.comparing.red_lines import RedLineResult, red_lines
from bench.comparing.slices import CaseFacts, SliceLine, slice_lines
from bench.measure.compare import Test, accuracy_test
from bench.measure.estimate import Estimate
from bench.measure.items import share_of_items
from bench.measure.rows import NOT_RUN, Row
from bench.running.outcome import Outcome


@dataclass(frozen=True)
class Run:
    """One side of a comparison: who judged, and all its rows."""

    name: str
    judge_id: str
    preset: str
    samples: int
    floor: float  # the coverage that its seat promises
    rows: Sequence[Row]

    @property
    def coverage(self) -> Estimate:
        """The share of its judged items that it scored."""
        judged = [row for row in self.rows if row.unscored != NOT_RUN]
        return share_of_items("coverage", [row.answer is not None for row in judged], [row.family for row in judged])

    def keeps(self, floor: float) -> bool:
        judged = [row for row in self.rows if row.unscored != NOT_RUN]
        return sum(row.answer is not None for row in judged) >= Fraction(repr(floor)) * len(judged)


@dataclass(frozen=True)
class Table:
    """The items that decide."""

    stratum: str
    statement: str
    splits: tuple[str, ...]

    def holds(self, row: Row) -> bool:
        return (row.stratum, row.statement) == (self.stratum, self.statement) and row.split in self.splits


@dataclass(frozen=True)
class JudgeComparison:
    """Everything about one judge."""

    base: Run
    head: Run
    verdict: Verdict
    reasons: tuple[str, ...]  # of the verdict
    metrics: tuple[MetricLine, ...]
    red_lines: tuple[RedLineResult, ...]
    accuracy: Test | None
    noise: Noise | None
    matched: Matched
    items: int  # in the table, on both sides, with the same content
    scored: int  # of them: by both, and labelled
    families: int
    not_run: tuple[int, int]  # owed in the table and not stored: base, head
    slices: tuple[SliceLine, ...]
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """1 worse or a red line not met, 2 cannot tell, 0 no change, better or not worse and every red line met."""
        lines = [line.decision.status for line in self.red_lines]
        if self.verdict == "worse" or "not met" in lines:
            return 1
        return 2 if self.verdict == "cannot tell" or "cannot decide" in lines else 0


def run_of(outcome: Outcome, rows: Sequence[Row]) -> Run:
    """A run as one side."""
    seated = outcome.judge
    return Run(
        seated.judge.name, seated.id, seated.preset.label, seated.entry.samples, seated.entry.coverage_floor, rows
    )


def compare_runs(
    base: Run,
    head: Run,
    table: Table,
    config: Config,
    contents: tuple[Contents, Contents],
    facts: CaseFacts,
    chance: Chance,
) -> JudgeComparison:
    """Base against head; a difference is head minus base."""
    matched = match(base.rows, head.rows, *contents, table.holds)
    common = matched.common
    pairs = scored_by_both(common)
    lines = metric_lines(config, common, chance)
    found = JudgeComparison(
        base=base,
        head=head,
        verdict="cannot tell",
        reasons=(),
        metrics=lines,
        red_lines=red_lines(config, [row for row in head.rows if table.holds(row)], chance),
        accuracy=accuracy_test(joint_of(pairs), chance.seed) if pairs else None,
        noise=noise_of(common, chance) if base.samples > 1 else None,
        matched=matched,
        items=len(common),
        scored=len(pairs),
        families=len({b.family for _, b in pairs}),
        not_run=(_not_run([a for a, _ in common]), _not_run([b for _, b in common])),
        slices=slice_lines(head.rows, base.rows, table.statement, table.splits, contents, facts, chance),
        notes=tuple(_notes(base, head, matched)),
    )
    verdict, reasons = _weighed(found)
    return replace(found, verdict=verdict, reasons=reasons)


def _not_run(rows: Sequence[Row]) -> int:
    return sum(row.unscored == NOT_RUN for row in rows)


def _weighed(found: JudgeComparison) -> tuple[Verdict, tuple[str, ...]]:
    """What metrics, coverage and completeness say together, and why; red lines stand beside it."""
    deciding = [line for line in found.metrics if line.decides]
    same = identical(found.matched.common)
    kept = [side.keeps(found.head.floor) for side in (found.base, found.head)]
    worse = [f"{line.metric}: {line.reason}" for line in deciding if line.verdict == "worse"]
    if kept == [True, False]:
        worse.append(f"coverage {found.head.coverage.cell()} falls under the promised {found.head.floor:g}")
    if worse:
        return "worse", tuple(worse)
    unknown = [f"{line.metric}: {line.reason}" for line in deciding if line.verdict == "cannot tell"]
    for side, owed in zip(("base", "head"), found.not_run, strict=True):
        if owed:
            unknown.append(f"{owed} of {found.items} items are not judged in the {side} (bench run --judge-missing)")
    if not same and not any(kept):
        unknown.append(f"both sides cover less than the promised {found.head.floor:g}")
    if unknown:
        return "cannot tell", tuple(dict.fromkeys(unknown))
    if same:
        return "no change", (f"every verdict on {found.items} items is the same",)
    told = tuple(f"{line.metric}: {line.reason}" for line in deciding)
    return "better" if any(line.verdict == "better" for line in deciding) else "not worse", told


def _notes(base: Run, head: Run, matched: Matched) -> list[str]:
    notes = []
    moved = [flip for flip in matched.flips if flip.same_content]
    if base.judge_id == head.judge_id and moved and max(base.samples, head.samples) == 1:
        notes.append(
            f"one judge_id gave other answers on {len(moved)} items: what moved them is not in its fingerprint"
        )
    elsewhere = sum(not flip.place.decides for flip in matched.flips)
    if elsewhere:
        notes.append(f"{elsewhere} verdicts flipped outside the items that decide")
    for count, what in (
        (matched.only_base, "items are gone"),
        (matched.only_head, "items are new, and not compared"),
        (matched.other_content, "items have another content, and are not compared"),
        (matched.other_label, "items have another label: the head's labels are used"),
    ):
        if count:
            notes.append(f"{count} {what}")
    return notes
