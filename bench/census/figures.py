"""From counts to shares with intervals: the session is the unit, since what happens within one hangs together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.census.count import Counted, merged
from bench.measure.counts import count_families
from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import proportion_interval
from bench.measure.proportions import share_of

EXIT_SOURCES = ("structured", "text", "implied", "none")
LENGTHS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True)
class HarnessFigures:
    """What the sessions of one harness hold. Shares carry their interval over sessions; counts stand beside them."""

    harness: str
    sessions: int
    events: int
    calls: int
    commands: int
    prompts: int
    exit_codes: dict[str, Estimate]  # of commands, by source
    outcomes: dict[str, Estimate]  # of calls
    typed: Estimate  # of prompts: typed by a person
    origins: dict[str, int]
    approvals: dict[str, int]
    with_refusal: Estimate  # of sessions
    with_interrupt: Estimate
    with_compaction: Estimate
    with_threads: Estimate  # more than one thread
    over_80: Estimate  # sessions of more than 80 events
    lengths: dict[str, int]  # quantiles of events a session
    rules: dict[str, Estimate]  # of sessions: the rule fires
    unscored: dict[str, dict[str, int]]  # by rule and reason


def figures(counted: Iterable[Counted]) -> tuple[HarnessFigures, ...]:
    """One for each harness, by name."""
    return tuple(_of(harness, sessions) for harness, sessions in merged(counted))


def _of(harness: str, sessions: Sequence[Counted]) -> HarnessFigures:
    origins = sum((one.prompts for one in sessions), Counter())
    outcomes = sorted({name for one in sessions for name in one.outcomes})
    return HarnessFigures(
        harness=harness,
        sessions=len(sessions),
        events=sum(one.events for one in sessions),
        calls=sum(one.calls for one in sessions),
        commands=sum(one.commands.total() for one in sessions),
        prompts=origins.total(),
        exit_codes={
            name: _share(f"exit {name}", [(one.commands[name], one.commands.total()) for one in sessions], "commands")
            for name in EXIT_SOURCES
        },
        outcomes={
            name: _share(name, [(one.outcomes[name], one.outcomes.total()) for one in sessions], "calls")
            for name in outcomes
        },
        typed=_share("typed", [(one.prompts["human"], one.prompts.total()) for one in sessions], "prompts"),
        origins=dict(sorted(origins.items())),
        approvals=dict(sorted(sum((one.approvals for one in sessions), Counter()).items())),
        with_refusal=_of_sessions(
            "refusal", sessions, lambda one: any(key.startswith("denied") for key in one.approvals)
        ),
        with_interrupt=_of_sessions("interrupt", sessions, lambda one: one.interrupts > 0),
        with_compaction=_of_sessions("compaction", sessions, lambda one: one.compactions > 0),
        with_threads=_of_sessions("threads", sessions, lambda one: one.threads > 1),
        over_80=_of_sessions("over 80 events", sessions, lambda one: one.events > 80),
        lengths=_lengths([one.events for one in sessions]),
        rules=dict(_rules(sessions)),
        unscored=_unscored(sessions),
    )


def _of_sessions(name: str, sessions: Sequence[Counted], holds: Callable[[Counted], bool]) -> Estimate:
    return _share(name, [(int(holds(one)), 1) for one in sessions], "sessions")


def _rules(sessions: Sequence[Counted]) -> Iterable[tuple[str, Estimate]]:
    names = dict.fromkeys(name for one in sessions for name, _ in one.rules)
    for name in names:
        told = [answer for one in sessions for rule, answer in one.rules if rule == name and answer in ("yes", "no")]
        yield name, _share(name, [(int(answer == "yes"), 1) for answer in told], "sessions it can be asked about")


def _unscored(sessions: Sequence[Counted]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for one in sessions:
        for rule, answer in one.rules:
            if answer not in ("yes", "no"):
                found.setdefault(rule, Counter())[answer] += 1
    return {rule: dict(sorted(reasons.items())) for rule, reasons in sorted(found.items())}


def _share(name: str, pairs: Sequence[tuple[int, int]], what: str) -> Estimate:
    """The share of hits among all, with sessions as families. Undefined without any."""
    total = sum(size for _, size in pairs)
    if total == 0:
        return undefined_estimate(name, f"0 {what}")
    hit = np.repeat(np.tile([True, False], len(pairs)), np.array([(h, n - h) for h, n in pairs]).reshape(-1))
    session = np.repeat(np.repeat(np.arange(len(pairs)), 2), np.array([(h, n - h) for h, n in pairs]).reshape(-1))
    counted = count_families(hit, np.ones(total, dtype=bool), session)
    share = share_of(counted, (0,), (0, 1))
    method, (low, high), note = proportion_interval(share, twins=False, level=LEVEL)
    hits = sum(h for h, _ in pairs)
    return Estimate(name, hits / total, low, high, method, share.families, note, numerator=hits, denominator=total)


def _lengths(events: Sequence[int]) -> dict[str, int]:
    if not events:
        return {}
    names = ("least", "quarter", "median", "three quarters", "nine tenths", "most")
    found = np.quantile(np.array(events), LENGTHS, method="inverted_cdf")
    return {name: int(value) for name, value in zip(names, found, strict=True)}
