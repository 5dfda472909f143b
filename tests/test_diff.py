"""`bench diff`: each kind of change is told, and a table of figures compares only where nothing under it moved."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from printed import flat
from suites import (
    ANSWERS,
    CASES,
    NOTES,
    SUITE,
    case_text,
    check_text,
    checks_text,
    make_suite,
    rulings_text,
    votes_text,
)

from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite
from bench.cli import main
from bench.labels.load import Labels
from bench.measure.signature import data_digest, labels_digest
from bench.workspace import load

CASE, PAIR = CASES["S001"], CASES["S002"]
NOTE = NOTES["S001"]


def two_votes(**answers: str) -> dict[str, str]:
    """Votes of two annotators; the second one's differ where told."""
    other = ANSWERS | {name.replace("_", "-"): answer for name, answer in answers.items()}
    votes = {f"{who}/{case}": votes_text(case, who) for who in ("ann", "bob") for case in CASES}
    return votes | {"bob/S001": votes_text("S001", "bob", other)}


def sides(tmp_path: Path, **changes: Any) -> tuple[Layout, Layout]:
    plain: dict[str, Any] = {"votes": two_votes()}
    return make_suite(tmp_path / "old", **plain), make_suite(tmp_path / "new", **(plain | changes))


def diff(
    capsys: pytest.CaptureFixture[str], old: Path | str, new: Path | str, *words: str
) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["diff", str(old), str(new), "--json", *words])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else {}


def text(capsys: pytest.CaptureFixture[str], old: Path, new: Path) -> str:
    capsys.readouterr()
    main(["diff", str(old), str(new)])
    return capsys.readouterr().out


def comparable(found: dict[str, Any]) -> dict[str, bool]:
    return {f"{table['stratum']} {table['statement']}": table["comparable"] for table in found["tables"]}


def test_no_change_is_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = sides(tmp_path, notes=NOTES | {"S001": NOTE.replace("event 3", "event 2")})
    code, found = diff(capsys, old.root, new.suite)
    assert code == 0 and not found["anything"], "notes move no figure"
    assert all(comparable(found).values()) and len(found["tables"]) == 8
    assert "nothing changed" in text(capsys, old.root, new.root)


CASE_CHANGES: dict[str, tuple[str, list[str], bool]] = {
    # what: (the case's new text, parts that differ, whether figures still compare)
    "query": (CASE.replace("query: How", "query: Say how"), ["query"], False),
    "events": (CASE.replace('"30 days"', '"31 days"'), ["a1.events"], False),
    "answer": (CASE.replace("harness: desk", "harness: desk\n    answer: 30 days"), ["a1.answer"], False),
    "model": (CASE.replace("harness: desk", "harness: desk\n    model: m"), ["a1.model"], True),
    "anchors": (
        CASE.replace("metadata:", "trajectory_anchors: {forbid: [{tool: x}]}\nmetadata:"),
        ["trajectory_anchors"],
        False,
    ),
    "world": (CASE.replace("metadata:", "world_state: {snapshot: one}\nmetadata:"), ["world_state"], False),
    "metadata": (CASE.replace("language: en}", "language: en, tags: [angry]}"), ["metadata"], True),
    "attempts": (case_text("S001", "refund-a", attempts=("a1", "a2")), ["attempt a2 added"], False),
}


@pytest.mark.parametrize("name", CASE_CHANGES)
def test_a_changed_case_is_told_by_its_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    changed, parts, compares = CASE_CHANGES[name]
    old, new = sides(tmp_path, cases={"S001": changed, "S002": PAIR})
    code, found = diff(capsys, old.root, new.root)
    assert code == 1
    assert [(c["case"], c["parts"], c["metadata_only"]) for c in found["changed"]] == [
        ("S001", parts, name == "metadata")
    ]
    assert {table for table, ok in comparable(found).items() if not ok} == (
        set() if compares else {f"tickets {statement}" for statement in ANSWERS}
    )
    if not compares:
        assert "1 case with a change in what judges are shown or in family (S001)" in flat(
            text(capsys, old.root, new.root)
        )


def test_statements_that_a_case_no_longer_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = CASE.replace("quality, channel]", "quality]")
    fewer = {name: answer for name, answer in ANSWERS.items() if name != "channel"}
    votes = two_votes() | {f"{who}/S001": votes_text("S001", who, fewer) for who in ("ann", "bob")}
    old, new = sides(tmp_path, cases={"S001": short, "S002": PAIR}, votes=votes)
    code, found = diff(capsys, old.root, new.root)
    assert code == 1 and found["changed"][0]["parts"] == ["statements"]
    assert [t for t in found["tables"] if not t["comparable"]] == [
        {"stratum": "tickets", "statement": "channel", "comparable": False, "why": [f"only in {old.root}"]}
    ]


def test_added_and_removed_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    third = {"S003": case_text("S003", "refund-b", "pairs")}
    votes = {f"{who}/S003": votes_text("S003", who) for who in ("ann", "bob")}
    old, new = sides(tmp_path, cases=CASES | third, votes=two_votes() | votes)
    _, found = diff(capsys, old.root, new.root)
    assert (found["added"], found["removed"], found["changed"]) == (["S003"], [], [])
    why = {tuple(t["why"]) for t in found["tables"] if not t["comparable"]}
    assert why == {("1 case added (S003)",)}
    _, found = diff(capsys, new.root, old.root)
    assert (found["added"], found["removed"]) == ([], ["S003"])


def test_a_family_that_moved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    splits = "schema: 1\nseed: 1\nfamilies:\n  refund-a: calibration\n  refund-b: test\n"
    old, new = sides(tmp_path, splits=splits)
    code, found = diff(capsys, old.root, new.root)
    assert code == 1
    assert found["moved"] == [{"family": "refund-a", "old": "development", "new": "calibration"}]
    assert {tuple(t["why"]) for t in found["tables"] if not t["comparable"]} == {
        ("1 families in another split (refund-a)",)
    }
    assert "split of refund-a: development -> calibration" in text(capsys, old.root, new.root)


@pytest.mark.parametrize(
    ("before", "after", "words", "other"),
    [
        ("It gives no period, or another one.", "It gives none.", ["false"], []),
        ("The answer mentions the refund period", "It mentions the period", ["text"], []),
        ("meaning: what is said instead", "meaning: what else", [], ["ask_also"]),
    ],
)
def test_a_statement_in_other_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, words: list[str], other: list[str]
) -> None:
    old, new = sides(tmp_path, suite=SUITE.replace(before, after))
    code, found = diff(capsys, old.root, new.root)
    assert code == 1
    assert found["statements"] == [{"statement": "mentions-refund", "how": "changed", "words": words, "other": other}]
    lost = {table: t["why"] for table, t in zip(comparable(found), found["tables"], strict=True) if not t["comparable"]}
    expected = ["the statement's words changed"]
    assert lost == ({"tickets mentions-refund": expected, "pairs mentions-refund": expected} if words else {})


def test_options_in_another_order_are_other_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "{form: to the web form, phone: to the hotline, nowhere: to no other place}"
    turned = "{phone: to the hotline, form: to the web form, nowhere: to no other place}"
    old, new = sides(tmp_path, suite=SUITE.replace(options, turned))
    _, found = diff(capsys, old.root, new.root)
    assert found["statements"][0]["words"] == ["options"]
    assert not comparable(found)["tickets channel"]


def test_labels_that_changed_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rulings = {"S001": rulings_text("S001", {"quality": "3"})}
    changes = {"votes": two_votes(quality="2", channel="phone"), "rulings": rulings}
    old, new = sides(tmp_path, **changes)
    code, found = diff(capsys, old.root, new.root)
    assert code == 1 and found["changed"] == []
    told = [(c["statement"], c["old"], c["new"], c["why"]) for c in found["labels"]]
    assert told == [
        ("channel", "nowhere", "unlabelled", ["vote of bob: nowhere -> phone"]),
        ("quality", "4", "3", ["vote of bob: 4 -> 2", "ruling: none -> 3"]),
    ]
    lost = [table for table, ok in comparable(found).items() if not ok]
    assert lost == ["tickets channel", "tickets quality"]
    assert "S001/a1/quality: 4 -> 3 (vote of bob: 4 -> 2; ruling: none -> 3)" in text(capsys, old.root, new.root)


def test_other_votes_with_the_same_label_move_figures_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checks = {"votes": two_votes() | {"cat/S002": check_text("S002", "cat")}, "checks": checks_text("S002")}
    old, new = sides(tmp_path, **checks)
    _, found = diff(capsys, old.root, new.root)
    assert {(c["old"] == c["new"], tuple(c["why"])) for c in found["labels"]} == {
        (True, (f"check vote of cat: none -> {answer}",)) for answer in ANSWERS.values()
    }
    assert comparable(found) == {t: t.startswith("tickets") for t in comparable(found)}
    assert "labels: 0 changed, 4 with other votes or rulings and the same label" in text(capsys, old.root, new.root)


def test_the_guide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = sides(tmp_path)
    for layout, words in ((old, "Guide version: 1\n"), (new, "Guide version: 1\nOther words.\n")):
        (layout.labels / "GUIDE.md").write_text(words, encoding="utf-8")
    code, found = diff(capsys, old.root, new.root)
    assert (code, found["guide_reworded"]) == (1, True)
    (new.labels / "GUIDE.md").write_text("Guide version: 2\n", encoding="utf-8")
    code, found = diff(capsys, old.root, new.root)
    assert (code, found["old"]["guide"], found["new"]["guide"], found["guide_reworded"]) == (1, "1", "2", False)
    assert "guide: 1 -> 2" in text(capsys, old.root, new.root)


def test_the_rest_of_the_suite_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = sides(tmp_path, suite=SUITE.replace("resamples: 100", "resamples: 200").replace("0.1.0", "0.2.0"))
    code, found = diff(capsys, old.root, new.root)
    assert code == 1 and found["suite_fields"] == ["resamples"] and all(comparable(found).values())
    assert (found["old"]["version"], found["new"]["version"]) == ("0.1.0", "0.2.0")


def table_of(suite: LoadedSuite, labels: Labels, stratum: str, statement: str) -> tuple[str, str]:
    """Data and labels digests of one table, taken apart from the code under test."""
    cases = tuple(
        replace(c, statements=tuple(s for s in c.statements if s.id == statement))
        for c in suite.cases
        if c.case.stratum == stratum
    )
    ids = {c.case.id for c in cases}
    cut: Callable[[Any], Any] = lambda side: {i: v for i, v in side.items() if i[0] in ids and i[2] == statement}  # noqa: E731
    mine = replace(labels, votes=cut(labels.votes), checks=cut(labels.checks), rulings=cut(labels.rulings))
    return data_digest(replace(suite, cases=cases)), labels_digest(mine)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"cases": {"S001": CASE_CHANGES["events"][0], "S002": PAIR}},
        {"cases": {"S001": CASE_CHANGES["metadata"][0], "S002": PAIR}},
        {"votes": two_votes(quality="2")},
        {"splits": "schema: 1\nseed: 1\nfamilies: {refund-a: test, refund-b: test}\n"},
        {"suite": SUITE.replace("fully", "wholly")},
    ],
)
def test_comparable_means_the_same_digests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    layouts = sides(tmp_path, **changes)
    loaded = [load(layout) for layout in layouts]
    _, found = diff(capsys, layouts[0].root, layouts[1].root)
    for table in found["tables"]:
        one, two = (table_of(*side, table["stratum"], table["statement"]) for side in loaded)
        assert table["comparable"] == (one == two), table


# --- how the two sides are named ---


def git(folder: Path, *words: str) -> None:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, check=True)


@pytest.fixture(name="repository")
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """Tag v1 holds the plain suite; the work tree one with another query."""
    layout = make_suite(tmp_path / "repository" / "deep", votes=two_votes())
    root = layout.root
    git(root.parent, "init", "--quiet")
    git(root.parent, "add", "--all")
    git(root.parent, "commit", "--quiet", "--message", "one")
    git(root.parent, "tag", "v1")
    make_suite(root, cases={"S001": CASE_CHANGES["query"][0], "S002": PAIR}, votes=two_votes())
    monkeypatch.chdir(root)
    return layout


@pytest.mark.parametrize("word", ["v1", "v1:", "v1:cases/support", "HEAD"])
def test_a_revision_of_this_repository(repository: Layout, capsys: pytest.CaptureFixture[str], word: str) -> None:
    before = sorted(str(p) for p in repository.root.parent.rglob("*"))
    code, found = diff(capsys, word, ".")
    assert code == 1 and found["changed"][0]["parts"] == ["query"]
    assert diff(capsys, word, "v1")[0] == 0
    assert sorted(str(p) for p in repository.root.parent.rglob("*")) == before, "read only"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["v9", "."], "neither a folder nor a revision"),
        (["--", "--output=x", "."], "neither a folder nor a revision"),
        (["v1:cases/none", "."], "the revision has no cases/none/suite.yaml"),
        (["v1:../..", "."], "the revision has no ../../suite.yaml"),
        (["v1", ".", "--suite", "none"], "no suite none"),
    ],
)
def test_a_side_that_cannot_be_opened_is_3(
    repository: Layout, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["diff", *words]) == 3
    assert told in capsys.readouterr().err


def test_links_in_a_revision_are_not_followed(repository: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    (repository.suite / "S009.yaml").symlink_to("/etc/hostname")
    git(repository.root, "add", "--all")
    git(repository.root, "commit", "--quiet", "--message", "two")
    assert diff(capsys, "HEAD", "v1")[1]["added"] == []


def test_broken_input_says_whose_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = sides(tmp_path)
    (new.suite / "S001.yaml").write_text("schema: 1\n", encoding="utf-8")
    assert main(["diff", str(old.root), str(new.root)]) == 3
    assert f"{new.root}: cases/support/S001.yaml" in capsys.readouterr().err


def test_two_suites_are_no_two_versions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = sides(tmp_path, suite=SUITE.replace("id: support", "id: other"))
    assert main(["diff", str(old.root), str(new.root)]) == 3
    assert "two suites: support and other" in capsys.readouterr().err
