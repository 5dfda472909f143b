"""Who wrote a text that Codex files under its user, and which records only repeat another one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bench.schema.event import Origin
from bench.traces.codex_results import flatten
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.recent import Texts
from bench.traces.written import Written

_CONTEXT = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions|subagent_notification|recommended_plugins|user_action"
    r"|user_shell_command|skill|skills_instructions|INSTRUCTIONS|collaboration_mode|app-context|multi_agent_mode"
    r"|turn_context|model_switch|personality_spec|hook_prompt)\b|# AGENTS\.md\b)"
)
ABORTED = re.compile(r"\s*<turn_aborted>")
_IMAGE_FRAME = re.compile(r"\s*</?image\b[^>]*>\s*")
# The desktop app and the editor put files and context in front of what was typed.
_REQUEST = re.compile(
    r"\A(?P<context>\s*# .*?)^## My request for Codex:\s*?\n(?P<typed>.*)\Z", re.DOTALL | re.MULTILINE
)
_MOST_TYPES = 10_000  # far above the types there are: a hostile file shall not fill the memory with names
_RESPONSE_ITEMS = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "web_search_call",
        "ghost_snapshot",
    }
)


class Facts:
    """What stands elsewhere in the file: needed to tell a copy from the thing itself.

    With ``room`` only about so many of the latest texts are remembered.
    """

    def __init__(self, room: int | None = None) -> None:
        self.user_texts = Texts(room)
        self.assistant_texts = Texts(room)
        self.reasoning_texts = Texts(room)
        self.record_types: set[str] = set()
        self._typist: Origin | None = None

    @property
    def typist(self) -> Origin:
        return self._typist or "human"

    def see(self, record: JsonObject) -> None:
        """Take one record in, wherever in the file it stands."""
        outer, payload = unwrapped(record)
        name = f"{outer}/{text_at(payload, 'type')}"
        if len(self.record_types) < _MOST_TYPES:
            self.record_types.add(name)
        if name == "event_msg/user_message":
            self.user_texts.add((text_at(payload, "message") or "").strip())
        elif name == "response_item/message" and payload.get("role") == "assistant":
            self.assistant_texts.add(flatten(payload.get("content")).strip())
        elif name == "response_item/reasoning":
            for part in list_at(payload, "summary"):
                self.reasoning_texts.add(flatten([part]).strip())
        elif outer == "session_meta" and self._typist is None:
            self._typist = origin_of_session(payload)


def unwrapped(record: JsonObject) -> tuple[str, JsonObject]:
    """The outer type and the payload; older rollouts have bare lines without the wrapper."""
    outer = text_at(record, "type")
    if isinstance(record.get("payload"), dict):
        return outer or "(no type)", object_at(record, "payload")
    if outer in _RESPONSE_ITEMS:
        return "response_item", record
    if outer is None and "record_type" in record:
        return "state", record
    if outer is None and "id" in record and "timestamp" in record:
        return "session_meta", record
    return outer or "(no type)", {}


def facts_of(records: Iterable[JsonObject]) -> Facts:
    """One look over the whole file."""
    facts = Facts()
    for record in records:
        facts.see(record)
    return facts


def origin_of_session(meta: JsonObject) -> Origin:
    """Who writes the prompts of a session: only an interactive one is typed at."""
    sub_agent = object_at(meta, "source").get("subagent")
    if sub_agent == "review":
        return "injected"  # the harness words the request for a review
    # A spawned thread starts with a copy of its parent's prompts; a script may have written what exec was given.
    return "unknown" if sub_agent is not None or meta.get("source") == "exec" else "human"


def typed_pieces(payload: JsonObject, typist: Origin) -> list[Written]:
    """The pieces of a user_message event."""
    text = text_at(payload, "message") or ""
    images = "\n".join("[image]" for _ in list_at(payload, "images") + list_at(payload, "local_images"))
    if payload.get("kind") not in (None, "plain") or _CONTEXT.match(text):
        return [Written(text, "injected")]
    split = _REQUEST.match(text)
    typed = split["typed"] if split else text
    pieces = [Written(split["context"].strip(), "injected")] if split else []
    said = "\n".join(part for part in (typed.strip() and typed, images) if part)
    return [*pieces, Written(said, typist)] if said else pieces


def context_pieces(payload: JsonObject, facts: Facts) -> list[Written]:
    """What a user item of the model's input adds to the user_message events, which it also repeats."""
    content = payload.get("content")
    items = content if isinstance(content, list) else [content]
    texts = [flatten([item]) for item in items if item is not None]
    if "\n".join(texts).strip() in facts.user_texts:
        return []
    pieces = (_context_piece(text, facts) for text in texts if text.strip())
    return [piece for piece in pieces if piece is not None]


def _context_piece(text: str, facts: Facts) -> Written | None:
    if text.strip() in facts.user_texts or _IMAGE_FRAME.fullmatch(text):
        return None
    if _CONTEXT.match(text) or ABORTED.match(text):
        return Written(text, "injected")
    if "event_msg/user_message" not in facts.record_types:
        return Written(text, facts.typist)
    return None if text == "[image]" else Written(text, "unknown")
