"""Claude Code sessions: one row for each trap, and the books of the real files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from bench.schema.event import Approval, Event
from bench.traces.claude_code import HARNESS, read
from bench.traces.report import Session

SHARED = Path(__file__).parents[2] / "shared"
NOON = "2026-01-02T12:00:00.000Z"


def session(*records: dict[str, Any] | bytes) -> Session:
    return read(io.BytesIO(b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in records)))


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "timestamp": NOON, "message": {"role": "user", "content": content}, **fields}


def assistant(*blocks: dict[str, Any], message: str | None = None, **fields: Any) -> dict[str, Any]:
    body = {"role": "assistant", "model": "model-a", "content": list(blocks), **({"id": message} if message else {})}
    return {"type": "assistant", "timestamp": NOON, "message": body, **fields}


def call(tool: str = "Bash", identity: str = "t1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": tool, "input": arguments}


def result(content: Any, error: bool | None = False, identity: str = "t1", details: Any = None) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": content}
    return user([block if error is None else {**block, "is_error": error}], toolUseResult=details)


def shape(event: Event) -> tuple[str, str | None, str | None]:
    return event.kind, event.origin, event.text


REMINDER = "<system-reminder>the list is empty</system-reminder>"
TASK_NOTE = "<task-notification>\n<task-id>1</task-id></task-notification>"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(user("fix it"), [("prompt", "human", "fix it")], id="typed"),
        pytest.param(user("fix it", promptSource="typed"), [("prompt", "human", "fix it")], id="typed-and-marked"),
        pytest.param(user("fix it", entrypoint="sdk-cli"), [("prompt", "unknown", "fix it")], id="given-by-a-program"),
        pytest.param(user("fix it", isSidechain=True), [("prompt", "injected", "fix it")], id="to-a-sub-agent"),
        pytest.param(user("expanded", isMeta=True), [("prompt", "injected", "expanded")], id="meta"),
        pytest.param(user(TASK_NOTE), [("prompt", "injected", TASK_NOTE)], id="task-notification"),
        pytest.param(
            user("done", origin={"kind": "task-notification"}), [("prompt", "injected", "done")], id="origin-of-record"
        ),
        pytest.param(
            user("<command-name>/exit</command-name>"),
            [("prompt", "command", "<command-name>/exit</command-name>")],
            id="slash-command",
        ),
        pytest.param(
            user("<bash-input>ls</bash-input>"), [("prompt", "command", "<bash-input>ls</bash-input>")], id="bash-input"
        ),
        pytest.param(
            user("<local-command-stdout>Bye</local-command-stdout>"),
            [("prompt", "command", "<local-command-stdout>Bye</local-command-stdout>")],
            id="command-output",
        ),
        pytest.param(
            user("Operation stopped by hook: busy"), [("prompt", "hook", "Operation stopped by hook: busy")], id="hook"
        ),
        pytest.param(
            user("Stop hook feedback:\nno", isMeta=True),
            [("prompt", "hook", "Stop hook feedback:\nno")],
            id="stop-hook",
        ),
        pytest.param(user("are the hooks run?"), [("prompt", "human", "are the hooks run?")], id="typed-about-hooks"),
        pytest.param(
            user("Implement the following plan:\n\n1."),
            [("prompt", "plan", "Implement the following plan:\n\n1.")],
            id="plan",
        ),
        pytest.param(
            user("Implement the following plan:\n1.", promptSource="typed"),
            [("prompt", "human", "Implement the following plan:\n1.")],
            id="plan-typed",
        ),
        pytest.param(
            user("a summary", isCompactSummary=True), [("compaction", None, "a summary")], id="compaction-summary"
        ),
        pytest.param(
            user([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
            [("interrupt", None, "[Request interrupted by user for tool use]")],
            id="interrupt",
        ),
        pytest.param(
            user("what does [Request interrupted by user] mean?"),
            [("prompt", "human", "what does [Request interrupted by user] mean?")],
            id="typed-about-interrupts",
        ),
        pytest.param(
            user(f"go on\n{REMINDER}"),
            [("prompt", "human", "go on"), ("prompt", "injected", REMINDER)],
            id="typed-with-reminder",
        ),
        pytest.param(user(REMINDER), [("prompt", "injected", REMINDER)], id="reminder-only"),
        pytest.param(
            user("what is <system-reminder>?"), [("prompt", "human", "what is <system-reminder>?")], id="unclosed-tag"
        ),
        pytest.param(
            user([{"type": "text", "text": "see"}, {"type": "image", "source": {}}]),
            [("prompt", "human", "see\n[image]")],
            id="image",
        ),
        pytest.param(user("  \n"), [], id="blank"),
        pytest.param(
            user([{"type": "novelty", "x": 1}]), [("other", None, '{"type": "novelty", "x": 1}')], id="unknown-block"
        ),
        pytest.param(
            {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "also the docs"}},
            [("prompt", "human", "also the docs")],
            id="typed-while-the-agent-worked",
        ),
        pytest.param(
            {"type": "attachment", "attachment": {"type": "queued_command", "prompt": TASK_NOTE}},
            [("prompt", "injected", TASK_NOTE)],
            id="queued-notification",
        ),
        pytest.param(
            {"type": "queue-operation", "operation": "enqueue", "content": "also the docs"},
            [("prompt", "human", "also the docs")],
            id="queued-in-an-old-version",
        ),
        pytest.param({"type": "queue-operation", "operation": "enqueue", "content": "/exit"}, [], id="queued-command"),
        pytest.param(
            {"type": "system", "subtype": "stop_hook_summary", "hookErrors": ["it failed"]},
            [("system", None, "it failed")],
            id="hook-error",
        ),
        pytest.param({"type": "system", "subtype": "turn_duration", "durationMs": 5}, [], id="bookkeeping"),
        pytest.param(assistant({"type": "thinking", "thinking": "hm"}), [("reasoning", None, "hm")], id="reasoning"),
        pytest.param(assistant({"type": "thinking", "thinking": "", "signature": "x"}), [], id="encrypted-reasoning"),
        pytest.param(assistant({"type": "text", "text": "done"}), [("message", None, "done")], id="message"),
        pytest.param(
            assistant({"type": "text", "text": "API Error: 500"}, isApiErrorMessage=True),
            [("system", None, "API Error: 500")],
            id="api-error",
        ),
        pytest.param(
            {"type": "marble-origami-commit", "collapseId": "c", "summaryContent": "two turns", "summary": "s"},
            [("compaction", None, "two turns")],
            id="history-collapsed-in-place",
        ),
        pytest.param(
            {"type": "system", "subtype": "scheduled_task_fire", "content": "Time for it"},
            [("system", None, "Time for it")],
            id="scheduled-task",
        ),
        pytest.param({"type": "worktree-state", "worktreeSession": {}}, [], id="bookkeeping-of-later-versions"),
        pytest.param(user(None), [], id="no-content"),
        pytest.param({"type": "user", "message": "text"}, [], id="message-of-another-type"),
    ],
)
def test_texts(record: dict[str, Any], expected: list[tuple[str, str | None, str | None]]) -> None:
    found = session(record)
    assert [shape(event) for event in found.events] == expected
    assert found.report.balanced and not found.report.unknown


REFUSAL = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)."
PERSON = Approval(decision="denied", source="person")


@pytest.mark.parametrize(
    ("answer", "exit_code", "source", "ok", "approval"),
    [
        pytest.param(result("Exit code 2\nno"), 0, "implied", True, None, id="success-cannot-say-exit-code"),
        pytest.param(result("Exit code 2\nno", True), 2, "text", False, None, id="failure-header"),
        pytest.param(result("Exit code 1", True), 1, "text", False, None, id="failure-header-alone"),
        pytest.param(result("bad\nExit code 3", True), None, "none", False, None, id="exit-code-below-the-first-line"),
        pytest.param(result("ok", False), 0, "implied", True, None, id="success-flag"),
        pytest.param(result("ok", None), None, "none", None, None, id="no-flag"),
        pytest.param(
            result("", details={"returnCodeInterpretation": "No matches found"}),
            None,
            "none",
            None,
            None,
            id="explained",
        ),
        pytest.param(result("", details={"interrupted": True}), None, "none", None, None, id="interrupted"),
        pytest.param(result("started", details={"backgroundTaskId": "b"}), None, "none", None, None, id="background"),
        pytest.param(
            result("[Request interrupted by user for tool use]", True), None, "none", None, None, id="stopped"
        ),
        pytest.param(
            result(f"{REFUSAL} STOP what you are doing", True, details="User rejected tool use"),
            None,
            "none",
            False,
            PERSON,
            id="refused",
        ),
        pytest.param(
            result(
                f"{REFUSAL} To tell you how to proceed, the user said:\nfmt first\n\nNote: The user's next message ...",
                True,
            ),
            None,
            "none",
            False,
            PERSON.model_copy(update={"reason": "fmt first"}),
            id="refused-with-reason",
        ),
        pytest.param(
            result(
                f"{REFUSAL} To tell you how to proceed, the user said:\nThe user wants to clarify these questions.",
                True,
            ),
            None,
            "none",
            False,
            PERSON,
            id="refused-with-a-canned-reason",
        ),
        pytest.param(result(REFUSAL, False), 0, "implied", True, None, id="output-cannot-refuse"),
        pytest.param(
            result("Permission to use Bash with command rm has been denied.", True),
            None,
            "none",
            False,
            Approval(
                decision="denied", source="config", reason="Permission to use Bash with command rm has been denied."
            ),
            id="forbidden-by-settings",
        ),
        pytest.param(
            result("PreToolUse:Bash hook error: no", True),
            None,
            "none",
            False,
            Approval(decision="denied", source="policy", reason="PreToolUse:Bash hook error: no"),
            id="forbidden-by-a-hook",
        ),
    ],
)
def test_commands(
    answer: dict[str, Any], exit_code: int | None, source: str, ok: bool | None, approval: Approval | None
) -> None:
    found = session(assistant(call(command="make", description="build")), answer)
    [event] = found.events
    assert (event.kind, event.command, event.args) == ("command", "make", {"description": "build"})
    assert (event.exit_code, event.exit_source, event.ok, event.approval) == (exit_code, source, ok, approval)
    assert found.report.used == 2


SUB_AGENT = "Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit)."
NOBODY = "Permission for this tool use was denied. It requires approval, and this session has no approval surface."
PROMPTS_OFF = (
    "Permission for this tool use was denied: it requires interactive approval, and prompts are not available."
)
PLAN_REFUSED = (
    "The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode.\n\nRejected plan:\nx"
)


@pytest.mark.parametrize(
    ("output", "approval"),
    [
        pytest.param(f"{SUB_AGENT} Go on.", Approval(decision="denied", reason=f"{SUB_AGENT} Go on."), id="unsaid"),
        pytest.param(f"{SUB_AGENT} The user said:\nnot so", PERSON.model_copy(update={"reason": "not so"}), id="by-a-person"),
        pytest.param(NOBODY, Approval(decision="denied", source="config", reason=NOBODY), id="nobody-to-ask"),
        pytest.param(PROMPTS_OFF, Approval(decision="denied", source="config", reason=PROMPTS_OFF), id="prompts-off"),
        pytest.param(PLAN_REFUSED, PERSON, id="plan"),
    ],
)  # fmt: skip
def test_refusals_to_sub_agents_and_of_plans(output: str, approval: Approval) -> None:
    [event] = session(assistant(call("Edit")), result(output, True)).events
    assert (event.approval, event.ok, event.output) == (approval, False, output)
    [spoofed] = session(assistant(call("Edit")), result(output, False)).events
    assert spoofed.approval is None and spoofed.ok is True


@pytest.mark.parametrize(
    ("decision", "expected"), [("allow", "approved"), ("deny", "denied"), ("ask", None), (1, None)]
)
def test_what_a_hook_decided(decision: Any, expected: str | None) -> None:
    attachment = {"type": "hook_permission_decision", "decision": decision, "toolUseID": "t1"}
    found = session({"type": "attachment", "attachment": attachment})
    told = [(e.kind, e.call, e.approval.decision, e.approval.source) for e in found.events if e.approval is not None]
    assert told == ([("approval", "t1", expected, "policy")] if expected else [])
    assert found.report.balanced and not found.report.unknown


def test_a_command_started_in_the_background_has_no_end() -> None:
    [event] = session(assistant(call(command="serve", run_in_background=True)), result("started")).events
    assert (event.exit_code, event.exit_source, event.ok) == (None, "none", None)


def test_a_header_is_no_output() -> None:
    [event] = session(assistant(call(command="x")), result("Exit code 2\nno such file", True)).events
    assert event.output == "no such file"


@pytest.mark.parametrize(
    ("answer", "output", "ok"),
    [
        pytest.param(result("text", None), "text", True, id="no-flag-means-no-error"),
        pytest.param(result("no such file", True), "no such file", False, id="error"),
        pytest.param(result([{"type": "text", "text": "a"}, {"type": "image"}]), "a\n[image]", True, id="blocks"),
        pytest.param(result("started", details={"status": "async_launched"}), "started", None, id="only-launched"),
    ],
)
def test_tools(answer: dict[str, Any], output: str, ok: bool | None) -> None:
    [event] = session(assistant(call("Read", file_path="a.py")), answer).events
    assert (event.kind, event.tool, event.args) == ("tool_call", "Read", {"file_path": "a.py"})
    assert (event.output, event.ok, event.exit_source) == (output, ok, None)


def test_a_call_without_result_has_no_outcome() -> None:
    [event] = session(assistant(call(command="make"))).events
    assert (event.output, event.ok, event.exit_code, event.exit_source) == (None, None, None, None)


def test_a_result_without_call_is_kept_and_counted() -> None:
    found = session(result("late", identity="gone"))
    assert [(e.kind, e.call, e.output) for e in found.events] == [("tool_result", "gone", "late")]
    assert found.report.orphan_results == 1


def test_results_of_one_id_go_to_its_calls_in_order() -> None:
    found = session(
        assistant(call("Read", path="a")), assistant(call("Read", path="b")), result("A"), result("B"), result("C")
    )
    assert [(e.kind, e.output) for e in found.events] == [("tool_call", "A"), ("tool_call", "B"), ("tool_result", "C")]


def test_a_message_over_several_lines_is_told_once() -> None:
    text, use = {"type": "text", "text": "reading"}, call("Read", path="a")
    found = session(assistant(text, message="m1"), assistant(text, use, message="m1"), assistant(text, message="m2"))
    assert [e.kind for e in found.events] == ["message", "tool_call", "message"]
    assert found.report.balanced


def test_a_copied_record_is_skipped() -> None:
    found = session(user("go", uuid="u1"), user("go", uuid="u1"), user("go", uuid="u2"))
    assert [e.line for e in found.events] == [1, 3]
    assert found.report.skipped == {"user (repeated)": 1}


def test_a_prompt_of_the_queue_that_was_delivered_is_told_once() -> None:
    queued = {"type": "queue-operation", "operation": "enqueue", "content": "also the docs"}
    found = session(queued, user("also the docs"))
    assert [(e.line, e.fidelity) for e in found.events] == [(2, "observed")]
    taken_back = {"type": "queue-operation", "operation": "popAll", "content": "also the docs"}
    assert session(queued, taken_back).events == ()
    assert [e.fidelity for e in session(queued).events] == ["inferred"]


def test_abandoned_branches_stay_in_file_order() -> None:
    found = session(
        user("first try", uuid="a", parentUuid=None),
        user("second try", uuid="b", parentUuid=None),
        assistant({"type": "text", "text": "ok"}, uuid="c", parentUuid="b"),
    )
    assert [e.text for e in found.events] == ["first try", "second try", "ok"]


def test_sub_agents_have_threads_of_their_own() -> None:
    say = {"type": "text", "text": "x"}
    found = session(
        assistant(say, uuid="m"),
        assistant(say, uuid="s1", isSidechain=True, agentId="a7"),
        assistant(say, uuid="s2", isSidechain=True),
        assistant(say, uuid="s3", parentUuid="s2", isSidechain=True),
    )
    assert [e.thread for e in found.events] == ["main", "sub:a7", "sub:s2", "sub:s2"]


def test_unnamed_sub_agents_are_told_apart_whatever_stands_before_them() -> None:
    say = {"type": "text", "text": "x"}
    found = session(
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        assistant(say, uuid="m", parentUuid=None),
        assistant(say, uuid="s1", parentUuid=None, isSidechain=True),
        assistant(say, uuid="s2", parentUuid="s1", isSidechain=True),
        assistant(say, uuid="z1", parentUuid="m", isSidechain=True),
        assistant(say, uuid="z2", parentUuid="z1", isSidechain=True),
        assistant(say, isSidechain=True),
    )
    assert [e.thread for e in found.events] == ["main", "sub:s1", "sub:s1", "sub:z1", "sub:z1", "sub:unknown"]


def test_files_changed_behind_the_agent() -> None:
    record = {"type": "attachment", "attachment": {"type": "edited_text_file", "filename": "a.go", "snippet": "1"}}
    [event] = session(record).events
    assert (event.kind, event.path, event.text) == ("file", "a.go", "1")


def test_moments_models_and_versions() -> None:
    found = session(
        user("a", version="2.1.1"),
        user("b", timestamp="2026-01-02T12:00:00", version="2.1.1"),
        assistant({"type": "text", "text": "c"}, version="2.1.2"),
    )
    assert [e.ts for e in found.events] == [NOON, None, NOON]
    assert found.model == "model-a" and found.report.versions == {"2.1.1": 2, "2.1.2": 1}


def test_books_name_what_was_not_used() -> None:
    found = session(
        user("go"),
        b"{torn",
        {"type": "file-history-snapshot"},
        {"type": "brand-new"},
        {"type": "system", "subtype": "brand-new"},
        {"type": "attachment", "attachment": {"type": "brand-new"}},
        {"no": "type"},
    )
    report = found.report
    assert report.balanced and (report.seen, report.used, report.malformed) == (7, 1, [2])
    assert report.skipped == {"file-history-snapshot": 1}
    assert set(report.unknown) == {"brand-new", "system/brand-new", "attachment/brand-new", "(no type)"}


def test_tags_that_nobody_closes_take_no_time() -> None:
    text = "<system-reminder>" * 100_000
    assert [e.origin for e in session(user(text)).events] == ["human"]


def real_files() -> list[Path]:
    names = ["traces/claude_code/*.jsonl", "traces/fixtures/claude-code*.jsonl", "data/real_sessions/*.jsonl"]
    return sorted(path for name in names for path in SHARED.glob(name))


def strict_records(path: Path) -> tuple[list[dict[str, Any]], list[int], int]:
    """Read again without the project's own reader: records, malformed lines, number of lines that are not blank."""
    records, malformed, seen = [], [], 0
    for number, raw in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not raw.strip():
            continue
        seen += 1
        try:
            records.append(json.loads(raw))
        except ValueError:
            malformed.append(number)
    return records, malformed, seen


def is_claude(records: list[dict[str, Any]]) -> bool:
    return any(r.get("type") == "assistant" and "uuid" in r for r in records)


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the real sessions in ../shared, which are not part of the project"
)
def test_real_sessions() -> None:
    checked = 0
    for path in real_files():
        records, malformed, seen = strict_records(path)
        if not is_claude(records):
            continue
        checked += 1
        with path.open("rb") as stream:
            found = read(stream)
        assert found.harness == HARNESS
        assert found.report.balanced and (found.report.seen, found.report.malformed) == (seen, malformed), path
        assert not found.report.unknown, (path, found.report.unknown)
        check_events(path, records, found.events)
    assert checked > 100


def check_events(path: Path, records: list[dict[str, Any]], events: tuple[Event, ...]) -> None:
    for event in events:
        assert Event.model_validate(event.model_dump()) == event
    contents = [r["message"]["content"] for r in records if r.get("type") in ("user", "assistant")]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    calls = [block for block in blocks if block["type"] == "tool_use"]
    assert len(calls) == sum(e.kind in ("tool_call", "command") for e in events), path
    assert len([c for c in calls if c["name"] == "Bash"]) == sum(e.kind == "command" for e in events), path
    results = [block for block in blocks if block["type"] == "tool_result"]
    assert len(results) == sum(e.output is not None for e in events), path
    text_codes = sum(bool(b.get("is_error")) and str(b["content"]).startswith("Exit code ") for b in results)
    assert text_codes == sum(e.exit_source == "text" for e in events), path
    refused = sum("doesn't want to proceed" in str(b["content"])[:60] and b.get("is_error") is True for b in results)
    assert refused == sum(e.approval is not None and e.approval.decision == "denied" for e in events), path
    markers = sum(b["type"] == "text" and b["text"].startswith("[Request interrupted by user") for b in blocks)
    assert markers == sum(e.kind == "interrupt" for e in events), path
    typed = sum(r.get("promptSource") == "typed" for r in records)
    assert typed <= sum(e.origin in ("human", "command") for e in events), path
