"""Import of a chat history of aider (``.aider.chat.history.md``): Markdown, with one session after the other.

Source: ``io.py``, ``coders/base_coder.py`` and ``commands.py`` of the PyPI package ``aider-chat`` 0.86.2.

One record is one line that is not blank. A session begins at its header; those without an event are not given. All share
the file's report. The harness marks what was typed with ``####`` and its own notices with ``>``, and ends each of these
lines with two spaces; all other text is the model's. So a model that writes these marks itself cannot be told from the
harness, nor can a program whose output aider repeats: what is read from marks is inferred. Where an editor has removed all
spaces at line ends, the marks alone must do. What ``--message`` or a script gave as the prompt looks typed. Commands are
recorded without output or exit code (unobservable); moments are local, of a zone unknown, so events have none.
Newer versions mark just the first line of a notice of several: the others look like the model's text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import BinaryIO, Literal

from bench.schema.event import Approval, Event, Kind
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import most_common

NAME = "aider"
_LARGEST = 1 << 29  # bytes
_HEADER = re.compile(r"# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*")
_VERSION = re.compile(r"Aider (v\S{1,60})")
_MODEL = re.compile(r"(?:Main model|Models?): (\S{1,200}) with ")
_QUESTION = re.compile(
    r"(?P<asked>(?:Run shell commands?|Create new file|Allow edits to file that has not been added to the chat|Edit the files)\?"
    r"|Allow creation of new file .{1,2000}\?)(?: \(Y\)es/\(N\)o[^\[]{0,80}\[[^\]]{0,20}\]:)? (?P<answer>[a-z']{1,6})"
)
_SHELL = re.compile(r"Run shell commands?\?")
_USAGE = re.compile(r"Tokens: .{1,80} sent|\d{1,15} prompt tokens, ")
_APPLIED, _RUNNING = "Applied edit to ", "Running "
_STOPPED = frozenset({"^C again to exit", "^C KeyboardInterrupt"})
_ASKED_ITSELF = re.compile(
    r".{1,500} \(Y\)es/\(N\)o.{0,80}: (?:all|skip)"
)  # the harness repeats an answer given before
_SHELL_WORD = re.compile(r"(?:!|/(?:run|test|git)\b)[ \t]*(?P<command>\S[\s\S]*)")
_ASKING = re.compile(r"/(?:ask|code|architect|context|help)[ \t]+\S")
Mark = Literal["header", "typed", "notice", "text"]


def speaks(head: str) -> bool:
    """Whether a text begins like a chat history of this harness."""
    first = next((line for line in head.lstrip("\ufeff").splitlines() if line.strip()), "")
    return _HEADER.fullmatch(first) is not None


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a file, in its order."""
    raw = stream.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise ValueError(f"the chat history is larger than {_LARGEST} bytes")
    lines = raw.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    report = ImportReport(format=NAME)
    current = _Chat(report)
    for mark, group in groupby(_marked(lines), key=lambda line: line.mark):
        if mark == "header":
            for _ in group:
                if current.events:
                    yield current.session()
                current = _Chat(report)
                report.seen += 1
                report.skipped["header"] += 1
        else:
            current.take(mark, list(group))
    if current.events:
        yield current.session()


@dataclass(frozen=True)
class _Marked:
    number: int
    mark: Mark
    text: str


def _marked(lines: list[str]) -> Iterator[_Marked]:
    """Every line with its writer. Blank lines belong to the text around them."""
    strict = any(line.startswith("#### ") and line.removesuffix("\r").endswith("  ") for line in lines)
    before: Mark | None = None  # none behind a blank line
    for number, raw in enumerate(lines, start=1):
        line = raw.removesuffix("\r")
        if not line.strip():
            if before is not None:
                yield _Marked(number, "text", "")
            before = None
            continue
        mark = _mark(line, strict, before)
        width = {"typed": 4, "notice": 1}.get(mark)
        text = line if width is None else line[width:].removesuffix("  ").removeprefix(" ")
        yield _Marked(number, mark, text)
        before = mark


def _mark(line: str, strict: bool, before: Mark | None) -> Mark:
    closed = line.endswith("  ") or not strict
    if line.startswith("#### ") and closed and before in (None, "typed"):
        return "typed"
    if line.startswith(">") and line[1:2] in (" ", "") and closed:
        return "notice"
    return "header" if before is None and _HEADER.fullmatch(line) else "text"


@dataclass
class _Chat:
    """One session of the file."""

    report: ImportReport
    events: list[Event] = field(default_factory=list)
    models: Counter[str] = field(default_factory=Counter)
    _subject: list[str] = field(default_factory=list)  # notices since the last decision: what was asked about
    _approved: bool = False  # a shell command may run

    def session(self) -> Session:
        return Session(NAME, tuple(self.events), self.report, model=most_common(self.models))

    def take(self, mark: Mark, lines: list[_Marked]) -> None:
        """The events of neighbouring lines of one writer."""
        text = "\n".join(line.text for line in lines)
        if mark == "notice":
            self._notices(lines)
        elif mark == "typed":
            self._book("typed", len(lines), bool(text.strip()))
            self._typed(lines[0].number, text)
        else:
            self._book("text", sum(bool(line.text.strip()) for line in lines), True)
            if text.strip():
                self._subject = []
                self.events.append(Event(kind="message", text=text.strip("\n"), line=_start(lines)))

    def _book(self, mark: Mark, lines: int, used: bool) -> None:
        self.report.seen += lines
        if used:
            self.report.used += lines
        else:
            self.report.skipped[f"blank {mark}"] += lines

    def _typed(self, number: int, text: str) -> None:
        base = Event(kind="other", line=number, fidelity="inferred")
        self._subject = []
        if _ASKED_ITSELF.fullmatch(text):
            self._add(base, "system", text)
        elif shell := _SHELL_WORD.fullmatch(text):
            self._command(base, shell["command"], {"source": "person"})
        elif text.strip():
            command = text.startswith("/") and not _ASKING.match(text)
            prompt = {"kind": "prompt", "text": text, "origin": "command" if command else "human"}
            self.events.append(base.model_copy(update=prompt))

    def _notices(self, lines: list[_Marked]) -> None:
        plain: list[_Marked] = []  # notices that say nothing by themselves are one event
        for line in lines:
            self._book("notice", 1, bool(line.text.strip()))
            if self._is_event(line):
                self._note(plain, before=True)
                plain = []
            else:
                plain.append(line)
                self._subject = [*self._subject[-20:], line.text] if line.text.strip() else []
        self._note(plain)

    def _note(self, lines: list[_Marked], *, before: bool = False) -> None:
        """One event of some notices, ahead of the last event where they came before it."""
        text = "\n".join(line.text for line in lines).strip("\n")
        if text.strip():
            noted = Event(kind="system", text=text, line=_start(lines))
            self.events.insert(len(self.events) - before, noted)

    def _is_event(self, line: _Marked) -> bool:
        """Whether a notice tells an event of its own, which is added."""
        base, text, known = Event(kind="other", line=line.number, fidelity="inferred"), line.text.strip(), True
        if decided := _QUESTION.fullmatch(text):
            self._decided(base, decided["asked"], decided["answer"])
        elif text.startswith(_APPLIED) and len(text) > len(_APPLIED):
            self.events.append(
                base.model_copy(update={"kind": "file", "path": text.removeprefix(_APPLIED), "ok": True})
            )
        elif self._approved and text.startswith(_RUNNING) and len(text) > len(_RUNNING):
            self._command(base, text.removeprefix(_RUNNING), None)
        elif text in _STOPPED:
            self.events.append(base.model_copy(update={"kind": "interrupt", "text": text}))
        elif _USAGE.match(text):
            self._add(base, "usage", text)
        else:
            known = False
            self._about(text)
        return known

    def _about(self, text: str) -> None:
        if version := _VERSION.fullmatch(text):
            self.report.versions[version[1]] += 1
        if model := _MODEL.match(text):
            self.models[model[1]] += 1

    def _decided(self, base: Event, asked: str, answer: str) -> None:
        yes = answer[0] in "ya"
        self._approved = yes if _SHELL.fullmatch(asked) else self._approved
        about = "\n".join([*self._subject, asked])
        self._subject = []
        approval = Approval(decision="approved" if yes else "denied")
        self.events.append(base.model_copy(update={"kind": "approval", "approval": approval, "text": about}))

    def _command(self, base: Event, command: str, args: dict[str, str] | None) -> None:
        fields = {"kind": "command", "command": command, "args": args, "exit_source": "none"}
        self.events.append(base.model_copy(update={**fields, "outcome": "unobservable"}))

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.events.append(base.model_copy(update={"kind": kind, "text": text}))


def _start(lines: list[_Marked]) -> int:
    return next(line.number for line in lines if line.text.strip())


FORMAT = Format(NAME, f"{NAME}@1", "text", speaks, read)
