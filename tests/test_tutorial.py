"""docs/tutorial.md, done as a newcomer would: every command in order, exit codes and printed numbers as the page has them."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from followed_pages import FOLDER, ROOT, copy_folder, follow, in_a_shell, page_text, wanted

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.traces.detect import read_session

PAGE = ROOT / "docs" / "tutorial.md"
COPIES = """\
cp -r docs/tutorial ~/first-judge
cp reports/certificates/synthetic* ~/first-judge
cd ~/first-judge
"""
SECONDS = 60  # for all commands together
WORDS_A_MINUTE, KEYS_A_MINUTE = 200, 120  # a slow reader, a slow typist


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = copy_folder(tmp_path / "first-judge")
    monkeypatch.chdir(folder)
    return folder


def test_the_tutorial_goes_as_it_says(
    copied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = in_a_shell(page_text(PAGE))
    begun = time.monotonic()
    walked = list(follow(page, monkeypatch, capsys))
    assert walked == wanted(page)
    assert {command.split()[1] for command, _ in walked} >= {
        "census", "judge", "triage", "import", "split", "lint", "label", "agreement", "adjudicate", "run", "report",
        "accept", "verify", "doctor", "check", "calibrate", "gate", "drift",
    }  # fmt: skip
    assert {code for _, code in walked} == {0, 1, 2, 3}
    assert time.monotonic() - begun < SECONDS


def test_the_first_lines_are_those_that_the_test_follows() -> None:
    assert f"```sh\n{COPIES}```" in page_text(PAGE)


def test_it_takes_the_minutes_that_it_says() -> None:
    """Reading and typing, estimated from the page; what the machine takes is seconds."""
    page = page_text(PAGE)
    said = re.search(r"(\d+) minutes to read, (\d+) to type", page)
    assert said is not None
    typed = sum(len(command) for command, _ in wanted(page))
    assert int(said[1]) == round(len(page.split()) / WORDS_A_MINUTE)
    assert int(said[2]) == round(typed / KEYS_A_MINUTE)
    assert int(said[1]) + int(said[2]) <= 30


def test_the_verdict_that_is_shown_is_the_one_in_the_folder() -> None:
    held = (FOLDER / "verdict.json").read_text(encoding="utf-8")
    assert f"```json\n{held}```" in page_text(PAGE)


def test_the_cases_are_the_sessions() -> None:
    """Eleven of the twelve sessions are cases already; the twelfth is the reader's."""
    suite = load_suite(find_suite(str(FOLDER / "cases" / "team")))
    cases = [attempt.events for _, attempt in suite.attempts()]
    sessions = [
        tuple(event.model_copy(update={"line": None}) for event in read_session(path).events)
        for path in sorted((FOLDER / "sessions").glob("*.jsonl"))
    ]
    assert sorted(map(repr, cases)) == sorted(map(repr, sessions[:-1]))


def test_a_page_that_says_another_number_fails(
    copied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_text(PAGE)
    head = page[: page.index("## 2.")]
    assert list(follow(head, monkeypatch, capsys)) == [("bench census sessions", 0)]
    with pytest.raises(AssertionError, match="13 sessions"):
        list(follow(head.replace("12 sessions of", "13 sessions of"), monkeypatch, capsys))
