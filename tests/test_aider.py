"""Chat histories of aider: who wrote which line, several sessions in a file, and the real ones."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from hypothesis import given
from imported import NOISE, TRACES, assert_read_or_refused, assert_sound, broken_texts, samples

from bench.traces.aider import read, speaks
from bench.traces.report import Session

STARTED = "# aider chat started at 2026-01-02 12:00:00"
CHAT = """
# aider chat started at 2026-01-02 12:00:00

> Aider v0.86.2
> Main model: m-1 with diff edit format, infinite output

#### Mend the parser.
####
####     #### and this heading

> Tokens: 3.3k sent, 200 received. Cost: $0.01 message, $0.02 session.

Here is the change.

#### A heading of the model

> a quotation of the model

> src/parser.py
> Create new file? (Y)es/(N)o [Yes]: y
> Applied edit to src/parser.py

> pytest -q
> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: n

> pytest -q
> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: y
> Running pytest -q
> Added 3 lines of output to the chat.

#### /add a.py
#### /run make all

#### /ask why?

#### Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]: all
>
> ^C again to exit
"""
PLAIN = ("#### A heading of the model", "> a quotation of the model")


def as_written(text: str) -> str:
    """Two spaces behind each line of the harness, as it writes them; the model's lines have none."""
    marked = [
        f"{line}  " if line.startswith(("####", ">")) and line not in PLAIN else line for line in text.split("\n")
    ]
    return "\n".join(marked)


def sessions(text: str) -> list[Session]:
    found = list(read(io.BytesIO(text.encode())))
    for one in found:
        assert_sound(one)
    return found


def session(text: str) -> Session:
    (found,) = sessions(text)
    return found


def test_who_wrote_which_line() -> None:
    text = as_written(CHAT).replace("#### /run", "\n#### /run")
    found = session(text)
    assert [(e.kind, e.origin, e.text or e.command or e.path) for e in found.events] == [
        ("system", None, "Aider v0.86.2\nMain model: m-1 with diff edit format, infinite output"),
        ("prompt", "human", "Mend the parser.\n\n    #### and this heading"),
        ("usage", None, "Tokens: 3.3k sent, 200 received. Cost: $0.01 message, $0.02 session."),
        (
            "message",
            None,
            "Here is the change.\n\n#### A heading of the model\n\n> a quotation of the model",
        ),
        ("system", None, "src/parser.py"),
        ("approval", None, "src/parser.py\nCreate new file?"),
        ("file", None, "src/parser.py"),
        ("system", None, "pytest -q"),
        ("approval", None, "pytest -q\nRun shell command?"),
        ("system", None, "pytest -q"),
        ("approval", None, "pytest -q\nRun shell command?"),
        ("command", None, "pytest -q"),
        ("system", None, "Added 3 lines of output to the chat."),
        ("prompt", "command", "/add a.py"),
        ("command", None, "make all"),
        ("prompt", "human", "/ask why?"),
        ("system", None, "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]: all"),
        ("interrupt", None, "^C again to exit"),
    ]
    decisions = [e.approval.decision for e in found.events if e.approval]
    assert decisions == ["approved", "denied", "approved"]
    ran, typed = (e for e in found.events if e.kind == "command")
    assert (ran.outcome, ran.exit_source, ran.output, ran.args) == ("unobservable", "none", None, None)
    assert typed.args == {"source": "person"}
    assert found.model == "m-1" and found.report.versions == {"v0.86.2": 1}
    assert found.report.skipped == {"header": 1, "blank notice": 1}
    assert found.report.seen == sum(bool(line.strip()) for line in text.split("\n"))


def test_an_event_points_to_its_first_line() -> None:
    text = as_written(CHAT).replace("#### /run", "\n#### /run")
    numbered = text.split("\n")
    for event in session(text).events:
        assert event.line is not None
        first = (event.text or event.command or event.path or "").split("\n")[0]
        assert first in numbered[event.line - 1] or event.kind == "approval"


def test_a_command_that_nobody_allowed_is_only_a_notice() -> None:
    found = session(f"{STARTED}\n\n> Running rm -rf /  \n")
    assert [e.kind for e in found.events] == ["system"]


def test_marks_inside_the_models_text_need_the_harnesses_spaces_and_a_blank_line() -> None:
    text = f"{STARTED}\n\n#### real  \n\nanswer\n#### no blank line before  \n\n#### no spaces behind\n> Applied edit to x\n"
    found = session(text)
    assert [(e.kind, e.text) for e in found.events if e.kind != "message"] == [("prompt", "real")]


def test_without_any_spaces_at_line_ends_the_marks_alone_must_do() -> None:
    found = session(f"{STARTED}\r\n\r\n#### Mend it.\r\n\r\nDone.\r\n\r\n> Applied edit to a.py\r\n")
    assert [(e.kind, e.text or e.path) for e in found.events] == [
        ("prompt", "Mend it."),
        ("message", "Done."),
        ("file", "a.py"),
    ]


def test_several_sessions_share_one_report_and_empty_ones_are_not_given() -> None:
    text = f"{STARTED}\n\n{STARTED}\n\n#### a  \n\n{STARTED}\n\n#### b  \n\nsaid\n"
    found = sessions(text)
    assert [[e.text for e in one.events] for one in found] == [["a"], ["b", "said"]]
    assert found[0].report is found[1].report and found[0].report.skipped == {"header": 3} and found[0].report.seen == 6


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        (f"\n{STARTED}\n", True),
        (f"\ufeff{STARTED}", True),
        ("# aider chat started at noon", False),
        (f"x\n{STARTED}", False),
        ("", False),
        ('{"role": "user"}', False),
    ],
)
def test_how_it_is_told(head: str, is_one: bool) -> None:
    assert speaks(head) is is_one


def test_no_other_formats_file_is_taken() -> None:
    own = set(samples("aider/*"))
    paths: list[Path] = [*TRACES.glob("*/*"), *(TRACES.parent / "data/real_sessions").glob("*")]
    taken = [path.name for path in paths if speaks(path.read_bytes()[:65536].decode("utf-8", "replace"))]
    assert sorted(taken) == sorted(path.name for path in own)


def test_the_real_ones() -> None:
    """Counted with grep: headers, blocks of ``####``, applied edits, lines of token counts."""
    counts = {}
    for path in samples("aider/*"):
        text = path.read_text(encoding="utf-8")
        found = sessions(text)
        kinds = [e.kind for one in found for e in one.events]
        report = found[0].report
        assert report.seen == sum(bool(line.strip()) for line in text.split("\n"))
        assert kinds.count("file") == text.count("> Applied edit to ")
        assert kinds.count("usage") == text.count(" prompt tokens, ")
        counts[path.name] = (len(found), kinds.count("prompt"), kinds.count("file"), report.skipped["header"])
    assert counts == {"aider-django__django-11049.md": (1, 1, 2, 1), "aider-sphinx-doc__sphinx-8627.md": (2, 2, 1, 3)}


def test_a_great_many_lines_take_linear_time() -> None:
    start = time.perf_counter()
    sessions(
        f"{STARTED}\n\n" + "> notice  \n" * 100_000 + "\n" + "#### typed  \n" * 100_000 + "\n" + "text\n" * 100_000
    )
    assert time.perf_counter() - start < 20


@NOISE
@given(broken_texts(as_written(CHAT)))
def test_any_bytes_are_read(raw: bytes) -> None:
    assert_read_or_refused(read, raw)
