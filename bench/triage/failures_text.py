"""Failures as Markdown for a person and as JSON for an optimiser; both hold the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bench import __version__
from bench.measure.estimate import rounded
from bench.problems import shorten
from bench.terminal.table import columns
from bench.terminal.words import counted, wrapped
from bench.triage.failures import Failure, Failures, Judged

FORMAT = 1
_REASON = 400  # characters of a judge's words
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]()<>#+!|~&"})


def sentence(found: Failures) -> str:
    """How many, of how many."""
    wrong, lines = len(found.failures), counted(len(found.judged), "judge and statement line")
    return f"{wrong} of {counted(found.rows, 'labelled verdict')} wrong, of {lines} on {found.split} of {found.suite}."


def as_json(found: Failures, exit_code: int) -> dict[str, Any]:
    """Everything that is printed, in types that JSON has."""
    return {
        "format": FORMAT,
        "exit_code": exit_code,
        "sentence": sentence(found),
        "suite": found.suite,
        "split": found.split,
        "judged": [asdict(one) for one in found.judged],
        "failures": [asdict(one) for one in found.failures],
        "data": found.data,
        "bench": __version__,
    }


def counts(found: Failures) -> str:
    """Where they are, for a terminal: the lines with an error, most errors first."""
    judged = sorted((one for one in found.judged if one.wrong), key=lambda one: -one.wrong)
    rows: list[tuple[str, ...]] = [("judge", "statement", "stratum", "wrong", "of", "unscored", "unlabelled")]
    rows += [
        (one.judge, one.statement, one.stratum, *(str(n) for n in (one.wrong, one.rows, one.unscored, one.unlabelled)))
        for one in judged
    ]
    return f"{wrapped(sentence(found))}\n\n{columns(rows, left=(0, 1, 2))}\n"


def markdown(found: Failures) -> str:
    """A page: the counts, then each failure under its judge and statement."""
    lines = [f"# Where judges err: {_plain(found.suite)}, {found.split}", "", sentence(found), ""]
    lines += ["| judge | statement | stratum | wrong | of | unscored | unlabelled |", "|---|---|---|---|---|---|---|"]
    lines += [_row(one) for one in found.judged]
    head = None
    for one in found.failures:
        if (one.judge_id, one.statement) != head:
            head = (one.judge_id, one.statement)
            lines += ["", f"## {_plain(one.judge)}: {_plain(one.statement)}", "", _plain(one.text)]
            lines += ["", *(f"* {_plain(answer)}: {_plain(meaning)}" for answer, meaning in one.criteria)]
        lines += ["", *_failure(one)]
    lines += ["", f"data {found.data[:12]}, bench {__version__}"]
    return "\n".join(lines) + "\n"


def _row(one: Judged) -> str:
    cells = [_plain(one.judge), _plain(one.statement), _plain(one.stratum)]
    cells += [str(n) for n in (one.wrong, one.rows, one.unscored, one.unlabelled)]
    return f"| {' | '.join(cells)} |"


def _failure(one: Failure) -> Iterator[str]:
    yield f"### {_plain(one.case)}/{_plain(one.attempt)}: {one.kind}"
    yield ""
    place = one.file if one.line is None else f"{one.file}:{one.line}"
    yield f"* right is {_plain(one.expected)}, said was {_plain(one.answer)}{_strength(one)}"
    yield f"* at {_plain(place)}, {_plain(one.stratum)}"
    yield f"* events: {', '.join(map(str, one.events)) or 'none named'}"
    if not one.reasons:
        yield "* no reason is kept"
    for reason in one.reasons:
        yield f"* reason: {_plain(shorten(reason, _REASON))}"
    for quote in one.quotes:
        yield f"* quoted: {_plain(shorten(quote, _REASON))}"


def _strength(one: Failure) -> str:
    told = "" if one.p is None else f", p = {rounded(one.p)}"
    told += "" if one.p is not None or one.score is None else f", score {one.score:.6g}"
    return told + (f", in {one.said_wrong} of {one.samples} samples" if one.samples > 1 else "")


def _plain(text: str) -> str:
    """Text that others wrote, as text: on one line, and no markup."""
    return " ".join(text.split()).translate(_SPECIAL)
