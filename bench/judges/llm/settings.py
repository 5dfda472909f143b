"""How an LLM judge asks: everything that the suite may set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from bench.judges.llm.prompt import TEMPLATES, Mode, Template
from bench.judges.llm.services import SERVICES, Service, own_address
from bench.judges.parameters import Parameters
from bench.problems import BrokenInput, Problem, shorten

MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True)
class Settings:
    """Settings of one judge. ``base_url``, ``key_variable`` and the limits move no answer; ``prompt_cache`` does so for a
    model in this process only, whose figures depend on how much of a prompt is computed at once."""

    service: str
    model: str
    mode: Mode
    template: str
    temperature: float | None
    top_p: float | None
    max_tokens: int
    effort: str | None
    budget: int | None
    base_url: str | None
    key_variable: str | None
    prompt_cache: bool
    weights: str | None
    concurrency: int
    per_minute: int | None
    seconds: float
    retries: int

    @property
    def at(self) -> Service:
        return SERVICES[self.service]

    @property
    def words(self) -> Template:
        return TEMPLATES[self.template]


def read_settings(given: Parameters) -> Settings:
    """From the suite's parameters. Raises BrokenInput."""
    name = given.one_of("provider", tuple(SERVICES))
    service = SERVICES[name]
    mode = given.one_of("mode", service.modes, "json_schema")
    temperature = given.text("temperature", "none" if service.api == "anthropic" else "0")
    settings = Settings(
        service=name,
        model=given.text("model"),
        mode=next(known for known in MODES if known == mode),
        template=given.one_of("template", tuple(TEMPLATES), "plain@1"),
        temperature=None if temperature == "none" else given.number("temperature", 0, 2, temperature),
        top_p=_number_or_none(given, "top_p", 1),
        max_tokens=1 if mode == "logprob" else given.whole("max_tokens", 1024, 1),
        effort=given.optional("reasoning_effort"),
        budget=_whole_or_none(given, "reasoning_budget"),
        base_url=given.optional("base_url"),
        key_variable=given.optional("key_variable") or service.key_variable,
        prompt_cache=given.one_of("prompt_cache", ("on", "off"), "off") == "on",
        weights=given.optional("path") if name == "gguf" else None,
        concurrency=given.whole("concurrency", 1 if name == "gguf" else 4, 1),
        per_minute=_whole_or_none(given, "per_minute"),
        seconds=given.number("seconds", 0.1, 3600, "600" if name == "gguf" else "120"),
        retries=given.whole("retries", 4),
    )
    _refuse_impossible(given.judge, settings)
    return settings


def _refuse_impossible(judge: str, settings: Settings) -> None:
    problems = [
        Problem(judge, None, None, f"parameters.{name}", found, fix)
        for broken, name, found, fix in (*_impossible(settings), *_addresses(settings))
        if broken
    ]
    if problems:
        raise BrokenInput(problems)


def _impossible(settings: Settings) -> list[tuple[bool, str, str, str]]:
    anthropic = settings.at.api == "anthropic"
    budget = settings.budget
    return [
        (budget is not None and not anthropic, "reasoning_budget", "a budget in tokens", "use reasoning_effort"),
        (
            budget is not None and budget >= settings.max_tokens,
            "reasoning_budget",
            "a budget that leaves no room for the answer",
            "raise max_tokens above it",
        ),
        (
            settings.prompt_cache and not anthropic and settings.service != "gguf",
            "prompt_cache",
            "caching that is asked for",
            "leave it out: this provider caches by itself",
        ),
        (
            settings.service == "gguf" and settings.concurrency > 1,
            "concurrency",
            "several calls at once",
            "leave it at 1: one thread runs the model",
        ),
    ]


def _addresses(settings: Settings) -> list[tuple[bool, str, str, str]]:
    variable = settings.key_variable
    return [
        *((True, "base_url", found, fix) for found, fix in own_address(settings.at, settings.base_url)),
        (
            variable is not None and not _names_a_key(variable),
            "key_variable",
            "a variable that is not named like a key",
            "name a variable that ends in _KEY or _TOKEN",
        ),
        (
            settings.at.hosted and variable != settings.at.key_variable,
            "key_variable",
            "another key for this provider",
            f"put the key into {settings.at.key_variable}",
        ),
    ]


def _names_a_key(variable: str) -> bool:
    return variable.isascii() and variable.replace("_", "").isalnum() and variable.endswith(("_KEY", "_TOKEN"))


def _number_or_none(given: Parameters, name: str, high: float) -> float | None:
    value = given.optional(name)
    return None if value is None else given.number(name, 0, high, value)


def _whole_or_none(given: Parameters, name: str) -> int | None:
    value = given.optional(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) >= 1):
        found, fix = repr(shorten(value, 40)), "give a whole number of at least 1"
        raise BrokenInput([Problem(given.judge, None, None, f"parameters.{name}", found, fix)])
    return int(value)
