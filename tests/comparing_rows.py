"""Rows of two made-up runs, and `bench compare` on small suites."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.comparing.compare import JudgeComparison, Run, Table, compare_runs
from bench.comparing.config import Config
from bench.comparing.metric_lines import Chance
from bench.labels.load import Label
from bench.measure.rows import NOT_RUN, Row

TABLE = Table("tickets", "polite", ("all",))
PROMPTS = {"judge": "prompts", "answers": ["polite", "solved"], "parameters": {"at_least": "1"}}


def row(number: int, label: str | None, answer: str, family: str | None = None, **changes: Any) -> Row:
    """One item; an answer that is neither yes nor no is the reason for none."""
    case = f"S{number:03d}"
    given: dict[str, Any] = {
        "case": case, "attempt": "a1", "statement": "polite", "family": family or case, "stratum": "tickets", "split": "all",
        "label": Label("labelled", label, "single_vote") if label else Label("unlabelled", None, "no_votes"),
        "answer": answer if answer in ("yes", "no") else None, "unscored": None if answer in ("yes", "no") else answer,
        "p": None, "score": None, "file": f"cases/support/{case}.yaml", "line": number,
    }  # fmt: skip
    return Row(**(given | changes))


def rows(labels: Sequence[str | None], answers: Sequence[str], size: int = 1) -> list[Row]:
    """Items in families of ``size``."""
    pairs = enumerate(zip(labels, answers, strict=True))
    return [row(n, label, answer, f"f{n // size}") for n, (label, answer) in pairs]


def side(items: Sequence[Row], judge_id: str = "words-0001", samples: int = 1, floor: float = 0.0) -> Run:
    return Run("words", judge_id, "events@1", samples, floor, items)


def config(objective: str = "accuracy", margin: float = 0.1, **more: Any) -> Config:
    return Config.model_validate({"objective": {"metric": objective, "margin": margin}, **more})


def compared(base: Run, head: Run, asked: Config, resamples: int = 500) -> JudgeComparison:
    contents = {(r.case, r.attempt, r.statement): "same" for r in (*base.rows, *head.rows)}
    return compare_runs(base, head, TABLE, asked, (contents, contents), {}, Chance(1, resamples))


def suite_at(
    root: Path, labels: Mapping[str, str], judges: Sequence[Mapping[str, Any]] = (PROMPTS,), **changes: Any
) -> Layout:
    """A suite with a label for `polite` on each case; `prompts` says yes to everything until its run is edited."""
    votes = [votes_tree(case, {"polite": answer, "solved": "yes"}) for case, answer in labels.items()]
    return write(root, suite_tree(map(dict, judges), **changes), [case_tree(case) for case in labels], votes)


def run_of(layout: Layout, judge: str = "prompts") -> Path:
    """The judge's run file."""
    (path,) = layout.runs.glob(f"{judge}-*.jsonl")
    return path


def edited(run: Path, answers: Mapping[str, str], to: Path) -> Path:
    """A copy of a run, beside its manifest, with other answers (or reasons for none) for the named items."""
    lines = []
    for line in run.read_text(encoding="utf-8").splitlines():
        stored = json.loads(line)
        wanted = answers.get(stored["asked_for"])
        if wanted == NOT_RUN:
            continue
        if wanted is not None:
            stored.pop("answer", None)
            stored["answer" if wanted in ("yes", "no") else "unscored"] = wanted
        lines.append(json.dumps(stored))
    to.mkdir(parents=True, exist_ok=True)
    path = to / run.name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    path.with_name(f"{path.name.removesuffix('.jsonl')}.json").write_bytes(
        run.with_name(f"{run.name.removesuffix('.jsonl')}.json").read_bytes()
    )
    return path


def code_of(*words: str) -> int:
    """The exit code of a command; argparse leaves by an exception."""
    try:
        return main(words)
    except SystemExit as leaving:
        return int(leaving.code or 0)


def compare(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON of `bench compare`, with the text in "text"; its last line is checked against both."""
    told = [str(word) for word in words]
    capsys.readouterr()
    code = code_of("compare", *told, "--json")
    out = capsys.readouterr().out
    if not out:
        return code, {}
    found: dict[str, Any] = json.loads(out)
    assert code == found["exit_code"] == code_of("compare", *told)
    found["text"] = capsys.readouterr().out
    assert " ".join(found["text"].split()).endswith(
        f"{found['outcome']}: {' '.join(found['sentence'].split())} [exit {code}]"
    )
    return code, found
