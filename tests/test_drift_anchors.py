"""Anchors: whether the judge itself changed; and what anchors and stream say together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drift_files import JUDGE, anchors_of, drift_certificate, write_lines
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from bench.deciding.certificate import Anchor
from bench.monitoring.anchors import AnchorCheck, check_anchors, more_often, read_anchors
from bench.monitoring.answers import Answered
from bench.monitoring.diagnosis import diagnose
from bench.problems import BrokenInput

VALUES = [0.1, 0.3, 0.45, 0.6, 0.8, 0.95] * 5
ANCHORS = [Anchor.model_validate(one) for one in anchors_of(VALUES)]
AS_BEFORE = {anchor.item: Answered(anchor.answer, anchor.p) for anchor in ANCHORS}
tables = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair)))


def with_changes(count: int) -> dict[str, Answered]:
    turned = {anchor.item: Answered("no" if anchor.answer == "yes" else "yes", anchor.p) for anchor in ANCHORS[:count]}
    return {**AS_BEFORE, **turned}


@given(tables, tables)
def test_the_test_of_more_changes_is_fishers(now: tuple[int, int], before: tuple[int, int]) -> None:
    table = [[now[0], now[1] - now[0]], [before[0], before[1] - before[0]]]
    if now[1] and before[1]:
        assert more_often(now, before) == pytest.approx(fisher_exact(table, alternative="greater").pvalue)
    assert more_often((0, now[1]), before) == 1.0


def test_a_judge_that_is_held_to_repeat_has_changed_with_one_answer_or_probability() -> None:
    same = check_anchors(ANCHORS, AS_BEFORE, None)
    assert (same.verdict, same.changed, same.largest_move) == ("same", 0, 0.0)
    assert same.share is not None and same.share.low == 0 and same.share.high is not None
    # Clopper and Pearson 1934: the upper end for 0 of 30 is 1 - .025^(1/30).
    assert same.share.high == pytest.approx(1 - 0.025 ** (1 / 30))
    assert check_anchors(ANCHORS, with_changes(1), None).verdict == "changed"
    moved = {**AS_BEFORE, ANCHORS[3].item: Answered("yes", 0.61)}
    found = check_anchors(ANCHORS, moved, None)
    assert (found.verdict, found.changed) == ("changed", 1)
    assert (found.largest_move, found.mean_move) == pytest.approx((0.01, 0.01 / 30))
    last_digits = {**AS_BEFORE, ANCHORS[3].item: Answered("yes", 0.6 + 3e-6)}
    assert check_anchors(ANCHORS, last_digits, None).verdict == "same"


def test_a_judge_that_flips_is_compared_with_its_own_flips() -> None:
    # 4 of 30 against 8 of 60: exactly as often. 12 of 30 against 3 of 60: p < .0001.
    assert check_anchors(ANCHORS, with_changes(4), (8, 60)).verdict == "same"
    found = check_anchors(ANCHORS, with_changes(12), (3, 60))
    assert found.verdict == "changed" and found.p_value is not None and found.p_value < 1e-3
    assert found.excess is not None and found.excess.value == pytest.approx(12 / 30 - 3 / 60)
    moved = {item: Answered(one.answer, 0.5) for item, one in AS_BEFORE.items()}
    assert check_anchors(ANCHORS, moved, (3, 60)).verdict == "same"


def test_what_is_unscored_or_was_not_asked_is_counted_and_no_change() -> None:
    now = {item: one for number, (item, one) in enumerate(AS_BEFORE.items()) if number >= 4}
    now[ANCHORS[5].item] = Answered(None, None)
    found = check_anchors(ANCHORS, now, None)
    assert (found.verdict, found.compared, found.unscored, found.missing) == ("same", 25, 1, 4)
    nobody = check_anchors(ANCHORS, {item: Answered(None, None) for item in AS_BEFORE}, None)
    assert (nobody.verdict, nobody.share) == ("cannot tell", None)


def read(path: Path, rows: list[dict[str, object]], samples: int = 1) -> AnchorCheck:
    certificate = drift_certificate(VALUES, samples=samples, anchors=anchors_of(VALUES))
    return check_anchors(certificate.anchors, read_anchors(write_lines(path, rows), certificate), None)


def test_anchors_are_read_from_stored_verdicts_the_newest_of_each_sample(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"item": a.item, "sample": 0, "answer": a.answer, "p": a.p} for a in ANCHORS]
    assert read(tmp_path / "a.jsonl", rows).verdict == "same"
    other: dict[str, object] = {"item": "f" * 64, "sample": 0, "answer": "no"}
    wrong: dict[str, object] = {"item": ANCHORS[0].item, "sample": 0, "answer": "yes", "p": 0.9}
    assert read(tmp_path / "a.jsonl", [wrong, other, *rows]).changed == 0
    assert read(tmp_path / "a.jsonl", [*rows, wrong]).changed == 1


def test_an_anchor_is_the_first_of_several_samples(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"item": a.item, "sample": n, "answer": "no" if n else a.answer, "p": a.p} for a in ANCHORS for n in (2, 0, 1)
    ]
    assert read(tmp_path / "a.jsonl", rows, samples=3).changed == 0
    again: dict[str, object] = {"item": ANCHORS[5].item, "sample": 0, "answer": "no", "p": 0.2}
    assert read(tmp_path / "a.jsonl", [*rows, again], samples=3).changed == 1


def test_a_file_without_an_anchor_and_one_of_another_judge_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenInput, match="no line is about one of the certificate's 30 anchors"):
        read(tmp_path / "a.jsonl", [{"item": "f" * 64, "answer": "no"}])
    (tmp_path / "a.json").write_text(json.dumps({"judge_id": "another"}))
    with pytest.raises(BrokenInput, match=f"verdicts of 'another'|verdicts of another, certified is {JUDGE}"):
        read(tmp_path / "a.jsonl", [{"item": ANCHORS[0].item, "answer": "no"}])


@pytest.mark.parametrize(
    ("anchors", "stream", "changed", "code"),
    [
        ("same", "alarm", "world", 1),
        ("same", "quiet", "nothing seen", 0),
        ("same", "undecided", "cannot decide", 2),
        ("changed", "alarm", "judge", 1),
        ("changed", "quiet", "judge", 1),
        ("changed", "undecided", "judge", 1),
        ("cannot tell", "alarm", "judge or world", 1),
        ("cannot tell", "quiet", "nothing seen", 0),
        ("cannot tell", "undecided", "cannot decide", 2),
        (None, "alarm", "judge or world", 1),
        (None, "quiet", "nothing seen", 0),
        (None, "undecided", "cannot decide", 2),
    ],
)
def test_the_diagnosis(anchors: str, stream: str, changed: str, code: int) -> None:
    found = diagnose(anchors, stream)  # type: ignore[arg-type]
    assert (found.changed, found.exit_code) == (changed, code)
    assert diagnose(anchors, stream, strangers=True).changed == "judge"  # type: ignore[arg-type]


def test_a_quiet_stream_never_vouches_for_a_judge_that_was_not_asked_again() -> None:
    assert "anchors are answered as before" in diagnose("same", "quiet").sentence
    for anchors in (None, "cannot tell"):
        assert "no anchor speaks for the judge" in diagnose(anchors, "quiet").sentence  # type: ignore[arg-type]
