"""What makes a session worth a label: judges that differ, and answers close to where a decision turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What one judge said of one session: yes, no or nothing, and its probability of yes where it gives one."""

    yes: bool | None
    p: float | None = None


def disagreement(said: Mapping[str, Said]) -> float:
    """How far the judges are from being of one mind.

    Formula: 4 q (1 - q), q the share of yes among the judges that answered. Range 0 (all say the same) to 1 (half say
    yes). 0 where fewer than two answered: nobody differs there. Reference: vote entropy of Dagan and Engelson 1995,
    ICML, with the Gini index for the entropy. Easily confused with a judge's own flip rate.
    """
    answers = [one.yes for one in said.values() if one.yes is not None]
    if len(answers) < 2:
        return 0.0
    q = sum(answers) / len(answers)
    return 4 * q * (1 - q)


def uncertainty(said: Mapping[str, Said], thresholds: Sequence[float]) -> float:
    """How close the judges' probabilities lie to the nearest threshold.

    Formula: the mean over judges that give a probability of 1 - |p - t| / (t if p < t, else 1 - t), t the threshold that
    makes it largest. Range 0 (at the end of the scale) to 1 (at a threshold). 0 where no judge gives a probability.
    Reference: uncertainty sampling of Lewis and Gale 1994, SIGIR. Easily confused with a calibrated chance of an error.
    """
    stated = [one.p for one in said.values() if one.p is not None]
    if not stated:
        return 0.0
    return sum(max(_closeness(p, t) for t in thresholds) for p in stated) / len(stated)


def _closeness(p: float, threshold: float) -> float:
    room = threshold if p < threshold else 1 - threshold
    return 1.0 if p == threshold else 1 - abs(p - threshold) / room
