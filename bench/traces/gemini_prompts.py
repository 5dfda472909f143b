"""Who wrote a text that Gemini CLI files under its user.

Sources: ``packages/core/src/{core/client,utils/environmentContext,services/chatCompressionService}.ts`` of
github.com/google-gemini/gemini-cli.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from bench.schema.event import Origin
from bench.traces.gatherer import as_json
from bench.traces.lines import JsonObject, text_at
from bench.traces.tags import opening_of, taken_apart
from bench.traces.written import Written

_SETUP = re.compile(r"\s*(?:<session_context>|This is the Gemini CLI\. We are setting up the context for our chat)")
_SUMMARY = re.compile(r"\s*<(?:state_snapshot|compressed_history)>")
_HOOK = opening_of(["hook_context"])
_CONTINUE = "System: Please continue."
_MAYBE_CONTINUE = "Please continue."  # the harness sends it as well as people do
_FILES_FOLLOW = "--- Content from referenced files ---"
ACKNOWLEDGED = frozenset({"Got it. Thanks for the context!", "Got it. Thanks for the additional context!"})


def text_of_part(part: JsonValue) -> str:
    """The text of one part of a content; media keep only their place, calls and responses have none."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or "functionCall" in part or "functionResponse" in part:
        return ""
    for key, place in (("inlineData", "[media]"), ("fileData", "[file]")):
        if key in part:
            return place
    return text_at(part, "text") or ("" if "text" in part or "thoughtSignature" in part else as_json(part))


def parts_of(content: JsonValue) -> list[JsonValue]:
    return content if isinstance(content, list) else [content] if content is not None else []


def pieces(record: JsonObject, parts: list[JsonValue], typist: Origin) -> list[Written]:
    """The parts of a user's turn with their writers."""
    texts = [text for text in map(text_of_part, parts) if text.strip()]
    shown = [text for text in map(text_of_part, parts_of(record.get("displayContent"))) if text.strip()]
    if shown:  # what was typed, where the harness sent more than that
        known = {text.strip() for text in shown}
        more = [Written(text, "injected") for text in texts if text.strip() not in known]
        return [Written("\n".join(shown), typist), *more]
    written: list[Written] = []
    for number, text in enumerate(texts):
        if text.strip() == _FILES_FOLLOW and number:
            return written + [Written(rest, "injected") for rest in texts[number:]]
        written += _pieces_of(text, typist)
    return written


def _pieces_of(text: str, typist: Origin) -> list[Written]:
    if _SUMMARY.match(text):
        return [Written(text, "compaction")]
    if _SETUP.match(text) or text.strip() == _CONTINUE:
        return [Written(text, "injected")]
    if text.strip() == _MAYBE_CONTINUE:
        return [Written(text, "unknown" if typist == "human" else typist)]
    return taken_apart(text, _HOOK, typist, "hook")
