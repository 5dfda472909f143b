"""What sort of judge it is: figures mark the sorts apart, tables name them, and conclusions leave the controls out."""

from __future__ import annotations

from typing import Literal

from bench.benchmark import Benchmark

Kind = Literal["control", "rule", "code", "model"]
CONTROLS = ("always-yes", "always-no", "prior", "length", "prompts")  # shown so that a good number means something
_MODELS = ("decision:", "llm:", "head:")  # also where no verdict is stored yet


def kind_of(judge: str, calls: bool = False) -> Kind:
    """By its name as reports show it, and by whether its verdicts took calls: a class of one's own may call a model."""
    if judge in CONTROLS:
        return "control"
    if judge.startswith("rule:"):
        return "rule"
    return "model" if calls or judge.startswith(_MODELS) else "code"


def callers(benchmark: Benchmark) -> frozenset[str]:
    """The judge_ids whose verdicts took calls."""
    return frozenset(line.judge_id for line in benchmark.figures.calls)
