"""What a code host shows beside a line of a pull request: workflow commands of GitHub Actions.

The host keeps ten annotations of a level and step; the weightiest come first, and what is left out is counted. Texts may come
from hostile sessions: whatever could end a command or begin another one is encoded.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.problems import Problem, without_secrets
from bench.repository import in_repository

Level = Literal["error", "warning", "notice"]
CHOICES = ("auto", "github", "none")
SHOWN = 10  # of a level and step: what the host keeps
FILE = "BENCH_ANNOTATIONS"  # a file to write them to, for a step that hands them over itself
_LEVELS: tuple[Level, ...] = ("error", "warning", "notice")
_LONGEST = 4000  # characters of a message


@dataclass(frozen=True)
class Annotation:
    """A message beside a line. ``file`` is written from the repository's top."""

    level: Level
    title: str
    message: str
    file: str | None = None
    line: int | None = None


def annotate_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--annotate",
        choices=CHOICES,
        default="auto",
        help="say findings so that GitHub shows them beside the line (default: auto, on GitHub Actions)",
    )


def wanted(choice: str) -> bool:
    """Whether somebody reads annotations: always, never, or on GitHub Actions."""
    return choice == "github" or (choice == "auto" and os.environ.get("GITHUB_ACTIONS") == "true")


def annotate(annotations: Iterable[Annotation], choice: str) -> None:
    """Say them on stderr, where the host reads too and no document stands; or in the file that the step asks for."""
    if not wanted(choice):
        return
    lines = command_lines(list(annotations))
    file = os.environ.get(FILE)
    if file:
        with Path(file).open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            out.writelines(f"{line}\n" for line in lines)
    else:
        for line in lines:
            print(line, file=sys.stderr)


def command_lines(annotations: Sequence[Annotation]) -> list[str]:
    """One command each, errors first, in the order given; the last says how many are not shown."""
    shown: list[Annotation] = []
    for level in _LEVELS:
        mine = [annotation for annotation in annotations if annotation.level == level]
        shown += mine[: SHOWN if level != "notice" else SHOWN - 1]  # the tenth notice counts the rest
    rest = len(annotations) - len(shown)
    if rest:
        shown.append(Annotation("notice", "bench", f"{rest} more findings are in the log and in the report"))
    return [_command(annotation) for annotation in shown]


def _command(annotation: Annotation) -> str:
    properties = [] if annotation.file is None else [f"file={_property(annotation.file)}"]
    properties += [] if annotation.file is None or annotation.line is None else [f"line={annotation.line}"]
    properties.append(f"title={_property(annotation.title)}")
    return f"::{annotation.level} {','.join(properties)}::{_data(annotation.message)}"


def _data(text: str) -> str:
    """The encoding of workflow commands; other control characters are shown as what they are."""
    text = without_secrets(text)
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def defused(text: str) -> str:
    """Text for the log of a step, in which no line is taken for a command. Unchanged where nobody reads commands."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    lines = text.replace("##[", "# #[").splitlines()
    return "\n".join(f"\\{line.lstrip()}" if line.lstrip().startswith("::") else line for line in lines)


# --- problems of an input ---


def problem_annotations(problems: Iterable[Problem], bases: Sequence[Path]) -> list[Annotation]:
    """An error each, at its line. ``bases`` are the folders that a problem's file may be written from."""
    return [_of_problem(problem, bases) for problem in problems]


def _of_problem(problem: Problem, bases: Sequence[Path]) -> Annotation:
    parts = [f"case {problem.case}" if problem.case else "", f"field {problem.field}" if problem.field else ""]
    title = ", ".join(part for part in parts if part) or "bench"
    file = placed(problem.file, bases)
    found = problem.found if file is not None else f"{problem.file}: {problem.found}"
    return Annotation("error", title, f"{found}\nto mend: {problem.fix}", file, problem.line)


def placed(file: str, bases: Sequence[Path]) -> str | None:
    """A file's name in its repository; None where there is no such file. ``SIDE: file`` names one in a compared folder."""
    side, _, within = file.partition(": ")
    places = [(base, file) for base in bases] + ([(Path(side), within)] if within else [])
    for base, name in places:
        if (base / name).is_file():
            return in_repository(name, base)
    return None


def annotate_broken(problems: Iterable[Problem], words: Sequence[str]) -> None:
    """The problems that ended a command with these words."""
    parser = argparse.ArgumentParser(add_help=False)
    annotate_option(parser)
    parser.add_argument("--suite")
    given, _ = parser.parse_known_args(words)
    suite = Path(given.suite or "")
    bases = [suite.resolve().parent.parent] if (suite / "suite.yaml").is_file() else []
    annotate(problem_annotations(problems, [*bases, Path()]), given.annotate)
