"""Make new case files: a free opaque id, the case, and its author's note."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite
from bench.problems import BrokenInput, Problem
from bench.reading.quote import quoted
from bench.reading.strict_yaml import parse_yaml
from bench.reading.validate import validate
from bench.schema.case import Case
from bench.schema.event import Event
from bench.schema.statement import answers_of
from bench.schema.vote import NoteFile

_ID_TRIES = 10_000


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
) -> str:
    """The YAML of a new case. Without events it holds an example to be replaced; metadata start at the first word of each."""
    words = suite.suite.vocabulary
    statements = ", ".join(statement.id for statement in suite.suite.statements)
    lines = [
        "schema: 1",
        f"id: {case_id}",
        f"family: {family}",
        f"stratum: {stratum}",
        f"query: {quoted(query)}",
        "judgment:",
        f"  statements: [{statements}]",
        "# trajectory_anchors:                # what code can check; delete what you do not need",
        '#   expect: [{tool: Edit, args: {path: "src/**"}}]',
        '#   forbid: [{command: "git push*"}]',
        "# world_state:",
        "#   reference_time: 2026-01-31T12:00:00+00:00   # needed as soon as the query is relative to now",
        "metadata:",
    ]
    for name in ("source", "capability", "difficulty", "language"):
        known = getattr(words, name)
        lines.append(f"  {name}: {quoted(next(iter(known)))}")
        lines.append(f"  # {' | '.join(known)}")
    lines += ["attempts:", "  - id: a1", f"    harness: {quoted(harness)}"]
    if model is not None:
        lines.append(f"    model: {quoted(model)}")
    lines.append("    events:")
    lines += [f"      - {_flow(event)}" for event in (events if events is not None else _example())]
    return "\n".join(lines) + "\n"


def note_text(case_id: str, suite: LoadedSuite, author: str) -> str:
    """The YAML of a new note: what is in quotes is for the author to write."""
    intended = "\n".join(f"  # a1/{s.id}: {quoted(answers_of(s)[0])}" for s in suite.suite.statements)
    return (
        f"schema: 1\ncase: {case_id}\nauthor: {author}\nmade_by: person\n"
        'intention: "what this case is meant to show"\ndeciding_line: "which event decides"\n'
        "# deciding_events: [2]\n"
        f"intended:\n{intended}\n".replace("intended:\n  #", "# intended:\n  #")
    )


def write_case(suite: LoadedSuite, case_id: str, stratum: str, case: str, note: str) -> tuple[Path, Path]:
    """Write a case and its note; neither, unless both are new and read back."""
    layout = suite.layout
    paths = layout.suite / stratum / f"{case_id}.yaml", layout.labels / "notes" / f"{case_id}.yaml"
    problems = list(_misnamed(suite, case_id, stratum))
    for path, text, model in ((paths[0], case, Case), (paths[1], note, NoteFile)):
        document = parse_yaml(text.encode("utf-8"), layout.shown(path))
        record = document if isinstance(document, list) else validate(document, model, case_id)
        problems += record if isinstance(record, list) else []
        problems += [_taken(layout, path)] if path.exists() else []
    if problems:
        raise BrokenInput(problems)
    _write_new(layout, paths[0], case)
    _write_new(layout, paths[1], note)
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
        Event(kind="prompt", origin="human", text="What the person typed first."),
        Event(kind="command", command="make test", output="1 failed", exit_code=2, exit_source="text", ok=False),
        Event(kind="message", text="What the agent said last."),
    ]


def _flow(event: Event) -> str:
    """One event as JSON, which is YAML: texts cannot turn into something else."""
    values = event.model_dump(mode="json", exclude_defaults=True, exclude={"line"})
    return quoted({"kind": event.kind, **values})
