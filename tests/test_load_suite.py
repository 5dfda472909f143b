"""Loading a suite: its files against each other."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from suites import CASES, SPLITS, SUITE, case_text, make_suite

from bench.cases.layout import Layout, find_suite
from bench.cases.load import load_suite, read_suite
from bench.cases.split import split_families
from bench.problems import BrokenInput, Problem

FIRST = CASES["S001"]
CASE = "cases/support/S001.yaml"
ASKED = "[format-kept, mentions-refund, quality, channel]"
BOTH_CASES = SUITE.replace("S[0-9]{3}", "'[Ss][0-9]{3}'")
LOWER_CASE = {"tickets/s001": FIRST.replace("id: S001", "id: s001")}
TWIN_ATTEMPTS = {"S003": case_text("S003", "refund-a", attempts=("a1", "A1"))}


def problems(layout: Layout) -> list[Problem]:
    try:
        load_suite(layout)
    except BrokenInput as error:
        return list(error.problems)
    return []


# old, new in S001, line, field, a word of what was found or of the fix
REFUSED_IN_A_CASE = [
    ("id: S001", "id: S003", 2, "id", "in a file named S001.yaml"),
    ("stratum: tickets", "stratum: mails", 4, "stratum", "use one of tickets, pairs"),
    ("family: refund-a", "family: refund-z", 3, "family", "'refund-z' has no split"),
    ("[format-kept,", "[format-keptt,", 7, "judgment.statements.0", "use one of format-kept"),
    ("[format-kept,", "[quality,", 7, "judgment.statements.2", "second time"),
    (ASKED, "[{id: channel, text: T, 'true': a, 'false': b}]", 7, "judgment.statements.0", "the suite's id"),
    ("source: written", "source: made-up", 8, "metadata.source", "use one of ticket, written"),
    ("capability: refund", "capability: x", 8, "metadata.capability", "use one of refund"),
    ("difficulty: plain", "difficulty: x", 8, "metadata.difficulty", "use one of plain"),
    ("language: en", "language: no", 8, "metadata.language", "use one of en"),
    ("language: en", "tags: [angry, sad], language: en", 8, "metadata.tags.1", "explain the new word in suite.yaml"),
    ("harness: desk", "harness: mail", 11, "attempts.0.harness", "use one of desk"),
    ("- id: a1", "- id: a 1", 10, "attempts[0].id", "letters, digits"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "field", "word"), REFUSED_IN_A_CASE)
def test_a_case_is_refused(tmp_path: Path, old: str, new: str, line: int, field: str, word: str) -> None:
    assert old in FIRST
    layout = make_suite(tmp_path, cases=CASES | {"S001": FIRST.replace(old, new, 1)})
    found = [p for p in problems(layout) if p.file == CASE]
    assert [(p.line, p.field, p.case is not None) for p in found] == [(line, field, True)]
    assert word in f"{found[0].found} {found[0].fix}"


# files of the suite, file, line, a word
REFUSED_IN_A_SUITE = [
    ({"cases": CASES | {"mails/S002": CASES["S002"]}}, "cases/support/mails/S002.yaml", 2, "which cases/support/S002.yaml has"),
    ({"cases": CASES | LOWER_CASE, "suite": BOTH_CASES}, "cases/support/tickets/s001.yaml", 2, "which cases/support/S001.yaml"),
    ({"cases": CASES | {"S01": FIRST.replace("id: S001", "id: S01")}}, "cases/support/S01.yaml", 2, "look like S[0-9]{3}"),
    ({"cases": CASES | TWIN_ATTEMPTS}, "cases/support/S003.yaml", 1, "attempt ids must be unique"),
    ({"cases": CASES | {"S003": ""}}, "cases/support/S003.yaml", 1, "empty file"),
    ({"splits": SPLITS + "  refund-z: test\n"}, "cases/support/splits.yaml", 6, "a family that no case has"),
    ({"splits": SPLITS.replace("  refund-b: test\n", "")}, "cases/support/S002.yaml", 3, "bench split gives it one"),
    ({"splits": SPLITS.replace("b: test", "b: training")}, "cases/support/splits.yaml", 5, "'development', 'calibration'"),
    ({"splits": SPLITS + "  refund-a: test\n"}, "cases/support/splits.yaml", 6, "second time"),
    ({"splits": ""}, "cases/support/splits.yaml", 1, "empty file"),
    ({"suite": SUITE.replace("title:", "titel:")}, "cases/support/suite.yaml", 1, "the field is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "file", "line", "word"), REFUSED_IN_A_SUITE)
def test_a_suite_is_refused(tmp_path: Path, files: dict[str, str], file: str, line: int, word: str) -> None:
    found = problems(make_suite(tmp_path, **files))
    assert (found[0].file, found[0].line) == (file, line)
    assert word in f"{found[0].found} {found[0].fix}"


# files of the suite -> ids and whether there are splits
READ_RIGHT = [
    ({}, ["S001", "S002"], True),
    ({"splits": None}, ["S001", "S002"], False),
    ({"cases": {"pairs/deep/S001": FIRST, "S002": CASES["S002"]}}, ["S001", "S002"], True),
    ({"cases": CASES | {"notes.rule": "a rule file is no case"}}, ["S001", "S002"], True),
    ({"cases": CASES | {"S003": case_text("S003", "refund-a", "pairs", ("a2", "a10"))}}, ["S001", "S002", "S003"], True),
    ({"cases": {}, "splits": None}, [], False),
]  # fmt: skip


@pytest.mark.parametrize(("files", "ids", "split"), READ_RIGHT)
def test_a_suite_is_read_right(tmp_path: Path, files: dict[str, str], ids: list[str], split: bool) -> None:
    suite = load_suite(make_suite(tmp_path, **files))
    assert [loaded.case.id for loaded in suite.cases] == ids
    assert (suite.splits is not None) == split


def test_a_yml_file_is_a_case_too(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    (layout.suite / "S001.yaml").rename(layout.suite / "S001.yml")
    assert len(load_suite(layout).cases) == 2


def test_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    cases = {
        "S001": FIRST.replace("tickets", "mails"),
        "S002": CASES["S002"].replace("query:", "qurey:"),
        "S003": "a: &b",
    }
    found = problems(make_suite(tmp_path, cases=cases, splits=SPLITS.replace("seed: 1", "seed: one")))
    assert [(p.file.rpartition("/")[2], p.line) for p in found] == [
        ("S001.yaml", 4), ("S002.yaml", 1), ("S002.yaml", 5), ("S003.yaml", 1), ("splits.yaml", 2),
    ]  # fmt: skip


def test_a_broken_case_makes_no_second_problem_of_its_family(tmp_path: Path) -> None:
    reading = read_suite(make_suite(tmp_path, cases=CASES | {"S001": "a: b: c"}))
    assert reading.broken == {"S001"} and len(reading.problems) == 1


def test_statements_written_in_the_case_are_asked(tmp_path: Path) -> None:
    own = "[{id: own, text: Is it kind?, 'true': a, 'false': b}, quality]"
    text = FIRST.replace(ASKED, own)
    loaded = load_suite(make_suite(tmp_path, cases=CASES | {"S001": text})).cases[0]
    assert [(s.id, s.text) for s in loaded.statements] == [
        ("own", "Is it kind?"),
        ("quality", "How well is the customer helped?"),
    ]


def test_find_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = make_suite(tmp_path)
    monkeypatch.chdir(tmp_path)
    wanted = layout.suite.resolve()
    assert {find_suite(name).suite for name in (None, "support", "cases/support", str(layout.suite))} == {wanted}
    with pytest.raises(BrokenInput, match=r"no suite\.yaml in nothing"):
        find_suite("nothing")
    (tmp_path / "cases" / "second").mkdir()
    (tmp_path / "cases" / "second" / "suite.yaml").write_text("")
    with pytest.raises(BrokenInput, match="several suites here: second, support"):
        find_suite(None)
    monkeypatch.chdir(tmp_path / "cases" / "second")
    with pytest.raises(BrokenInput, match=r"no suite under \./cases"):
        find_suite(None)


def test_families_keep_their_split_and_new_ones_fill_up(tmp_path: Path) -> None:
    cases = {f"S{n:03d}": case_text(f"S{n:03d}", f"family-{n}") for n in range(100)}
    suite = load_suite(make_suite(tmp_path, cases=cases, splits=None))
    given = split_families(suite.cases, None, 1)
    counts = [list(given.values()).count(s) for s in ("development", "calibration", "test")]
    assert counts == [20, 40, 40]  # the shares 20 % / 40 % / 40 % that bench/cases/split.py promises
    assert split_families(suite.cases[::-1], None, 1) == given
    assert split_families(suite.cases, None, 2) != given
    half = load_suite(make_suite(tmp_path / "half", cases=dict(list(cases.items())[:50]), splits=None))
    lines = [f"  {family}: {split}" for family, split in split_families(half.cases, None, 1).items()]
    held = load_suite(make_suite(tmp_path / "held", cases=dict(list(cases.items())[:50]),
                                 splits="schema: 1\nseed: 1\nfamilies:\n" + "\n".join(lines))).splits  # fmt: skip
    assert held is not None
    assert held.families.items() <= split_families(suite.cases, held, 1).items()


@pytest.mark.long
def test_a_thousand_cases_load_in_seconds(tmp_path: Path) -> None:
    """1,000 cases of about 16 kB, as DESIGN wants it for a big suite."""
    event = (
        '      - {kind: command, command: "make test", output: "'
        + "fine " * 60
        + '", exit_code: 0, exit_source: text}\n'
    )
    cases = {f"S{n:03d}": case_text(f"S{n:03d}", "refund-a") + event * 38 for n in range(1000)}
    size = sum(map(len, cases.values())) / len(cases)
    layout = make_suite(tmp_path, cases=cases, splits=None)
    started = time.monotonic()
    suite = load_suite(layout)
    seconds = time.monotonic() - started
    print(f"\n1,000 cases of {size / 1000:.1f} kB: {seconds:.2f} s")
    assert len(suite.cases) == 1000 and 14_000 < size < 18_000
    assert seconds < 10
