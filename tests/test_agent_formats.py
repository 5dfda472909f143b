"""The formats of coding agents together: each sample is taken by one of them, and damaged samples harm none."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from imported import TRACES, assert_read_or_refused, samples

from bench.traces import (
    copilot_cli,
    cursor,
    droid,
    gemini_checkpoint,
    gemini_cli,
    opencode,
    openhands,
    openhands_eval,
    openhands_v0,
)
from bench.traces.lines import parse
from bench.traces.report import Format

FORMATS = (
    copilot_cli.FORMAT, cursor.FORMAT, droid.FORMAT, gemini_checkpoint.FORMAT, gemini_cli.FORMAT, gemini_cli.LOG,
    opencode.FORMAT, openhands.FORMAT, openhands_eval.FORMAT, openhands_v0.FORMAT,
)  # fmt: skip
OWNERS = {
    "copilot-cli": "copilot-cli", "cursor": "cursor", "droid": "factory-droid", "gemini-cli": "gemini-cli",
    "gemini_cli": "gemini-cli", "opencode": "opencode", "openhands": "openhands",
}  # fmt: skip
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    "",
    "x" * 3000,
    "\ud800",
    "\x00",
    [],
    {},
    [None],
    {"type": None},
    "user",
]


def owner(path: Path) -> str | None:
    return OWNERS.get(path.name.split("__")[0] if path.parent.name == "fixtures" else path.parent.name)


def takers(path: Path) -> set[str]:
    raw = path.read_bytes()
    try:
        whole = json.loads(raw)
    except ValueError:
        whole = None
    found = {f.name for f in FORMATS if f.shape == "document" and whole is not None and f.speaks(whole)}
    records = [record for line in raw.splitlines() if (record := parse(line)) is not None]
    return found | {f.name for f in FORMATS if f.shape == "lines" and any(map(f.speaks, records[:400]))}


def test_every_sample_is_taken_by_its_own_format_alone() -> None:
    for path in samples("*/*"):
        mine = owner(path)
        assert takers(path) == (set() if mine is None else {mine}), path


def test_names_and_readers_are_told_apart() -> None:
    names = [f.name for f in FORMATS]
    assert len(set(names)) == len(names)
    assert all(f.reader.startswith(f"{f.name}@") for f in FORMATS)


@pytest.mark.parametrize("format", FORMATS, ids=lambda f: f.name)
def test_damaged_samples_are_read_or_refused(format: Format) -> None:
    randomness = random.Random(20261130)
    paths = [path for path in samples("*/*") if owner(path) is not None]
    for path in paths:
        raw = path.read_bytes()
        if len(raw) > 8000 and format.name != "gemini-cli":
            continue
        for _ in range(6):
            assert_read_or_refused(format.read, damaged(raw, randomness))


def damaged(raw: bytes, randomness: random.Random) -> bytes:
    if randomness.random() < 0.3:
        return raw[: randomness.randrange(len(raw))]
    try:
        values, separator = [json.loads(raw)], b""
    except ValueError:
        values, separator = [r for line in raw.splitlines() if (r := parse(line)) is not None], b"\n"
    return separator.join(json.dumps(mutant(copy.deepcopy(value), randomness)).encode() for value in values)


def mutant(value: Any, randomness: random.Random) -> Any:
    for _ in range(3):
        node = value
        while isinstance(node, dict | list) and node:
            key = randomness.choice(list(node) if isinstance(node, dict) else range(len(node)))
            if not isinstance(node[key], dict | list) or not node[key] or randomness.random() < 0.2:
                if randomness.random() < 0.2:
                    del node[key]
                else:
                    node[key] = deep() if randomness.random() < 0.05 else copy.deepcopy(randomness.choice(ODD))
                break
            node = node[key]
    return value


def deep() -> Any:
    value: Any = "x"
    for _ in range(120):
        value = {"content": [value]}
    return value


@pytest.mark.parametrize("format", FORMATS, ids=lambda f: f.name)
def test_no_format_takes_what_is_no_session(format: Format) -> None:
    for raw in (b"", b"\x00\xff", b"[" * 100_000, b'"text"', b"7", b"null\n[]\n"):
        assert_read_or_refused(format.read, raw)
    assert not format.speaks({})
    assert format.shape == "lines" or not any(map(format.speaks, ([], None, 7, "x")))


def test_the_samples_lie_where_they_are_looked_for() -> None:
    if TRACES.is_dir():
        assert {owner(path) for path in samples("*/*")} - {None} == set(OWNERS.values())
