"""Settling votes that differ, on the page and beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_pages import at, chair_desk, served
from suites import ANSWERS, SUITE, VOTES, make_suite, votes_text

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cli import main
from bench.labelling.ruling import AlreadyRuled, Chair, rule
from bench.labels.load import load_labels
from bench.problems import BrokenInput
from bench.schema.vote import Ruling


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    bob = votes_text("S001", "bob", ANSWERS | {"format-kept": "no", "quality": "2"}).replace("[3]", "[1, 2]")
    return make_suite(tmp_path, votes=VOTES | {"bob/S001": bob}, suite=SUITE.replace("item: 1", "item: 0"))


def rulings(layout: Layout) -> dict[str, tuple[str, str]]:
    return {item[2]: (r.answer, r.reason) for item, r in load_labels(load_suite(layout)).rulings.items()}


def test_both_votes_are_shown_and_the_answer_is_settled(layout: Layout) -> None:
    with served({"chair": chair_desk(layout, "chair")}) as clients:
        state = clients["chair"].state()
        assert (state["work"], state["total"], state["done"]) == ("rulings", 2, 0)
        first = state["current"]
        assert [(v["annotator"], v["answer"], v["evidence"]) for v in first["votes"]] == [
            ("ann", "yes", [3]), ("bob", "no", [1, 2]),
        ]  # fmt: skip
        assert clients["chair"].answer(first, answer="no", rationale="").status == 422
        assert clients["chair"].answer(first, answer="no", rationale='The guide: "greeting first".').status == 200
        assert (
            clients["chair"].answer(clients["chair"].state()["current"], answer="unclear", rationale="R").status == 200
        )
        assert clients["chair"].state()["current"] is None
    assert rulings(layout) == {"format-kept": ("no", 'The guide: "greeting first".'), "quality": ("unclear", "R")}
    assert main(["lint", "--suite", str(layout.suite)]) == 0


def test_a_ruling_is_taken_back_by_its_adjudicator_only(layout: Layout) -> None:
    with served({"chair": chair_desk(layout, "chair"), "other": chair_desk(layout, "other")}) as clients:
        first = clients["chair"].state()["current"]
        clients["chair"].answer(first, answer="no", rationale="R1")
        assert clients["other"].state()["previous"] is None
        assert clients["other"].take_back(first).status == 409
        assert clients["other"].answer(first, answer="yes", rationale="R2").status == 409
        state = clients["chair"].take_back(first).told
        assert at(state["current"]) == at(first) and state["current"]["draft"]["rationale"] == "R1"
        assert not (layout.labels / "adjudicated" / "S001.yaml").exists()
        assert clients["other"].answer(first, answer="yes", rationale="R2").status == 200
    assert rulings(layout) == {"format-kept": ("yes", "R2")}


def test_rulings_that_are_there_stay(layout: Layout) -> None:
    chair = Chair(layout, "chair")
    one = Ruling(attempt="a1", statement="format-kept", answer="no", reason="R1")
    rule(chair, "S001", one, "1")
    rule(chair, "S001", one, "1")
    rule(chair, "S001", one.model_copy(update={"statement": "quality", "answer": "2"}), "1")
    with pytest.raises(AlreadyRuled):
        rule(chair, "S001", one.model_copy(update={"answer": "yes"}), "1")
    others = {
        Chair(layout, "chair", "model", "m-1"): "rulings made by person",
        Chair(layout, "other"): "rulings of chair",
    }
    for other, found in others.items():
        with pytest.raises(BrokenInput, match=found):
            rule(other, "S001", one.model_copy(update={"statement": "channel"}), "1")
    assert rulings(layout) == {"format-kept": ("no", "R1"), "quality": ("2", "R1")}
