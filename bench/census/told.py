"""A census, told: as a table for a terminal, as Markdown, as JSON. No text of any session is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from bench import __version__
from bench.census.count import Books
from bench.census.figures import EXIT_SOURCES, HarnessFigures
from bench.census.take import Taken
from bench.measure.estimate import Estimate
from bench.problems import shorten
from bench.terminal.table import columns
from bench.terminal.words import counted, wrapped

NOTE = (
    "Shares carry 95 % intervals with the session as the unit. Exit codes: structured stands in a field of the record, "
    "text in what the harness wrote, implied in a success flag; without: the record does not say. A typed prompt is one that a "
    "person wrote."
)


def census_sentence(figures: Sequence[HarnessFigures], taken: Taken) -> str:
    """What was counted, in words."""
    sessions = sum(one.sessions for one in figures)
    events = sum(one.events for one in figures)
    unread = f"; {counted(len(taken.unread), 'file')} not read" if taken.unread else ""
    told = f"{counted(sessions, 'session')} of {counted(len(figures), 'harness')}, {counted(events, 'event')}"
    return f"{told}{unread}."


def census_lines(figures: Sequence[HarnessFigures], taken: Taken) -> Iterator[str]:
    """For a terminal."""
    yield wrapped(census_sentence(figures, taken))
    for one in figures:
        yield ""
        yield wrapped(f"{one.harness}: {_size(one)}")
        for name, value in _rows(one):
            yield wrapped(f"{name}: {value}", "  ", "      ")
    yield ""
    yield columns(list(_book_rows(taken.books)))
    for path, why in taken.unread[:20]:
        yield wrapped(f"not read: {shorten(path.name)}: {why}")
    if len(taken.unread) > 20:
        yield f"... and {counted(len(taken.unread) - 20, 'more file')} not read"
    yield ""
    yield wrapped(NOTE)


def census_markdown(figures: Sequence[HarnessFigures], taken: Taken, title: str) -> Iterator[str]:
    """For a published folder."""
    yield f"# {title}"
    yield ""
    yield census_sentence(figures, taken)
    yield ""
    yield f"{NOTE} bench {__version__}."
    for one in figures:
        yield ""
        yield f"## {one.harness}"
        yield ""
        yield f"{_size(one)}, {counted(one.prompts, 'prompt')}."
        yield ""
        yield "| what | share or count |"
        yield "|---|---|"
        yield from (f"| {name} | {value} |" for name, value in _rows(one))
    yield ""
    yield "## Records"
    yield ""
    rows = list(_book_rows(taken.books))
    yield from (
        f"| {' | '.join(row)} |" if at else f"| {' | '.join(row)} |\n|{'---|' * len(row)}"
        for at, row in enumerate(rows)
    )
    for path, why in taken.unread:
        yield f"* not read: {path.name}: {why}"


def census_json(figures: Sequence[HarnessFigures], taken: Taken) -> dict[str, Any]:
    """For machines."""
    return {
        "format": 1,
        "bench": __version__,
        "outcome": census_sentence(figures, taken),
        "harnesses": [asdict(one) for one in figures],
        "records": {name: _books(books) for name, books in sorted(taken.books.items())},
        "not_read": [{"file": path.name, "why": why} for path, why in taken.unread],
    }


def _books(books: Books) -> dict[str, Any]:
    counters = {name: dict(sorted(getattr(books, name).items())) for name in ("skipped", "unknown", "versions")}
    numbers = {
        name: getattr(books, name) for name in ("files", "sessions", "seen", "used", "malformed", "orphan_results")
    }
    return {**numbers, **counters, "balanced": books.balanced}


def _size(one: HarnessFigures) -> str:
    sizes = {"session": one.sessions, "event": one.events, "call": one.calls, "command": one.commands}
    return ", ".join(counted(count, word) for word, count in sizes.items())


def _rows(one: HarnessFigures) -> Iterator[tuple[str, str]]:
    for name in EXIT_SOURCES:
        yield (
            f"commands with an exit code: {name}" if name != "none" else "commands without an exit code",
            _cell(one.exit_codes[name]),
        )
    for name, estimate in one.outcomes.items():
        yield f"calls: {name}", _cell(estimate)
    yield "prompts typed by a person", _cell(one.typed)
    yield "prompts by origin", _counts(one.origins)
    yield "approvals", _counts(one.approvals)
    for name, estimate in (
        ("sessions with a refused call", one.with_refusal),
        ("sessions with an interrupt", one.with_interrupt),
        ("sessions with a compaction", one.with_compaction),
        ("sessions with sub-agents", one.with_threads),
        ("sessions of more than 80 events", one.over_80),
    ):
        yield name, _cell(estimate)
    yield "events a session", ", ".join(f"{name} {value}" for name, value in one.lengths.items())
    for name, estimate in one.rules.items():
        reasons = one.unscored.get(name, {})
        yield f"{name} fires", _cell(estimate) + (f"; not asked: {_counts(reasons)}" if reasons else "")


def _book_rows(books: Mapping[str, Books]) -> Iterator[tuple[str, ...]]:
    yield "format", "files", "sessions", "records", "used", "skipped", "unknown", "malformed", "orphans"
    for name, one in sorted(books.items()):
        numbers = (one.files, one.sessions, one.seen, one.used, one.skipped.total(), one.unknown.total(), one.malformed)
        yield name, *map(str, numbers), str(one.orphan_results)


def _cell(estimate: Estimate) -> str:
    share = (
        "" if estimate.numerator is None or estimate.too_few else f" ({estimate.numerator} of {estimate.denominator})"
    )
    return f"{estimate.cell()}{share}"


def _counts(counts: Mapping[str, int] | Iterable[tuple[str, int]]) -> str:
    pairs = counts.items() if isinstance(counts, Mapping) else counts
    return ", ".join(f"{name} {count}" for name, count in pairs) or "none"
