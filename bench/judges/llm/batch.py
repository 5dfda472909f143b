"""Requests and answers of batches: the OpenAI and Anthropic forms as they publish them, and plain text.

| form | a request | an answer |
|---|---|---|
| openai | {custom_id, method, url, body} | {custom_id, response: {status_code, body}, error} |
| anthropic | {custom_id, params} | {custom_id, result: {type, message or error}} |
| text | {custom_id, prompt} | {custom_id, reply, model} |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from bench.judges.contract import Item, Question, Verdict
from bench.judges.llm.modes import request
from bench.judges.llm.prompt import build
from bench.judges.llm.reply import Reply, from_anthropic, from_openai
from bench.judges.llm.settings import Settings
from bench.reading.strict_json import read_json

Form = Literal["openai", "anthropic", "text"]
FORMS: tuple[Form, ...] = get_args(Form)
_WORDS_ONLY = ("plain", "md_json")


@dataclass(frozen=True)
class Answer:
    """One line of a batch's answers. Exactly one of ``reply``, ``failed`` and ``put_off`` is given."""

    custom_id: str
    reply: Reply | None = None
    failed: Verdict | None = None
    put_off: str | None = None  # it expired or was cancelled: nothing was answered


def why_not(form: Form, settings: Settings) -> str | None:
    """Why a judge's requests have no such form, or None."""
    if form == "text":
        return (
            None
            if settings.mode in _WORDS_ONLY
            else f"the mode {settings.mode} is more than text: use plain or md_json"
        )
    return None if settings.at.api == form else f"{settings.service} speaks another form than {form}"


def custom_id(item: str, sample: int) -> str:
    """At most 64 letters and digits, as both providers want it; 48 digits of a digest stay unique."""
    return f"{item[:48]}-{sample}"


def request_line(
    form: Form, settings: Settings, item: Item, question: Question, sample: int, name: str
) -> dict[str, Any]:
    """One request."""
    prompt = build(settings.words, settings.mode, item, question)
    if form == "text":
        return {"custom_id": name, "prompt": f"{prompt.system}\n\n{prompt.user}"}
    body = request(settings, prompt, question, sample)
    if form == "anthropic":
        return {"custom_id": name, "params": body}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


def read_answer(form: Form, line: bytes) -> Answer:
    """One answer. Raises ValueError that says what is wrong with the line."""
    value = read_json(line)
    if not isinstance(value, dict) or not isinstance(value.get("custom_id"), str):
        raise ValueError("no object with a custom_id")
    name = value["custom_id"]
    return _READERS[form](name, value)


def _from_openai_line(name: str, value: dict[str, Any]) -> Answer:
    response = value.get("response")
    if not isinstance(response, dict):
        error = value.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        if code in ("batch_expired", "batch_cancelled"):
            return Answer(name, put_off=str(code))
        if error is None:
            raise ValueError("neither a response nor an error")
        return Answer(name, failed=Verdict(unscored="error", detail=f"the batch says {_code(code)}"))
    status = response.get("status_code")
    if status != 200:
        return Answer(name, failed=Verdict(unscored="error", detail=f"HTTP {_code(status)} in the batch"))
    return _replied(name, from_openai(response.get("body")))


def _from_anthropic_line(name: str, value: dict[str, Any]) -> Answer:
    result = value.get("result")
    kind = result.get("type") if isinstance(result, dict) else None
    if kind in ("expired", "canceled"):
        return Answer(name, put_off=str(kind))
    if kind == "errored":
        return Answer(name, failed=Verdict(unscored="error", detail="the batch says errored"))
    if kind != "succeeded" or not isinstance(result, dict):
        raise ValueError("no result of type succeeded, errored, expired or canceled")
    return _replied(name, from_anthropic(result.get("message")))


def _from_text_line(name: str, value: dict[str, Any]) -> Answer:
    reply, model = value.get("reply"), value.get("model")
    if not isinstance(reply, str):
        raise ValueError("no text under reply")
    if model is not None and not isinstance(model, str):
        raise ValueError("a model that is no text")
    return Answer(name, Reply((reply,), model=model))


def _replied(name: str, reply: Reply) -> Answer:
    if reply.fault is not None:
        return Answer(name, failed=Verdict(unscored="error", detail=reply.fault))
    return Answer(name, reply)


def _code(value: object) -> str:
    text = str(value)[:40]
    return text if text.isascii() and text.isprintable() else "something unreadable"


_READERS = {"openai": _from_openai_line, "anthropic": _from_anthropic_line, "text": _from_text_line}
