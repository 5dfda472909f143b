"""The summary that GitHub Actions shows of a job: what a step appends to a file, and no more than the host takes."""

from __future__ import annotations

import os
from pathlib import Path

FILE = "GITHUB_STEP_SUMMARY"
LARGEST = 1024 * 1024  # bytes of a step; a larger summary is not shown at all
_CLOSED = "</details>\n\n"  # folds do not stand in folds
CUT = "*The summary is cut here: the host takes no more. The report has the rest.*"


def add_to_summary(text: str) -> None:
    """Append to the step's summary, where there is one."""
    name = os.environ.get(FILE)
    if not name:
        return
    path = Path(name)
    used = path.stat().st_size if path.is_file() else 0
    with path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
        out.write(fitting(text, LARGEST - used, CUT))


def fitting(text: str, room: int, cut: str) -> str:
    """The text in so many bytes: whole paragraphs, then what says that it was cut. Nothing, where not even that fits."""
    if len(text.encode("utf-8", "backslashreplace")) <= room:
        return text
    end = f"{cut}\n"
    room -= len(f"{_CLOSED}{end}".encode())
    kept, size = "", 0
    for part in text.split("\n\n"):
        size += len(part.encode("utf-8", "backslashreplace")) + 2
        if size > room:
            break
        kept += f"{part}\n\n"
    open_folds = kept.count("<details>") - kept.count("</details>")
    return "" if room < 0 else kept + _CLOSED * open_folds + end
