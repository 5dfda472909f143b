"""In every outcome (0, 1, 2, 3) printed sentence, JSON, JUnit, annotations, job summary, comment and exit code agree."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ci_outcomes import CASES, LABELS, Told, answer, make_project, read_markdown, tell

from bench.cases.layout import Layout
from bench.cli import main

MonkeyPatch, Capsys = pytest.MonkeyPatch, pytest.CaptureFixture[str]
WORDS = {0: "met", 1: "not met", 2: "cannot decide", 3: "broken input"}


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top: Path = tmp_path_factory.mktemp("healthy") / "repository"
    make_project(top)
    return top


@pytest.fixture
def layout(healthy: Path, tmp_path: Path, monkeypatch: MonkeyPatch) -> Layout:
    """A copy of the project that a test breaks; its commit ``main`` stays healthy."""
    top = tmp_path / "repository"
    shutil.copytree(healthy, top)
    monkeypatch.chdir(top / "proj")
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return Layout(top / "proj" / "cases" / "support")


def top_of(layout: Layout) -> Path:
    return layout.root.parent


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def agrees(told: Told, code: int) -> None:
    assert told.code == told.document["exit_code"] == code
    counts, levels = told.counts(), told.levels()
    assert (counts["failures"] > 0) == (code == 1)
    assert code == 1 or (counts["errors"] > 0) == (code in (2, 3))
    assert (levels["error"] > 0) == (code in (1, 3))
    assert code != 2 or levels["warning"] > 0
    assert code != 0 or levels["warning"] == 0
    for text in (told.summary, told.comment):
        if text is not None:
            read = read_markdown(text)
            assert f": {WORDS[code]} " in read and f"Exit code {code}." in read
    if code != 3:
        sentence = told.document["sentence"]
        assert " ".join(told.printed.split()).endswith(f"{' '.join(sentence.split())} [exit {code}]")
        assert sentence in read_markdown(told.summary)
        assert told.comment is None or sentence in read_markdown(told.comment)


# --- bench all ---


def nothing(layout: Layout) -> None:
    del layout


def relative_time(layout: Layout) -> None:
    edit(
        layout.suite / "S007.yaml",
        "How long may I take to send lamp S007 back?\nj",
        "May I send back since yesterday?\nj",
    )


def no_baseline(layout: Layout) -> None:
    (layout.reports / "baseline.json").unlink()


def unknown_stratum(layout: Layout) -> None:
    edit(layout.suite / "S007.yaml", "stratum: tickets", "stratum: mails")


BREAKS: dict[str, tuple[Callable[[Layout], None], int, tuple[str, str] | None]] = {
    "healthy": (nothing, 0, None),
    "a case relative to now": (
        relative_time,
        1,
        ("proj/cases/support/S007.yaml", "query: May I send back since yesterday?"),
    ),
    "no baseline": (no_baseline, 2, ("proj/cases/support/suite.yaml", "schema: 1")),
    "a stratum that there is not": (unknown_stratum, 3, ("proj/cases/support/S007.yaml", "stratum: mails")),
}


@pytest.mark.parametrize("kind", BREAKS)
def test_bench_all_says_one_thing_everywhere(
    kind: str, layout: Layout, monkeypatch: MonkeyPatch, capsys: Capsys
) -> None:
    break_it, code, place = BREAKS[kind]
    break_it(layout)
    told = tell(layout.root, ["all", "--no-plots"], monkeypatch, capsys, comment=False)
    agrees(told, code)
    if place is not None:
        assert (told.marks[0].properties["file"], told.marks[0].line_in(top_of(layout))) == place
    if code == 3:
        (problem,) = told.document["problems"]
        assert problem["found"] in told.marks[0].message and problem["fix"] in told.marks[0].message
        assert told.said.splitlines()[-1] == "bench: 1 problem: nothing was changed"
        assert "1 problem: nothing was changed" in read_markdown(told.summary)
        assert told.counts() == {"tests": 1, "failures": 0, "errors": 1, "skipped": 0}
        assert not (layout.reports / "latest").exists()
    else:
        assert told.document["report"] == "reports/latest"
        names = {check["name"] for check in told.document["checks"] if check["status"] in ("not met", "cannot decide")}
        assert {mark.properties["title"] for mark in told.marks} == names
        assert [name for name in names if name not in read_markdown(told.summary)] == []


@pytest.mark.parametrize("kind", BREAKS)
def test_bench_verify_and_lint_annotate_the_same_line(
    kind: str, layout: Layout, monkeypatch: MonkeyPatch, capsys: Capsys
) -> None:
    break_it, code, place = BREAKS[kind]
    break_it(layout)
    capsys.readouterr()
    assert main(["verify", "--annotate", "github"]) == code
    verified = capsys.readouterr().err
    assert main(["lint", "--annotate", "github"]) == (3 if code in (1, 3) else 0)
    linted = capsys.readouterr().err
    for said in (verified, linted) if code in (1, 3) else ():
        assert place is not None and f"::error file={place[0]},line=" in said


# --- bench compare ---


def turn(*cases: str) -> Callable[[Layout], None]:
    """The wrong answer on the cases."""
    return lambda layout: answer(layout, {case: "no" if LABELS[case] == "yes" else "yes" for case in cases})


def unjudged(layout: Layout) -> None:
    answer(layout, {CASES[0]: "not judged"})


def red_line(layout: Layout) -> None:
    edit(layout.root / "bench.toml", "at_least = 0.3", "at_least = 0.99")
    turn(CASES[-1], CASES[-2], CASES[-3], CASES[-4])(layout)


COMPARED: dict[str, tuple[Callable[[Layout], None], int, str]] = {
    "no change": (nothing, 0, "no change"),
    "one flip": (turn(CASES[3]), 0, "not worse"),
    "worse": (turn(*CASES[2:20]), 1, "worse"),
    "under a red line": (red_line, 1, "red line not met"),
    "not judged": (unjudged, 2, "not judged in the head"),
    "broken": (unknown_stratum, 3, ""),
}


@pytest.mark.parametrize("kind", COMPARED)
def test_bench_compare_says_one_thing_everywhere(
    kind: str, layout: Layout, monkeypatch: MonkeyPatch, capsys: Capsys
) -> None:
    break_it, code, word = COMPARED[kind]
    break_it(layout)
    told = tell(layout.root, ["compare", "main", "."], monkeypatch, capsys, comment=True)
    agrees(told, code)
    assert told.comment is not None and told.comment.startswith("<!-- bench compare -->\n### bench compare: ")
    assert word in told.document.get("sentence", "")
    assert read_markdown(told.comment) == read_markdown(told.summary)
    for mark in told.marks:
        if " on S" in mark.properties["title"]:
            assert mark.line_in(top_of(layout)).strip() == "- id: a1"
            assert Path(mark.properties["file"]).stem in mark.properties["title"]


def test_a_red_line_is_marked_where_it_is_written(layout: Layout, monkeypatch: MonkeyPatch, capsys: Capsys) -> None:
    red_line(layout)
    told = tell(layout.root, ["compare", "main", "."], monkeypatch, capsys, comment=True)
    assert (told.marks[0].level, told.marks[0].properties["file"]) == ("error", "proj/bench.toml")
    assert told.marks[0].line_in(top_of(layout)) == "[[red_line]]" and "precision >= 0.99" in told.marks[0].message
    flipped = {case.get("name"): case for case in told.junit.iter("testcase") if case.find("failure") is not None}
    case = flipped[f"{CASES[-1]}/a1 format-kept"]
    text = (top_of(layout) / str(case.get("file"))).read_text(encoding="utf-8")
    assert text.split("\n")[int(case.get("line", "")) - 1].strip() == "- id: a1"
    assert told.comment is not None and told.comment.count("| newly wrong |") == 3, "three cases to look at"


def test_a_head_that_is_a_revision_is_marked_in_the_checkout(
    layout: Layout, monkeypatch: MonkeyPatch, capsys: Capsys
) -> None:
    turn(*CASES[2:20])(layout)
    told = tell(layout.root, ["compare", ".", "main"], monkeypatch, capsys, comment=True)
    agrees(told, 0)
    assert told.document["judges"][0]["verdict"] == "better"
    files = {mark.properties.get("file", "") for mark in told.marks if " on S" in mark.properties["title"]}
    assert files and all((top_of(layout) / file).is_file() for file in files)


def test_a_question_without_an_answer_is_2_everywhere(layout: Layout, monkeypatch: MonkeyPatch, capsys: Capsys) -> None:
    told = tell(layout.root, ["compare", "main", ".", "--judge", "nobody"], monkeypatch, capsys, comment=True)
    assert (told.code, told.document["exit_code"]) == (2, 2)
    assert told.counts() == {"tests": 1, "failures": 0, "errors": 1, "skipped": 0}
    assert told.levels() == {"error": 0, "warning": 1, "notice": 0}
    assert (
        "Exit code 2." in told.summary and told.comment is not None and "no judge that is called nobody" in told.comment
    )
