"""`bench compare` of two runs: of the shipped suite, and of small ones; what is printed, the JSON, JUnit and the exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from comparing_rows import PROMPTS, code_of, compare, edited, run_of, suite_at

from bench.cases.layout import Layout
from bench.cli import main

ROOT = Path(__file__).parent.parent
TOML = """\
[compare]
statement = "polite"
[objective]
metric = "accuracy"
margin = 0.1
"""
LABELS = {f"S{n:03d}": "yes" if n <= 30 else "no" for n in range(1, 61)}
ITEM = "{}/a1/polite"

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """Sixty labelled cases, and a run that says yes to each."""
    made = suite_at(tmp_path, LABELS)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text(TOML, encoding="utf-8")
    assert main(["run"]) == 0
    return made


def right_but(layout: Layout, to: Path, others: Mapping[str, str] | None = None) -> Path:
    """A copy of the run that answers as labelled, other answers aside."""
    answers = {ITEM.format(case): label for case, label in LABELS.items()}
    return edited(run_of(layout), answers | {ITEM.format(case): a for case, a in (others or {}).items()}, to)


# --- the shipped suite ---

SHIPPED = "rule:prompt-after-call"


def shipped_run() -> Path:
    runs = ROOT / "reports" / "runs" / "lessons"
    found = [path for path in sorted(runs.glob("rule-prompt-after-call-*.json")) if _preset(path) == "events@1"]
    return found[0].with_suffix(".jsonl")


def _preset(path: Path) -> str:
    return str(json.loads(path.read_text(encoding="utf-8"))["preset"])


def test_two_identical_runs_of_the_shipped_suite_are_no_change(
    monkeypatch: pytest.MonkeyPatch, capsys: Capsys, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    run = shipped_run()
    code, found = compare(capsys, run, edited(run, {}, tmp_path))
    (judge,) = found["judges"]
    assert (code, judge["verdict"]) == (0, "no change")
    assert judge["flips"] == judge["coverage_changes"] == []
    assert judge["items"]["common"] > 50 and (found["stratum"], found["statement"]) == ("natural", "reusable-lesson")
    assert judge["base"]["signature"] == judge["head"]["signature"]


def test_three_flipped_verdicts_are_named_with_file_and_line(
    monkeypatch: pytest.MonkeyPatch, capsys: Capsys, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    run = shipped_run()
    stored = [json.loads(line) for line in run.read_text(encoding="utf-8").splitlines()]
    mine = [row for row in stored if row["asked_for"].endswith("/reusable-lesson")]
    chosen = [mine[0], mine[len(mine) // 2], mine[-1]]
    turned = {row["asked_for"]: "no" if row["answer"] == "yes" else "yes" for row in chosen}
    copy = edited(run, turned, tmp_path)
    _, found = compare(capsys, SHIPPED, copy)
    flips = found["judges"][0]["flips"]
    assert {flip["item"]: flip["head"] for flip in flips} == turned
    for flip in flips:
        line = (ROOT / flip["file"]).read_text(encoding="utf-8").split("\n")[flip["line"] - 1]
        assert re.fullmatch(rf"\s*- (\{{)?id: {flip['attempt']}\b.*", line) and Path(flip["file"]).stem == flip["case"]
        assert flip["change"] == ("right->wrong" if flip["base"] == flip["label"] else "wrong->right")
    text = found["text"]
    assert all(
        f"{flip['file']}:{flip['line']} {flip['item']} {flip['base']} -> {flip['head']}" in text for flip in flips
    )
    assert "flipped: 3" in text


# --- all four exits ---


@pytest.mark.parametrize(
    ("others", "code", "verdict", "sentence"),
    [
        ({}, 0, "no change", "no change (every verdict on 60 items is the same)"),
        ({"S001": "no"}, 0, "not worse", "not worse (accuracy: -.02"),
        ({f"S{n:03d}": "no" for n in range(1, 25)}, 1, "worse", "worse (accuracy: -.40"),
        ({f"S{n:03d}": "no" for n in range(1, 4)}, 2, "cannot tell", "cannot tell (accuracy: -.05"),
        ({"S001": "timeout"}, 1, "worse", "falls under the promised 1"),
        ({"S001": "not_run"}, 2, "cannot tell", "1 of 60 items are not judged in the head"),
    ],
)
def test_exit_json_text_and_junit_agree(
    layout: Layout, capsys: Capsys, others: dict[str, str], code: int, verdict: str, sentence: str
) -> None:
    base, head = right_but(layout, layout.root / "one"), right_but(layout, layout.root / "two", others)
    junit = layout.root / "compare.xml"
    got, found = compare(capsys, base, head, "--junit", junit)
    (judge,) = found["judges"]
    assert (got, found["exit_code"], judge["verdict"]) == (code, code, verdict)
    assert sentence in found["sentence"]
    suite = ElementTree.parse(junit).getroot()
    assert (int(suite.get("failures", "")) > 0, int(suite.get("errors", "")) > 0) == (code == 1, code == 2)
    text = found["text"]
    long = [line for line in text.splitlines() if len(line) > 80]
    assert all("suite:" in line or line.startswith(("  cases/", "base: /", "head: /")) for line in long)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nobody", "prompts"], "or one of prompts"),
        (["prompts", "runs/none.jsonl"], "no such run file"),
        (["prompts", "."], "BASE is a run and HEAD is a version"),
        (["prompts", "prompts", "--statement", "kind"], "use one of polite, solved"),
        (["prompts", "prompts", "--stratum", "kind"], "use one of tickets"),
        (["prompts", "prompts", "--config", "none.toml"], "cannot be read"),
        (["prompts", "prompts", "--suite", "none"], "no suite.yaml"),
        (["prompts"], "to mend"),
    ],
)
def test_broken_input_is_3_and_says_what_to_do(layout: Layout, capsys: Capsys, words: list[str], told: str) -> None:
    capsys.readouterr()
    assert code_of("compare", *words) == 3
    error = capsys.readouterr().err
    assert told in error and "to mend: " in error and "crashed" not in error


def test_a_name_in_the_config_is_refused_with_its_line(layout: Layout, capsys: Capsys) -> None:
    (layout.root / "bench.toml").write_text(TOML.replace("polite", "kind"), encoding="utf-8")
    assert code_of("compare", "prompts", "prompts") == 3
    assert "bench.toml:2, field compare.statement: no statement 'kind'" in capsys.readouterr().err


def test_what_the_suite_does_not_imply_must_be_named(layout: Layout, capsys: Capsys) -> None:
    (layout.root / "bench.toml").unlink()
    assert code_of("compare", "prompts", "prompts") == 3
    assert "no critical yes / no statement" in capsys.readouterr().err
    code, found = compare(capsys, "prompts", "prompts", "--statement", "polite")
    assert code == 0 and found["config_file"] is None
    assert found["config"]["objective"] == {"metric": "balanced_accuracy", "margin": 0.05}


def test_splits_of_a_suite_without_any(layout: Layout, capsys: Capsys) -> None:
    (layout.root / "bench.toml").write_text(
        TOML.replace("[objective]", 'splits = ["test"]\n[objective]'), encoding="utf-8"
    )
    assert code_of("compare", "prompts", "prompts") == 3
    assert "bench.toml:3, field compare.splits" in capsys.readouterr().err


def test_precision_where_pairs_set_the_prevalence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    strata = [{"id": "tickets", "meaning": "twins", "design": "paired_by_design", "primary": True}]
    suite_at(tmp_path, {"S001": "yes"}, strata=strata)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text(TOML.replace("accuracy", "precision"), encoding="utf-8")
    assert code_of("compare", "prompts", "prompts") == 3
    assert "precision on tickets, where prevalence is set by design" in capsys.readouterr().err


# --- red lines ---


@pytest.mark.parametrize(
    ("floor", "code", "told"),
    [
        (0.35, 0, "every red line met (1)"),
        (0.9, 1, "red line not met: precision >= 0.9"),
        (0.5, 2, "red line cannot decide"),
    ],
)
def test_a_red_line_holds_whatever_the_base_says(
    layout: Layout, capsys: Capsys, floor: float, code: int, told: str
) -> None:
    """Half of what the judge calls yes is yes, before and after."""
    (layout.root / "bench.toml").write_text(
        f'{TOML}[[red_line]]\nmetric = "precision"\nat_least = {floor}\n', encoding="utf-8"
    )
    got, found = compare(capsys, "prompts", "prompts")
    assert got == code and told in found["sentence"] and "no change" in found["sentence"]
    assert found["judges"][0]["red_lines"][0]["head"]["value"] == 0.5


# --- which run is meant ---


def test_a_judge_by_name_by_id_and_by_file_is_the_same(layout: Layout, capsys: Capsys) -> None:
    run = run_of(layout)
    judge_id = run.name.removesuffix(".jsonl")
    told = [compare(capsys, *pair)[1] for pair in (("prompts", judge_id), (judge_id, run), (run, "prompts"))]
    assert len({json.dumps(found["judges"]) for found in told}) == 1


def test_a_run_whose_judge_has_no_seat_is_joined_by_what_it_was_shown(layout: Layout, capsys: Capsys) -> None:
    copy = right_but(layout, layout.root / "other")
    manifest = json.loads(copy.with_suffix(".json").read_text(encoding="utf-8"))
    renamed = copy.with_name("other-judge.jsonl")
    copy.rename(renamed)
    renamed.with_suffix(".json").write_text(json.dumps(manifest | {"judge_id": "other-judge", "name": "other"}))
    code, found = compare(capsys, "prompts", renamed)
    (judge,) = found["judges"]
    assert (code, judge["verdict"], judge["head"]["judge_id"]) == (0, "better", "other-judge")
    assert judge["items"]["common"] == 60 and len(judge["flips"]) == 30


@pytest.mark.parametrize(
    ("breakage", "told"),
    [
        (lambda run: run.with_suffix(".json").unlink(), "no manifest"),
        (lambda run: run.with_suffix(".json").write_text("{}"), "its manifest"),
        (lambda run: run.with_suffix(".json").write_text("{"), "its manifest"),
        (lambda run: run.write_text('{"item": "x"}\n'), ".jsonl:1"),
        (lambda run: _with(run, judge_id="x", preset="events@0"), "made under the preset events@0"),
    ],
)
def test_a_broken_run_file_is_3(layout: Layout, capsys: Capsys, breakage: Any, told: str) -> None:
    copy = right_but(layout, layout.root / "other")
    breakage(copy)
    assert code_of("compare", "prompts", str(copy)) == 3
    assert told in capsys.readouterr().err


def _with(run: Path, **changes: str) -> None:
    beside = run.with_suffix(".json")
    beside.write_text(json.dumps(json.loads(beside.read_text(encoding="utf-8")) | changes))


def test_a_run_of_nothing_in_the_suite_is_3(layout: Layout, capsys: Capsys) -> None:
    copy = right_but(layout, layout.root / "other")
    copy.write_text(re.sub(r'"item": "[0-9a-f]{64}"', '"item": "gone"', copy.read_text()))
    _with(copy, judge_id="x")
    assert code_of("compare", "prompts", str(copy)) == 3
    assert "answers an item of the suite as it is now" in capsys.readouterr().err


def test_two_seats_of_one_name_must_be_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    twice = PROMPTS | {"parameters": {"at_least": "2"}}
    layout = suite_at(tmp_path, {"S001": "yes"}, [PROMPTS, twice])
    monkeypatch.chdir(tmp_path)
    main(["run"])
    assert code_of("compare", "prompts", "prompts", "--statement", "polite") == 3
    error = capsys.readouterr().err
    ids = [path.name.removesuffix(".jsonl") for path in layout.runs.glob("prompts-*.jsonl")]
    assert len(ids) == 2 and all(i in error for i in ids)
    assert code_of("compare", *ids, "--statement", "polite") == 2


# --- what is told ---


def test_text_shows_twenty_flips_and_json_all(layout: Layout, capsys: Capsys) -> None:
    _, found = compare(capsys, "prompts", right_but(layout, layout.root / "other"))
    assert len(found["judges"][0]["flips"]) == 30
    text = found["text"]
    assert text.count("  cases/support/") == 20 and "and 10 more (--json has all)" in text


def test_flips_of_other_statements_are_told_and_decide_nothing(layout: Layout, capsys: Capsys) -> None:
    head = edited(run_of(layout), {"S001/a1/solved": "no"}, layout.root / "other")
    code, found = compare(capsys, "prompts", head)
    (judge,) = found["judges"]
    assert (code, judge["verdict"]) == (0, "no change")
    (flip,) = judge["flips"]
    assert (flip["item"], flip["decides"]) == ("S001/a1/solved", False)
    assert "1 verdicts flipped outside the items that decide" in judge["notes"]


def test_slices_count_what_flipped_in_them(layout: Layout, capsys: Capsys) -> None:
    _, found = compare(
        capsys, right_but(layout, layout.root / "a"), right_but(layout, layout.root / "b", {"S001": "no"})
    )
    slices = {(s["dimension"], s["value"]): s for s in found["judges"][0]["slices"]}
    assert set(slices) == {
        ("stratum", "tickets"),
        ("capability", "repair"),
        ("difficulty", "plain"),
        ("language", "en"),
    }
    assert {(s["right_to_wrong"], s["wrong_to_right"], s["items"]) for s in slices.values()} == {(1, 0, 60)}


def test_a_tiny_suite_cannot_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    layout = suite_at(tmp_path, {"S001": "yes", "S002": "no", "S003": "no"})
    monkeypatch.chdir(tmp_path)
    main(["run"])
    head = edited(run_of(layout), {"S002/a1/polite": "no"}, tmp_path / "other")
    code, found = compare(capsys, "prompts", head, "--statement", "polite")
    assert code == 2 and "too few" in found["sentence"]


def test_nothing_is_written(layout: Layout, capsys: Capsys) -> None:
    files = {p: p.read_bytes() for p in sorted(layout.root.rglob("*")) if p.is_file()}
    compare(capsys, "prompts", "prompts")
    assert {p: p.read_bytes() for p in sorted(layout.root.rglob("*")) if p.is_file()} == files


def test_same_input_same_bytes(layout: Layout, capsys: Capsys) -> None:
    head = str(right_but(layout, layout.root / "b", {"S001": "no"}))
    capsys.readouterr()
    told = []
    for words in (("--json",), ("--json",), (), ()):
        main(["compare", "prompts", head, *words])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] and told[2] == told[3]
