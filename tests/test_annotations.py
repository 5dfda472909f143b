"""Annotations: the encoding, the order and the limit, whose file and line, and hostile text that forges no command."""

from __future__ import annotations

from pathlib import Path

import pytest
from ci_outcomes import marks
from suites import CASES, make_suite

from bench.annotations import Annotation, annotate, command_lines, defused, placed, problem_annotations, wanted
from bench.cli import main
from bench.problems import Problem
from bench.repository import in_repository, repository_top

MonkeyPatch, Capsys = pytest.MonkeyPatch, pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "BENCH_ANNOTATIONS"):
        monkeypatch.delenv(name, raising=False)


# The encoding is that of https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts: escapeData, escapeProperty.
@pytest.mark.parametrize(
    ("annotation", "line"),
    [
        (Annotation("error", "t", "m", "a.yaml", 3), "::error file=a.yaml,line=3,title=t::m"),
        (Annotation("warning", "t", "m"), "::warning title=t::m"),
        (Annotation("notice", "t", "m", None, 3), "::notice title=t::m"),
        (Annotation("error", "a:b,c%", "100 %\r\nmore: x, y"), "::error title=a%3Ab%2Cc%25::100 %25%0D%0Amore: x, y"),
        (Annotation("error", "t", "m", "a:b,c\n.yaml", 1), "::error file=a%3Ab%2Cc%0A.yaml,line=1,title=t::m"),
        (Annotation("error", "t", "%0A"), "::error title=t::%250A"),
        (Annotation("error", "t", "bell \x07 \u202e \u2028"), "::error title=t::bell \\x07 \\x202e \\x2028"),
    ],
)
def test_the_encoding_of_workflow_commands(annotation: Annotation, line: str) -> None:
    assert command_lines([annotation]) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "\n::error::forged",
        "\r\n::add-mask::x",
        "a\n##[error]x",
        "%0A::error::x",
        "::stop-commands::x",
        "\u2028::error::x",
    ],
)
def test_no_text_forges_a_command(text: str) -> None:
    lines = command_lines([Annotation("error", text, text, text, 1)])
    (mark,) = marks("\n".join(lines))
    assert (mark.level, len(lines), mark.properties["line"]) == ("error", 1, "1")
    assert lines[0].splitlines() == lines


def test_ten_of_a_level_the_weightiest_first_and_a_count_of_the_rest() -> None:
    given = [Annotation("notice", "t", f"n{n}") for n in range(3)]
    given += [Annotation("warning", "t", f"w{n}") for n in range(12)]
    given += [Annotation("error", "t", f"e{n}") for n in range(25)]
    found = marks("\n".join(command_lines(given)))
    assert [mark.message for mark in found[:10]] == [f"e{n}" for n in range(10)]
    assert [mark.level for mark in found[10:]] == ["warning"] * 10 + ["notice"] * 4
    assert found[-1].message == f"{15 + 2} more findings are in the log and in the report"


def test_notices_leave_room_for_the_count() -> None:
    found = marks("\n".join(command_lines([Annotation("notice", "t", str(n)) for n in range(30)])))
    assert len(found) == 10 and found[-1].message.startswith("21 more")


def test_ten_are_ten_and_nothing_is_counted() -> None:
    assert len(command_lines([Annotation("error", "t", str(n)) for n in range(10)])) == 10


def test_who_is_told(monkeypatch: MonkeyPatch) -> None:
    assert [wanted(choice) for choice in ("auto", "github", "none")] == [False, True, False]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert [wanted(choice) for choice in ("auto", "github", "none")] == [True, True, False]


def test_a_secret_in_a_finding_is_not_said() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    assert token not in command_lines([Annotation("error", "t", f"found {token}")])[0]


def test_into_a_file_for_a_step_that_hands_them_over(tmp_path: Path, monkeypatch: MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setenv("BENCH_ANNOTATIONS", str(tmp_path / "marks"))
    annotate([Annotation("error", "t", "one")], "github")
    annotate([Annotation("error", "t", "two\ud800")], "github")
    assert capsys.readouterr().err == ""
    assert (tmp_path / "marks").read_text().split("\n") == ["::error title=t::one", "::error title=t::two\\xd800", ""]


# --- whose file ---


def test_files_are_named_from_the_repository_whatever_the_folder(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    inner = tmp_path / "top" / "a" / "proj"
    inner.mkdir(parents=True)
    assert in_repository("cases/x.yaml", inner) == "cases/x.yaml", "no repository: from the project"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "top"))
    assert in_repository("cases/x.yaml", inner) == "a/proj/cases/x.yaml", "no checkout: from the job's workspace"
    (tmp_path / "top" / "a" / ".git").write_text("gitdir: elsewhere")  # a worktree has a file there
    assert in_repository("cases/x.yaml", inner) == "proj/cases/x.yaml", "the checkout may lie in the workspace"
    assert in_repository("../other/x.yaml", inner) == "other/x.yaml"
    assert in_repository("/etc/x.yaml", inner) == "/etc/x.yaml", "outside of it"
    assert repository_top(inner) == (tmp_path / "top" / "a").resolve()


def test_a_problem_is_beside_a_file_that_there_is(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "head" / "cases").mkdir(parents=True)
    (tmp_path / "head" / "cases" / "x.yaml").write_text("id: x\n")
    monkeypatch.chdir(tmp_path)
    assert placed("cases/x.yaml", [Path(), Path("head")]) == "head/cases/x.yaml"
    assert placed("head: cases/x.yaml", [Path()]) == "head/cases/x.yaml", "bench compare says whose file it is"
    assert placed("nobody", [Path()]) is None
    (found,) = problem_annotations([Problem("nobody", None, None, None, "no such judge", "name one")], [Path()])
    assert (found.file, found.message) == (None, "nobody: no such judge\nto mend: name one")


# --- every command ---


@pytest.mark.parametrize("command", ["lint", "all", "report", "verify", "run", "accept", "doctor"])
def test_broken_input_is_beside_its_line_in_every_command(
    command: str, tmp_path: Path, monkeypatch: MonkeyPatch, capsys: Capsys
) -> None:
    layout = make_suite(
        tmp_path / "proj",
        cases={"S001": CASES["S001"].replace("stratum: tickets", "stratum: mails")} | {"S002": CASES["S002"]},
    )
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main([command, "--suite", str(layout.suite)]) == 3
    found = [mark for mark in marks(capsys.readouterr().err) if mark.properties.get("file", "").endswith("S001.yaml")]
    assert found and found[0].line_in(tmp_path) == "stratum: mails"
    assert found[0].properties["title"] == "case S001, field stratum"


def test_nobody_is_annotated_who_does_not_ask(tmp_path: Path, monkeypatch: MonkeyPatch, capsys: Capsys) -> None:
    suite = str(make_suite(tmp_path, suite="").suite)
    assert main(["verify", "--suite", suite]) == 3
    assert marks(capsys.readouterr().err) == []
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main(["verify", "--annotate", "none", "--suite", suite]) == 3
    assert marks(capsys.readouterr().err) == []
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert main(["verify", "--annotate=github", "--suite", suite]) == 3
    assert len(marks(capsys.readouterr().err)) == 1


HOSTILE = '"mails\\n::error file=forged.yaml,line=1::forged\\n##[add-mask]forged"'


@pytest.mark.parametrize("command", ["lint", "verify"])
def test_hostile_words_of_a_case_forge_nothing(
    command: str, tmp_path: Path, monkeypatch: MonkeyPatch, capsys: Capsys
) -> None:
    text = (
        CASES["S001"]
        .replace("stratum: tickets", f"stratum: {HOSTILE}")
        .replace("query: How", "query: '::error::forged ##[error]How")
    )
    text = text.replace("lamp back?\njudgment", "lamp back?'\njudgment")
    layout = make_suite(tmp_path, cases={"S001": text, "S002": CASES["S002"]})
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main([command, "--suite", str(layout.suite)]) == 3
    printed = "".join(capsys.readouterr())
    found = marks(printed)
    assert found and all(
        mark.properties["file"].endswith(("S001.yaml", "splits.yaml", "S001"))
        for mark in found
        if "file" in mark.properties
    )
    assert {mark.level for mark in found} == {"error"}
    rest = [line for line in printed.split("\n") if not line.startswith("::error ")]
    assert not any("##[" in line or line.lstrip().startswith("::") for line in rest)


def test_text_of_the_log_is_left_alone_elsewhere(monkeypatch: MonkeyPatch) -> None:
    assert defused("  ::error::x\n##[y]") == "  ::error::x\n##[y]"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert defused("a\n  ::error::x\n##[y]") == "a\n\\::error::x\n# #[y]"
