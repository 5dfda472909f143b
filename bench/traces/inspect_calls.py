"""Calls of one sample of an Inspect log: their results, approvals, and what their tools ran in the sandbox."""

from __future__ import annotations

import shlex

from bench.schema.event import Approval, Event
from bench.traces.calls import call_fields
from bench.traces.gatherer import Gatherer, code_of, ended_with
from bench.traces.inspect_content import Attachments, Spans
from bench.traces.lines import JsonObject, object_at, text_at
from bench.traces.transcript import Result

_DECISIONS = {"approve": "approved", "modify": "approved", "reject": "denied", "terminate": "denied"}
_DECIDERS = {"human": "person", "auto": "config"}  # of any other approver the log does not say what it is
_HARNESS_SPANS = frozenset({"init", "scorer", "scorers"})
_SHELLS = (("bash", "--login", "-c"), ("bash", "-c"), ("sh", "-c"))


class SampleCalls:
    """What becomes of the calls of a sample."""

    def __init__(self, gathered: Gatherer, attachments: Attachments, spans: Spans) -> None:
        self.answered: set[str] = set()
        self._gathered = gathered
        self._attachments = attachments
        self._spans = spans
        self._coded: set[str] = set()

    def tool(self, base: Event, event: JsonObject) -> None:
        """An event of a tool: it may bring the call too, and has the result unless it is pending."""
        call, function = text_at(event, "id"), text_at(event, "function")
        if call is not None and function is not None:
            self._spans.claim(function, call)
        if self._gathered.transcript.called(call) is None:
            arguments = self._attachments.resolve(object_at(event, "arguments"))
            self._gathered.call(base, call_fields(function, arguments, call))
        if event.get("pending") is not True:
            self.answer(base, call, function, event, "result")

    def answer(self, base: Event, call: str | None, tool: str | None, record: JsonObject, key: str) -> None:
        """Give a result to its call, from an event of a tool or a message."""
        error = object_at(record, "error")
        told = text_at(error, "message") or text_at(record, "tool_error")
        output = "\n".join(text for text in (self._attachments.text(record.get(key)), told or "") if text)
        failed = bool(error) or told is not None
        started = self._gathered.transcript.called(call)
        # A shell's tool succeeds whatever its command exits with: only the sandbox knows.
        ran = started is not None and started.kind == "command"
        approval = None
        if text_at(error, "type") == "approval" and (started is None or started.approval is None):
            approval = Approval(decision="denied")
        if call is not None:
            self.answered.add(call)
        ok = False if failed else None if ran else True
        self._gathered.answer(base, call, Result(output, ok, None, "none" if ran else None, approval), tool)

    def approval(self, base: Event, event: JsonObject) -> str:
        """A decision on a call; one that is passed on to the next approver is none."""
        decision = _DECISIONS.get(text_at(event, "decision") or "")
        if event.get("stage") == "result":
            return "approval/result"
        if decision is None:
            return "approval (escalated)"
        approver, asked = text_at(event, "approver") or "", object_at(event, "call")
        reason = None if approver == "auto" else self._attachments.text(event.get("explanation")) or None
        fields = {"decision": decision, "source": _DECIDERS.get(approver, "unknown"), "reason": reason}
        approval = Approval.model_validate(fields)
        call = text_at(asked, "id")
        if not self._gathered.transcript.amend(call, Result(approval=approval)):
            told = {"kind": "approval", "approval": approval, "call": call, "tool": text_at(asked, "function")}
            self._gathered.transcript.add(base.model_copy(update=told))
        return "approval"

    def sandbox(self, base: Event, event: JsonObject, within: str | None) -> str:
        """What ran in the sandbox: for a call, for a solver of its own accord, or for the harness."""
        if self._spans.is_scoring(event) or self._spans.is_within(event, _HARNESS_SPANS):
            return "sandbox (harness)"
        call = self._spans.call_at(event) or within
        started = self._gathered.transcript.called(call)
        action, path = text_at(event, "action"), text_at(event, "file")
        if action == "write_file" and path:
            self._gathered.transcript.add(base.model_copy(update={"kind": "file", "path": path}))
        elif action == "exec" and (command := self._attachments.text(event.get("cmd"))):
            result = ended_with(self._attachments.text(event.get("output")), code_of(event.get("result")))
            given = self._attachments.text(event.get("input"))
            if (
                call is not None
                and started is not None
                and call not in self._coded
                and _is_its(started, command, given)
            ):
                self._coded.add(call)
                own = Result(None, result.ok, result.exit_code, result.exit_source)
                self._gathered.transcript.amend(call, own)
            else:
                source = "solver" if started is None else started.tool or "tool"
                fields = {"kind": "command", "command": command, "args": {"source": source}, "output": result.output}
                ending = {"ok": result.ok, "exit_code": result.exit_code, "exit_source": result.exit_source}
                self._gathered.transcript.add(base.model_copy(update={**fields, **ending}))
        return "sandbox/read_file" if action == "read_file" else "sandbox"


def _is_its(call: Event, command: str, given: str) -> bool:
    """Whether the sandbox ran just what the call asked for: a tool may run other commands too."""
    if call.command is not None:
        return command in {shlex.join([*shell, call.command]) for shell in _SHELLS} | {call.command}
    code = (call.args or {}).get("code")
    return isinstance(code, str) and bool(code) and given == code
