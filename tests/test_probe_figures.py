"""From pairs to rates: what counts as broken, books that balance, limits, and the regression against another tool."""

from __future__ import annotations

import itertools
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.measure.estimate import Estimate, undefined_estimate
from bench.probing.asking import Pair, Said, Traits
from bench.probing.bias import clustered_logistic, regress
from bench.probing.figures import Figures, fate, measure, noise, violation_rate
from bench.probing.limits import decide, worst
from bench.schema.probe import Expect, Probe

YES, NO = Said("yes"), Said("no")
ABSTAINED, FAILED = Said(None, "abstained"), Said(None, "timeout")


def probe(expect: Expect, name: str = "p") -> Probe:
    return Probe(id=name, transform="rename", expect=expect)


def pair(expect: Expect, before: Said, after: Said, family: str = "f", **more: Any) -> Pair:
    return Pair(
        probe(expect), "judge-1", "done", family, **{"applies": True, "shown": True, **more}, before=before, after=after
    )


@pytest.mark.parametrize(
    ("expect", "before", "after", "found"),
    [
        ("same", YES, YES, "kept"),
        ("same", NO, NO, "kept"),
        ("same", YES, NO, "violation"),
        ("same", NO, YES, "violation"),
        ("same", YES, ABSTAINED, "silent"),
        ("same", YES, FAILED, "unscored_after"),
        ("same", ABSTAINED, YES, "unscored_before"),
        ("falls", YES, NO, "kept"),
        ("falls", YES, YES, "violation"),
        ("falls", NO, NO, "outside"),
        ("falls", NO, YES, "outside"),
        ("falls", YES, ABSTAINED, "silent"),
        ("abstains_or_falls", YES, NO, "kept"),
        ("abstains_or_falls", YES, ABSTAINED, "kept"),
        ("abstains_or_falls", YES, FAILED, "unscored_after"),
        ("abstains_or_falls", YES, YES, "violation"),
        ("abstains_or_falls", NO, YES, "outside"),
        ("not_rises", NO, YES, "violation"),
        ("not_rises", NO, NO, "kept"),
        ("not_rises", YES, YES, "outside"),
        ("not_rises", NO, ABSTAINED, "silent"),
    ],
)
def test_what_becomes_of_a_pair(expect: Expect, before: Said, after: Said, found: str) -> None:
    assert fate(pair(expect, before, after)) == found


def test_what_does_not_apply_or_is_not_shown_is_no_evidence() -> None:
    assert fate(pair("same", YES, NO, applies=False)) == "not_applicable"
    assert fate(pair("same", YES, NO, shown=False)) == "not_shown"


said = st.sampled_from([YES, NO, ABSTAINED, FAILED])
pairs = st.builds(
    lambda before, after, family, applies, shown: pair(
        "falls", before, after, family, applies=applies, shown=shown and applies
    ),
    said, said, st.sampled_from("abcde"), st.booleans(), st.booleans(),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(pairs, min_size=1, max_size=30), st.randoms())
def test_the_books_balance_and_neither_order_nor_names_move_a_figure(found: list[Pair], chance: Any) -> None:
    (one,) = measure(found, 1)
    assert one.sessions == len(found) == sum(one.fates.values())
    assert one.base == sum(p.shown and p.before == YES and p.after in (YES, NO) for p in found)
    assert (one.rate.value is None) == (one.base == 0)
    if one.base:
        assert one.rate.value == pytest.approx(one.violations / one.base)
    mixed = [
        Pair(p.probe, p.judge, p.statement, f"new-{p.family}", p.applies, p.shown, p.before, p.after) for p in found
    ]
    chance.shuffle(mixed)
    (again,) = measure(mixed, 1)
    assert again.rate == one.rate and dict(again.fates) == dict(one.fates)


@pytest.mark.parametrize("expect", get_args(Expect))
def test_a_judge_that_always_says_yes_breaks_no_sameness_and_every_fall(expect: Expect) -> None:
    (one,) = measure([pair(expect, YES, YES, str(i)) for i in range(40)], 1)
    wanted = {"same": 0.0, "falls": 1.0, "abstains_or_falls": 1.0, "not_rises": None}[expect]
    assert one.rate.value == wanted
    if wanted is None:
        assert one.rate.undefined == "0 scored pairs that start at no"
    else:
        assert one.rate.low is not None and one.rate.high is not None and one.rate.low < one.rate.high


def test_the_interval_of_single_families_is_that_of_the_share() -> None:
    # Clopper-Pearson, 3 of 9: R binom.test(3, 9), .0749 to .7007
    rate = violation_rate([True] * 3 + [False] * 6, [str(i) for i in range(9)], "")
    assert (rate.low, rate.high) == (pytest.approx(0.0749, abs=5e-4), pytest.approx(0.7007, abs=5e-4))
    assert rate.too_few and (rate.numerator, rate.denominator) == (3, 9)


def test_a_family_that_goes_one_way_is_one_piece_of_evidence() -> None:
    hits = [i % 2 == 0 for i in range(20) for _ in range(5)]
    apart = violation_rate(hits, [str(i) for i in range(100)], "")
    together = violation_rate(hits, [str(i // 5) for i in range(100)], "")
    assert apart.high is not None and apart.low is not None and together.high is not None and together.low is not None
    assert together.high - together.low > 1.8 * (apart.high - apart.low)


def test_probabilities_move_by_their_mean_size_and_flips_are_counted_each_way() -> None:
    found = [
        pair("same", Said("yes", p=0.9), Said("no", p=0.3), "a"),
        pair("same", Said("no", p=0.2), Said("yes", p=0.6), "b"),
        pair("same", Said("yes", p=0.8), Said("yes", p=0.8), "c"),
        pair("same", YES, NO, "d"),
    ]
    (one,) = measure(found, 1)
    assert one.moved.value == pytest.approx((0.6 + 0.4 + 0) / 3)
    assert (one.to_no, one.to_yes) == (2, 1)


def test_a_judge_that_answers_by_chance_shows_its_own_noise() -> None:
    flips = noise([((YES, NO), "a"), ((YES, YES), "b"), ((NO, YES), "c"), ((NO, FAILED), "d")], 1)
    assert flips.value == pytest.approx(2 / 3)


def figures(rate: Estimate) -> Figures:
    return Figures(probe("same"), "j", "done", {}, rate, 0, 0, undefined_estimate("x", "none"))


@pytest.mark.parametrize(
    ("low", "high", "limit", "status"),
    [(0.0, 0.04, 0.05, "met"), (0.0, 0.05, 0.05, "met"), (0.02, 0.2, 0.05, "cannot decide"), (0.06, 0.2, 0.05, "not met"),
     (0.05, 0.2, 0.05, "cannot decide"), (0.0, 0.03, 0.0, "cannot decide"), (0.9, 1.0, 1.0, "met")],
)  # fmt: skip
def test_a_limit_is_weighed_by_the_interval(low: float, high: float, limit: float, status: str) -> None:
    (one,) = decide({"p": limit, "other": 0.0}, [figures(Estimate("v", (low + high) / 2, low, high, "m", 30))])
    assert one.status == status


def test_an_undefined_rate_meets_no_limit() -> None:
    (one,) = decide({"p": 1.0}, [figures(undefined_estimate("v", "0 pairs scored"))])
    assert (one.status, one.reason) == ("cannot decide", "0 pairs scored")
    assert worst([one]) == "cannot decide" and worst([]) == "cannot decide"


# --- the regression ---


def world(seed: int, families: int, size: int, slope: float) -> tuple[Any, Any, list[str]]:
    """Sessions whose yes goes with the first of two columns, and with something that a family shares."""
    generator = np.random.default_rng(seed)
    columns = generator.normal(size=(families * size, 2)) * [1.5, 1.0]
    shared = np.repeat(generator.normal(size=families) * 0.7, size)
    logit = slope * columns[:, 0] + shared
    yes = (generator.random(len(logit)) < 1 / (1 + np.exp(-logit))).astype(float)
    return columns, yes, [str(i // size) for i in range(len(logit))]


@pytest.mark.parametrize("size", [1, 4])
def test_without_a_ridge_it_is_the_clustered_logit_of_statsmodels(size: int) -> None:
    import statsmodels.api as sm

    columns, yes, families = world(1, 60, size, 0.8)
    groups = np.array([int(f) for f in families])
    fit = sm.Logit(yes, sm.add_constant(columns)).fit(disp=0, cov_type="cluster", cov_kwds={"groups": groups})
    found = clustered_logistic(columns, yes, families, penalty=1e-10)
    np.testing.assert_allclose(found.point, fit.params[1:], rtol=1e-6)
    np.testing.assert_allclose(found.errors, fit.bse[1:], rtol=1e-5)
    assert not found.separated and found.why_endless(0) is None


def test_neither_order_nor_names_move_the_regression() -> None:
    columns, yes, families = world(2, 30, 3, 0.5)
    order = np.random.default_rng(3).permutation(len(yes))
    there = clustered_logistic(columns, yes, families)
    again = clustered_logistic(columns[order], yes[order], [f"x{families[i]}" for i in order])
    np.testing.assert_array_equal(there.point, again.point)
    np.testing.assert_allclose(there.errors, again.errors, rtol=1e-12)


def test_the_interval_covers_the_slope_of_a_moderate_world() -> None:
    """A family shares .7 of a logit, so the slope of the population is less than 1: it is taken from a huge sample."""
    truth = clustered_logistic(*world(9, 60_000, 2, 1.0), penalty=1e-9).point[0]
    hits = 0
    for seed in range(300):
        found = clustered_logistic(*world(seed + 10, 70, 2, 1.0))
        hits += bool(abs(found.point[0] - truth) <= 1.995 * found.errors[0])  # t with 69 degrees of freedom
    assert 0.91 <= hits / 300 <= 0.98


def traits_of(
    events: int, prompts: int = 2, last: float | None = 0.5, harness: str = "desk", family: str = "f"
) -> Traits:
    return Traits(family, harness, events, prompts, last)


def by_length(threshold: int, count: int = 60, noisy: int = 0) -> tuple[dict[str, Said], dict[str, Traits]]:
    generator = np.random.default_rng(5)
    traits, answers = {}, {}
    for i in range(count):
        events = 4 + 3 * i
        harness = "line" if i % 5 in (0, 2) else "desk"
        traits[str(i)] = traits_of(events, 1 + int(generator.integers(6)), float(generator.random()), harness, str(i))
        yes = events >= threshold
        answers[str(i)] = YES if yes != (noisy > 0 and i % noisy == 3) else NO
    return answers, traits


def test_a_judge_that_counts_events_has_no_finite_ratio() -> None:
    found = regress("j", "done", *by_length(90))
    assert {ratio.undefined for ratio in found.ratios} == {"length, prompts, place and harness tell every answer"}


def test_a_judge_that_mostly_counts_events_is_found_out() -> None:
    found = regress("j", "done", *by_length(200, 150, noisy=7))
    length, prompts, place, harness = found.ratios
    assert length.low is not None and length.low > 1.5 and length.name == "per doubling of the events"
    for other in (prompts, place, harness):
        assert other.low is not None and other.high is not None and other.low < 1 < other.high
    assert harness.name == "line, not desk" and found.target == "the answer"


def test_doubling_is_what_the_ratio_is_of() -> None:
    """With P(yes) = expit(b log2 events) exactly, the ratio per doubling is e^b."""
    traits = {str(i): traits_of(int(e), family=str(i)) for i, e in enumerate(2.0 ** np.linspace(2, 9, 80))}
    answers = {
        name: Said("yes", p=float(1 / (1 + np.exp(-0.4 * (np.log2(one.events) - 5))))) for name, one in traits.items()
    }
    found = regress("j", "done", answers, traits)
    assert found.target == "P(yes)"
    assert found.ratios[0].value == pytest.approx(np.exp(0.4), rel=0.01)
    assert [ratio.undefined for ratio in found.ratios[1:]] == ["no spread", "no spread"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda a, t: (dict.fromkeys(a, YES), t), "under 10 yes or under 10 no (60, 0)"),
        (
            lambda a, t: (a, {n: traits_of(o.events, family=str(int(n) % 9)) for n, o in t.items()}),
            "9 families; 15 are needed",
        ),
    ],
)
def test_too_little_is_said_to_be_too_little(change: Any, reason: str) -> None:
    assert {ratio.undefined for ratio in regress("j", "done", *change(*by_length(90))).ratios} == {reason}


def test_sessions_without_a_typed_prompt_or_a_verdict_are_left_out_and_counted() -> None:
    answers, traits = by_length(90, noisy=7)
    answers["0"], traits["1"] = FAILED, traits_of(7, 0, None, family="1")
    found = regress("j", "done", answers, traits)
    assert (found.sessions, found.left_out) == (58, 2)


def test_a_harness_with_one_answer_only_has_no_ratio_of_its_own() -> None:
    answers, traits = by_length(90, noisy=7)
    for name, one in itertools.islice(traits.items(), 0, None, 4):
        traits[name] = traits_of(one.events, one.prompts, one.last_prompt, "phone", one.family)
        answers[name] = NO
    found = {ratio.name: ratio for ratio in regress("j", "done", answers, traits).ratios}
    assert found["phone, not desk"].undefined == "one answer only on one side"
    assert found["per doubling of the events"].value is not None


def test_a_column_that_all_but_tells_the_answer_has_no_ratio() -> None:
    """Yes wherever the last prompt is not the first event, and now and then elsewhere."""
    answers, traits = by_length(200, 150, noisy=7)
    for i, name in enumerate(traits):
        one, late = traits[name], i % 3 != 0
        traits[name] = traits_of(one.events, one.prompts, 0.6 if late else 0.0, one.harness, one.family)
        answers[name] = YES if late or i % 12 == 0 else NO
    found = {ratio.name: ratio for ratio in regress("j", "done", answers, traits).ratios}
    place = found["last prompt at the end, not at the start"]
    assert place.undefined == "a column that all but tells the answer"
    assert found["per doubling of the events"].value is not None


def test_a_judge_that_cuts_by_itself_is_counted() -> None:
    found = [pair("same", YES, Said("yes", cut=i < 3), str(i)) for i in range(12)]
    (one,) = measure(found, 1)
    assert (one.base, one.cut, one.violations) == (12, 3, 0)
