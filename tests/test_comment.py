"""The comment and the job summary: which cases are shown, what a size limit does, and hostile text that stays text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from ci_outcomes import read_markdown
from comparing_rows import compared, config, edited, row, run_of, side, suite_at

from bench.cli import main
from bench.commands.telling import marker
from bench.comparing.compare import JudgeComparison
from bench.report.ci.step_summary import CUT, add_to_summary, fitting
from bench.report.comparison.comment import LARGEST, cases_to_look_at
from bench.report.markdown.grid import escaped, fold, quiet

LABELS = {f"S{n:03d}": "yes" if n <= 30 else "no" for n in range(1, 61)}


def judge(base: str, head: str, labels: str, **asked: object) -> JudgeComparison:
    """A comparison of answers, y and n, item by item."""
    words = {"y": "yes", "n": "no"}
    sides = [
        side(
            [
                row(n, words[label], words[answer])
                for n, (label, answer) in enumerate(zip(labels, answers, strict=True), 1)
            ]
        )
        for answers in (base, head)
    ]
    return compared(sides[0], sides[1], config(**asked))  # type: ignore[arg-type]


# --- three cases to look at ---


def test_newly_wrong_comes_before_newly_right_and_there_are_three() -> None:
    found = cases_to_look_at([judge("nnyyyyyy", "yynnnnyy", "yyyyyyyy")])
    assert [(flip.place.case, flip.change) for _, flip in found] == [
        ("S003", "right->wrong"), ("S004", "right->wrong"), ("S005", "right->wrong"),
    ]  # fmt: skip
    found = cases_to_look_at([judge("nnyy", "yyny", "yyyy")])
    assert [flip.place.case for _, flip in found] == ["S003", "S001", "S002"]


def test_a_red_line_that_is_not_met_comes_first_and_a_case_once() -> None:
    red = [{"metric": "recall", "at_least": 0.99}]
    plain = judge("y" * 40, "nn" + "y" * 38, "y" * 40)
    under = judge("y" * 40, "yyn" + "n" * 37, "y" * 40, red_line=red)
    assert under.red_lines[0].decision.status == "not met"
    found = cases_to_look_at([plain, under])
    assert [(flip.place.case, one is under) for one, flip in found] == [("S003", True), ("S004", True), ("S005", True)]
    both = cases_to_look_at([plain, plain])
    assert [flip.place.case for _, flip in both] == ["S001", "S002"], "a case is shown once"


def test_what_does_not_decide_is_not_shown() -> None:
    found = judge("yy", "nn", "yy")
    flips = tuple(replace(flip, same_content=False) for flip in found.matched.flips)
    assert cases_to_look_at([replace(found, matched=replace(found.matched, flips=flips))]) == []


# --- hostile text ---

HOSTILE = "@team #12 GH-7 https://evil.example www.evil.example <img src=x> ![x](y) [a](b) | `c` <!-- x"


def test_text_of_a_case_calls_nobody_and_links_nowhere() -> None:
    text = quiet(HOSTILE)
    for markup in ("@team", "#12", "GH-7", "https://", "www.evil", "<img", " ![", "](", " | ", "<!-- x"):
        assert markup not in text
    assert read_markdown(text).startswith("@team #12 GH-7 https://evil.example www.evil.example <img src=x>")
    assert quiet("L0001/a1 at 3 #x a-1") == "L0001/a1 at 3 #x a-1", "harmless text stays as it is"


def test_a_fold_cannot_be_closed_from_inside_its_title() -> None:
    assert fold("</summary><script>", ["x"]).count("</summary>") == 1
    assert "<" not in escaped("</details>")


def test_a_hostile_judge_and_command_stay_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = suite_at(tmp_path, LABELS)
    monkeypatch.chdir(tmp_path)
    assert main(["run"]) == 0
    right = {f"{case}/a1/polite": label for case, label in LABELS.items()}
    evil = tmp_path / "``` @team <img src=x>\n![x](y)"
    base = edited(run_of(layout), right, tmp_path / "one")
    head = edited(run_of(layout), right | {"S001/a1/polite": "no"}, evil)
    code = main(["compare", str(base), str(head), "--statement", "polite", "--comment", "comment.md"])
    text = Path("comment.md").read_text(encoding="utf-8")
    assert code in (0, 1, 2) and "S001/a1/polite" in text
    outside = re.sub(r"(`{3,})\w*\n.*?\n\1", "", text, flags=re.DOTALL)
    assert "<img" not in outside and "@team" not in outside and "](y)" not in outside
    assert text.count("<details>") == outside.count("</details>") == 1


# --- the marker ---


@pytest.mark.parametrize(
    ("suite", "line"),
    [
        (None, "<!-- bench compare -->\n"),
        ("lessons", "<!-- bench compare lessons -->\n"),
        ("cases/lessons", "<!-- bench compare cases/lessons -->\n"),
        ("x --> <b>\n", "<!-- bench compare x-b -->\n"),
    ],
)
def test_the_marker_is_one_unseen_line(suite: str | None, line: str) -> None:
    assert marker(suite) == line


def test_the_same_comparison_gives_the_same_marker_also_when_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = suite_at(tmp_path, LABELS)
    monkeypatch.chdir(tmp_path)
    words = ["compare", "prompts", "prompts", "--statement", "polite", "--suite", "support", "--comment", "comment.md"]
    first = []
    for stratum, wanted in (("tickets", 2), ("mails", 3)):
        case = json.loads((layout.suite / "S001.yaml").read_text(encoding="utf-8"))
        (layout.suite / "S001.yaml").write_text(json.dumps(case | {"stratum": stratum}), encoding="utf-8")
        assert main(words) == wanted
        first.append(Path("comment.md").read_text(encoding="utf-8").split("\n")[0])
    assert first == ["<!-- bench compare support -->"] * 2
    assert "'mails'" in Path("comment.md").read_text(encoding="utf-8")


# --- sizes ---


def test_what_is_too_long_is_cut_between_paragraphs_and_says_so() -> None:
    text = "\n\n".join(f"paragraph {n}" for n in range(100)) + "\n"
    short = fitting(text, 300, "cut")
    assert len(short.encode()) <= 300 and short.endswith("\n\ncut\n")
    assert re.fullmatch(r"(paragraph \d+\n\n)+cut\n", short)
    assert fitting(text, len(text), "cut") == text
    assert fitting(text, 2, "cut") == ""
    assert fitting(fold("title", [text]), 300, "cut").endswith("\n\n</details>\n\ncut\n"), "what is cut is closed"


def test_a_summary_keeps_to_what_the_host_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    paragraph = "é" * 30_000
    for _ in range(3):
        add_to_summary("\n\n".join([paragraph] * 9) + "\n")
    size = file.stat().st_size
    assert 1_000_000 < size <= 1024 * 1024
    assert file.read_text(encoding="utf-8").endswith(f"{CUT}\n")


def test_a_comment_of_many_judges_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judges = [{"judge": "prompts", "answers": ["polite"], "parameters": {"at_least": str(n)}} for n in range(1, 61)]
    layout = suite_at(tmp_path / "base", {f"S{n:03d}": "yes" for n in range(1, 4)}, judges)
    monkeypatch.chdir(layout.root)
    main(["run"])
    main(["compare", ".", ".", "--statement", "polite", "--comment", "comment.md"])
    assert len(Path("comment.md").read_bytes()) < LARGEST + len(marker(None)) < 65_536


def test_nothing_is_appended_where_there_is_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    add_to_summary("text")
