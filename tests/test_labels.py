"""Votes and rulings: checked against the suite, and the labels that follow from them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from suites import ANSWERS, VOTES, check_text, checks_text, make_suite, rulings_text, votes_text

from bench.cases.load import load_suite
from bench.labels.load import Label, Labels, load_labels, read_labels, read_pilot
from bench.labels.write import adjudication_text, merged_votes, vote_text
from bench.measure.signature import labels_digest
from bench.problems import BrokenInput, Problem
from bench.reading.canonical import digest
from bench.reading.strict_yaml import Document, parse_yaml
from bench.reading.validate import validate
from bench.schema.vote import AdjudicationFile, Ruling, Vote, VoteFile

ITEM = ("S001", "a1", "format-kept")
ANN = VOTES["ann/S001"]
GAP = ('mentions-refund\n    answer: "yes"', 'mentions-refund\n    answer: "no"')


def votes_of(*answers: str) -> dict[str, str]:
    """One annotator an answer, on one statement of S001."""
    return {f"ann{n}/S001": votes_text("S001", f"ann{n}", {"format-kept": a}) for n, a in enumerate(answers)}


def labels_of(tmp_path: Path, votes: dict[str, str], rulings: dict[str, str] | None = None) -> Labels:
    return load_labels(load_suite(make_suite(tmp_path, votes=votes, rulings=rulings)))


def problems(tmp_path: Path, votes: dict[str, str], rulings: dict[str, str] | None = None) -> list[Problem]:
    try:
        labels_of(tmp_path, votes, rulings)
    except BrokenInput as error:
        return list(error.problems)
    return []


# votes, ruling, label (the rule: DESIGN "Vocabulary", label; "The case file", adjudications only where votes differ)
DERIVED = [
    ((), None, Label("unlabelled", None, "no_votes")),
    (("yes",), None, Label("labelled", "yes", "single_vote")),
    (("no",), None, Label("labelled", "no", "single_vote")),
    (("unclear",), None, Label("unclear", None, "single_vote")),
    (("no", "no"), None, Label("labelled", "no", "unanimous")),
    (("yes", "yes", "yes"), None, Label("labelled", "yes", "unanimous")),
    (("unclear", "unclear"), None, Label("unclear", None, "unanimous")),
    (("yes", "no"), None, Label("unlabelled", None, "votes_differ")),
    (("yes", "yes", "no"), None, Label("unlabelled", None, "votes_differ")),  # no majority rule
    (("yes", "unclear"), None, Label("unlabelled", None, "votes_differ")),
    (("yes", "no"), "no", Label("labelled", "no", "adjudicated")),
    (("yes", "no"), "unclear", Label("unclear", None, "adjudicated")),
    (("yes", "unclear"), "yes", Label("labelled", "yes", "adjudicated")),
]


@pytest.mark.parametrize(("answers", "ruling", "label"), DERIVED)
def test_a_label_is_derived(tmp_path: Path, answers: tuple[str, ...], ruling: str | None, label: Label) -> None:
    rulings = {"S001": rulings_text("S001", {"format-kept": ruling})} if ruling else None
    assert labels_of(tmp_path, votes_of(*answers), rulings).label(ITEM) == label


# old, new in a whole vote file, line, field, a word
REFUSED_VOTES = [
    ("case: S001", "case: S002", 2, "case", "in a file named S001.yaml"),
    ("annotator: ann", "annotator: bob", 3, "annotator", "in the folder ann"),
    ("attempt: a1", "attempt: a2", 9, "votes[0].attempt", "the case has a1"),
    ("statement: format-kept", "statement: format", 10, "votes[0].statement", "the case asks format-kept, mentions-refund"),
    ('answer: "yes"', "answer: Yes", 11, "votes[0].answer", "use one of yes, no, unclear"),
    ('answer: "yes"', "answer: 1", 11, "votes[0].answer", "use one of yes, no, unclear"),
    ('answer: "4"', "answer: 6", 21, "votes[2].answer", "use one of 1, 2, 3, 4, 5, unclear"),
    ('answer: "4"', "answer: 4.0", 21, "votes[2].answer", "use one of 1, 2, 3, 4, 5, unclear"),
    ('answer: "nowhere"', "answer: mail", 26, "votes[3].answer", "use one of form, phone, nowhere, unclear"),
    ("statement: quality", "statement: channel", 21, "votes[2].answer", "use one of form"),
    ("statement: mentions-refund", "statement: format-kept", 14, "votes[1]", "a second vote on a1/format-kept"),
    (*GAP, 14, "votes[1].also", "no 'gap' with the answer no"),
    (GAP[0], GAP[1] + "\n    also: {gap: wrong}", 17, "votes[1].also.gap", "use one of silent, other"),
    ("answer: \"yes\"", "answer: \"yes\"\n    also: {gap: silent}", 12, "votes[0].also.gap", "wanted here: nothing"),
    ("made_by: person", "made_by: robot", 4, "made_by", "'model_assisted'"),
    ("at: 2026-05-04T09:00:00+00:00", "at: 2026-05-04", 7, "at", "with its zone"),
    ("schema: 1", "schema: &a 1", 1, None, "anchor"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "field", "word"), REFUSED_VOTES)
def test_a_vote_file_is_refused(tmp_path: Path, old: str, new: str, line: int, field: str, word: str) -> None:
    assert old in ANN
    votes = VOTES | {"ann/S001": ANN.replace(old, new, 1)}
    (problem,) = [p for p in problems(tmp_path, votes) if p.field == field]
    assert (problem.file, problem.line) == ("labels/support/votes/ann/S001.yaml", line)
    assert word in f"{problem.found} {problem.fix}"


def test_a_vote_on_an_unknown_case_is_refused(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, VOTES | {"ann/S404": votes_text("S404", "ann")})
    assert str(problem).startswith("labels/support/votes/ann/S404.yaml:2, case S404, field case: no case 'S404'")


@pytest.mark.parametrize(
    "name", ["votes/S001.yaml", "votes/ann/tickets/S001.yaml", "vote/ann/S001.yml", "S001.YAML", "pilot/S001.yaml"]
)
def test_a_label_file_that_nothing_reads_is_refused(tmp_path: Path, name: str) -> None:
    layout = make_suite(tmp_path)
    (layout.labels / name).parent.mkdir(parents=True, exist_ok=True)
    (layout.labels / name).write_text(ANN)
    with pytest.raises(BrokenInput) as caught:
        load_labels(load_suite(layout))
    assert [(p.file, p.found) for p in caught.value.problems] == [
        (f"labels/support/{name}", "a file that nothing reads")
    ]


# votes on S001, rulings of S001, line, a word
REFUSED_RULINGS = [
    (("yes", "yes"), {"format-kept": "no"}, 8, "where no votes differ"),
    (("yes",), {"format-kept": "no"}, 8, "where no votes differ"),
    ((), {"format-kept": "no"}, 8, "where no votes differ"),
    (("yes", "no"), {"format-kept": "maybe"}, 10, "use one of yes, no, unclear"),
    (("yes", "no"), {"format": "no"}, 9, "the case asks format-kept"),
]


@pytest.mark.parametrize(("answers", "ruled", "line", "word"), REFUSED_RULINGS)
def test_a_ruling_is_refused(
    tmp_path: Path, answers: tuple[str, ...], ruled: dict[str, str], line: int, word: str
) -> None:
    (problem,) = problems(tmp_path, votes_of(*answers), {"S001": rulings_text("S001", ruled)})
    assert (problem.file, problem.line) == ("labels/support/adjudicated/S001.yaml", line)
    assert word in f"{problem.found} {problem.fix}"


def test_two_rulings_on_one_item_are_refused(tmp_path: Path) -> None:
    text = rulings_text("S001", {"format-kept": "no"})
    twice = text + text.partition("rulings:\n")[2]
    (problem,) = problems(tmp_path, votes_of("yes", "no"), {"S001": twice})
    assert (problem.line, problem.found) == (12, "a second ruling on a1/format-kept")


def test_a_ruling_on_another_case_is_refused(tmp_path: Path) -> None:
    found = problems(tmp_path, votes_of("yes", "no"), {"S404": rulings_text("S404", {"format-kept": "no"})})
    assert (found[0].line, found[0].found) == (2, "no case 'S404' in the suite")


def test_a_broken_vote_makes_no_second_problem_of_its_ruling(tmp_path: Path) -> None:
    votes = votes_of("yes", "no")
    votes["ann1/S001"] = votes["ann1/S001"].replace("made_by: person", "made_by: robot")
    (problem,) = problems(tmp_path, votes, {"S001": rulings_text("S001", {"format-kept": "no"})})
    assert problem.file.endswith("ann1/S001.yaml")


def test_provenance_and_places_are_kept(tmp_path: Path) -> None:
    model = votes_text("S001", "zoe", {"format-kept": "yes"}).replace("made_by: person", "made_by: model\nlineage: m-1")
    labels = labels_of(tmp_path, VOTES | {"zoe/S001": model})
    assert labels.provenance == ("model", "person")
    assert [(c.annotator, c.lineage, c.line) for c in labels.votes[ITEM]] == [("ann", None, 9), ("zoe", "m-1", 10)]


# --- third votes ---


@pytest.mark.parametrize(("answers", "ruling", "label"), DERIVED)
def test_no_label_follows_from_a_check(
    tmp_path: Path, answers: tuple[str, ...], ruling: str | None, label: Label
) -> None:
    rulings = {"S001": rulings_text("S001", {"format-kept": ruling})} if ruling else None
    third = {"zoe/S001": check_text("S001", "zoe", {"format-kept": "no"})}
    labels = labels_of(tmp_path, votes_of(*answers) | third, rulings)
    assert labels.label(ITEM) == label
    assert [(cast.annotator, cast.vote.answer) for cast in labels.checks[ITEM]] == [("zoe", "no")]
    assert len(labels.votes.get(ITEM, ())) == len(answers)


def test_a_check_that_differs_needs_no_ruling_and_allows_none(tmp_path: Path) -> None:
    votes = votes_of("yes", "yes") | {"zoe/S001": check_text("S001", "zoe", {"format-kept": "no"})}
    (problem,) = problems(tmp_path, votes, {"S001": rulings_text("S001", {"format-kept": "no"})})
    assert "where no votes differ" in problem.found


def test_a_check_tells_nothing_of_who_made_the_labels(tmp_path: Path) -> None:
    model = check_text("S001", "zoe").replace("made_by: person", "made_by: model\nlineage: m-1")
    assert labels_of(tmp_path, VOTES | {"zoe/S001": model}).provenance == ("person",)


def test_the_digest_covers_checks_and_stands_still_without_them(tmp_path: Path) -> None:
    digests = []
    for number, third in enumerate(
        ({}, {"zoe/S001": check_text("S001", "zoe")}, {"zoe/S001": votes_text("S001", "zoe")})
    ):
        digests.append(labels_digest(labels_of(tmp_path / str(number), VOTES | third)))
    assert len(set(digests)) == 3
    held = {"/".join((case, "a1", s)): [["ann", a]] for case in ("S001", "S002") for s, a in ANSWERS.items()}
    assert digests[0] == digest({"votes": held, "rulings": {}})


# text of checks.yaml, line, field, a word
REFUSED_CHECKS = [
    (checks_text("S001", "S404"), 4, "cases[1]", "no case 's404'"),
    (checks_text("S001", "S001"), 4, "cases[1]", "stands twice"),
    (checks_text(), 4, "cases", "at least 1"),
    (checks_text("S001").replace("seed: 7\n", ""), 1, "seed", "missing"),
    (checks_text("S001") + "mood: good\n", 5, "mood", "unknown field"),
    (checks_text("S001") + "cases: [S002]\n", 5, "cases", "second time"),
]


@pytest.mark.parametrize(("text", "line", "field", "word"), REFUSED_CHECKS)
def test_a_draw_is_refused(tmp_path: Path, text: str, line: int, field: str | None, word: str) -> None:
    with pytest.raises(BrokenInput) as caught:
        load_labels(load_suite(make_suite(tmp_path, checks=text)))
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.field) == ("labels/support/checks.yaml", line, field)
    assert word in f"{problem.found} {problem.fix}".lower()


def test_a_draw_is_kept(tmp_path: Path) -> None:
    assert load_labels(load_suite(make_suite(tmp_path / "a", checks=checks_text("S002")))).drawn == ("S002",)
    assert load_labels(load_suite(make_suite(tmp_path / "b"))).drawn is None


def test_names_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    layout = make_suite(tmp_path, votes=VOTES | {"Ann/S001": votes_text("S001", "Ann")})
    if len(list((layout.labels / "votes").iterdir())) == 1:
        pytest.skip("this disk takes both for one folder")
    _, (problem,) = read_labels(load_suite(layout))
    assert problem.found == "annotators Ann and ann differ in case only"


# --- the pilot ---


def test_the_pilot_is_read_by_itself(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    write_pilot(layout.labels, "ann/S001", votes_text("S001", "ann", {"format-kept": "no"}))
    suite = load_suite(layout)
    assert load_labels(suite).label(ITEM).answer == "yes"
    pilot, found = read_pilot(suite)
    assert (pilot.label(ITEM).answer, list(pilot.votes), found) == ("no", [ITEM], ())


def test_a_broken_pilot_breaks_the_pilot_alone(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    write_pilot(layout.labels, "ann/S001", ANN.replace('answer: "yes"', "answer: maybe", 1))
    suite = load_suite(layout)
    load_labels(suite)
    assert [(p.file, p.line) for p in read_pilot(suite)[1]] == [("labels/support/pilot/votes/ann/S001.yaml", 11)]


def write_pilot(labels: Path, name: str, text: str) -> None:
    path = labels / "pilot" / "votes" / f"{name}.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("text", "guide"), [("Guide version: 3\n", "3"), ("no version\n", None), (None, None)])
def test_the_present_guide_is_known_where_it_says_so(tmp_path: Path, text: str | None, guide: str | None) -> None:
    layout = make_suite(tmp_path)
    if text is not None:
        (layout.labels / "GUIDE.md").write_text(text)
    assert load_labels(load_suite(layout)).guide == guide


# texts that YAML, in one way or another, would turn into something else
ODD_TEXTS = [
    "no", "null", "~", "", "12:30:45", "007", "fix issue #12", "# x", "a: b", "- a", "&a *b !c", 'say "hi"', "it's",
    "line\nline\r\n\ttab", "C:\\new\\temp", "\x00\x1b[31m\x7f\x85", "\u2028\u2029\ufeff", "\U0001f600", "\U0001f600\n",
    "\U000e0001", "%YAML", "{a: b}", "...", "---\n", " padded ", "é ü 漢",
]  # fmt: skip


@pytest.mark.parametrize("text", [text for text in ODD_TEXTS if text])
@pytest.mark.parametrize("purpose", ["label", "check"])
def test_what_is_written_reads_back(text: str, purpose: Literal["label", "check"]) -> None:
    vote = Vote(attempt="a1", statement="s", answer="no", rationale=text, evidence=(1, 2), also={"gap": text})
    file = VoteFile(schema="1", case="S001", annotator="ann", purpose=purpose, made_by="model", lineage=text, guide=text,
                    preset="p@1", at="2026-05-04T09:00:00+00:00", votes=(vote,))  # fmt: skip
    document = parse_yaml(vote_text(file).encode(), "f")
    assert isinstance(document, Document), document
    assert validate(document, VoteFile) == file
    ruling = Ruling(attempt="a1", statement="s", answer="no", reason=text)
    settled = AdjudicationFile(schema="1", case="S001", adjudicator="chair", made_by="person", guide="1",
                               at="2026-05-04T09:00:00+00:00", rulings=(ruling,))  # fmt: skip
    document = parse_yaml(adjudication_text(settled).encode(), "f")
    assert isinstance(document, Document), document
    assert validate(document, AdjudicationFile) == settled


def test_merged_votes_replace_in_place_and_lose_none() -> None:
    old = [Vote(attempt="a1", statement=s, answer="yes", rationale="r") for s in ANSWERS]
    new = Vote(attempt="a1", statement="quality", answer="2", rationale="r")
    again = Vote(attempt="a2", statement="quality", answer="3", rationale="r")
    merged = merged_votes(old, (new, again))
    assert [(v.attempt, v.statement, v.answer) for v in merged] == [
        ("a1", "format-kept", "yes"), ("a1", "mentions-refund", "yes"), ("a1", "quality", "2"), ("a1", "channel", "yes"),
        ("a2", "quality", "3"),
    ]  # fmt: skip
