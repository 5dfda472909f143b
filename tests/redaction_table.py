"""Writes reports/redaction/README.md: ``PYTHONPATH=tests python tests/redaction_table.py [SESSIONS] > ...``. No text of any
session is written: kinds and counts only."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from planted import SURROUNDINGS, pieces, planted
from pydantic import JsonValue

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cases.sources import SessionFolders, events_of
from bench.redaction.redact import VERSION, redact, replace
from bench.schema.event import Event

ROOT = Path(__file__).parent.parent


def recall() -> Iterator[str]:
    """A line a kind: of the planted, how many leave no part, in how many surroundings."""
    told, whole = Counter[str](), Counter[str]()
    for p in planted():
        for around in SURROUNDINGS.values():
            clean, _ = redact(around(p.text))
            whole[p.kind] += 1
            told[p.kind] += not any(piece in clean for piece in pieces(p.core))
    yield "| kind | planted, in each surrounding | found |"
    yield "|---|--:|--:|"
    for kind in sorted(whole):
        yield f"| {kind} | {whole[kind]} | {told[kind]} |"
    yield f"| all | {whole.total()} | {told.total()} |"


def texts_of(event: Event) -> Iterator[str]:
    fields = (event.text, event.command, event.output, event.path, event.tool, event.thread)
    yield from (value for value in fields if value)
    yield from _inside(event.args)
    if event.approval is not None and event.approval.reason:
        yield event.approval.reason


def _inside(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _inside(part)
    elif isinstance(value, list):
        for part in value:
            yield from _inside(part)


def hits(folders: SessionFolders) -> Iterator[str]:
    """What is redacted in the shipped suite's sessions, by stratum and kind."""
    characters, attempts, seconds = Counter[str](), Counter[str](), Counter[str]()
    found: dict[str, Counter[str]] = {}
    for loaded, attempt in load_suite(Layout(ROOT / "cases" / "lessons")).attempts():
        events = events_of(loaded, attempt, folders)
        if events is None:
            continue
        stratum = loaded.case.stratum
        kinds = found.setdefault(stratum, Counter())

        def note(kind: str, secret: str, now: str, start: int, kinds: Counter[str] = kinds) -> str:
            kinds[kind] += 1
            return f"[redacted:{kind}]"

        attempts[stratum] += 1
        for event in events:
            for text in texts_of(event):
                characters[stratum] += len(text)
                start = time.perf_counter()
                replace(text, note)
                seconds[stratum] += time.perf_counter() - start  # type: ignore[assignment]
    yield "| stratum | attempts | million characters | redacted | a million characters | by kind |"
    yield "|---|--:|--:|--:|--:|---|"
    for stratum, kinds in found.items():
        millions = characters[stratum] / 1e6
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "none"
        rate = f"{kinds.total() / millions:.2f}"
        yield f"| {stratum} | {attempts[stratum]} | {millions:.1f} | {kinds.total()} | {rate} | {told} |"
    print(f"{sum(characters.values()) / 1e6 / sum(seconds.values()):.0f} million characters a second", file=sys.stderr)


def main() -> None:
    folders = SessionFolders([Path(word) for word in sys.argv[1:]])
    text = (Path(__file__).parent / "redaction_table.md").read_text(encoding="utf-8")
    told = text.replace("{version}", VERSION).replace("{recall}", "\n".join(recall()))
    sys.stdout.write(told.replace("{hits}", "\n".join(hits(folders))).replace("{planted}", str(len(planted()))))


if __name__ == "__main__":
    main()
