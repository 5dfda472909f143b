"""``bench judge``: sessions of one's own, real and broken, to verdicts or clear reasons."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from printed import flat

from bench.cli import main
from bench.commands.judge import DEFAULT_JUDGES
from bench.judges.rules import RULE_FOLDER

SHARED = Path(__file__).parents[2] / "shared"
NUMBERS = itertools.count()
NOON = "2026-01-02T12:00:00.000Z"
REAL = [
    *sorted((SHARED / "traces/claude_code").glob("*.jsonl")),
    *sorted((SHARED / "traces/codex").glob("*.jsonl")),
    *sorted((SHARED / "data/real_sessions").glob("R0?5.jsonl"))[:10],
]
ORIGINS = ("claude_code", "codex", "real_sessions")

RULE = """\
id: says-hello
version: 1
title: Somebody says hello
description: For this test.
match: e.text.contains("hello")
tests:
  - {name: hello, verdict: match, events: [{kind: message, text: hello}]}
  - {name: bye, verdict: no_match, events: [{kind: message, text: bye}]}
"""
OWN = """\
class Short:
    def judge(self, item, question):
        return item.projection.total < 10
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def record(kind: str, content: Any, **fields: Any) -> str:
    message = {"role": kind, "content": content}
    return json.dumps(
        {"type": kind, "uuid": f"u{next(NUMBERS)}", "sessionId": "s", "timestamp": NOON, "message": message, **fields}
    )


def session(path: Path, *extra: str) -> Path:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok", "is_error": False}
    lines = [record("user", "hello, build it"), record("assistant", [call]), record("user", [result])]
    path.write_text("\n".join([*lines, *extra, record("user", "no, use just instead")]) + "\n", encoding="utf-8")
    return path


def told_json(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    verdicts: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["verdicts"]
    return verdicts


@pytest.mark.parametrize("origin", ORIGINS)
def test_every_real_session_gets_a_verdict_or_a_reason(origin: str, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [path for path in REAL if path.parent.name == origin]
    if not paths:
        pytest.skip(f"the sessions of {origin} are not here")
    judges = [*DEFAULT_JUDGES, "rule:failed-then-succeeded", "rule:last-command-succeeded", "anchors"]
    options = [word for name in judges for word in ("--judge", name)]
    assert main(["judge", *map(str, paths), *options, "--json"]) == 0
    rows = told_json(capsys)
    assert [(row["session"], row["judge"]) for row in rows] == [(str(p), j) for p in paths for j in judges]
    for row in rows:
        assert (row["answer"] in ("yes", "no")) != (row["unscored"] in ("abstained", "not_applicable")), row
        assert row["answer"] or row["detail"]
        assert all(number >= 1 for number in row["evidence"])


def test_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session(tmp_path / "a.jsonl")
    assert main(["judge", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a.jsonl: claude-code, 3 events from 4 records, 4 used, 0 skipped"
    assert [line.split() for line in lines[1:-2]] == [
        ["rule:prompt-after-call", "yes,", "event", "3"],
        ["rule:prompt-directly-after", "yes,", "event", "3"],
        ["rule:correction-words", "yes,", "event", "3"],
        ["rule:refused-call", "no"],
        ["exact", "yes,", "event", "2"],
    ]
    assert lines[-2] == "1 session; 5 of 5 verdicts scored; stored in .bench/runs"
    assert lines[-1].startswith("next: bench ")


def test_a_malformed_line_is_counted_and_not_fatal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session(tmp_path / "a.jsonl", '{"type": "user", "message": {"role', "not json")
    assert main(["judge", str(path), "--judge", "exact"]) == 0
    head, verdict = re.split(r"\n(?=  exact)", capsys.readouterr().out.partition("\n1 session")[0])
    head = flat(head)
    assert "3 events from 6 records, 4 used" in head and "2 malformed (line 4, 5)" in head
    assert verdict.split() == ["exact", "yes,", "event", "2"]


@pytest.mark.parametrize("as_json", [False, True])
def test_an_unreadable_file_among_good_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    good = [session(tmp_path / "a.jsonl"), session(tmp_path / "z.jsonl")]
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "other.jsonl").write_bytes(b'{"role": "user"}\n')
    (tmp_path / "binary.jsonl").write_bytes(bytes(range(256)) * 40)
    bad = [tmp_path / name for name in ("none.jsonl", "empty.jsonl", "other.jsonl", "binary.jsonl", ".")]
    order = [good[0], *bad, good[1]]
    assert main(["judge", *map(str, order), "--judge", "exact", *(["--json"] if as_json else [])]) == 3
    out, err = capsys.readouterr()
    for path in bad:
        assert str(path) in err
    assert err.count("to mend: ") == len(bad)
    if as_json:
        told = json.loads(out)
        assert told["exit_code"] == 3
        assert [row["session"] for row in told["verdicts"]] == [str(path) for path in good]
        assert [row["session"] for row in told["unread"] if row["problems"]] == [str(path) for path in bad]
    else:
        assert "2 sessions; 5 files unreadable; 2 of 2 verdicts scored" in out
    (stored,) = (tmp_path / ".bench/runs").glob("exact-*.jsonl")
    assert len(stored.read_text(encoding="utf-8").splitlines()) == 1  # both good sessions hold the same


def test_nothing_scored_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", str(session(tmp_path / "a.jsonl")), "--judge", "anchors"]) == 2
    assert "0 of 1 verdict scored" in capsys.readouterr().out


def test_verdicts_are_stored_once_under_their_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session(tmp_path / "a.jsonl")
    for _ in range(2):
        assert main(["judge", str(path), "--store", "kept", "--json"]) == 0
        assert len(told_json(capsys)) == len(DEFAULT_JUDGES)
    files = sorted((tmp_path / "kept").glob("*.jsonl"))
    assert len(files) == len(DEFAULT_JUDGES)
    for file in files:
        (line,) = file.read_text(encoding="utf-8").splitlines()
        row = json.loads(line)
        assert row["asked_for"] == "a.jsonl" and len(row["item"]) == 64
        manifest = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        assert (manifest["judge_id"], manifest["preset"]) == (file.stem, "events@1")


def test_a_rule_file_and_a_class_from_the_current_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session(tmp_path / "a.jsonl")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/mine.rule.yaml").write_text(RULE, encoding="utf-8")
    (tmp_path / "my_short_judge.py").write_text(OWN, encoding="utf-8")
    judges = ["rules/mine.rule.yaml", str(tmp_path / "rules/mine.rule.yaml"), "my_short_judge:Short"]
    options = [word for name in judges for word in ("--judge", name)]
    assert main(["judge", str(path), *options, "--json"]) == 0
    sys.modules.pop("my_short_judge")
    rows = told_json(capsys)
    assert [(row["judge"], row["answer"]) for row in rows] == [
        ("rule:says-hello", "yes"),
        ("rule:says-hello", "yes"),
        ("my_short_judge:Short", "yes"),
    ]
    assert rows[0]["evidence"] == [1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--judge", "nope"], "no judge 'nope'"),
        (["--judge", "nope.rule.yaml"], "nope.rule.yaml"),
        (["--judge", "no_such_module:X"], "No module named 'no_such_module'"),
        (["--judge", "broken.rule.yaml"], "broken.rule.yaml:5, field match"),
        (["--preset", "nope"], "use one of events"),
        (["--format", "nope"], "invalid choice"),
        (["--statement", "nope"], "no suite"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    path = session(tmp_path / "a.jsonl")
    (tmp_path / "broken.rule.yaml").write_text(RULE.replace("e.text", "text"), encoding="utf-8")
    try:
        code = main(["judge", str(path), *options])
    except SystemExit as usage:
        code = int(str(usage.code))
    out, err = capsys.readouterr()
    assert (code, out) == (3, "")
    assert told in err
    assert not (tmp_path / ".bench").exists()


def test_a_preset_is_part_of_the_identity(tmp_path: Path) -> None:
    path = session(tmp_path / "a.jsonl")
    for preset in ("events", "windows-1k"):
        assert main(["judge", str(path), "--judge", "exact", "--preset", preset]) == 0
    assert len(list((tmp_path / ".bench/runs").glob("exact-*.jsonl"))) == 2


def test_a_secret_of_a_session_is_neither_printed_nor_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "ghp_" + "Zx9" * 12
    path = session(tmp_path / "a.jsonl", record("user", f"hello, no, it is {secret}"))
    (tmp_path / "leaky_judge.py").write_text(
        "from bench.judges.contract import Verdict\n"
        "class Leaky:\n    def judge(self, item, question):\n"
        "        return Verdict('yes', reason=' '.join(e.text or '' for e in item.projection.events))\n",
        encoding="utf-8",
    )
    assert main(["judge", str(path), "--judge", "leaky_judge:Leaky", "--judge", "exact"]) == 0
    sys.modules.pop("leaky_judge")
    kept = [file.read_text(encoding="utf-8") for file in (tmp_path / ".bench").rglob("*") if file.is_file()]
    assert any("[redacted:github-token]" in text for text in kept)
    assert not any(secret[4:] in text for text in [*kept, *capsys.readouterr()])


def test_the_shipped_rule_by_path_is_the_shipped_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session(tmp_path / "a.jsonl")
    shutil.copy(RULE_FOLDER / "refused-call.rule.yaml", tmp_path)
    names = ("rule:refused-call", "refused-call.rule.yaml")
    assert main(["judge", str(path), *[word for name in names for word in ("--judge", name)], "--json"]) == 0
    assert len(list((tmp_path / ".bench/runs").glob("*.jsonl"))) == 1
    assert len(told_json(capsys)) == 2


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--judge", "prompts", "--parameter", "at_least=1"], 0, "yes"),
        (["--judge", "prompts", "--parameter", "at_least=9"], 0, "no"),
        (["--judge", "prompts"], 3, "at_least"),
        (["--judge", "prompts", "--parameter", "at_least"], 3, "NAME=VALUE"),
        (["--parameter", "at_least=1"], 3, "without one --judge"),
    ],
)
def test_a_judge_takes_its_parameters(
    words: list[str],
    code: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    line = '{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"mend the lamp"}}'
    (tmp_path / "session.jsonl").write_text(line + "\n", encoding="utf-8")
    assert main(["judge", "session.jsonl", *words]) == code
    shown = capsys.readouterr()
    assert told in shown.out + shown.err
