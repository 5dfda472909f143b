"""``bench run`` of an LLM judge on a small suite, in this process or another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from running_suites import Tree, case_tree, heeds_ctrl_c, run_rows, suite_tree, write

from bench.cases.layout import Layout
from bench.cli import main

TESTS = Path(__file__).parent


def entry(url: str, **parameters: str) -> Tree:
    """The judge as a suite seats it; ``samples`` is the entry's own."""
    samples = parameters.pop("samples", "1")
    given = {
        "provider": "openai-compatible",
        "model": "m-1",
        "base_url": url,
        "seconds": "2",
        "retries": "2",
        **parameters,
    }
    return {"judge": "llm", "answers": ["polite", "solved"], "samples": samples, "parameters": given}


def make(root: Path, judges: Iterable[Tree], cases: int = 2, attempts: int = 1) -> Layout:
    return write(root, suite_tree(judges), [case_tree(f"S{n:03d}", attempts) for n in range(cases)])


def run(layout: Layout, *words: str) -> int:
    """``bench run``; its exit code."""
    return main(["run", "--suite", str(layout.suite), *words])


def rows(layout: Layout) -> list[Tree]:
    return [row for each in run_rows(layout).values() for row in each]


def start(layout: Layout, **environment: str) -> subprocess.Popen[str]:
    """``bench run`` as a process of its own."""
    command = [sys.executable, "-m", "bench", "run", "--suite", str(layout.suite)]
    paths = {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    return subprocess.Popen(
        command,
        preexec_fn=heeds_ctrl_c,
        cwd=layout.root,
        env={**os.environ, **paths, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
