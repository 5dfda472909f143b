"""A model's reply, read with distrust: any field may be missing or of another type."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_MOST_TOKENS = 10**9
_NOTHING: Mapping[str, object] = {}


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counts them; None where it does not say."""

    tokens_in: int | None = None
    cached: int | None = None
    tokens_out: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True)
class Reply:
    """What came back of one call."""

    texts: tuple[str, ...]  # the arguments of each function call, or else the body
    refused: bool = False
    cut: bool = False  # the server ran into the token limit
    model: str | None = None
    usage: Usage = Usage()
    first: tuple[tuple[str, float], ...] = ()  # candidates for the first token, with log probabilities
    fault: str | None = None  # why there is no message in a reply of status 200

    @property
    def raw(self) -> str:
        return "\n".join(self.texts)


def from_openai(given: object) -> Reply:
    """A chat completion."""
    completion = _map(given)
    choice = _map(_first(completion.get("choices")))
    message = _map(choice.get("message"))
    finish = choice.get("finish_reason")
    return Reply(
        texts=tuple(_calls(message)) or (_content(message.get("content")),),
        refused=bool(_text(message.get("refusal"))) or finish == "content_filter",
        cut=finish == "length",
        model=_text(completion.get("model")),
        usage=_openai_usage(_map(completion.get("usage"))),
        first=tuple(_first_token(choice)),
        fault=None if choice else _fault(completion, "choices"),
    )


def from_anthropic(given: object) -> Reply:
    """A message of Anthropic's API."""
    message = _map(given)
    blocks = [_map(block) for block in _list(message.get("content"))]
    calls = [_dumped(block.get("input")) for block in blocks if block.get("type") == "tool_use"]
    body = "".join(_text(block.get("text")) or "" for block in blocks if block.get("type") == "text")
    stop = message.get("stop_reason")
    return Reply(
        texts=tuple(calls) or (body,),
        refused=stop == "refusal",
        cut=stop in ("max_tokens", "model_context_window_exceeded"),
        model=_text(message.get("model")),
        usage=_anthropic_usage(_map(message.get("usage"))),
        fault=None if "content" in message else _fault(message, "content"),
    )


def _calls(message: Mapping[str, object]) -> Iterable[str]:
    for call in _list(message.get("tool_calls")):
        arguments = _map(_map(call).get("function")).get("arguments")
        yield arguments if isinstance(arguments, str) else _dumped(arguments)


def _dumped(value: object) -> str:
    try:
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _content(content: object) -> str:
    """The body: a text, or texts in parts."""
    if isinstance(content, str):
        return content
    return "".join(_text(_map(part).get("text")) or "" for part in _list(content))


def _fault(reply: Mapping[str, object], wanted: str) -> str:
    error = reply.get("error")
    if error is None:
        return f"a reply without {wanted}"
    code = _map(error).get("code")
    return f"an error in a reply of status 200{f' (code {code})' if isinstance(code, int) else ''}"


def _openai_usage(usage: Mapping[str, object]) -> Usage:
    return Usage(
        _count(usage.get("prompt_tokens")),
        _count(_map(usage.get("prompt_tokens_details")).get("cached_tokens")),
        _count(usage.get("completion_tokens")),
        _count(_map(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _anthropic_usage(usage: Mapping[str, object]) -> Usage:
    fresh, cached = _count(usage.get("input_tokens")), _count(usage.get("cache_read_input_tokens"))
    written = _count(usage.get("cache_creation_input_tokens"))
    return Usage(
        None if fresh is None else fresh + (cached or 0) + (written or 0),
        cached,
        _count(usage.get("output_tokens")),
        _count(_map(usage.get("output_tokens_details")).get("thinking_tokens")),
    )


def _first_token(choice: Mapping[str, object]) -> Iterable[tuple[str, float]]:
    first = _map(_first(_map(choice.get("logprobs")).get("content")))
    for top in map(_map, _list(first.get("top_logprobs"))):
        token, value = top.get("token"), top.get("logprob")
        if isinstance(token, str) and isinstance(value, int | float) and not isinstance(value, bool):
            yield token, float(value)


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else _NOTHING


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _first(value: object) -> object:
    return next(iter(_list(value)), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if right and isinstance(value, int) else None
