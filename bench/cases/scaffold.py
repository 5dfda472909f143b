"""Make new case files: a free opaque id, the case, and its author's note."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from bench.cases.layout import Layout
from bench.cases.load import LoadedCase, LoadedSuite
from bench.problems import BrokenInput, Problem
from bench.reading.quote import quoted
from bench.reading.strict_yaml import parse_yaml
from bench.reading.validate import validate
from bench.schema.case import Case, SessionReference
from bench.schema.event import Event, Kind
from bench.schema.statement import answers_of
from bench.schema.vote import NoteFile

_ID_TRIES = 10_000
QUERY = "What the person wants, in one sentence."
_FIRST_PROMPT, _LAST_MESSAGE = "What the person typed first.", "What the agent said last."
_INTENTION, _DECIDING_LINE = "what this case is meant to show", "which event decides"
PLACEHOLDERS = frozenset({QUERY, _FIRST_PROMPT, _LAST_MESSAGE, _INTENTION, _DECIDING_LINE})  # the lint asks for better

TO_WRITE = (
    "# trajectory_anchors:                # what code can check; delete what you do not need",
    '#   expect: [{tool: Edit, args: {path: "src/**"}}]',
    '#   forbid: [{command: "git push*"}]',
    "# world_state:",
    "#   reference_time: 2026-01-31T12:00:00+00:00   # needed as soon as the query is relative to now",
)


def free_id(suite: LoadedSuite, generator: random.Random) -> str:
    """A random id of the suite's form that no case or note has, so that neighbours in time are no neighbours by name."""
    taken = {loaded.case.id.lower() for loaded in suite.cases}
    taken |= {path.stem.lower() for path in (suite.layout.labels / "notes").glob("*.yaml")}
    shape = re.fullmatch(r"\[?([A-Za-z]+)\]?\[0-9\]\{(?:\d+,)?(\d+)\}", suite.suite.id_pattern)
    if shape is None:
        fix = "give the id yourself (--id), or use an id_pattern of the form L[0-9]{4}"
        raise BrokenInput([Problem("suite.yaml", None, None, "id_pattern", suite.suite.id_pattern, fix)])
    letter, digits = shape.group(1)[0], int(shape.group(2))
    for _ in range(_ID_TRIES):
        candidate = f"{letter}{generator.randrange(10**digits):0{digits}d}"
        if candidate.lower() not in taken:
            return candidate
    raise BrokenInput([Problem("suite.yaml", None, None, "id_pattern", "no id is free", "allow longer ids")])


def case_text(
    suite: LoadedSuite,
    case_id: str,
    *,
    family: str,
    stratum: str,
    query: str,
    harness: str,
    events: Sequence[Event] | None,
    model: str | None = None,
    reference: SessionReference | None = None,
    proposed: Sequence[str] = TO_WRITE,
) -> str:
    """The YAML of a new case. Without events and reference it holds an example to be replaced; ``proposed`` are the lines
    of its anchors and world state."""
    statements = ", ".join(statement.id for statement in suite.suite.statements)
    lines = [
        "schema: 1",
        f"id: {case_id}",
        f"family: {family}",
        f"stratum: {stratum}",
        f"query: {quoted(query)}",
        "judgment:",
        f"  statements: [{statements}]",
        *proposed,
        *_metadata(suite, stratum),
        "attempts:",
        "  - id: a1",
        f"    harness: {quoted(harness)}",
        *(
            []
            if events is not None or reference is not None
            else [f"    # {' | '.join(suite.suite.vocabulary.harness)}"]
        ),
        *([] if model is None else [f"    model: {quoted(model)}"]),
        *_events(events, reference),
    ]
    return "\n".join(lines) + "\n"


def _metadata(suite: LoadedSuite, stratum: str) -> Iterator[str]:
    """Each word starts as most cases of the stratum have it, or as the vocabulary's first; all of them stand below it."""
    beside = [loaded.case.metadata for loaded in suite.cases if loaded.case.stratum == stratum]
    yield "metadata:"
    for name in ("source", "capability", "difficulty", "language"):
        known = tuple(getattr(suite.suite.vocabulary, name))
        used = Counter(getattr(metadata, name) for metadata in beside)
        yield f"  {name}: {quoted(max(known, key=lambda word: used[word]))}"
        yield f"  # {' | '.join(known)}"
    if suite.suite.vocabulary.tags:
        yield f"  # tags: []   # of {', '.join(suite.suite.vocabulary.tags)}"


def _events(events: Sequence[Event] | None, reference: SessionReference | None) -> Iterator[str]:
    if reference is not None:
        yield "    events_from:"
        yield "      reference:"
        yield from (f"        {name}: {quoted(value)}" for name, value in reference if value is not None)
        return
    yield "    events:"
    if events is None:
        yield f"      # kinds: {', '.join(get_args(Kind))}"
        yield "      # every field: docs/schemas/case.schema.json"
    yield from (f"      - {_flow(event)}" for event in (events if events is not None else _example()))


def twin_text(twin: LoadedCase, case_id: str) -> str:
    """The text of a case under another id: its twin, before the decisive fact is changed."""
    text = twin.path.read_text(encoding="utf-8")
    return re.sub(r"^id:.*$", f"id: {case_id}", text, count=1, flags=re.MULTILINE)


def note_text(case_id: str, suite: LoadedSuite, author: str) -> str:
    """The YAML of a new note: what is in quotes is for the author to write."""
    phenomena = suite.suite.vocabulary.phenomena
    lines = [
        "schema: 1",
        f"case: {case_id}",
        f"author: {author}",
        "made_by: person   # or model_assisted, model: then with the model family as lineage",
        f"intention: {quoted(_INTENTION)}",
        f"deciding_line: {quoted(_DECIDING_LINE)}",
        "# deciding_events: [2]   # their numbers, from 1, the decisive one first",
        *([f"# phenomena: []   # of {', '.join(phenomena)}"] if phenomena else []),
        "# intended:   # what you think is right, for people who review",
        *(f"#   a1/{s.id}: {quoted(answers_of(s)[0])}" for s in suite.suite.statements),
    ]
    return "\n".join(lines) + "\n"


def write_case(suite: LoadedSuite, case_id: str, stratum: str, case: str, note: str | None) -> tuple[Path, Path]:
    """Write a case and its note, if it has one; neither, unless both are new and read back."""
    layout = suite.layout
    paths = layout.suite / stratum / f"{case_id}.yaml", layout.labels / "notes" / f"{case_id}.yaml"
    problems = list(_misnamed(suite, case_id, stratum))
    files: list[tuple[Path, str, type[Case] | type[NoteFile]]] = [(paths[0], case, Case)]
    files += [] if note is None else [(paths[1], note, NoteFile)]
    for path, text, model in files:
        document = parse_yaml(text.encode("utf-8"), layout.shown(path))
        record = document if isinstance(document, list) else validate(document, model, case_id)
        problems += record if isinstance(record, list) else []
        problems += [_taken(layout, path)] if path.exists() else []
    if problems:
        raise BrokenInput(problems)
    for path, text, _ in files:
        _write_new(layout, path, text)
    return paths


def _misnamed(suite: LoadedSuite, case_id: str, stratum: str) -> Iterator[Problem]:
    strata = [known.id for known in suite.suite.strata]
    if stratum not in strata:
        yield Problem("--stratum", None, None, None, repr(stratum), f"use one of {', '.join(strata)}")
    if not re.fullmatch(suite.suite.id_pattern, case_id):
        fix = f"ids of this suite look like {suite.suite.id_pattern}; leave --id out, and a free one is picked"
        yield Problem("--id", None, None, None, repr(case_id), fix)
    if case_id.lower() in {loaded.case.id.lower() for loaded in suite.cases}:
        yield Problem("--id", None, None, None, f"{case_id!r} is taken", "leave --id out, and a free one is picked")


def _taken(layout: Layout, path: Path) -> Problem:
    return Problem(
        layout.shown(path), None, None, None, "the file exists already", "choose another id, or delete the file"
    )


def _write_new(layout: Layout, path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise BrokenInput([_taken(layout, path)]) from None


def _example() -> list[Event]:
    return [
        Event(kind="prompt", origin="human", text=_FIRST_PROMPT),
        Event(kind="command", command="make test", output="1 failed", exit_code=2, exit_source="text", ok=False),
        Event(kind="message", text=_LAST_MESSAGE),
    ]


def _flow(event: Event) -> str:
    """One event as JSON, which is YAML: texts cannot turn into something else."""
    values = event.model_dump(mode="json", exclude_defaults=True, exclude={"line"})
    return quoted({"kind": event.kind, **values})
