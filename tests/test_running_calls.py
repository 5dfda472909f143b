"""Judges that call a model: side by side within their limits, every failure an outcome, bounded in tries, time and money."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from calling_judges import Scripted, purse, run_scripted, yes

from bench.judges.contract import CallFailed, Item, Limits, NotAvailable, Question, Reason, Verdict
from bench.problems import CannotDecide
from bench.running import asking, workers
from bench.running.gate import Gate, Purse
from bench.running.outcome import Means, Outcome


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "BACKOFF_SECONDS", 0.001)


def outcomes(outcome: Outcome) -> Counter[str]:
    return Counter(row.answer or f"unscored: {row.unscored}" for row in outcome.rows.values())


def failing(reason: Reason, *, again: bool, wait: float | None = None, times: int = 10**9) -> Scripted:
    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        if number <= times:
            raise CallFailed(reason, "the server said so", again=again, wait=wait)
        return yes(questions)

    return Scripted(script, Limits("test", retries=3))


def test_places_are_used_and_not_exceeded(tmp_path: Path) -> None:
    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        time.sleep(0.02)
        return yes(questions)

    judge = Scripted(script, Limits("test", concurrency=8))
    start = time.monotonic()
    outcome = run_scripted(tmp_path, judge, cases=10, attempts=8)
    assert outcomes(outcome) == {"yes": 160}
    assert judge.calls == 80
    assert judge.most_flying == 8
    assert time.monotonic() - start < 80 * 0.02 / 2  # ten rounds of eight would do it in .2 s


def test_one_statement_a_call(tmp_path: Path) -> None:
    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        assert len(questions) == 1
        return yes(questions)

    judge = Scripted(script, Limits("test", concurrency=4, one_statement_a_call=True))
    assert outcomes(run_scripted(tmp_path, judge, cases=3)) == {"yes": 6}
    assert judge.calls == 6


@pytest.mark.parametrize(
    ("judge", "calls", "wanted"),
    [
        (failing("error", again=True), 4, "unscored: error"),
        (failing("rate_limited", again=True, wait=0.001), 4, "unscored: rate_limited"),
        (failing("timeout", again=True), 4, "unscored: timeout"),
        (failing("truncated", again=False), 1, "unscored: truncated"),
        (failing("error", again=True, times=2), 3, "yes"),
        (failing("rate_limited", again=True, wait=0.001, times=3), 4, "yes"),
    ],
)
def test_tries_are_bounded_and_counted(tmp_path: Path, judge: Scripted, calls: int, wanted: str) -> None:
    outcome = run_scripted(tmp_path, judge)
    assert outcomes(outcome) == {wanted: 2}
    assert judge.calls == calls
    assert {row.calls for row in outcome.rows.values()} == {calls}


def test_one_failure_does_not_stick_to_another_item(tmp_path: Path) -> None:
    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        assert item.projection is not None
        if "S002" in item.projection.query:
            raise CallFailed("error", "this one only", again=True)
        if "S003" in item.projection.query:
            raise RuntimeError("a bug of the judge")
        return yes(questions)

    outcome = run_scripted(tmp_path, Scripted(script, Limits("test", concurrency=3, retries=2)), cases=5)
    assert outcomes(outcome) == {"yes": 6, "unscored: error": 4}
    told = {row.detail for row in outcome.rows.values() if row.answer is None}
    assert told == {"this one only (3 calls)", "RuntimeError: a bug of the judge"}


def test_a_pause_holds_for_all_callers(tmp_path: Path) -> None:
    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        if number == 1:
            raise CallFailed("rate_limited", "slow down", again=True, wait=0.3)
        time.sleep(0.001)
        return yes(questions)

    judge = Scripted(script, Limits("test", concurrency=2))
    assert outcomes(run_scripted(tmp_path, judge, cases=6)) == {"yes": 12}
    late = [began - judge.began[0] for began in judge.began[2:]]  # the second may have been under way already
    assert min(late) >= 0.29


def test_a_rate_is_held(tmp_path: Path) -> None:
    judge = Scripted(lambda n, i, q: yes(q), Limits("test", concurrency=4, per_minute=1200))  # one in 50 ms
    run_scripted(tmp_path, judge, cases=5)
    gaps = [b - a for a, b in zip(judge.began, judge.began[1:], strict=False)]
    assert min(gaps) >= 0.04


def test_a_call_that_never_comes_back_is_a_time_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_GRACE", 0.1)
    monkeypatch.setattr(workers, "_WATCH", 0.05)
    never = threading.Event()

    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        assert item.projection is not None
        if "S002" in item.projection.query:
            never.wait(30)
        return yes(questions)

    start = time.monotonic()
    outcome = run_scripted(tmp_path, Scripted(script, Limits("test", concurrency=1, seconds=0.2)), cases=4)
    never.set()
    assert outcomes(outcome) == {"yes": 6, "unscored: timeout": 2}
    assert time.monotonic() - start < 5


def test_a_judge_that_is_not_available_is_not_stored(tmp_path: Path) -> None:
    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        raise NotAvailable("the variable SOME_KEY is not set")

    judge = Scripted(script)
    outcome = run_scripted(tmp_path, judge, cases=3)
    assert outcome.rows == {}
    assert (outcome.unavailable, outcome.why_unavailable) == (6, "the variable SOME_KEY is not set")
    assert judge.calls <= 2, "it is not asked again and again"


def test_money_stops_a_run_cleanly(tmp_path: Path) -> None:
    judge = Scripted(lambda n, i, q: yes(q, cost_usd=0.005), usd=0.01)
    outcome = run_scripted(tmp_path, judge, cases=10, means=purse(0.05))
    assert judge.calls == 5
    assert len(outcome.rows) == 10
    assert outcome.out_of_budget == 10
    again = run_scripted(tmp_path / "more", judge, cases=10, means=purse(1.0))
    assert len(again.rows) == 20


def test_a_budget_of_nothing_asks_nothing(tmp_path: Path) -> None:
    judge = Scripted(lambda n, i, q: yes(q))
    assert run_scripted(tmp_path, judge, means=purse(0.0)).out_of_budget == 2
    assert judge.calls == 0


def test_an_unknown_price_and_a_budget_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(CannotDecide, match="price is unknown"):
        run_scripted(tmp_path, Scripted(lambda n, i, q: yes(q), usd=None), means=purse(5.0))


def test_an_unknown_cost_counts_as_expected() -> None:
    held = Purse(1.0)
    assert held.reserve(0.6)
    assert not held.reserve(0.6)
    held.settle(0.6, None)
    assert held.spent == 0.6
    assert held.reserve(0.4)


def test_the_runs_deadline_leaves_what_it_cannot_ask(tmp_path: Path) -> None:
    def script(number: int, item: Item, questions: Sequence[Question]) -> Sequence[Verdict]:
        time.sleep(0.05)
        return yes(questions)

    outcome = run_scripted(tmp_path, Scripted(script), cases=20, means=Means(deadline=time.monotonic() + 0.3))
    assert 0 < len(outcome.rows) < 40
    assert outcome.out_of_time == 40 - len(outcome.rows)


def test_a_wait_past_the_deadline_is_no_outcome(tmp_path: Path) -> None:
    judge = failing("rate_limited", again=True, wait=30.0)
    outcome = run_scripted(tmp_path, judge, means=Means(deadline=time.monotonic() + 1.0))
    assert outcome.rows == {}
    assert outcome.out_of_time == 2


def test_stopped_gates_let_nobody_in() -> None:
    stop = threading.Event()
    gate = Gate(None, stop)
    assert gate.enter(None)
    stop.set()
    assert not gate.enter(None)
    assert not gate.sleep(10)


def test_samples_are_asked_apart(tmp_path: Path) -> None:
    judge = Scripted(lambda n, i, q: yes(q), Limits("test", concurrency=2))
    outcome = run_scripted(tmp_path, judge, samples=3)
    assert sorted(key[1] for key in outcome.rows) == [0, 0, 1, 1, 2, 2]
    assert judge.calls == 3


def test_a_verdict_out_of_range_keeps_what_was_said(tmp_path: Path) -> None:
    judge = Scripted(lambda n, i, q: yes(q, p=1.7, answered_by="model-1", raw="p = 1.7"))
    rows = run_scripted(tmp_path, judge).rows.values()
    assert {(row.unscored, row.answered_by, row.raw, row.p) for row in rows} == {
        ("out_of_range", "model-1", "p = 1.7", None)
    }
