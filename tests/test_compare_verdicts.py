"""What base and head say about each metric, and about the judge: from rows alone."""

from __future__ import annotations

from itertools import product

import pytest
from comparing_rows import compared, config, row, rows, side
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.comparing.compare import JudgeComparison
from bench.comparing.config import METRIC_NAMES
from bench.measure.rows import NOT_RUN

YES, NO = ["yes"] * 60, ["no"] * 60
LABELS = YES + NO


def wrong(answers: list[str], count: int, start: int = 0) -> list[str]:
    """The answers with ``count`` of them turned round."""
    turned = {"yes": "no", "no": "yes"}
    return [turned[a] if start <= i < start + count else a for i, a in enumerate(answers)]


def verdict(base: list[str], head: list[str], metric: str = "accuracy", margin: float = 0.1) -> JudgeComparison:
    return compared(side(rows(LABELS, base)), side(rows(LABELS, head)), config(metric, margin))


# 120 items in 120 families; what must come out follows from the counts and any interval's direction.
VERDICTS = {
    "nothing flipped": (LABELS, LABELS, "no change", 0),
    "nothing flipped, and all of it wrong": (wrong(LABELS, 120), wrong(LABELS, 120), "no change", 0),
    "40 of 120 turned wrong": (LABELS, wrong(LABELS, 40), "worse", 1),
    "40 of 120 turned right": (wrong(LABELS, 40), LABELS, "better", 0),
    "one turned wrong": (LABELS, wrong(LABELS, 1), "not worse", 0),
    "8 of 120 turned wrong: surely worse, and perhaps by the margin": (LABELS, wrong(LABELS, 8), "worse", 1),
    "24 turned wrong and 24 right": (wrong(LABELS, 24), wrong(LABELS, 24, 60), "cannot tell", 2),
}


@pytest.mark.parametrize("kind", VERDICTS)
def test_verdicts_by_the_interval(kind: str) -> None:
    base, head, wanted, code = VERDICTS[kind]
    found = verdict(base, head)
    assert (found.verdict, found.exit_code) == (wanted, code)
    (line,) = found.metrics
    assert line.verdict == wanted
    gap = line.gap
    assert gap.value is not None and gap.low is not None and gap.high is not None
    before, after = (sum(a == b for a, b in zip(LABELS, said, strict=True)) / 120 for said in (base, head))
    assert gap.value == pytest.approx(after - before)
    if wanted == "better":
        assert gap.low > 0
    if wanted == "not worse":
        assert -0.1 < gap.low <= 0
    if wanted == "worse":
        assert gap.high < 0 and gap.low <= -0.1
    if wanted == "cannot tell":
        assert gap.low <= -0.1 and gap.high >= 0


answers = st.lists(st.sampled_from(["yes", "no", "timeout"]), min_size=24, max_size=24)
truths = st.lists(st.sampled_from(["yes", "no", None]), min_size=24, max_size=24)


@settings(max_examples=40, deadline=None)
@given(truths, answers, answers, st.sampled_from(METRIC_NAMES))
def test_swapping_base_and_head_negates_differences(
    labels: list[str | None], base: list[str], head: list[str], metric: str
) -> None:
    one, two = side(rows(labels, base, 2)), side(rows(labels, head, 2))
    there, back = (compared(*sides, config(metric), 200) for sides in ((one, two), (two, one)))
    gap, turned = there.metrics[0].gap, back.metrics[0].gap
    assert (gap.value is None) == (turned.value is None)
    if gap.value is not None and turned.value is not None:
        assert turned.value == pytest.approx(-gap.value)
    assert there.metrics[0].base == back.metrics[0].head
    mirror = {"right->wrong": "wrong->right", "wrong->right": "right->wrong", "no label": "no label"}
    assert [(f.place, f.base, f.head, mirror[f.change]) for f in there.matched.flips] == [
        (f.place, f.head, f.base, f.change) for f in back.matched.flips
    ]
    assert (there.verdict == "no change") == (back.verdict == "no change")
    lost, gained = (sum(c.kind == kind for c in there.matched.coverage_changes) for kind in ("lost", "gained"))
    assert [sum(c.kind == kind for c in back.matched.coverage_changes) for kind in ("gained", "lost")] == [lost, gained]


@settings(max_examples=20, deadline=None)
@given(truths, answers, answers, st.randoms(use_true_random=False))
def test_row_order_and_names_move_nothing(
    labels: list[str | None], base: list[str], head: list[str], order: object
) -> None:
    asked = config("accuracy", negotiable=[{"metric": "f1"}])
    plain = compared(side(rows(labels, base, 2)), side(rows(labels, head, 2)), asked, 200)
    renamed = [[r.__class__(**{**r.__dict__, "case": f"X{r.case}", "family": f"g{r.family}"}) for r in rows(labels, said, 2)]
               for said in (base, head)]  # fmt: skip
    for items in renamed:
        order.shuffle(items)  # type: ignore[attr-defined]
    moved = compared(side(renamed[0]), side(renamed[1]), asked, 200)
    assert (plain.verdict, plain.metrics, plain.accuracy) == (moved.verdict, moved.metrics, moved.accuracy)


def test_holm_makes_room_for_each_metric_that_decides_and_for_no_other() -> None:
    base, head = side(rows(LABELS, wrong(LABELS, 30))), side(rows(LABELS, wrong(LABELS, 24)))
    more = {"must_not_regress": [{"metric": "recall", "margin": 0.1}], "negotiable": [{"metric": "specificity"}]}
    found = compared(base, head, config("accuracy", 0.01, **more))
    levels = {line.metric: line.level for line in found.metrics}
    assert min(levels["accuracy"], levels["recall"]) >= 0.95 and levels["specificity"] == 0.95
    assert max(levels["accuracy"], levels["recall"]) == pytest.approx(0.975)  # 1 - .05 / 2 in the first round


def test_a_negotiable_metric_is_told_and_never_decides() -> None:
    head = wrong(LABELS, 40, 60)  # every change is on items labelled no
    found = compared(
        side(rows(LABELS, LABELS)),
        side(rows(LABELS, head)),
        config("recall", 0.1, negotiable=[{"metric": "specificity"}]),
    )
    told = {line.metric: line.verdict for line in found.metrics}
    assert told == {"recall": "not worse", "specificity": "worse"}
    assert (found.verdict, found.exit_code) == ("not worse", 0)


def test_one_metric_that_must_not_regress_is_enough() -> None:
    head = wrong(wrong(LABELS, 30, 30), 0)  # half of the yes items
    base = wrong(LABELS, 30, 60)  # half of the no items: the accuracy is the same
    found = compared(
        side(rows(LABELS, base)),
        side(rows(LABELS, head)),
        config("specificity", 0.1, must_not_regress=[{"metric": "recall", "margin": 0.1}]),
    )
    assert {line.metric: line.verdict for line in found.metrics} == {"specificity": "better", "recall": "worse"}
    assert (found.verdict, found.exit_code) == ("worse", 1)


# --- cannot tell ---

NOTHING = {
    "no label": ([None] * 20, ["yes"] * 20, ["no"] * 20, "labelled"),
    "one class": (["yes"] * 40, ["yes"] * 40, ["no"] * 20 + ["yes"] * 20, "every label is yes"),
    "too few": (["yes", "no"] * 4, ["yes", "no"] * 4, ["no", "no"] + ["yes", "no"] * 3, "too few"),
    "nothing scored": (["yes", "no"] * 10, ["timeout"] * 20, ["timeout"] * 20, "scored"),
    "nothing scored in the head": (["yes", "no"] * 10, ["yes"] * 20, ["timeout"] * 20, "scored"),
    "nothing judged": (["yes", "no"] * 10, [NOT_RUN] * 20, [NOT_RUN] * 20, "not judged"),
    "nothing at all": ([], [], [], "no item stands on both sides"),
}


@pytest.mark.parametrize("kind", NOTHING)
@pytest.mark.parametrize("metric", METRIC_NAMES)
def test_without_a_ground_nobody_can_tell(kind: str, metric: str) -> None:
    labels, base, head, reason = NOTHING[kind]
    found = compared(side(rows(labels, base)), side(rows(labels, head)), config(metric))
    assert (found.verdict, found.exit_code) == ("cannot tell", 2)
    assert any(reason in told for told in found.reasons)


def test_an_undefined_metric_says_on_which_side() -> None:
    found = verdict(LABELS, NO + NO, "precision")
    assert found.verdict == "cannot tell"
    assert found.reasons == ("precision: head: 0 predicted yes",)


@pytest.mark.parametrize("owed", ["base", "head"])
def test_an_incomplete_run_is_no_green_light(owed: str) -> None:
    cut = LABELS[:100] + [NOT_RUN] * 20
    sides = {"base": LABELS, "head": LABELS} | {owed: cut}
    found = verdict(sides["base"], sides["head"])
    assert found.exit_code == 2
    assert f"20 of 120 items are not judged in the {owed}" in found.reasons[-1]


def test_same_reasons_are_no_change_and_other_reasons_are_told() -> None:
    half = LABELS[:110] + ["timeout"] * 10
    other = LABELS[:110] + ["refused"] * 10
    found = verdict(half, other)
    assert found.verdict == "no change" and len(found.matched.coverage_changes) == 10
    assert {change.kind for change in found.matched.coverage_changes} == {"other reason"}


# --- coverage ---


def test_lost_verdicts_do_not_hide_a_loss() -> None:
    """The head leaves 30 hard items unscored and is right on the rest."""
    found = verdict(LABELS, LABELS[:30] + ["abstained"] * 30 + LABELS[60:])
    assert found.verdict == "cannot tell"
    assert "with the 30 lost verdicts all wrong" in found.reasons[0]
    assert {change.kind for change in found.matched.coverage_changes} == {"lost"}


@pytest.mark.parametrize(
    ("floor", "base_lost", "head_lost", "wanted"),
    [
        (0.95, 0, 6, "not worse"),  # 114 of 120 is the floor itself
        (0.95, 0, 7, "worse"),
        (0.95, 7, 7, "no change"),
        (0.95, 7, 8, "cannot tell"),
        (0.95, 7, 6, "not worse"),
        (0.0, 0, 7, "not worse"),
    ],
)
def test_the_promised_coverage(floor: float, base_lost: int, head_lost: int, wanted: str) -> None:
    runs = [side(rows(LABELS, ["timeout"] * lost + LABELS[lost:]), floor=floor) for lost in (base_lost, head_lost)]
    found = compared(runs[0], runs[1], config("accuracy", 0.15))
    assert found.verdict == wanted
    if wanted == "worse":
        assert "falls under the promised 0.95" in found.reasons[0]


# --- red lines ---


@pytest.mark.parametrize(
    ("floor", "status", "code"), [(0.6, "met", 0), (0.97, "not met", 1), (0.83, "cannot decide", 2)]
)
def test_a_red_line_is_decided_by_the_heads_interval(floor: float, status: str, code: int) -> None:
    said = wrong(LABELS, 20, 20)  # the head is right on 100 of 120, and so is the base
    items = side(rows(LABELS, said))
    found = compared(items, items, config(red_line=[{"metric": "accuracy", "at_least": floor}]))
    (line,) = found.red_lines
    assert (line.decision.status, found.exit_code, found.verdict) == (status, code, "no change")
    assert line.estimate.value == pytest.approx(100 / 120)


def test_a_red_line_counts_missing_verdicts_as_wrong() -> None:
    said = LABELS[:60] + ["timeout"] * 60
    items = side(rows(LABELS, said))
    found = compared(items, items, config(red_line=[{"metric": "accuracy", "at_least": 0.6}]))
    assert found.red_lines[0].decision.status == "cannot decide" and found.exit_code == 2


def test_a_red_line_on_one_class() -> None:
    items = side(rows(YES, YES))
    for metric, status in (("recall", "met"), ("accuracy", "cannot decide"), ("precision", "cannot decide")):
        found = compared(items, items, config(red_line=[{"metric": metric, "at_least": 0.5}]))
        assert found.red_lines[0].decision.status == status


def test_worse_comes_before_a_red_line_that_nobody_can_decide() -> None:
    asked = config(red_line=[{"metric": "accuracy", "at_least": 0.66}])
    found = compared(side(rows(LABELS, LABELS)), side(rows(LABELS, wrong(LABELS, 40, 40))), asked)
    assert found.red_lines[0].decision.status == "cannot decide" and found.exit_code == 1


# --- A/A and noise ---


def test_one_judge_id_with_other_answers_is_pointed_out() -> None:
    runs = [side(rows(LABELS, said)) for said in (LABELS, wrong(LABELS, 1))]
    assert any("one judge_id gave other answers on 1 items" in note for note in compared(*runs, config()).notes)
    other = side(rows(LABELS, wrong(LABELS, 1)), judge_id="words-0002")
    assert compared(runs[0], other, config()).notes == ()


def sampled(counts: list[int], samples: int = 4) -> list[object]:
    return [
        row(n, label, "yes" if yes * 2 >= samples else "no", said_yes=yes, samples_scored=samples)
        for n, (label, yes) in enumerate(zip(LABELS, counts, strict=True))
    ]


def test_the_noise_floor_is_the_flip_rate_within_the_base() -> None:
    """By hand: 1 of 4 samples differs on every second item: 2 * 1 * 3 / (4 * 3) = .5, so .25 over all items."""
    counts = [4 - (n % 2) for n in range(60)] + [n % 2 for n in range(60)]
    runs = [side(sampled(counts), samples=4) for _ in range(2)]  # type: ignore[arg-type]
    noise = compared(*runs, config()).noise
    assert noise is not None and noise.within_base.value == pytest.approx(0.25)
    # The same counts in an independent run: (3 * 1 + 1 * 3) / 16 = .375 on those items.
    assert noise.across.value == pytest.approx(0.1875)
    assert noise.beyond.value == pytest.approx(0.1875 - 0.25)
    assert noise.beyond.low is not None and noise.beyond.low <= 0


def test_a_judge_that_answers_differently_flips_beyond_its_noise() -> None:
    counts = [4 - (n % 2) for n in range(60)] + [n % 2 for n in range(60)]
    turned = [4 - count for count in counts]
    noise = compared(side(sampled(counts), samples=4), side(sampled(turned), samples=4), config()).noise  # type: ignore[arg-type]
    assert noise is not None and noise.beyond.low is not None and noise.beyond.low > 0
    # By enumeration of the 16 pairs of samples.
    pairs = list(product([1, 1, 1, 0], [0, 0, 0, 1]))
    differ = sum(a != b for a, b in pairs) / 16
    assert noise.across.value == pytest.approx((1 + differ) / 2)


def test_a_judge_that_is_asked_once_has_no_noise_floor() -> None:
    assert verdict(LABELS, wrong(LABELS, 1)).noise is None
