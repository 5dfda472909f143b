"""Import of an OpenHands conversation of the SDK generation (V1): one JSON document, a list of events or a page of them.

A record is an entry of the list; ``line`` of an event is its position there. Exit codes and rejections are fields
(structured). Times have no zone and are left out. A prompt is of source user; that a script sent it is only told by the
evaluation's fake user. Approvals that were given are not in the file.

Source: ``openhands-sdk/openhands/sdk/event`` of github.com/OpenHands/software-agent-sdk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Approval, Event, Origin
from bench.traces.documents import entries, read_document
from bench.traces.gatherer import Gatherer, arguments_of, as_json, call_fields
from bench.traces.lines import JsonObject, Line, list_at, object_at, text_at
from bench.traces.openhands_results import REJECTED, command_result, is_fake_user, typist_of
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, account, moment_of, most_common
from bench.traces.written import Written

HARNESS = "openhands"
SHELLS = frozenset({"terminal", "execute_bash", "bash"})
_TOLD = frozenset(
    {
        "MessageEvent", "ActionEvent", "ObservationEvent", "UserRejectObservation", "AgentErrorEvent", "PauseEvent",
        "InterruptEvent", "Condensation", "CondensationSummaryEvent", "ConversationErrorEvent", "ACPToolCallEvent",
        "HookExecutionEvent",
    }
)  # fmt: skip
_SILENT = frozenset(
    {
        "CondensationRequest", "ConversationStateUpdateEvent", "LLMCompletionLogEvent", "StreamingDeltaEvent",
        "SystemPromptEvent", "TokenEvent",
    }
)  # fmt: skip
KNOWN = _TOLD | _SILENT


def speaks(value: JsonValue) -> bool:
    """Whether a document is a list of this generation's events."""
    events = [entry for entry in _events(value) or [] if isinstance(entry, dict)]
    return bool(events) and all("kind" in event for event in events) and any(e["kind"] in KNOWN for e in events)


def read(stream: BinaryIO) -> Iterator[Session]:
    """The session in a document; ValueError where it is none."""
    document = read_document(stream)
    events = _events(document)
    if events is None:
        raise ValueError("a conversation of OpenHands is a list of events, or an object with items")
    more = isinstance(document, dict) and document.get("next_page_id") is not None
    texts = [_text_of(object_at(e, "llm_message").get("content")) for e in _of_user(events)]
    found = session_of(entries(events), ImportReport(format=HARNESS), typist_of(texts))
    yield replace(found, partial="one page of a longer conversation" if more else None)


def session_of(events: Iterable[Line], report: ImportReport, typist: Origin) -> Session:
    """The session of these events, booked in the report."""
    importer = _Importer(report, typist)
    account(events, report, importer.gatherer.transcript, importer.take, KNOWN)
    models = importer.gatherer.models
    return Session(
        HARNESS, tuple(importer.gatherer.transcript.events), report, most_common(models), answer=importer.final
    )


class _Importer:
    """One pass over the events."""

    def __init__(self, report: ImportReport, typist: Origin) -> None:
        self.gatherer = Gatherer(report)
        self.final: str | None = None
        self._calls: dict[str, str] = {}  # action -> call
        self._typist = typist

    def take(self, position: int, event: JsonObject) -> str:
        """Turn one entry into events, and say what kind of entry it was."""
        base = Event(kind="other", ts=moment_of(event.get("timestamp")), line=position)
        name = text_at(event, "kind") or "(no kind)"
        match name:
            case "MessageEvent":
                self._message(base, event)
            case "ActionEvent":
                self._action(base, event)
            case "ObservationEvent":
                self._observation(base, event)
            case "UserRejectObservation":
                self._rejection(base, event)
            case "AgentErrorEvent":
                self._error(base, event)
            case "ACPToolCallEvent":
                self._foreign_call(base, event)
            case _:
                self._notice(base, name, event)
        return name

    def _notice(self, base: Event, name: str, event: JsonObject) -> None:
        match name:
            case "PauseEvent" | "InterruptEvent":
                update = {"kind": "interrupt", "text": text_at(event, "reason")}
                self.gatherer.transcript.add(base.model_copy(update=update))
            case "Condensation" | "CondensationSummaryEvent":
                update = {"kind": "compaction", "text": text_at(event, "summary")}
                self.gatherer.transcript.add(base.model_copy(update=update))
            case "ConversationErrorEvent":
                self.gatherer.say(base, "system", f"{text_at(event, 'code') or 'error'}: {text_at(event, 'detail')}")
            case "HookExecutionEvent" if event.get("blocked") is True:
                self.gatherer.say(base, "system", f"hook blocked: {text_at(event, 'reason') or 'no reason'}")

    def _message(self, base: Event, event: JsonObject) -> None:
        message = object_at(event, "llm_message")
        text, source = _text_of(message.get("content")), text_at(event, "source")
        if source == "user":
            typist = "simulated" if is_fake_user(text) else "unknown" if text_at(event, "sender") else self._typist
            put_in = _text_of(event.get("extended_content"))
            self.gatherer.ask(base, [Written(text, typist), Written(put_in, "injected")])
        elif source == "agent":
            self._thoughts(base, message)
            self.gatherer.say(base, "message", text)
        else:
            self.gatherer.say(base, "system", text)

    def _action(self, base: Event, event: JsonObject) -> None:
        self._thoughts(base, event)
        self.gatherer.say(base, "message", _text_of(event.get("thought")))
        action = object_at(event, "action")
        given = {key: value for key, value in action.items() if key != "kind"}
        arguments = arguments_of(object_at(event, "tool_call").get("arguments")) or given
        identity = text_at(event, "id")
        call = text_at(event, "tool_call_id") or identity
        if identity is not None and call is not None:
            self._calls[identity] = call
        tool = text_at(event, "tool_name") or text_at(action, "kind")
        typed_in = arguments.get("is_input") in (True, "true")  # into a running process: no command of its own
        self.gatherer.call(base, call_fields(call, tool, arguments, frozenset() if typed_in else SHELLS))
        if tool == "finish":
            self.final = text_at(arguments, "message") or self.final

    def _thoughts(self, base: Event, holder: JsonObject) -> None:
        text = text_at(holder, "reasoning_content")
        blocks = [block for block in list_at(holder, "thinking_blocks") if isinstance(block, dict)]
        self.gatherer.say(base, "reasoning", text or "\n".join(text_at(b, "thinking") or "" for b in blocks))

    def _observation(self, base: Event, event: JsonObject) -> None:
        seen, call = object_at(event, "observation"), self._call_of(event)
        output = _text_of(seen.get("content")) or text_at(seen, "output") or ""
        failed = seen.get("is_error")
        started = self.gatherer.transcript.called(call)
        if started is not None and started.kind == "command":
            result = command_result(output, seen)
            if failed is True and result.exit_code is None:
                result = Result(output, ok=False, exit_source="none")
        else:
            result = Result(output, ok=not failed if isinstance(failed, bool) else None)
        self.gatherer.answer(base, call, result, text_at(event, "tool_name"))

    def _rejection(self, base: Event, event: JsonObject) -> None:
        reason = text_at(event, "rejection_reason")
        by_hook = event.get("rejection_source") == "hook"
        approval = Approval(
            decision="denied",
            source="policy" if by_hook else "person",
            reason=None if reason == REJECTED else reason,
        )
        result = Result(reason or REJECTED, ok=False, exit_source="none", approval=approval)
        call = self._call_of(event)
        self.gatherer.answer(base, call, self._fitting(call, result), text_at(event, "tool_name"))

    def _error(self, base: Event, event: JsonObject) -> None:
        call, text = self._call_of(event), text_at(event, "error") or ""
        if call is None:
            self.gatherer.say(base, "system", text)
            return
        result = self._fitting(call, Result(text, ok=False, exit_source="none"))
        self.gatherer.answer(base, call, result, text_at(event, "tool_name"))

    def _fitting(self, call: str | None, result: Result) -> Result:
        """An exit source is for commands only."""
        started = self.gatherer.transcript.called(call)
        shell = started is not None and started.kind == "command"
        return result if shell else Result(result.output, ok=result.ok, approval=result.approval)

    def _call_of(self, event: JsonObject) -> str | None:
        return self._calls.get(text_at(event, "action_id") or "") or text_at(event, "tool_call_id")

    def _foreign_call(self, base: Event, event: JsonObject) -> None:
        """A call of another agent that speaks through this one: told again whenever it changes."""
        call, status = text_at(event, "tool_call_id"), text_at(event, "status")
        ok = {"completed": True, "failed": False}.get(status or "")
        result = Result(as_json(event.get("raw_output")) or None, ok=False if event.get("is_error") is True else ok)
        if not self.gatherer.transcript.amend(call, result):
            tool = text_at(event, "title") or text_at(event, "tool_kind")
            self.gatherer.call(base, call_fields(call, tool, arguments_of(event.get("raw_input")), frozenset()))
            self.gatherer.transcript.amend(call, result)


def _events(value: JsonValue) -> list[JsonValue] | None:
    found = value.get("items") if isinstance(value, dict) else value
    return found if isinstance(found, list) else None


def _of_user(events: list[JsonValue]) -> Iterator[JsonObject]:
    return (event for event in events if isinstance(event, dict) and event.get("source") == "user")


def _text_of(content: JsonValue) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(_block_text(block) for block in blocks if isinstance(block, dict))


def _block_text(block: JsonObject) -> str:
    return "[image]" if block.get("type") == "image" else text_at(block, "text") or ""


FORMAT = Format(HARNESS, "openhands@1", "document", speaks, read)
