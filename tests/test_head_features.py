"""What the head sees of a session: signals, columns, hashed words; in linear time and flat memory."""

from __future__ import annotations

import math
import time
import tracemalloc

import pytest
from head_sessions import seen_by_a_judge
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.judges.head.features import COLUMNS, COUNTED, hashed_words, see
from bench.judges.head.signals import KEPT, SIGNALS, kept, signals_of
from bench.schema.event import Event

Tree = dict[str, object]
PROMPT: Tree = {"kind": "prompt", "origin": "human", "text": "Add the footer."}
CALL: Tree = {"kind": "command", "command": "make test", "ok": True, "exit_code": 0, "exit_source": "text"}
FAIL: Tree = {**CALL, "ok": False, "exit_code": 2, "output": "bash: gmake: command not found"}


def typed(text: str, origin: str = "human") -> Tree:
    return {"kind": "prompt", "origin": origin, "text": text}


def edit(path: str) -> Tree:
    return {"kind": "tool_call", "tool": "Edit", "args": {"file_path": path}}


def last(*events: Tree) -> set[str]:
    """The signals of the last event."""
    return set(signals_of([Event.model_validate(event) for event in events])[-1]) - {"event"}


FIRES = [
    ("a correction", [PROMPT, CALL, typed("no, use pnpm")], {"typed", "turn", "corrects"}),
    ("German", [PROMPT, CALL, typed("das ist falsch")], {"typed", "turn", "corrects"}),
    ("a rule", [PROMPT, CALL, typed("we always squash")], {"typed", "turn", "corrects", "states-a-rule"}),
    ("a rule at once", [typed("In this repo tests come first")], {"typed", "states-a-rule"}),
    ("praise", [PROMPT, CALL, typed("thanks, commit it")], {"typed", "goes-on"}),
    ("the next task", [PROMPT, CALL, typed("now add a header")], {"typed", "turn"}),
    ("pasted trouble", [PROMPT, CALL, typed("it says\nerror 5")], {"typed", "turn", "reports-trouble", "pasted"}),
    ("a question", [PROMPT, CALL, typed("where is it?")], {"typed", "turn", "asks"}),
    ("a red check", [PROMPT, FAIL], {"command", "failed", "place-trouble", "check", "failed-check"}),
    ("red, then green", [FAIL, CALL], {"command", "check", "recovered", "again"}),
    ("a refusal", [{**FAIL, "approval": {"decision": "denied"}}], {"command", "denied", "check", "place-trouble"}),
    ("instructions", [edit("/r/CLAUDE.md")], {"tool-call", "edits-instructions"}),
    ("another edit", [edit("/r/a.py")], {"tool-call", "edit"}),
    ("a finding", [{"kind": "message", "text": "It turns out the host was slow."}], {"message", "finds-out", "about-the-place"}),
    ("an interrupt", [{"kind": "interrupt"}], {"interrupt"}),
]  # fmt: skip
SILENT = [
    ("words within words", [PROMPT, CALL, typed("know the nodes now")], "corrects"),
    ("correction words before any call", [typed("don't use npm")], "corrects"),
    ("an injected prompt", [PROMPT, CALL, typed("no, never", "injected")], "typed"),
    ("another program", [{**FAIL, "command": "go vet"}, CALL], "recovered"),
    ("trouble that a tool read", [{"kind": "tool_call", "tool": "Read", "output": "permission denied"}], "place-trouble"),
    ("an outcome nobody recorded", [{"kind": "command", "command": "make test"}], "failed"),
]  # fmt: skip


@pytest.mark.parametrize(("events", "wanted"), [row[1:] for row in FIRES], ids=[row[0] for row in FIRES])
def test_signals_fire(events: list[Tree], wanted: set[str]) -> None:
    assert last(*events) == wanted


@pytest.mark.parametrize(("events", "silent"), [row[1:] for row in SILENT], ids=[row[0] for row in SILENT])
def test_signals_stay_silent(events: list[Tree], silent: str) -> None:
    assert silent in SIGNALS
    assert silent not in last(*events)


def test_columns_are_log_counts() -> None:
    columns = see(seen_by_a_judge(PROMPT, FAIL, CALL, typed("no, use pnpm"))).columns
    assert set(columns) == set(COLUMNS)
    assert columns["size"] == pytest.approx(math.log(5))
    assert columns["commands"] == pytest.approx(math.log(3))
    assert columns["failures"] == columns["place"] == columns["corrections"] == pytest.approx(math.log(2))
    assert columns["last-correction"] == 1.0
    assert columns["tools"] == 0.0


def test_every_counted_signal_exists() -> None:
    assert {signal for of in COUNTED.values() for signal in of} <= set(SIGNALS)


def test_what_is_not_measured_is_no_number() -> None:
    columns = see(seen_by_a_judge(PROMPT, CALL)).columns
    assert columns["hours"] is None
    assert columns["last-correction"] is None


def test_hours_run_from_the_first_stamp_to_the_last_and_never_backwards() -> None:
    early, late = "2026-05-04T09:00:00+00:00", "2026-05-04T12:00:00+01:00"  # two hours
    assert see(seen_by_a_judge({**PROMPT, "ts": early}, {**CALL, "ts": late})).columns["hours"] == pytest.approx(
        math.log(3)
    )
    assert see(seen_by_a_judge({**PROMPT, "ts": late}, {**CALL, "ts": early})).columns["hours"] == 0.0


def test_hashed_words_are_the_same_on_every_machine() -> None:
    # BLAKE2b (RFC 7693) of "ladder", 8 bytes: checked with coreutils' b2sum -l 64.
    assert hashed_words(seen_by_a_judge(typed("ladder")), 12) == {0xE09064ECD8ED4344 >> 1 & 0xFFF: -1.0}  # even: minus


def test_hashed_words_read_prompts_messages_and_failures_only() -> None:
    quiet = {**CALL, "output": "ladder"}
    assert hashed_words(seen_by_a_judge(quiet), 12) == {}
    assert hashed_words(seen_by_a_judge({**quiet, "ok": False, "exit_code": 1}), 12) != {}


@given(st.lists(st.text(max_size=40), max_size=6))
def test_hashed_words_have_length_one_or_none(texts: list[str]) -> None:
    cells = hashed_words(
        seen_by_a_judge(*[{"kind": "message", "text": text} for text in texts if "\ud800" not in text]), 6
    )
    assert all(0 <= cell < 64 for cell in cells)
    assert not cells or math.isclose(sum(value**2 for value in cells.values()), 1.0)


@settings(max_examples=50)
@given(st.lists(st.sampled_from([PROMPT, CALL, FAIL, typed("no"), {"kind": "message", "text": "oh"}]), max_size=12))
def test_one_more_event_never_lowers_a_count(events: list[Tree]) -> None:
    before = see(seen_by_a_judge(*events)).columns if events else dict.fromkeys(COUNTED, 0.0)
    after = see(seen_by_a_judge(*events, CALL)).columns
    assert all((after[name] or 0) >= (before[name] or 0) for name in COUNTED)


def test_a_long_text_is_looked_at_from_its_two_ends() -> None:
    text = "a" * 5000 + "b" * 5000
    assert len(kept(text)) <= KEPT + 1
    assert kept(text).startswith("a") and kept(text).endswith("b")
    assert "turn" in last(PROMPT, CALL, typed("x" * 5000 + " never again"))
    assert "corrects" in last(PROMPT, CALL, typed("x" * 5000 + " never again"))


def huge(count: int) -> list[Event]:
    output = "x" * 3000 + " not found" * 100
    calls = [{**(FAIL if i % 3 else CALL), "command": f"make test {i % 50}", "output": output} for i in range(count)]
    return [Event.model_validate(event) for event in (PROMPT, *calls)]


def test_time_is_linear_in_events_and_memory_flat_in_text() -> None:
    small, large = huge(500), huge(5000)
    times = []
    for events in (small, large):
        best = math.inf
        for _ in range(3):
            start = time.process_time()
            signals_of(events)
            best = min(best, time.process_time() - start)
        times.append(best)
    assert times[1] < 25 * times[0]  # ten times the events
    tracemalloc.start()
    signals_of(large)  # 20 MB of text
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000


def test_one_huge_output_costs_no_more_than_a_long_one() -> None:
    event = Event.model_validate({**FAIL, "output": "(" * 30_000_000})
    start = time.process_time()
    signals_of([event])
    assert time.process_time() - start < 0.05
