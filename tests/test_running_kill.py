"""``kill -9`` and Ctrl-C in the middle of a run: nothing that was judged is lost, and nothing is judged twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from running_suites import Tree, case_tree, heeds_ctrl_c, run_rows, suite_tree, without_timing, write

from bench.cases.layout import Layout

TESTS = Path(__file__).parent
CASES, ATTEMPTS, STATEMENTS = 45, 2, 2
TOTAL = CASES * ATTEMPTS * STATEMENTS  # most of a second of judging
KILLS = 10


def make(root: Path) -> Layout:
    suite = suite_tree([{"judge": "running_suites:Slow", "answers": ["polite", "solved"]}])
    return write(root, suite, [case_tree(f"S{n:03d}", ATTEMPTS) for n in range(CASES)])


def start(layout: Layout) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench", "run", "--suite", str(layout.suite)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    return subprocess.Popen(
        command,
        preexec_fn=heeds_ctrl_c,
        cwd=layout.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(layout: Layout) -> list[Tree]:
    """Run to the end; the rows, sorted, without timing."""
    process = start(layout)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, ""), out + err
    assert "every expected verdict is stored" in out
    ((_, rows),) = run_rows(layout).items()
    return sorted(map(without_timing, rows), key=lambda row: str(row["item"]))


def size(layout: Layout) -> int:
    return sum(path.stat().st_size for path in layout.runs.glob("*.jsonl") if path.name != "projections.jsonl")


def wait_for_rows(process: subprocess.Popen[str], layout: Layout, before: int) -> None:
    deadline = time.monotonic() + 30
    while size(layout) == before and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)


def test_kill_9_at_ten_random_moments_then_resume(tmp_path: Path) -> None:
    wanted = finished(make(tmp_path / "whole"))
    assert len(wanted) == TOTAL
    generator = random.Random(20261130)
    layout = make(tmp_path / "killed")
    killed = 0
    for moment in range(KILLS):
        process = start(layout)
        if moment % 4 != 3:  # in the midst of judging; else at any moment, loading included
            wait_for_rows(process, layout, size(layout))
        time.sleep(generator.uniform(0, 0.05 if moment % 4 != 3 else 0.4))
        process.kill()
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
    assert killed == KILLS, "every kill hit a running process"
    assert size(layout) > 0
    assert finished(layout) == wanted
    ((_, rows),) = run_rows(layout).items()
    assert len({(row["item"], row["sample"]) for row in rows}) == len(rows) == TOTAL


def test_ctrl_c_keeps_what_was_judged_and_says_how_to_go_on(tmp_path: Path) -> None:
    layout = make(tmp_path)
    process = start(layout)
    wait_for_rows(process, layout, 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, out + err
    assert err.strip() == "bench: interrupted; what was judged is stored, and the same command goes on from there"
    ((_, rows),) = run_rows(layout).items()
    assert 0 < len(rows) < TOTAL
    kept = {row["item"]: row["at"] for row in rows}
    assert len(finished(layout)) == TOTAL
    ((_, rows),) = run_rows(layout).items()
    assert kept.items() <= {row["item"]: row["at"] for row in rows}.items()
