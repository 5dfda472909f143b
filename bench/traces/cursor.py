"""Import of a Cursor agent transcript: JSON lines of messages, a role and Anthropic-style blocks each.

A record is a line. Cursor writes no result of any call and no time: where a file holds no result, the outcome of all
its calls is unobservable. (Other tools write the same lines with results; then those are read.) What was typed stands
in ``<user_query>``; whatever else the harness put around it is injected. Approvals, interrupts and refusals are not
recorded, and a script cannot be told from a person.

Sources: ``src/adapters/cursor`` of github.com/letta-ai/trajectory, and readers of ``agent-transcripts`` in public
repositories, which agree on role, message and content; Cursor itself documents nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.schema.event import Event
from bench.traces.blocks import PLACES, add_assistant, blocks_of, texts_of_user
from bench.traces.codex_results import flatten
from bench.traces.gatherer import Gatherer
from bench.traces.lines import JsonObject, object_at, read_lines, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import account, moment_of, most_common
from bench.traces.written import Written

HARNESS = "cursor"
SHELLS = frozenset({"shell", "Shell", "run_terminal_cmd", "run_terminal_command"})
KNOWN = frozenset({"user", "assistant", "system"})
_OPEN, _CLOSE = "<user_query>", "</user_query>"


def speaks(record: JsonObject) -> bool:
    """Whether a line is one of this harness's and of no other's: a role beside a message, and no type."""
    message = record.get("message")
    alone = set(record) <= {"id", "role", "message", "timestamp"}
    return alone and record.get("role") in ("user", "assistant") and isinstance(message, dict) and "content" in message


def read(stream: Iterable[bytes]) -> Iterator[Session]:
    """The session in a binary stream of JSON lines."""
    report = ImportReport(format=HARNESS)
    importer = _Importer(report)
    account(read_lines(stream), report, importer.gatherer.transcript, importer.take, KNOWN)
    events = importer.gatherer.transcript.events
    if not importer.results_seen:
        unseen = {"outcome": "unobservable", "exit_source": "none"}
        events = [e.model_copy(update=unseen) if e.kind in ("tool_call", "command") else e for e in events]
    yield Session(HARNESS, tuple(events), report, most_common(importer.gatherer.models))


class _Importer:
    """One pass over the messages."""

    def __init__(self, report: ImportReport) -> None:
        self.gatherer = Gatherer(report)
        self.results_seen = False

    def take(self, line: int, record: JsonObject) -> str:
        """Turn one message into events, and say whose it was."""
        role, message = text_at(record, "role") or "(no role)", object_at(record, "message")
        base = Event(kind="other", ts=moment_of(record.get("timestamp")), line=line)
        blocks = blocks_of(message)
        self.results_seen |= any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
        if role == "user":
            self.gatherer.ask(base, typed_of(texts_of_user(self.gatherer, base, blocks)))
        elif role == "assistant":
            if model := text_at(message, "model"):
                self.gatherer.models[model] += 1
            add_assistant(self.gatherer, base, blocks, SHELLS)
        elif role == "system":
            self.gatherer.say(base, "system", flatten(message.get("content")))
        return role


def typed_of(texts: list[str]) -> list[Written]:
    """What a person typed among the texts of one message, in its tag; without any tag all of it."""
    if not any(_OPEN in text for text in texts):
        return [Written(text, "human") for text in texts]
    return [piece for text in texts for piece in _split(text)]


def _split(text: str) -> list[Written]:
    # Files and selections come first and may hold the tag as text; the harness's own stands last.
    start, end = text.rfind(_OPEN), text.rfind(_CLOSE)
    if start < 0 or end < start:
        return [Written(text, "human" if text in PLACES else "injected")]
    before, typed, after = text[:start], text[start + len(_OPEN) : end], text[end + len(_CLOSE) :]
    return [
        Written(before.strip(), "injected"),
        Written(typed.strip("\n"), "human"),
        Written(after.strip(), "injected"),
    ]


FORMAT = Format(HARNESS, "cursor@1", "lines", speaks, read)
