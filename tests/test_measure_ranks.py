"""Who ranks first, and how surely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from bench.measure.counts import count_families
from bench.measure.metrics import METRICS
from bench.measure.ranks import count_judges, rank_judges, rank_shares

SKILLS = {"good": 0.85, "fair": 0.8, "poor": 0.5}


def verdicts(seed: int, n: int = 200) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.4
    said = {name: np.where(generator.random(n) < skill, labels, ~labels) for name, skill in SKILLS.items()}
    return labels, said, np.arange(n) // 2


def test_joint_counts_are_those_of_each_judge() -> None:
    labels, said, family = verdicts(1)
    joint = count_judges(labels, said, family).totals().reshape(3, 4)
    for row, column in zip(joint, said.values(), strict=True):
        assert row.tolist() == count_families(labels, column, family).totals().tolist()


@pytest.mark.parametrize("metric", ["accuracy", "precision", "f1", "mcc"])
def test_ranking_of_three(metric: str) -> None:
    labels, said, family = verdicts(2)
    found = rank_judges(METRICS[metric], list(said), count_judges(labels, said, family), 1, 2000)
    assert [rank.judge for rank in found.ranks][-1] == "poor" and found.skipped == 0
    assert sum(rank.first or 0 for rank in found.ranks) == pytest.approx(1)
    for rank in found.ranks:
        assert rank.low is not None and rank.high is not None and rank.place is not None
        assert 1 <= rank.low <= rank.place <= rank.high <= 3


def test_share_first_of_two_is_the_bootstrap_chance_of_a_gap() -> None:
    # Oracle: a plain resample loop over families.
    labels, said, family = verdicts(3)
    two = {name: said[name] for name in ("good", "fair")}
    found = {
        r.judge: r for r in rank_judges(METRICS["accuracy"], list(two), count_judges(labels, two, family), 1).ranks
    }
    gaps = np.bincount(family, (two["good"] == labels).astype(float) - (two["fair"] == labels))
    drawn = gaps[np.random.default_rng(9).integers(0, 100, (10_000, 100))].sum(axis=1)
    assert found["good"].first == pytest.approx(np.mean(drawn > 0) + np.mean(drawn == 0) / 2, abs=0.02)


def test_the_same_judge_twice_shares_first_place() -> None:
    labels, said, family = verdicts(4)
    twice = {"one": said["good"], "two": said["good"], "poor": said["poor"]}
    found = rank_judges(METRICS["mcc"], list(twice), count_judges(labels, twice, family), 1, 500)
    assert [(r.judge, r.place) for r in found.ranks] == [("one", 1.5), ("two", 1.5), ("poor", 3.0)]
    assert found.ranks[0].first == found.ranks[1].first == pytest.approx(0.5)


def test_a_judge_without_a_value_is_not_ranked() -> None:
    labels, said, family = verdicts(5)
    said["never"] = np.zeros(200, bool)
    found = rank_judges(METRICS["precision"], list(said), count_judges(labels, said, family), 1, 500)
    last = found.ranks[-1]
    assert (last.judge, last.value, last.first, last.undefined) == ("never", None, None, "0 predicted yes")
    assert sum(rank.first or 0 for rank in found.ranks) == pytest.approx(1)


def test_resamples_without_a_value_are_counted() -> None:
    labels, said, _ = verdicts(6)
    said["rare"] = np.arange(200) == int(np.flatnonzero(labels)[0])
    found = rank_judges(METRICS["precision"], list(said), count_judges(labels, said, np.arange(200)), 1, 2000)
    assert found.skipped == pytest.approx(2000 * np.exp(-1), rel=0.1)  # (1 - 1/200)^200: the one yes is not drawn


def test_places_are_those_of_scipy() -> None:
    values = np.round(np.random.default_rng(7).random((50, 5)), 1)
    for row in values:
        places = [place for _, place, *_ in rank_shares(row, values)]
        assert places == rankdata(-row, method="average").tolist()
    assert rank_shares(values[0], values[:0])[0][2:] == (None, None, None)


def test_row_order_and_names() -> None:
    labels, said, family = verdicts(8)
    order = np.random.default_rng(1).permutation(200)
    moved = {name: column[order] for name, column in said.items()}
    plain = rank_judges(METRICS["f1"], list(said), count_judges(labels, said, family), 1, 300)
    again = rank_judges(
        METRICS["f1"], list(said), count_judges(labels[order], moved, (7 * family[order]) % 100), 1, 300
    )
    assert repr(plain) == repr(again)


def test_no_better_end_no_ranking() -> None:
    labels, said, family = verdicts(9)
    with pytest.raises(ValueError, match="no better end"):
        rank_judges(METRICS["prevalence"], list(said), count_judges(labels, said, family), 1)
