"""The file of a head: read strictly, nothing in it runs; and what its parts add up to."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from head_sessions import head, head_file, head_tree, seen_by_a_judge
from hypothesis import given
from hypothesis import strategies as st

from bench.judges.head.features import hashed_words, see
from bench.judges.head.model import MAX_BYTES, Events, evidence, load_head, sigmoid, standard
from bench.problems import BrokenInput

PROMPT = {"kind": "prompt", "origin": "human", "text": "Add the footer."}
CALL = {"kind": "command", "command": "make test", "ok": True, "exit_code": 0, "exit_source": "text"}
CORRECTION = {"kind": "prompt", "origin": "human", "text": "no, use pnpm"}
ONE_COLUMN: dict[str, Any] = {"events": None, "columns": [{"name": "size", "centre": 1.0, "scale": 0.5, "weight": 0.4}]}


def told(folder: Path, text: str | bytes) -> str:
    path = folder / "head.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BrokenInput) as error:
        load_head(path, "heads/head.json")
    return "\n".join(str(problem) for problem in error.value.problems)


def without(name: str) -> dict[str, Any]:
    tree = head_tree()
    del tree[name]
    return tree


def test_a_good_file_reads_back(tmp_path: Path) -> None:
    assert load_head(head_file(tmp_path), "head.json") == head()


@pytest.mark.parametrize(
    ("tree", "wanted"),
    [
        (without("bias"), ["field bias", "missing"]),
        (without("statement"), ["field statement", "missing"]),
        (head_tree(schema="2"), ["field schema"]),
        (head_tree(features=99), ["version 99", "version 1"]),
        (head_tree(extra=1), ["unknown field 'extra'"]),
        (head_tree(bias=math.nan), ["field bias", "NaN"]),
        (head_tree(bias=math.inf), ["field bias"]),
        (head_tree(bias="1e999"), ["field bias"]),
        (head_tree(bias=True), ["field bias"]),
        (head_tree(columns=[{"name": "size", "centre": 0, "scale": 0, "weight": 1}]), ["columns[0].scale"]),
        (head_tree(columns=[{"name": "moon", "centre": 0, "scale": 1, "weight": 1}]), ["no column 'moon'", "size"]),
        (head_tree(events=None) | {"events": {"bias": 0, "weights": {"moon": 1}}}, ["no signal 'moon'"]),
        (head_tree(stumps=[{"column": "moon", "at": 0, "below": 0, "above": 1}]), ["no column 'moon'"]),
        (head_tree(words={"bits": 40, "weights": {}}), ["words.bits"]),
        (head_tree(words={"bits": 4, "weights": {"16": 1}}), ["no cell '16'", "0 to 15"]),
        (head_tree(words={"bits": 4, "weights": {"-1": 1}}), ["no cell '-1'"]),
        (head_tree(calibration={"kind": "isotonic", "slope": 1, "offset": 0}), ["calibration.kind", "temperature"]),
        (head_tree(calibration={"kind": "platt", "slope": -1, "offset": 0}), ["calibration.slope"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_file_line_and_field(tree: dict[str, Any], wanted: list[str], tmp_path: Path) -> None:
    message = told(tmp_path, json.dumps(tree, indent=1))
    assert all(word in message for word in ["heads/head.json:", *wanted]), message


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (b"\x80\x04\x95\x0b\x00\x00\x00.", "UTF-8"),  # a pickle
        ("!!python/object/apply:os.system ['touch pwned']", "tag"),
        ("a: &a [*a]", "anchor"),
        ('{"schema": "1", "schema": "1"}', "schema"),
        ("[" * 5000, "nesting"),
        ("", "empty"),
        ("[]", "list"),
        ("{" + " " * MAX_BYTES + "}", f"under {MAX_BYTES} bytes"),
    ],
)
def test_a_hostile_file_runs_nothing_and_is_refused(text: str | bytes, wanted: str, tmp_path: Path) -> None:
    assert wanted in told(tmp_path, text)
    assert [path.name for path in tmp_path.iterdir()] == ["head.json"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BrokenInput, match=r"heads/no\.json: cannot be read"):
        load_head(tmp_path / "no.json", "heads/no.json")


def test_an_evidence_column_needs_its_events() -> None:
    with pytest.raises(ValueError, match="no column 'evidence'"):
        head(events=None)


def test_the_sum_of_columns_by_hand() -> None:
    # log(1 + 3 events) = 1.3863; (1.3863 - 1) / 0.5 = 0.7726; 0.4 x 0.7726 - 0.5 = -0.19096
    session = seen_by_a_judge(PROMPT, CALL, CORRECTION)
    assert head(**ONE_COLUMN).logit(session) == pytest.approx(-0.5 + 0.4 * (math.log(4) - 1) / 0.5)


def test_evidence_is_the_log_of_expected_events() -> None:
    seen = see(seen_by_a_judge(PROMPT, CALL, CORRECTION))
    events = Events(bias=0.0, weights={"corrects": math.log(3)})
    assert evidence(events, seen) == pytest.approx(math.log(0.5 + 0.5 + 0.75))


def test_stumps_and_words_add_up() -> None:
    session = seen_by_a_judge(PROMPT, CALL, CORRECTION)
    ((cell, value), *_) = hashed_words(session, 6).items()
    changes = {
        "events": None,
        "columns": [],
        "stumps": [
            {"column": "size", "at": 1.0, "below": 5.0, "above": 0.25},
            {"column": "hours", "at": 1.0, "below": 5.0, "above": 5.0},  # not measured: adds nothing
        ],
        "words": {"bits": 6, "weights": {str(cell): 2.0}},
    }
    assert head(**changes).logit(session) == pytest.approx(-0.5 + 0.25 + 2.0 * value)


def test_calibration_moves_the_probability_and_six_decimals_stay() -> None:
    tempered = head(calibration={"kind": "platt", "slope": 2.0, "offset": -1.0})
    assert tempered.probability(0.5) == 0.5
    assert head().probability(1.0) == 0.731059  # 1 / (1 + e^-1)


@given(st.floats(-1e6, 1e6))
def test_the_logistic_function_stays_within_0_and_1(value: float) -> None:
    assert 0 <= sigmoid(value) <= 1
    assert sigmoid(value) + sigmoid(-value) == pytest.approx(1)


def test_a_column_is_held_within_reach_and_the_unmeasured_stands_at_the_centre() -> None:
    assert standard(100.0, 0.0, 1.0) == 3.0
    assert standard(-100.0, 0.0, 1.0) == -3.0
    assert standard(None, 7.0, 1.0) == 0.0


def test_the_head_loads_no_analysis() -> None:
    code = "import sys, bench.judges.head.judge as j; print(sorted({'numpy', 'scipy', 'sklearn', 'pickle'} & set(sys.modules)))"
    plain = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    bare = "import sys, pydantic, yaml, re2, pathlib; print(sorted({'numpy', 'scipy', 'sklearn', 'pickle'} & set(sys.modules)))"
    assert plain == subprocess.run([sys.executable, "-c", bare], capture_output=True, text=True, check=True).stdout
    assert "numpy" not in plain
