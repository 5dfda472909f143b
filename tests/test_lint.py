"""The lint: what a careful editor would send back, and all that does not load, in one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from suites import (
    ANSWERS,
    CASES,
    NOTES,
    SPLITS,
    SUITE,
    VOTES,
    case_text,
    check_text,
    checks_text,
    make_suite,
    note_text,
    rulings_text,
    votes_text,
)

from bench.cli import main

S001 = CASES["S001"]
LAST_WEEK = S001.replace("query: How", "query: I asked last week. How")
KEY = "AKIA" + "IOSFODNN7EXAMPLE"  # AWS's own example of an access key id, docs.aws.amazon.com
SECRET = S001.replace('"30 days"', f'"30 days, key {KEY}"')
BESIDE = S001.partition("    events:")[0]
NO = votes_text("S001", "bob", {"format-kept": "no"})
ANY = SUITE.replace("votes_per_item: 1", "votes_per_item: 0")


def with_case(text: str) -> dict[str, str]:
    return CASES | {"S001": text}


def with_note(text: str) -> dict[str, str]:
    return NOTES | {"S001": text}


CASE, NOTE, VOTE = "cases/support/S001.yaml", "labels/support/notes/S001.yaml", "labels/support/votes/ann/S001.yaml"
IN_GERMAN = S001.replace("query: How", "query: Gestern gekauft. How")
MISSING = BESIDE + "    events_from: {file: none.jsonl}\n"
OUTSIDE = BESIDE + "    events_from: {file: ../x.jsonl}\n"
NO_CHANNEL = VOTES | {"ann/S001": votes_text("S001", "ann", {k: v for k, v in ANSWERS.items() if k != "channel"})}
TOO_FAR = VOTES | {"ann/S001": VOTES["ann/S001"].replace("[3]", "[3, 4]", 1)}
OTHER_ATTEMPT = note_text("S001") + "intended:\n  a2/quality: '4'\n"
OTHER_ANSWER = note_text("S001") + "intended: {a1/quality: 6}\n"

# third votes on the one statement that S001 asks
QUALITY = {"quality": "4"}
EXTRA, THIRD = votes_text("S001", "bob", QUALITY), check_text("S001", "zoe", QUALITY)
ONE_VOTED = VOTES | {"ann/S001": votes_text("S001", "ann", QUALITY)}
ONE = {
    "cases": with_case(S001.replace("[format-kept, mentions-refund, quality, channel]", "[quality]")),
    "votes": ONE_VOTED,
}
TWICE = ONE_VOTED | {"zoe/S001": THIRD, "yan/S001": check_text("S001", "yan", QUALITY)}
TOO_FAR_THIRD = ONE_VOTED | {"zoe/S001": THIRD.replace("[3]", "[4]")}

# what bench new writes, and what its users forget
SCAFFOLD = S001.replace("How long may I take to send the lamp back?", "What the person wants, in one sentence.", 1)
FIRST_WORDS = S001.replace('text: "How long may I take to send the lamp back?"', "text: What the person typed first.")
NOT_MEANT = note_text("S001").replace("the period is given in days", "what this case is meant to show")
UNDECIDED = note_text("S001").replace("event 3", "which event decides")
TWINS = {case: case_text(case, "refund-a", "pairs") for case in CASES} | {"S003": case_text("S003", "refund-b")}
BY_ANN = {"S001": note_text("S001").replace("author-x", "ann"), "S002": NOTES["S002"]}

# files, file, line, field, a word of what was found or of the fix
FIRES = [
    # relative time without a reference time
    ({"cases": with_case(LAST_WEEK)}, CASE, 5, "query", "'last week' is relative to now"),
    ({"cases": with_case(IN_GERMAN)}, CASE, 5, "query", "'Gestern'"),
    ({"suite": SUITE.replace("helped?", "helped today?")}, CASE, 5, "statement quality", "'today'"),
    # notes
    ({"notes": {"S002": NOTES["S002"]}}, CASE, 2, "id", NOTE),
    ({"notes": NOTES | {"S404": note_text("S404")}}, "labels/support/notes/S404.yaml", 2, "case", "no case 'S404'"),
    ({"notes": with_note(note_text("S002"))}, NOTE, 2, "case", "no case 'S002' in S001.yaml"),
    ({"notes": with_note(note_text("S001") + "mood: good\n")}, NOTE, 7, "mood", "unknown field"),
    ({"notes": with_note(note_text("S001") + "x: *y\n")}, NOTE, 7, None, "alias"),
    ({"notes": with_note(OTHER_ATTEMPT)}, NOTE, 8, "intended.a2/quality", "use one of a1/format-kept"),
    ({"notes": with_note(OTHER_ANSWER)}, NOTE, 7, "intended.a1/quality", "use one of 1, 2"),
    # secrets
    ({"cases": with_case(SECRET)}, CASE, 10, "attempts[0]", "look like secrets"),
    # votes
    ({"votes": NO_CHANNEL}, CASE, 10, "attempts[0]", "0 of 1 votes on a1/channel"),
    ({"votes": VOTES | {"bob/S001": NO}, "suite": ANY}, VOTE, 9, "answer", "differ (ann yes, bob no) and nobody ruled"),
    ({"votes": TOO_FAR}, VOTE, 9, "evidence", "the attempt has 3 events"),
    ({"votes": VOTES | {"bob/S001": EXTRA}}, CASE, 10, "attempts[0]", "2 of 1 votes on a1/quality (ann, bob) mark"),
    # third votes
    ({"votes": VOTES | {"zoe/S001": THIRD}}, CASE, 10, "attempts[0]", "1 check votes on a1/quality, and no labels/"),
    (ONE | {"checks": checks_text("S001")}, CASE, 10, "attempts[0]", "0 check votes on a1/quality; labels/support/"),
    (ONE | {"votes": TWICE, "checks": checks_text("S001")}, CASE, 10, "attempts[0]", "asks for 1 keep those of drawn"),
    (
        ONE | {"votes": TOO_FAR_THIRD, "checks": checks_text("S001")},
        "labels/support/votes/zoe/S001.yaml",
        10,
        "evidence",
        "the attempt has 3 events",
    ),
    # a contribution that is not done
    ({"cases": with_case(SCAFFOLD)}, CASE, 5, "query", "the scaffold's own words"),
    ({"cases": with_case(FIRST_WORDS)}, CASE, 13, "attempts[0].events[0].text", "the scaffold's own words"),
    ({"notes": with_note(NOT_MEANT)}, NOTE, 5, "intention", "the scaffold's own words"),
    ({"notes": with_note(UNDECIDED)}, NOTE, 6, "deciding_line", "the scaffold's own words"),
    ({"cases": TWINS}, "cases/support/S002.yaml", 10, "attempts[0]", "the same query and events as S001"),
    ({"notes": BY_ANN}, VOTE, None, "annotator", "ann wrote a case of the family 'refund-a'"),
    ({"votes": VOTES | {"bob/S001": EXTRA}}, CASE, 10, "attempts[0]", "purpose: check"),
    # sessions beside the case
    ({"cases": with_case(MISSING)}, CASE, 12, "events_from.file", "no such file"),
    ({"cases": with_case(OUTSIDE)}, CASE, 12, "events_from.file", "outside"),
]


@pytest.mark.parametrize(("files", "file", "line", "field", "word"), FIRES)
def test_fires(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    files: dict[str, dict[str, str]],
    file: str,
    line: int,
    field: str | None,
    word: str,
) -> None:
    code, found = lint_json(tmp_path, capsys, files)
    assert code == 3
    (problem,) = [p for p in found if p["file"] == file]
    assert (problem["line"], problem["field"]) == (line, field)
    assert word in f"{problem['found']} {problem['fix']}"


# files
STAYS_SILENT = [
    {},
    {"splits": None},
    {"cases": with_case(LAST_WEEK.replace("metadata:", "world_state: {reference_time: 2026-05-04T09:00:00Z}\nmetadata:"))},
    {"cases": with_case(S001.replace("query: How", "query: The blast week and 30 days later. How"))},
    {"notes": NOTES | {"S001": note_text("S001") + "intended: {a1/quality: 4, a1/format-kept: no, a1/channel: unclear}\n"}},
    {"cases": with_case(SECRET), "notes": NOTES | {"S001": note_text("S001") + "phenomena: [fake-secret]\n"}},
    {"votes": VOTES | {"bob/S001": NO}, "rulings": {"S001": rulings_text("S001", {"format-kept": "no"})}, "suite": ANY},
    {"votes": VOTES | {"bob/S001": votes_text("S001", "bob", {"format-kept": "yes"})}, "suite": ANY},
    {"votes": {}, "suite": ANY},
    ONE | {"votes": ONE_VOTED | {"zoe/S001": THIRD}, "checks": checks_text("S001")},
]  # fmt: skip


@pytest.mark.parametrize("files", STAYS_SILENT)
def test_stays_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, dict[str, str]]) -> None:
    assert lint_json(tmp_path, capsys, files) == (0, [])


def lint_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, dict[str, str]]
) -> tuple[int, list[dict[str, object]]]:
    code = main(["lint", "--json", "--suite", str(make_suite(tmp_path, **files).suite)])
    told = json.loads(capsys.readouterr().out)
    assert told["exit_code"] == code
    return code, told["problems"]


def test_twelve_broken_files_give_twelve_problems_in_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = {
        "S001": S001,
        "S002": CASES["S002"],
        "S003": case_text("S003", "refund-a").replace("query:", "query: fix issue #12"),
        "S004": case_text("S004", "refund-a").replace("ok: true", "ok: yes"),
        "S005": case_text("S005", "refund-a").replace("stratum: tickets", "stratum: mails"),
        "S006": case_text("S006", "refund-a") + "query: twice\n",
        "S007": case_text("S007", "refund-a").replace("    harness: desk", "\tharness: desk"),
        "S009": case_text("S008", "refund-a"),
        "pairs/S002": CASES["S002"],
    }
    votes = VOTES | {
        "bob/S001": votes_text("S001", "bob", {"format-kept": "Yes"}),
        "bob/S002": votes_text("S002", "ann"),
        "bob/S404": votes_text("S404", "bob"),
        "eve/S002": votes_text("S002", "eve", {"format-kept": "yes"}, attempt="a9"),
    }
    layout = make_suite(tmp_path, cases=cases, votes=votes, splits=SPLITS.replace("b: test", "b: train"))
    # counted by hand in the texts of suites.py
    wanted = [
        "cases/support/S003.yaml:5: a comment that swallows",
        "cases/support/S004.yaml:14, case S004, field attempts[0].events[1].ok: yes: true or false is wanted",
        "cases/support/S005.yaml:4, case S005, field stratum: 'mails'",
        "cases/support/S006.yaml:16, field query: the key 'query' for the second time (first on line 5)",
        "cases/support/S007.yaml:11: found a tab character",
        "cases/support/S009.yaml:2, case S008, field id: the id 'S008' in a file named S009.yaml",
        "cases/support/pairs/S002.yaml:2, case S002, field id: the id 'S002', which cases/support/S002.yaml has already",
        "cases/support/splits.yaml:5, field families.refund-b: train",
        "labels/support/votes/bob/S001.yaml:11, case S001, field votes[0].answer: 'Yes'",
        "labels/support/votes/bob/S002.yaml:3, case S002, field annotator: annotator 'ann' in the folder bob",
        "labels/support/votes/bob/S404.yaml:2, case S404, field case: no case 'S404' in the suite",
        "labels/support/votes/eve/S002.yaml:9, case S002, field votes[0].attempt: 'a9'",
    ]
    assert main(["lint", "--suite", str(layout.suite)]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 25 and lines[-1] == "12 problems in support"
    for line, start in zip(lines[0:24:2], wanted, strict=True):
        assert line.startswith(start)
    assert all(line.startswith("    to mend: ") for line in lines[1:24:2])


def test_a_clean_suite_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--suite", str(make_suite(tmp_path).suite)]) == 0
    assert capsys.readouterr().out == "support: 2 cases, 2 attempts, 8 votes, no problem\n"


def test_missing_sessions_hide_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    beside = {
        case: text.partition("    events:")[0] + "    events_from: {file: no.jsonl}\n" for case, text in CASES.items()
    }
    code, found = lint_json(tmp_path, capsys, {"cases": beside, "votes": {"ann/S001": VOTES["ann/S001"]}})
    assert code == 3
    assert [p["file"] for p in found if p["field"] == "events_from.file"] == [f"cases/support/{c}.yaml" for c in CASES]
    assert sum("0 of 1 votes" in str(p["found"]) for p in found) == 4


@pytest.mark.parametrize("where", ["nowhere", "cases/nowhere"])
def test_an_unknown_suite_is_exit_3(tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str) -> None:
    assert main(["lint", "--suite", str(tmp_path / where)]) == 3
    assert "no suite.yaml in " in capsys.readouterr().err


def test_a_broken_pilot_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path)
    path = layout.labels / "pilot" / "votes" / "ann" / "S001.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(NO)
    assert main(["lint", "--json", "--suite", str(layout.suite)]) == 3
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["file"], problem["field"]) == ("labels/support/pilot/votes/ann/S001.yaml", "annotator")
