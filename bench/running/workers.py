"""Run calls side by side, a bounded number at once, and give up on one that does not come back.

Threads are daemons: a call that hangs for good holds up neither the run nor the end of the program.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
_GRACE = 5.0  # seconds past its deadline before a try counts as lost
_WATCH = 0.25  # seconds between looks for lost tries


class Lost(Exception):
    """The call did not come back in its time."""


@dataclass
class Slot:
    """What one worker is doing; ``began`` is set while a try is under way."""

    began: float | None = None

    def start(self) -> None:
        self.began = time.monotonic()

    def end(self) -> None:
        self.began = None


@dataclass(eq=False)
class _Job(Generic[Task]):
    task: Task
    slot: Slot = field(default_factory=Slot)


class Crew(Generic[Task, Result]):
    """Workers for one judge. ``work`` gets a task and the slot in which it says when a try begins and ends."""

    def __init__(self, work: Callable[[Task, Slot], Result], places: int, seconds: float) -> None:
        self._work = work
        self._seconds = seconds
        self._todo: queue.SimpleQueue[_Job[Task] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[_Job[Task], Result | BaseException]] = queue.SimpleQueue()
        self._flying: dict[int, _Job[Task]] = {}
        self.places = places
        # A few tasks wait ahead, so that a worker that is done need not wait until the run has stored what it brought.
        self._room = places + (places + 3) // 4 if places > 1 else 1
        self._threads = 0

    @property
    def flying(self) -> int:
        return len(self._flying)

    def send(self, task: Task) -> None:
        """Hand a task to the workers."""
        if self._threads < self.places:
            self._hire()
        job = _Job(task)
        self._flying[id(job)] = job
        self._todo.put(job)

    def results(self, *, until_free: bool) -> Iterator[list[tuple[Task, Result | BaseException]]]:
        """Finished tasks, as many as there are at once; waits until there is room for another task (or, without
        ``until_free``, until none is under way)."""
        while not self._done.empty() or (self._flying and (not until_free or len(self._flying) >= self._room)):
            finished = self._collect(_WATCH)
            while not self._done.empty():
                finished += self._collect(0.0)
            yield finished

    def salvage(self, seconds: float) -> Iterator[list[tuple[Task, Result | BaseException]]]:
        """What still finishes within so many seconds; the rest is left behind."""
        end = time.monotonic() + seconds
        while self._flying and time.monotonic() < end:
            yield self._collect(max(0.0, min(_WATCH, end - time.monotonic())))

    def dismiss(self) -> None:
        for _ in range(self._threads):
            self._todo.put(None)

    def _collect(self, wait: float) -> list[tuple[Task, Result | BaseException]]:
        try:
            job, result = self._done.get(timeout=wait)
        except queue.Empty:
            return list(self._give_up_lost())
        came_late = self._flying.pop(id(job), None) is None  # it had been given up before
        return [] if came_late else [(job.task, result)]

    def _give_up_lost(self) -> Iterator[tuple[Task, Result | BaseException]]:
        now = time.monotonic()
        for key, job in list(self._flying.items()):
            began = job.slot.began
            if began is not None and now - began > self._seconds + _GRACE:
                del self._flying[key]
                self._hire()  # its worker is stuck; another takes the place
                yield job.task, Lost(f"no reply in {self._seconds:g} seconds")

    def _hire(self) -> None:
        self._threads += 1
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while (job := self._todo.get()) is not None:
            try:
                result: Result | BaseException = self._work(job.task, job.slot)
            except BaseException as error:  # handed to the run, which knows what it means
                result = error
            job.slot.end()
            self._done.put((job, result))
