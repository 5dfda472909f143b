"""A certificate from end to end on invented data: a table, `bench calibrate`, `bench gate`, `bench drift`, as a page.

Run by `make certificates`: python tests/synthetic_certificate.py FOLDER. Nothing here says anything about a judge.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import random
import shlex
import sys
from pathlib import Path

from bench.cli import main
from bench.deciding.calibrator import sigmoid

SEED = 20261130
SESSIONS = 420
WORDS = "The session holds a lesson."
CERTIFICATE = "synthetic.certificate.json"


def write_table(path: Path) -> None:
    """A judge that is right to be sure and too sure of the rest; days of one to three sessions hang together."""
    chance = random.Random(SEED)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "group", "p", "label", "origin"])
        number = day = 0
        while number < SESSIONS:
            day += 1
            mood = chance.gauss(0, 1)
            for _ in range(chance.choice((1, 1, 1, 2, 3))):
                strength = 3.5 * (mood + chance.gauss(0, 1))
                label = chance.random() < sigmoid(strength)
                stated = round(sigmoid(1.3 * strength), 2)
                writer.writerow([f"invented-{number}", f"day-{day}", stated, "yes" if label else "no", "invented"])
                number += 1


def write_live(path: Path, shift: float) -> None:
    """Verdicts of later days; ``shift`` moves how hard the sessions are."""
    chance = random.Random(SEED + 1)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for _ in range(150):
            p = round(sigmoid(1.3 * (3.5 * chance.gauss(0, 1.4) + shift)), 2)
            line = {
                "judge_id": "synthetic-judge-1",
                "statement": "lesson",
                "p": p,
                "answer": "yes" if p >= 0.5 else "no",
            }
            file.write(json.dumps(line) + "\n")


def shown(words: list[str], stdin: str | None = None) -> str:
    """A command as it is typed, what it prints, and its exit code."""
    out, kept = io.StringIO(), sys.stdin
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        if stdin is not None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        try:
            code = main(words)
        finally:
            sys.stdin = kept
    piped = "" if stdin is None else f"{shlex.join(['echo', stdin])} | "
    return f"```console\n$ {piped}bench {shlex.join(words)}\n{out.getvalue().rstrip()}\n```\nExit code {code}.\n"


def page() -> str:
    """The page, made in the folder that holds the files."""
    write_table(Path("synthetic.csv"))
    write_live(Path("synthetic-live.jsonl"), 0.0)
    write_live(Path("synthetic-shifted.jsonl"), 3.0)
    calibrate = [
        "calibrate", "synthetic-judge", "--table", "synthetic.csv", "--judge-id", "synthetic-judge-1", "--statement", "lesson",
        "--statement-text", WORDS, "--promote", ".1", "--discard", ".1", "--population", "sessions that nobody had",
        "--random-sample-of-stream", "--labels-by", "person", "--synthetic", "--issued", "2026-11-30T12:00:00+00:00",
        "--days", "3650", "--out", CERTIFICATE,
    ]  # fmt: skip
    gate = ["gate", CERTIFICATE, "--verdicts", "--accept-benchmark-population"]
    given = [
        json.dumps({"judge_id": "synthetic-judge-1", "statements": {"lesson": {"text": text, "value": p}}})
        for text, p in ((WORDS, 0.99), (WORDS, 0.5), (WORDS.replace(".", "!"), 0.99))
    ]
    parts = [
        "# SYNTHETIC: a certificate from end to end on invented data",
        "This page shows how it is done. The judge, its probabilities and the labels are invented by "
        "`tests/synthetic_certificate.py` (seed "
        f"{SEED}); nothing here says anything about any judge. `make certificates` makes it again.",
        "## Calibrate",
        shown(calibrate),
        "## The gate: sure, unsure, and one changed character of the statement",
        *(shown(gate, text) for text in given),
        "A gate that is not told to accept it refuses invented data:",
        shown(["gate", CERTIFICATE, "--verdicts"], given[0]),
        "## Drift: the same world, then another one",
        shown(["drift", CERTIFICATE, "synthetic-live.jsonl"]),
        shown(["drift", CERTIFICATE, "synthetic-shifted.jsonl"]),
    ]
    return "\n".join(part if part.startswith("```") else f"{part}\n" for part in parts)


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    text = page()
    Path("synthetic.md").write_text(text, encoding="utf-8", newline="\n")
