"""Which attempts an annotator votes on, in which order, and what is still open there."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.cases.load import AnyStatement, LoadedCase, LoadedSuite
from bench.labelling.hand import Hand
from bench.labels.checks import CHECKS, read_drawn
from bench.labels.load import read_pilot
from bench.problems import BrokenInput, Problem
from bench.schema.case import Attempt


def cases_meant(suite: LoadedSuite, named: Sequence[str], *, check: bool, pilot: bool) -> frozenset[str]:
    """The ids of the cases that are meant; empty means all. Raises BrokenInput for a case that is not to be had."""
    unknown = sorted(set(named) - {loaded.case.id for loaded in suite.cases})
    if unknown:
        fix = "name cases of the suite, or leave --case out"
        raise BrokenInput([Problem("--case", None, None, None, f"no case {name!r}", fix) for name in unknown])
    if check:
        return _drawn(suite, named)
    return _piloted(suite, named) if pilot else frozenset(named)


def _drawn(suite: LoadedSuite, named: Sequence[str]) -> frozenset[str]:
    """The cases to check: those drawn, or those of them that are named."""
    drawn, problems = read_drawn(suite, frozenset())
    place = suite.layout.shown(suite.layout.labels / CHECKS)
    if drawn is None and not problems:
        fix = "draw a fifth of the cases at random, and write the seed, how it was done and the cases there"
        problems = [Problem(place, None, None, None, "no such file, and third votes go to drawn cases only", fix)]
    for case in sorted(set(named) - set(drawn or ()) if not problems else ()):
        fix = "check a case that was drawn: a choice by hand stands for nothing but itself"
        problems.append(Problem("--case", None, None, None, f"case {case!r} is not in {place}", fix))
    if problems:
        raise BrokenInput(problems)
    return frozenset(named) or frozenset(drawn or ())


def _piloted(suite: LoadedSuite, named: Sequence[str]) -> frozenset[str]:
    """The cases of the pilot: those named, or else those that have a pilot vote; where nothing has one, all."""
    labels, problems = read_pilot(suite)
    if problems:
        raise BrokenInput(problems)
    return frozenset(named) or frozenset(case for case, _, _ in labels.votes)


def order_of(suite: LoadedSuite, annotator: str, cases: frozenset[str]) -> list[tuple[LoadedCase, Attempt]]:
    """A random order of the annotator's own, the same each time, so that neighbours in the files are no neighbours here."""
    wanted = [(c, a) for c, a in suite.attempts() if not cases or c.case.id in cases]
    random.Random(annotator).shuffle(wanted)
    return wanted


def open_statements(hand: Hand, loaded: LoadedCase, attempt: Attempt) -> list[AnyStatement]:
    """The statements that lack this hand's vote. Raises BrokenInput where the votes there are another hand's."""
    held = hand.held(loaded.case.id)
    if held is not None:
        hand.check_same(held)
    done = {(vote.attempt, vote.statement) for vote in held.votes} if held else set()
    return [s for s in loaded.statements if (attempt.id, s.id) not in done]
