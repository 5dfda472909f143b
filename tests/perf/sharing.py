"""What the performance scripts share: the machine in words, tries that are paired, and a Markdown table."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

TRIES = 3


def machine() -> str:
    """What a reader must know of the machine, without its name or paths."""
    load = f", load average {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores that other work shares{load}."


def fastest(jobs: Mapping[str, Callable[[], object]], tries: int = TRIES) -> dict[str, float]:
    """The least processor seconds of each job: what neighbours take is not in it. All jobs take turns.

    A job that gives a float was run in part; the number is what the whole would have taken.
    """
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(tries):
        for name, job in jobs.items():
            start = time.process_time()
            extrapolated = job()
            taken = time.process_time() - start
            found[name].append(extrapolated if isinstance(extrapolated, float) else taken)
    return {name: min(seconds) for name, seconds in found.items()}


def seconds(value: float) -> str:
    """Seconds with as many digits as a reader needs."""
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))
