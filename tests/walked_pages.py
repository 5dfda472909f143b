"""Walk a page of docs: run its console blocks in order, type what it types, put its YAML in place, compare what is said.

On a page ``...`` alone on a line stands for any lines, at the end of one for its rest. What is typed stands after the
question, as a terminal shows it; a comment ``<!-- typed: a | b -->`` before a block holds it where the page leaves the
questions out. A YAML block that begins with ``# in FILE`` replaces the top-level fields it holds, or adds them;
``# in FILE, in place of event N`` replaces one line.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.cli import main

_PART = re.compile(r"<!-- typed: (?P<typed>.*?) -->|```(?P<kind>console|yaml)\n(?P<text>.*?)```", re.DOTALL)
_PLACE = re.compile(r"# in (?P<file>\S+?)(?:, in place of event (?P<event>\d+))?\n")


def walk(page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, int]]:
    """Every command of the page with its exit code, in the folder one stands in."""
    typed: list[str] = []
    for part in _PART.finditer(page):
        if part["typed"] is not None:
            typed = part["typed"].split(" | ")
        elif part["kind"] == "yaml":
            put_in_place(part["text"])
        else:
            for command, told in _commands(part["text"]):
                yield command, _run(command, told, typed, monkeypatch, capsys)
            assert typed == [], f"typed, and never asked for: {typed}"


def _commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Each command with the lines that the page shows after it."""
    for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *told = piece.rstrip("\n").split("\n")
        yield re.sub(r"\s{2,}#.*", "", command), told


def _run(
    command: str, told: list[str], typed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> int:
    words = shlex.split(command)
    assert words[0] == "bench", f"a page's commands are bench's: {command}"
    left = iter(told)

    def answer(prompt: str = "") -> str:
        if typed:
            text = typed.pop(0)
        else:
            line = next((line for line in left if line.startswith(prompt.rstrip())), None)
            if line is None:
                raise EOFError
            text = line[len(prompt) :]
        print(f"{prompt}{text}")
        return text

    capsys.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr("builtins.input", answer)
        code = main(words[1:])
    said = capsys.readouterr()
    compare(command, told, [line.rstrip() for line in (said.out + said.err).splitlines()])
    return code


def compare(command: str, told: list[str], said: list[str]) -> None:
    """The page's lines are what was said, ``...`` being any lines."""
    wanted = "".join(r"(?:.*\n)*?" if line.strip() == "..." else _one_line(line) for line in told)
    if told and not re.fullmatch(wanted, "".join(f"{line}\n" for line in said)):
        missing = [
            line for line in told if line.strip() != "..." and not re.search(_one_line(line), "\n".join(said) + "\n")
        ]
        raise AssertionError(f"$ {command}\nnot said, or not there: {missing}\nsaid:\n" + "\n".join(said))


def _one_line(line: str) -> str:
    return re.escape(line.rstrip().removesuffix("...")) + (".*" if line.rstrip().endswith("...") else "") + r"\n"


def put_in_place(block: str) -> None:
    place = _PLACE.match(block)
    if place is None:
        return  # a block to look at
    path, new = Path(place["file"]), block[place.end() :]
    text = path.read_text(encoding="utf-8")
    if place["event"] is not None:
        events = list(re.finditer(r"^      - \{.*\n", text, re.MULTILINE))
        old = events[int(place["event"]) - 1]
        text = text[: old.start()] + new + text[old.end() :]
    else:
        for field in re.split(r"^(?=\w)", new, flags=re.MULTILINE)[1:]:
            name = field.split(":", 1)[0]
            held = re.search(rf"^{name}:.*\n(?:[ \n].*\n?)*", text, re.MULTILINE)
            text = text + field if held is None else text[: held.start()] + field + text[held.end() :]
    path.write_text(text, encoding="utf-8", newline="\n")
