"""A Claude Code session together with its sub-agents' files.

The harness writes a sub-agent to ``agent-ID.jsonl``: beside the session in older versions, in ``SESSION/subagents/`` in
newer ones. Its records name the session they belong to. Events of several files are put in one row by their moments, each
file in its own order; ``line`` is the line of the file of the event's thread, and the report sums the books of all files.
Agents of the harness itself (``agent-acompact-...`` writes the summary of a compaction, ``agent-aprompt_suggestion-...``
proposes a prompt) repeat the session and are left out.
Sources: sonnes/chitragupt docs/specs/004-subagents.md, gregory-lime/jacques-context-manager, kenn-io/agentsview.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from bench.problems import BrokenInput, Problem
from bench.schema.event import Event
from bench.traces import claude_code
from bench.traces.lines import JsonObject, bounded_lines, open_lines, read_lines
from bench.traces.report import ImportReport, Session

_OWN_AGENTS = ("agent-acompact-", "agent-aprompt_suggestion-")
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_HEAD_LINES = 50


def read_together(paths: Sequence[Path]) -> Session:
    """One session from its own file and those of its sub-agents; a folder stands for the files in it."""
    mains, agents = _files(paths)
    if not mains and len(agents) != 1:
        raise _broken(paths, f"{len(agents)} files of sub-agents without a session", "give the session's own file too")
    if len(mains) > 1:
        found = (
            f"{len(mains)} sessions: {', '.join(path.name for path in mains[:3])}{', ...' if len(mains) > 3 else ''}"
        )
        raise _broken(paths, found, "give the files of one session: its own, and the folder of its sub-agents")
    sessions = [_read(path) for path in [*mains, *agents]]
    return sessions[0] if len(sessions) == 1 else _joined(sessions)


def _files(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Files of sessions and of their sub-agents, without the harness's own agents."""
    given = [path for path in paths if not path.is_dir()]
    within = [path for folder in paths if folder.is_dir() for path in sorted(folder.rglob("*.jsonl"))]
    kept = [path for path in dict.fromkeys([*given, *within]) if not path.name.startswith(_OWN_AGENTS)]
    heads = {path: _head(path) for path in kept}
    # A folder may hold lines of other kinds; a file that was named is read as it was meant.
    kept = [path for path in kept if path in given or any(map(claude_code.speaks, heads[path]))]
    agents = [path for path in kept if _is_agent(heads[path])]
    return [path for path in kept if path not in agents], agents


def _head(path: Path) -> list[JsonObject]:
    try:
        with open_lines(path) as stream:
            lines = read_lines(islice(bounded_lines(stream), _HEAD_LINES))
            return [line.record for line in lines if line.record is not None]
    except OSError as error:
        raise _broken([path], f"cannot be read: {error.strerror}", "give the path of a recorded session") from error


def _is_agent(head: list[JsonObject]) -> bool:
    """Whether only a sub-agent speaks: the name of the file does not matter."""
    spoken = [record for record in head if record.get("type") in ("user", "assistant")]
    return bool(spoken) and all(record.get("isSidechain") is True and "agentId" in record for record in spoken)


def _read(path: Path) -> Session:
    with open_lines(path) as stream:
        return claude_code.read(bounded_lines(stream))


def _joined(sessions: Sequence[Session]) -> Session:
    rows = [_placed(session.events, place) for place, session in enumerate(sessions)]
    events = tuple(event for _, _, event in heapq.merge(*rows, key=lambda row: row[:2]))
    return replace(sessions[0], events=events, report=_summed([session.report for session in sessions]))


def _placed(events: Sequence[Event], place: int) -> Iterator[tuple[datetime, int, Event]]:
    """Events with the latest moment so far: what has none stays where its file has it."""
    moments = (datetime.fromisoformat(event.ts) for event in events if event.ts is not None)
    latest = next(moments, _LAST if place else _FIRST)
    for event in events:
        if event.ts is not None:
            latest = max(latest, datetime.fromisoformat(event.ts))
        yield latest, place, event


def _summed(reports: Iterable[ImportReport]) -> ImportReport:
    total = ImportReport(format=claude_code.HARNESS)
    for report in reports:
        total.seen += report.seen
        total.used += report.used
        total.skipped.update(report.skipped)
        total.unknown.update(report.unknown)
        total.malformed.extend(report.malformed)
        total.versions.update(report.versions)
        total.orphan_results += report.orphan_results
    return total


def _broken(paths: Sequence[Path], found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem(", ".join(map(str, paths)), None, None, None, found, fix)])
