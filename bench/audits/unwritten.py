"""Findings about a contribution that is not done: words of the scaffold, a twin that is still a copy, a vote of the author."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bench.cases.load import LoadedCase, LoadedSuite
from bench.cases.scaffold import PLACEHOLDERS
from bench.cases.sources import source_of
from bench.labels.load import Labels
from bench.labels.notes import LoadedNote
from bench.problems import Problem
from bench.reading.strict_yaml import Place


def unwritten(suite: LoadedSuite, notes: Mapping[str, LoadedNote]) -> Iterator[Problem]:
    """What ``bench new`` wrote and nobody changed."""
    for loaded in suite.cases:
        yield from _words_of_the_scaffold(loaded, notes.get(loaded.case.id))
    yield from _copies(suite)


def _words_of_the_scaffold(loaded: LoadedCase, note: LoadedNote | None) -> Iterator[Problem]:
    found, fix = "the scaffold's own words", "put this case's words in its place"
    texts: list[tuple[Place, str | None]] = [(("query",), loaded.case.query)]
    for i, attempt in enumerate(loaded.case.attempts):
        texts += [(("attempts", i, "events", j, "text"), event.text) for j, event in enumerate(attempt.events or ())]
    for place, text in texts:
        if text in PLACEHOLDERS:
            field = "query" if len(place) == 1 else f"attempts[{place[1]}].events[{place[3]}].text"
            yield loaded.problem(place, field, found, fix)
    for name in ("intention", "deciding_line") if note is not None else ():
        if note is not None and getattr(note.note, name) in PLACEHOLDERS:
            yield Problem(note.document.file, note.document.line_of((name,)), loaded.case.id, name, found, fix)


def _copies(suite: LoadedSuite) -> Iterator[Problem]:
    """Twins with the same events in one family: the decisive fact was not changed yet."""
    paired = {stratum.id for stratum in suite.suite.strata if stratum.design == "paired_by_design"}
    seen: dict[tuple[str, str, str], str] = {}
    for loaded in suite.cases:
        for i, attempt in enumerate(loaded.case.attempts if loaded.case.stratum in paired else ()):
            if attempt.events is None:
                continue
            twin = (loaded.case.family, loaded.case.query, source_of(loaded, attempt).digest)
            first = seen.setdefault(twin, loaded.case.id)
            if first != loaded.case.id:
                found, fix = f"the same query and events as {first}", "change the decisive fact in one of the twins"
                yield loaded.problem(("attempts", i), f"attempts[{i}]", found, fix)


def own_votes(suite: LoadedSuite, labels: Labels, notes: Mapping[str, LoadedNote]) -> Iterator[Problem]:
    """Nobody votes on a family that they wrote: they know what was meant."""
    authors: dict[str, set[str]] = {}
    families = {loaded.case.id: loaded.case.family for loaded in suite.cases}
    for case, note in notes.items():
        authors.setdefault(families[case], set()).add(note.note.author)
    told = set()
    for side in (labels.votes, labels.checks):
        for item, votes in side.items():
            for cast in votes:
                if cast.annotator in authors.get(families[item[0]], ()) and cast.file not in told:
                    told.add(cast.file)
                    found = f"{cast.annotator} wrote a case of the family {families[item[0]]!r}, and votes on it"
                    fix = "remove the file, and let somebody vote who did not write it"
                    yield Problem(cast.file, None, item[0], "annotator", found, fix)
