"""The probes that are asked: from a file, or every transform that must change nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from bench.cases.load import AnyStatement
from bench.probing.transforms import TRANSFORMS
from bench.problems import BrokenInput, Problem
from bench.reading.strict_yaml import Document, read_yaml
from bench.reading.validate import validate
from bench.schema.probe import EVERY, Probe, ProbeFile

FILE = "probes.yaml"  # beside suite.yaml


def default_probes() -> tuple[Probe, ...]:
    """What holds of any statement: every transform that must leave the answer as it was."""
    return tuple(
        Probe(id=name, transform=name, expect="same")
        for name, transform in TRANSFORMS.items()
        if transform.expects.get("any") == "same"
    )


def read_probes(path: Path, statements: Sequence[AnyStatement]) -> tuple[Probe, ...]:
    """The probes of a file. Raises BrokenInput with every problem."""
    document = read_yaml(path, path.name)
    if isinstance(document, list):
        raise BrokenInput(document)
    found = validate(document, ProbeFile)
    if isinstance(found, list):
        raise BrokenInput(found)
    problems = list(_unknown(document, found, statements))
    if problems:
        raise BrokenInput(problems)
    return found.probes


def _unknown(document: Document, found: ProbeFile, statements: Sequence[AnyStatement]) -> Iterator[Problem]:
    answerable = [statement.id for statement in statements if statement.type == "yes_no"]
    for index, probe in enumerate(found.probes):
        for field, value, known in (
            ("transform", probe.transform, list(TRANSFORMS)),
            ("statement", probe.statement, [EVERY, *answerable]),
        ):
            if value not in known:
                line = document.line_of(("probes", index, field))
                fix = f"use one of {', '.join(known)}"
                yield Problem(document.file, line, None, f"probes[{index}].{field}", repr(value), fix)


def chosen(probes: Sequence[Probe], ids: Collection[str], statements: Collection[str]) -> tuple[Probe, ...]:
    """The probes of these ids (all, where none is named) that bear on one of the statements. Raises BrokenInput."""
    known = [probe.id for probe in probes]
    for name in ids:
        if name not in known:
            raise BrokenInput([Problem("--probe", None, None, None, repr(name), f"use one of {', '.join(known)}")])
    return tuple(p for p in probes if (not ids or p.id in ids) and (p.statement == EVERY or p.statement in statements))


def bears_on(probe: Probe, statement: str) -> bool:
    return probe.statement in (EVERY, statement)
