"""Quotes are looked up in what was shown."""

from __future__ import annotations

import json

import pytest
from fake_llm import Says, always, fake, verdict
from llm_judges import asked, at, shown

from bench.judges.llm.evidence import LONGEST_KEPT, Evidence, check
from bench.projection.render import render

PROJECTION = shown()
TRACE = render(PROJECTION)


@pytest.mark.parametrize(
    ("quote", "events"),
    [
        ("Hello! It works again.", (3,)),
        ("The lamp is dark, please mend it.", (1,)),
        ("mend lamp", (2,)),  # short, but a whole line
        ("done", (2,)),
        ("lit again", (2,)),
        ("  please\n mend   it. ", (1,)),  # white space aside
        ("lamp is dark, please", (1,)),
        ("#2 command exit=0(text)", (2,)),
        ("query: Mend the lamp.", ()),  # found, but in no event
        ("done lit again output:", None),
        ("output: done lit again", (2,)),  # across lines of one event
    ],
)
def test_found(quote: str, events: tuple[int, ...] | None) -> None:
    found = check([quote], PROJECTION, TRACE)
    assert found == (Evidence((), (), 1) if events is None else Evidence(events, (" ".join(quote.split()),), 0))


@pytest.mark.parametrize(
    "quote",
    [
        "The lamp is lit.",
        "hello! it works again.",
        "lamp",
        "again",
        "It works",
        "works again",
        "x" * 5000,
        "The lamp … mend it.",
    ],
)
def test_invented(quote: str) -> None:
    assert check([quote], PROJECTION, TRACE) == Evidence((), (), 1)


def test_one_quote_twice_counts_once_and_empty_ones_not_at_all() -> None:
    assert check(["done", " done ", "", "  ", "no such text here"], PROJECTION, TRACE) == Evidence((2,), ("done",), 1)


def test_a_quote_counts_for_the_first_event_that_holds_it() -> None:
    twice = shown(*[{"kind": "message", "text": "It works again and again."}] * 3)
    assert check(["It works again and again."], twice, render(twice)).events == (1,)


def test_a_long_quote_is_kept_in_part() -> None:
    long = shown({"kind": "message", "text": "word " * 400})
    (kept,) = check(["word " * 300], long, render(long)).quotes
    assert len(kept) == LONGEST_KEPT


@pytest.mark.parametrize("mode", ["json_schema", "plain"])
def test_through_the_judge(mode: str) -> None:
    quotes = ["Hello! It works again.", "It was the fuse, says the smith."]
    lines = "\n".join(f"evidence-NONCE: {json.dumps(quote)}" for quote in quotes)
    says = {"json_schema": verdict("yes", quotes, "It says so."), "plain": f"It says so.\n{lines}\nverdict-NONCE: yes"}
    with fake(always(Says(says[mode]))) as server:
        given = asked(at(server, mode=mode))
    assert (given.answer, given.evidence, given.quotes, given.invented) == ("yes", (3,), (quotes[0],), 1)
    assert given.reason == "It says so."


def test_no_quotes_are_no_inventions() -> None:
    with fake(always(Says(verdict("yes")))) as server:
        assert asked(at(server)).invented == 0
