"""Counts of what authored cases show (those with an author's note), against the minimums that the suite declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.cases.load import LoadedCase, LoadedSuite
from bench.labels.notes import LoadedNote, load_notes
from bench.problems import BrokenInput
from bench.projection.presets import PRESETS
from bench.running.views import Views
from bench.schema.case import Attempt
from bench.schema.minimum import Minimum
from bench.schema.suite import Suite
from bench.terminal.table import columns


@dataclass(frozen=True)
class Authored:
    """What was counted. ``lengths`` are of attempts, in events; ``positions`` hold (events, deciding event) of cases
    with one attempt whose note names the deciding event; where it names several, the first is the decisive one."""

    phenomena: Mapping[str, int]  # cases, in the order of the vocabulary
    tags: Mapping[str, int]
    lengths: tuple[int, ...]
    positions: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Line:
    """One row of the table: what was counted, and what is wanted, if anything; ``minimum`` is its place in the suite."""

    name: str
    found: int
    of: int | None = None  # the whole, where a share is wanted
    minimum: int | None = None
    wanted: str = ""
    met: bool = True

    @property
    def told(self) -> str:
        return str(self.found) if self.of is None else f"{self.found} of {self.of}"


def count_authored(suite: LoadedSuite, notes: Mapping[str, LoadedNote], views: Views) -> Authored:
    """Count phenomena, tags, lengths and positions over the cases that have a note."""
    words = suite.suite.vocabulary
    phenomena, tags = Counter(dict.fromkeys(words.phenomena, 0)), Counter(dict.fromkeys(words.tags, 0))
    lengths: list[int] = []
    positions: list[tuple[int, int]] = []
    for loaded in suite.cases:
        note = notes.get(loaded.case.id)
        if note is None:
            continue
        phenomena.update(set(note.note.phenomena))
        tags.update(set(loaded.case.metadata.tags))
        known = [n for n in (events_in(loaded, attempt, views) for attempt in loaded.case.attempts) if n is not None]
        lengths += known
        if len(loaded.case.attempts) == len(known) == 1 and note.note.deciding_events:
            positions.append((known[0], note.note.deciding_events[0]))
    return Authored(phenomena, tags, tuple(lengths), tuple(positions))


def events_in(loaded: LoadedCase, attempt: Attempt, views: Views) -> int | None:
    """How many events the attempt has; None where its session is neither at hand nor known."""
    if attempt.events is not None:
        return len(attempt.events)
    try:
        view = views.look_up(loaded, attempt, PRESETS["events"])
    except BrokenInput:  # told by the lint of the session itself
        return None
    return None if view is None else view.total


def lines_of(suite: Suite, authored: Authored) -> list[Line]:
    """The minimums, each phenomenon without one, and each tag without one."""
    lines = [line for i, minimum in enumerate(suite.rules.minimums) for line in _demanded(i, minimum, authored)]
    held = {line.name for line in lines}
    counted = [Line(f"phenomenon {name}", n) for name, n in authored.phenomena.items()]
    counted += [Line(f"tag {name}", n) for name, n in authored.tags.items()]
    return lines + [line for line in counted if line.name not in held]


def _demanded(index: int, minimum: Minimum, authored: Authored) -> Iterator[Line]:
    least = minimum.at_least or 0
    over = minimum.events_over or 0
    if minimum.share is not None:
        inside = middle_third(authored, over)[0]
        long = sum(length > over for length in authored.lengths)
        wanted = f"{minimum.share:g}"
        met = inside >= minimum.share * long
        yield Line(f"deciding event in the middle third, over {over} events", inside, long, index, wanted, met)
        return
    if minimum.phenomenon is not None:
        counted = {f"phenomenon {minimum.phenomenon}": authored.phenomena.get(minimum.phenomenon, 0)}
    elif minimum.every is not None:
        counted = {f"phenomenon {name}": n for name, n in authored.phenomena.items()}
    elif minimum.tag is not None:
        counted = {f"tag {minimum.tag}": authored.tags.get(minimum.tag, 0)}
    else:
        counted = {f"attempts over {over} events": sum(length > over for length in authored.lengths)}
    for name, n in counted.items():
        yield Line(name, n, None, index, str(least), n >= least)


def middle_third(authored: Authored, over: int) -> tuple[int, int]:
    """(how many stand in the middle third, of how many attempts over that length). An event's place is its middle."""
    long = [(total, number) for total, number in authored.positions if total > over]
    return sum(2 * total <= 6 * number - 3 <= 4 * total for total, number in long), len(long)


def counts_of(suite: LoadedSuite, views: Views) -> list[str]:
    """The table of all counts."""
    return table_of(lines_of(suite.suite, count_authored(suite, load_notes(suite)[0], views)))


def table_of(lines: list[Line]) -> list[str]:
    """The counts as text; an exclamation mark where a minimum is not reached."""
    rows = [("authored cases with a note", "found", "at least")]
    rows += [(line.name, line.told, line.wanted + ("" if line.met else " !")) for line in lines]
    return columns(rows).splitlines()
