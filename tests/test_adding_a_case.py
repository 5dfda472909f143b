"""docs/adding-a-case.md, walked as a newcomer would: its commands in order, its texts put in place, a green lint."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from walked_pages import compare, put_in_place, walk

from bench.cli import main

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "adding-a-case.md"
# What the small suite has of the shipped one: its words, not its data, judges, minimums or checks.
KEPT = (
    "schema",
    "id",
    "title",
    "version",
    "licence",
    "canary",
    "id_pattern",
    "seed",
    "statements",
    "strata",
    "vocabulary",
)
OWN = """\
rules: {unlabelled: forbidden, votes_per_item: 2}
resamples: 100
judges:
  - {judge: always-yes, answers: [task-success, reusable-lesson]}
  - {judge: "rule:failed-then-succeeded", answers: [reusable-lesson]}
audits:
  - {audit: near-duplicates, expect: pass, reason: no two families tell the same story}
  - {audit: twin-attack-masked, expect: report, reason: too few pairs to decide anything}
"""
STORIES = {  # one pair: a rule of the place, and a choice of the moment
    "L0001": ("yes", "Tabs in Makefiles come from the generator; never edit them by hand in this repository."),
    "L0002": ("no", "Leave the tabs for the moment, I am still looking at what the other branch does with it."),
}
SESSION = [
    {"type": "user", "message": {"role": "user", "content": "Which port does the proxy listen on?"}},
    {"type": "assistant", "message": {"role": "assistant", "model": "model-a", "content": [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "grep -n listen proxy.conf"}}]}},
    {"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "3:listen 8443;", "is_error": False}]}},
    {"type": "assistant", "message": {"role": "assistant", "model": "model-a", "content": [
        {"type": "text", "text": "On 8443, see line 3 of proxy.conf."}]}},
]  # fmt: skip


def small_suite(root: Path) -> None:
    """The shipped statements and words, one pair of twins with its votes, and a recorded session."""
    shipped = (ROOT / "cases" / "lessons" / "suite.yaml").read_text(encoding="utf-8")
    blocks = {block.split(":", 1)[0]: block for block in re.split(r"^(?=[a-z_]+:)", shipped, flags=re.MULTILINE)}
    files = {
        "cases/lessons/suite.yaml": "".join(blocks[name] for name in KEPT) + OWN,
        "labels/GUIDE.md": (ROOT / "labels" / "GUIDE.md").read_text(encoding="utf-8"),
        "cases/lessons/splits.yaml": "schema: 1\nseed: 1\nfamilies: {tabs-01: test}\n",
        ".sessions/proxy.jsonl": "".join(
            json.dumps({"sessionId": "s1", "timestamp": "2026-01-02T12:00:00.000Z", **record}) + "\n"
            for record in SESSION
        ),
    }
    for case, (answer, told) in STORIES.items():
        files[f"cases/lessons/twins/{case}.yaml"] = (
            f"schema: 1\nid: {case}\nfamily: tabs-01\nstratum: twins\nquery: Indent the Makefile.\n"
            "judgment: {statements: [task-success, correction, reusable-lesson, lesson-supported]}\n"
            "metadata: {source: authored, capability: convention, difficulty: twin, language: shell}\n"
            "attempts:\n  - id: a1\n    harness: claude-code\n    events:\n"
            '      - {kind: prompt, origin: human, text: "Indent the Makefile."}\n'
            '      - {kind: command, command: "sed -i s/x/y/ Makefile", ok: true, output: ""}\n'
            f'      - {{kind: prompt, origin: human, text: "{told}"}}\n'
        )
        files[f"labels/lessons/notes/{case}.yaml"] = (
            f"schema: 1\ncase: {case}\nauthor: mel\nmade_by: person\nintention: a rule, or a passing choice\n"
            "deciding_line: what the person says last\ndeciding_events: [3]\n"
        )
        also = {"yes": "{lesson: use the generator, kind: convention}", "no": "{why_not: one-off}"}[answer]
        for annotator in ("ada", "bob"):
            files[f"labels/lessons/votes/{annotator}/{case}.yaml"] = (
                f"schema: 1\ncase: {case}\nannotator: {annotator}\nmade_by: person\nguide: '1'\npreset: reading@2\n"
                "at: 2026-05-04T09:00:00+00:00\nvotes:\n"
            ) + "".join(
                f"  - {{attempt: a1, statement: {statement}, answer: '{answer}', rationale: see 3, evidence: [3]"
                + (f", also: {also}" if statement == "reusable-lesson" else "")
                + "}\n"
                for statement in ("task-success", "correction", "reusable-lesson", "lesson-supported")
            )
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", newline="\n")


def test_the_page_works_from_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small_suite(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["lint"]) == 0, capsys.readouterr().out
    assert main(["all", "--no-plots"]) == 2, capsys.readouterr().out  # no baseline yet
    assert main(["accept"]) == 0, capsys.readouterr().out  # a baseline, as a project has one
    walked = list(walk(PAGE.read_text(encoding="utf-8"), monkeypatch, capsys))
    ran = {command.split()[1] for command, _ in walked}
    assert ran >= {"new", "import", "split", "lint", "label", "adjudicate", "all", "accept"}
    assert walked[-1] == ("bench lint", 0)
    assert [code for command, code in walked if command == "bench accept"] == [0]
    assert main(["lint"]) == 0, capsys.readouterr().out


def test_the_page_is_linked_from_where_contributors_start() -> None:
    assert "docs/adding-a-case.md" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


# what the page shows, what was said
ALIKE = [
    ([], ["a"]),
    (["a"], ["a"]),
    (["...", "b"], ["a", "a", "b"]),
    (["a", "...", "c"], ["a", "c"]),
    (["a", "..."], ["a"]),
    (["a ..."], ["a b"]),
]
UNLIKE = [(["a"], ["b"]), (["a"], ["a", "b"]), (["b", "a"], ["a", "b"]), (["...", "b"], ["a"]), (["a."], ["ab"])]


@pytest.mark.parametrize(("told", "said"), ALIKE)
def test_the_walk_lets_pass_what_is_alike(told: list[str], said: list[str]) -> None:
    compare("bench x", told, said)


@pytest.mark.parametrize(("told", "said"), UNLIKE)
def test_the_walk_sees_what_differs(told: list[str], said: list[str]) -> None:
    with pytest.raises(AssertionError, match="bench x"):
        compare("bench x", told, said)


def test_texts_are_put_in_place(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text("a: 1\n# b: 2\nc:\n  d: 3\n\n  e: 4\nf: 5\n      - {g: 1}\n      - {g: 2}\n")
    put_in_place(f"# in {file}\nc: 6\nh: 7\n")
    put_in_place(f"# in {file}, in place of event 2\n      - {{g: 9}}\n")
    assert file.read_text() == "a: 1\n# b: 2\nc: 6\nf: 5\n      - {g: 1}\n      - {g: 9}\nh: 7\n"
