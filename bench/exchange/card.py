"""The README of an export: a head that Hugging Face's ``datasets`` reads, and what a reader must know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.exchange.columns import Column
from bench.reading.quote import quoted
from bench.schema.suite import Suite


@dataclass(frozen=True)
class Config:
    """One exported table: its columns, and how many rows each split has."""

    name: str
    columns: tuple[Column, ...]
    rows: Mapping[str, int]  # by split


_MEANING = {
    "items": "one row per attempt and statement",
    "attempts": "one row per attempt; events as JSON, or a reference to a published session (never its text)",
    "votes": "one row per vote",
    "notes": "one row per author's note: what a case was meant to show; nobody who votes or judges may read it",
    "suite": "one row: the suite itself",
}
_WITHHELD = """\
## No labels here
Labels, votes, rulings and notes are withheld, and so is what the suite says of judges, since judges' parameters were fitted
on labels. Nothing in these files was computed from labels.
"""
_LABELLED = """\
## Labels
A label is an adjudication where votes differed, else the answer that all votes agree on; `unclear` is a label. Who voted
(`made_by`: person, model_assisted, model) and under which version of the guide stands with every vote. Develop on
`development` only. Strata are never pooled, and resamples keep families whole.
"""


def card_text(suite: Suite, configs: Sequence[Config], digests: Mapping[str, str], *, labelled: bool) -> str:
    """The whole README."""
    lines = ["---", f"pretty_name: {quoted(suite.title)}", f"license: {quoted(suite.licence.lower())}", "configs:"]
    for config in configs:
        lines.append(f"- config_name: {config.name}")
        if config.name == "items":
            lines.append("  default: true")
        lines.append("  data_files:")
        for split in config.rows:
            lines += [f"  - split: {split}", f"    path: {config.name}/{split}.parquet"]
    lines += ["---", f"# {suite.title} {suite.version}", "", suite.canary, ""]
    lines += [f"* {name} digest: `{digest}`" for name, digest in digests.items()]
    lines += [f"* licence: {suite.licence}; referenced sessions have their own and are not included", ""]
    lines += [
        "```python",
        "from datasets import load_dataset",
        'items = load_dataset("this/folder", "items")',
        "```",
        "",
    ]
    lines += [_LABELLED if labelled else _WITHHELD]
    for config in configs:
        counted = ", ".join(f"{split} {count}" for split, count in config.rows.items())
        lines += [
            f"## {config.name}: {_MEANING[config.name]}",
            f"Rows: {counted}.",
            "",
            "| column | kind | meaning |",
            "|---|---|---|",
        ]
        lines += [f"| {column.name} | {column.kind} | {column.meaning} |" for column in config.columns] + [""]
    return "\n".join(lines)
