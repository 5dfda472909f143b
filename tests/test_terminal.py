"""What goes to a terminal: tables that fit, words in good grammar, colour where it is seen, a sign of life."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from printed import flat, too_wide

from bench.terminal import waiting as waiting_module
from bench.terminal.say import is_colourful, painted, say
from bench.terminal.table import columns, reasons_below
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, hanging, one_of, width, wrapped

PACKAGE = Path(__file__).parent.parent / "bench"
CODES = re.compile(r"\x1b\[\d+m")


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


# --- tables ---

names = st.lists(st.sampled_from(["rule", "prompt", "after", "call", "head", "v1.1", "12"]), min_size=1, max_size=9)
name_cells = names.map(lambda parts: ":".join(parts)) | names.map("-".join)
numbers = st.sampled_from(["", "n/a", "7", "140", ".93 [.87, .96]", "1.00 [.82, 1.00]", "16/16 [.40, 1.00] too few"])
heads = st.sampled_from(["items", "raw agreement", "balanced accuracy", "wrong where two agree", "MCC"])


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    others = draw(st.integers(1, 12))
    rows = draw(st.lists(st.tuples(name_cells, *[numbers] * others), min_size=1, max_size=6))
    return [["judge", *(draw(heads) for _ in range(others))], *(list(row) for row in rows)]


def columns_of(text: str) -> list[list[str]]:
    """The text of every column, block by block, by the rule under the heads; without the head."""
    found = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        rule = next(number for number, line in enumerate(lines) if set(line) <= {"-", " "} and line)
        spans = [match.span() for match in re.finditer("-+", lines[rule])]
        found.append(["".join(line[start:end] for line in lines[rule + 1 :]) for start, end in spans])
    return found


@settings(max_examples=120, deadline=None)
@given(tables())
def test_every_table_fits_and_loses_no_character(rows: list[list[str]]) -> None:
    text = columns(rows)
    assert max(map(len, text.splitlines())) <= 80
    blocks = columns_of(text)
    wanted = ["".join(row[i] for row in rows[1:]).replace(" ", "") for i in range(len(rows[0]))]
    told = [column.replace(" ", "") for block in blocks for column in block[1:]]
    assert told == wanted[1:]
    assert {block[0].replace(" ", "") for block in blocks} == {wanted[0]}, "each block names its rows"


@settings(max_examples=60, deadline=None)
@given(tables())
def test_an_interval_is_never_torn(rows: list[list[str]]) -> None:
    lines = columns(rows).splitlines()
    assert [line for line in lines if line.count("[") != line.count("]")] == []


def test_a_table_that_fits_is_left_alone() -> None:
    assert columns([("judge", "F1"), ("exact", ".5"), ("head", "1.00")]) == (
        "judge    F1\n-----  ----\nexact    .5\nhead   1.00"
    )


def test_a_wide_terminal_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["judge", *["balanced accuracy"] * 6], ["rule:prompt-after-call", *[".93 [.87, .96]"] * 6]]
    assert len(columns(rows).splitlines()) > 3
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "200")
    assert len(columns(rows).splitlines()) == 3


def test_width_is_80_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert width() == 80
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert width() == 40, "narrower than that no table can be read"


def test_reasons_stand_under_the_table() -> None:
    rows, told = reasons_below(
        [["a", "yes", "no"], ["x", "n/a (0 items)", "n/a (0 items)"], ["y", ".5", "n/a (all no)"]]
    )
    assert [*map(list, rows[1:])] == [["x", "n/a", "n/a"], ["y", ".5", "n/a"]]
    assert told == ["n/a: 0 items (yes, no)", "n/a: all no (no)"]


def test_there_is_one_printer_of_tables_and_one_that_breaks_lines() -> None:
    pattern = re.compile(r"\.[lr]just\(|^import textwrap|^from textwrap", re.MULTILINE)
    users = [path for path in PACKAGE.rglob("*.py") if pattern.search(path.read_text(encoding="utf-8"))]
    assert {path.relative_to(PACKAGE).parts[0] for path in users} == {"terminal"}


# --- words ---


@pytest.mark.parametrize(("count", "word", "told"), [
    (1, "file", "1 file"), (0, "file", "0 files"), (2, "family", "2 families"), (1, "family", "1 family"),
    (3, "day", "3 days"), (2, "harness", "2 harnesses"), (2, "judge and statement line", "2 judge and statement lines"),
])  # fmt: skip
def test_grammar(count: int, word: str, told: str) -> None:
    assert counted(count, word) == told


def test_a_line_breaks_neither_in_a_name_nor_in_an_interval() -> None:
    text = f"{'word ' * 14}rule:prompt-directly-after has .51 [.49, .56] on {'word ' * 9}.52 [.50, .59]"
    lines = wrapped(text).splitlines()
    assert max(map(len, lines)) <= 80
    assert flat(wrapped(text)) == flat(text)
    assert any("rule:prompt-directly-after" in line for line in lines)
    assert all(line.count("[") == line.count("]") for line in lines)


def test_a_path_is_left_whole_and_a_signature_is_folded_between_its_parts() -> None:
    path = "/".join(["folder"] * 15)
    assert path in wrapped(f"written to {path}, sealed").splitlines()[1]
    signature = "|".join(f"part{i}:{'x' * 12}" if i % 3 else f"part:{'y' * 9}" for i in range(12))
    lines = wrapped(signature, rest="").splitlines()
    assert "".join(lines) == signature and max(map(len, lines)) <= 80


def test_hanging_lines_stand_under_the_first() -> None:
    assert hanging("met", "word " * 20, 8).splitlines()[1].startswith("        word")
    assert hanging("a-name-that-is-longer", "what it is", 8).splitlines() == [
        "a-name-that-is-longer",
        "        what it is",
    ]


@pytest.mark.parametrize(("word", "known", "told"), [
    ("verfy", ["verify", "run"], "did you mean verify?"),
    ("xyz", ["a", "b"], "use one of a, b"),
    ("xyz", list("abcdefghij"), "use one of a, b, c, d, e, f, g, h, ... (10 in all)"),
    ("xyz", [], "there are none"),
])  # fmt: skip
def test_an_unknown_name_gets_the_nearest(word: str, known: list[str], told: str) -> None:
    assert one_of(word, known) == told


# --- colour ---

TOLD = "met           books: all there\nnot met       data\n\njudge  F1\n-----  --\nexact  .5\nnot met [exit 1]"


def test_colour_says_nothing_that_the_words_do_not_say() -> None:
    assert CODES.search(painted(TOLD))
    assert CODES.sub("", painted(TOLD)) == TOLD


@given(st.text(alphabet=st.sampled_from("met noxi[] 01-:\n")))
def test_without_its_codes_a_painted_text_is_the_text(text: str) -> None:
    assert CODES.sub("", painted(text)) == text


@pytest.mark.parametrize(("stream", "environment", "wanted"), [
    (Terminal(), {"TERM": "xterm"}, True),
    (Terminal(), {"TERM": "dumb"}, False),
    (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
    (io.StringIO(), {"TERM": "xterm"}, False),
])  # fmt: skip
def test_colour_only_where_it_is_seen_and_wanted(
    stream: io.StringIO, environment: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_colourful(stream) is wanted
    say(TOLD, stream)
    assert bool(CODES.search(stream.getvalue())) is wanted


# --- a sign of life ---


def test_nothing_is_shown_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_module, "AFTER", 0.0)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with waiting("reading"):
        time.sleep(0.02)
    assert stream.getvalue() == ""


def test_a_terminal_is_told_after_a_while_and_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_module, "EVERY", 0.01)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with waiting("reading"):
        pass
    assert stream.getvalue() == "", "what is quick says nothing"
    monkeypatch.setattr(waiting_module, "AFTER", 0.01)
    with waiting("reading"):
        time.sleep(0.08)
    said = stream.getvalue()
    assert "reading ... 0 s" in said
    assert re.search(r"\r +\r$", said), "the line is wiped"


def test_a_failure_ends_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(ValueError, match="broken"), waiting("reading"):
        raise ValueError("broken")


# --- a real terminal ---


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_command_in_a_terminal(environment: dict[str, str], coloured: bool, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("label,verdict\n" + "yes,yes\nno,no\nyes,no\n" * 9, encoding="utf-8")
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.Popen(
        [sys.executable, "-m", "bench", "check", "t.csv", "--min", "precision=.99"], cwd=tmp_path, stdout=theirs,
        env={**kept, "TERM": "xterm", "COLUMNS": "80", "PYTHONPATH": str(PACKAGE.parent), **environment},
    )  # fmt: skip
    os.close(theirs)
    said = b""
    with (
        os.fdopen(ours, "rb", buffering=0) as stream,
        contextlib.suppress(OSError),
    ):  # the end of a terminal is an error
        while block := stream.read(4096):
            said += block
    assert done.wait(60) in (1, 2)
    assert bool(CODES.search(said.decode())) is coloured
    assert too_wide(CODES.sub("", said.decode())) == []
