"""Imported sessions as attempts at tasks: what pass@k and pass^k count.

An attempt that the record calls broken, or that carries no reward, is unscored with the reason, and is neither a success
nor a failure. Sessions may come as a stream: only their rewards are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bench.problems import shorten
from bench.traces.report import Recorded, Session
from bench.traces.rewards import reward_of

_TOLERANCE = 1e-6  # of a reward that counts as 1, as tau-bench has it
_SCORERS = frozenset({"environment", "scorer"})


@dataclass(frozen=True)
class Attempt:
    """One session as an attempt at its task; without a reward there is a reason."""

    trial: int | None
    reward: float | None
    reason: str | None = None


@dataclass(frozen=True)
class TaskAttempts:
    """Every attempt at one task, in the order of the trials, those without a trial last."""

    task: str
    attempts: tuple[Attempt, ...]

    @property
    def scored(self) -> int:
        return sum(attempt.reward is not None for attempt in self.attempts)

    def successes(self, at_least: float = 1.0) -> int:
        """The scored attempts whose reward reaches the bar."""
        bar = at_least - _TOLERANCE
        return sum(attempt.reward is not None and attempt.reward >= bar for attempt in self.attempts)


@dataclass(frozen=True)
class Grouped:
    """The tasks by name, and how many sessions name no task."""

    reward: str | None  # the label that was read; none where no session carries any
    tasks: tuple[TaskAttempts, ...]
    without_task: int

    @property
    def unscored(self) -> Counter[str]:
        """Why attempts have no reward, with counts."""
        attempts = [attempt for task in self.tasks for attempt in task.attempts]
        return Counter(attempt.reason for attempt in attempts if attempt.reason is not None)


@dataclass(frozen=True)
class _Kept:
    """What grouping needs of a session."""

    task: str
    trial: int | None
    recorded: tuple[Recorded, ...]
    partial: str | None


def group_attempts(sessions: Iterable[Session], reward: str | None = None, trust_broken: bool = False) -> Grouped:
    """Group sessions by task, with the answers under one recorded name as rewards.

    Without a name there must be only one that an environment or a scorer gave. ``trust_broken`` takes the reward of a run
    that ended in an error as it is recorded, as tau-bench's own figures do (there it is 0). ValueError: several names to
    choose from, or one trial of a task twice, which would count an attempt twice.
    """
    kept, without_task = [], 0
    for session in sessions:
        if session.task is None:
            without_task += 1
        else:
            kept.append(_Kept(session.task, session.trial, session.recorded, session.partial))
    name = reward if reward is not None else _only_name(kept)
    _refuse_repeats(kept)
    tasks: dict[str, list[Attempt]] = {}
    for one in kept:
        tasks.setdefault(one.task, []).append(_attempt(one, name, trust_broken))
    grouped = (TaskAttempts(task, tuple(sorted(tasks[task], key=_place))) for task in sorted(tasks))
    return Grouped(name, tuple(grouped), without_task)


def _only_name(sessions: list[_Kept]) -> str | None:
    names = sorted({label.name for session in sessions for label in session.recorded if label.by in _SCORERS})
    if len(names) > 1:
        raise ValueError(
            f"the sessions carry {len(names)} rewards, name one of: {', '.join(shorten(name, 60) for name in names)}"
        )
    return names[0] if names else None


def _refuse_repeats(sessions: list[_Kept]) -> None:
    counts = Counter((session.task, session.trial) for session in sessions if session.trial is not None)
    repeated = sorted((task, trial) for (task, trial), count in counts.items() if count > 1)
    if repeated:
        first = ", ".join(f"trial {trial} of task {shorten(task, 60)}" for task, trial in repeated[:5])
        raise ValueError(f"{len(repeated)} attempts are there more than once ({first}): give one run, each file once")


def _attempt(session: _Kept, name: str | None, trust_broken: bool) -> Attempt:
    if session.partial is not None and not trust_broken:
        return Attempt(session.trial, None, session.partial)
    answers = [label.answer for label in session.recorded if label.name == name]
    if len(answers) != 1:
        found = "no" if not answers else f"{len(answers)} answers under the name"
        return Attempt(session.trial, None, f"{found} {name or 'reward'}")
    value = reward_of(answers[0])
    return Attempt(
        session.trial, value, None if value is not None else f"the {name} {shorten(answers[0], 40)} is no number"
    )


def _place(attempt: Attempt) -> tuple[bool, int]:
    return attempt.trial is None, attempt.trial or 0
