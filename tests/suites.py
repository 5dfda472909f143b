"""A tiny, valid suite that has nothing to do with lessons: a support agent, judged on format, facts, quality and channel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bench.cases.layout import Layout

SUITE = """\
schema: 1
id: support
title: Answers of a support agent
version: 0.1.0
licence: CC0-1.0
canary: support-canary-5b7e
id_pattern: S[0-9]{3}
statements:
  - id: format-kept
    text: The final answer keeps the reply format.
    true: Greeting, answer and signature are there, in this order.
    false: One of the three is missing or misplaced.
    critical: true
  - id: mentions-refund
    text: The answer mentions the refund period of 30 days.
    true: It says 30 days, or a month.
    false: It gives no period, or another one.
    ask_also:
      - name: gap
        when: "no"
        meaning: what is said instead
        options: {silent: nothing is said, other: another period is said}
        required: true
  - id: quality
    type: score
    text: How well is the customer helped?
    levels:
      - {level: 1, meaning: not at all}
      - {level: 2, meaning: hardly}
      - {level: 3, meaning: partly}
      - {level: 4, meaning: well}
      - {level: 5, meaning: fully}
  - id: channel
    type: choice
    text: Where does the agent send the customer?
    options: {form: to the web form, phone: to the hotline, nowhere: to no other place}
strata:
  - {id: tickets, meaning: tickets as they came in, design: random_sample, primary: true}
  - {id: pairs, meaning: a good and a bad answer to one ticket, design: paired_by_design}
vocabulary:
  source: {ticket: a real ticket, written: written for this suite}
  capability: {refund: refund questions}
  difficulty: {plain: nothing special}
  language: {en: English}
  harness: {desk: the support desk}
  tags: {angry: the customer is angry}
rules: {unlabelled: counted, votes_per_item: 1}
resamples: 100
judges:
  - {judge: always-yes, answers: [format-kept, mentions-refund]}
"""

SPLITS = """\
schema: 1
seed: 1
families:
  refund-a: development
  refund-b: test
"""

STATEMENTS = ("format-kept", "mentions-refund", "quality", "channel")
ANSWERS = {"format-kept": "yes", "mentions-refund": "yes", "quality": "4", "channel": "nowhere"}


def case_text(case: str, family: str, stratum: str = "tickets", attempts: tuple[str, ...] = ("a1",)) -> str:
    """A case that asks every statement, with attempts of three events each."""
    head = f"""\
schema: 1
id: {case}
family: {family}
stratum: {stratum}
query: How long may I take to send the lamp back?
judgment:
  statements: [format-kept, mentions-refund, quality, channel]
metadata: {{source: written, capability: refund, difficulty: plain, language: en}}
attempts:
"""
    return head + "".join(
        f"""\
  - id: {attempt}
    harness: desk
    events:
      - {{kind: prompt, origin: human, text: "How long may I take to send the lamp back?"}}
      - {{kind: tool_call, tool: lookup, args: {{topic: returns}}, output: "30 days", ok: true}}
      - {{kind: message, text: "Hello! You have 30 days. Kind regards, the desk"}}
"""
        for attempt in attempts
    )


def votes_text(case: str, annotator: str, answers: Mapping[str, str] = ANSWERS, attempt: str = "a1") -> str:
    """Votes of one annotator on one attempt."""
    head = f"""\
schema: 1
case: {case}
annotator: {annotator}
made_by: person
guide: "1"
preset: reading@1
at: 2026-05-04T09:00:00+00:00
votes:
"""
    return head + "".join(
        f"""\
  - attempt: {attempt}
    statement: {statement}
    answer: "{answer}"
    evidence: [3]
    rationale: It stands in event 3.
"""
        for statement, answer in answers.items()
    )


def check_text(case: str, annotator: str, answers: Mapping[str, str] = ANSWERS) -> str:
    """Third votes of one annotator."""
    return votes_text(case, annotator, answers).replace("made_by:", "purpose: check\nmade_by:")


def checks_text(*cases: str) -> str:
    """The cases drawn for a third vote."""
    return f"schema: 1\nseed: 7\ndrawn: every second case of a shuffled list\ncases: [{', '.join(cases)}]\n"


def rulings_text(case: str, answers: Mapping[str, str], attempt: str = "a1") -> str:
    """Rulings on one attempt."""
    head = f"""\
schema: 1
case: {case}
adjudicator: chair
made_by: person
guide: "1"
at: 2026-05-05T09:00:00+00:00
rulings:
"""
    return head + "".join(
        f"""\
  - attempt: {attempt}
    statement: {statement}
    answer: "{answer}"
    reason: The guide says so.
"""
        for statement, answer in answers.items()
    )


def note_text(case: str) -> str:
    """The author's note of a case."""
    return (
        f"schema: 1\ncase: {case}\nauthor: author-x\nmade_by: person\n"
        "intention: the period is given in days\ndeciding_line: event 3\n"
    )


CASES = {"S001": case_text("S001", "refund-a"), "S002": case_text("S002", "refund-b", "pairs")}
VOTES = {f"ann/{case}": votes_text(case, "ann") for case in CASES}
NOTES = {case: note_text(case) for case in CASES}


def make_suite(
    tmp_path: Path,
    cases: Mapping[str, str] = CASES,
    votes: Mapping[str, str] = VOTES,
    rulings: Mapping[str, str] | None = None,
    splits: str | None = SPLITS,
    suite: str = SUITE,
    notes: Mapping[str, str] = NOTES,
    checks: str | None = None,
) -> Layout:
    """Write the suite under ``tmp_path``. Keys are ids (votes: ``annotator/id``), values the whole text of the file."""
    layout = Layout(tmp_path / "cases" / "support")
    files = {layout.suite / "suite.yaml": suite}
    if splits is not None:
        files[layout.suite / "splits.yaml"] = splits
    if checks is not None:
        files[layout.labels / "checks.yaml"] = checks
    files |= {layout.suite / f"{name}.yaml": text for name, text in cases.items()}
    files |= {layout.labels / "votes" / f"{name}.yaml": text for name, text in votes.items()}
    files |= {layout.labels / "adjudicated" / f"{name}.yaml": text for name, text in (rulings or {}).items()}
    files |= {layout.labels / "notes" / f"{name}.yaml": text for name, text in notes.items()}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return layout
