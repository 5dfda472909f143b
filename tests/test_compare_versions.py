"""`bench compare` of two versions: folders and git revisions, each with its own cases, labels and runs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from comparing_rows import PROMPTS, code_of, compare, edited, run_of, suite_at
from running_suites import votes_tree

from bench.cases.layout import Layout
from bench.cli import main

LABELS = {f"S{n:03d}": "yes" if n <= 20 else "no" for n in range(1, 41)}
STATEMENT = ("--statement", "polite")
Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    made = suite_at(tmp_path / "base", LABELS, [PROMPTS, {"judge": "always-no", "answers": ["polite"]}])
    monkeypatch.chdir(made.root)
    assert main(["run"]) == 0
    return made


@pytest.fixture
def head(base: Layout, tmp_path: Path) -> Layout:
    """A copy of the base that a test changes."""
    shutil.copytree(base.root, tmp_path / "head")
    return Layout(tmp_path / "head" / "cases" / "support")


def turn(layout: Layout, **answers: str) -> None:
    """Other stored verdicts of `prompts` on `polite`."""
    run = run_of(layout)
    edited(run, {f"{case}/a1/polite": answer for case, answer in answers.items()}, layout.root / "edited")
    (layout.root / "edited" / run.name).replace(run)


def change(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | fields), encoding="utf-8")


def judge(found: dict[str, Any], name: str = "prompts") -> dict[str, Any]:
    (mine,) = [judge for judge in found["judges"] if judge["head"]["judge"] == name]
    return mine


def test_equal_folders_are_no_change(base: Layout, head: Layout, capsys: Capsys) -> None:
    code, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert code == 0 and found["kind"] == "versions"
    assert [judge["verdict"] for judge in found["judges"]] == ["no change", "no change"]
    assert found["sentence"] == "Of 2 judges none is worse: 2 no change."


def test_each_judge_is_compared_with_itself(base: Layout, head: Layout, capsys: Capsys) -> None:
    turn(head, **{f"S{n:03d}": "no" for n in range(1, 21)})
    code, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert code == 1 and judge(found, "always-no")["verdict"] == "no change"
    assert len(judge(found)["flips"]) == 20 and found["sentence"] == "1 of 2 judges worse or under a red line: prompts."
    code, found = compare(capsys, base.root, head.root, *STATEMENT, "--judge", "always-*")
    assert code == 0 and len(found["judges"]) == 1
    assert code_of("compare", str(base.root), str(head.root), *STATEMENT, "--judge", "nobody") == 2


def test_a_changed_label_is_counted_and_the_heads_holds(base: Layout, head: Layout, capsys: Capsys) -> None:
    votes = head.labels / "votes" / "ann" / "S001.yaml"
    votes.write_text(json.dumps(votes_tree("S001", {"polite": "no", "solved": "yes"})), encoding="utf-8")
    turn(head, S001="no")
    _, found = compare(capsys, base.root, head.root, *STATEMENT)
    mine = judge(found)
    assert (mine["items"]["other_label"], mine["items"]["other_content"]) == (1, 0)
    (flip,) = mine["flips"]
    assert (flip["base_label"], flip["label"], flip["change"]) == ("yes", "no", "wrong->right")
    text = found["text"]
    assert "label yes -> no" in text and "the head's labels are used" in text


def test_changed_content_is_told_apart_and_not_compared(base: Layout, head: Layout, capsys: Capsys) -> None:
    change(head.suite / "S001.yaml", query="Something else.")
    main(["run", "--suite", str(head.suite)])
    turn(head, S001="no")
    code, found = compare(capsys, base.root, head.root, *STATEMENT)
    mine = judge(found)
    assert (mine["items"]["other_content"], mine["items"]["common"]) == (1, 39)
    (flip,) = [flip for flip in mine["flips"] if flip["item"] == "S001/a1/polite"]
    assert not flip["same_content"] and mine["verdict"] == "no change" and code == 0


def test_metadata_and_family_are_no_content(base: Layout, head: Layout, capsys: Capsys) -> None:
    change(head.suite / "S001.yaml", family="family-S002")
    _, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert judge(found)["items"]["other_content"] == 0 and judge(found)["items"]["families"] == 39


def test_a_reworded_statement_leaves_nothing_to_compare(base: Layout, head: Layout, capsys: Capsys) -> None:
    suite = json.loads((head.suite / "suite.yaml").read_text(encoding="utf-8"))
    suite["statements"][0]["true"] = "It says hello."
    (head.suite / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    main(["run", "--suite", str(head.suite)])
    code, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert code == 2 and judge(found)["reasons"] == ["balanced_accuracy: no item stands on both sides"]


def test_new_and_gone_cases_are_counted(base: Layout, head: Layout, capsys: Capsys) -> None:
    for path in (
        head.suite / "S040.yaml",
        head.labels / "votes" / "ann" / "S040.yaml",
        head.labels / "notes" / "S040.yaml",
    ):
        path.unlink()
    code, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert code == 0 and judge(found)["items"]["only_in_base"] == 1 and judge(found)["items"]["common"] == 39
    code, found = compare(capsys, head.root, base.root, *STATEMENT)
    assert judge(found)["items"]["only_in_head"] == 1


def test_judges_of_one_side_are_told(base: Layout, head: Layout, capsys: Capsys) -> None:
    suite = json.loads((head.suite / "suite.yaml").read_text(encoding="utf-8"))
    change(head.suite / "suite.yaml", judges=suite["judges"][:1])
    _, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert len(found["judges"]) == 1 and [name[:9] for name in found["only_in_base"]] == ["always-no"]


def test_a_judge_that_was_changed_and_not_run_cannot_be_told(base: Layout, head: Layout, capsys: Capsys) -> None:
    change(head.suite / "suite.yaml", judges=[PROMPTS | {"parameters": {"at_least": "2"}}])
    code, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert code == 2 and "40 of 40 items are not judged in the head" in judge(found)["reasons"][-1]


def test_a_base_judged_under_another_identity_keeps_its_run(base: Layout, head: Layout, capsys: Capsys) -> None:
    """As after a change of a judge's code: the present code names its seat otherwise than the stored run is named."""
    run = run_of(base)
    old = run.with_name("prompts-000000000000.jsonl")
    run.rename(old)
    manifest = json.loads(run.with_suffix(".json").read_text(encoding="utf-8"))
    run.with_suffix(".json").unlink()
    old.with_suffix(".json").write_text(json.dumps(manifest | {"judge_id": "prompts-000000000000"}))
    turn(head, S001="no")
    _, found = compare(capsys, base.root, head.root, *STATEMENT)
    assert judge(found)["base"]["judge_id"] == "prompts-000000000000"
    assert [flip["item"] for flip in judge(found)["flips"]] == ["S001/a1/polite"]
    code, found = compare(capsys, head.root, base.root, *STATEMENT)
    assert code == 2, "the head is never given an older run"


def test_two_suites_are_refused(base: Layout, head: Layout, capsys: Capsys) -> None:
    change(head.suite / "suite.yaml", id="other")
    assert code_of("compare", str(base.root), str(head.root)) == 3
    assert "two suites: support and other" in capsys.readouterr().err


def test_problems_say_which_side_they_are_of(base: Layout, head: Layout, capsys: Capsys) -> None:
    (head.suite / "S001.yaml").write_text("id: [")
    assert code_of("compare", str(base.root), str(head.root)) == 3
    assert f"{head.root}: cases/support/S001.yaml:1" in capsys.readouterr().err


# --- git ---


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=n@example.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(base: Layout) -> Layout:
    git(base.root, "init", "-q", "-b", "main")
    git(base.root, "add", ".")
    git(base.root, "commit", "-q", "-m", "one")
    git(base.root, "tag", "v1")
    return base


def test_a_revision_against_the_folder(repository: Layout, capsys: Capsys) -> None:
    assert compare(capsys, "v1", ".", *STATEMENT)[0] == 0
    turn(repository, S001="no", S030="no")
    code, found = compare(capsys, "v1", ".", *STATEMENT)
    told = [(flip["item"], flip["change"], flip["file"]) for flip in judge(found)["flips"]]
    assert told == [
        ("S001/a1/polite", "right->wrong", "cases/support/S001.yaml"),
        ("S030/a1/polite", "wrong->right", "cases/support/S030.yaml"),
    ]
    assert code in (0, 2)


def test_two_revisions(repository: Layout, capsys: Capsys) -> None:
    turn(repository, **{f"S{n:03d}": "no" for n in range(21, 41)})
    git(repository.root, "commit", "-q", "-a", "-m", "two")
    code, found = compare(capsys, "v1", "HEAD", *STATEMENT)
    assert code == 0 and judge(found)["verdict"] == "better"
    code, found = compare(capsys, "HEAD", "v1:", *STATEMENT)
    assert code == 1 and judge(found)["verdict"] == "worse"
    assert not list(repository.root.glob("*.tar"))


def test_a_branch_with_a_judges_first_name_is_not_taken_for_it(repository: Layout, capsys: Capsys) -> None:
    git(repository.root, "branch", "rule")
    assert code_of("compare", "rule:words", "prompts", *STATEMENT) == 3
    assert "neither a version nor a judge of the suite" in capsys.readouterr().err


def test_a_revision_and_a_judge_are_refused(repository: Layout, capsys: Capsys) -> None:
    assert code_of("compare", "v1", "prompts", *STATEMENT) == 3
    assert "BASE is a version and HEAD is a run" in capsys.readouterr().err


def test_diff_of_the_same_revisions_still_works(repository: Layout, capsys: Capsys) -> None:
    turn(repository, S001="no")
    assert main(["diff", "v1", "."]) == 0, "runs are no part of the data"
