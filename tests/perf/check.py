"""``bench check`` on 200 rows as a user meets it, a fresh process each time, beside peers that are installed.

    python tests/perf/check.py > reports/perf/check.md      (make perf)

Peers are no part of the project. They are looked for on PATH, and first in the folder that BENCH_PEERS names:

    python -m venv /somewhere/else && /somewhere/else/bin/pip install judgekeeper jevassert
    BENCH_PEERS=/somewhere/else/bin make perf
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from sharing import grid, machine

ROWS, PROCESSES = 200, 7
HEAD = "id,label,verdict,probability"
SEARCHED = os.pathsep.join([*filter(None, [os.environ.get("BENCH_PEERS")]), os.environ.get("PATH", "")])


@dataclass(frozen=True)
class Contender:
    """A command (None where it is not installed), what a reader calls it, and what it gives for the time."""

    name: str
    command: list[str] | None
    gives: str


def rows_of() -> list[tuple[str, bool, float]]:
    """Id, label and probability; the verdict is yes from .5 on."""
    generator = random.Random(1)
    found = []
    for number in range(ROWS):
        yes = generator.random() < 0.4
        p = min(1.0, max(0.0, generator.gauss(0.7 if yes else 0.3, 0.2)))
        found.append((f"i{number}", yes, round(p, 3)))
    return found


def write_tables(folder: Path) -> None:
    """The same rows as a table with and without probabilities, and as jevassert's pack with its recording."""
    words = {True: "yes", False: "no"}
    lines = [f"{name},{words[yes]},{words[p >= 0.5]},{p:.3f}" for name, yes, p in rows_of()]
    (folder / "all.csv").write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    short = [line.rpartition(",")[0] for line in [HEAD, *lines]]
    (folder / "verdicts.csv").write_text("\n".join(short) + "\n", encoding="utf-8")
    pack = folder / "pack"
    pack.mkdir()
    question = {"type": "noul", "instructions": "Is it so?"}
    pack.joinpath("pack.yaml").write_text(
        json.dumps(
            {"spec": 0, "id": "pack", "version": "1.0.0", "license": "CC0-1.0", "tested": None, "description": "200 rows",
             "state": {"description": "a row", "fields": ["text"]}, "questions": {"q": question}}
        ), encoding="utf-8",
    )  # fmt: skip
    cases = [{"id": name, "state": {"text": name}, "expect": {"q": yes}} for name, yes, _ in rows_of()]
    answers = [
        {"case_id": name, "model": "jev-1.0.0", "latency_ms": 1.0, "usage": None, "answers": {"q": {"noul": p}}, "error": None}
        for name, _, p in rows_of()
    ]  # fmt: skip
    for path, objects in ((pack / "cases.jsonl", cases), (folder / "recorded.jsonl", answers)):
        path.write_text("".join(json.dumps(found) + "\n" for found in objects), encoding="utf-8")


def contenders(folder: Path) -> list[Contender]:
    ours = [sys.executable, "-m", "bench"]
    keeper, asserter = (shutil.which(name, path=SEARCHED) for name in ("judgekeeper", "jevassert"))
    table, out = str(folder / "verdicts.csv"), str(folder / "out")
    recorded = ["-p", str(folder / "recorded.jsonl")]
    return [
        Contender("bench check, with probabilities", [*ours, "check", str(folder / "all.csv")],
                  "18 figures with intervals: 10,000 resamples of counts, 2,000 of probabilities, 2,000 draws of the null"),
        Contender("bench check, verdicts only", [*ours, "check", table], "13 figures with intervals: 10,000 resamples"),
        Contender(_versioned("judgekeeper", keeper, "check"), keeper and [keeper, "check", table, "--out", out],
                  "2 rates with closed-form intervals, kappa, an HTML page; no resampling, no probabilities"),
        Contender(_versioned("jevassert", asserter, "check"), asserter and [asserter, "check", str(folder / "pack"), *recorded],
                  "accuracy, Brier, calibration error: 1,000 resamples"),
        Contender("bench --help", [*ours, "--help"], "start-up of the command line alone"),
        Contender("python -c pass", [sys.executable, "-c", "pass"], "start-up of Python alone"),
    ]  # fmt: skip


def _versioned(name: str, path: str | None, command: str) -> str:
    if path is None:
        return f"{name} {command}"
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return f"{name} {told[-1]} {command}"


def timed(contender: Contender) -> tuple[float, float]:
    """Wall and processor seconds of one fresh process; a command that does not do its job is an error, not a time."""
    assert contender.command is not None
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(contender.command, capture_output=True, text=True, check=False)
    taken, after = time.perf_counter() - start, os.times()
    if done.returncode != 0:
        raise RuntimeError(f"{contender.name} ended with {done.returncode}: {done.stderr[-500:]}")
    return taken, sum(after[2:4]) - sum(before[2:4])


def main() -> int:
    print("# `bench check`: 200 rows, start-up included\n")
    print(
        f"Seconds of {PROCESSES} fresh processes each; all take turns, after one round that is not counted. Wall time holds what "
        "the neighbours on this machine took; processor time (user and system) does not. "
        f"{machine()} Made by `make perf`.\n"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        entries = contenders(folder)
        there = [entry for entry in entries if entry.command is not None]
        taken: dict[str, list[tuple[float, float]]] = {entry.name: [] for entry in there}
        for turn in range(PROCESSES + 1):
            for entry in there:
                found = timed(entry)
                if turn:
                    taken[entry.name].append(found)
    rows = []
    for entry in entries:
        walls, processor = zip(*taken[entry.name], strict=True) if entry.name in taken else ((), ())
        figures = (statistics.median(walls), min(walls), statistics.median(processor)) if walls else ()
        rows.append([entry.name, *([f"{found:.2f}" for found in figures] or ["not installed"] * 3), entry.gives])
    head = ["command", "wall, median", "wall, least", "processor, median", "what it gives for it"]
    print(grid(head, rows))
    print(
        "\nThe peers do other work: compare seconds with the last column in view. jevassert reads a pack and a recording, made "
        "of the same 200 rows beforehand. The peers are not part of the project; where one is not found the table says so."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
