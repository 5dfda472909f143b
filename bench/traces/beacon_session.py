"""Events of agent-beacon as normalised events: what is told before and after a call becomes one event."""

from __future__ import annotations

from collections import deque

from bench.schema.event import Event
from bench.traces.beacon_events import BEFORE, OF_CALLS, Told
from bench.traces.calls import call_fields
from bench.traces.claude_prompts import pieces
from bench.traces.gatherer import Gatherer
from bench.traces.report import ImportReport
from bench.traces.transcript import Result

_NEAR = 50  # a call that names no id is looked for among so many that wait


class BeaconSession:
    """One pass over the events of one session."""

    def __init__(self, report: ImportReport) -> None:
        self.gathered = Gatherer(report)
        self._waiting: deque[int] = deque(maxlen=_NEAR)  # calls told before they ran, without a result so far
        self._positions: dict[str, int] = {}

    def take(self, base: Event, told: Told) -> None:
        """Add what one event tells."""
        base = base.model_copy(update={"fidelity": "inferred" if told.inferred else "observed"})
        if told.model is not None:
            self.gathered.models[told.model] += 1
        if told.action in OF_CALLS:
            self._call(base, told)
        elif told.approval is not None:
            self._decision(base, told)
        elif told.action.startswith("prompt."):
            self.gathered.ask(base, pieces(told.text or "", {}))
        elif told.action in ("agent.message", "assistant.message", "agent.response"):
            self.gathered.say(base, "message", told.text)
        elif told.action == "agent.reasoning":
            self.gathered.say(base, "reasoning", told.text)
        elif told.action == "session.compacted":
            self.gathered.transcript.add(base.model_copy(update={"kind": "compaction"}))
        elif told.action in ("session.error", "model.retry") and told.error is not None:
            self.gathered.say(base, "system", f"{told.action}: {told.error}")
        elif told.action == "token.usage" and told.usage is not None:
            self.gathered.transcript.add(base.model_copy(update={"kind": "usage", "args": told.usage}))

    def _call(self, base: Event, told: Told) -> None:
        position = self._same(told)
        if position is None:
            if told.action in ("file.modified", "file.created") and told.tool is None:
                self._file(base, told)
                return
            position = self.gathered.call(base, _fields(told))
            if told.call is not None:
                self._positions[told.call] = position
        if told.action in BEFORE and told.output is None and told.exit_code is None:
            self._waiting.append(position)
            return
        if position in self._waiting:
            self._waiting.remove(position)
        self._complete(position, told)

    def _same(self, told: Told) -> int | None:
        """The event that told of this call before."""
        if told.call is not None:
            return self._positions.get(told.call)
        if told.action in BEFORE or told.command is None:
            return None
        found = [p for p in self._waiting if self.gathered.at(p).command == told.command]
        return found[0] if found else None

    def _complete(self, position: int, told: Told) -> None:
        event = self.gathered.at(position)
        failed = told.action == "tool.failed" or told.error is not None
        completed = told.action == "tool.completed"
        fields: dict[str, object] = {"ok": False if failed else True if completed else event.ok}
        if told.output is not None:
            fields["output"] = told.output
        if told.exit_code is not None:
            fields |= {"exit_code": told.exit_code, "exit_source": "structured", "ok": told.exit_code == 0}
        if told.approval is not None:
            fields["approval"] = told.approval
        if event.args is None and told.arguments is not None and event.kind == "tool_call":
            fields["args"] = call_fields(event.tool, told.arguments, None)["args"]
        self.gathered.fill(position, fields)

    def _file(self, base: Event, told: Told) -> None:
        if told.path is not None:
            fields = {"kind": "file", "path": told.path, "text": told.change, "tool": told.action}
            self.gathered.transcript.add(base.model_copy(update=fields))

    def _decision(self, base: Event, told: Told) -> None:
        """On a call that the record names, else an event of its own."""
        approval = told.approval
        position = self._positions.get(told.call or "")
        if position is not None and approval is not None:
            refused = approval.decision == "denied"
            result = Result(ok=False if refused else None, approval=approval)
            self.gathered.transcript.amend(told.call, result)
            if refused and position in self._waiting:
                self._waiting.remove(position)
            return
        fields = {"kind": "approval", "approval": approval, "call": told.call, "tool": told.tool}
        fields |= {"command": told.command, "path": told.path}
        self.gathered.transcript.add(base.model_copy(update=fields))


def _fields(told: Told) -> dict[str, object]:
    """The fields of a call. Where no tool is named, the action stands for it."""
    fields = call_fields(told.tool or told.action, told.arguments, told.call)
    if told.command is not None and fields["kind"] != "command":
        fields |= {"kind": "command", "command": told.command, "exit_source": "none"}
    if told.path is not None and fields["args"] is None:
        fields["args"] = {"path": told.path}
    if told.server is not None:
        fields["tool"] = f"mcp__{told.server}__{told.tool or told.action}"
    return fields
