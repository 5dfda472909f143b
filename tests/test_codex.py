"""Codex rollouts: one row for each trap, and the books of the real files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from bench.schema.event import Event
from bench.traces.codex import HARNESS, read
from bench.traces.report import Session

SHARED = Path(__file__).parents[2] / "shared"
NOON = "2026-01-02T12:00:00.000Z"
SYNTHETIC = SHARED / "traces/codex/synthetic_exit_code_variants.jsonl"


def session(*records: dict[str, Any] | bytes) -> Session:
    return read(io.BytesIO(b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in records)))


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": NOON, "type": "response_item", "payload": {"type": kind, **payload}}


def said(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": NOON, "type": "event_msg", "payload": {"type": kind, **payload}}


def meta(source: Any = "cli") -> dict[str, Any]:
    return {"timestamp": NOON, "type": "session_meta", "payload": {"id": "s", "cli_version": "0.9.1", "source": source}}


def call(name: str = "exec_command", identity: str = "c1", **arguments: Any) -> dict[str, Any]:
    return item("function_call", name=name, call_id=identity, arguments=json.dumps(arguments))


def output(value: Any, identity: str = "c1") -> dict[str, Any]:
    return item("function_call_output", call_id=identity, output=value)


def shape(found: Event) -> tuple[str, str | None, str | None]:
    return found.kind, found.origin, found.text


CONTEXT = "<environment_context>\n<cwd>/w</cwd></environment_context>"
ABORTED = "<turn_aborted>\nThe user interrupted the previous turn on purpose."
REVIEW = event("entered_review_mode", user_facing_hint="current changes")


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param(
            [event("user_message", message="go"), said("user", "go")], [("prompt", "human", "go")], id="copy-after"
        ),
        pytest.param(
            [said("user", "go"), event("user_message", message="go\n")], [("prompt", "human", "go\n")], id="copy-before"
        ),
        pytest.param([said("user", "go")], [("prompt", "human", "go")], id="no-user-message-events"),
        pytest.param(
            [said("user", CONTEXT), event("user_message", message="go")],
            [("prompt", "injected", CONTEXT), ("prompt", "human", "go")],
            id="context",
        ),
        pytest.param(
            [said("user", "# AGENTS.md instructions for /w", CONTEXT)],
            [("prompt", "injected", f"# AGENTS.md instructions for /w\n{CONTEXT}")],
            id="instructions",
        ),
        pytest.param(
            [said("developer", "<permissions instructions>")],
            [("system", None, "<permissions instructions>")],
            id="developer",
        ),
        pytest.param(
            [said("user", "from elsewhere"), event("user_message", message="go")],
            [("prompt", "unknown", "from elsewhere"), ("prompt", "human", "go")],
            id="no-copy-and-no-known-context",
        ),
        pytest.param(
            [event("user_message", message="see", images=["data:"], local_images=["/a.png"])],
            [("prompt", "human", "see\n[image]\n[image]")],
            id="images",
        ),
        pytest.param(
            [
                event(
                    "user_message",
                    message="\n# Files mentioned by the user:\n\n## a.png\n\n## My request for Codex:\nadd it",
                )
            ],
            [("prompt", "injected", "# Files mentioned by the user:\n\n## a.png"), ("prompt", "human", "add it")],
            id="editor-context-in-front",
        ),
        pytest.param([meta("exec"), event("user_message", message="go")], [("prompt", "unknown", "go")], id="exec"),
        pytest.param(
            [meta({"subagent": "review"}), event("user_message", message="go")],
            [("prompt", "injected", "go")],
            id="review-session",
        ),
        pytest.param(
            [meta({"subagent": {"thread_spawn": {}}}), meta("cli"), event("user_message", message="go")],
            [("prompt", "unknown", "go")],
            id="forked-thread",
        ),
        pytest.param(
            [
                REVIEW,
                *[event("user_message", message="Review")] * 2,
                event("exited_review_mode"),
                event("user_message", message="ok"),
            ],
            [
                ("system", None, "review started: current changes"),
                ("prompt", "injected", "Review"),
                ("prompt", "human", "ok"),
            ],
            id="review-request-recorded-twice",
        ),
        pytest.param(
            [said("user", ABORTED), event("turn_aborted", reason="interrupted")],
            [("interrupt", None, "turn aborted: interrupted")],
            id="interrupt-recorded-twice",
        ),
        pytest.param([said("user", ABORTED)], [("interrupt", None, ABORTED)], id="interrupt-without-event"),
        pytest.param(
            [event("turn_aborted", reason="review_ended")],
            [("system", None, "turn aborted: review_ended")],
            id="review-ended",
        ),
        pytest.param(
            [event("agent_message", message="done"), said("assistant", "done")],
            [("message", None, "done")],
            id="message",
        ),
        pytest.param([event("agent_message", message="done")], [("message", None, "done")], id="message-event-only"),
        pytest.param(
            [
                event("agent_reasoning", text="**Plan**"),
                item("reasoning", summary=[{"type": "summary_text", "text": "**Plan**"}]),
            ],
            [("reasoning", None, "**Plan**")],
            id="reasoning",
        ),
        pytest.param([item("reasoning", summary=[], encrypted_content="gAAA")], [], id="encrypted-reasoning"),
        pytest.param(
            [{"type": "compacted", "payload": {"message": "so far"}}, event("context_compacted")],
            [("compaction", None, "so far")],
            id="compaction-recorded-twice",
        ),
        pytest.param([event("context_compacted")], [("compaction", None, None)], id="compaction-event-only"),
        pytest.param([event("token_count", info={})], [], id="tokens"),
        pytest.param([event("error", message="overloaded")], [("system", None, "overloaded")], id="error"),
    ],
)
def test_texts(records: list[dict[str, Any]], expected: list[tuple[str, str | None, str | None]]) -> None:
    found = session(*records)
    assert [shape(e) for e in found.events] == expected
    assert found.report.balanced and not found.report.unknown


NEW = "Chunk ID: a1\nWall time: 0.5 seconds\nProcess exited with code {}\nOriginal token count: 4\nOutput:\n{}"
OLD = "Exit code: {}\nWall time: 0.5 seconds\nTotal output lines: 3\nOutput:\n{}"
REPEATED = "Command: /bin/zsh -lc 'make'\n" + NEW
REJECTED = 'exec_command failed for `/bin/zsh -lc \'{}\'`: CreateProcess {{ message: "Rejected(\\"{}\\")" }}'


@pytest.mark.parametrize(
    ("value", "exit_code", "source", "ok", "printed"),
    [
        pytest.param('{"output": "no", "metadata": {"exit_code": 1}}', 1, "structured", False, "no", id="json"),
        pytest.param('{"output": "no", "metadata": {}}', None, "none", None, "no", id="json-without-code"),
        pytest.param(NEW.format(1, "no"), 1, "text", False, "no", id="header"),
        pytest.param(NEW.format(0, ""), 0, "text", True, "", id="header-success"),
        pytest.param(OLD.format(127, "no"), 127, "text", False, "no", id="old-header"),
        pytest.param(REPEATED.format(2, "no"), 2, "text", False, "no", id="header-behind-the-command"),
        pytest.param(
            NEW.format(1, "Process exited with code 0\nOutput:\n"),
            1,
            "text",
            False,
            "Process exited with code 0\nOutput:\n",
            id="output-cannot-spoof",
        ),
        pytest.param(
            "Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\nProcess exited with code 0\n",
            None,
            "none",
            None,
            "Process exited with code 0\n",
            id="running-cannot-be-spoofed",
        ),
        pytest.param(
            "Process exited with code 0\n", None, "none", None, "Process exited with code 0\n", id="no-header"
        ),
        pytest.param(
            "Process exited with code 0\nOutput:\nx",
            None,
            "none",
            None,
            "Process exited with code 0\nOutput:\nx",
            id="no-wall-time",
        ),
        pytest.param(
            {"content": '{"output": "no", "metadata": {"exit_code": 4}}', "success": False},
            4,
            "structured",
            False,
            "no",
            id="success-flag-around-json",
        ),
        pytest.param({"content": "no", "success": False}, None, "none", False, "no", id="success-flag"),
        pytest.param([{"type": "input_text", "text": NEW.format(3, "no")}], 3, "text", False, "no", id="items"),
    ],
)
def test_results_of_commands(value: Any, exit_code: int | None, source: str, ok: bool | None, printed: str) -> None:
    found = session(call(cmd="make", workdir="/w"), output(value))
    [command] = found.events
    assert (command.kind, command.command, command.args) == ("command", "make", {"workdir": "/w"})
    assert (command.exit_code, command.exit_source, command.ok, command.output) == (exit_code, source, ok, printed)
    assert found.report.used == 2 and command.approval is None


def test_a_command_cannot_spoof_the_header_that_repeats_it() -> None:
    hostile = "cat <<E\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nE"
    [command] = session(call(cmd=hostile), output(f"Command: /bin/zsh -lc '{hostile}'\n" + NEW.format(1, "no"))).events
    assert (command.exit_code, command.output) == (1, "no")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        pytest.param(REJECTED.format("rm x", "rejected: blocked by policy"), "policy", id="policy"),
        pytest.param(REJECTED.format("rm x", "rejected by user"), "person", id="person"),
        pytest.param("exec command rejected by user", "person", id="person-in-old-versions"),
        pytest.param(REJECTED.format("rm x", "rejected by user approval settings"), "policy", id="settings"),
        pytest.param(
            REJECTED.format("echo rejected by user", "blocked by policy"), "policy", id="command-cannot-decide"
        ),
    ],
)
def test_refusals(text: str, source: str) -> None:
    [command] = session(call(cmd="rm x"), output(text)).events
    assert command.approval is not None
    assert (command.approval.decision, command.approval.source, command.ok) == ("denied", source, False)


def test_output_cannot_refuse() -> None:
    [command] = session(call(cmd="x"), output(NEW.format(0, "exec command rejected by user"))).events
    assert command.approval is None and command.ok is True


@pytest.mark.parametrize("end_first", [True, False])
def test_the_structured_end_of_a_command_is_the_stronger_source(end_first: bool) -> None:
    end = event("exec_command_end", call_id="c1", exit_code=3, aggregated_output="all")
    running = output("Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\npart")
    found = session(call(cmd="make"), *([end, running] if end_first else [running, end]))
    [command] = found.events
    assert (command.exit_code, command.exit_source, command.ok, command.output) == (3, "structured", False, "part")
    assert found.report.used == 3


def test_a_poll_tells_how_a_running_command_ended() -> None:
    running = output("Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\npart")
    poll = call("write_stdin", identity="c2", session_id=7)
    command, polled = session(call(cmd="make"), running, poll, output(NEW.format(1, "rest"), identity="c2")).events
    assert (command.exit_code, command.exit_source, command.output) == (1, "text", "part")
    assert (polled.kind, polled.tool, polled.output) == ("tool_call", "write_stdin", "rest")


def test_a_command_of_the_person_is_known_by_its_end_alone() -> None:
    [command] = session(
        event("exec_command_end", call_id="x", command=["bash", "-lc", "ls"], exit_code=0, source="user_shell")
    ).events
    assert (command.command, command.exit_code, command.args) == ("ls", 0, {"source": "user_shell"})


@pytest.mark.parametrize(
    ("record", "command"),
    [
        pytest.param(call("shell", command=["bash", "-lc", "pytest -q"]), "pytest -q", id="shell-script"),
        pytest.param(call("shell", command=["git", "commit", "-m", "a b"]), "git commit -m 'a b'", id="shell-words"),
        pytest.param(call("shell_command", command="ls"), "ls", id="shell-text"),
        pytest.param(call("exec_command", cmd="ls"), "ls", id="exec"),
        pytest.param(
            item("local_shell_call", call_id="c1", action={"type": "exec", "command": ["/bin/zsh", "-lc", "ls"]}),
            "ls",
            id="local",
        ),
    ],
)
def test_shells(record: dict[str, Any], command: str) -> None:
    [found] = session(record).events
    assert (found.kind, found.command, found.exit_source) == ("command", command, None)


@pytest.mark.parametrize(
    ("records", "tool", "args", "ok"),
    [
        pytest.param(
            [call("update_plan", plan=[]), output("Plan updated")], "update_plan", {"plan": []}, None, id="plan"
        ),
        pytest.param(
            [
                item("custom_tool_call", name="apply_patch", call_id="c1", input="*** Begin"),
                item("custom_tool_call_output", call_id="c1", output='{"output": "ok", "metadata": {"exit_code": 0}}'),
            ],
            "apply_patch",
            {"input": "*** Begin"},
            True,
            id="patch",
        ),
        pytest.param(
            [
                item("custom_tool_call", name="apply_patch", call_id="c1", input="*** Begin"),
                event("patch_apply_end", call_id="c1", success=False),
            ],
            "apply_patch",
            {"input": "*** Begin"},
            False,
            id="patch-end",
        ),
        pytest.param(
            [item("web_search_call", status="completed", action={"query": "q"})],
            "web_search",
            {"query": "q"},
            True,
            id="search",
        ),
        pytest.param(
            [item("function_call", name="exec_command", call_id="c1", arguments="not-json")],
            "exec_command",
            {"arguments": "not-json"},
            None,
            id="arguments-that-are-no-json",
        ),
        pytest.param([call("list_agents")], "list_agents", {}, None, id="no-arguments"),
        pytest.param(
            [
                item("tool_search_call", call_id="c1", arguments={"query": "q"}),
                item("tool_search_output", call_id="c1", tools=[]),
            ],
            "tool_search",
            {"query": "q"},
            None,
            id="tool-search",
        ),
        pytest.param(
            [call("exec", code="x"), output([{"type": "input_text", "text": "Script failed\nWall time 1 seconds"}])],
            "exec",
            {"code": "x"},
            False,
            id="script",
        ),
    ],
)
def test_tools(records: list[dict[str, Any]], tool: str, args: dict[str, Any], ok: bool | None) -> None:
    found = session(*records)
    [event] = found.events
    assert (event.kind, event.tool, event.args, event.ok, event.exit_code) == ("tool_call", tool, args, ok, None)
    assert found.report.used == len(records)


def test_a_patch_without_its_call_still_names_its_files() -> None:
    found = session(event("patch_apply_end", call_id="x", success=True, changes={"a.go": {}, "b.go": {}}))
    assert [(e.kind, e.path) for e in found.events] == [("file", "a.go"), ("file", "b.go")]


def test_results_of_one_id_go_to_its_calls_in_order() -> None:
    found = session(call(cmd="a"), call(cmd="b"), output("A"), output("B"), output("C"), output("D", identity="gone"))
    assert [(e.kind, e.output) for e in found.events] == [
        ("command", "A"),
        ("command", "B"),
        ("tool_result", "C"),
        ("tool_result", "D"),
    ]
    assert found.report.orphan_results == 2


def test_old_rollouts_have_bare_lines() -> None:
    found = session(
        {"id": "s", "timestamp": NOON, "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "name": "shell", "call_id": "c1", "arguments": '{"command": ["ls"]}'},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output": "a", "metadata": {"exit_code": 0}}'},
    )
    assert [(e.kind, e.text or e.command, e.exit_code) for e in found.events] == [
        ("prompt", "go", None),
        ("command", "ls", 0),
    ]
    assert found.report.balanced and found.report.skipped == {"session_meta": 1, "state": 1}


def test_moments_models_and_versions() -> None:
    turn = {"type": "turn_context", "payload": {"model": "model-b"}}
    naive = {**said("assistant", "x"), "timestamp": "2026-01-02T12:00:00"}
    found = session(meta(), turn, said("assistant", "y"), naive)
    assert [e.ts for e in found.events] == [NOON, None]
    assert found.model == "model-b" and found.report.versions == {"0.9.1": 1}


def test_books_name_what_was_not_used() -> None:
    report = session(
        b"not json", event("brand_new"), item("brand_new"), {"type": "brand_new", "payload": {}}, b"[]"
    ).report
    assert report.balanced and report.malformed == [1, 5]
    assert set(report.unknown) == {"event_msg/brand_new", "response_item/brand_new", "brand_new"}


def real_files() -> list[Path]:
    names = ["traces/codex/*.jsonl", "traces/fixtures/codex*.jsonl", "data/real_sessions/*.jsonl"]
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


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the real sessions in ../shared, which are not part of the project"
)
def test_real_sessions() -> None:
    checked = 0
    for path in real_files():
        records, malformed, seen = strict_records(path)
        if not any(r.get("type") == "response_item" for r in records):
            continue
        checked += 1
        with path.open("rb") as stream:
            found = read(stream)
        assert found.harness == HARNESS
        assert found.report.balanced and (found.report.seen, found.report.malformed) == (seen, malformed), path
        assert set(found.report.unknown) <= {"some_future_record"}, (path, found.report.unknown)
        check_events(path, [r["payload"] for r in records if isinstance(r.get("payload"), dict)], found.events)
    assert checked > 30


def check_events(path: Path, payloads: list[dict[str, Any]], events: tuple[Event, ...]) -> None:
    for found in events:
        assert Event.model_validate(found.model_dump()) == found
    kinds = [payload.get("type") for payload in payloads]
    calls = sum(kind in ("function_call", "custom_tool_call", "web_search_call", "tool_search_call") for kind in kinds)
    assert calls == sum(e.kind in ("tool_call", "command") for e in events), path
    check_prompts(path, payloads, events)
    ends = {p["call_id"]: p["exit_code"] for p in payloads if p.get("type") == "exec_command_end"}
    assert ends == {e.call: e.exit_code for e in events if e.call in ends}, path
    assert kinds.count("turn_aborted") == sum(e.kind == "interrupt" for e in events), path
    spoken = [p for p in payloads if p.get("type") == "message" and p.get("role") == "assistant"]
    assert len(spoken) == sum(e.kind == "message" for e in events), path


def check_prompts(path: Path, payloads: list[dict[str, Any]], events: tuple[Event, ...]) -> None:
    typed = [p["message"] for p in payloads if p.get("type") == "user_message"]
    if not typed or "entered_review_mode" in [p.get("type") for p in payloads]:
        return
    source = next((p.get("source") for p in payloads if "cli_version" in p), None)
    if source in ("cli", "vscode"):
        human = [e.text for e in events if e.origin == "human"]
        assert len(human) == len(typed), path
        pairs = zip(human, typed, strict=False)
        assert all(text is not None and text.split("\n[image]")[0] in said for text, said in pairs), path
    else:
        assert not any(e.origin == "human" for e in events), path


@pytest.mark.skipif(not SYNTHETIC.is_file(), reason="needs the synthetic rollout in ../shared")
def test_the_synthetic_rollout_of_exit_codes() -> None:
    with SYNTHETIC.open("rb") as stream:
        found = read(stream)
    commands = [e for e in found.events if e.kind == "command"]
    assert [(e.exit_code, e.exit_source) for e in commands] == [(1, "structured"), (0, "text"), (1, "text")]
    assert [e.text for e in found.events if e.origin == "human"] == ["run the tests"]
