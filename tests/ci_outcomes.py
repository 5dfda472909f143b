"""A small project in a repository, and everything that a command tells a CI system about it, read back by other means."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from suites import ANSWERS, SUITE, case_text, make_suite, note_text, votes_text

from bench.cases.layout import Layout
from bench.cli import main

CASES = [f"S{n:03d}" for n in range(1, 41)]
LABELS = {case: "yes" if n < 20 else "no" for n, case in enumerate(CASES)}
JUDGE = '- {judge: prompts, answers: [format-kept], parameters: {at_least: "1"}}'
TOML = """\
[objective]
metric = "accuracy"
margin = 0.15

[[red_line]]
metric = "precision"
at_least = 0.3
"""


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def make_project(top: Path) -> Layout:
    """A healthy suite in the folder ``proj`` of a repository; its judge is right on every case."""
    layout = make_suite(
        top / "proj",
        suite=SUITE.replace("- {judge: always-yes, answers: [format-kept, mentions-refund]}", JUDGE),
        cases={case: case_text(case, f"refund-{case}").replace("the lamp", f"lamp {case}") for case in CASES},
        votes={
            f"ann/{case}": votes_text(case, "ann", ANSWERS | {"format-kept": label}) for case, label in LABELS.items()
        },
        notes={case: note_text(case) for case in CASES},
        splits=None,
    )
    (layout.root / "bench.toml").write_text(TOML, encoding="utf-8")
    (layout.root / ".gitignore").write_text("reports/latest\n*.lock\n", encoding="utf-8")
    suite = ["--suite", str(layout.suite)]
    assert main(["run", *suite]) == 0
    answer(layout, LABELS)
    assert main(["accept", *suite]) == 0
    git(top, "init", "-q", "-b", "main")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "healthy")
    return layout


def answer(layout: Layout, answers: Mapping[str, str]) -> None:
    """Other stored verdicts; an answer that is neither yes nor no takes the verdict away."""
    (run,) = layout.runs.glob("prompts-????????????.jsonl")
    lines = []
    for line in run.read_text(encoding="utf-8").splitlines():
        stored = json.loads(line)
        wanted = answers.get(stored["asked_for"].partition("/")[0], stored.get("answer"))
        if wanted in ("yes", "no"):
            lines.append(json.dumps(stored | {"answer": wanted}))
    run.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@dataclass(frozen=True)
class Mark:
    """An annotation as the host understands it."""

    level: str
    message: str
    properties: dict[str, str]

    def line_in(self, top: Path) -> str:
        """The text of the line that it stands beside."""
        text = (top / self.properties["file"]).read_text(encoding="utf-8")
        return text.split("\n")[int(self.properties["line"]) - 1]


def marks(text: str) -> list[Mark]:
    """Workflow commands, by the host's published grammar: ``::name key=value,key=value::data`` with %25, %0D, %0A, %3A, %2C."""
    found = []
    for line in text.split("\n"):
        match = re.fullmatch(r"\s*::([a-z-]+) ?(.*?)::(.*)", line)
        if match:
            pairs = (pair.partition("=") for pair in match[2].split(",") if pair)
            found.append(Mark(match[1], _plain(match[3]), {key: _plain(value) for key, _, value in pairs}))
    return found


def _plain(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def read_markdown(text: str) -> str:
    """The words of Markdown as a reader sees them, on one line."""
    text = re.sub(r"<!--.*?-->", "", text).replace("&lt;", "<").replace("&gt;", ">")
    return " ".join(re.sub(r"\\(.)", r"\1", text.replace("**", "")).split())


@dataclass(frozen=True)
class Told:
    """Everything that one command told."""

    code: int
    printed: str
    said: str  # on stderr
    document: dict[str, Any]
    junit: ElementTree.Element
    summary: str
    comment: str | None
    marks: list[Mark] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        return {name: int(self.junit.get(name, "-1")) for name in ("tests", "failures", "errors", "skipped")}

    def levels(self) -> dict[str, int]:
        return {level: sum(mark.level == level for mark in self.marks) for level in ("error", "warning", "notice")}


def tell(
    folder: Path, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], comment: bool
) -> Told:
    """Run a command as a step of GitHub Actions, once for people and once for machines."""
    files = {name: folder / name for name in ("junit.xml", "comment.md", "summary.md")}
    for file in files.values():
        file.unlink(missing_ok=True)
    words = [*words, "--junit", str(files["junit.xml"])]
    words += ["--comment", str(files["comment.md"])] if comment else []
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    capsys.readouterr()
    code = main(words)
    printed, said = capsys.readouterr()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files["summary.md"]))
    assert main([*words, "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert not marks(printed)
    return Told(
        code=code,
        printed=printed,
        said=said,
        document=document,
        junit=ElementTree.parse(files["junit.xml"]).getroot(),
        summary=files["summary.md"].read_text(encoding="utf-8"),
        comment=files["comment.md"].read_text(encoding="utf-8") if comment else None,
        marks=marks(said),
    )
