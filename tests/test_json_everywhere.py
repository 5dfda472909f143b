"""`--json` on every command: one document on stdout, whose exit code is the command's, in every outcome."""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from certificates import write_session, write_tree
from printed import too_wide
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.cli import _MODULES, COMMANDS, GROUPS, main

CASES = [f"S{number:03d}" for number in range(30)]
SPLITS = {f"family-{case}": ("development", "calibration", "test")[int(case[1:]) % 3] for case in CASES}
JUDGES = [
    {"judge": "always-yes", "answers": ["polite", "solved"]},
    {"judge": "prompts", "answers": ["polite"], "parameters": {"at_least": "1"}},
    {"judge": "rule:refused-call", "answers": ["polite"]},
    {"judge": "rule:five-calls", "answers": ["polite"]},
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite with its verdicts stored, a certificate, sessions and tables."""
    root = tmp_path_factory.mktemp("json")
    cases = [case_tree(case) for case in CASES]
    votes = [votes_tree(case, {"polite": "yes" if n % 2 else "no", "solved": "yes"}) for n, case in enumerate(CASES)]
    suite = suite_tree(JUDGES)
    suite["statements"][0]["critical"] = True
    suite["vocabulary"]["harness"]["claude-code"] = "a coding agent"
    layout = write(root, suite, cases, votes, SPLITS)
    assert main(["run", "--suite", str(layout.suite)]) == 0
    assert main(["accept", "--suite", str(layout.suite)]) == 0
    write_session(root / "one.jsonl", corrected=True)
    write_tree(root / "c.json")
    rows = [f"s{n},{'yes' if n % 2 else 'no'},{'yes' if n % 5 else 'no'},{n % 10 / 10},g{n}" for n in range(80)]
    (root / "t.csv").write_text("id,label,verdict,probability,group\n" + "\n".join(rows) + "\n", encoding="utf-8")
    pool = [f"u{n},{'yes' if n % 3 else 'no'}" for n in range(80)]
    (root / "u.csv").write_text("id,verdict\n" + "\n".join(pool) + "\n", encoding="utf-8")
    (root / "l.csv").write_text("label,verdict\n" + "yes,yes\nno,no\n" * 30, encoding="utf-8")
    (root / "live.jsonl").write_text('{"answer": "yes"}\n', encoding="utf-8")
    return root


@pytest.fixture
def project(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    shutil.copytree(model, root)
    monkeypatch.chdir(root)
    return root


# command -> its words and the exit code they end with
CALLS: dict[str, list[tuple[str, int]]] = {
    "all": [("--no-plots", 0)],
    "run": [("", 0), ("--dry-run", 0), ("--case S999", 2)],
    "batch": [("export r.jsonl --judge nobody --form openai", 3)],
    "report": [("--no-plots", 0)],
    "verify": [("", 0)],
    "accept": [("", 0)],
    "compare": [("always-yes rule:five-calls", 2), ("a b", 3)],
    "failures": [("", 0), ("--out f.md", 0), ("--judge nobody", 3)],
    "init": [("mine", 0), ("support", 3)],
    "new": [("", 0), ("nowhere", 3)],
    "lint": [("", 0)],
    "show": [("S001", 0), ("S999", 3)],
    "label": [("--annotator x --case S999", 3)],
    "adjudicate": [("--adjudicator x --list", 0)],
    "agreement": [("", 0), ("--pilot", 2)],
    "split": [("", 0)],
    "triage": [("--statement polite", 2), ("", 3)],
    "doctor": [("", 0)],
    "check": [("t.csv", 0), ("t.csv --min precision=.99", 1), ("none.csv", 3)],
    "census": [("one.jsonl", 0), ("l.csv", 2), ("nowhere", 3)],
    "judge": [("one.jsonl", 0), ("one.jsonl nowhere.jsonl", 3), ("one.jsonl --judge nobody", 3)],
    "judges": [("", 0)],
    "import": [("one.jsonl --events e.jsonl", 0), ("one.jsonl --atif a.json", 0), ("one.jsonl", 0), ("nowhere", 3)],
    "attempts": [("one.jsonl", 2)],
    "probe": [("--limit 2", 0), ("--case S999", 2)],
    "sweep": [("prompts", 0), ("nobody", 2), ("--table t.csv --statement probability", 0)],
    "calibrate": [("", 2), ("always-yes", 2), ("nobody", 2)],
    "gate": [("c.json one.jsonl", 0), ("none.json one.jsonl", 3)],
    "drift": [("c.json live.jsonl", 2)],
    "estimate": [("l.csv u.csv", 0), ("l.csv", 3)],
    "panel": [("", 0)],
    "fit": [("", 0)],
    "train": [("--statement polite", 2), ("--statement nothing", 3)],
    "recalibrate": [("--table t.csv", 0), ("always-yes --statement polite", 2)],
    "fetch": [("", 0), ("--case S999", 3)],
    "fetch-model": [("no-such-model", 3)],
    "export": [("--to out", 0), ("--to .", 3)],
    "diff": [("cases/support cases/support", 0), ("x y", 3)],
    "scan": [("t.csv", 0), ("nowhere", 3)],
    "schema": [("--out schemas", 0), ("--out t.csv", 3)],
}


def code(*words: str) -> int:
    try:
        return main(words)
    except SystemExit as leaving:
        return int(leaving.code or 0)


def test_every_command_is_called_here() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_json(command: str) -> None:
    parser = argparse.ArgumentParser()
    importlib.import_module(f"bench.commands.{_MODULES.get(command, command)}").add_arguments(parser)
    assert "--json" in parser.format_help()


@pytest.mark.parametrize("command", COMMANDS)
def test_stdout_is_one_document_that_agrees_with_the_exit_code(
    command: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, wanted in CALLS[command]:
        capsys.readouterr()
        ended = code(command, *words.split(), "--json")
        told = json.loads(capsys.readouterr().out)
        assert isinstance(told, dict), words
        assert (ended, told["exit_code"]) == (wanted, wanted), words


@pytest.mark.parametrize("command", COMMANDS)
def test_the_text_fits_and_ends_the_same(command: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, wanted in CALLS[command]:
        capsys.readouterr()
        assert code(command, *words.split()) == wanted, words
        out = capsys.readouterr().out
        if command not in ("show", "failures"):  # sessions and pages are not broken
            assert too_wide(out) == [], words


# --- failures are documents too, and told on stderr as ever ---


def failed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any], str]:
    capsys.readouterr()
    ended = code(*words, "--json")
    out, err = capsys.readouterr()
    return ended, json.loads(out), err


def test_broken_input(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "cases/support/S002.yaml").write_text("id: [", encoding="utf-8")
    ended, told, err = failed(capsys, "doctor")
    assert (ended, told["exit_code"]) == (3, 3)
    (problem,) = told["problems"]
    assert set(problem) == {"file", "line", "case", "field", "found", "fix"}
    assert (problem["file"], problem["line"]) == ("cases/support/S002.yaml", 1)
    assert problem["found"] in err and problem["fix"] in err


def test_what_cannot_be_decided(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended, told, err = failed(capsys, "sweep", "prompt")
    assert (ended, told["exit_code"]) == (2, 2)
    assert told["reason"].startswith("no judge 'prompt' has verdicts here; did you mean prompts?")
    assert told["reason"] in err


def test_wrong_words(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended, told, err = failed(capsys, "check", "--nonsense")
    assert (ended, told["exit_code"]) == (3, 3)
    assert told["problems"][0]["found"] in err and told["problems"][0]["fix"] == "bench check --help"
    ended, told, err = failed(capsys, "verfy")
    assert ended == 3 and told["problems"][0]["fix"].startswith("did you mean verify?")


def test_a_crash_and_an_interrupt(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("BENCH_DEBUG", raising=False)
    for error, wanted in ((RuntimeError("oh"), 3), (KeyboardInterrupt(), 130)):

        def fail(*_: Any, error: BaseException = error) -> Any:
            raise error

        monkeypatch.setattr("bench.commands.doctor.load", fail)
        ended, told, err = failed(capsys, "doctor")
        assert (ended, told["exit_code"]) == (wanted, wanted)
        assert told["reason"] in err


# --- the way in ---


def test_the_listing_names_every_command_once_in_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert sum(map(len, GROUPS.values())) == len(COMMANDS)
    listed = [line.split()[0] for line in out.splitlines() if line.startswith("  ") and line[2] != " "]
    assert listed == list(COMMANDS)
    assert all(f"\n{title}:\n" in out for title in GROUPS)
    assert too_wide(out) == []


def test_without_words_one_is_told_where_to_start(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "start here:" in out and too_wide(out) == []
    commands = [line.split()[1] for line in out.splitlines() if line.startswith("  bench ")]
    assert [word for word in commands if word not in COMMANDS and word != "--help"] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(command, "--help") == 0
    assert too_wide(capsys.readouterr().out) == []


@pytest.mark.parametrize("words", [
    ["import", "one.jsonl"], ["new"], ["split"], ["fit"], ["check", "t.csv"], ["judge", "one.jsonl"], ["run"],
    ["triage", "--statement", "polite", "--out", "d.jsonl"], ["census", "one.jsonl"], ["judges"],
])  # fmt: skip
def test_success_says_what_comes_next(words: list[str], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = code(*words)
    out = capsys.readouterr().out
    if ended == 0:
        assert "\nnext: " in out
        named = [word for word in COMMANDS if f"bench {word}" in out.partition("\nnext: ")[2]]
        assert named or words[0] == "check"
