"""The labelled side from a suite: stored verdicts of one judge on a stratum that was drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from bench.benchmark import stored_rows
from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite
from bench.cases.sources import SessionFolders
from bench.estimating.reading import ReadLabelled, Source, whole
from bench.estimating.sides import LabelledSide
from bench.measure.items import REPORTED_SPLITS, JudgedRows
from bench.measure.rows import Row
from bench.measure.signature import data_digest, labels_digest
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.running.outcome import Outcome
from bench.schema.statement import YesNo
from bench.schema.suite import Stratum
from bench.workspace import stratum_of

_WORDS = ("yes", "no")
_LABELLED = "labelled"


def read_suite_side(
    layout: Layout, folders: SessionFolders, judge: str, statement: str, stratum: str | None
) -> ReadLabelled:
    """One judge's rows of the reported splits. Raises BrokenInput for an unknown name, CannotDecide for a stratum whose
    make-up is a matter of design."""
    suite, labels, judged = stored_rows(layout, folders)
    part = stratum_of(suite, stratum)
    if not any(s.id == statement and isinstance(s, YesNo) for s in suite.suite.statements):
        known = ", ".join(s.id for s in suite.suite.statements if isinstance(s, YesNo))
        raise _unknown("--statement", statement, f"use one of {known}")
    outcome, rows = _judge(judged, judge, statement)
    if part.design != "random_sample":
        raise CannotDecide(
            f"withheld: the stratum {part.id} is {part.design.replace('_', ' ')}, so the rates in it are those of its "
            "design and hold for no other sessions; take a stratum that was drawn at random"
        )
    mine = [
        row for row in rows if (row.statement, row.stratum) == (statement, part.id) and row.split in REPORTED_SPLITS
    ]
    return ReadLabelled(
        _side(mine), _source(suite, labels_digest(labels), outcome, statement, part), _WORDS, frozenset()
    )


def _side(rows: Sequence[Row]) -> LabelledSide:
    labelled = [row for row in rows if row.label.status == _LABELLED]
    both = [row for row in labelled if row.answer is not None]
    codes = {family: code for code, family in enumerate(sorted({row.family for row in both}))}
    return LabelledSide(
        np.array([row.label.answer == "yes" for row in both], dtype=bool),
        np.array([row.answer == "yes" for row in both], dtype=bool),
        whole([row.p for row in both]),
        np.array([codes[row.family] for row in both], dtype=np.int64),
        len(labelled) - len(both),
        len(rows) - len(labelled),
    )


def _judge(judged: JudgedRows, wanted: str, statement: str) -> tuple[Outcome, Sequence[Row]]:
    able = [(outcome, rows) for outcome, rows in judged if statement in outcome.judge.entry.answers]
    found = [pair for pair in able if pair[0].judge.id == wanted] or [
        (outcome, rows)
        for outcome, rows in able
        if wanted in (outcome.judge.judge.name, outcome.judge.entry.judge) and outcome.judge.entry.experiment is None
    ]
    if not found:
        known = ", ".join(dict.fromkeys(outcome.judge.judge.name for outcome, _ in able))
        raise _unknown("--judge", wanted, f"judges that answer {statement}: {known}")
    ids = sorted({outcome.judge.id for outcome, _ in found})
    if len(ids) > 1:
        raise _unknown("--judge", wanted, f"several judges have this name; use one of the ids {', '.join(ids)}")
    return found[0]


def _source(suite: LoadedSuite, labels: str, outcome: Outcome, statement: str, part: Stratum) -> Source:
    run = suite.layout.runs / f"{outcome.judge.id}.jsonl"
    stored = sha256(run.read_bytes()).hexdigest() if run.is_file() else "none"
    name = f"suite {suite.suite.id}@{suite.suite.version}"
    told = (
        f"{statement} in {part.id}, reported splits, judge {outcome.judge.id}; data {data_digest(suite)[:12]}, "
        f"labels {labels[:12]}"
    )
    return Source(name, stored, told, outcome.judge.id)


def _unknown(flag: str, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("command line", None, None, flag, found, fix)])
