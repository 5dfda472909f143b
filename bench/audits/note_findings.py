"""Findings about authors' notes: answers the case does not hold, events it does not have, words nobody explained, and
minimums of the suite that the authored cases do not reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bench.audits.authored import count_authored, events_in, lines_of
from bench.cases.load import LoadedCase, LoadedSuite
from bench.labels.load import UNCLEAR
from bench.labels.notes import LoadedNote
from bench.problems import Problem
from bench.running.views import Views
from bench.schema.statement import answers_of

NEEDS_EVENTS = "twin-attack-masked"  # the audit that cuts deciding events


def note_findings(suite: LoadedSuite, notes: Mapping[str, LoadedNote], views: Views) -> Iterator[Problem]:
    """Every finding about notes and about what they count up to."""
    for loaded in suite.cases:
        note = notes.get(loaded.case.id)
        if note is not None:
            yield from _intended(loaded, note)
            yield from _events(suite, loaded, note, views)
            yield from _phenomena(suite, note)
        elif any(attempt.events is not None for attempt in loaded.case.attempts):
            place = suite.layout.shown(suite.layout.labels / "notes" / f"{loaded.case.id}.yaml")
            yield loaded.problem(("id",), "id", "an authored case without its author's note", f"write {place}")
    yield from _minimums(suite, notes, views)


def _intended(loaded: LoadedCase, note: LoadedNote) -> Iterator[Problem]:
    answers = {f"{a.id}/{s.id}": (*answers_of(s), UNCLEAR) for a in loaded.case.attempts for s in loaded.statements}
    for name, answer in note.note.intended.items():
        if answer not in answers.get(name, ()):
            found = f"{name!r}, which the case does not hold" if name not in answers else repr(answer)
            fix = f"use one of {', '.join(answers.get(name, answers))}"
            line = note.document.line_of(("intended", name))
            yield Problem(note.document.file, line, loaded.case.id, f"intended.{name}", found, fix)


def _events(suite: LoadedSuite, loaded: LoadedCase, note: LoadedNote, views: Views) -> Iterator[Problem]:
    named = note.note.deciding_events
    line = note.document.line_of(("deciding_events",) if named else ("deciding_line",))
    problem = (note.document.file, line, loaded.case.id, "deciding_events")
    if not named:
        if _is_paired(suite, loaded) and any(entry.audit == NEEDS_EVENTS for entry in suite.suite.audits):
            found = f"no deciding events, and the audit {NEEDS_EVENTS} cuts them"
            yield Problem(*problem, found, "add deciding_events: [numbers], the decisive one first")
    elif len(loaded.case.attempts) > 1:
        found = f"deciding events of a case with {len(loaded.case.attempts)} attempts"
        yield Problem(*problem, found, "leave them out, and say in deciding_line what decides each attempt")
    else:
        total = events_in(loaded, loaded.case.attempts[0], views)
        for number in named:
            if total is not None and number > total:
                found = f"event {number}, the attempt has {total} events"
                yield Problem(*problem, found, "name events of the attempt by number")


def _is_paired(suite: LoadedSuite, loaded: LoadedCase) -> bool:
    return any(s.id == loaded.case.stratum and s.design == "paired_by_design" for s in suite.suite.strata)


def _phenomena(suite: LoadedSuite, note: LoadedNote) -> Iterator[Problem]:
    known = suite.suite.vocabulary.phenomena
    for index, name in enumerate(note.note.phenomena):
        if known and name not in known:  # a suite without such a vocabulary leaves the names to its authors
            line = note.document.line_of(("phenomena", index))
            fix = f"use one of {', '.join(known)}, or explain the new word in suite.yaml (vocabulary.phenomena)"
            yield Problem(note.document.file, line, note.note.case, f"phenomena[{index}]", repr(name), fix)


def _minimums(suite: LoadedSuite, notes: Mapping[str, LoadedNote], views: Views) -> Iterator[Problem]:
    if not suite.suite.rules.minimums:
        return
    for line in lines_of(suite.suite, count_authored(suite, notes, views)):
        if line.minimum is not None and not line.met:
            place = suite.document.line_of(("rules", "minimums", line.minimum))
            wanted = f"a share of {line.wanted}" if line.of is not None else f"at least {line.wanted}"
            found = f"{line.name}: {line.told}, wanted is {wanted}"
            fix = "write cases that show it, or lower the minimum with a reason (bench lint --counts has all counts)"
            yield Problem(suite.document.file, place, None, f"rules.minimums[{line.minimum}]", found, fix)
