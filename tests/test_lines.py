"""Strict JSON lines: every trap is one row, and no row may stop the rows after it."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench.traces.lines import MAX_DEPTH, list_at, object_at, parse, parse_slowly, read_lines, text_at


def numbers_and_records(data: bytes) -> list[tuple[int, object]]:
    return [(line.number, line.record) for line in read_lines(io.BytesIO(data))]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(b'{"a": 1}', {"a": 1}, id="object"),
        pytest.param(b'{"a": "x\xe2\x80\xa8y"}', {"a": "x\u2028y"}, id="line-separator-inside"),
        pytest.param(rb'{"a": "\ud800!"}', {"a": "\ufffd!"}, id="lone-surrogate"),
        pytest.param(rb'{"\udfff": [{"b": "\ud83d"}]}', {"\ufffd": [{"b": "\ufffd"}]}, id="lone-surrogate-deep"),
        pytest.param(rb'{"a": "\ud83d\ude00"}', {"a": "\U0001f600"}, id="surrogate-pair-is-a-character"),
        pytest.param(b'{"a": "\xed\xa0\x80"}', {"a": "\ufffd\ufffd\ufffd"}, id="bytes-that-are-no-utf8"),
        pytest.param(rb'{"a": "x\u0000y"}', {"a": "x\x00y"}, id="nul-escaped"),
        pytest.param(b'{"a": 12345678901234567890}', {"a": 12345678901234567890}, id="big-integer"),
    ],
)
def test_reads(raw: bytes, expected: object) -> None:
    assert parse(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b'{"a": 1', id="torn"),
        pytest.param(b'{"a": 1} {"b": 2}', id="two-objects"),
        pytest.param(rb'{"a": "\q"}', id="bad-escape"),
        pytest.param(b'{"a": "x\x00y"}', id="raw-nul"),
        pytest.param(b"\x00\x00\x00", id="only-nul"),
        pytest.param(b"[1, 2]", id="array"),
        pytest.param(b"42", id="number"),
        pytest.param(b'{"a": NaN}', id="nan"),
        pytest.param(b'{"a": -Infinity}', id="infinity"),
        pytest.param(b'{"a": 1e999}', id="beyond-a-float"),
        pytest.param(b'{"a": ' + b"9" * 5000 + b"}", id="integer-of-5000-digits"),
        pytest.param(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="depth-bomb"),
        pytest.param(b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1), id="one-too-deep"),
    ],
)
def test_refuses(raw: bytes) -> None:
    assert parse(raw) is None
    assert numbers_and_records(raw + b'\n{"next": true}\n') == [(1, None), (2, {"next": True})]


def test_accepts_the_greatest_depth() -> None:
    assert parse(b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH) is not None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", [], id="empty"),
        pytest.param(b"\n \r\n\n", [], id="blank-lines-are-no-records"),
        pytest.param(b'\xef\xbb\xbf{"a": 1}\n', [(1, {"a": 1})], id="bom"),
        pytest.param(b'{"a": 1}\r\n{"b": 2}\r\n', [(1, {"a": 1}), (2, {"b": 2})], id="crlf"),
        pytest.param(b'{"a": 1}\n\n{"b": 2}', [(1, {"a": 1}), (3, {"b": 2})], id="no-last-line-feed"),
        pytest.param(b'{"a": 1}\n{"b": "tor', [(1, {"a": 1}), (2, None)], id="torn-last-line"),
    ],
)
def test_splits(data: bytes, expected: list[tuple[int, object]]) -> None:
    assert numbers_and_records(data) == expected


def test_reads_one_line_at_a_time() -> None:
    def stream() -> object:
        yield b'{"a": 1}\n'
        raise AssertionError("the second line was fetched before it was asked for")

    first = next(iter(read_lines(stream())))  # type: ignore[arg-type]
    assert first.record == {"a": 1}


def test_reads_a_line_of_megabytes() -> None:
    raw = json.dumps({"a": "[{" * 1_500_000}).encode()
    assert parse(raw) == {"a": "[{" * 1_500_000}


def test_fields_of_another_type_are_absent() -> None:
    record = parse(b'{"text": 1, "object": [], "list": {}, "empty": ""}')
    assert record is not None
    assert text_at(record, "text") is None and text_at(record, "empty") is None and text_at(record, "none") is None
    assert object_at(record, "object") == {} and list_at(record, "list") == []


# What the fast parser takes otherwise than the standard one: integers beyond 64 bits, the ends of a float, repeated keys.
_NUMBERS = st.one_of(
    st.integers(),
    st.integers(-3, 3).map(lambda n: 2**63 + n),
    st.integers(-3, 3).map(lambda n: 2**64 + n),
    st.integers(-3, 3).map(lambda n: -(2**63) + n),
    st.integers(300, 320).map(lambda n: 10**n),
    st.floats(),
    st.sampled_from([-0.0, 5e-324, 1.7976931348623157e308, 2.0**63, -(2.0**63), 1e22, 1e23, 0.1]),
)
_TEXTS = st.one_of(
    st.text(max_size=5), st.sampled_from(["\ud800", "a\udfffb", "\x00", "\x7f", "\u2028", "\ufeff", "9" * 25])
)
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


def same(raw: bytes) -> None:
    fast, slow = parse(raw), parse_slowly(raw)
    assert repr(fast) == repr(slow)  # tells 1 from 1.0 and True, and 0.0 from -0.0


@given(
    st.dictionaries(_TEXTS, _VALUES, max_size=5), st.booleans(), st.integers(0, 200), st.binary(max_size=3), st.data()
)
@settings(deadline=None, max_examples=400)
def test_both_parsers_give_one_record(
    value: dict[str, object], ascii_only: bool, cut: int, dirt: bytes, data: st.DataObject
) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    same(raw)
    same(raw[:cut])
    place = data.draw(st.integers(0, len(raw)))
    same(raw[:place] + dirt + raw[place:])


@given(
    st.text(alphabet='{}[]":,.eE+-0123456789 \t\\udtrfn\ufeff', max_size=40),
    st.sampled_from([b"%b", b'{"a":%b}', b'{"a":"%b"}']),
)
@example("1" * 5000, b'{"a":%b}')
@example("-0", b'{"a":%b}')
@example("1e400", b'{"a":%b}')
@example("1E-400", b'{"a":%b}')
@example('1,"a":2', b'{"a":%b}')
@example("\\ud83d\\ude00\\ud83d", b'{"a":"%b"}')
@example("[" * 99 + "]" * 99, b'{"a":%b}')
@example("[" * 100 + "]" * 100, b'{"a":%b}')
@example("[" * 2000 + "]" * 2000, b'{"a":%b}')
@settings(deadline=None, max_examples=400)
def test_both_parsers_refuse_the_same(text: str, frame: bytes) -> None:
    same(frame % text.encode())
