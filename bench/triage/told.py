"""What a draw and its estimates mean, in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, rounded
from bench.terminal.words import counted
from bench.triage.answers import Answered
from bench.triage.files import Triage
from bench.triage.pool import Pool


def drawn_lines(pool: Pool, triage: Triage) -> Iterator[str]:
    """How much was drawn, by what. No session is named here, and no verdict."""
    head = triage.head
    by = Counter[str](name for pick in triage.picks for name in pick.components)
    twice = sum(len(pick.components) > 1 for pick in triage.picks)
    both = f" ({twice} by two or more)" if twice else ""
    parts = ", ".join(f"{by[name]} by {name}" for name in ("random", "disagreement", "uncertainty"))
    yield f"{len(triage.picks)} of {counted(head.units, 'session')} drawn ({head.expected:.1f} expected): {parts}{both}"
    for name, why in _without(triage):
        yield f"nothing is drawn by {name}: {why}"
    for text in pool.passed_over:
        yield f"left out: {text}"


def _without(triage: Triage) -> Iterator[tuple[str, str]]:
    """The components that had nothing to go by, and why."""
    reasons = {"disagreement": "no two judges differ on a session", "uncertainty": "no judge gives a probability"}
    for name, why in reasons.items():
        if name in triage.head.idle:
            yield name, why


def sentence(found: Answered, statement: str) -> str:
    """The answer, or why there is none."""
    share = found.prevalence
    if share.value is None or share.low is None or share.high is None:
        return f"How often {statement} holds in the pool cannot be said: {share.undefined}."
    bare = "" if found.labelled_share is None else (
        f"; among the {found.labelled} labelled ones alone it is {rounded(found.labelled_share)}, which says what was "
        "chosen"
    )  # fmt: skip
    few = " (few labels: the interval is what counts)" if share.too_few else ""
    return (
        f"{statement} holds in about {rounded(share.value)} of the {counted(found.units, 'session')}, at "
        f"{LEVEL * 100:.4g} % between {rounded(share.low)} and {rounded(share.high)}{few}{bare}."
    )


def estimates(found: Answered) -> list[tuple[str, Estimate]]:
    """Every estimate with the judge it is of, empty for the pool's own, in the table's order."""
    own = [("", found.prevalence), ("", found.horvitz_thompson), ("", found.random_only)]
    return own + [(one.judge, e) for one in found.judges for e in (one.precision, one.recall)]


def remarks(found: Answered) -> Iterator[str]:
    """What a reader must know beside the figures."""
    yield (
        f"{counted(found.picks, 'pick')} = {found.labelled} labelled yes or no + {found.unclear} unclear + "
        f"{found.missing} without a label; {found.random_labels} labels are of the random part"
    )
    if found.ends is not None:
        low, high = map(rounded, found.ends)
        yield (
            f"picks without a clear label are taken to be like the others; if all of them were no the share would be {low}, "
            f"if all were yes {high}"
        )
    for one in found.judges:
        unscored = f", and has no answer on {one.unscored}" if one.unscored else ""
        yield f"{one.judge} says yes to {one.said_yes} of {counted(one.said_yes + one.said_no, 'session')} of the pool{unscored}"
    yield (
        "the figures are of the pool that was drawn from and of no other; no weight is a guess: each is one over the "
        "chance that the draw gave the session"
    )
