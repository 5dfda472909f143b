"""Follow a page in a copy of the tutorial's folder: its new files written where they stand in it, its commands run in order.

Beside what walked_pages knows: a block that begins with ``# new file NAME`` is written, a command may go on after a
backslash, and ``# exit N`` beside a command is the exit code it ends with (else 0). What is printed is compared word by word:
where a line breaks and how wide a column is may change, a number may not.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import walked_pages
from walked_pages import walk

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "tutorial"
_NEW_FILE = re.compile(r"```\w+\n# new file (\S+)\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<command>bench .*?)(?:\s{2,}#(?: exit (?P<code>\d+)|.*))?$", re.MULTILINE)


def page_text(path: Path) -> str:
    """A page with its long commands on one line each."""
    return path.read_text(encoding="utf-8").replace(" \\\n    ", " ")


def in_a_shell(page: str) -> str:
    """What a shell makes of the one pattern of the pages, in the folder one stands in."""
    names = sorted(path.as_posix() for path in Path("sessions").glob("*.jsonl"))
    return page.replace("sessions/*.jsonl", " ".join(names))


def copy_folder(target: Path) -> Path:
    """The copy that the tutorial lets one make."""
    shutil.copytree(FOLDER, target)
    for path in (ROOT / "reports" / "certificates").glob("synthetic*"):
        shutil.copy(path, target)
    return target


def wanted(page: str) -> list[tuple[str, int]]:
    """Every command with the exit code that the page gives it."""
    return [(found["command"], int(found["code"] or 0)) for found in COMMAND.finditer(page)]


def compare_words(command: str, told: list[str], said: list[str]) -> None:
    """The page's words are what was said, ``...`` being any words."""
    wanted = [re.escape(word) if word != "..." else ".*?" for line in told for word in line.split()]
    words = " ".join(said).split()
    if told and not re.fullmatch(" ?".join(wanted), " ".join(words)):
        parts = [" ".join(part.split()) for part in "\n".join(told).split("...")]
        missing = [part for part in parts if part not in " ".join(words)]
        raise AssertionError(f"$ {command}\nnot said, or not in this order: {missing}\nsaid:\n" + "\n".join(said))


def follow(page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, int]]:
    """Every command with the exit code it had."""
    place = 0
    with monkeypatch.context() as patch:
        patch.setattr(walked_pages, "compare", compare_words)
        for new in _NEW_FILE.finditer(page):
            yield from walk(page[place : new.start()], monkeypatch, capsys)
            Path(new[1]).write_text(new[2], encoding="utf-8", newline="\n")
            place = new.end()
        yield from walk(page[place:], monkeypatch, capsys)
