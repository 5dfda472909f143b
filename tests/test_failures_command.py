"""``bench failures``: what is told of development, and that nothing of calibration and test is in any output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from printed import flat, too_wide
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cli import main
from bench.judges.contract import Item, Question, Verdict

LESSONS = Path(__file__).parent.parent / "cases" / "lessons"
JUDGE = "test_failures_command:Optimist"
SPLITS = {"S001": "development", "S002": "development", "S003": "development", "S777": "calibration", "S888": "test"}
# The closed ones are labelled in a way that no development case is, so that any trace of them shows.
LABELS = {"S001": "no", "S002": "yes", "S003": "no", "S777": "unclear", "S888": "no"}
HOSTILE = "see | <script>alert(1)</script> [x](y) `z`\n# not a heading"


class Optimist:
    """Yes to all, and names the case that it looks at."""

    receives = frozenset({"projection", "facts"})

    def judge(self, item: Item, question: Question) -> Verdict:
        lamp = dict(item.facts or {})["lamp"]
        return Verdict(
            "yes", p=0.75, evidence=(2, 3), reason=f"{lamp}: {HOSTILE}", quotes=("It works again.",), raw="PROMPT SENT"
        )


def make(root: Path, splits: Mapping[str, str] | None = SPLITS, **changes: Any) -> Layout:
    layout = write(
        root,
        suite_tree([{"judge": JUDGE, "answers": ["polite", "solved"]}, {"judge": "always-no", "answers": ["polite"]}]),
        [case_tree(case, **changes) for case in SPLITS],
        votes=[
            votes_tree(case, {"polite": answer, "solved": answer}, annotator="grace-hopper")
            for case, answer in LABELS.items()
        ],
        splits=None if splits is None else {f"family-{case}": split for case, split in splits.items()},
    )
    assert main(["run", "--suite", str(layout.suite), "--judge-missing"]) == 0
    return layout


def failures(layout: Layout, *words: str) -> int:
    try:
        return main(["failures", "--suite", str(layout.suite), *words])
    except SystemExit as leaving:
        return int(leaving.code or 0)


def test_each_failure_has_what_a_person_needs(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    capsys.readouterr()
    assert failures(layout, "--json", "--judge", JUDGE, "--statement", "polite") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["case"] for one in found["failures"]] == ["S001", "S003"]
    first = found["failures"][0]
    assert (first["expected"], first["answer"], first["kind"], first["p"]) == ("no", "yes", "false yes", 0.75)
    assert (first["text"], first["events"], first["quotes"]) == ("The agent is polite.", [2, 3], ["It works again."])
    assert first["criteria"] == [["yes", "It greets."], ["no", "It does not."]]
    assert first["reasons"] == [f"S001: {HOSTILE}"]
    assert first["file"] == "cases/support/S001.yaml" and first["line"] == 1
    assert found["judged"] == [
        {"judge": JUDGE, "judge_id": first["judge_id"], "statement": "polite", "stratum": "tickets", "rows": 3, "wrong": 2,
         "unscored": 0, "unlabelled": 0}
    ]  # fmt: skip
    assert found["sentence"].startswith("2 of 3 labelled verdicts wrong")


def test_the_other_kind_of_error(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    capsys.readouterr()
    assert failures(layout, "--json", "--judge", "always-no") == 0
    found = json.loads(capsys.readouterr().out)["failures"]
    assert [(one["case"], one["kind"], one["reasons"]) for one in found] == [("S002", "false no", [])]


def test_markdown_and_json_hold_the_same_rows_and_no_markup_of_others(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    capsys.readouterr()
    assert failures(layout, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert failures(layout) == 0
    page = capsys.readouterr().out
    told = [line.removeprefix("### ").partition("/")[0] for line in page.splitlines() if line.startswith("### ")]
    assert told == [one["case"] for one in found["failures"]]
    assert found["sentence"] in page and found["data"][:12] in page
    assert "<script>" not in page and "\n# not" not in page and "](y)" not in page
    out = tmp_path / "page.md"
    capsys.readouterr()
    assert failures(layout, "--out", str(out)) == 0
    assert out.read_text(encoding="utf-8") == page
    assert found["sentence"] in flat(capsys.readouterr().out)


WORDS = ([], ["--json"], ["--judge", JUDGE], ["--statement", "solved"], ["--stratum", "tickets"], ["--judge", "nobody"],
         ["--statement", "nothing"], ["--stratum", "nowhere"], ["--all-splits-are-mine"], ["--format", "json"])  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_nothing_of_calibration_and_test_is_in_any_output(tmp_path: Path, capsys: Any, words: list[str]) -> None:
    layout = make(tmp_path)
    capsys.readouterr()
    failures(layout, *words)
    out, err = capsys.readouterr()
    for secret in ("S777", "S888", "family-S", "unclear", "calibration", "grace-hopper", "It stands there.", "PROMPT"):
        assert secret not in out + err


def test_closed_labels_move_nothing(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    pages = []
    for answer in ("yes", "no"):
        for case in ("S777", "S888"):
            votes = votes_tree(case, {"polite": answer, "solved": answer}, annotator="grace-hopper")
            (layout.labels / "votes" / "grace-hopper" / f"{case}.yaml").write_text(json.dumps(votes))
        capsys.readouterr()
        assert failures(layout) == 0
        assert failures(layout, "--json") == 0
        pages.append(capsys.readouterr().out)
    assert pages[0] == pages[1]


def test_a_broken_vote_of_test_is_not_quoted(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    broken = votes_tree("S888", {"polite": "mostly-yes"}, annotator="grace-hopper")
    (layout.labels / "votes" / "grace-hopper" / "S888.yaml").write_text(json.dumps(broken))
    capsys.readouterr()
    assert failures(layout) == 3
    out, err = capsys.readouterr()
    assert "bench lint says which" in err
    assert "S888" not in out + err and "mostly" not in out + err


def test_a_broken_case_of_test_is_not_named(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    (layout.suite / "S888.yaml").write_text("schema: 1\n")
    capsys.readouterr()
    assert failures(layout) == 3
    assert "S888" not in "".join(capsys.readouterr())


def test_a_suite_without_splits_must_be_said_to_be_ones_own(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path, splits=None)
    capsys.readouterr()
    assert failures(layout) == 3
    assert "--all-splits-are-mine" in capsys.readouterr().err
    assert failures(layout, "--all-splits-are-mine", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["case"] for one in found["failures"]} == {"S001", "S002", "S003", "S888"}
    assert found["split"] == "the whole suite"


def test_splits_are_not_opened_by_saying_so(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    capsys.readouterr()
    assert failures(layout, "--all-splits-are-mine") == 3
    assert "the suite has splits" in capsys.readouterr().err


def test_without_a_labelled_row_it_cannot_be_said(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path, splits={**dict.fromkeys(SPLITS, "test"), "S001": "development"})
    (layout.labels / "votes" / "grace-hopper" / "S001.yaml").unlink()
    capsys.readouterr()
    assert failures(layout) == 2
    assert "no row of development" in capsys.readouterr().err


def test_the_shipped_suite_tells_no_case_of_another_split(capsys: Any) -> None:
    suite = load_suite(Layout(LESSONS))
    assert suite.splits is not None
    closed = {c.case.id for c in suite.cases if suite.splits.families[c.case.family] != "development"}
    assert main(["failures", "--suite", str(LESSONS), "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["failures"] and not {one["case"] for one in found["failures"]} & closed
    assert not [case for case in closed if f'"{case}"' in out + err or f"/{case}.yaml" in out + err]


def test_counts_alone_for_a_person_at_a_terminal(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = make(tmp_path)
    capsys.readouterr()
    assert failures(layout, "--format", "counts") == 0
    told = capsys.readouterr().out
    assert told.startswith("5 of 9 labelled verdicts wrong") and too_wide(told) == []
    rows = [line.split() for line in told.splitlines() if line.startswith(JUDGE)]
    assert ["polite", "tickets", "2", "3", "0", "0"] in [row[1:] for row in rows]
    assert "\nnext: bench failures " in told and "### " not in told
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert failures(layout) == 0
    assert "### " not in capsys.readouterr().out
