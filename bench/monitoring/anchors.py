"""Anchors: items of calibration, asked again. They show whether the judge itself changed, whatever the world does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

from bench.deciding.certificate import Anchor, Certificate
from bench.measure.estimate import Estimate
from bench.measure.proportions import Share, korn_graubard
from bench.measure.repeatability import AA_LEVEL
from bench.monitoring.answers import Answered, Line, Lines
from bench.monitoring.rates import rate_shift
from bench.problems import BrokenInput, Problem

SAME_NUMBER = 1e-5  # probabilities that differ by less are the same: another machine's last digits
_LEVEL = 0.95
AnchorVerdict = Literal["same", "changed", "cannot tell"]
Flips = tuple[int, int]


@dataclass(frozen=True)
class AnchorCheck:
    """What the re-judged anchors say. ``changed`` of ``compared`` have another answer (or, held to repeat, another p)."""

    verdict: AnchorVerdict
    reason: str
    anchors: int
    compared: int
    unscored: int
    missing: int
    changed: int
    share: Estimate | None
    excess: Estimate | None  # over the flip rate at certification
    p_value: float | None
    largest_move: float | None
    mean_move: float | None


def check_anchors(anchors: Sequence[Anchor], now: Mapping[str, Answered], flips: Flips | None) -> AnchorCheck:
    """Whether the judge answers its anchors as it did at certification.

    ``now`` holds the present answers by item. ``flips`` is (pairs of samples that differed, pairs) at
    certification; None is a judge that is held to repeat itself, for which any other answer or probability is a change.
    With flips: Fisher's exact one-sided test at .01 that anchors change more often than samples flip. Undefined
    ("cannot tell") where no anchor is answered on both sides. An anchor that is unscored now is counted apart, and no
    change. Reference: Fisher 1935, The Design of Experiments. Easily confused with accuracy: a judge may change and be
    as good, but what was certified is the judge that was.
    """
    asked = [anchor for anchor in anchors if anchor.answer is not None]
    pairs = [(a, now[a.item]) for a in asked if a.item in now]
    both = [(anchor, answered) for anchor, answered in pairs if answered.answer is not None]
    moves = [abs(answered.p - anchor.p) for anchor, answered in both if anchor.p is not None and answered.p is not None]
    changed = sum(_differs(anchor, answered, held_to_repeat=flips is None) for anchor, answered in both)
    n = len(both)
    share = _share(changed, n) if n else None
    excess = rate_shift("changed - flipped at certification", flips, (changed, n)) if flips and n else None
    p_value = None if flips is None or n == 0 else more_often((changed, n), flips)
    verdict, reason = _verdict(changed, n, flips, p_value, moves)
    return AnchorCheck(
        verdict, reason, len(anchors), n, len(pairs) - n, len(asked) - len(pairs), changed, share, excess, p_value,
        max(moves, default=None), math.fsum(moves) / len(moves) if moves else None,
    )  # fmt: skip


def read_anchors(path: Path, certificate: Certificate) -> dict[str, Answered]:
    """The newest answer on each anchor that a file holds: the first sample, as anchors are. Raises BrokenInput."""
    wanted = {anchor.item for anchor in certificate.anchors}
    newest: dict[str, Line] = {}
    for _, line in Lines(path, certificate.judge.id, certificate.seal):
        if line.item in wanted and (line.item not in newest or line.sample <= newest[line.item].sample):
            newest[line.item] = line
    if not newest:
        fix = "give the stored verdicts of the certificate's anchors, asked again" if wanted else "leave --anchors out"
        found = f"no line is about one of the certificate's {len(wanted)} anchors"
        raise BrokenInput([Problem(path.as_posix(), None, None, "item", found, fix)])
    return {item: Answered(line.answer, line.p) for item, line in newest.items()}


def more_often(now: tuple[int, int], before: tuple[int, int]) -> float:
    """The exact one-sided p-value that hits come more often now than before, (hits, of how many) each.

    Formula: P(X >= hits now) for X hypergeometric, given the hits of both together. Range 0 to 1, small says more
    often; 1 without any hit. Reference: Fisher 1935. Easily confused with the two-sided test.
    """
    (hits, of), (old_hits, old_of) = now, before
    together, everything = hits + old_hits, of + old_of
    ways = sum(math.comb(of, k) * math.comb(old_of, together - k) for k in range(hits, min(of, together) + 1))
    return float(Fraction(ways, math.comb(everything, together)))


def _differs(anchor: Anchor, now: Answered, *, held_to_repeat: bool) -> bool:
    if anchor.answer != now.answer:
        return True
    both = anchor.p is not None and now.p is not None
    return held_to_repeat and both and abs((anchor.p or 0.0) - (now.p or 0.0)) > SAME_NUMBER


def _verdict(
    changed: int, n: int, flips: Flips | None, p_value: float | None, moves: Sequence[float]
) -> tuple[AnchorVerdict, str]:
    if n == 0:
        return "cannot tell", "no anchor is answered both then and now"
    told = f"{changed} of {n} anchors are answered otherwise"
    if flips is None or p_value is None:
        if not changed:
            return "same", f"{n} of {n} anchors are answered as at certification"
        moved = f", probabilities by up to {max(moves):.2g}" if moves else ""
        return "changed", f"{told}{moved}; this judge is held to repeat itself"
    rate = f"at certification {flips[0]} of {flips[1]} pairs of samples flipped, exact p = {p_value:.2g}"
    return ("changed" if p_value <= AA_LEVEL else "same"), f"{told}; {rate}"


def _share(changed: int, n: int) -> Estimate:
    found = Share(changed / n, n, n, n - 1, 0.0, n, min(changed, n - changed))
    low, high = korn_graubard(found, _LEVEL)
    return Estimate("anchors changed", changed / n, low, high, "Clopper-Pearson", n, numerator=changed, denominator=n)
