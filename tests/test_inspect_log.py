"""Logs of Inspect: one row for each trap, and the real files."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported import NOISE, VALUES, assert_read_or_refused, assert_sound, broken_documents, foreign_documents, samples

from bench.schema.event import Approval
from bench.traces import inspect_log, locomo, longmemeval, tau_bench, who_and_when
from bench.traces.inspect_archive import Archive
from bench.traces.report import Recorded, Session

Tree = dict[str, Any]
NOON = "2026-01-02T12:00:00+00:00"
SPEC = {
    "task": "t", "task_id": "x", "run_id": "r", "model": "openai/m", "dataset": {}, "packages": {"inspect_ai": "0.3.285"},
}  # fmt: skip
ASKED = {"id": "u1", "role": "user", "content": "Fix it.", "source": "input"}


def event(name: str, /, **fields: Any) -> Tree:
    return {"event": name, "timestamp": NOON, **fields}


def call(function: str = "bash", identity: str = "c1", **arguments: Any) -> Tree:
    return {"id": identity, "function": function, "arguments": arguments or {"command": "make"}, "type": "function"}


def reply(content: Any = "", identity: str = "a1", calls: list[Tree] | None = None, **fields: Any) -> Tree:
    tool_calls = {} if calls is None else {"tool_calls": calls}
    return {"id": identity, "role": "assistant", "content": content, "source": "generate", **tool_calls, **fields}


def model(heard: list[Tree], said: Tree | None, **fields: Any) -> Tree:
    choices = [] if said is None else [{"message": said, "stop_reason": "stop"}]
    return event("model", model="openai/m", input=heard, output={"model": "m-1", "choices": choices}, **fields)


def tool(function: str = "bash", identity: str = "c1", result: Any = "out", **fields: Any) -> Tree:
    return event(
        "tool", id=identity, function=function, arguments={"command": "make"}, result=result, events=[], **fields
    )


def span(identity: str, kind: str, name: str = "n", parent: str | None = None) -> Tree:
    return event("span_begin", id=identity, type=kind, name=name, parent_id=parent, span_id=identity)


def ran(command: str = "bash --login -c make", result: Any = 0, span_id: str | None = "s1", **fields: Any) -> Tree:
    return event("sandbox", action="exec", cmd=command, result=result, output="out", span_id=span_id, **fields)


def sample(*events: Any, **fields: Any) -> Tree:
    return {"id": 1, "epoch": 1, "input": "Fix it.", "target": "", "messages": [], "events": list(events), **fields}


def log(*samples: Any) -> bytes:
    return json.dumps({"version": 2, "status": "success", "eval": SPEC, "plan": {}, "samples": list(samples)}).encode()


def sessions(*samples: Any) -> list[Session]:
    found = list(inspect_log.read_document(io.BytesIO(log(*samples))))
    for session in found:
        assert_sound(session)
    return found


def read(*events: Any, **fields: Any) -> Session:
    (found,) = sessions(sample(*events, **fields))
    return found


def shapes(session: Session) -> list[tuple[str, str | None]]:
    return [(e.kind, e.text or e.command or e.tool) for e in session.events]


def test_what_model_events_repeat_is_told_once() -> None:
    first, again = reply("One."), {"role": "user", "content": "again", "id": "u2"}
    found = read(
        model([{"role": "system", "content": "Be good."}, ASKED], first),
        model([ASKED, first, again], reply("One.", "a2")),
        model([ASKED, first, again, first, again], reply("Two.", "a3")),  # a pool gives equal messages one id
        messages=[ASKED, first, again, reply("One.", "a2"), {**again, "id": "u3"}, reply("Two.\n\nedited", "a3")],
    )
    assert shapes(found) == [
        ("system", "Be good."), ("prompt", "Fix it."), ("message", "One."), ("prompt", "again"), ("message", "One."),
        ("prompt", "again"), ("message", "Two."),
    ]  # fmt: skip
    assert [e.origin for e in found.events if e.kind == "prompt"] == ["injected", "unknown", "unknown"]
    assert found.report.used == 3 and found.model == "m-1"


def test_pools_and_attachments_are_resolved() -> None:
    lost = {"role": "user", "content": [{"type": "text", "text": "attachment://no"}]}
    pool = [{**ASKED, "content": "attachment://aa"}, reply("tc://bb"), lost]
    events = [
        {**model([], reply("x", "a1")), "input": [], "input_refs": [[0, 1]]},
        {**model([], reply("y", "a2")), "input": [], "input_refs": [[0, 9], [-5, 1], ["a", 2], [True, 2], [1], None]},
    ]
    found = read(*events, events_data={"messages": pool}, attachments={"aa": "Long.", "bb": "x"})
    assert shapes(found) == [
        ("prompt", "Long."), ("message", "x"), ("prompt", "attachment://no"), ("prompt", "Long."), ("message", "y"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "origin"), [("input", "injected"), ("operator", "human"), (None, "unknown"), ("generate", "unknown")]
)
def test_who_wrote_a_prompt(source: str | None, origin: str) -> None:
    found = read(model([{"role": "user", "content": "x", "source": source}], None))
    assert [e.origin for e in found.events] == [origin]


@pytest.mark.parametrize(
    ("command", "result", "code", "source", "ok"),
    [
        ("bash --login -c make", 3, 3, "structured", False),
        ("bash --login -c make", 0, 0, "structured", True),
        ("bash -c make", 0, 0, "structured", True),
        ("bash --login -c make", None, None, "none", None),  # it ran into a time limit
        ("bash --login -c make", True, None, "none", None),
    ],
)
def test_the_exit_code_is_the_sandboxes(command: str, result: Any, code: int | None, source: str, ok: Any) -> None:
    found = read(model([ASKED], reply(calls=[call()])), span("s1", "tool", "bash"), tool(), ran(command, result))
    (made,) = [e for e in found.events if e.kind == "command"]
    assert (made.command, made.tool, made.output) == ("make", "bash", "out")
    assert (made.exit_code, made.exit_source, made.ok) == (code, source, ok)


def test_a_shell_that_did_not_fail_has_no_exit_code_by_itself() -> None:
    (made,) = read(model([], reply(calls=[call()])), tool()).events
    assert (made.exit_code, made.exit_source, made.ok) == (None, "none", None)
    (failed,) = read(model([], reply(calls=[call()])), tool(error={"type": "timeout", "message": "late"})).events
    assert (failed.exit_source, failed.ok, failed.output) == ("none", False, "out\nlate")


def test_other_commands_of_a_tool_are_events_of_their_own() -> None:
    found = read(
        model([], reply(calls=[call()])),
        span("s1", "tool", "bash"),
        tool(),
        ran("bash --login -c 'test -e /x'", 1),
        ran(result=0),
        ran(result=5),
        event("sandbox", action="write_file", file="/x", span_id="s1"),
        event("sandbox", action="read_file", file="/x", span_id="s1"),
    )
    assert [(e.kind, e.exit_code, e.args) for e in found.events] == [
        ("command", 0, None), ("command", 1, {"source": "bash"}), ("command", 5, {"source": "bash"}), ("file", None, None),
    ]  # fmt: skip
    assert found.report.skipped["sandbox/read_file"] == 1


def test_what_the_harness_runs_is_not_the_agents() -> None:
    found = read(
        span("i", "init"), ran(span_id="i"), span("v", "solvers"), ran(span_id="v"),
        span("w", "scorers"), span("g", "scorer", parent="w"), ran(span_id="g"), model([ASKED], reply("C"), span_id="g"),
        tool(span_id="g"), {**event("score", span_id="g"), "score": {"value": "C"}},
    )  # fmt: skip
    assert [(e.kind, e.args) for e in found.events] == [("command", {"source": "solver"})]
    assert found.report.skipped["sandbox (harness)"] == 2 and found.report.skipped["model (scoring)"] == 1


def test_logs_before_spans() -> None:
    found = read(
        model([], reply(calls=[call()])),
        {**tool(), "events": [ran(span_id=None, result=7), model([ASKED], reply("inner", "a2"))]},
        event("step", action="begin", type="scorer", name="s"),
        model([ASKED], reply("graded", "a3")),
        event("step", action="end", type="scorer", name="s"),
        event("subtask", name="memory", events=[event("info", data=1), 5]),
    )
    assert [(e.kind, e.exit_code, e.thread) for e in found.events] == [
        ("command", 7, "main"), ("prompt", None, "sub:c1"), ("message", None, "sub:c1"),
    ]  # fmt: skip
    assert (found.report.malformed, found.report.skipped["model (scoring)"], found.report.seen) == ([2], 1, 10)


def test_agents_within_agents_are_threads() -> None:
    found = read(
        span("m", "agent"),
        model([ASKED], reply("main", "a1", [call("helper", "c1", task="x")]), span_id="m"),
        span("t", "tool", "helper", "m"),
        tool("helper"),
        span("h", "agent", "helper", "t"),
        model([{"id": "u9", "role": "user", "content": "Fix it."}], reply("sub", "a2"), span_id="h"),
        model([ASKED], reply("critique", "a3"), span_id="m", role="critic"),
        model([], reply("handed", "a4"), span_id="h"),
        span("x", "tool", parent="x"),  # its own parent
        model([], reply("loop", "a5"), span_id="x"),
        messages=[reply("handed", "a4")],
    )
    assert [(e.text or e.tool, e.thread) for e in found.events] == [
        ("Fix it.", "main"), ("main", "main"), ("helper", "main"), ("Fix it.", "sub:h"), ("sub", "sub:h"),
        ("critique", "sub:critic"), ("handed", "main"), ("loop", "main"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "approver", "explanation", "approval"),
    [
        ("approve", "auto", "Automatic decision.", Approval(decision="approved", source="config")),
        ("approve", "human", None, Approval(decision="approved", source="person")),
        ("modify", "mine", "safer", Approval(decision="approved", source="unknown", reason="safer")),
        ("reject", "human", "No!", Approval(decision="denied", source="person", reason="No!")),
        ("terminate", "human", None, Approval(decision="denied", source="person")),
        ("escalate", "mine", "ask", None),
        ("brand new", "mine", "ask", None),
    ],
)
def test_approvals(decision: str, approver: str, explanation: str | None, approval: Approval | None) -> None:
    asked = event("approval", call=call(), approver=approver, decision=decision, explanation=explanation, message="")
    (made,) = read(model([], reply(calls=[call()])), asked).events
    assert made.approval == approval
    alone = read(asked).events
    assert [e.approval for e in alone] == ([] if approval is None else [approval])


def test_a_refusal_that_only_the_result_tells() -> None:
    refused = tool(result="", error={"type": "approval", "message": "no"})
    (made,) = read(model([], reply(calls=[call()])), refused).events
    assert (made.ok, made.approval, made.output) == (False, Approval(decision="denied"), "no")


def test_tools_that_are_no_shells() -> None:
    result = [{"type": "text", "text": "a"}, {"type": "image", "image": "data:..."}]
    found = read(
        model([], reply("", "a1", [call("web", "c1", q=1), call("add", "c2", x=1), call("python", "c3", code="p")])),
        tool("web", "c1", result),
        tool("add", "c2", 3),
        span("s1", "tool", "python"),
        tool("python", "c3", "5"),
        ran("bash --login -c 'python3 -'", 2, input="p"),
        event("tool", id="c9", function="late", arguments={"a": 1}, result="r"),
        event("tool", id="c8", function="bash", arguments={"cmd": "ls"}, result="", pending=True),
    )
    told = [(e.kind, e.tool, e.command, e.output, e.ok, e.exit_code) for e in found.events]
    assert told == [
        ("tool_call", "web", None, "a\n[image]", True, None),
        ("tool_call", "add", None, "3", True, None),
        ("tool_call", "python", None, "5", False, 2),
        ("tool_call", "late", None, "r", True, None),
        ("command", "bash", "ls", None, None, None),
    ]


def test_blocks_of_a_reply() -> None:
    blocks = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "reasoning", "reasoning": "AbX=", "redacted": True, "summary": "short"},
        {"type": "reasoning", "reasoning": "AbX=", "redacted": True},
        {"type": "text", "text": "Said."},
        {"type": "tool_use", "id": "w", "name": "web", "arguments": '{"q": 1}', "result": "r", "error": None},
    ]  # fmt: skip
    found = read(model([], reply(blocks), error="overloaded"))
    assert shapes(found) == [
        ("reasoning", "hm"), ("reasoning", "short"), ("message", "Said."), ("tool_call", "web"),
        ("system", "model error: overloaded"),
    ]  # fmt: skip
    assert (found.events[3].args, found.events[3].output, found.events[3].ok) == ({"q": 1}, "r", True)


def test_notices_and_interrupts() -> None:
    found = read(
        event("interrupt", source="user_cancel", interrupted="generate"),
        event("interrupt", source="limit", interrupted="generate"),
        event("sample_limit", type="operator", message="stopped"),
        event("sample_limit", type="token", message="too many"),
        event("compaction", source="inspect"),
        event("error", error={"message": "boom"}),
        event("input", input="typed", input_ansi=""),
        event("brand_new"),
        event("state", changes=[]),
        "torn",
    )
    assert [e.kind for e in found.events] == [
        "interrupt",
        "system",
        "interrupt",
        "system",
        "compaction",
        "system",
        "other",
    ]
    report = found.report
    assert (report.unknown, report.skipped, report.malformed) == ({"brand_new": 1}, {"state": 1}, [10])


def test_messages_alone() -> None:
    tool_message = {"role": "tool", "content": "o", "tool_call_id": "c1", "function": "bash"}
    old = {"role": "tool", "content": "", "tool_call_id": "c7", "tool_error": "bad"}
    found = read(messages=[ASKED, reply("", "a1", [call()]), tool_message, old, {"role": "seer"}, 5])
    assert [(e.kind, e.output, e.ok) for e in found.events] == [
        ("prompt", None, None), ("command", "o", None), ("tool_result", "bad", False),
    ]  # fmt: skip
    report = found.report
    assert (report.orphan_results, report.unknown, report.malformed) == (1, {"message/seer": 1}, [6])


@pytest.mark.parametrize(
    ("score", "label"),
    [
        ({"value": "C", "explanation": "fine"}, Recorded("s", "C", "scorer", detail="fine")),
        ({"value": 0.5, "explanation": "attachment://aa"}, Recorded("s", "0.5", "scorer", detail="Long.")),
        ({"value": {"a": 1}}, Recorded("s", '{"a": 1}', "scorer")),
        ({"value": None}, Recorded("s", "unscored", "scorer")),
        ({"value": float("nan"), "metadata": {"unscored_reason": "grader_failed"}},
         Recorded("s", "unscored", "scorer", detail="grader_failed")),
        ({"value": "I", "history": [{"value": "C"}, {"value": "I", "provenance": {"author": "ann"}}]},
         Recorded("s", "I", "person", detail="edited by ann")),
    ],
)  # fmt: skip
def test_scores_are_labels(score: Tree, label: Recorded) -> None:
    found = read(scores={"s": score, "odd": 5}, target=["a"], attachments={"aa": "Long."})
    assert found.recorded == (label, Recorded("target", "a", "dataset"))


def test_each_epoch_is_a_trial_and_a_sample_that_broke_is_partial() -> None:
    given_samples = [
        sample(epoch=2, uuid="w", input=[ASKED, {"role": "user", "content": "Now."}], score={"value": "P"}),
        sample(error={"message": "boom"}, output={"choices": [{"message": reply("Done.")}]}),
        sample(id="1", epoch=3, invalidation={"author": "ann"}),
        {"epoch": 4},
        "torn",
    ]
    found = sessions(*given_samples)
    assert [(s.task, s.trial, s.partial) for s in found] == [
        ("t/1", 1, None),
        ("t/1", 0, "the sample ended in an error: boom"),
        ("t/1", 2, "the sample was declared invalid"),
        (None, 3, "sample 4 was not read: the sample is no object with an id"),
        (None, None, "sample 5 was not read: the sample is no object with an id"),
    ]
    assert (found[0].id, found[0].query, found[1].answer) == ("w", "Fix it.\nNow.", "Done.")
    assert found[0].recorded == (Recorded("score", "P", "scorer"),)
    assert found[0].report.versions == {"0.3.285": 1} and found[4].report.malformed == [5]


@pytest.mark.parametrize(
    ("references", "reason"),
    [
        ([[0, 1000]] * 2, "more messages than its conversation can hold"),
        ([[0, 1000]] * 6000, "repeat more than 5000000 messages"),
    ],
)
def test_a_log_that_repeats_without_end_is_refused(references: list[list[int]], reason: str) -> None:
    pool = [{"role": "user", "content": str(n)} for n in range(1000)]
    greedy = {**model([], None), "input_refs": references}
    (found,) = sessions(sample(greedy, events_data={"messages": pool}))
    assert found.partial is not None and reason in found.partial and found.events == ()


def archive(members: dict[str, Any], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
    return written.getvalue()


def whole() -> dict[str, Any]:
    """Ids may hold slashes, and what looks like an epoch."""
    return {
        "_journal/start.json": {"version": 2, "eval": SPEC},
        "samples/a/b_epoch_9_epoch_1.json": sample(model([ASKED], reply("Hi.")), id="a/b_epoch_9"),
        "samples/a_epoch_2.json": sample(id="a", epoch=2),
        "samples/a_epoch_3.json": b'{"id": ',
        "samples/a_epoch_4/sample.json": {},
        "summaries.json": [],
        "header.json": {"version": 2, "status": "success", "eval": SPEC},
    }


def read_archive(raw: bytes) -> list[Session]:
    found = list(inspect_log.read_archive(io.BytesIO(raw)))
    for session in found:
        assert_sound(session)
    return found


def test_an_archive() -> None:
    found = read_archive(archive(whole()))
    assert [(s.task, s.trial, len(s.events), s.report.malformed) for s in found] == [
        ("t/a/b_epoch_9", 0, 2, []), ("t/a", 1, 0, []), ("t/a", 2, 0, [3]), ("t/a", 3, 0, [4]),
    ]  # fmt: skip
    assert found[2].partial is not None and "Expecting value" in found[2].partial
    assert found[3].partial == "sample 4 was not read: samples in chunks are not read"
    headless = {name: content for name, content in whole().items() if name != "header.json"}
    assert [s.task for s in read_archive(archive(headless))] == [s.task for s in found]
    broken_header = read_archive(archive({**headless, "header.json": b"{", "_journal/start.json": b"{"}))
    assert [s.task for s in broken_header][:2] == ["a/b_epoch_9", "a"]


def test_a_damaged_member_costs_its_sample_only() -> None:
    raw = bytearray(archive(whole(), zipfile.ZIP_STORED))
    place = raw.index(b'"Hi."')
    raw[place + 1] ^= 1
    found = read_archive(bytes(raw))
    assert found[0].partial is not None and "Bad CRC-32" in found[0].partial
    assert (found[0].task, found[0].trial, found[1].partial) == ("t/a/b_epoch_9", 0, None)


def test_what_is_no_archive_or_too_large() -> None:
    for raw in (b"", b"PK\x03\x04", archive(whole())[:-30]):
        with pytest.raises(ValueError, match="not a whole zip archive"):
            list(inspect_log.read_archive(io.BytesIO(raw)))
    bomb = io.BytesIO(archive({"samples/a_epoch_1.json": b"0" * 10_000_000}))
    with pytest.raises(ValueError, match="longer than 1000 bytes"):
        Archive(bomb, 1000).read("samples/a_epoch_1.json")


def with_method(raw: bytes, method: int, pack: Callable[[bytes], bytes]) -> bytes:
    """An archive of one member, packed by other means than zipfile knows."""
    (name, content) = (b"samples/a_epoch_1.json", raw)
    packed, crc = pack(content), zipfile.crc32(content)  # type: ignore[attr-defined]
    sizes = crc.to_bytes(4, "little") + len(packed).to_bytes(4, "little") + len(content).to_bytes(4, "little")
    common = (
        b"\x14\0\0\0" + method.to_bytes(2, "little") + b"\0\0!\0" + sizes + len(name).to_bytes(2, "little") + b"\0\0"
    )
    local = b"PK\x03\x04" + common + name + packed
    central = b"PK\x01\x02\x14\0" + common + b"\0" * 14 + name
    ends = len(central).to_bytes(4, "little") + len(local).to_bytes(4, "little")
    return local + central + b"PK\x05\x06\0\0\0\0\x01\0\x01\0" + ends + b"\0\0"


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python unpacks Zstandard itself")
def test_zstandard_needs_its_package_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps(sample(model([ASKED], reply("Hi.")), id="a")).encode()
    unknown = read_archive(with_method(content, 77, bytes))
    assert unknown[0].partial is not None and "cannot be unpacked" in unknown[0].partial
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (found,) = read_archive(with_method(content, 93, bytes))
    assert found.partial is not None and found.partial.endswith("install the package zstandard") and found.task == "a"


def test_zstandard() -> None:
    zstandard = pytest.importorskip("zstandard")
    content = json.dumps(sample(model([ASKED], reply("Hi.")), id="a")).encode()
    two_frames = [zstandard.compress(content[:50]), zstandard.compress(content[50:])]
    (found,) = read_archive(with_method(content, 93, lambda _: b"".join(two_frames)))
    assert len(found.events) == 2 and found.partial is None
    (torn,) = read_archive(with_method(content, 93, lambda _: b"no frames"))
    assert torn.partial is not None and "cannot be unpacked" in torn.partial
    (other,) = read_archive(with_method(content, 93, lambda raw: zstandard.compress(raw.replace(b"Hi.", b"Ho."))))
    assert other.partial is not None and "bad CRC-32" in other.partial


def test_it_is_told_from_the_others() -> None:
    assert inspect_log.DOCUMENT.speaks(json.loads(log()))
    assert inspect_log.ARCHIVE.speaks(list(whole())) and not inspect_log.ARCHIVE.speaks(["header.json", "a.xml"])
    for path, document in foreign_documents("inspect_ai/*"):
        assert not inspect_log.DOCUMENT.speaks(document), path


def test_the_real_documents() -> None:
    seen = []
    for path in samples("inspect_ai/*.json"):
        raw = json.loads(path.read_bytes())
        assert inspect_log.DOCUMENT.speaks(raw)
        with path.open("rb") as stream:
            found = list(inspect_log.read_document(stream))
        for session, entry in zip(found, raw["samples"], strict=True):
            assert_sound(session)
            events = entry.get("events") or entry.get("transcript", {}).get("events", [])
            texts = [m["content"] for m in entry["messages"]]
            assert [e.output if e.kind == "tool_result" else e.text for e in session.events] == (
                texts if events else [f"{m['content']}\n{m['error']['message']}" for m in entry["messages"]]
            )
            assert session.report.seen == (len(events) or len(texts)) and not session.report.unknown
            scores = {name: score["value"] for name, score in entry.get("scores", {}).items()}
            assert {label.name: label.answer for label in session.recorded if label.by == "scorer"} == scores
            seen.append((session.task, session.trial, len(session.events)))
    assert seen == [
        ("security_guide/1", 0, 3), ("security_guide/2", 0, 3), ("security_guide/3", 0, 3), ("popularity/1", 0, 3),
        (".../1", 3, 11),
    ]  # fmt: skip


def test_the_real_archives() -> None:
    told = 0
    for path in samples("inspect_ai/*.eval"):
        with zipfile.ZipFile(path) as file:
            assert inspect_log.ARCHIVE.speaks(file.namelist())
            raw = [json.loads(file.read(name)) for name in file.namelist() if name.startswith("samples/")]
        with path.open("rb") as stream:
            found = list(inspect_log.read_archive(stream))
        for session, entry in zip(found, raw, strict=True):
            assert_sound(session)
            assert [e.text for e in session.events] == [m["content"] for m in entry["messages"]]
            assert [e.kind for e in session.events] == ["system", "prompt", "message"]
            assert (session.task, session.trial) == (f"popularity/{entry['id']}", entry["epoch"] - 1)
            told += 1
    assert told == 11
    (document,), (packed,) = (
        list(read(io.BytesIO(path.read_bytes())))
        for path, read in zip(
            (samples("inspect_ai/log_formats.json")[0], samples("inspect_ai/log_formats.eval")[0]),
            (inspect_log.read_document, inspect_log.read_archive), strict=True,
        )
    )  # fmt: skip
    assert (packed.events, packed.recorded) == (document.events, document.recorded)  # one log in both formats


WHOLE = sample(
    span("m", "agent"),
    model([ASKED], reply([{"type": "text", "text": "x"}], "a1", [call(), call("add", "c2", x=1)]), span_id="m"),
    event("approval", call=call(), approver="human", decision="reject", explanation="no", message=""),
    span("s1", "tool", "bash", "m"),
    {**tool(error={"type": "approval", "message": "no"}), "events": [ran(span_id=None)]},
    ran(result=3),
    {**model([], reply("y", "a2")), "input": [], "input_refs": [[0, 2]]},
    messages=[ASKED, {"role": "tool", "content": "o", "tool_call_id": "c2"}],
    events_data={"messages": [ASKED, reply("tc://a")]},
    attachments={"a": "b"},
    scores={"s": {"value": 1.0, "history": [{"provenance": {"author": "a"}}]}},
    error={"message": "e"},
)


@NOISE
@given(VALUES)
def test_any_document_is_spoken_or_not(document: Any) -> None:
    speakers = [inspect_log.DOCUMENT.speaks, tau_bench.FORMAT.speaks, who_and_when.FORMAT.speaks]
    assert [speaks(document) for speaks in [*speakers, locomo.speaks, longmemeval.speaks]] == [False] * 5


@NOISE
@given(broken_documents(json.loads(log(WHOLE))))
def test_any_document_is_read_or_refused(raw: bytes) -> None:
    assert_read_or_refused(inspect_log.read_document, raw)


@NOISE
@given(broken_documents(WHOLE), st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
def test_any_sample_of_an_archive_is_read_or_counted(raw: bytes, compression: int) -> None:
    members = {**whole(), "samples/a_epoch_2.json": raw}
    found = read_archive(archive(members, compression))
    assert [s.trial for s in found][2:] == [2, 3] and len(found) == 4


@NOISE
@given(st.data())
def test_any_archive_is_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(archive(whole()))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    assert_read_or_refused(inspect_log.read_archive, bytes(raw))
