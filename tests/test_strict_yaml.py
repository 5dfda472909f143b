"""Strict YAML. Sources: YAML = YAML 1.2.2 (yaml.org/spec/1.2.2), JSON = RFC 8259; "ours" = DESIGN, "The case file"."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.problems import Problem
from bench.reading import strict_yaml
from bench.reading.quote import quoted
from bench.reading.strict_yaml import MAX_DEPTH, Document, parse_yaml, read_yaml

READ_RIGHT = [
    # what YAML 1.1 readers turn into something else stays text (ours: the schema decides, not YAML)
    ("a: no\nb: yes\nc: on\nd: Off\ne: true\nf: N", {"a": "no", "b": "yes", "c": "on", "d": "Off", "e": "true", "f": "N"}),
    ("a: 2026-08-14\nb: 2026-02-30\nc: 12:30:45", {"a": "2026-08-14", "b": "2026-02-30", "c": "12:30:45"}),
    ("a: 007\nb: 1_000\nc: 0x1F\nd: 1e999\ne: .nan", {"a": "007", "b": "1_000", "c": "0x1F", "d": "1e999", "e": ".nan"}),
    ("a: " + "9" * 5000, {"a": "9" * 5000}),
    ("1: a\n1.0: b", {"1": "a", "1.0": "b"}),
    ("yes: a", {"yes": "a"}),
    # empty values (ours), and the quoted words that are text (YAML 10.3.2: only plain scalars resolve)
    ("a:\nb: ~\nc: null", {"a": None, "b": None, "c": None}),
    ("a: ''\nb: \"~\"\nc: 'null'\nd: Null", {"a": "", "b": "~", "c": "null", "d": "Null"}),
    # YAML 5.2: a byte order mark may begin the stream
    ("\ufeffa: b", {"a": "b"}),
    # YAML 5.4: CR LF and CR are line breaks, normalised to LF in scalars; 7.3.1: folded to a space in double quotes
    ("a: 1\r\nb: |\r\n  x\r\n  y\r\n", {"a": "1", "b": "x\ny\n"}),
    ('a: "x\r\n  y"', {"a": "x y"}),
    ("a: 1\rb: 2", {"a": "1", "b": "2"}),
    # YAML 6.1: tabs may separate, and may stand in text; only indentation must be spaces
    ("a:\tx\ty", {"a": "x\ty"}),
    # YAML 7.3: no escapes in plain and single-quoted text, so Windows paths survive there; 5.7: escapes in double quotes
    ("a: C:\\Users\\new\nb: 'C:\\temp'\nc: \"C:\\\\temp\"", {"a": "C:\\Users\\new", "b": "C:\\temp", "c": "C:\\temp"}),
    ('a: "\\0\\x41\\u2028\\N\\L\\P\\U0001F600"', {"a": "\0A\u2028\x85\u2028\u2029\U0001f600"}),
    # YAML 6.6: # begins a comment only after white space
    ("a: x#12\nb: \"x #12\"\nc: x  # a remark\n# x #12\nd: |\n  x #12\n", {"a": "x#12", "b": "x #12", "c": "x", "d": "x #12\n"}),
    # a quoted << is a key like any other (YAML 1.1 merge resolves plain scalars only)
    ('"<<": a', {"<<": "a"}),
    ("a: x\n...\n", {"a": "x"}),
    ("%YAML 1.2\n---\na: x\n", {"a": "x"}),
    # JSON is YAML (YAML 1.2.2, 1.1)
    ('{"a": [1, {"b": "c/\\/d"}], "e": null, "f": true}', {"a": ["1", {"b": "c//d"}], "e": None, "f": "true"}),
]  # fmt: skip

REFUSED = [
    # text, line, a word of the message
    ("", 1, "empty file"),
    ("# a remark\n", 1, "empty file"),
    ("a: 1\nb: 2\na: 3", 3, "second time"),
    ('1: a\n"1": b', 2, "second time"),  # YAML 3.2.1.3: keys are compared by content; read as text both are 1
    ("- {a: 1,\n   a: 2}", 2, "second time"),
    ("a: 1\n---\nb: 2", 2, "second document"),
    ("a: 1\n...\nb: 2", 3, "document"),
    ("a: 1\nb: &x 2", 2, "anchor"),
    ("a: 1\nb: *x", 2, "alias"),
    ("a: 1\nb: !!int 2", 2, "tag"),
    ("a: !local\n  b: c", 1, "tag"),
    ("a: 1\n<<: {b: c}", 2, "merge key"),
    ("a:\n  ? [x]\n  : y", 2, "as a key"),
    ("a: 1\n? *x\n: y", 2, "alias"),
    ("a:\n\t- b", 2, "cannot start"),  # YAML 6.1: tabs do not indent
    ("a:\n  - b\n \t- c", 3, ""),
    ("a: 1\n b: 2", 2, "mapping values"),
    ("a: fix issue #12", 1, "'#12'"),
    ("a: 1\nb: issue #12", 2, "swallows"),
    ("a: 1\nb: #12", 2, "swallows"),
    ("a: 1\nb: two words # and a remark", 2, "swallows"),
    ("a: [x, fix #12\n ]", 1, "swallows"),
    ("- a #b", 1, "swallows"),
    ("a: 1\nb: x\0y", 2, "control character"),  # YAML 5.1: no C0 control but tab, LF and CR
    ("a: 1\nb: x\x1by", 2, "control character"),
    ('a: "\\ud800"', 1, "escape"),  # a lone surrogate is no character (Unicode 3.9, D76)
    ('a: 1\nb: "C:\\Users"', 2, "hexdecimal"),  # YAML 5.7: \U wants eight digits
    # YAML 5.4 reads these three as text, YAML 1.1 as line ends: nobody can know what was meant
    ('a: 1\nb: "x\u2028y"', 2, "U+2028"),
    ("a: 1\r\nb: x\x85c: d", 2, "U+0085"),
    ("a: |\n  x\u2029y\n", 2, "U+2029"),
    ("a: [", 1, ""),
    ('a: "x', 1, ""),
]  # fmt: skip


def problems(raw: bytes) -> list[Problem]:
    found = parse_yaml(raw, "f.yaml")
    assert isinstance(found, list), found.tree
    return found


@pytest.mark.parametrize(("text", "tree"), READ_RIGHT)
def test_is_read_right(text: str, tree: object) -> None:
    document = parse_yaml(text.encode(), "f.yaml")
    assert isinstance(document, Document), document
    assert document.tree == tree


@pytest.mark.parametrize(("text", "line", "word"), REFUSED)
def test_is_refused(text: str, line: int, word: str) -> None:
    found = problems(text.encode())
    assert found[0].line == line
    assert word in found[0].found and found[0].file == "f.yaml" and found[0].fix


def test_every_mistake_is_told_at_once() -> None:
    found = problems(b"a: &x 1\nb: *x\nc: !t 2\nc: fix #3\n")
    assert [p.line for p in found] == [1, 2, 3, 4, 4]


@pytest.mark.parametrize(("raw", "line"), [(b"a: 1\nb: caf\xe9", 2), (b"\xff\xfea\0:\0", 1), (b"a: \xed\xa0\x80", 1)])
def test_bytes_that_are_not_utf_8_are_refused(raw: bytes, line: int) -> None:
    (problem,) = problems(raw)
    assert (problem.line, problem.found) == (line, "bytes that are not UTF-8")


def test_an_alias_bomb_is_refused_before_it_expands() -> None:
    # nine levels of nine aliases: 387 million entries when expanded ("billion laughs")
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    started = time.monotonic()
    found = problems("\n".join(levels).encode())
    assert time.monotonic() - started < 1
    assert found[0].line == 1 and {"anchor", "alias"} == {p.found.split()[1].rstrip(",") for p in found}


def test_a_flood_of_mistakes_is_cut_and_says_so() -> None:
    found = problems(b"a: [" + b"*x," * 10_000 + b"]")
    assert len(found) == strict_yaml.MAX_PROBLEMS + 1
    assert "the rest of the file was not read" in found[-1].found


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", '{"a":[', "a:\n "])
def test_a_depth_bomb_is_refused(opening: str) -> None:
    started = time.monotonic()
    assert problems((opening * 20_000).encode())
    assert time.monotonic() - started < 1


def test_the_depth_limit_is_exact() -> None:
    assert isinstance(parse_yaml(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, "f"), Document)
    (problem,) = problems(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1))
    assert f"deeper than {MAX_DEPTH}" in problem.found


def test_one_long_line_takes_linear_time() -> None:
    started = time.monotonic()
    assert isinstance(parse_yaml(b"[" + b"a," * 100_000 + b"]", "f"), Document)
    assert time.monotonic() - started < 2


def test_lines_are_known() -> None:
    document = parse_yaml(b"# head\na: 1\nb:\n  - c: |\n      x\n      y\n  - d: [1,\n         2]\n", "f")
    assert isinstance(document, Document)
    # counted by hand
    wanted = {("a",): 2, ("b",): 4, ("b", 0, "c"): 4, ("b", 1, "d"): 7, ("b", 1, "d", 1): 8, ("b", 1, "none"): 7}
    assert {place: document.line_of(place) for place in wanted} == wanted


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        found = read_yaml(path, "shown.yaml")
        assert isinstance(found, list)
        assert found[0].file == "shown.yaml" and "cannot be read" in found[0].found


def test_a_file_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_yaml, "MAX_BYTES", 10)
    (tmp_path / "ten.yaml").write_bytes(b"a: 4567890")
    (tmp_path / "eleven.yaml").write_bytes(b"a: 45678901")
    assert isinstance(read_yaml(tmp_path / "ten.yaml", "f"), Document)
    found = read_yaml(tmp_path / "eleven.yaml", "f")
    assert isinstance(found, list)
    assert found[0].found == "11 bytes"


# JSON 7 lets DEL and the C1 controls stand unescaped, and YAML 5.1 does so within quotes; libyaml refuses them with their
# line, so `quoted` escapes them. Lone surrogates are no text (RFC 8259, 8.2).
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
TREES = st.recursive(TEXTS, lambda part: st.lists(part) | st.dictionaries(TEXTS, part), max_leaves=12)
ODD = st.text("ab:- \n\t#'\"{}[]&*!|>%@?,~<0\r\x85\u2028\ufeff\\", max_size=30).map(str.encode)


@settings(max_examples=300, deadline=None, database=None)
@given(TREES)
def test_what_is_quoted_reads_back_equal(tree: object) -> None:
    document = parse_yaml(quoted(tree).encode(), "f")
    assert isinstance(document, Document), document
    assert document.tree == tree


@settings(max_examples=300, deadline=None, database=None)
@given(st.binary(max_size=60) | ODD)
def test_no_bytes_raise(raw: bytes) -> None:
    found = parse_yaml(raw, "f")
    assert isinstance(found, Document) or (found and all(str(p) for p in found))


def test_a_lone_surrogate_is_written_as_the_replacement_character() -> None:
    assert quoted("a\ud800b") == '"a\\ufffdb"'  # Unicode 3.9, U+FFFD substitution
