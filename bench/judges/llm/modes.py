"""One call in one of the interface modes: the request on the wire, and its reply."""

from __future__ import annotations

from typing import Any

from bench.judges.contract import CallFailed, Question
from bench.judges.llm.framing import framed, messages
from bench.judges.llm.prompt import Prompt
from bench.judges.llm.providers import Connection
from bench.judges.llm.reply import Reply, from_anthropic, from_openai
from bench.judges.llm.settings import Settings

_TOP = 20  # candidates for the first token; the most that providers give


def ask(connection: Connection, settings: Settings, prompt: Prompt, question: Question, sample: int) -> Reply:
    """One call. Raises CallFailed and NotAvailable."""
    given = connection.ask(request(settings, prompt, question, sample))
    reply = from_anthropic(given) if settings.at.api == "anthropic" else from_openai(given)
    if reply.fault is not None:
        raise CallFailed("error", reply.fault, again=True)
    return reply


def request(settings: Settings, prompt: Prompt, question: Question, sample: int) -> dict[str, Any]:
    """What is sent."""
    api = settings.at.api
    given = _of_anthropic(settings) if api == "anthropic" else _of_openai(settings, sample)
    if settings.mode in ("plain", "logprob"):
        whole = {**messages(api, prompt.system, prompt.shared, prompt.asked), **given}
    else:
        whole = framed(api, settings.mode, question.answers, given, prompt)
    if settings.service == "gguf":
        whole["cache_prompt"] = settings.prompt_cache
    elif settings.prompt_cache:
        whole["messages"][0]["content"][0]["cache_control"] = {"type": "ephemeral"}
    return whole


def _of_openai(settings: Settings, sample: int) -> dict[str, Any]:
    given: dict[str, Any] = {"model": settings.model, settings.at.limit_name: settings.max_tokens}
    if settings.temperature is not None:
        given["temperature"] = settings.temperature
    if settings.top_p is not None:
        given["top_p"] = settings.top_p
    if settings.at.takes_seed:
        given["seed"] = sample
    if settings.effort is not None:
        given["reasoning_effort"] = settings.effort
    if settings.mode == "logprob":
        given |= {"logprobs": True, "top_logprobs": _TOP}
    return given


def _of_anthropic(settings: Settings) -> dict[str, Any]:
    given: dict[str, Any] = {"model": settings.model, "max_tokens": settings.max_tokens}
    if settings.temperature is not None:
        given["temperature"] = settings.temperature
    if settings.top_p is not None:
        given["top_p"] = settings.top_p
    if settings.effort is not None:
        given["output_config"] = {"effort": settings.effort}
    if settings.budget is not None:
        given["thinking"] = {"type": "enabled", "budget_tokens": settings.budget}
    return given
