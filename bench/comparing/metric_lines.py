"""The metrics of a head against its base on the items both scored: the difference of each, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bench.comparing.config import Config, Guarded
from bench.measure.compare import difference
from bench.measure.counts import FamilyVectors, count_families, count_joint
from bench.measure.declared import Decided, Declared, decide_claims
from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, rounded, undefined_estimate
from bench.measure.intervals import interval
from bench.measure.metrics import METRICS
from bench.measure.rows import Row

Pairs = Sequence[tuple[Row, Row]]  # base, head
Verdict = Literal["no change", "better", "not worse", "worse", "cannot tell"]
Role = Literal["objective", "must not regress", "negotiable"]
GAP = "head - base"


@dataclass(frozen=True)
class Chance:
    """The randomness of intervals."""

    seed: int
    resamples: int


@dataclass(frozen=True)
class MetricLine:
    """One metric: both values and their difference on the same items; ``level`` is the difference's, after Holm."""

    metric: str
    role: Role
    margin: float | None
    verdict: Verdict
    reason: str
    base: Estimate
    head: Estimate
    gap: Estimate
    level: float

    @property
    def decides(self) -> bool:
        return self.role != "negotiable"


def identical(common: Pairs) -> bool:
    """Whether there are verdicts, and each item has the same one (or none) on both sides."""
    return any(row.answer is not None for _, row in common) and all(a.answer == b.answer for a, b in common)


def scored_by_both(common: Pairs) -> list[tuple[Row, Row]]:
    """The pairs that a difference rests on: answered yes or no on both sides, and labelled."""
    return [(a, b) for a, b in common if b.label.answer in ("yes", "no") and None not in (a.answer, b.answer)]


def why_nothing(common: Pairs) -> str | None:
    """Why no metric can be told on these items, or None."""
    scored = scored_by_both(common)
    if not common:
        return "no item stands on both sides"
    if not scored:
        unlabelled = sum(b.label.answer is None for _, b in common)
        return f"no item is scored on both sides and labelled ({len(common)} items, {unlabelled} without a label)"
    classes = {b.label.answer for _, b in scored}
    return f"every label is {classes.pop()}" if len(classes) == 1 else None


def metric_lines(config: Config, common: Pairs, chance: Chance) -> tuple[MetricLine, ...]:
    """Every metric of the config. Those that decide are decided together (Holm, at 95 %), the others one by one."""
    roles: list[tuple[str, Role, float | None]] = [
        (config.objective.metric, "objective", config.objective.margin),
        *((entry.metric, "must not regress", entry.margin) for entry in config.must_not_regress),
        *((entry.metric, "negotiable", None) for entry in config.negotiable),
    ]  # fmt: skip
    pairs = scored_by_both(common)
    joint = joint_of(pairs) if pairs else None
    decided = _decided(config.deciding, joint, chance)
    found = []
    for name, role, margin in roles:
        told = decided.get(name)
        gap = told.gap if told else _gap(name, joint, chance)
        level = told.level if told else LEVEL
        base, head = (_value(name, [pair[side] for pair in pairs], chance) for side in (0, 1))
        line = MetricLine(name, role, margin, "cannot tell", "", base, head, named(gap), level)
        verdict, reason = _verdict(line, common)
        found.append(replace(line, verdict=verdict, reason=reason))
    return tuple(found)


def _decided(claims: Sequence[Guarded], joint: FamilyVectors | None, chance: Chance) -> Mapping[str, Decided]:
    if joint is None:
        return {}
    declared: dict[str, tuple[Declared, FamilyVectors]] = {
        c.metric: (Declared(METRICS[c.metric], "not worse by more than", c.margin), joint) for c in claims
    }
    return decide_claims(declared, chance.seed, chance.resamples)


def _gap(name: str, joint: FamilyVectors | None, chance: Chance) -> Estimate:
    if joint is None:
        return undefined_estimate(GAP, "no item is scored on both sides and labelled")
    return difference(METRICS[name], joint, chance.seed, chance.resamples)


def named(gap: Estimate) -> Estimate:
    """The difference in this command's words: A is the head, B the base."""
    undefined = gap.undefined and gap.undefined.replace("judge A", "head").replace("judge B", "base")
    return replace(gap, name=GAP, undefined=undefined)


def _value(name: str, rows: Sequence[Row], chance: Chance) -> Estimate:
    if not rows:
        return undefined_estimate(name, "0 items")
    return interval(METRICS[name], families_of(rows), chance.seed, chance.resamples)


def families_of(rows: Sequence[Row]) -> FamilyVectors:
    """Counts of rows that are labelled and answered yes or no."""
    yes, said = (np.array([value == "yes" for value in column], dtype=bool) for column in _columns(rows))
    return count_families(yes, said, [row.family for row in rows])


def _columns(rows: Sequence[Row]) -> tuple[list[str | None], list[str | None]]:
    return [row.label.answer for row in rows], [row.answer for row in rows]


def joint_of(pairs: Pairs) -> FamilyVectors:
    """Counts over label x head x base; the head's label and family hold."""
    return count_joint(
        np.array([b.label.answer == "yes" for _, b in pairs], dtype=bool),
        np.array([b.answer == "yes" for _, b in pairs], dtype=bool),
        np.array([a.answer == "yes" for a, _ in pairs], dtype=bool),
        [b.family for _, b in pairs],
    )


def _verdict(line: MetricLine, common: Pairs) -> tuple[Verdict, str]:
    if identical(common):
        return "no change", "every verdict is the same"
    nothing = why_nothing(common)
    gap = line.gap
    if nothing is not None:
        return "cannot tell", nothing
    if gap.value is None or gap.low is None or gap.high is None:
        return "cannot tell", gap.undefined or "no interval"
    span = f"{rounded(gap.value)} [{rounded(gap.low)}, {rounded(gap.high)}]"
    if gap.too_few:
        return "cannot tell", f"{span}, too few items or families to tell"
    verdict = _by_interval(gap.low, gap.high, line.margin)
    beside = "" if line.margin is None else f", the margin {line.margin:g}"
    if verdict in ("better", "not worse") and line.margin is not None:
        worst = _if_the_lost_were_wrong(line.metric, common)
        if worst is not None and worst <= -line.margin:
            lost = len(_lost(common))
            return (
                "cannot tell",
                f"{span}{beside}; with the {lost} lost verdicts all wrong it would be {rounded(worst)}",
            )
    return verdict, f"{span}{beside}"


def _by_interval(low: float, high: float, margin: float | None) -> Verdict:
    if low > 0:
        return "better"
    if margin is not None and low > -margin:
        return "not worse"
    return "worse" if high < 0 else "cannot tell"


def _lost(common: Pairs) -> list[tuple[Row, Row]]:
    return [(a, b) for a, b in common if b.answer is None and a.answer in ("yes", "no") and b.label.answer is not None]


def _if_the_lost_were_wrong(name: str, common: Pairs) -> float | None:
    """The difference, had the head answered wrongly each item that it left unscored and the base did not."""
    if not (lost := _lost(common)):
        return None
    wrong = [(a, replace(b, answer="no" if b.label.answer == "yes" else "yes")) for a, b in lost]
    pairs = scored_by_both([*common, *wrong])
    sides = ([_labelled_as(b, a) for a, b in pairs], [b for _, b in pairs])
    totals = [families_of(side).totals() for side in sides]
    if any(METRICS[name].why_undefined(counts) is not None for counts in totals):
        return None
    base, head = (float(METRICS[name].values(counts)) for counts in totals)
    return head - base


def _labelled_as(head: Row, base: Row) -> Row:
    return replace(base, label=head.label, family=head.family)
