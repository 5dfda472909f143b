"""From pairs of answers to rates: how often a judge broke what a probe expects, among the sessions where it could."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bench.measure.counts import count_families
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import intervals
from bench.measure.means import mean_interval
from bench.measure.metrics import METRICS
from bench.measure.repeatability import flip_rate
from bench.probing.asking import Pair, Said
from bench.schema.probe import Expect, Probe

Fate = Literal[
    "kept", "violation", "outside", "unscored_before", "unscored_after", "silent", "not_shown", "not_applicable"
]
_SILENCE = ("abstained", "not_applicable")


@dataclass(frozen=True)
class Figures:
    """What one judge did under one probe on one statement. The books balance: sessions = the sum of ``fates``.

    ``rate`` is the share of violations among ``base`` sessions, those where the judge could violate; ``moved`` is the mean
    size of the change of P(yes), for judges that give one, over all pairs that are scored twice.
    """

    probe: Probe
    judge: str
    statement: str
    fates: Mapping[Fate, int]
    rate: Estimate
    to_yes: int
    to_no: int
    moved: Estimate
    cut: int = 0  # of base: the judge itself cut what it was shown, and so may not have seen the change

    @property
    def sessions(self) -> int:
        return sum(self.fates.values())

    @property
    def base(self) -> int:
        return self.fates.get("kept", 0) + self.fates.get("violation", 0)

    @property
    def violations(self) -> int:
        return self.fates.get("violation", 0)

    @property
    def applicable(self) -> int:
        return self.sessions - self.fates.get("not_applicable", 0)


def fate(pair: Pair) -> Fate:
    """What became of a pair. ``outside``: the first answer was one from which the probe asks nothing."""
    if not pair.applies:
        return "not_applicable"
    if not pair.shown:
        return "not_shown"
    if pair.before.answer is None:
        return "unscored_before"
    expect = pair.probe.expect
    starts = _STARTS[expect]
    if starts is not None and pair.before.answer != starts:
        return "outside"
    if pair.after.answer is None:
        silent = pair.after.unscored in _SILENCE
        if silent and expect == "abstains_or_falls":
            return "kept"
        return "silent" if silent else "unscored_after"
    wanted = _changes_wanted(expect)
    return "kept" if (pair.after.answer != pair.before.answer) == wanted else "violation"


_STARTS: dict[Expect, str | None] = {"same": None, "falls": "yes", "abstains_or_falls": "yes", "not_rises": "no"}


def _changes_wanted(expect: Expect) -> bool:
    return expect in ("falls", "abstains_or_falls")


def measure(pairs: Iterable[Pair], seed: int) -> list[Figures]:
    """Figures of every probe, judge and statement, in the order in which they first come."""
    groups: dict[tuple[str, str, str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair.probe.id, pair.statement, pair.judge), []).append(pair)
    return [_figures(group, seed) for group in groups.values()]


def _figures(pairs: Sequence[Pair], seed: int) -> Figures:
    fates = [fate(pair) for pair in pairs]
    could = [(pair, found) for pair, found in zip(pairs, fates, strict=True) if found in ("kept", "violation")]
    shown = [pair for pair in pairs if pair.shown]
    first = pairs[0]
    return Figures(
        first.probe,
        first.judge,
        first.statement,
        Counter(fates),
        violation_rate([found == "violation" for _, found in could], [p.family for p, _ in could], _why_none(first)),
        sum((p.before.answer, p.after.answer) == ("no", "yes") for p in shown),
        sum((p.before.answer, p.after.answer) == ("yes", "no") for p in shown),
        _moved(shown, seed),
        sum(pair.after.cut for pair, _ in could),
    )


def violation_rate(hits: Sequence[bool], families: Sequence[str], why_none: str) -> Estimate:
    """How often a judge broke what a probe expects, among the sessions where it could.

    Formula: violations / sessions whose answer before the change is one that the probe asks something of, both askings
    scored. Range 0 to 1, low is good. Undefined without such a session: a judge that never says yes cannot fail to fall.
    Families are the unit. Reference: Ribeiro et al. 2020, ACL (failure rates of invariance and directional tests). Easily
    confused with an error rate: no label is looked at, and a judge that is always wrong may break nothing.
    """
    if not hits:
        return undefined_estimate("violations", why_none)
    counted = count_families(np.array(hits, dtype=bool), np.ones(len(hits), dtype=bool), families)
    return replace(intervals([METRICS["accuracy"]], counted, 0)[0], name="violations")


def _why_none(pair: Pair) -> str:
    starts = _STARTS[pair.probe.expect]
    return "0 pairs scored" if starts is None else f"0 scored pairs that start at {starts}"


def _moved(pairs: Sequence[Pair], seed: int) -> Estimate:
    both = [(abs(p.after.p - p.before.p), p.family) for p in pairs if p.before.p is not None and p.after.p is not None]
    if not both:
        return undefined_estimate("mean |dp|", "no probability given twice")
    return mean_interval("mean |dp|", [min(d, 1.0) for d, _ in both], [family for _, family in both], seed)


def noise(samples: Iterable[tuple[Sequence[Said], str]], seed: int) -> Estimate:
    """How often a judge contradicts itself on the unchanged session, asked again: what a rate under ``same`` stands beside."""
    counted = [
        (sum(s.answer == "yes" for s in said), sum(s.answer is not None for s in said), family)
        for said, family in samples
    ]
    yes, size, families = ([one[i] for one in counted] for i in range(3))
    return flip_rate(np.array(yes, dtype=np.int64), np.array(size, dtype=np.int64), np.array(families), seed)
