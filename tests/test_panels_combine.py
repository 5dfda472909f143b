"""Panels: votes by hand, Condorcet's closed form, weights by hand, and what must not move them."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_items import item, items, voice

from bench.measure.ranking import RANK_METRICS, rank_value, score_families
from bench.policies.combine import (
    NotFitted,
    Ruling,
    Single,
    Weighted,
    fit_stacked,
    fit_weighted,
    majority,
    out_of_fold,
)
from bench.policies.members import Item
from bench.policies.replay import Chance, bounds, figures, gap, point, replay, wanted_metrics, written
from bench.schema.suite import Stratum

CHANCE = Chance(1, 200)
METRICS = ("balanced_accuracy", "precision", "recall", "f1")


def decided(arrangement: Weighted, *voices: str | float | None) -> tuple[bool | None, str | None]:
    ruling = arrangement.decide([voice(one) for one in voices])
    return ruling.answer, ruling.why


def test_majority_by_hand() -> None:
    of_three = majority(3)
    assert decided(of_three, "yes", "no", "yes") == (True, None)
    assert decided(of_three, "no", "no", "yes") == (False, None)
    assert decided(of_three, "yes", "no", None) == (None, "tied")
    assert decided(of_three, "no", "no", None) == (False, None)
    assert decided(of_three, "yes", None, None) == (None, "too_few_members")
    assert decided(of_three, "yes", None, "not_run") == (None, "not_run")
    assert decided(majority(3, floor=1), "yes", None, None) == (True, None)
    assert decided(majority(4), "yes", "no", "yes", "no") == (None, "tied")


@pytest.mark.parametrize(("jurors", "expected"), [(1, 0.7), (3, 0.784), (5, 0.83692)])
def test_majority_of_independent_judges_is_condorcets(jurors: int, expected: float) -> None:
    # Sum over k > n/2 of C(n, k) .7^k .3^(n-k): .784 for three, .83692 for five (Condorcet 1785).
    right = 0.0
    for pattern in product((True, False), repeat=jurors):
        ruling = majority(jurors).decide([voice("yes" if one else "no") for one in pattern])
        right += 0.7 ** sum(pattern) * 0.3 ** (jurors - sum(pattern)) * (ruling.answer is True)
    assert right == pytest.approx(expected)


def test_log_odds_weights_follow_the_expert_where_the_plain_majority_does_not() -> None:
    # Accuracies .9, .6, .6: ln 9 = 2.197 outweighs twice ln 1.5 = .405, so the panel is right in .9 of cases; the plain
    # majority in .9 x (1 - .16) + .1 x .36 = .792 (Nitzan and Paroush 1982).
    accuracies = (0.9, 0.6, 0.6)
    weights = tuple(math.log(a / (1 - a)) for a in accuracies)
    for arrangement, expected in ((Weighted(weights, 2), 0.9), (majority(3), 0.792)):
        right = 0.0
        for pattern in product((True, False), repeat=3):
            chance = math.prod(a if one else 1 - a for a, one in zip(accuracies, pattern, strict=True))
            right += chance * (arrangement.decide([voice("yes" if p else "no") for p in pattern]).answer is True)
        assert right == pytest.approx(expected)


def test_weights_by_hand() -> None:
    # Recall (7 + 1) / (8 + 2) = .8, specificity (5 + 1) / (8 + 2) = .6, mean .7: ln(.7 / .3). The second member is the
    # first one's opposite and gets 0. The third is right in all it answers: 4 of 4 on each side, (4 + 1) / (4 + 2).
    first = ["yes"] * 7 + ["no"] + ["no"] * 5 + ["yes"] * 3
    third = [None] * 4 + ["yes"] * 4 + ["no"] * 4 + [None] * 4
    rows = [
        (number < 8, said, "no" if said == "yes" else "yes", other)
        for number, (said, other) in enumerate(zip(first, third, strict=True))
    ]
    fitted = fit_weighted(items(*rows))
    assert fitted.weights == pytest.approx((math.log(0.7 / 0.3), 0.0, math.log(5)))
    assert fitted.floor == 2  # of the two that carry weight
    assert fitted.decide([voice("yes"), voice("no"), voice(None)]).why == "too_few_members"
    assert fitted.decide([voice("yes"), voice("yes"), voice("no")]) == Ruling(
        False, None, (0, 2), pytest.approx((math.log(7 / 3) - math.log(5)) / (math.log(7 / 3) + math.log(5)))
    )


def test_nothing_is_fitted_on_one_class_or_on_members_without_worth() -> None:
    with pytest.raises(NotFitted, match="0 labelled no on development"):
        fit_weighted(items((True, "yes", "no"), (True, "no", "no")))
    with pytest.raises(NotFitted, match="0 labelled yes, 0 labelled no"):
        fit_stacked([])
    with pytest.raises(NotFitted, match="no member is better than chance"):
        fit_weighted(items((True, "no", "no"), (False, "yes", "yes")))
    with pytest.raises(NotFitted, match="no member's value varies"):
        fit_stacked(items((True, "yes", 0.3), (False, "yes", 0.3)))


def noise(seed: int, families: int, members: int, size: int = 1) -> list[Item]:
    generator = np.random.default_rng(seed)
    labels = generator.permutation(np.arange(families * size) % 2 == 0)
    values = generator.random((families * size, members))
    return [
        item(bool(label), *map(float, row), name=f"c{i}", family=f"f{i // size}")
        for i, (label, row) in enumerate(zip(labels, values, strict=True))
    ]


def auroc(found: list[Ruling], rows: list[Item]) -> float:
    scores = [ruling.score for ruling in found]
    families = score_families(scores, [one.label is True for one in rows], [one.row.family for one in rows])
    value = rank_value(RANK_METRICS["auroc"].function, families)
    assert value is not None
    return value


def test_out_of_fold_does_not_see_its_own_fold() -> None:
    # Labels are noise: 20 columns on 200 items fit them in-sample (AUROC about .5 + .2), and say nothing out of fold.
    out, within = [], []
    for seed in range(8):
        rows = noise(seed, families=100, members=20, size=2)
        out.append(auroc(out_of_fold(rows, fit_stacked, seed), rows))
        model = fit_stacked(rows)
        within.append(auroc([model.decide(one.voices) for one in rows], rows))
    assert np.mean(out) == pytest.approx(0.5, abs=0.05)
    assert min(within) > 0.6


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_a_familys_labels_do_not_move_its_own_out_of_fold_ruling(seed: int) -> None:
    rows = noise(seed, families=20, members=3, size=2)
    flipped = [
        item(not one.label, *one.voices, name=one.row.case, family="f7") if one.row.family == "f7" else one
        for one in rows
    ]
    before, after = (out_of_fold(each, fit_stacked, 5) for each in (rows, flipped))
    assert [before[i] for i in (14, 15)] == [after[i] for i in (14, 15)]
    assert before != after  # others were fitted on them


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_row_order_and_names_move_no_fit_and_no_figure(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows = noise(seed, families=12, members=3, size=2)
    rows = [replace(one, voices=tuple(voice(round(v.value or 0, 1)) for v in one.voices)) for one in rows]
    moved = [rows[i] for i in generator.permutation(len(rows))]
    names = {name: f"n{i}" for i, name in enumerate(generator.permutation(sorted({one.row.family for one in rows})))}
    moved = [replace(one, row=replace(one.row, family=names[one.row.family], case=f"x{one.row.case}")) for one in moved]
    assert fit_stacked(moved) == fit_stacked(rows)
    assert fit_weighted_or_none(moved) == fit_weighted_or_none(rows)
    for each in (majority(3), fit_stacked(rows)):
        assert told(replay(each, moved)) == told(replay(each, rows))
    both = [written(each, out_of_fold(each, fit_stacked, 3)) for each in (moved, rows)]
    assert told(both[0]) == told(both[1])
    gaps = [
        gap("accuracy", one, replay(Single(0), each), CHANCE) for one, each in zip(both, (moved, rows), strict=True)
    ]
    assert gaps[0] == gaps[1]


def told(done: object) -> object:
    return figures(done, METRICS, 3, CHANCE)  # type: ignore[arg-type]


def fit_weighted_or_none(rows: list[Item]) -> Weighted | None:
    try:
        return fit_weighted(rows)
    except NotFitted:
        return None


WORDS = st.sampled_from(["yes", "no", None, "not_run", 0.4])


@given(st.lists(st.tuples(st.sampled_from([True, False, None]), WORDS, WORDS, WORDS), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_books_balance_and_the_point_is_the_figures(rows: list[tuple[bool | None, str, str, str]]) -> None:
    whole = items(*rows)
    for arrangement in (Single(1), majority(3), majority(3, 1), Weighted((1.0, 0.5, 0.0), 1)):
        done = replay(arrangement, whole)
        found = figures(done, METRICS, 3, CHANCE)
        assert found.books.balanced and found.books.expected == len(rows)
        assert found.metrics["balanced_accuracy"].value == point(done, "balanced_accuracy")


def test_a_panel_costs_all_it_asks_and_unknown_prices_stay_unknown() -> None:
    rows = items(
        (True, voice("yes", 0.5, 10), voice("no", 0.25, 2), voice("yes", 9, 90)),
        (False, voice("no", 1.5, 30), voice(None, 0.75, 4), voice("yes", 9, 90)),
    )
    two = figures(replay(Weighted((1.0, 1.0, 0.0), 1), rows), METRICS, 3, CHANCE)
    assert two.usd.value == pytest.approx(1.5) and two.ms_mean.value == 23 and two.asked == (2, 2, 0)
    unknown = [replace(rows[0], voices=(rows[0].voices[0], voice("no", None, 2), rows[0].voices[2])), rows[1]]
    found = figures(replay(Weighted((1.0, 1.0, 0.0), 1), unknown), METRICS, 3, CHANCE)
    assert (found.usd.value, found.usd.unknown, found.usd.why) == (None, 1, "price unknown")
    assert found.ms_mean.value == 23
    unasked = figures(replay(Single(0), unknown), METRICS, 3, CHANCE)
    assert unasked.usd.value == 1.0


def test_undecided_items_bound_the_metric() -> None:
    # Recall 1 of 1, specificity 1 of 1 of what is decided; one yes and one no are ties, one tie has no label.
    rows = items(
        (True, "yes", "yes"), (False, "no", "no"), (True, "yes", "no"), (False, "yes", "no"), (None, "yes", "no")
    )  # fmt: skip
    done = replay(majority(2), rows)
    assert [ruling.why for ruling in done.rulings] == [None, None, "tied", "tied", "tied"]
    assert point(done, "balanced_accuracy") == 1 and bounds(done, "balanced_accuracy") == (0.5, 1.0)
    assert figures(done, METRICS, 2, CHANCE).books.unscored == {"tied": 3}


def test_a_gap_is_on_what_both_decided() -> None:
    rows = items((True, "yes", "no"), (False, "no", None), (True, None, "yes"), (True, "yes", "yes"))
    found = gap("recall", replay(Single(0), rows), replay(Single(1), rows), CHANCE)
    assert found.value == pytest.approx(1 - 1 / 2)
    nothing = gap("recall", replay(Single(0), rows[1:2]), replay(Single(1), rows[1:2]), CHANCE)
    assert nothing.undefined == "no item that both decided"


def test_precision_is_not_told_where_the_design_sets_it() -> None:
    drawn = Stratum(id="t", meaning="m", design="random_sample")
    paired = Stratum(id="t", meaning="m", design="paired_by_design")
    assert wanted_metrics(drawn, "mcc") == ("mcc", "balanced_accuracy", "precision", "recall", "f1")
    assert wanted_metrics(paired, "balanced_accuracy") == ("balanced_accuracy", "recall", "specificity")
