"""Suites of yes / no statements as plain maps, so that a test can edit one thing; and judges to run on them."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from suites import make_suite

from bench.cases.layout import Layout
from bench.judges.contract import Item, Question, Verdict

Tree = dict[str, Any]
RULE = "own.rule.yaml"


def suite_tree(judges: Iterable[Tree], **changes: Any) -> Tree:
    """A suite of two statements in one primary stratum."""
    return {
        "schema": 1,
        "id": "support",
        "title": "Answers of a support agent",
        "version": "0.1.0",
        "licence": "CC0-1.0",
        "canary": "running-canary-77c1",
        "id_pattern": "S[0-9]{3}",
        "statements": [
            {"id": "polite", "text": "The agent is polite.", "true": "It greets.", "false": "It does not."},
            {"id": "solved", "text": "The problem is solved.", "true": "It works again.", "false": "It does not."},
        ],
        "strata": [{"id": "tickets", "meaning": "tickets as they came in", "design": "random_sample", "primary": True}],
        "vocabulary": {
            "source": {"written": "written for this suite"},
            "capability": {"repair": "a repair", "refund": "a refund"},
            "difficulty": {"plain": "nothing special"},
            "language": {"en": "English", "de": "German"},
            "harness": {"desk": "the support desk", "line": "the hotline"},
        },
        "resamples": 100,
        "judges": list(judges),
        **changes,
    }


def case_tree(case: str, attempts: int = 1, **changes: Any) -> Tree:
    """A case whose every attempt differs from every other one's."""
    return {
        "schema": 1,
        "id": case,
        "family": f"family-{case}",
        "stratum": "tickets",
        "query": f"Mend the lamp {case}.",
        "judgment": {"statements": ["polite", "solved"]},
        "trajectory_anchors": {"expect": [{"command": f"mend {case}"}]},
        "world_state": {"reference_time": "2026-05-04T09:00:00+00:00", "facts": {"lamp": case}},
        "metadata": {"source": "written", "capability": "repair", "difficulty": "plain", "language": "en"},
        "attempts": [
            {
                "id": f"a{number}",
                "harness": "desk",
                "events": [
                    {"kind": "prompt", "origin": "human", "text": f"The lamp {case} is dark, for time {number}."},
                    {"kind": "command", "command": f"mend {case}", "exit_code": 0, "exit_source": "text", "ok": True},
                    {"kind": "message", "text": "Hello! It works again."},
                ],
            }
            for number in range(1, attempts + 1)
        ],
        **changes,
    }


def rule_tree(**changes: Any) -> Tree:
    """A rule with its two tests."""
    greeting = {"kind": "message", "text": "Hello!"}
    return {
        "id": "own",
        "version": 1,
        "title": "Says hello",
        "description": "Fires on a greeting.",
        "match": 'e.text.contains("Hello")',
        "tests": [
            {"name": "a greeting", "verdict": "match", "events": [greeting]},
            {"name": "none", "verdict": "no_match", "events": [{"kind": "message", "text": "No."}]},
        ],
        **changes,
    }


def votes_tree(case: str, answers: Mapping[str, str], annotator: str = "ann", attempt: str = "a1") -> Tree:
    """Votes of one annotator on one attempt."""
    return {
        "schema": 1,
        "case": case,
        "annotator": annotator,
        "made_by": "person",
        "guide": "1",
        "preset": "reading@1",
        "at": "2026-05-04T09:00:00+00:00",
        "votes": [
            {"attempt": attempt, "statement": statement, "answer": answer, "rationale": "It stands there."}
            for statement, answer in answers.items()
        ],
    }


def note_tree(case: str) -> Tree:
    """The author's note of a case."""
    return {
        "schema": 1,
        "case": case,
        "author": "author-x",
        "made_by": "person",
        "intention": "shows a greeting",
        "deciding_line": "event 3",
    }


def write(
    root: Path,
    suite: Tree,
    cases: Iterable[Tree],
    votes: Iterable[Tree] = (),
    splits: Mapping[str, str] | None = None,
    notes: Iterable[Tree] | None = None,
    rule: Tree | None = None,
) -> Layout:
    """Write the suite as files (JSON is YAML). Notes: one a case, unless given."""
    cases = list(cases)
    written = [note_tree(case["id"]) for case in cases] if notes is None else list(notes)
    layout = make_suite(
        root,
        suite=json.dumps(suite),
        cases={case["id"]: json.dumps(case) for case in cases},
        votes={f"{v['annotator']}/{v['case']}": json.dumps(v) for v in votes},
        notes={note["case"]: json.dumps(note) for note in written},
        splits=None if splits is None else json.dumps({"schema": 1, "seed": 1, "families": dict(splits)}),
    )
    if rule is not None:
        (layout.suite / RULE).write_text(json.dumps(rule), encoding="utf-8")
    return layout


def heeds_ctrl_c() -> None:
    """In a child before it starts: a job in the background of a shell is born deaf to Ctrl-C, and so would its children be."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_rows(layout: Layout) -> dict[str, list[Tree]]:
    """The stored rows of each judge, by judge_id."""
    files = sorted(layout.runs.glob("*-????????????.jsonl"))
    return {file.stem: [json.loads(line) for line in file.read_bytes().splitlines()] for file in files}


def without_timing(row: Tree) -> Tree:
    """A row but for its clock."""
    return {name: value for name, value in row.items() if name not in ("at", "latency_ms")}


class SeesWorld:
    """Is shown facts and reference time, nothing else."""

    receives = frozenset({"facts", "reference_time"})

    def judge(self, item: Item, question: Question) -> bool:
        if item.projection is not None or item.anchors is not None:
            raise AssertionError("shown more than declared")
        return bool(item.facts)


class Slow:
    """Takes a few milliseconds an item; the answer depends on the session and the question alone."""

    def judge(self, item: Item, question: Question) -> Verdict:
        time.sleep(0.004)
        content = f"{item.projection.digest if item.projection else None}{question.text}"
        digit = hashlib.sha256(content.encode()).digest()[0]
        return Verdict("yes" if digit % 2 else "no", p=digit / 255)


class Moody:
    """Answers as the environment variable MOOD says: an answer, a reason, or a fault."""

    def judge(self, item: Item, question: Question) -> Any:
        mood = os.environ["MOOD"]
        if mood in ("yes", "no"):
            return Verdict(mood)
        return FAULTS[mood]()


def _exit() -> None:
    raise SystemExit(0)


def _loud() -> None:
    raise RuntimeError("several\nlines")


FAULTS: dict[str, Any] = {
    "abstained": lambda: Verdict(unscored="abstained", detail="in no mood"),
    "timeout": lambda: Verdict(unscored="timeout", detail="too late"),
    "raises": _loud,
    "exits": _exit,
    "text": lambda: "yes",
    "surrogate": lambda: Verdict("yes", reason="a\ud800b"),
    "other answer": lambda: Verdict("maybe"),
    "p over 1": lambda: Verdict("yes", p=1.5),
    "p nan": lambda: Verdict("yes", p=float("nan")),
    "p text": lambda: Verdict("yes", p="high"),  # type: ignore[arg-type]
    "score infinite": lambda: Verdict("yes", score=float("inf")),
    "cost nan": lambda: Verdict("yes", cost_usd=float("nan")),
    "unknown reason": lambda: Verdict(unscored="bored"),  # type: ignore[arg-type]
    "reason no text": lambda: Verdict("yes", reason=5),  # type: ignore[arg-type]
}
