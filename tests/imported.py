"""Shared by the tests of importers: the samples, files that are broken on purpose, and what holds for every session."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bench.schema.event import Event
from bench.traces.documents import parse_document
from bench.traces.report import Session

TRACES = Path(__file__).parents[2] / "shared" / "traces"
NOISE = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(["\ud800", "\x00", "user", "assistant", "tool", "main", "c1", "<returncode>1</returncode>"]),
)
VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def samples(pattern: str) -> list[Path]:
    """The real files, or a skipped test."""
    found = sorted(TRACES.glob(pattern))
    if not found:
        pytest.skip("needs the traces in ../shared, which are not part of the project")
    return found


@cache
def _documents() -> tuple[tuple[Path, Any], ...]:
    found = []
    for path in samples("*/*"):
        try:
            found.append((path, json.loads(path.read_bytes())))
        except ValueError:
            continue
    return tuple(found)


def foreign_documents(own: str) -> Iterator[tuple[Path, Any]]:
    """Every sample that is one JSON document, but for those of the format itself."""
    mine = set(TRACES.glob(own))
    return ((path, document) for path, document in _documents() if path not in mine)


def foreign_records(own: str) -> Iterator[tuple[Path, Any]]:
    """Every JSON object on a line of a sample of another format, and of the real sessions."""
    mine = set(TRACES.glob(own))
    for path in [*samples("*/*.jsonl"), *sorted((TRACES.parent / "data/real_sessions").glob("*.jsonl"))]:
        for raw in [] if path in mine else path.read_bytes().splitlines()[:400]:
            try:
                record = json.loads(raw)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield path, record


def assert_sound(session: Session) -> None:
    """What holds for every session, whatever was in the file."""
    report = session.report
    assert report.balanced, report
    assert report.orphan_results >= 0
    for event in session.events:
        assert Event.model_validate(event.model_dump()) == event
        event.model_dump_json()


def assert_read_or_refused(
    read: Callable[[BinaryIO], Iterator[Session]], raw: bytes, speaks: Callable[[Any], bool] | None = None
) -> None:
    """Any bytes give sound sessions or one ValueError with its reason; and a document is told or not, without a fault."""
    if speaks is not None:
        with contextlib.suppress(ValueError):
            assert speaks(parse_document(raw)) in (True, False)
    refusal: ValueError | None = None
    found: list[Session] = []
    try:
        found = list(read(io.BytesIO(raw)))
    except ValueError as error:
        refusal = error
    assert refusal is None or str(refusal)
    for session in found:
        assert_sound(session)


@st.composite
def broken(draw: st.DrawFn, whole: Any) -> Any:
    """The value with some of its parts deleted, swapped for others, repeated or nested too deep."""
    value = copy.deepcopy(whole)
    for _ in range(draw(st.integers(0, 4))):
        places = list(_places(value))
        if not places:
            break
        holder, key = places[draw(st.integers(0, len(places) - 1))]
        match draw(st.sampled_from(["delete", "swap", "other", "repeat", "deep"])):
            case "delete":
                del holder[key]
            case "swap":
                holder[key] = draw(VALUES)
            case "other":
                other_holder, other_key = places[draw(st.integers(0, len(places) - 1))]
                holder[key] = copy.deepcopy(other_holder[other_key])
            case "repeat":
                holder[key] = [copy.deepcopy(holder[key])] * 2
            case "deep":
                for _ in range(120):
                    holder[key] = [holder[key]]
    return value


@st.composite
def broken_documents(draw: st.DrawFn, whole: Any) -> bytes:
    """The bytes of a document that went wrong."""
    value = draw(st.one_of(broken(whole), VALUES))
    raw = json.dumps(value, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    return _damaged(draw, raw)


@st.composite
def broken_lines(draw: st.DrawFn, records: list[Any]) -> bytes:
    """The bytes of JSON lines whose records went wrong, and whose lines may be dropped and doubled."""
    value = draw(broken(records))
    lines = value if isinstance(value, list) else [value]
    order = draw(
        st.lists(st.integers(0, max(len(lines) - 1, 0)), max_size=2 * len(lines)) | st.just(list(range(len(lines))))
    )
    ascii_only = draw(st.booleans())
    texts = [json.dumps(lines[place], ensure_ascii=ascii_only) + "\n" for place in order if lines]
    return _damaged(draw, "".join(texts).encode("utf-8", "surrogatepass"))


@st.composite
def broken_texts(draw: st.DrawFn, whole: str) -> bytes:
    """The bytes of a text, its lines dropped, doubled and put elsewhere."""
    lines = whole.splitlines(keepends=True)
    order = draw(st.lists(st.integers(0, len(lines) - 1), max_size=2 * len(lines)))
    between = draw(st.text(max_size=20))
    return _damaged(draw, between.join(lines[place] for place in order).encode("utf-8", "surrogatepass"))


def _damaged(draw: st.DrawFn, raw: bytes) -> bytes:
    match draw(st.sampled_from(["whole", "whole", "torn", "dirty"])):
        case "torn":
            return raw[: draw(st.integers(0, len(raw)))]
        case "dirty":
            place = draw(st.integers(0, len(raw)))
            return raw[:place] + draw(st.binary(max_size=4)) + raw[place:]
    return raw


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(parts):
        yield value, key
        yield from _places(part)
