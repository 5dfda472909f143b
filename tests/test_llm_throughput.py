"""Many calls at once: how near to ideal, in how much memory; and Ctrl-C in the midst of them."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fake_llm import Says, always, fake, verdict
from llm_runs import entry, make, rows, start

LATENCY, PLACES, ITEMS = 0.2, 64, 2000
TESTS = Path(__file__).parent
# Judges a first suite (libraries are loaded, connections made), then the second one, which is measured.
MEASURED = """
import json, os, resource, sys, time
from pathlib import Path
from bench.cases.layout import Layout
from bench.running.suite import Telling, judge_suite
from bench.workspace import load, session_folders, views_of

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

def judged(folder):
    layout = Layout(Path(folder))
    suite = load(layout)[0]
    views = views_of(layout, session_folders(layout, []))
    memory = []
    telling = Telling(lambda name, total: lambda count: memory.append(resident()))
    start = time.perf_counter()
    (outcome,) = judge_suite(suite, views, live_seconds=None, telling=telling)
    return time.perf_counter() - start, outcome, memory

judged(sys.argv[1])
cpu = time.process_time()
seconds, outcome, memory = judged(sys.argv[2])
print(json.dumps({
    "seconds": seconds, "asked": outcome.asked, "yes": sum(row.answer == "yes" for row in outcome.rows.values()),
    "grown_mb": max(memory[-20:]) - memory[len(memory) // 4], "cpu_ms": (time.process_time() - cpu) / outcome.asked * 1000,
}))
"""


@contextmanager
def fake_process(latency: float) -> Iterator[str]:
    """The fake in a process of its own; its address."""
    command = [sys.executable, str(TESTS / "fake_llm.py"), str(latency)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("mode", ["json_schema", "tools"])
def test_2000_items_in_64_places(mode: str, tmp_path: Path) -> None:
    ideal = math.ceil(ITEMS / PLACES) * LATENCY  # nobody can do better: so many rounds of so many calls
    tries: list[dict[str, float]] = []
    while len(tries) < 3 and not any(ideal / t["seconds"] >= 0.95 for t in tries):  # another process may be in the way
        with fake_process(LATENCY) as url:
            judge = entry(url, mode=mode, concurrency=str(PLACES), seconds="30")
            folder = tmp_path / str(len(tries))
            warm, whole = make(folder / "warm", [judge], 40, 2), make(folder / "whole", [judge], ITEMS // 4, 2)
            command = [sys.executable, "-c", MEASURED, str(warm.suite), str(whole.suite)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=TESTS.parent)
        tries.append(json.loads(done.stdout))
    last = tries[-1]
    print(
        f"\n{mode}: {ideal / last['seconds']:.1%} of ideal, {last['cpu_ms']:.2f} ms a call, {last['grown_mb']:.1f} MB more"
    )
    assert last["asked"] == last["yes"] == ITEMS
    assert ideal / last["seconds"] >= 0.95, tries
    assert last["grown_mb"] < 12, "1500 items more, and nothing grows but their rows"


def test_ctrl_c_saves_within_two_seconds_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with fake_process(0.3) as url:
        layout = make(tmp_path, [entry(url, concurrency="16", seconds="30")], 60)
        process = start(layout)
        deadline = time.monotonic() + 30
        while not any(layout.runs.glob("llm-*.jsonl")) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.4)
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        took = time.monotonic() - pressed
        assert process.returncode == 130, out + err
        assert took < 2
        assert "interrupted; what was judged is stored" in err
        kept = rows(layout)
        assert 16 <= len(kept) < 120
        again = start(layout)
        out, err = again.communicate(timeout=60)
        assert again.returncode == 0, out + err
    stored = rows(layout)
    assert len({row["item"] for row in stored}) == len(stored) == 120
    assert stored[: len(kept)] == kept


def test_ctrl_c_while_calls_hang(tmp_path: Path) -> None:
    with fake(always(Says(verdict("yes"), hang=60))) as server:
        process = start(make(tmp_path, [entry(server.url, concurrency="4", seconds="90")], 8))
        deadline = time.monotonic() + 30
        while len(server.asked) < 4 and time.monotonic() < deadline:
            time.sleep(0.02)
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        took = time.monotonic() - pressed
    assert process.returncode == 130
    assert took < 2
