"""Suites for the report page: any number of cases, judges that differ, and sessions that try to get out of the page."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.judges.contract import Item, Question, Verdict, yes_or_no

BIDI = "\u202e\u2066\u200b"
HOSTILE = (
    "</script><script>window.hit=1</script>",
    '"><img src=x onerror="window.hit=1">',
    "<svg onload=window.hit=1>",
    "<!--<script>",
    "]]>&lt;/pre&gt;'\"`${window.hit=1}`",
    "javascript:window.hit=1",
    f"{BIDI}gnihton\x1b]8;;http://evil.example\x07",
    "{{ 7 * 7 }}{% raw %}",
    "=cmd|' /C calc'!A0",
    "\u2028 end \u2029",
)
LONG = "y" * 1_000_000  # one line


class Guess:
    """A judge with probabilities: leans to yes by the number in the query."""

    def judge(self, item: Item, question: Question) -> Verdict:
        number = int(item.projection.query.rsplit("S", 1)[1].split(".")[0]) if item.projection else 0
        p = (number * 37 % 101) / 101
        return Verdict(yes_or_no(p >= 0.5), p=p, evidence=(1,), reason=f"leans to {p:.2f}")


class Quoting:
    """A judge that words its verdict with what the session said."""

    def judge(self, item: Item, question: Question) -> Verdict:
        text = next((event.text for event in item.projection.events if event.text), "") if item.projection else ""
        quote = text[:60]
        return Verdict("yes", reason=f"because {quote}", quotes=(quote,), evidence=(1, 3), detail=quote)


def page_suite(cases: int) -> tuple[Tree, list[Tree], list[Tree], dict[str, str]]:
    """A suite, its cases, one vote a case, and splits: a third is development, the rest is test."""
    judges: list[Tree] = [
        {"judge": name, "answers": ["polite", "solved"]}
        for name in ("always-yes", "always-no", "page_suites:Guess", "page_suites:Quoting")
    ]
    suite = suite_tree(judges, id_pattern="S[0-9]{3,5}", resamples=200)
    suite["statements"][1]["critical"] = True
    generator = random.Random(5)
    trees = [case_tree(f"S{number:03d}", query=f"Mend the lamp S{number:03d}.") for number in range(cases)]
    votes = [
        votes_tree(tree["id"], {s: generator.choice(["yes", "no"]) for s in ("polite", "solved")})
        | {"annotator": "ann"}
        for tree in trees
    ]
    for vote in votes:
        vote["votes"][1]["evidence"] = [2]
    splits = {tree["family"]: "development" if n % 3 == 0 else "test" for n, tree in enumerate(trees)}
    return suite, trees, votes, splits


def hostile_suite(cases: int = 12) -> tuple[Tree, list[Tree], list[Tree], dict[str, str]]:
    """The same, with attacks wherever a person, a tool or a model may have written."""
    suite, trees, votes, splits = page_suite(cases)
    attacks = _again()
    for tree, vote in zip(trees, votes, strict=True):
        number = tree["id"]
        tree["query"] = f"{next(attacks)} Mend the lamp {number}."
        for event in tree["attempts"][0]["events"]:
            event["text"] = next(attacks)
            event["output"] = next(attacks)
        tree["attempts"][0]["answer"] = next(attacks)
        vote["votes"][1]["rationale"] = next(attacks)
    trees[0]["attempts"][0]["events"].append({"kind": "tool_call", "tool": "cat", "output": LONG, "ok": True})
    suite["title"] = f"Answers {HOSTILE[0]}"
    suite["strata"][0]["meaning"] = HOSTILE[1]
    return suite, trees, votes, splits


def _again() -> Iterator[str]:
    while True:
        yield from HOSTILE


def write_page_suite(root: Path, parts: tuple[Tree, list[Tree], list[Tree], dict[str, str]]) -> Layout:
    """The suite as files."""
    suite, trees, votes, splits = parts
    return write(root, suite, trees, votes, splits)
