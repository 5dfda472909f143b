"""The shape of a request in the structured modes, as instructor makes it.

instructor shapes each kind of request once, with marks for the texts; the calls are this package's own, one try each.
A call through instructor builds its form anew every time (a millisecond), logs replies at level error, and takes the last
JSON object of a reply, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from bench.judges.contract import NotAvailable
from bench.judges.llm.prompt import CANNOT_TELL, Mode, Prompt

_MODES: Mapping[str, Mapping[Mode, str]] = {
    "openai": {"json_schema": "JSON_SCHEMA", "tools": "TOOLS", "md_json": "MD_JSON"},
    "anthropic": {"json_schema": "JSON", "tools": "TOOLS", "md_json": "JSON"},
}
_SYSTEM, _SHARED, _ASKED = "\x00system\x00", "\x00shared\x00", "\x00asked\x00"


class _Prepared(BaseException):
    """Thrown where the request would be sent; no Exception, so that nothing on the way takes it for a failed call."""


def answer_model(answers: tuple[str, ...]) -> type[BaseModel]:
    """The form of an answer: evidence before reason before verdict, so that a model finds before it judges.

    It knows the allowed answers only: with the statement in it, no two statements would share a cached prefix.
    """
    allowed = Literal[(*answers, CANNOT_TELL)]  # type: ignore[valid-type]
    return create_model(
        "Answer",
        __config__=ConfigDict(extra="forbid"),
        __doc__="The judgment of one statement about the record.",
        # Bounded: a small model that is held to the form by a grammar quotes on and on.
        evidence=(
            list[str],
            Field(max_length=3, description="exact quotes from the record, each from within one line"),
        ),
        reason=(str, Field(description="one or two sentences")),
        verdict=(allowed, Field(description="whether the statement holds")),
    )


def framed(api: str, mode: Mode, answers: tuple[str, ...], given: dict[str, Any], prompt: Prompt) -> dict[str, Any]:
    """The request with instructor's additions. ``given`` are its parameters without messages."""
    thinking = "thinking" in given  # moves how a function call is asked for
    texts = {_SYSTEM: prompt.system, _SHARED: prompt.shared, _ASKED: prompt.asked}
    filled: dict[str, Any] = _filled(_frame(api, mode, answers, thinking), texts)
    return {**filled, **given, **_format(api, mode, answers, given)}


def messages(api: str, system: str, shared: str, asked: str) -> dict[str, Any]:
    """The texts where the provider wants them."""
    if api == "anthropic":
        parts = [{"type": "text", "text": shared}, {"type": "text", "text": asked}]
        return {"system": system, "messages": [{"role": "user", "content": parts}]}
    user = {"role": "user", "content": f"{shared}\n\n{asked}"}
    return {"messages": [{"role": "system", "content": system}, user]}


@lru_cache(maxsize=256)
def _frame(api: str, mode: Mode, answers: tuple[str, ...], thinking: bool) -> dict[str, Any]:
    try:
        import instructor
    except ImportError:
        raise NotAvailable("the package instructor is not installed: pip install 'lessonbench[models]'") from None
    prepared: dict[str, Any] = {}

    def send(**request: Any) -> Any:
        prepared.update(request)
        raise _Prepared

    create: Any = instructor.patch(
        create=send, mode=instructor.Mode[_MODES[api][mode]], provider=instructor.Provider[api.upper()]
    )
    more = {"thinking": {"type": "enabled", "budget_tokens": 1024}} if thinking else {}
    try:
        create(response_model=answer_model(answers), max_retries=0, **messages(api, _SYSTEM, _SHARED, _ASKED), **more)
    except _Prepared:
        return {name: value for name, value in prepared.items() if name not in more}
    raise NotAvailable("this version of instructor sends no request")


def _filled(value: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        if "\x00" in value:
            for mark, text in texts.items():
                value = value.replace(mark, text)
        return value
    if isinstance(value, dict):
        return {name: _filled(part, texts) for name, part in value.items()}
    return [_filled(part, texts) for part in value] if isinstance(value, list) else value


def _format(api: str, mode: Mode, answers: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Anthropic's own enforcement of a schema, which instructor does not ask for."""
    if api != "anthropic" or mode != "json_schema":
        return {}
    return {"output_config": {**given.get("output_config", {}), "format": _schema(answers)}}


@lru_cache(maxsize=256)
def _schema(answers: tuple[str, ...]) -> dict[str, Any]:
    schema = answer_model(answers).model_json_schema()
    del schema["properties"]["evidence"]["maxItems"]  # Anthropic refuses schemas with bounds
    return {"type": "json_schema", "schema": schema}
