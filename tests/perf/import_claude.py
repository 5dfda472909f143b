"""Reading a Claude Code session of 1 GB: the stream of events beside a bare JSON loop and beside the reader of whole files.

    python tests/perf/import_claude.py > reports/perf/import.md      (make perf)

Each job runs in a process of its own, which gives its peak memory. All jobs take turns.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
from sharing import grid, machine
from synthetic_claude import write

from bench.traces import claude_code
from bench.traces.lines import bounded_lines, open_lines, read_lines
from bench.traces.stream import stream_events

GIGABYTE = 1_000_000_000
TRIES = 3


def bare_loop(path: Path) -> int:
    with path.open("rb") as stream:
        count = 0
        for line in stream:
            json.loads(line)
            count += 1
    return count


def buffered_loop(path: Path) -> int:
    with open_lines(path) as stream:
        return sum(1 for line in stream if json.loads(line))


def orjson_loop(path: Path) -> int:
    with open_lines(path) as stream:
        return sum(1 for line in stream if orjson.loads(line))


def strict_lines(path: Path) -> int:
    with open_lines(path) as stream:
        return sum(1 for _ in read_lines(bounded_lines(stream)))


def streamed(path: Path) -> int:
    with open_lines(path) as stream:
        return sum(1 for _ in stream_events(bounded_lines(stream)))


def streamed_plainly(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(1 for _ in stream_events(stream))


def whole(path: Path) -> int:
    with open_lines(path) as stream:
        return len(claude_code.read(bounded_lines(stream)).events)


def exported(path: Path) -> int:
    words = ["import", str(path), "--events", str(path.with_suffix(".events"))]
    subprocess.run([sys.executable, "-m", "bench", *words], check=True, capture_output=True)
    return 0


JOBS: dict[str, tuple[Callable[[Path], int], str]] = {
    "bare": (bare_loop, "`for line in f: json.loads(line)`, records"),
    "stream-plain": (streamed_plainly, "`stream_events(f)` on the same plain file object, events"),
    "buffered": (buffered_loop, "the bare loop with a read buffer of 1 MB, records"),
    "stream": (
        streamed,
        "`stream_events` with that buffer and a longest line, as `bench import --events` reads, events",
    ),
    "orjson": (orjson_loop, "`orjson.loads` with that buffer, records"),
    "lines": (strict_lines, "`read_lines` with that buffer: strict records, no events"),
    "whole": (whole, "`claude_code.read`: the whole session at once, events"),
    "export": (exported, "`bench import --events`: events redacted and written"),
}


def measured(job: str, path: Path) -> dict[str, float]:
    """Processor seconds, wall seconds, peak megabytes and the count of one job in a process of its own."""
    done = subprocess.run([sys.executable, __file__, job, str(path)], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def one_job(job: str, path: Path) -> None:
    who = resource.RUSAGE_CHILDREN if job == "export" else resource.RUSAGE_SELF
    before, start = resource.getrusage(who), time.perf_counter()
    count = JOBS[job][0](path)
    wall, after = time.perf_counter() - start, resource.getrusage(who)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"cpu": spent, "wall": wall, "peak": after.ru_maxrss / 1024, "count": count}))


def main() -> int:
    if len(sys.argv) == 3:
        one_job(sys.argv[1], Path(sys.argv[2]))
        return 0
    with tempfile.TemporaryDirectory() as name:
        sizes = {label: Path(name) / f"{label}.jsonl" for label in ("0.1 GB", "1 GB", "2 GB")}
        counts = {label: write(path, int(float(label.split()[0]) * GIGABYTE)) for label, path in sizes.items()}
        found: dict[str, list[dict[str, float]]] = {job: [] for job in JOBS}
        for _ in range(TRIES):
            for job in JOBS:
                if job != "export":
                    found[job].append(measured(job, sizes["1 GB"]))
        found["export"].append(measured("export", sizes["1 GB"]))
        peaks = {label: measured("stream", path) for label, path in sizes.items()}
        tell(found, peaks, sizes["1 GB"].stat().st_size, counts)
    return 0


def tell(
    found: dict[str, list[dict[str, float]]], peaks: dict[str, dict[str, float]], size: int, counts: dict[str, int]
) -> None:
    least = {job: min(run["cpu"] for run in runs) for job, runs in found.items()}
    print("# Import of a Claude Code session of 1 GB\n")
    print(
        f"A synthetic session ({size / GIGABYTE:.2f} GB, {counts['1 GB']:,} records: prompts, messages, thinking, calls with "
        f"outputs of 1 to 50 kB). Least processor time of {TRIES} fresh processes each (one for the export); they take turns. "
        f"Wall time holds what the neighbours on this machine took, and the disk. {machine()} Made by `make perf`.\n"
    )
    rows = [
        [
            gives,
            f"{least[job]:.2f}",
            f"{size / GIGABYTE / least[job]:.2f}",
            f"{least[job] / least['bare']:.2f}",
            f"{min(run['wall'] for run in found[job]):.2f}",
            f"{max(run['peak'] for run in found[job]):,.0f}",
        ]
        for job, (_, gives) in JOBS.items()
    ]
    head = ["what", "processor, s", "GB/s", "of the bare loop", "wall, s", "peak memory, MB"]
    print(grid(head, rows))
    print("\nPeak memory of `stream_events` by size of the file:\n")
    print(
        grid(
            ["file", "records", "peak memory, MB"],
            [[k, f"{counts[k]:,}", f"{v['peak']:,.0f}"] for k, v in peaks.items()],
        )
    )
    print(
        "\nThe peak holds the interpreter and the imported modules: that is nearly all of it, as the row of the bare loop shows."
    )


if __name__ == "__main__":
    sys.exit(main())
