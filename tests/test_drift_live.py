"""Reading a live file: what a line may be, what is refused, and what order, names and repeats move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certificates import certificate_tree
from drift_files import JUDGE, anchors_of, drift_certificate, drift_changes, evenly, line, write_lines
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.deciding.certificate import Certificate
from bench.monitoring.items import closed_items
from bench.monitoring.live import Live, read_live
from bench.problems import BrokenInput

CERTIFICATE = drift_certificate(evenly(60), anchors=anchors_of([0.2, 0.9]))


def live_of(path: Path, rows: list[dict[str, Any]], certificate: Certificate = CERTIFICATE) -> Live:
    return read_live(write_lines(path, rows), certificate)


def problems_of(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    with pytest.raises(BrokenInput) as caught:
        read_live(path, CERTIFICATE)
    return [str(problem).splitlines()[0].removeprefix(path.as_posix()) for problem in caught.value.problems]


def test_stored_verdicts_plain_lines_and_gate_lines_are_read_alike(tmp_path: Path) -> None:
    values = [0.1, 0.9, 0.4]
    plain = [{"statement": "lesson", "p": p} for p in values]
    gated = [{"decision": "promote" if p >= 0.8 else "review", "values": {"lesson": p}, "score": p} for p in values]
    for rows in ([line(n, p) for n, p in enumerate(values)], plain, gated):
        found = live_of(tmp_path / "live.jsonl", rows)
        assert found.statements["lesson"].value.tolist() == values
        assert found.statements["lesson"].yes.tolist() == [0, 1, 0]
        assert found.decisions.value.tolist() == [0, 1, 0]  # of review, promote
        assert found.lines == 3
    assert live_of(tmp_path / "live.jsonl", gated).decided_by == "lines"


def test_whole_numbers_are_numbers(tmp_path: Path) -> None:
    rows = [{"p": 1}, {"p": 0}, {"values": {"lesson": 1}, "decision": "promote"}]
    assert live_of(tmp_path / "live.jsonl", rows).statements["lesson"].value.tolist() == [1.0, 0.0, 1.0]


def test_unscored_is_no_value(tmp_path: Path) -> None:
    rows = [{"item": "a", "unscored": "timeout"}, {"p": 0.9}, {"values": {"lesson": None}, "decision": "review"}]
    found = live_of(tmp_path / "live.jsonl", rows).statements["lesson"]
    assert found.scored.tolist() == [False, True, False]
    assert np.isnan(found.value).tolist() == [True, False, True] and found.yes.tolist() == [-1, 1, -1]


def test_an_answer_counts_where_there_is_no_probability_and_a_probability_where_both_are(tmp_path: Path) -> None:
    found = live_of(tmp_path / "live.jsonl", [{"answer": "yes"}, {"answer": "yes", "p": 0.4}]).statements["lesson"]
    assert found.yes.tolist() == [1, 0] and np.isnan(found.value[0])


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"p": 0.5}\n{"p": 0.', ":2: no JSON"),
        (b'{"p": 0.5}\n{"p": 0.', "(torn: it has no end)"),
        (b'{"p": 0.5}\n\n{"p": 0.5}\n', ":2: an empty line"),
        (b"[0.5]\n", ":1: no JSON: no JSON object"),
        (b'{"p": 1.5}\n', ":1, field p: Input should be less than or equal to 1"),
        (b'{"p": "0.5"}\n', ":1, field p: Input should be a valid number"),
        (b'{"p": true}\n', ":1, field p: Input should be a valid number"),
        (b'{"p": NaN}\n', ":1: no JSON: NaN is no number"),
        (b'{"p": 0.1, "p": 0.2}\n', ":1: no JSON: the key 'p' twice"),
        (b'{"answer": "maybe"}\n', ":1, field answer: Input should be 'yes' or 'no'"),
        (b'{"answer": "yes", "unscored": "error"}\n', ":1: both an answer and unscored"),
        (b'{"statement": "lesson"}\n', ":1: none of answer, unscored, p"),
        (b'{"statement": "nobody", "p": 0.5}\n', ":1, field statement: nobody"),
        (b'{"p": 0.5, "at": "2026-01-01T10:00:00"}\n', ":1, field at: a moment with its zone is wanted"),
        (b'{"p": 0.5, "judge_id": "other"}\n', f":1, field judge_id: other, certified is {JUDGE}"),
        (b'{"p": 0.5, "seal": "abc"}\n', ":1, field seal: abc, certified is"),
        (b'{"decision": "discard"}\n', ":1, field decision: discard"),
        (b'{"p": 0.5, "reason": "\xff"}\n', ":1: no JSON: not UTF-8"),
    ],
)
def test_a_broken_line_is_told_by_its_number(tmp_path: Path, data: bytes, told: str) -> None:
    assert any(told in found for found in problems_of(tmp_path / "live.jsonl", data))


def test_all_broken_lines_are_told_at_once_up_to_a_number(tmp_path: Path) -> None:
    found = problems_of(tmp_path / "live.jsonl", b'{"p": 2}\n' * 30)
    assert len(found) == 21 and "10 more lines are broken" in " ".join(found)


def test_a_file_of_another_judge_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "live.jsonl", [line(0, 0.5)])
    assert not read_live(path, CERTIFICATE).named
    (tmp_path / "live.json").write_text(json.dumps({"judge_id": JUDGE}))
    assert read_live(path, CERTIFICATE).named
    (tmp_path / "live.json").write_text(json.dumps({"judge_id": "other-judge"}))
    with pytest.raises(BrokenInput, match="verdicts of other-judge, certified is my-judge-1"):
        read_live(path, CERTIFICATE)
    (tmp_path / "live.json").write_text("{")
    with pytest.raises(BrokenInput, match="cannot be read"):
        read_live(path, CERTIFICATE)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BrokenInput, match="cannot be read"):
        read_live(tmp_path / "none.jsonl", CERTIFICATE)


def test_lines_without_a_statement_need_one_where_there_are_several(tmp_path: Path) -> None:
    tree = certificate_tree(**drift_changes(evenly(60)))
    tree["statements"].append({**tree["statements"][0], "id": "other", "text": "Another?"})
    tree["policy"] = {**tree["policy"], "statements": ["lesson", "other"]}
    tree["judge"]["scales"]["other"] = "probability"
    tree["reference"]["values"]["other"] = evenly(60)
    several = Certificate.model_validate(tree).sealed()
    rows = [{"p": 0.4}, {"statement": "other", "p": 0.7}]
    with pytest.raises(BrokenInput, match="none, and the certificate has several"):
        live_of(tmp_path / "live.jsonl", rows, several)
    found = read_live(tmp_path / "live.jsonl", several, "lesson")
    assert found.statements["lesson"].value.tolist() == [0.4] and found.other_statements == 1
    assert len(found.decisions) == 0 and "needs several answers" in found.decided_by


def test_lines_are_taken_by_time_where_every_line_has_one(tmp_path: Path) -> None:
    rows = [line(2, 0.3), line(0, 0.1), line(1, 0.2, at="2026-01-01T03:30:00+02:00")]
    found = live_of(tmp_path / "live.jsonl", rows)
    assert found.by_time and found.statements["lesson"].value.tolist() == [0.1, 0.2, 0.3]
    assert found.statements["lesson"].line.tolist() == [2, 3, 1]
    del rows[1]["at"]
    found = live_of(tmp_path / "live.jsonl", rows)
    assert not found.by_time and found.statements["lesson"].value.tolist() == [0.3, 0.1, 0.2]


@settings(max_examples=25)
@given(st.permutations(range(12)))
def test_the_order_of_the_file_moves_nothing_where_lines_have_times(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    rows = [line(n // 3, v) for n, v in enumerate(evenly(12, seed=1))]  # three at a time
    for number, row in enumerate(rows):
        row["item"] = f"i{number}"
    path = tmp_path_factory.mktemp("live") / "live.jsonl"
    one, other = live_of(path, rows), live_of(path, [rows[at] for at in order])
    assert one.statements["lesson"].value.tolist() == other.statements["lesson"].value.tolist()
    assert one.decisions.value.tolist() == other.decisions.value.tolist()


def test_an_item_counts_once_and_anchors_and_refusals_do_not(tmp_path: Path) -> None:
    rows = [
        line(0, 0.3), line(1, 0.9, item="item-0"), line(2, 0.6), line(3, 0.9, item=f"{1:064x}"),
        {"decision": "review", "refused": "the certificate expired"},
    ]  # fmt: skip
    found = live_of(tmp_path / "live.jsonl", rows)
    assert found.statements["lesson"].value.tolist() == [0.3, 0.6]
    assert (found.repeats, found.anchors, found.refused, found.lines) == (1, 1, 1, 5)


def test_another_model_is_noticed(tmp_path: Path) -> None:
    tree = certificate_tree(**drift_changes(evenly(60)))
    tree["judge"]["answered_by"] = ["model-a"]
    certificate = Certificate.model_validate(tree).sealed()
    rows = [line(0, 0.3, answered_by="model-a"), line(1, 0.3, answered_by="model-b")]
    assert live_of(tmp_path / "live.jsonl", rows, certificate).strangers == {"model-b": 1}


def test_samples_make_one_item_as_in_the_gate() -> None:
    named = 1 << 63
    lines = [  # item, sample, scored, value, yes
        (named | 7, 0, True, 0.2, 0), (named | 9, 0, True, 0.9, 1), (named | 7, 1, True, 0.8, 1),
        (named | 7, 1, True, 0.99, 1), (named | 7, 2, True, 0.4, 0), (5, 0, True, 0.5, 1), (named | 9, 1, False, np.nan, -1),
        (named | 9, 2, True, 0.1, 0), (named | 3, 0, True, 0.7, 1),
    ]  # fmt: skip
    item, sample, scored, value, yes = zip(*lines, strict=True)
    found = closed_items(
        np.array(item, dtype=np.uint64), np.array(sample), np.array(scored), np.array(value), np.array(yes), 3
    )
    assert found.position.tolist() == [4, 5, 7]
    assert found.scored.tolist() == [True, True, False]  # item 9: one yes, one no
    assert found.value[:2] == pytest.approx([(0.2 + 0.8 + 0.4) / 3, 0.5]) and np.isnan(found.value[2])
    assert found.yes.tolist() == [0, 1, -1]
    assert (found.repeats, found.incomplete) == (1, 1)


entries = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.booleans(), st.sampled_from([0.1, 0.5, 0.9])), max_size=30
)


@given(entries, st.integers(1, 3), st.integers(0, 30))
def test_a_longer_file_never_changes_what_a_shorter_one_said(
    rows: list[tuple[int, int, bool, float]], samples: int, cut: int
) -> None:
    def closed(part: list[tuple[int, int, bool, float]]) -> list[tuple[float, ...]]:
        if not part:
            return []
        item, sample, scored, value = (np.array(column) for column in zip(*part, strict=True))
        named = item.astype(np.uint64) | np.uint64(1 << 63)
        found = closed_items(named, sample, scored, value, (value >= 0.5).astype(int), samples)
        assert len(found.position) * samples + found.repeats <= len(part)
        return list(zip(found.position, found.scored, np.nan_to_num(found.value), found.yes, strict=True))

    start = closed(rows[:cut])
    assert closed(rows)[: len(start)] == start
