"""Train a head on development: try the candidates, choose one by cross-validation, calibrate it, fit it, write it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from bench.judges.head.features import COLUMNS, VERSION
from bench.judges.head.model import Asked, Calibration, Column, Events, Head, Stump, Training, Words
from bench.judges.head.signals import SIGNALS
from bench.training.calibrate import Calibrated, calibrate
from bench.training.candidates import CANDIDATES, Fitted, fit
from bench.training.citations import Citations, citations
from bench.training.crossfit import FULL, Effort, choose, mean_probability, nested, out_of_fold
from bench.training.figures import Line, candidate_lines, control_lines, line
from bench.training.material import SPLIT, Material
from bench.training.table import BITS, Table, table_of

DIGITS = 4  # of a weight in the file
ABOUT = (
    "A trained judge of one statement (bench train): weights over counts of signals in a session. Fitted on the development "
    "split alone; what it promises elsewhere has to be measured there. The model card is docs/head.md."
)


@dataclass(frozen=True)
class Trained:
    """A head and how it came to be. ``nested`` are the figures of the whole procedure, the choice included."""

    head: Head
    nested: Line
    picks: tuple[tuple[str, int], ...]  # what the choice fell on without the held-out fold, and how often
    candidates: tuple[Line, ...]
    controls: tuple[Line, ...]
    calibrated: Calibrated
    citations: Citations


def train(material: Material, effort: Effort = FULL) -> Trained:
    """The head of one statement, and its out-of-fold figures. The same material gives the same head."""
    table, seed = table_of(material.rows), material.seed
    rows = np.arange(len(table))
    sums = out_of_fold(CANDIDATES, table, rows, effort.folds, effort.repeats, (seed, 0))
    best = choose(sums, table, rows)
    core = table.primary
    calibrated = calibrate(sums[best].mean(axis=0)[core], table.yes[core].astype(np.float64), table.family[core], seed)
    chosen = CANDIDATES[best]

    def written(fitted: Fitted) -> Head:
        return write_head(material, table, chosen.name, fitted, calibrated)

    outer, picks = nested(CANDIDATES, table, seed, effort)
    return Trained(
        written(fit(chosen, table, rows)),
        line("choice and fit, nested", mean_probability(outer), table, seed),
        tuple(sorted(Counter(picks).items(), key=lambda pick: (-pick[1], pick[0]))),
        candidate_lines(CANDIDATES, sums, table, seed),
        control_lines(table, seed),
        calibrated,
        citations(material, table, chosen, written, effort),
    )


def write_head(material: Material, table: Table, chosen: str, fitted: Fitted, calibrated: Calibrated) -> Head:
    """The fitted parts as the record of a file, each number rounded."""
    asked = material.statement
    record = {
        "schema": "1",
        "name": asked.id,
        "about": ABOUT,
        "features": VERSION,
        "statement": Asked(text=asked.text, true=asked.true, false=asked.false),
        "bias": _number(fitted.bias),
        "columns": tuple(
            Column(name=name, centre=_number(c), scale=_number(s), weight=_number(w))
            for name, (c, s, w) in fitted.columns.items()
        ),
        "events": _events(fitted),
        "stumps": tuple(
            Stump(column=COLUMNS[c], at=_number(t), below=_number(b), above=_number(a)) for c, t, b, a in fitted.stumps
        ),
        "words": _words(fitted),
        "calibration": Calibration(
            kind=calibrated.kind, slope=_number(calibrated.slope), offset=_number(calibrated.offset)
        ),
        "training": Training(
            suite=material.suite,
            split=SPLIT,
            digest=material.digest(),
            seed=material.seed,
            attempts=len(table),
            families=len(np.unique(table.family)),
            primary=int(table.primary.sum()),
            primary_yes=int(table.yes[table.primary].sum()),
            chosen=chosen,
        ),
    }
    return Head.model_validate(record)


def _events(fitted: Fitted) -> Events | None:
    if fitted.events is None:
        return None
    weights, bias = fitted.events
    return Events(
        bias=_number(bias), weights={n: _number(w) for n, w in zip(SIGNALS, weights, strict=True) if _number(w)}
    )


def _words(fitted: Fitted) -> Words | None:
    if fitted.words is None:
        return None
    return Words(bits=BITS, weights={str(c): _number(w) for c, w in enumerate(fitted.words) if _number(w)})


def _number(value: float) -> float:
    """Rounded, without a negative zero."""
    return round(float(value), DIGITS) + 0.0
