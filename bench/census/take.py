"""Take a census of files and folders: every session that is read, and every file that is not, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.census.count import Books, Counted, add_report, count_events, count_session
from bench.judges.rules import RuleJudge
from bench.problems import BrokenInput
from bench.traces.detect import READERS, detect_file, read_sessions
from bench.traces.lines import bounded_lines, open_lines
from bench.traces.report import ImportReport, Session
from bench.traces.stream import stream_events

LARGE = 1 << 28  # bytes: a session that is larger is streamed, and no rule is asked about it
TOO_LARGE = "too_long"


@dataclass
class Taken:
    """What a census found."""

    counted: list[Counted] = field(default_factory=list)
    books: dict[str, Books] = field(default_factory=dict)  # by format
    unread: list[tuple[Path, str]] = field(default_factory=list)


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as they are named; of a folder all that lie in it, sorted, hidden ones aside."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        yield from (
            file
            for file in sorted(path.rglob("*"))
            if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
        )


def take(
    paths: Sequence[Path], rules: Sequence[RuleJudge], tick: Callable[[int], None], form: str | None = None
) -> Taken:
    """Read every file once. ``tick`` is told the bytes that are done."""
    found = Taken()
    for path in paths:
        try:
            _file(path, rules, found, form)
        except BrokenInput as error:
            found.unread.append((path, error.problems[0].found))
        except OSError as error:
            found.unread.append((path, f"cannot be read: {error.strerror}"))
        tick(path.stat().st_size if path.is_file() else 0)
    return found


def _file(path: Path, rules: Sequence[RuleJudge], found: Taken, form: str | None) -> None:
    name = form or detect_file(path)
    if path.stat().st_size > LARGE and name in READERS:
        _large(path, name, rules, found)
        return
    reports: list[ImportReport] = []
    for session in read_sessions(path, name):
        books = found.books.setdefault(session.report.format, Books())
        books.sessions += 1
        if all(session.report is not other for other in reports):  # sessions of a file may share one
            reports.append(session.report)
        found.counted.append(count_session(session, rules))
        last: Session = session
    for report in reports:
        add_report(found.books[report.format], report)
    found.books[last.report.format].files += 1


def _large(path: Path, name: str, rules: Sequence[RuleJudge], found: Taken) -> None:
    report = ImportReport(name)
    with open_lines(path) as stream:
        told = tuple((rule.name, TOO_LARGE) for rule in rules)
        found.counted.append(count_events(name, stream_events(bounded_lines(stream), report, name), told))
    books = found.books.setdefault(name, Books())
    books.files += 1
    books.sessions += 1
    add_report(books, report)
