"""Every public metric says six things: a plain sentence, formula, range and good end, when undefined, reference, confusion."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from bench import metrics
from bench.measure import categories, passk, ranks, repeatability, risk_coverage
from bench.measure.metrics import METRICS
from bench.measure.probability import decompose_brier
from bench.measure.properties import PROPERTIES
from bench.measure.ranking import RANK_METRICS

# Declared figures that one function gives together.
PARTS_OF = dict.fromkeys(("reliability", "resolution", "uncertainty"), decompose_brier)
# The entrances give all figures at once; what they return is documented by each figure.
ENTRANCES = {"evaluate", "evaluate_table"}
ELSEWHERE = (  # figures that neither properties.py declares nor bench.metrics exports
    categories.accuracy, categories.precision_and_recall, categories.macro, categories.cohen_kappa, passk.mean_pass,
    ranks.rank_judges, repeatability.flip_rate, risk_coverage.risk_coverage_curve,
)  # fmt: skip

NEEDED = {
    "a plain first sentence": re.compile(r"\A[A-Z][^.=]{20,}\.(\s|\Z)"),
    "the formula": re.compile(r"\bFormula\b[^:]*:"),
    "the range": re.compile(r"\bRange\b"),
    "the good end": re.compile(r"\b(high|low|higher|lower|neither)( end)? is (good|better)\b|, neither\."),
    "when it is undefined": re.compile(r"\b[Uu]ndefined\b|\bNone (when|without|where)\b|\bNo points without\b"),
    "a reference with its year": re.compile(r"\bReferences?: .*?\b(1[89]|20)\d\d\b"),
    "what it is confused with": re.compile(r"\bEasily confused with:? \w"),
}


def exported() -> dict[str, Callable[..., Any]]:
    """The functions that bench.metrics gives a user, by name."""
    found = {name: getattr(metrics, name) for name in metrics.__all__}
    return {name: value for name, value in found.items() if inspect.isfunction(value) and name not in ENTRANCES}


def documented() -> dict[str, Callable[..., Any]]:
    """All functions that must be documented, by what a failure should call them."""
    return {
        **{name: PARTS_OF.get(name) or getattr(metrics, name) for name in PROPERTIES},
        **exported(),
        **{f"{function.__module__.rpartition('.')[2]}.{function.__name__}": function for function in ELSEWHERE},
    }


@pytest.mark.parametrize("name", documented())
def test_says_its_six_things(name: str) -> None:
    told = " ".join((inspect.getdoc(documented()[name]) or "").split())
    assert [part for part, shown in NEEDED.items() if not shown.search(told)] == []


def test_every_declared_figure_has_a_public_function() -> None:
    assert {name for name in PROPERTIES if name not in PARTS_OF} <= set(exported())
    assert set(PARTS_OF) <= set(PROPERTIES)
    assert set(metrics.__all__) >= ENTRANCES


@pytest.mark.parametrize("metric", [*METRICS.values(), *RANK_METRICS.values()], ids=lambda metric: metric.name)
def test_lines_of_the_tables_are_filled(metric: Any) -> None:
    assert metric.sentence.endswith(".") and len(metric.sentence.split()) > 4
    assert all(len(text) > 3 for text in (metric.formula, metric.defined_when, metric.confused_with))
    assert re.search(r"\b(19|20)\d\d\b", metric.reference)
    assert metric.direction in ("higher is better", "neither")


@pytest.mark.parametrize("text", ["", "The share.", "Range 0 to 1, high is good. Reference: someone."])
def test_a_poor_docstring_is_found(text: str) -> None:
    assert [part for part, shown in NEEDED.items() if not shown.search(text)]
