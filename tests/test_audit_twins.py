"""The audits of twins: clean ones pass, a word that every positive has fails, a deciding line may tell them apart."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from twin_suites import DECIDING, changed, material_of, twin_suite, twin_trees, words, write_twins

from bench.audits.material import Material
from bench.audits.pair_attack import Attack, attack, folds_of
from bench.audits.pair_features import kernel_of
from bench.audits.twins import FEWEST, _pairs, _whole, query_only_on_twins, twin_attack, twin_attack_masked
from bench.cases.layout import Layout
from bench.cases.load import LoadedCase
from bench.schema.event import Event

ROOT = Path(__file__).parent.parent
FAMILIES = 24


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return material_of(write_twins(tmp_path_factory.mktemp("twins"), twin_trees(FAMILIES)))


def said(material: Material, number: int, text: str) -> Material:
    """The text added to that event of every positive."""

    def change(loaded: LoadedCase, events: list[Event]) -> list[Event]:
        if int(loaded.case.id[1:]) % 2 == 0:
            events[number - 1] = events[number - 1].model_copy(update={"text": f"{events[number - 1].text} {text}"})
        return events

    return changed(material, change)


def test_clean_twins_pass(clean: Material) -> None:
    for audit in (twin_attack, twin_attack_masked):
        result = audit(clean)
        assert result.passed is True, result
        assert f"of {FAMILIES} positives rank first, p = " in result.found
        assert "no leak above about 0." in result.found or "no more than 0." in result.found
        assert result.details == ()


def test_one_word_in_every_positive_fails_both(clean: Material) -> None:
    leaky = said(clean, 2, "remember")
    assert twin_attack(leaky).passed is False
    assert twin_attack_masked(leaky).passed is False
    assert twin_attack_masked(leaky).found.startswith(f"{FAMILIES} of {FAMILIES} positives rank first, p = 0.002")


def test_a_word_of_the_deciding_line_fails_the_plain_attack_only(clean: Material) -> None:
    telling = said(clean, DECIDING, "always")
    assert twin_attack(telling).passed is False
    assert twin_attack_masked(telling).passed is True


def test_one_more_event_in_every_positive_fails(clean: Material) -> None:
    def longer(loaded: LoadedCase, events: list[Event]) -> list[Event]:
        unlike = words(random.Random(loaded.case.id), 5)
        return [*events, Event(kind="message", text=unlike)] if int(loaded.case.id[1:]) % 2 == 0 else events

    assert twin_attack_masked(changed(clean, longer)).passed is False


def test_both_members_lose_the_same_numbers(tmp_path: Path) -> None:
    """A note that names one event more than its twin's does not make its session shorter."""
    material = material_of(write_twins(tmp_path, twin_trees(FAMILIES)))
    notes = {
        case: replace(loaded, note=loaded.note.model_copy(update={"deciding_events": (DECIDING, 6)}))
        if int(case[1:]) % 2 == 0
        else loaded
        for case, loaded in material.notes.items()
    }
    assert twin_attack_masked(replace(material, notes=notes)).passed is True


def test_few_pairs_cannot_decide(tmp_path: Path) -> None:
    result = twin_attack(material_of(write_twins(tmp_path, twin_trees(9))))
    assert (result.passed, result.found) == (None, "9 pairs, 10 are wanted")


def test_pairs_in_which_no_count_is_rare_cannot_decide(clean: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    for silent, passed in ((0, None), (10, None), (12, True)):  # 1, .79 and .75 of the pairs can be told
        tried = Attack(first=14, pairs=FAMILIES, p=0.2, silent=silent, detectable=None)
        monkeypatch.setattr("bench.audits.twins.attack", lambda *_, tried=tried: tried)
        assert twin_attack(clean).passed is passed


def test_families_that_are_no_pair_are_named(tmp_path: Path) -> None:
    trees = twin_trees(11)
    trees[2]["family"] = trees[4]["family"] = "family-9"
    material = material_of(write_twins(tmp_path, trees))
    result = twin_attack(material)
    assert result.passed is None
    assert result.details == (
        "left out: family-1, labelled no",
        "left out: family-2, labelled no",
        "left out: family-9, labelled no, yes, yes, yes",
    )


def test_without_deciding_events_nothing_is_masked(tmp_path: Path) -> None:
    result = twin_attack_masked(material_of(write_twins(tmp_path, twin_trees(10), numbers=())))
    assert (result.passed, result.found) == (None, "0 pairs, 10 are wanted")
    assert result.details[0] == "left out: family-0, the note of S000 names no deciding_events"


def test_one_statement_must_be_critical(tmp_path: Path) -> None:
    suite = twin_suite()
    suite["statements"][0]["critical"] = True
    result = twin_attack(material_of(write_twins(tmp_path, twin_trees(10), suite)))
    assert (result.passed, result.details) == (None, ("2 statements are critical, one is wanted",))


def test_identical_queries_are_at_chance(clean: Material) -> None:
    result = query_only_on_twins(said(clean, 2, "remember"))
    assert result.passed is True
    assert result.found.startswith(f"queries are identical in {FAMILIES} of {FAMILIES} pairs")


@pytest.mark.parametrize(
    ("differing", "passed", "told"),
    [
        (FAMILIES, False, "twins are told apart"),
        (4, True, "no more than 0.58 can be told"),
    ],
)
def test_queries_that_tell(tmp_path: Path, differing: int, passed: bool | None, told: str) -> None:
    trees = twin_trees(FAMILIES)
    for tree in trees[: 2 * differing : 2]:
        tree["query"] += " As ever."
    result = query_only_on_twins(material_of(write_twins(tmp_path, trees)))
    assert result.passed is passed
    assert result.found.startswith(f"queries are identical in {FAMILIES - differing} of {FAMILIES} pairs")
    assert told in result.found


# --- the shipped twins ---


def shipped() -> Material:
    return material_of(Layout(ROOT / "cases" / "lessons"))


def test_shipped_twins_leak_nothing() -> None:
    for audit in (twin_attack_masked, query_only_on_twins):  # a deciding line may hold words that recur
        assert audit(shipped()).passed is not False, audit


def test_a_word_added_to_a_routine_message_of_each_shipped_positive_is_found() -> None:
    """The audit itself needs ten pairs; the attack under it finds this leak in fewer."""
    material = shipped()

    def change(loaded: LoadedCase, events: list[Event]) -> list[Event]:
        label = material.labels.label((loaded.case.id, "a1", "reusable-lesson"))
        if loaded.case.stratum == "twins" and label.answer == "yes":
            place = next(i for i, event in enumerate(events) if event.kind == "message")
            events[place] = events[place].model_copy(update={"text": f"{events[place].text} remember"})
        return events

    leaky = changed(material, change)
    before, after = (attacked(m) for m in (material, leaky))
    assert after.first >= 0.85 * after.pairs
    assert after.first > before.first and after.p < before.p
    if after.pairs >= FEWEST:
        assert twin_attack(leaky).passed is False


def attacked(material: Material) -> Attack:
    pairs = _pairs(material, _whole).pairs
    return attack(kernel_of(pairs), folds_of([pair.family for pair in pairs]), material.suite.suite.seed)
