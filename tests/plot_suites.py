"""A benchmark with something to draw in every figure: forty lamps, judges of every kind, prices, third votes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from running_suites import RULE, Tree, case_tree, rule_tree, suite_tree, votes_tree, write

from bench.benchmark import Benchmark, examine
from bench.judges.contract import Item, Question, Verdict
from bench.measure.call_figures import CallLine
from bench.workspace import session_folders

CASES, YES = 40, 24
SURE, HALF, MUTE = "plot_suites:Sure", "plot_suites:Half", "plot_suites:Mute"
HOSTILE = "rule:<script>alert(1)</script>]]>\"'&\u202e\x07$x_1$"


def lamp_of(item: Item) -> int:
    assert item.projection is not None
    return int(item.projection.query.split("S")[1][:3])


class Sure:
    """Knows the lamps up to one in eight, and states how sure it is."""

    def judge(self, item: Item, question: Question) -> Verdict:
        lamp = lamp_of(item)
        p = (0.9 if lamp <= YES else 0.1) - 0.002 * lamp + (0.05 if lamp <= YES else 0.15)
        p = 1 - p if lamp % 8 == 0 else p
        return Verdict("yes" if p >= 0.5 else "no", p=round(p, 4))


class Half:
    """Says yes to the lamps of even number."""

    def judge(self, item: Item, question: Question) -> bool:
        return lamp_of(item) % 2 == 0


class Mute:
    """Never answers."""

    def judge(self, item: Item, question: Question) -> Verdict:
        return Verdict(unscored="abstained", detail="in no mood")


def made(root: Path) -> Benchmark:
    """The benchmark, measured; calls are set by hand, since no judge here takes any."""
    statements = suite_tree([])["statements"]
    asked = ["polite"]
    judges: list[Tree] = [
        {"judge": "always-yes", "answers": asked},
        {"judge": "always-no", "answers": asked},
        {"judge": "prior", "answers": asked, "parameters": {"p": "0.6"}},
        {"judge": RULE, "answers": asked},
        {"judge": SURE, "answers": asked},
        {"judge": HALF, "answers": asked},
        {"judge": MUTE, "answers": asked, "coverage_floor": 0},
    ]
    claim = {"candidate": SURE, "comparator": HALF, "stratum": "tickets", "statement": "polite", "metric": "mcc"}
    suite = suite_tree(
        judges,
        statements=[statements[0] | {"critical": True}, statements[1]],
        comparisons=[claim | {"claim": "better", "margin": 0.1}, claim | {"claim": "not_worse", "margin": 0.05}],
        pass_k={"statement": "polite", "k": [1, 2], "strata": ["tickets"]},
        rules={"empty_cells": [{"capability": "refund", "difficulty": "plain", "reason": "no refund was asked for"}]},
    )
    names = [f"S{n:03d}" for n in range(1, CASES + 1)]
    cases = [case_tree(name) for name in names]
    for number, case in enumerate(cases):
        case["metadata"] = case["metadata"] | {"language": "de" if number % 3 else "en"}
    votes = []
    for number, name in enumerate(names, 1):
        answer = "yes" if number <= YES else "no"
        votes.append(votes_tree(name, {"polite": answer, "solved": "yes"}))
        other = "no" if number in (3, 30) and answer == "yes" else answer
        votes.append(votes_tree(name, {"polite": other, "solved": "yes"}, annotator="bob"))
    layout = write(root, suite, cases, votes=votes, rule=rule_tree())
    found = examine(layout, session_folders(layout, []), live_seconds=None)
    return replace(found, figures=replace(found.figures, calls=priced(found)))


def priced(benchmark: Benchmark) -> tuple[CallLine, ...]:
    """One judge costs two dollars for 40 verdicts, one says neither price nor time."""
    ids = {line.judge: line.judge_id for line in benchmark.figures.tables[0].lines}
    known = CallLine(SURE, ids[SURE], 40, 0, 4000, 40, 2.0, 0, 250.0, None, {}, ("m-1",))
    return known, replace(known, judge=HALF, judge_id=ids[HALF], usd=None, cost_unknown=40, median_ms=None)


def renamed(benchmark: Benchmark, old: str, new: str) -> Benchmark:
    """The same benchmark with another name for one judge, wherever figures say it."""
    figures = benchmark.figures
    tables = tuple(
        replace(t, lines=tuple(replace(line, judge=new) if line.judge == old else line for line in t.lines))
        for t in figures.tables
    )
    changed = replace(
        figures,
        tables=tables,
        slices=tuple(replace(s, judge=new) if s.judge == old else s for s in figures.slices),
        pass_k=tuple(replace(p, source=new) if p.source == old else p for p in figures.pass_k),
        calls=tuple(replace(c, judge=new) if c.judge == old else c for c in figures.calls),
    )
    return replace(benchmark, figures=changed)
