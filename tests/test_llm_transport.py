"""Failures on the way: right reasons, bounded tries, one failure never sticking to another item, nothing stored twice."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from fake_llm import Asked, FakeLLM, Says, always, fake, in_turn, verdict
from llm_judges import JSON_MODES, asked, at, outcome
from llm_runs import entry, make, rows, run

OK = Says(verdict("yes"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.running.asking.BACKOFF_SECONDS", 0.01)


def in_two_seconds() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


@dataclass(frozen=True)
class Row:
    kind: str
    says: Says
    wanted: str
    calls: int = 3  # the first and two more


def status(code: int, body: bytes = b"{}", **headers: str) -> Says:
    return Says(
        status=code, body=body, headers=tuple((name.replace("_", "-"), value) for name, value in headers.items())
    )


LONG = (
    b'{"error": {"message": "This model\'s maximum context length is 8192 tokens", "code": "context_length_exceeded"}}'
)
LLAMA = (
    b'{"error": {"code": 400, "message": "request (12041 tokens) exceeds the available context size (4096 tokens)"}}'
)
FAILURES = (
    Row("429", status(429), "rate_limited"),
    Row("429, seconds", status(429, Retry_After="0.05"), "rate_limited"),
    Row("429, milliseconds", status(429, retry_after_ms="50"), "rate_limited"),
    Row("429, infinity", status(429, Retry_After="inf"), "rate_limited"),
    Row("429, negative", status(429, Retry_After="-5"), "rate_limited"),
    Row("429, a date long ago", status(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), "rate_limited"),
    Row("429, nonsense", status(429, Retry_After="soon"), "rate_limited"),
    Row("529", status(529), "rate_limited"),
    Row("500", status(500), "error"),
    Row("503, seconds", status(503, Retry_After="0.05"), "error"),
    Row("408", status(408), "timeout"),
    Row("400", status(400), "error", 1),
    Row("400, too long", status(400, LONG), "too_long", 1),
    Row("400, too long for llama.cpp", status(400, LLAMA), "too_long", 1),
    Row("400, filtered", status(400, b'{"error": {"code": "content_filter"}}'), "refused", 1),
    Row("413", status(413), "too_long", 1),
    Row("422", status(422), "error", 1),
    Row("401", status(401), "unavailable", 1),
    Row("404", status(404), "unavailable", 1),
    Row("302", status(302, Location="http://127.0.0.1:9/"), "error", 1),
    Row("a hang", replace(OK, hang=30), "timeout"),
    Row("a slow drip", replace(OK, drip=0.02), "timeout"),
    Row("a closed connection", replace(OK, close=True), "error"),
)


@pytest.mark.parametrize("row", FAILURES, ids=lambda row: row.kind)
def test_each_failure(row: Row) -> None:
    with fake(always(row.says)) as server:
        start = time.monotonic()
        given = asked(at(server, seconds="0.3"))
        took = time.monotonic() - start
        calls = len(server.asked)
    assert (outcome(given), calls) == (row.wanted, row.calls), given
    assert took < 4


@pytest.mark.parametrize("row", [row for row in FAILURES if row.calls > 1], ids=lambda row: row.kind)
def test_a_failure_that_passes_is_forgotten(row: Row) -> None:
    with fake(in_turn(row.says, OK)) as server:
        assert asked(at(server, seconds="0.3")).answer == "yes"
        assert len(server.asked) == 2


@pytest.mark.parametrize("header", [lambda: "0.6", in_two_seconds], ids=["seconds", "date"])
def test_the_pause_asked_for_is_kept(header: Callable[[], str]) -> None:
    with fake(in_turn(status(429, Retry_After=header()), OK)) as server:
        start = time.monotonic()
        assert asked(at(server)).answer == "yes"
        assert 0.3 < time.monotonic() - start < 3


def test_a_server_that_is_not_there() -> None:
    server = FakeLLM(always(OK))
    server.stop()
    assert outcome(asked(at(server, retries="1"))) == "error"


def test_an_endless_body_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.judges.http.MAX_REPLY_BYTES", 10_000)
    with fake(always(Says(verdict("yes", reason="x" * 20_000)))) as server:
        assert outcome(asked(at(server, retries="0"))) == "error"


MIXED: dict[str, tuple[Says, str]] = {
    "S000": (OK, "yes"),
    "S001": (status(500), "error"),
    "S002": (Says("no idea"), "unparsed"),
    "S003": (replace(OK, hang=3), "timeout"),
    "S004": (Says(verdict("no")), "no"),
    "S005": (replace(OK, close=True), "error"),
    "S006": (Says(verdict("yes")[:-4], finish="length"), "truncated"),
    "S007": (Says("", refusal="no"), "refused"),
    "S008": (replace(OK, drip=0.02), "timeout"),
    "S009": (Says(verdict("no")), "no"),
}


def by_case(asked_for: Asked) -> Says:
    """Each case has its own trouble."""
    return next(says for case, (says, _) in MIXED.items() if f"Mend the lamp {case}" in asked_for.prompt)


@pytest.mark.parametrize("mode", JSON_MODES)
def test_a_run_goes_on_and_stores_each_item_once(mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake(by_case) as server:
        layout = make(tmp_path, [entry(server.url, mode=mode, seconds="0.4", retries="1", concurrency="8")], len(MIXED))
        assert run(layout, "--judge-missing") == 0
        calls = Counter(request.prompt for request in server.asked)
        stored = rows(layout)
        assert {row["asked_for"]: row.get("answer") or row["unscored"] for row in stored} == {
            f"{case}/a1/{statement}": wanted
            for case, (_, wanted) in MIXED.items()
            for statement in ("polite", "solved")
        }
        assert len({row["item"] for row in stored}) == len(stored) == 2 * len(MIXED)
        assert max(calls.values()) == 2, "one more try, where it makes sense"
        server.says(by_case)
        assert run(layout, "--judge-missing") == 0
        assert (server.asked, rows(layout)) == ([], stored), "unscored is stored, too"
        assert run(layout, "--judge-missing", "--redo-unscored") == 0
        assert {row["asked_for"][:4] for row in rows(layout)[len(stored) :]} == set(), "still unscored: nothing new"
        server.says(always(OK))
        assert run(layout, "--judge-missing", "--redo-unscored") == 0
    fresh = rows(layout)[len(stored) :]
    assert Counter(row["asked_for"][:4] for row in fresh) == Counter(
        {case: 2 for case, (_, wanted) in MIXED.items() if wanted not in ("yes", "no")}
    )
    capsys.readouterr()


def test_a_key_that_is_refused_stops_the_judge_and_stores_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with fake(always(status(401))) as server:
        layout = make(tmp_path, [entry(server.url, concurrency="1")], 30)
        assert run(layout) == 2
        assert rows(layout) == []
        assert len(server.asked) < 5
    capsys.readouterr()
