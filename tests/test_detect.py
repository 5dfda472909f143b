"""Formats are told from content, and whatever is none of them is refused with a way out."""

from __future__ import annotations

import copy
import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.problems import BrokenInput
from bench.schema.event import Event
from bench.traces.detect import READERS, detect, read_session

SHARED = Path(__file__).parents[2] / "shared"
INDEX = SHARED / "data/real_sessions/index.csv"
# Filed as claude-code, and written by another harness (type session, model_change, message).
MISFILED = {"R137"}

CLAUDE = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "go"}}
CODEX = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"text": "go"}]}}


def lines(*records: Any) -> list[bytes]:
    return [r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in records]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        pytest.param(lines(CLAUDE), "claude-code", id="claude-prompt"),
        pytest.param(lines({"type": "summary", "summary": "s", "leafUuid": "l"}), "claude-code", id="claude-summary"),
        pytest.param(lines(*[{"type": "mode"}] * 50, CLAUDE), "claude-code", id="claude-after-bookkeeping"),
        pytest.param(lines(b"not json\n", CLAUDE), "claude-code", id="after-a-bad-line"),
        pytest.param(lines(CODEX), "codex", id="codex"),
        pytest.param(lines({"type": "session_meta", "payload": {}}), "codex", id="codex-meta"),
        pytest.param(lines({"id": "s", "timestamp": "t", "instructions": None}), "codex", id="codex-bare-meta"),
        pytest.param(lines({"type": "message", "role": "user", "content": []}), "codex", id="codex-bare-item"),
        pytest.param(lines(), None, id="empty"),
        pytest.param(lines(b"{\n", b'  "messages": []\n', b"}\n"), None, id="one-document-over-several-lines"),
        pytest.param(lines({"type": "session", "id": "s"}, {"type": "message", "message": {}}), None, id="pi"),
        pytest.param(lines({"role": "user", "message": {"content": "go"}}), None, id="cursor"),
        pytest.param(lines({"type": "user", "payload": {}, "uuid": "u"}), None, id="half-of-both"),
    ],
)
def test_detects(head: list[bytes], expected: str | None) -> None:
    assert detect(head) == expected


def test_the_name_of_the_file_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "rollout-codex.json"
    path.write_bytes(b"".join(lines(CLAUDE)))
    assert read_session(path).harness == "claude-code"


def test_a_given_format_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(lines(CLAUDE)))
    with pytest.raises(BrokenInput, match="no event in 1 records read as codex"):
        read_session(path, "codex")


@pytest.mark.parametrize(
    ("content", "format", "found"),
    [
        pytest.param(b"", None, "empty", id="empty"),
        pytest.param(b"\n \n", None, "empty", id="blank"),
        pytest.param(b"\n", "codex", "empty", id="empty-with-a-format"),
        pytest.param(b"hello\nworld\n", None, "none of the first 2 lines is a JSON object", id="no-json"),
        pytest.param(b'{"type": "session", "id": 1}\n', None, "type 'session' and the fields type, id", id="other"),
        pytest.param(b'{"type": "\\u001b[31m"}\n', None, "no known trace format", id="control-characters"),
        pytest.param(b"{}\n", "beta", "--format beta", id="no-such-format"),
        pytest.param(None, None, "cannot be read", id="no-such-file"),
    ],
)
def test_refuses(tmp_path: Path, content: bytes | None, format: str | None, found: str) -> None:
    path = tmp_path / "s.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BrokenInput) as caught:
        read_session(path, format)
    [problem] = caught.value.problems
    assert problem.file == str(path) and found in problem.found and problem.fix
    assert problem.found.isprintable()


def test_a_refusal_names_the_formats_and_the_flag(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    with pytest.raises(BrokenInput, match=r"claude-code, codex.*--format"):
        read_session(path)


SEEDS: dict[str, list[dict[str, Any]]] = {
    "claude-code": [
        {**CLAUDE, "parentUuid": None, "isSidechain": True, "agentId": "a", "timestamp": "2026-01-02T12:00:00Z"},
        {
            "type": "user",
            "message": {"content": [{"type": "text", "text": "x"}, {"type": "image"}]},
            "origin": {"kind": "x"},
        },
        {
            "type": "assistant",
            "message": {
                "id": "m",
                "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "x"}}],
            },
        },
        {
            "type": "user",
            "message": {
                "content": [
                    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text"}], "is_error": True}
                ]
            },
            "toolUseResult": {"interrupted": False},
        },
        {"type": "system", "subtype": "stop_hook_summary", "hookErrors": ["x"]},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": ["x"]}},
        {"type": "queue-operation", "operation": "enqueue", "content": "x"},
    ],
    "codex": [
        {"type": "session_meta", "payload": {"source": {"subagent": "x"}, "cli_version": "1"}},
        {**CODEX, "timestamp": "2026-01-02T12:00:00Z"},
        {
            "type": "response_item",
            "payload": {"type": "function_call", "name": "shell", "call_id": "c", "arguments": '{"command": ["x"]}'},
        },
        {
            "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c", "output": [{"type": "x", "text": "y"}]},
        },
        {
            "type": "event_msg",
            "payload": {"type": "exec_command_end", "call_id": "c", "exit_code": 1, "command": ["x"]},
        },
        {"type": "event_msg", "payload": {"type": "user_message", "message": "x", "images": ["x"]}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"text": "x"}]}},
        {
            "type": "event_msg",
            "payload": {"type": "patch_apply_end", "call_id": "d", "changes": {"a": {}}, "success": True},
        },
    ],
}
ODD: list[Any] = [None, True, 0, -1.5, "", "\ud800", "\x00", [], [None], [[]], {}, {"type": None}, [{"type": 7}]]


def mutants(record: dict[str, Any], randomness: random.Random) -> Iterator[dict[str, Any]]:
    for _ in range(60):
        mutant = copy.deepcopy(record)
        node: Any = mutant
        while True:
            key = randomness.choice(list(node) if isinstance(node, dict) else range(len(node)))
            if not isinstance(node[key], dict | list) or not node[key] or randomness.random() < 0.3:
                node[key] = randomness.choice(ODD)
                break
            node = node[key]
        yield mutant


@pytest.mark.parametrize("format", SEEDS)
def test_fields_of_any_type_are_survived(format: str) -> None:
    randomness = random.Random(20261130)
    for position, record in enumerate(SEEDS[format]):
        for mutant in mutants(record, randomness):
            records = [*SEEDS[format][:position], mutant, *SEEDS[format][position + 1 :]]
            found = READERS[format](lines(*records))
            assert found.report.balanced and found.report.seen == len(records)
            for event in found.events:
                assert Event.model_validate(event.model_dump()) == event, mutant


@pytest.mark.skipif(
    not INDEX.is_file(), reason="needs the real sessions in ../shared, which are not part of the project"
)
def test_all_real_sessions() -> None:
    rows = list(csv.DictReader(INDEX.read_text().splitlines()))
    assert len(rows) == 140
    for row in rows:
        path = INDEX.parent / f"{row['id']}.jsonl"
        if row["id"] in MISFILED:
            assert read_session(path).harness == "pi"
            continue
        found = read_session(path)
        assert found.harness == row["format"] and found.report.balanced and found.events, path


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the traces in ../shared, which are not part of the project")
def test_traces_of_other_formats_are_not_mistaken() -> None:
    mine = {"claude_code": "claude-code", "codex": "codex", "claude-code": "claude-code"}
    for path in sorted((SHARED / "traces").glob("*/*")):
        owner = path.name.split("__")[0] if path.parent.name == "fixtures" else path.parent.name
        with path.open("rb") as stream:
            assert detect(stream) == mine.get(owner), path
