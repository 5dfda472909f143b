"""The events of one session while they are gathered: calls meet their results, and every record is accounted for."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from bench.schema.event import Approval, Event, ExitSource
from bench.traces.lines import JsonObject, Line
from bench.traces.report import ImportReport

# The stronger source of an exit code wins, whichever record comes first.
_STRENGTH: dict[ExitSource | None, int] = {None: 0, "none": 1, "implied": 2, "text": 3, "structured": 4}


@dataclass(frozen=True)
class Result:
    """What a record says about how a call ended; absent where it does not say."""

    output: str | None = None
    ok: bool | None = None
    exit_code: int | None = None
    exit_source: ExitSource | None = None
    approval: Approval | None = None


@dataclass
class Transcript:
    """Events in the order of the record. A call is answered by later records, at its own position."""

    events: list[Event] = field(default_factory=list)
    changes: int = 0  # events added or completed so far
    orphan_results: int = 0
    _positions: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _unanswered: dict[str, deque[int]] = field(default_factory=lambda: defaultdict(deque))

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.changes += 1

    def add_call(self, event: Event) -> None:
        if event.call is not None:
            self._positions[event.call].append(len(self.events))
            self._unanswered[event.call].append(len(self.events))
        self.add(event)

    def called(self, call: str | None) -> Event | None:
        """The call that the next result of this id belongs to: ids may repeat, and results come in order."""
        position = self._target(call)
        return None if position is None else self.events[position]

    def answer(self, call: str | None, result: Result) -> bool:
        """Give the result to its call; false where no call with this id still waits for one."""
        if call is None or not self._unanswered.get(call):
            return False
        self._complete(self._unanswered[call].popleft(), result)
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

    def _target(self, call: str | None) -> int | None:
        if call is None or call not in self._positions:
            return None
        return self._unanswered[call][0] if self._unanswered[call] else self._positions[call][-1]

    def _complete(self, position: int, result: Result) -> None:
        self.events[position] = _completed(self.events[position], result)
        self.changes += 1


def account(
    lines: Iterable[Line],
    report: ImportReport,
    transcript: Transcript,
    take: Callable[[int, JsonObject], str],
    known: frozenset[str],
) -> None:
    """Feed every record to ``take``, which names the record's type, and book what became of it."""
    for line in lines:
        report.seen += 1
        if line.record is None:
            report.malformed.append(line.number)
            continue
        before = transcript.changes
        name = take(line.number, line.record)
        if transcript.changes > before:
            report.used += 1
        else:
            (report.skipped if name in known else report.unknown)[name] += 1
    report.orphan_results = transcript.orphan_results


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
    return event.model_copy(
        update={
            "output": event.output if result.output is None else result.output,
            "ok": result.ok if stronger and result.ok is not None else event.ok,
            "exit_code": result.exit_code if stronger else event.exit_code,
            "exit_source": result.exit_source if stronger else event.exit_source,
            "approval": result.approval or event.approval,
        }
    )
