"""The committed table of faults (docs/decision-faults.md), held against jevcompat's mock with each fault switched on."""

from __future__ import annotations

import re
import threading
from functools import cache
from pathlib import Path

import pytest
from decision_fakes import CHANNEL, ITEM, POLITE, QUALITY, QUESTIONS, judge_at
from jevcompat.mock import FAULTS, MockConfig, Running

from bench.judges.contract import Question, Verdict
from bench.running.asking import ask_now

PAGE = Path(__file__).parent.parent / "docs" / "decision-faults.md"
KEY = "planted-key-of-the-faults"
ROW = re.compile(r"\| (?P<fault>[a-z0-9-]+) \| (?P<choice>.+?) \| (?P<yes_no>.+?) \| (?P<score>.+?) \| (?P<why>.+) \|")
WITHOUT_KEY = ("auth-rejects-header",)  # a fault of servers that want no key
FLAGS = re.compile(r"flag `(\w+)`")


def table() -> dict[str, dict[str, str]]:
    rows = [match.groupdict() for line in PAGE.read_text().splitlines() if (match := ROW.fullmatch(line))]
    return {row["fault"]: row for row in rows if row["fault"] != "fault"}


class Prompt(Running):
    """The mock server, but one that ends at once instead of within half a second."""

    def __init__(self, config: MockConfig) -> None:
        super().__init__(config)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.005,), daemon=True)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", KEY)


def asked(fault: str | None, questions: tuple[Question, ...]) -> list[Verdict]:
    """The verdicts under a fault."""
    key = None if fault in WITHOUT_KEY else KEY
    with Prompt(MockConfig(key=key, faults=frozenset({fault} - {None}))) as server:
        return list(ask_now(judge_at(server.url, key_env="PLANTED", retries="0"), ITEM, questions))


@cache
def clean() -> list[Verdict]:
    return asked(None, QUESTIONS)


def figures(verdict: Verdict) -> tuple[object, ...]:
    return verdict.answer, verdict.unscored, verdict.p, verdict.score, verdict.certainty


def test_the_table_has_every_fault_once_and_no_other() -> None:
    rows = [
        m["fault"] for line in PAGE.read_text().splitlines() if (m := ROW.fullmatch(line)) and m["fault"] != "fault"
    ]
    assert rows == list(FAULTS)
    assert len(rows) == 47


def test_the_clean_mock_is_answered_by_name_without_a_fault() -> None:
    verdicts = clean()
    assert [v.unscored for v in verdicts] == [None] * 4
    assert {v.answered_by for v in verdicts} == {"jevcompat-mock-0.1"}
    assert {v.flags for v in verdicts} == {("answered_by_another_model",)}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_the_outcome_of_the_table(fault: str) -> None:
    row = table()[fault]
    verdicts = asked(fault, QUESTIONS)
    for question, verdict, other in zip(QUESTIONS, verdicts, clean(), strict=True):
        cell = row[question.type]
        if cell == "unaffected":
            assert figures(verdict) == figures(other)
        elif cell == "undetectable":
            assert verdict.unscored is None
            assert figures(verdict) != figures(other)
            assert verdict.flags == other.flags
        else:
            assert cell == f"unscored: {verdict.unscored}"
            assert verdict.detail
    told = FLAGS.search(row["why"])
    new = {flag for v in verdicts for flag in v.flags} - {"answered_by_another_model"}
    assert new == ({told[1]} if told else set())
    if "unknown, not 0" in row["why"]:
        assert {(v.tokens_in, v.tokens_out, v.cost_usd) for v in verdicts} == {(None, None, None)}


@pytest.mark.parametrize(
    ("fault", "large"),
    [
        ("cap-64", Question("choice", "Which?", tuple((f"o{i}", "an option") for i in range(65)))),
        ("cap-5-levels", Question("score", "How good?", tuple((str(i), f"level {i}") for i in range(6)))),
    ],
)
def test_a_cap_that_is_met_fails_the_request(fault: str, large: Question) -> None:
    assert [v.unscored for v in asked(fault, (POLITE, large))] == ["error", "error"]
    assert [v.unscored for v in asked(None, (POLITE, large))] == [None, None]


def test_an_undetectable_fault_shows_when_asked_otherwise() -> None:
    """The three leaks, found as the table says."""
    together = asked("batch-leaks", (POLITE, QUALITY))
    assert figures(together[0]) != figures(asked("batch-leaks", (POLITE,))[0])
    for fault in ("order-leaks", "id-leaks"):
        (first, _), (_, last) = (asked(fault, q) for q in ((CHANNEL, POLITE), (POLITE, CHANNEL)))
        assert figures(first) != figures(last)
