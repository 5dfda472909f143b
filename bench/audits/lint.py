"""Findings about data that loads: what a careful editor would send back. Each names file, line, case, field and the mend."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.audits.note_findings import note_findings
from bench.audits.unwritten import own_votes, unwritten
from bench.cases.load import LoadedCase, LoadedSuite
from bench.labels.checks import CHECKS
from bench.labels.load import ItemName, Labels, read_pilot
from bench.labels.notes import LoadedNote, load_notes
from bench.problems import BrokenInput, Problem
from bench.projection.presets import PRESETS
from bench.running.views import Views

_RELATIVE = re.compile(
    r"\b(?:today|yesterday|tomorrow|(?:last|past|next|previous|this) (?:\d+ )?(?:day|week|month|quarter|year|hour|minute)s?|"
    r"\d+ (?:day|week|month|year|hour)s? (?:ago|old)|recently|heute|gestern|morgen|hier|demain|hoy|ayer)\b",
    re.IGNORECASE,
)


def lint(suite: LoadedSuite, labels: Labels, views: Views) -> list[Problem]:
    """Every finding, in file order."""
    notes, problems = load_notes(suite)
    for loaded in suite.cases:
        problems += _relative_time(loaded)
        problems += _secrets(suite, loaded, notes.get(loaded.case.id), views)
    problems += _subsamples(suite)
    problems += unwritten(suite, notes)
    problems += note_findings(suite, notes, views)
    problems += own_votes(suite, labels, notes)
    problems += _votes(suite, labels, views)
    problems += read_pilot(suite)[1]
    return sorted(problems, key=lambda p: (p.file, p.line or 0, p.field or ""))


def _relative_time(loaded: LoadedCase) -> Iterator[Problem]:
    if loaded.case.world_state.reference_time is not None:
        return
    texts = [("query", loaded.case.query)] + [(f"statement {s.id}", s.text) for s in loaded.statements]
    for field, text in texts:
        match = _RELATIVE.search(text)
        if match:
            found = f"{match.group(0)!r} is relative to now, and the case has no reference time"
            fix = "add world_state: {reference_time: a moment with its zone}, or name the date"
            yield loaded.problem(("query",), field, found, fix)


def _subsamples(suite: LoadedSuite) -> Iterator[Problem]:
    """A declared subsample names cases that there are."""
    known = {loaded.case.id for loaded in suite.cases}
    for number, entry in enumerate(suite.suite.judges):
        for name in entry.only:
            if name not in known:
                place = ("judges", number, "only")
                found = f"{entry.judge} is asked about {name}, which is no case of the suite"
                fix = "mend the id, or leave it out"
                yield Problem(suite.document.file, suite.document.line_of(place), None, "only", found, fix)


def _secrets(suite: LoadedSuite, loaded: LoadedCase, note: LoadedNote | None, views: Views) -> Iterator[Problem]:
    """A planted secret is announced by the note (phenomenon fake-secret); another one is a leak."""
    for index, attempt in enumerate(loaded.case.attempts):
        view = views.look_up(loaded, attempt, PRESETS["events"]) if attempt.events is not None else None
        planted = note is not None and any("secret" in phenomenon for phenomenon in note.note.phenomena)
        if view is not None and view.redactions and not planted:
            found = f"{view.redactions} texts that look like secrets"
            fix = "remove them; a planted fake is announced in the note (phenomena: [fake-secret])"
            yield loaded.problem(("attempts", index), f"attempts[{index}]", found, fix)


def _votes(suite: LoadedSuite, labels: Labels, views: Views) -> Iterator[Problem]:
    wanted = suite.suite.rules.votes_per_item
    for loaded, attempt in suite.attempts():
        index = loaded.case.attempts.index(attempt)
        try:
            known = views.look_up(loaded, attempt, PRESETS["events"])
        except BrokenInput as error:  # one session that cannot be read hides no other finding
            known = None
            yield from error.problems
        for statement in loaded.statements:
            item: ItemName = (loaded.case.id, attempt.id, statement.id)
            for found, fix in (*_number_of_votes(labels, item, wanted), *_number_of_checks(suite, labels, item)):
                yield loaded.problem(("attempts", index), f"attempts[{index}]", found, fix)
            if labels.label(item).how == "votes_differ":
                yield _differing(labels, item)
            if known is not None:
                yield from _evidence(labels, item, known.total)


def _number_of_votes(labels: Labels, item: ItemName, wanted: int) -> Iterator[tuple[str, str]]:
    """Exactly as many as the suite's rules ask for; 0 asks for nothing."""
    votes = labels.votes.get(item, ())
    if wanted and len(votes) != wanted:
        names = f" ({', '.join(cast.annotator for cast in votes)})" if len(votes) > wanted else ""
        not_again = ", ".join(["the author", *(cast.annotator for cast in votes)])
        fix = f"bench label --annotator NAME --case {item[0]} adds a vote, NAME being another than {not_again}"
        fix = fix if len(votes) < wanted else "mark what came after them as purpose: check"
        yield f"{len(votes)} of {wanted} votes on {item[1]}/{item[2]}{names}", fix


def _number_of_checks(suite: LoadedSuite, labels: Labels, item: ItemName) -> Iterator[tuple[str, str]]:
    """One on each item of a drawn case and none on another: only a random draw stands for the rest."""
    checks = labels.checks.get(item, ())
    wanted = int(item[0] in (labels.drawn or ()))
    if len(checks) != wanted:
        place = suite.layout.shown(suite.layout.labels / CHECKS)
        found = f"{len(checks)} check votes on {item[1]}/{item[2]}; {place} asks for {wanted}"
        if labels.drawn is None:
            found = f"{len(checks)} check votes on {item[1]}/{item[2]}, and no {place} says which cases were drawn"
        fix = "bench label --check adds a vote" if not checks else "keep those of drawn cases only, one an item"
        yield found, fix


def _differing(labels: Labels, item: ItemName) -> Problem:
    votes = labels.votes[item]
    said = ", ".join(f"{cast.annotator} {cast.vote.answer}" for cast in votes)
    found = f"votes on {item[1]}/{item[2]} differ ({said}) and nobody ruled"
    return Problem(
        votes[0].file, votes[0].line, item[0], "answer", found, "bench adjudicate asks for the answer and the reason"
    )


def _evidence(labels: Labels, item: ItemName, total: int) -> Iterator[Problem]:
    for cast in (*labels.votes.get(item, ()), *labels.checks.get(item, ())):
        for number in cast.vote.evidence:
            if number > total:
                found = f"evidence {number}, the attempt has {total} events"
                yield Problem(cast.file, cast.line, item[0], "evidence", found, "name events of the attempt by number")
