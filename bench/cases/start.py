"""Start a suite: a suite file that loads as it stands, with the places marked where one's own words go."""

from __future__ import annotations

import uuid
from pathlib import Path

from bench.cases.layout import Layout
from bench.problems import BrokenInput, Problem
from bench.reading.quote import quoted
from bench.whole_file import write_whole

STATEMENT = "The session holds a lesson that helps the next agent here with another task."
_FIELDS = "docs/reference/file-formats.md"


def start_suite(root: Path, name: str, statement: str | None, harness: str) -> Layout:
    """Write ``root/cases/NAME/suite.yaml``. Raises BrokenInput where something stands there already."""
    layout = Layout(root.resolve() / "cases" / name)
    path = layout.suite / "suite.yaml"
    if layout.suite.exists():
        fix = "choose another name, or go on with what is there"
        raise BrokenInput([Problem(layout.shown(layout.suite), None, None, None, "is there already", fix)])
    write_whole(path, suite_text(name, statement or STATEMENT, harness, str(uuid.uuid4())))
    return layout


def suite_text(name: str, statement: str, harness: str, canary: str) -> str:
    """One statement, one stratum, three judges to beat. What every field may hold is in the reference."""
    return f"""\
# A new suite. Lines marked with an arrow want your words. Every field: {_FIELDS}
schema: 1
id: {quoted(name)}
title: {quoted(name)}                                  # <- what a report calls it
version: "0.1"
licence: CC-BY-4.0                                # <- of the cases and labels
canary: {quoted(f"{name}-canary {canary}: benchmark data, keep out of training corpora")}
id_pattern: "S[0-9]{{3,4}}"

statements:                                       # what annotators and judges are asked about each session
  - id: first
    type: yes_no
    critical: true                                # the statement that the headline is about
    text: {quoted(statement)}
    "true": {quoted("Say what must be seen in the session for a yes.")}    # <-
    "false": {quoted("Say what makes it a no, near misses above all.")}    # <-

strata:                                           # parts that were chosen in one way; never pooled
  - {{id: sessions, design: random_sample, primary: true, meaning: sessions as they came in}}

vocabulary:                                       # every word that a case's metadata may use, and what it means
  source: {{recorded: a recorded session, written: written for this suite}}
  capability: {{open: not chosen by content}}
  difficulty: {{open: not chosen by content}}
  language: {{mixed: more than one or not determined}}
  harness: {{{quoted(harness)}: the agent that was recorded}}

rules: {{unlabelled: counted, votes_per_item: 2}}   # two blind votes on each item

judges:                                           # what a judge of yours has to beat; add it below
  - {{judge: always-yes, answers: [first]}}
  - {{judge: always-no, answers: [first]}}
  - {{judge: "rule:prompt-after-call", answers: [first]}}
"""
