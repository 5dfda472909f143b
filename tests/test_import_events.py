"""``bench import --events``: events as JSON lines, secrets redacted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from printed import flat

from bench.cli import main
from bench.schema.event import Event
from bench.traces.detect import read_session

SECRET = "ghp_" + "a1B2" * 9


def user(content: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": str(content)[:40], "message": {"role": "user", "content": content}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"login {SECRET}", "n": 10**30}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "in", "is_error": False}
    records = [
        user("go"),
        {"type": "assistant", "uuid": "a", "message": {"content": [call]}},
        user([answer]),
        {"type": "new"},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_one_event_a_line(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deep" / "out.jsonl"
    assert main(["import", str(path), "--events", str(out)]) == 0
    told = flat(capsys.readouterr().out)
    assert "2 events from 4 records, 3 used, 0 skipped, 1 of unknown type (new)" in told and "1 secret redacted" in told
    assert SECRET not in out.read_text(encoding="utf-8")
    events = [Event.model_validate(json.loads(line)) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [e.kind for e in events] == ["prompt", "command"]
    assert events[1].command == "login [redacted:github-token]" and events[1].args == {"n": 10**30}
    assert events[0] == read_session(path).events[0]
    assert sorted(p.name for p in out.parent.iterdir()) == ["out.jsonl"]


def test_a_session_with_its_sub_agents(
    path: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = {"isSidechain": True, "agentId": "a7", **user("look there")}
    beside = tmp_path / "agent-a7.jsonl"
    beside.write_text(json.dumps(agent), encoding="utf-8")
    outs = [tmp_path_factory.mktemp("out") / name for name in ("one.jsonl", "two.jsonl")]
    assert main(["import", str(path), str(beside), "--events", str(outs[0])]) == 0
    assert main(["import", str(tmp_path), "--events", str(outs[1])]) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes() and b"sub:a7" in outs[0].read_bytes()
    assert "3 events" in capsys.readouterr().out


def test_several_sessions_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "done"}]
    trials = [{"task_id": 1, "trial": t, "reward": 1.0, "info": {}, "traj": chat} for t in range(7)]
    path, out = tmp_path / "r.json", tmp_path / "out.jsonl"
    path.write_text(json.dumps(trials), encoding="utf-8")
    assert main(["import", str(path), "--events", str(out)]) == 0
    told = capsys.readouterr().out
    assert told.count("2 events") == 5 and "... and 2 more sessions" in told
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row.pop("session") for row in rows] == [n for n in range(1, 8) for _ in range(2)]
    assert [Event.model_validate(row).text for row in rows] == ["go", "done"] * 7


@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param(["nowhere.jsonl"], "cannot be read", id="no-such-file"),
        pytest.param(["s.jsonl", "--format", "codex"], "no event in 4 records read as codex", id="another-format"),
        pytest.param([".", "--format", "codex"], "a folder", id="a-folder-of-another-format"),
        pytest.param(["empty.jsonl"], "the file is empty", id="empty"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(
    path: Path, words: list[str], found: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    Path("empty.jsonl").touch()
    assert main(["import", *words, "--events", "out.jsonl"]) == 3
    assert found in capsys.readouterr().err
    assert not list(Path().glob("*out.jsonl*"))
