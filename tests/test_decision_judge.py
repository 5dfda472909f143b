"""The decision judge against servers that misbehave: what moves its identity, what is sent, kept, retried and given up."""

from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from decision_fakes import ITEM, MODEL, POLITE, QUESTIONS, SOLVED, Answer, Fake, Request, judge_at, slowly, systemone
from running_suites import case_tree, run_rows, suite_tree, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.judges.contract import CallFailed, CallingJudge, Item, NotAvailable, Verdict
from bench.judges.decision import judge, protocol
from bench.judges.registry import make_judge
from bench.problems import BrokenInput
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.running import asking
from bench.running.asking import ask_now
from bench.running.identity import judge_id
from bench.schema.event import Event

KEY = "tsk-4f9c1d2e8b7a6c5d4e3f"
NOWHERE = "http://127.0.0.1:9"
HOSTED = "https://decisions.example.org"


@pytest.fixture(autouse=True)
def _no_keys_and_short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(asking, "BACKOFF_SECONDS", 0.01)


# --- identity ---


def identity(preset: str = "events@1", **parameters: str) -> str:
    return judge_id(make_judge("decision", {"base_url": NOWHERE, "model": MODEL, **parameters}, Path()), preset)


MOVES: dict[str, dict[str, str]] = {
    "the model": {"model": "jev-1.12.0"},
    "the dialect": {"dialect": "openrouter"},
    "the preset": {"preset": "windows-8k@1"},
}
STAYS: dict[str, dict[str, str]] = {
    "the base URL": {"base_url": "https://elsewhere.example.org/api", "key_env": "OTHER_KEY"},
    "a slash at its end": {"base_url": NOWHERE + "/"},
    "the name of the key": {"key_env": "OTHER_KEY"},
    "the concurrency": {"concurrency": "32"},
    "the rate": {"per_minute": "60"},
    "the deadline": {"seconds": "5"},
    "the retries": {"retries": "0"},
    "the price": {"price_in": "1", "price_out": "2"},
}


@pytest.mark.parametrize("change", MOVES)
def test_it_moves_the_identity(change: str) -> None:
    assert identity(**MOVES[change]) != identity()


@pytest.mark.parametrize("change", STAYS)
def test_it_does_not_move_the_identity(change: str) -> None:
    assert identity(**STAYS[change]) == identity()


def test_adapter_and_certainty_are_part_of_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity()
    monkeypatch.setattr(judge, "VERSION", protocol.VERSION + 1)
    adapter = identity()
    monkeypatch.setattr(judge, "CERTAINTY", "entropy@1")
    assert len({before, adapter, identity()}) == 3


def test_identity_and_limits_say_what_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", KEY)
    made = judge_at(HOSTED, key_env="OTHER_KEY", concurrency="16", per_minute="300", seconds="30", retries="2")
    assert made.name == "decision:jev-1.13.0"
    assert made.receives == {"projection", "reference_time"}
    limits = made.limits
    assert (limits.provider, limits.concurrency, limits.per_minute) == (f"decision:{HOSTED}", 16, 300)
    assert (limits.seconds, limits.retries, limits.one_statement_a_call) == (30.0, 2, False)
    assert isinstance(made, CallingJudge)
    assert KEY not in repr(made) + str(made.fingerprint()) + repr(pickle.dumps(made))


def test_it_is_the_same_after_pickling_once_it_has_been_used() -> None:
    with Fake(systemone) as fake:
        made = judge_at(fake.url)
        first = ask_now(made, ITEM, QUESTIONS)
        again = pickle.loads(pickle.dumps(made))
        assert again == made
        assert again.fingerprint() == made.fingerprint()
        assert ask_now(again, ITEM, QUESTIONS) == first


# --- what a suite may ask for ---


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"base_url": "ftp://example.org", "model": MODEL}, "no URL that begins with http"),
        ({"base_url": "example.org", "model": MODEL}, "no URL that begins with http"),
        ({"base_url": "https://", "model": MODEL}, "names a host"),
        ({"base_url": "https://user:pass@example.org", "model": MODEL}, "a URL with a user"),
        ({"base_url": "https://example.org?key=abc", "model": MODEL}, "a query"),
        ({"base_url": "https://example.org:99999", "model": MODEL}, "no URL"),
        ({"base_url": "https://example.org", "model": MODEL}, "without the name of its key"),
        ({"base_url": NOWHERE}, "without its parameter model"),
        ({"base_url": NOWHERE, "model": "jev-latest"}, "names no fixed version"),
        ({"base_url": NOWHERE, "model": "~typesafe/jev-latest"}, "names no fixed version"),
        ({"base_url": NOWHERE, "model": "jev-preview"}, "names no fixed version"),
        ({"base_url": NOWHERE, "model": MODEL, "dialect": "grpc"}, "use one of embedded, systemone"),
        ({"base_url": NOWHERE, "model": MODEL, "dialect": "embedded"}, "a base URL for the embedded model"),
        ({"base_url": NOWHERE, "model": MODEL, "concurrency": "0"}, "at least 1"),
        ({"base_url": NOWHERE, "model": MODEL, "per_minute": "0"}, "at least 1"),
        ({"base_url": NOWHERE, "model": MODEL, "seconds": "0"}, "a number from"),
        ({"base_url": NOWHERE, "model": MODEL, "seconds": "inf"}, "a number from"),
        ({"base_url": NOWHERE, "model": MODEL, "retries": "-1"}, "a whole number"),
        ({"base_url": NOWHERE, "model": MODEL, "price_in": "free"}, "a number from"),
        ({"base_url": NOWHERE, "model": MODEL, "price_out": "1"}, "without one of input"),
        ({"base_url": NOWHERE, "model": MODEL, "key": "abc"}, "with the parameter key"),
        ({"model": MODEL}, "use one of sparrow-nano"),
        ({"concurrency": "4"}, "with the parameter concurrency"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused(parameters: dict[str, str], told: str) -> None:
    with pytest.raises(BrokenInput) as caught:
        make_judge("decision", parameters, Path())
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("dialect", "base", "variable"),
    [
        ("systemone", "https://api.typesafe.ai", "TYPESAFE_API_KEY"),
        ("openrouter", "https://openrouter.ai", "OPENROUTER_API_KEY"),
        ("openai", "https://api.openai.com", "OPENAI_API_KEY"),
    ],
)
def test_a_dialect_has_its_vendor_and_a_missing_key_is_named(dialect: str, base: str, variable: str) -> None:
    made = make_judge("decision", {"dialect": dialect, "model": MODEL}, Path())
    assert isinstance(made, judge.DecisionJudge)
    assert made.wire.place.base_url == base
    with pytest.raises(NotAvailable, match=variable):
        made.judge(ITEM, QUESTIONS, 0)


@pytest.mark.parametrize("key", ["two words", "with\nline", "clé", "\x7f"])
def test_what_is_no_key_is_not_sent_and_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", key)
    with pytest.raises(NotAvailable, match="OTHER_KEY") as caught:
        judge_at(HOSTED, key_env="OTHER_KEY").judge(ITEM, QUESTIONS, 0)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "sent"), [({}, "Bearer local"), ({"key_env": "TYPESAFE_API_KEY"}, f"Bearer {KEY}")]
)
def test_a_loopback_server_gets_a_key_only_when_the_suite_names_it(
    parameters: dict[str, str], sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", f" {KEY}\n")
    with Fake(systemone) as fake:
        assert ask_now(judge_at(fake.url, **parameters), ITEM, [POLITE])[0].answer is not None
    assert fake.seen[0].headers["Authorization"] == sent


def test_a_missing_package_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    monkeypatch.delitem(sys.modules, "bench.judges.http", raising=False)
    (verdict,) = ask_now(judge_at(NOWHERE), ITEM, [POLITE])
    assert verdict.unscored == "unavailable"
    assert verdict.detail == "the package httpx2 is not installed: pip install 'lessonbench[models]'"


def test_no_model_package_is_loaded_to_know_a_judge_by_name() -> None:
    """Committed runs are found, and replayed, where none of them is installed."""
    code = """
import sys
from bench.judges.decision.make import make_decision
from bench.judges.parameters import Parameters
for parameters in ({}, {"base_url": "https://example.org", "model": "m-1", "key_env": "A_KEY"}):
    make_decision(Parameters("decision", parameters)).fingerprint()
print(sorted({"httpx2", "sparrow_decider", "numpy", "typesafe_sdk"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- cost, and limits of size ---


def test_the_estimate_has_a_price_where_there_is_one() -> None:
    tokens = protocol.request_tokens(protocol.state_of(ITEM), QUESTIONS)
    known = judge_at(NOWHERE).estimate(ITEM, QUESTIONS)
    assert (known.tokens_in, known.tokens_out, known.usd) == (tokens, 8, pytest.approx(tokens * 0.042e-6))
    assert judge_at(NOWHERE, model="other-1").estimate(ITEM, QUESTIONS).usd is None
    own = judge_at(NOWHERE, model="other-1", price_in="2", price_out="10").estimate(ITEM, QUESTIONS)
    assert own.usd == pytest.approx((2 * tokens + 10 * 8) / 1e6)


def test_what_is_too_long_is_not_sent() -> None:
    long = project(PRESETS["events"], "q", "h", [Event(kind="message", text="word " * 26_000)])
    with Fake(systemone) as fake:
        verdicts = ask_now(judge_at(fake.url), Item(long), QUESTIONS)
    assert [v.unscored for v in verdicts] == ["too_long"] * 4
    assert "over 32000" in (verdicts[0].detail or "")
    assert fake.seen == []


# --- failures of a call ---


def first(*answers: Answer) -> Callable[[Request], Answer]:
    """These answers first, honest ones after."""
    due = list(answers)
    lock = threading.Lock()

    def answer(request: Request) -> Answer:
        with lock:
            return due.pop(0) if due else systemone(request)

    return answer


def asked(answer: Callable[[Request], Answer], **parameters: str) -> tuple[Verdict, int, float]:
    """The verdict, how many calls it took, and how long."""
    with Fake(answer) as fake:
        start = time.monotonic()
        (verdict,) = ask_now(judge_at(fake.url, **parameters), ITEM, [POLITE])
        return verdict, len(fake.seen), time.monotonic() - start


def in_a_second() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry-After": "0.3"}, 0.3, 1.0),
        ({"retry-after-ms": "300", "Retry-After": "50"}, 0.3, 1.0),
        ({"Retry-After": "date"}, 0.0, 2.0),
        ({"Retry-After": "inf"}, 0.0, 0.3),
        ({"Retry-After": "-5"}, 0.0, 0.3),
        ({"Retry-After": "soon"}, 0.0, 0.3),
        ({}, 0.0, 0.3),
    ],
)
@pytest.mark.parametrize("status", [429, 529])
def test_a_busy_server_is_asked_again_after_its_pause(
    status: int, headers: dict[str, str], least: float, most: float
) -> None:
    headers = {name: in_a_second() if value == "date" else value for name, value in headers.items()}
    verdict, calls, seconds = asked(first(Answer("busy", status=status, headers=headers)))
    assert (verdict.unscored, calls) == (None, 2)
    assert least <= seconds < most


def test_a_pause_of_hours_is_capped() -> None:
    with Fake(first(Answer("busy", status=429, headers={"Retry-After": "86400"}))) as fake:
        with pytest.raises(CallFailed) as caught:
            judge_at(fake.url).judge(ITEM, [POLITE], 0)
        assert (caught.value.reason, caught.value.wait) == ("rate_limited", 60.0)


@pytest.mark.parametrize(
    ("answer", "parameters", "reason", "calls"),
    [
        (Answer("oops", status=500), {"retries": "2"}, "error", 3),
        (Answer("busy", status=429), {"retries": "2"}, "rate_limited", 3),
        (Answer("no", status=422), {"retries": "2"}, "error", 1),
        (Answer("large", status=413), {"retries": "2"}, "too_long", 1),
        (Answer("", cut=True), {"retries": "2"}, "error", 3),
        (Answer("", pause=9), {"retries": "0", "seconds": "0.3"}, "timeout", 1),
        (Answer("", pause=9), {"retries": "2", "seconds": "0.15"}, "timeout", 3),
        (Answer("x" * 500, drip=0.05), {"retries": "0", "seconds": "0.3"}, "timeout", 1),
        (Answer("", status=401), {"retries": "2"}, "unavailable", 1),
        (Answer("", status=403), {"retries": "2"}, "unavailable", 1),
        (Answer("", status=404), {"retries": "2"}, "unavailable", 1),
        (Answer(""), {"retries": "2"}, "unparsed", 1),
        (Answer(b"\x00\xff" * 9), {"retries": "2"}, "unparsed", 1),
        (Answer("{}", headers={"Content-Encoding": "gzip"}), {"retries": "0"}, "error", 1),
    ],
)
def test_a_failure_has_its_reason_and_bounded_retries(
    answer: Answer, parameters: dict[str, str], reason: str, calls: int
) -> None:
    verdict, made, seconds = asked(lambda _: answer, **parameters)
    assert (verdict.unscored, made) == (reason, calls)
    assert seconds < 2
    if calls > 1:
        assert f"({calls} calls)" in (verdict.detail or "")


def test_one_failure_does_not_stick_to_the_next_call() -> None:
    with Fake(first(Answer("", cut=True), Answer("", pause=9), Answer("oops", status=500))) as fake:
        made = judge_at(fake.url, retries="0", seconds="0.3")
        told = [ask_now(made, ITEM, [POLITE])[0].unscored for _ in range(5)]
    assert told == ["error", "timeout", "error", None, None]


def test_nobody_listening_is_an_error_after_its_retries() -> None:
    (verdict,) = ask_now(judge_at(NOWHERE, retries="1"), ITEM, [POLITE])
    assert verdict.unscored == "error"
    assert "(2 calls)" in (verdict.detail or "")


# --- runs ---


def suite_at(root: Path, fake: Fake, cases: int = 2, attempts: int = 1, **parameters: str) -> Layout:
    entry = {
        "judge": "decision",
        "answers": ["polite", "solved"],
        "parameters": {"base_url": fake.url, "model": MODEL, **parameters},
    }
    return write(root, suite_tree([entry]), [case_tree(f"S{i:03}", attempts) for i in range(1, cases + 1)])


def run(layout: Layout) -> int:
    return main(["run", "--suite", str(layout.suite)])


def test_a_run_asks_all_statements_of_an_attempt_in_one_request(tmp_path: Path) -> None:
    with Fake(systemone) as fake:
        layout = suite_at(tmp_path, fake, cases=3)
        assert run(layout) == 0
        assert run(layout) == 0
    assert [list(request.body["questions"]) for request in fake.seen] == [["q1", "q2"]] * 3
    (rows,) = run_rows(layout).values()
    assert len(rows) == 6
    assert sum(row["tokens_in"] for row in rows) == 3 * 1003


def echoing(request: Request) -> Answer:
    """Says the caller's key wherever there is room for words; and fails at times."""
    key = request.headers["Authorization"].removeprefix("Bearer ")
    if len(ECHOED) % 3 == 0:
        ECHOED.append("422")
        return Answer({"detail": {"message": f"your key {key} is fine, the request is not"}}, status=422)
    ECHOED.append("200")
    answers = {
        "q1": {"type": "refusal", "refusal": f"not for {key}", key: key},
        "q2": {"type": "noul", "noul": 0.75, "note": f"Bearer {key}"},
    }
    model = f"{MODEL} {key}" if len(ECHOED) % 3 == 2 else 7
    return Answer({"model": model, "answers": answers, "why": key}, headers={"X-Note": "none"})


ECHOED: list[str] = []


@pytest.mark.parametrize("key", [KEY, 'odd"key\\with/signs'])
def test_a_key_appears_in_no_artefact(
    key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    ECHOED.clear()
    monkeypatch.setenv("PLANTED_KEY", key)
    caplog.set_level(logging.DEBUG)
    with Fake(echoing) as fake:
        layout = suite_at(tmp_path, fake, cases=6, key_env="PLANTED_KEY", concurrency="1")
        assert run(layout) == 0
    assert {request.headers["Authorization"] for request in fake.seen} == {f"Bearer {key}"}
    (rows,) = run_rows(layout).values()
    outcomes = {row.get("unscored", row.get("answer")) for row in rows}
    assert outcomes == {"error", "refused", "yes", "unparsed"}
    captured = capsys.readouterr()
    texts = [captured.out, captured.err, caplog.text]
    texts += [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    forms = {key, json.dumps(key)[1:-1], json.dumps(json.dumps(key)[1:-1])[1:-1]}
    assert [text for text in texts for form in forms if form in text] == []
    assert any("[redacted:key]" in text for text in texts)


def test_a_refused_key_ends_the_run_and_stores_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLANTED_KEY", KEY)

    def refusing(request: Request) -> Answer:
        return Answer({"detail": request.headers["Authorization"]}, status=401)

    with Fake(refusing) as fake:
        layout = suite_at(tmp_path, fake, cases=20, key_env="PLANTED_KEY", concurrency="2")
        assert run(layout) == 2
    assert len(fake.seen) < 20
    assert not any(run_rows(layout).values())
    captured = capsys.readouterr()
    assert "cannot be asked here" in captured.out
    assert KEY not in captured.out + captured.err


def test_a_run_goes_on_after_failures_and_stores_each_once(tmp_path: Path) -> None:
    failures = [Answer("oops", status=500), Answer("", cut=True), Answer("busy", status=429), Answer("no", status=422)]
    with Fake(first(*failures)) as fake:
        layout = suite_at(tmp_path, fake, cases=12, concurrency="3")
        assert run(layout) == 0
        first_run = len(fake.seen)
        assert run(layout) == 0
        assert len(fake.seen) == first_run == 12 + 3
    (rows,) = run_rows(layout).values()
    assert len({row["item"] for row in rows}) == len(rows) == 24
    assert sum(row.get("unscored") == "error" for row in rows) == 2


def test_many_places_are_faster_than_one_and_lose_nothing(tmp_path: Path) -> None:
    latency, calls = 0.02, 250
    with Fake(slowly(latency)) as fake:
        layout = suite_at(tmp_path, fake, cases=5, attempts=calls // 5, concurrency="32")
        start = time.monotonic()
        assert run(layout) == 0
        seconds = time.monotonic() - start
    (rows,) = run_rows(layout).values()
    assert len(fake.seen) == calls
    assert len({row["item"] for row in rows}) == len(rows) == 2 * calls
    assert all(row["calls"] == 1 and "unscored" not in row for row in rows)
    assert seconds < 0.7 * latency * calls, "no faster than one call after another"


def test_solved_and_polite_differ() -> None:
    """The fakes answer by state and question, so a mix-up of questions would show."""
    with Fake(systemone) as fake:
        polite, solved = ask_now(judge_at(fake.url), ITEM, [POLITE, SOLVED])
        swapped = ask_now(judge_at(fake.url), ITEM, [SOLVED, POLITE])
    assert polite.p != solved.p
    assert [v.p for v in swapped] == [solved.p, polite.p]
