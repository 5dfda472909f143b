"""``bench init``: what it starts is a suite that every other command takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.cases.start import suite_text
from bench.cli import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_started_suite_loads_and_takes_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "team", "--statement", 'It ends well: "done", #1.', "--harness", "codex"]) == 0
    suite = load_suite(find_suite("team"))
    assert suite.suite.statements[0].text == 'It ends well: "done", #1.'
    assert list(suite.suite.vocabulary.harness) == ["codex"]
    assert main(["new", "team", "--author", "ada"]) == 0
    assert main(["split", "--suite", "team"]) == 0
    assert len(load_suite(find_suite("team")).cases) == 1
    capsys.readouterr()
    assert main(["lint", "--suite", "team"]) == 3, "the scaffold's words still stand in the case"
    assert "suite.yaml" not in capsys.readouterr().out


def test_a_suite_without_a_case_says_so_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "team"]) == 0
    assert main(["all", "--suite", "team", "--no-plots"]) == 2
    told = capsys.readouterr().out
    assert "there is no case" in told
    assert "bench new" in told


def test_nothing_is_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "team"]) == 0
    path = Path("cases/team/suite.yaml")
    path.write_text("mine")
    assert main(["init", "team"]) == 3
    assert path.read_text() == "mine"
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../out", "a/b", "", "a b"])
def test_a_name_is_a_plain_one(name: str) -> None:
    with pytest.raises(SystemExit, match="3"):
        main(["init", name])
    assert list(Path().iterdir()) == []


def test_two_suites_have_two_canaries() -> None:
    assert main(["init", "a", "--json"]) == main(["init", "b", "--json"]) == 0
    canaries = {load_suite(find_suite(name)).suite.canary.split()[1] for name in ("a", "b")}
    assert len(canaries) == 2


def test_json_says_where_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "team", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"exit_code": 0, "suite": "team", "file": "cases/team/suite.yaml"}


def test_the_text_is_a_function_of_what_is_given() -> None:
    assert suite_text("a", "b", "c", "d") == suite_text("a", "b", "c", "d")
