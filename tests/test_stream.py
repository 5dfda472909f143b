"""Events one by one: what the reader gives, in memory that does not grow with the file."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported import NOISE, assert_sound, broken, broken_texts
from perf.synthetic_claude import records
from test_detect import SEEDS as DETECTED

from bench.problems import BrokenInput
from bench.schema.event import Event
from bench.traces import stream as stream_module
from bench.traces.detect import READERS, detect_file
from bench.traces.lines import bounded_lines, read_lines
from bench.traces.recent import Recent
from bench.traces.report import ImportReport
from bench.traces.stream import STREAMED, Window, stream_events
from bench.traces.transcript import Result, Transcript, event_of

SHARED = Path(__file__).parents[2] / "shared"
NARROW = Window(records=4, ahead=2, step=1)
PI_CALL = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "x"}}
SEEDS: dict[str, list[dict[str, Any]]] = {
    **DETECTED,
    "pi": [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-02T12:00:00Z", "cwd": "/w"},
        {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "x"}], "timestamp": 1}},
        {
            "type": "message",
            "message": {"role": "assistant", "content": [PI_CALL], "model": "m", "stopReason": "aborted"},
        },
        {
            "type": "message",
            "message": {
                "role": "toolResult",
                "toolCallId": "c",
                "content": [{"type": "text", "text": "y"}],
                "isError": True,
            },
        },
        {"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "z", "exitCode": 1}},
        {"type": "compaction", "summary": "x"},
    ],
}


def lines(*given: dict[str, Any] | bytes) -> list[bytes]:
    return [one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in given]


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "sessionId": "s", "message": {"role": "user", "content": content}, **fields}


def call(identity: str = "t1", command: str = "make") -> dict[str, Any]:
    block = {"type": "tool_use", "id": identity, "name": "Bash", "input": {"command": command}}
    return {"type": "assistant", "sessionId": "s", "message": {"role": "assistant", "content": [block]}}


def result(identity: str = "t1", content: str = "done") -> dict[str, Any]:
    return user([{"type": "tool_result", "tool_use_id": identity, "content": content, "is_error": False}])


def queued(text: str) -> dict[str, Any]:
    return {"type": "queue-operation", "operation": "enqueue", "content": text}


def streamed(*given: dict[str, Any] | bytes, window: Window | None = None) -> tuple[list[Event], ImportReport]:
    report = ImportReport("")
    return list(stream_events(lines(*given), report, window=window)), report


def test_a_call_waits_for_its_result_and_holds_up_what_follows() -> None:
    given, told = [user("go"), call(), user("meanwhile"), result(), user("after")], []
    source = iter(lines(*given))

    def counted() -> Iterator[bytes]:
        for line in source:
            told.append(line)
            yield line

    found = stream_events(counted(), format="claude-code", window=Window(step=1))
    assert next(found).text == "go"
    seen = len(told)
    event = next(found)
    assert (event.kind, event.output, event.exit_code) == ("command", "done", 0)
    assert seen < len(told)
    assert [e.text for e in found] == ["meanwhile", "after"]


def test_a_result_after_the_window_is_an_orphan() -> None:
    filler = [user(f"prompt {n}") for n in range(8)]
    found, report = streamed(call(), *filler, result(), window=NARROW)
    assert [e.kind for e in found] == ["command", *["prompt"] * 8, "tool_result"]
    assert found[0].output is None and found[0].exit_source is None and found[-1].output == "done"
    assert report.orphan_results == 1 and report.balanced
    assert [e.kind for e in streamed(call(), *filler, result())[0]] == ["command", *["prompt"] * 8]


def test_a_window_of_text_ends_the_waiting_too() -> None:
    big = [user("x" * 1000) for _ in range(8)]
    found, report = streamed(call(), *big, result(), window=Window(bytes=2000, step=1))
    assert report.orphan_results == 1 and len(found) == 10


def test_a_call_that_is_answered_never_ends_the_run_in_order() -> None:
    found, _ = streamed(call("a"), call("b"), result("b"), result("a"), user("x"), window=Window(step=1))
    assert [e.call for e in found[:2]] == ["a", "b"] and found[2].text == "x"


def test_a_queued_prompt_is_withdrawn_when_it_is_delivered() -> None:
    found, report = streamed(user("go"), queued("also"), call(), result(), user("also"))
    assert [(e.text or e.command, e.fidelity) for e in found] == [
        ("go", "observed"),
        ("make", "observed"),
        ("also", "observed"),
    ]
    assert report.balanced and report.skipped == {"queue-operation": 1} and report.used == 4
    kept, report = streamed(user("go"), queued("also"), call(), result())
    assert [e.fidelity for e in kept] == ["observed", "inferred", "observed"] and report.skipped == {}


def test_files_of_other_formats_and_of_none_are_refused_with_a_way_out() -> None:
    with pytest.raises(BrokenInput, match="no known trace format"):
        list(stream_events([b"{}\n"]))
    with pytest.raises(BrokenInput, match="atif is not read as a stream"):
        list(stream_events([b"{}\n"], format="atif"))


def test_a_file_of_garbage_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "MOST_MALFORMED", 50)
    with pytest.raises(BrokenInput, match="more than 50 lines are no JSON objects"):
        list(stream_events([*lines(user("go")), *[b"x\n"] * 200]))


def test_names_made_up_by_a_file_are_folded() -> None:
    made_up = [{"type": f"new-{n}", "version": f"v{n}"} for n in range(3000)]
    _, report = streamed(user("go"), *made_up, user("end"))
    assert report.balanced and report.unknown.total() == 3000 and report.versions.total() == 3000
    assert len(report.unknown) < 1100 and report.unknown["(others)"] > 1900


@pytest.mark.parametrize("format", SEEDS)
@pytest.mark.parametrize("window", [None, NARROW], ids=["wide", "narrow"])
def test_the_seeds_of_every_format(format: str, window: Window | None) -> None:
    for records_of in (SEEDS[format], SEEDS[format] * 5):
        whole = READERS[format](lines(*records_of))
        report = ImportReport("")
        found = tuple(stream_events(lines(*records_of), report, format, window))
        assert report.balanced and report.seen == whole.report.seen
        if window is None:
            assert found == whole.events and report == whole.report


_RECORDS = st.one_of(
    st.sampled_from(["go", "also", "more", "/exit", "<x>"]).flatmap(
        lambda text: st.sampled_from(
            [user(text), queued(text), user([{"type": "text", "text": text}], uuid=f"u-{text}"),
             {"type": "queue-operation", "operation": "popAll", "content": text},
             {"type": "attachment", "attachment": {"type": "queued_command", "prompt": text}}]
        )
    ),
    st.sampled_from("abc").flatmap(lambda name: st.sampled_from([call(name), result(name), result(name, "again")])),
    st.just({"type": "summary", "summary": "x", "leafUuid": "y"}),
    st.just({"type": "brand-new"}),
    st.just(b"{torn\n"),
)  # fmt: skip


@given(st.lists(_RECORDS, max_size=40))
@NOISE
def test_within_the_window_the_stream_is_the_reader(given_records: list[dict[str, Any] | bytes]) -> None:
    whole = READERS["claude-code"](lines(*given_records))
    report = ImportReport("")
    assert tuple(stream_events(lines(*given_records), report, "claude-code", Window(step=1))) == whole.events
    assert report == whole.report and report.balanced


@given(st.lists(_RECORDS, max_size=40))
@NOISE
def test_a_narrow_window_loses_no_record(given_records: list[dict[str, Any] | bytes]) -> None:
    report = ImportReport("")
    found = list(stream_events(lines(*given_records), report, "claude-code", NARROW))
    assert report.balanced and report.seen == len(given_records)
    assert [e.line for e in found] == sorted(e.line or 0 for e in found)
    for event in found:
        assert Event.model_validate(event.model_dump()) == event


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the real sessions in ../shared, which are not part of the project"
)
def test_real_sessions_give_the_reader_s_events() -> None:
    checked: Counter[str] = Counter()
    for path in sorted([*SHARED.glob("data/real_sessions/*.jsonl"), *SHARED.glob("traces/*/*.jsonl")]):
        try:
            harness = detect_file(path)
        except BrokenInput:
            continue
        if harness not in STREAMED:
            continue
        with path.open("rb") as stream:
            whole = READERS[harness](stream)
        report = ImportReport("")
        with path.open("rb") as stream:
            assert tuple(stream_events(stream, report)) == whole.events, path
        assert report == whole.report, path
        narrow = ImportReport("")
        with path.open("rb") as stream:
            count = sum(1 for _ in stream_events(stream, narrow, window=Window(records=30, ahead=20, step=3)))
        assert narrow.balanced and count >= len(whole.events), path
        checked[harness] += 1
    assert checked["claude-code"] > 100 and checked["codex"] > 20 and checked["pi"] == 1


def test_memory_does_not_grow_with_the_file() -> None:
    window = Window(records=300, bytes=1 << 20, step=16)
    given_lines = list(islice(records(), 3000))

    def most_of(count: int) -> int:
        tracemalloc.start()
        for _ in stream_events(given_lines[:count], window=window):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    short, long = most_of(600), most_of(3000)
    assert long < 1.5 * short < 1.5 * (4 << 20), (short, long)


def test_memory_does_not_grow_with_calls_that_nobody_answers() -> None:
    transcript = Transcript()
    for number in range(1000):
        transcript.add_call(event_of({"line": number}, {"kind": "tool_call", "call": f"c{number}", "tool": "x"}))
        transcript.release(transcript.end, transcript.end - 10)
    assert len(transcript.events) == 10
    held = (transcript._positions, transcript._unanswered, transcript._open)
    assert {len(part) for part in held} == {10}
    assert not transcript.answer("c5", Result()) and transcript.answer("c995", Result(output="late"))


def test_an_event_that_is_not_validated_is_the_one_that_is() -> None:
    base = {"ts": "2026-01-02T12:00:00Z", "line": 3, "thread": "sub:a"}
    fields = {"kind": "command", "command": "x", "args": {"a": [1]}, "call": "c"}
    made, checked = event_of(base, fields), Event.model_validate({**base, **fields})
    assert made == checked and made.model_fields_set == checked.model_fields_set and hash(made.kind)
    assert made.model_dump_json() == checked.model_dump_json()
    transcript = Transcript()
    transcript.add_call(made)
    transcript.answer("c", Result("out", ok=True, exit_code=0, exit_source="implied"))
    told = {"output": "out", "ok": True, "exit_code": 0, "exit_source": "implied", "approval": None}
    assert transcript.events[0] == made.model_copy(update=told)
    assert transcript.events[0].model_fields_set == made.model_copy(update=told).model_fields_set
    assert made.output is None  # the event that was given out before does not change


def test_what_was_seen_of_late() -> None:
    recent = Recent(3)
    assert recent.is_new("a") and not recent.is_new("a")
    for name in "bcd":
        recent.put(name, name.upper())
    assert "a" in recent and recent.get("d") == "D"
    for name in "efghi":
        recent.put(name, None)
    assert "a" not in recent and "h" in recent
    assert recent.pop("h") is None and "h" not in recent
    everything = Recent()
    assert all(everything.is_new(n) for n in range(1000)) and not everything.is_new(0)


@given(st.data())
@NOISE
@pytest.mark.parametrize("format", SEEDS)
def test_records_of_any_shape_are_survived(format: str, data: st.DataObject) -> None:
    whole = lines(*[data.draw(broken(record)) for record in SEEDS[format]])
    found = READERS[format](whole)
    report = ImportReport("")
    assert tuple(stream_events(whole, report, format)) == found.events
    assert report == found.report


def real_text(format: str) -> str:
    """The first records of a real session, or the seeds where there is none at hand."""
    folder = {"claude-code": "claude_code", "codex": "codex"}.get(format, "none")
    for path in sorted((SHARED / "traces" / folder).glob("*.jsonl")):
        return "".join(path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)[:40])
    return b"".join(lines(*SEEDS[format])).decode()


@given(st.data())
@NOISE
@pytest.mark.parametrize("format", SEEDS)
def test_bytes_of_any_kind_are_survived(format: str, data: st.DataObject) -> None:
    raw = data.draw(broken_texts(real_text(format)))
    found = READERS[format](io.BytesIO(raw))
    assert_sound(found)
    report = ImportReport("")
    assert tuple(stream_events(io.BytesIO(raw), report, format)) == found.events
    assert report == found.report


@given(
    st.lists(st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"")), max_size=12),
    st.booleans(),
    st.integers(1, 40),
)
@NOISE
def test_lines_are_those_of_the_file(parts: list[bytes], ended: bool, longest: int) -> None:
    raw = b"\n".join(parts) + (b"\n" if ended and parts else b"")
    expected = [line if len(line.rstrip(b"\n")) <= longest else b"\0" for line in io.BytesIO(raw)]
    assert list(bounded_lines(io.BytesIO(raw), longest)) == expected


def test_a_line_without_end_takes_no_memory_and_is_counted() -> None:
    raw = b'{"a": 1}\n' + b'{"a": "' + b"x" * (4 << 20) + b'"}\n' + b'{"b": 2}'
    tracemalloc.start()
    found = list(read_lines(bounded_lines(io.BytesIO(raw), 1000)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [(line.number, line.record) for line in found] == [(1, {"a": 1}), (2, None), (3, {"b": 2})]
    assert most < 100_000
