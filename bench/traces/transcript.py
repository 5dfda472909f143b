"""The events of one session while they are gathered: calls meet their results, and every record is accounted for."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from bench.schema.event import Approval, Event, ExitSource
from bench.traces.lines import JsonObject, Line
from bench.traces.report import ImportReport

# The stronger source of an exit code wins, whichever record comes first.
_STRENGTH: dict[ExitSource | None, int] = {None: 0, "none": 1, "implied": 2, "text": 3, "structured": 4}
_DEFAULTS = dict(Event(kind="other"))
_set = object.__setattr__  # events are frozen once they are made


class Result(NamedTuple):
    """What a record says about how a call ended; absent where it does not say."""

    output: str | None = None
    ok: bool | None = None
    exit_code: int | None = None
    exit_source: ExitSource | None = None
    approval: Approval | None = None


@dataclass
class Transcript:
    """Events in the order of the record. A call is answered by later records, at its own position.

    ``events`` holds what was not released yet; positions count all that were ever added.
    """

    events: list[Event] = field(default_factory=list)
    changes: int = 0  # events added or completed so far
    orphan_results: int = 0
    first: int = 0  # position of the first event held
    _positions: dict[str, list[int]] = field(default_factory=dict)
    _unanswered: dict[str, deque[int]] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)  # what a later record may still answer or withdraw
    _withdrawn: set[int] = field(default_factory=set)

    @property
    def end(self) -> int:
        """The position that the next event gets."""
        return self.first + len(self.events)

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.changes += 1

    def add_call(self, event: Event) -> None:
        call, position = event.call, self.end
        if call is not None:
            self._positions.setdefault(call, []).append(position)
            self._unanswered.setdefault(call, deque()).append(position)
            self._open.add(position)
        self.add(event)

    def called(self, call: str | None) -> Event | None:
        """The call that the next result of this id belongs to: ids may repeat, and results come in order."""
        position = self._target(call)
        return None if position is None else self.events[position - self.first]

    def answer(self, call: str | None, result: Result) -> bool:
        """Give the result to its call; false where no call with this id still waits for one."""
        waiting = None if call is None else self._unanswered.get(call)
        if not waiting:
            return False
        position = waiting.popleft()
        self._open.discard(position)
        self._complete(position, result)
        return True

    def amend(self, call: str | None, result: Result) -> bool:
        """Add what a second record tells about a call, answered or not."""
        position = self._target(call)
        if position is None:
            return False
        self._complete(position, result)
        return True

    def add_orphan(self, orphan: Event) -> None:
        self.orphan_results += 1
        self.add(orphan)

    def add_provisional(self, event: Event) -> int:
        """Add what a later record may show to be no event of its own; gives the position to withdraw it by."""
        self._open.add(self.end)
        self.add(event)
        return self.end - 1

    def withdraw(self, position: int) -> bool:
        """Take a provisional event back; false where it was released before."""
        if position < self.first:
            return False
        self._open.discard(position)
        self._withdrawn.add(position)
        return True

    def release(self, settled: int, forced: int) -> list[Event]:
        """Take events from the front: those before ``settled`` that are not open, and those before ``forced`` in any case.

        What is released can be answered no more: a result that comes later is an orphan.
        """
        position = self.first
        stop = min(max(settled, forced), self.end)
        while position < stop and (position < forced or position not in self._open):
            position += 1
        taken, self.events = self.events[: position - self.first], self.events[position - self.first :]
        start, self.first = self.first, position
        for place, event in enumerate(taken, start):
            if event.call is not None:
                self._forget(event.call, place)
        if self._withdrawn or self._open:
            self._open.difference_update(range(start, position))
            taken = [event for place, event in enumerate(taken, start) if place not in self._withdrawn]
            self._withdrawn.difference_update(range(start, position))
        return taken

    def _forget(self, call: str, position: int) -> None:
        places, waiting = self._positions.get(call, []), self._unanswered.get(call)
        if position in places:
            places.remove(position)
        if waiting is not None and position in waiting:
            waiting.remove(position)
        if not places:
            self._positions.pop(call, None)
            self._unanswered.pop(call, None)

    def _target(self, call: str | None) -> int | None:
        if call is None or call not in self._positions:
            return None
        waiting = self._unanswered.get(call)
        return waiting[0] if waiting else self._positions[call][-1]

    def _complete(self, position: int, result: Result) -> None:
        self.events[position - self.first] = _completed(self.events[position - self.first], result)
        self.changes += 1


def accounted(
    lines: Iterable[Line],
    report: ImportReport,
    transcript: Transcript,
    take: Callable[[int, JsonObject], str],
    known: frozenset[str],
) -> Iterator[int]:
    """Feed every record to ``take``, which names the record's type, and book what became of it; gives each line's size."""
    for number, record, size in lines:
        report.seen += 1
        if record is None:
            report.malformed.append(number)
        else:
            before, orphans = transcript.changes, transcript.orphan_results
            name = take(number, record)
            if transcript.changes > before:
                report.used += 1
                if transcript.orphan_results > orphans:
                    report.orphan_results = transcript.orphan_results
            else:
                (report.skipped if name in known else report.unknown)[name] += 1
        yield size


def account(
    lines: Iterable[Line],
    report: ImportReport,
    transcript: Transcript,
    take: Callable[[int, JsonObject], str],
    known: frozenset[str],
) -> None:
    """As ``accounted``, to the end."""
    for _ in accounted(lines, report, transcript, take, known):
        pass
    report.orphan_results = transcript.orphan_results


def event_of(base: Mapping[str, object], fields: Mapping[str, object]) -> Event:
    """An event of fields that an importer made itself: they are not validated a second time.

    The same as ``Event.model_construct``, without its look at every field for an alias.
    """
    return _built({**_DEFAULTS, **base, **fields}, {"kind", *base, *fields})


def _built(values: dict[str, object], given: set[str]) -> Event:
    event = Event.__new__(Event)
    _set(event, "__dict__", values)
    _set(event, "__pydantic_fields_set__", given)
    _set(event, "__pydantic_extra__", None)
    _set(event, "__pydantic_private__", None)
    return event


def moment_of(value: JsonValue) -> str | None:
    """A timestamp with its zone; a naive one would be read differently on each machine."""
    if not isinstance(value, str):
        return None
    try:
        return value if datetime.fromisoformat(value).tzinfo is not None else None
    except ValueError:
        return None


def most_common(names: Counter[str]) -> str | None:
    return names.most_common(1)[0][0] if names else None


def _completed(event: Event, result: Result) -> Event:
    stronger = _STRENGTH[result.exit_source] >= _STRENGTH[event.exit_source]
    told = {
        "output": event.output if result.output is None else result.output,
        "ok": result.ok if result.ok is not None and (stronger or event.ok is None) else event.ok,
        "exit_code": result.exit_code if stronger else event.exit_code,
        "exit_source": result.exit_source if stronger else event.exit_source,
        "approval": result.approval or event.approval,
    }
    return _built({**event.__dict__, **told}, {*event.__pydantic_fields_set__, *told})
