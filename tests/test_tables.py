"""Tables that others wrote: which are read, and which are refused, with line and fix."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.problems import BrokenInput
from bench.tables import choose_columns, parse_table, read_table

WANTED = (("a", "yes"), ("b", "no"))

READ = {
    "plain": ("t.csv", b"id,label\na,yes\nb,no\n"),
    "a BOM": ("t.csv", b"\xef\xbb\xbfid,label\na,yes\nb,no\n"),
    "CRLF": ("t.csv", b"id,label\r\na,yes\r\nb,no\r\n"),
    "no last line break": ("t.csv", b"id,label\na,yes\nb,no"),
    "semicolons": ("t.csv", b"id;label\na;yes\nb;no\n"),
    "tabs": ("t.tsv", b"id\tlabel\na\tyes\nb\tno\n"),
    "empty lines": ("t.csv", b"id,label\n\na,yes\n\nb,no\n\n"),
    "quotes": ("t.csv", b'"id","label"\n"a","yes"\n"b","no"\n'),
    "JSONL": ("t.jsonl", b'{"id": "a", "label": "yes"}\n{"label": "no", "id": "b"}\n'),
    "JSONL with BOM and CRLF": (
        "t.jsonl",
        b'\xef\xbb\xbf{"id": "a", "label": "yes"}\r\n\r\n{"label": "no", "id": "b"}',
    ),
    "JSONL under another name": ("t.txt", b'{"id": "a", "label": "yes"}\n{"label": "no", "id": "b"}\n'),
}


@pytest.mark.parametrize("name", READ)
def test_is_read(name: str) -> None:
    file, data = READ[name]
    table = parse_table(file, data)
    assert tuple(zip(table.column("id"), table.column("label"), strict=True)) == WANTED


def test_cells_may_hold_line_breaks_and_delimiters_and_lines_are_the_file_s() -> None:
    table = parse_table("t.csv", b'id,label,text\na,yes,"one\r\ntwo; three, four"\nb,no,""\n')
    assert table.column("text") == ["one\r\ntwo; three, four", ""] and table.lines == (2, 4)


def test_a_delimiter_in_text_does_not_mislead() -> None:
    assert parse_table("t.csv", b"id;label;text\na;yes;x, y\nb;no;z\n").columns == ("id", "label", "text")
    assert parse_table("t.csv", b"id,label,a;b\na,yes,x\nb,no,z\n").columns == ("id", "label", "a;b")


def test_a_long_cell_is_no_error() -> None:
    assert len(str(parse_table("t.csv", b"id,label\na," + b"x" * 300_000 + b"\n").column("label")[0])) == 300_000


def test_strange_line_ends_stay_inside_json_strings() -> None:
    data = '{"id": "a\u2028b", "label": "yes"}\n'.encode()
    assert parse_table("t.jsonl", data).column("id") == ["a\u2028b"]


def test_what_a_jsonl_row_lacks_is_missing() -> None:
    assert parse_table("t.jsonl", b'{"label": true}\n{"label": false, "verdict": 1}\n').column("verdict") == [None, 1]


# --- refused: line, what was found, fix ---

REFUSED = {
    "an empty file": ("t.csv", b"", ["the file is empty"]),
    "blank lines": ("t.csv", b"\n \n\n", ["the file is empty"]),
    "only a head": ("t.csv", b"id,label\n", ["t.csv:1", "no row"]),
    "ragged rows, all of them": ("t.csv", b"id,label\na\nb,no\nc,no,x\n", ["t.csv:2", "1 cells", "t.csv:4", "3 cells"]),
    "two columns of one name": ("t.csv", b"id,label,label\na,yes,no\n", ["t.csv:1", "two columns are named label"]),
    "two delimiters that fit": ("t.csv", b"a;b,label\nc;d,yes\n", ["t.csv:1", "comma and semicolon"]),
    "an open quote": ("t.csv", b'id,label\na,"yes\nb,no\n', ["t.csv:2", "no CSV"]),
    "Latin-1": ("t.csv", b"id,label\na,yes\nM\xfcll,no\n", ["t.csv:3", "not UTF-8"]),
    "UTF-16": ("t.csv", "id,label\na,yes\n".encode("utf-16"), ["UTF-16", "UTF-8"]),
    "a NUL": ("t.csv", b"id,label\na,y\0es\n", ["t.csv:2", "NUL"]),
    "JSON that is none": (
        "t.jsonl",
        b'{"id": 1}\n{"id": \n[1]\n',
        ["t.jsonl:2", "t.jsonl:3", "one JSON object a line"],
    ),
    "JSON with NaN": ("t.jsonl", b'{"p": NaN}\n', ["t.jsonl:1", "NaN"]),
    "a key twice": ("t.jsonl", b'{"id": 1, "id": 2}\n', ["t.jsonl:1", "twice"]),
    "1e999": ("t.jsonl", b'{"p": 1e999}\n', ["t.jsonl:1", "too large"]),
    "5000 digits": ("t.jsonl", b'{"p": ' + b"1" * 5000 + b"}\n", ["t.jsonl:1"]),
    "deep nesting": ("t.jsonl", b'{"p": ' + b"[" * 100_000 + b"\n", ["t.jsonl:1"]),
    "no Parquet": ("t.parquet", b"id,label\n", ["t.parquet"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name: str, tmp_path: Path) -> None:
    file, data, words = REFUSED[name]
    (tmp_path / file).write_bytes(data)
    with pytest.raises(BrokenInput) as caught:
        read_table(tmp_path / file)
    assert [word for word in [*words, "to mend"] if word not in str(caught.value)] == []


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.csv", Path("a\0b")):
        with pytest.raises(BrokenInput, match="cannot be read"):
            read_table(path)


def test_a_flood_of_ragged_rows_is_cut_short() -> None:
    with pytest.raises(BrokenInput) as caught:
        parse_table("t.csv", b"id,label\n" + b"x\n" * 1000)
    assert len(caught.value.problems) == 20 and "980 more" in str(caught.value)


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=80) | st.text(',;\t\n\r"{}[]:ab1', max_size=60).map(str.encode),
    st.sampled_from(["csv", "jsonl"]),
)
def test_any_bytes_are_read_or_refused(data: bytes, ending: str) -> None:
    try:
        table = parse_table(f"t.{ending}", data)
    except BrokenInput:
        return
    assert {len(row) for row in table.rows} <= {len(table.columns)} and len(table.lines) == len(table.rows)


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"id": ["a", "b"], "label": ["yes", "no"]}), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert tuple(zip(table.column("id"), table.column("label"), strict=True)) == WANTED


# --- which column is what ---

GUESSED = {
    "label,verdict": {"label": "label", "verdict": "verdict"},
    "Gold,Prediction,P,item_id,Session": {
        "label": "Gold", "verdict": "Prediction", "probability": "P", "id": "item_id", "group": "Session",
    },
    "human label,judge-verdict,": {"label": "human label", "verdict": "judge-verdict"},
    "truth,score": {"label": "truth", "probability": "score"},
}  # fmt: skip


@pytest.mark.parametrize("head", GUESSED)
def test_is_guessed(head: str) -> None:
    table = parse_table("t.csv", f"{head}\n{','.join('x' * len(head.split(',')))}\n".encode())
    choice = choose_columns(table, {})
    assert {role: name for role, name in choice.columns.items() if name is not None} == GUESSED[head]


@pytest.mark.parametrize(
    ("head", "named", "words"),
    [
        ("gold,human,verdict", {}, ["--label gold", "gold, human"]),
        ("gold,a,b", {}, ["--verdict COLUMN", "gold, a, b"]),
        ("a,b", {}, ["--label COLUMN", "--verdict COLUMN"]),
        ("gold,verdict,score,confidence", {}, ["--probability score", "--probability -"]),
        ("gold,verdict", {"group": "nope"}, ["nope", "--group", "gold, verdict"]),
        ("gold,verdict", {"label": "Gold"}, ["Gold", "--label"]),
    ],
)
def test_is_not_guessed(head: str, named: dict[str, str | None], words: list[str]) -> None:
    table = parse_table("t.csv", f"{head}\n{head}\n".encode())
    with pytest.raises(BrokenInput) as caught:
        choose_columns(table, named)
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_named_column_settles_it() -> None:
    table = parse_table("t.csv", b"gold,judge,verdict,id,case\n1,2,3,4,5\n")
    choice = choose_columns(table, {"verdict": "verdict", "group": "case", "probability": "-"})
    assert choice.columns == {"label": "gold", "verdict": "verdict", "probability": None, "group": "case", "id": "id"}
    assert choice.guessed == ("label", "id")
