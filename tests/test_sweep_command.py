"""``bench sweep``: text, JSON, CSV and the exit code say the same; what is missing or wrong is said; the page is true."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from printed import squeezed
from running_suites import Tree, case_tree, suite_tree, votes_tree, write
from walked_pages import walk

from bench.cli import main
from bench.judges.contract import Item, Question, Verdict
from bench.policies.files import PolicyEntry

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "policies.md"
JUDGE = "test_sweep_command:FromFacts"
ASKED = {"The agent is polite.": "polite", "The problem is solved.": "solved"}


class FromFacts:
    """Says what the case's facts hold for a statement; says nothing where they hold nothing."""

    receives = frozenset({"facts"})

    def judge(self, item: Item, question: Question) -> Verdict:
        told = (item.facts or {}).get(ASKED[question.text], "")
        return Verdict("yes" if float(told) >= 0.5 else "no", p=float(told)) if told else Verdict(unscored="abstained")


# case -> split, what the judge says of polite and solved, labels
CASES: dict[str, tuple[str, str, str, str, str]] = {
    "S001": ("development", "0.9", "0.9", "yes", "yes"),
    "S002": ("development", "1.0", "0.0", "yes", "no"),
    "S003": ("development", "0.2", "0.7", "yes", "yes"),
    "S004": ("development", "0.3", "0.1", "no", "no"),
    "S005": ("development", "", "0.8", "yes", "yes"),
    "S006": ("calibration", "0.6", "0.6", "no", "yes"),
    "S007": ("test", "0.4", "0.4", "no", "no"),
}


def make(
    root: Path, *, splits: bool = True, run: bool = True, polarity: str = "must", labels: bool = True
) -> list[str]:
    """A suite with that judge and its verdicts; the words that name it."""
    statements = suite_tree([])["statements"]
    statements[0]["polarity"] = polarity
    statements[1]["critical"] = True
    cases: list[Tree] = []
    for case, (_, polite, solved, *_rest) in CASES.items():
        facts = {name: value for name, value in (("polite", polite), ("solved", solved)) if value}
        cases.append(case_tree(case, world_state={"facts": {**facts, "lamp": case}}))
    votes = [votes_tree(case, {"polite": told[3], "solved": told[4]}) for case, told in CASES.items()]
    judges = [{"judge": JUDGE, "answers": ["polite", "solved"], "coverage_floor": 0.5}]
    layout = write(
        root, suite_tree(judges, statements=statements), cases, votes if labels else [],
        splits={f"family-{case}": told[0] for case, told in CASES.items()} if splits else None,
    )  # fmt: skip
    if run:
        assert main(["run", "--suite", str(layout.suite)]) in (0, 2)
    return [JUDGE, "--suite", str(layout.suite)]


def code(*words: str) -> int:
    try:
        return main(["sweep", *words])
    except SystemExit as leaving:
        return int(leaving.code or 0)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    """The exit code and the JSON of a sweep, which agree."""
    capsys.readouterr()
    found = code(*words, "--json")
    out = json.loads(capsys.readouterr().out)
    assert out["exit_code"] == found
    return found, out


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    code(*words)
    caught = capsys.readouterr()
    return caught.out + caught.err


def policies(folder: Path, *entries: str, name: str = "policies.yaml") -> str:
    path = folder / name
    path.write_text("schema: 1\npolicies:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries), encoding="utf-8")
    return str(path)


MEAN = "id: mean, statements: [polite, solved], promote_at: 0.5, discard_at: 0.2"
FLOOR = "id: floor, statements: [polite, solved], promote_at: 0.5, discard_at: 0.2, floors: {solved: 0.5}"


# --- a suite ---


def test_by_default_the_critical_statement_on_development(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, out = told(capsys, *make(tmp_path))
    assert (found, out["splits"], out["stratum"]) == (0, ["development"], "tickets")
    points = {one["id"]: one for one in out["policies"]}
    assert list(points)[:5] == ["at-0.9", "at-0.8", "at-0.7", "at-0.1", "at-0"]
    assert [(one["promoted"], one["wrong_promoted"]["numerator"]) for one in out["policies"][:5]] == [
        (1, 0), (2, 0), (3, 0), (4, 1), (5, 2),
    ]  # fmt: skip
    assert points["at-0.7"]["recall"]["value"] == 1.0
    assert points["bands-0.1-0.9"]["discarded"] == 2 and points["bands-0.1-0.9"]["review"] == 2
    assert all(one["promoted"] + one["discarded"] + one["review"] == one["attempts"] == 5 for one in out["policies"])
    assert out["policies"][0]["policy"]["right_when"] == ["solved"]
    assert out["operating_points"] == 5


@pytest.mark.parametrize(
    ("split", "attempts"), [("development", 5), ("calibration", 1), ("test", 1), ("reported", 2), ("all", 7)]
)
def test_splits(split: str, attempts: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = make(tmp_path)
    found, out = told(capsys, *words, "--split", split)
    assert (found, out["policies"][0]["attempts"]) == (0, attempts)
    assert "choose nothing" in said(capsys, *words, "--split", split)


def test_policies_of_a_file_and_what_a_floor_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*make(tmp_path), "--policies", policies(tmp_path, MEAN, FLOOR), "--versus", "mean"]
    found, out = told(capsys, *words)
    mean, floor = out["policies"]
    assert (found, mean["id"], floor["id"]) == (0, "mean", "floor")
    # by hand: S001 .9, S002 .5, S003 .45, S004 .2 (at its limit), S005 lacks an answer
    assert (mean["promoted"], mean["discarded"], mean["review"], mean["unscored"]) == (2, 1, 2, 1)
    assert (floor["promoted"], floor["discarded"], floor["review"], floor["unscored"]) == (1, 1, 3, 1)
    (trade,) = out["trades"]
    assert (trade["from"], trade["to"], trade["wrong_promotions_stopped"], trade["right_promotions_lost"]) == (
        "mean", "floor", 1, 0,
    )  # fmt: skip
    (flip,) = trade["flips"]
    assert (flip["case"], flip["from"], flip["to"], flip["right_to_promote"]) == ("S002", "promote", "review", False)
    assert flip["values"] == {"polite": 1.0, "solved": 0.0} and flip["labels"] == {"polite": True, "solved": False}
    assert flip["file"].endswith("S002.yaml") and isinstance(flip["line"], int)
    text = said(capsys, *words)
    assert "wrong promotions stopped 1, right promotions lost 0" in " ".join(text.split())
    assert re.search(r"S002\.yaml:\d+ S002/a1: promote -> review, wrong to promote", " ".join(text.split()))
    assert "1 attempt without an answer (abstained 1)" in " ".join(text.split())


def test_text_json_and_csv_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*make(tmp_path), "--policies", policies(tmp_path, MEAN, FLOOR)]
    found, out = told(capsys, *words)
    text = said(capsys, *words, "--csv", str(tmp_path / "out.csv"))
    assert f"{out['outcome']} [exit {found}]" in text
    assert out["signature"] in squeezed(text)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, one in zip(rows, out["policies"], strict=True):
        line = next(line for line in text.splitlines() if line.startswith(one["id"] + " ")).split()
        assert (line[1], row["promoted"]) == (str(one["promoted"]), str(one["promoted"]))
        for name in ("wrong_promoted", "wrong_discarded", "recall", "review_share"):
            value = one[name]["value"]
            assert row[name] == ("" if value is None else repr(value))
        assert f"{one['wrong_promoted']['numerator']}/{one['wrong_promoted']['denominator']}" == line[2]


def test_the_table_is_80_columns_wide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, *make(tmp_path), "--split", "all")
    table = text[text.index("policy ") : text.index("brackets:")]
    assert max(map(len, table.splitlines())) <= 80


def test_statement_floor_combine_and_thresholds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*make(tmp_path), "--statement", "polite", "--statement", "solved", "--thresholds", ".3:.5:.1"]
    _, out = told(capsys, *words, "--floor", "solved=.5", "--combine", "minimum", "--right-when", "polite")
    assert [one["id"] for one in out["policies"]] == ["at-0.3", "at-0.4", "at-0.5"]
    policy = out["policies"][0]["policy"]
    assert (policy["combine"], policy["floors"], policy["right_when"]) == ("minimum", {"solved": 0.5}, ["polite"])
    assert out["policies"][0]["promoted"] == 1  # of .9/.9, 1/0, .2/.7, .3/.1


def test_polarity_is_the_suites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = make(tmp_path, polarity="must_not")
    _, out = told(capsys, *words, "--statement", "polite", "--thresholds", ".7:.8:.1")
    assert out["policies"][0]["policy"]["must_not"] == ["polite"]
    assert [one["promoted"] for one in out["policies"]] == [2, 1]  # .2 and .3 against it
    assert out["policies"][0]["wrong_promoted"]["numerator"] == 1  # S003 is labelled polite
    text = said(capsys, *words, "--policies", policies(tmp_path, MEAN))
    assert "policies[0].must_not" in text and "must_not: [polite]" in text


def test_no_judge_is_called_and_what_was_not_run_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = make(tmp_path, run=False)
    before = sorted(tmp_path.rglob("*.jsonl"))
    text = said(capsys, *words)
    assert "5 attempts without an answer (not_run 5)" in " ".join(text.split())
    assert "bench run --judge" in text and "nothing is scored [exit 2]" in text
    assert sorted(tmp_path.rglob("*.jsonl")) == before
    found, out = told(capsys, *words)
    assert (found, out["policies"][0]["unscored"], out["policies"][0]["recall"]["value"]) == (2, 5, 0.0)


def test_without_labels_nothing_is_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, out = told(capsys, *make(tmp_path, labels=False))
    assert (found, out["outcome"]) == (2, "cannot decide: no attempt has a label")
    assert out["policies"][0]["wrong_promoted"]["undefined"] == "none of 1 promoted has a label"


def test_a_suite_without_splits_is_swept_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = make(tmp_path, splits=False)
    found, out = told(capsys, *words)
    assert (found, out["policies"][0]["attempts"], out["splits"]) == (0, 7, ["all"])
    assert "tested nowhere" in out["notices"][-1]
    assert code(*words, "--split", "test") == 2


SUITE_FAULTS: Mapping[str, tuple[list[str], int, str]] = {
    "no such judge": (["nobody"], 2, "no judge 'nobody'"),
    "no judge": ([], 3, "no judge is named"),
    "no such stratum": ([JUDGE, "--stratum", "calls"], 3, "no stratum 'calls'"),
    "no such statement": ([JUDGE, "--statement", "kind"], 3, "no statement 'kind'"),
    "no such label": ([JUDGE, "--right-when", "kind"], 3, "no statement 'kind'"),
    "a floor of another statement": ([JUDGE, "--floor", "polite=.5"], 3, "none of the policy's statements"),
    "a floor over 1": ([JUDGE, "--floor", "solved=2"], 3, "is not ID=VALUE"),
    "a floor without a value": ([JUDGE, "--floor", "solved"], 3, "is not ID=VALUE"),
    "no grid": ([JUDGE, "--thresholds", ".5"], 3, "is not FROM:TO:STEP"),
    "a grid backwards": ([JUDGE, "--thresholds", ".9:.1:.1"], 3, "lies under"),
    "a label column without a table": ([JUDGE, "--label", "x"], 3, "belongs to a table"),
    "no such policy": ([JUDGE, "--versus", "at-7"], 3, "no policy 'at-7'"),
    "no such file": ([JUDGE, "--policies", "nowhere.yaml"], 3, "cannot be read"),
    "a file and a floor": ([JUDGE, "--policies", "p.yaml", "--floor", "solved=.5"], 3, "without --policies"),
    "a file with an unknown statement": ([JUDGE, "--policies", "p.yaml"], 3, "p.yaml:3, field policies[0].statements"),
}


@pytest.mark.parametrize("fault", SUITE_FAULTS)
def test_what_is_wrong_with_a_sweep_of_a_suite(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    policies(tmp_path, "id: odd, statements: [kind], promote_at: 0.5", name="p.yaml")
    words, wanted, text = SUITE_FAULTS[fault]
    capsys.readouterr()
    assert code(*words) == wanted
    assert text in capsys.readouterr().err


# --- a table ---


def table(folder: Path, *rows: str, head: str = "id,a,b,label,group") -> str:
    path = folder / "t.csv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return str(path)


ROWS = ("r1,0.9,0.8,yes,g1", "r2,1.0,0.0,no,g1", "r3,0.3,,yes,g2", "r4,0.1,0.2,,g3")


def test_a_table_needs_no_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--table", table(tmp_path, *ROWS), "--statement", "a", "--statement", "b", "--thresholds", ".5:.5:.1"]
    found, out = told(capsys, *words)
    (one,) = out["policies"]
    assert (found, one["promoted"], one["review"], one["unscored"], one["unlabelled"]) == (0, 2, 2, 1, 1)
    assert (one["wrong_promoted"]["numerator"], one["wrong_promoted"]["denominator"], one["families"]) == (1, 2, 3)
    assert (out["group"], out["id"], one["policy"]["right_when"]) == ("group", "id", ["label"])


def test_jsonl_words_and_other_scales(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    rows = [{"said": True, "events": 80, "gold": 1}, {"said": False, "events": 3, "gold": 0}, {"events": 7, "gold": 0}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    _, out = told(capsys, "--table", str(path), "--statement", "said")
    assert [one["id"] for one in out["policies"]][:2] == ["at-1", "at-0"]
    assert out["policies"][0]["wrong_promoted"]["numerator"] == 0 and out["policies"][0]["unscored"] == 1
    _, out = told(capsys, "--table", str(path), "--statement", "events")
    assert [one["id"] for one in out["policies"]][:3] == ["at-80", "at-7", "at-3"]


def test_operating_points_are_thinned_in_text_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"r{i},{i / 200:.3f},0.5,{'yes' if i % 2 else 'no'},g{i}" for i in range(200)]
    words = ["--table", table(tmp_path, *rows), "--statement", "a"]
    text = said(capsys, *words)
    assert sum(line.startswith("at-") for line in text.splitlines()) == 40
    assert "160 of 200 operating points are left out here" in text
    _, out = told(capsys, *words)
    assert sum(one["id"].startswith("at-") for one in out["policies"]) == 200
    assert (out["operating_points"], out["operating_points_left_out"]) == (200, 0)


def test_at_most_ten_changed_decisions_in_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"r{i},0.9,0.1,no,g{i}" for i in range(14)]
    file = policies(
        tmp_path, "id: p, statements: [a, b], promote_at: 0.5",
        "id: q, statements: [a, b], promote_at: 0.5, floors: {b: 0.5}",
    )  # fmt: skip
    words = ["--table", table(tmp_path, *rows), "--policies", file, "--versus", "p"]
    text = said(capsys, *words)
    assert text.count("promote -> review") == 10 and "and 4 more: --json" in text
    assert len(told(capsys, *words)[1]["trades"][0]["flips"]) == 14


TABLE_FAULTS: Mapping[str, tuple[list[str], list[str], str]] = {
    "no such column": (["--statement", "c"], [], "t.csv:1: no column c"),
    "no statement": ([], [], "no column of values is named"),
    "no label": (["--statement", "a", "--label", "-"], [], "no column of labels is known"),
    "no such label": (["--statement", "a", "--label", "x"], [], "--label is one of"),
    "a word among numbers": (["--statement", "a"], ["r5,high,0.1,no,g5"], "t.csv:6, field a: found high"),
    "per cent": (["--statement", "a", "--statement", "b"], ["r5,81,0.1,no,g5"], "lies between 0 and 1"),
    "an odd label": (["--statement", "a"], ["r5,0.1,0.1,maybe,g5"], "t.csv:6, field label: found maybe"),
    "a group is missing": (["--statement", "a"], ["r5,0.1,0.1,no,"], "t.csv:6, field group"),
    "an id stands twice": (["--statement", "a"], ["r1,0.1,0.1,no,g5"], "t.csv:6, field id: the id r1 stands twice"),
    "a split": (["--statement", "a", "--split", "test"], [], "--split: belongs to a suite"),
    "a judge too": ([JUDGE, "--statement", "a"], [], "a judge and a table"),
}


@pytest.mark.parametrize("fault", TABLE_FAULTS)
def test_what_is_wrong_with_a_table(fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, rows, text = TABLE_FAULTS[fault]
    assert code("--table", table(tmp_path, *ROWS, *rows), *words) == 3
    assert text in capsys.readouterr().err


def test_a_table_of_which_nothing_is_scored_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, out = told(capsys, "--table", table(tmp_path, "r1,,,yes,g1", "r2,,,no,g2"), "--statement", "a")
    assert (found, out["outcome"]) == (2, "cannot decide: nothing is scored")


def test_same_input_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--table", table(tmp_path, *ROWS), "--statement", "a", "--json"]
    assert said(capsys, *words) == said(capsys, *words)


# --- the page ---


def test_the_page_shows_what_the_commands_say(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    codes = list(walk(PAGE.read_text(encoding="utf-8"), monkeypatch, capsys))
    assert len(codes) >= 2 and {found for _, found in codes} == {0}


def test_the_page_names_every_field_of_a_policy() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in PolicyEntry.model_fields if f"`{name}`" not in page] == []
