"""What the attack on pairs sees of them: differences in wording, size and position, as a kernel.

Three blocks of equal weight: words (1- and 2-grams), characters (3- to 5-grams), and shape (lengths, and how many
prompts, messages, calls, failures there are and where). N-grams end at a line, so lines that both members hold cancel
exactly and only what differs is counted. A feature must differ in three pairs at least: one that does not cannot carry
over to pairs left out. Choice and scaling do not depend on which member is the positive, so swaps leave them alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bench.audits.pair_attack import Floats
from bench.projection.render import render_event
from bench.schema.event import Event

Features = Mapping[str, float]
_IN_PAIRS = 3
_WORD = re.compile(r"\w+")
_GROUPS: dict[str, Callable[[Event], bool]] = {
    "typed prompt": lambda event: event.kind == "prompt" and event.origin == "human",
    "message": lambda event: event.kind == "message",
    "reasoning": lambda event: event.kind == "reasoning",
    "call": lambda event: event.kind in ("tool_call", "command"),
    "failure": lambda event: event.ok is False,
    "refusal": lambda event: event.approval is not None and event.approval.decision == "denied",
}


@dataclass(frozen=True)
class Member:
    """One attempt of a pair, as far as the attack may see it."""

    texts: tuple[str, ...]  # query and final answer
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Pair:
    """A positive and its control."""

    family: str
    positive: Member
    control: Member


def kernel_of(pairs: Sequence[Pair]) -> Floats:
    """How alike the differences of any two pairs are, (pairs, pairs); the diagonal is 1 on average, or 0."""
    lines = [(_lines(pair.positive), _lines(pair.control)) for pair in pairs]
    blocks = [
        [_difference(positive, control, _words) for positive, control in lines],
        [_difference(positive, control, _characters) for positive, control in lines],
        [_minus(_shape(pair.positive), _shape(pair.control)) for pair in pairs],
    ]
    kernels = [_kernel(block) for block in blocks]
    told = [kernel for kernel in kernels if kernel.any()]
    return np.asarray(sum(told) / len(told)) if told else kernels[0]


def _lines(member: Member) -> Counter[str]:
    """Every line of the rendering; events carry no number, so one more event shifts nothing."""
    texts = [*member.texts, *(render_event(0, event) for event in member.events)]
    return Counter(" ".join(line.lower().split()) for text in texts for line in text.split("\n"))


def _difference(positive: Counter[str], control: Counter[str], grams: Callable[[str], Iterator[str]]) -> Features:
    counts: Counter[str] = Counter()
    for lines, sign in ((positive - control, 1), (control - positive, -1)):
        for line, times in lines.items():
            for gram in grams(line):
                counts[gram] += sign * times
    return {gram: math.copysign(math.log1p(abs(count)), count) for gram, count in counts.items() if count}


def _words(line: str) -> Iterator[str]:
    words = _WORD.findall(line)
    yield from words
    yield from (f"{a} {b}" for a, b in pairwise(words))


def _characters(line: str) -> Iterator[str]:
    text = f" {line} "
    for size in (3, 4, 5):
        yield from (text[i : i + size] for i in range(len(text) - size + 1))


def _shape(member: Member) -> Features:
    texts = [render_event(0, event) for event in member.events]
    shape = {
        "events": math.log1p(len(texts)),
        "words": math.log1p(sum(len(_WORD.findall(text)) for text in texts)),
        "characters": math.log1p(sum(len(text) for text in texts)),
    }
    for name, belongs in _GROUPS.items():
        places = [(i + 0.5) / len(texts) for i, event in enumerate(member.events) if belongs(event)]
        shape[f"{name}: count"] = math.log1p(len(places))
        shape[f"{name}: first"] = places[0] if places else 0.5
        shape[f"{name}: mean"] = sum(places) / len(places) if places else 0.5
        shape[f"{name}: last"] = places[-1] if places else 0.5
    return shape


def _minus(positive: Features, control: Features) -> Features:
    return {name: positive[name] - control[name] for name in positive if positive[name] != control[name]}


def _kernel(differences: Sequence[Features]) -> Floats:
    """Each feature divided by its root mean square over the pairs, each pair scaled to the same length."""
    held = Counter(name for difference in differences for name in difference)
    column = {name: i for i, name in enumerate(sorted(n for n, times in held.items() if times >= _IN_PAIRS))}
    matrix = np.zeros((len(differences), len(column)))
    for row, difference in enumerate(differences):
        for name, value in difference.items():
            if name in column:
                matrix[row, column[name]] = value
    matrix /= np.sqrt((matrix**2).mean(axis=0))
    length = np.sqrt((matrix**2).sum(axis=1, keepdims=True))
    matrix /= np.where(length > 0, length, 1.0)
    kernel = matrix @ matrix.T
    mean = float(np.trace(kernel)) / max(len(kernel), 1)
    return kernel / mean if mean > 0 else kernel
