"""Sessions that are one JSON document: read strictly, up to a cap."""

from __future__ import annotations

import io

import pytest

from bench.traces.documents import entries, read_document


def test_what_is_read() -> None:
    assert read_document(io.BytesIO(b'\xef\xbb\xbf {"a": [1, "\\ud800", "\xff", 1e3]}\n')) == {
        "a": [1, "\ufffd", "\ufffd", 1000.0]
    }
    assert read_document(io.BytesIO(b"[" * 100 + b"]" * 100)) is not None
    assert [(line.number, line.record) for line in entries([{"a": 1}, None, [2]])] == [
        (1, {"a": 1}),
        (2, None),
        (3, None),
    ]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b'{"a": ', "Expecting value"),
        (b"{} {}", "Extra data"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b"[1e999]", "beyond a float"),
        (b"[" * 101 + b"]" * 101, "nested deeper than 100"),
        (b"[" * 200_000, "nested deeper than 100"),
        (b"[" + b"9" * 5000 + b"]", "4300"),
    ],
)
def test_what_is_refused_with_its_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_document(io.BytesIO(raw))


def test_the_cap_counts_bytes() -> None:
    assert read_document(io.BytesIO(b"[1]"), limit=3) == [1]
    with pytest.raises(ValueError, match="longer than 2 bytes"):
        read_document(io.BytesIO(b"[1]"), limit=2)
