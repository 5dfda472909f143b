"""``judge: decision``: the bundled weights by default, or a server by dialect, base URL and model."""

from __future__ import annotations

from bench.judges.contract import CallingJudge, Limits
from bench.judges.decision.connection import Line, Place, Wire, trouble_with
from bench.judges.decision.judge import DecisionJudge
from bench.judges.decision.protocol import DIALECTS
from bench.judges.decision.sparrow import DEFAULT, WEIGHTS, SparrowJudge
from bench.judges.parameters import Parameters
from bench.judges.prices import Price, price_of
from bench.problems import BrokenInput, Problem, shorten

EMBEDDED = "embedded"


def make_decision(given: Parameters) -> CallingJudge:
    """The judge that the parameters describe. Raises BrokenInput."""
    base_url = given.optional("base_url")
    default = EMBEDDED if base_url in (None, EMBEDDED) else "systemone"
    dialect = given.one_of("dialect", (EMBEDDED, *DIALECTS), default)
    if dialect == EMBEDDED and base_url in (None, EMBEDDED):
        return SparrowJudge(given.one_of("model", tuple(WEIGHTS), DEFAULT))
    if dialect == EMBEDDED:
        raise _problem(
            "dialect", "a base URL for the embedded model", f"use one of {', '.join(DIALECTS)}, or no base_url"
        )
    return _on_a_server(given, dialect, base_url)


def _on_a_server(given: Parameters, dialect: str, base_url: str | None) -> DecisionJudge:
    spoken = DIALECTS[dialect]
    base = (base_url or spoken.base_url).rstrip("/")
    trouble = trouble_with(base)
    if trouble is not None:
        raise _problem("base_url", trouble, f"give one such as {spoken.base_url}; the key goes into the environment")
    model = _pinned(given.text("model"))
    key_env = given.optional("key_env")
    place = Place(base, spoken.path, key_env or spoken.key_env, key_given=key_env is not None)
    if key_env is None and not place.is_loopback and base != spoken.base_url.rstrip("/"):
        # A suite of somebody else's must not send a vendor's key to a server of its choice.
        raise _problem(
            "key_env", "a server of its own without the name of its key", "add key_env: the variable that holds it"
        )
    per_minute = given.optional("per_minute")
    limits = Limits(
        f"decision:{base}",
        concurrency=given.whole("concurrency", 8, least=1),
        per_minute=None if per_minute is None else _per_minute(given.judge, per_minute),
        seconds=given.number("seconds", 0.05, 3600, "60"),
        retries=given.whole("retries", 4),
    )
    wire = Wire(place, Line(limits.seconds, limits.concurrency))
    return DecisionJudge(model, dialect, wire, limits, _price(given, model))


def _per_minute(judge: str, value: str) -> int:
    return Parameters(judge, {"per_minute": value}).whole("per_minute", least=1)


def _pinned(model: str) -> str:
    """An alias moves: two runs of one identity would be answers of two models."""
    if not model.strip() or model.endswith("latest") or model == "jev-preview":
        raise _problem("model", f"{shorten(model, 60)!r}, which names no fixed version", "pin one, such as jev-1.13.0")
    return model


def _price(given: Parameters, model: str) -> Price | None:
    """The price that the suite states, else the known one. A stated input price alone means that output is free."""
    usd_in, usd_out = given.optional("price_in"), given.optional("price_out")
    if usd_in is None and usd_out is None:
        return price_of(model)
    if usd_in is None:
        raise _problem(
            "price_in", "a price of output without one of input", "give price_in too, in USD per million tokens"
        )
    stated = Parameters(given.judge, {"price_in": usd_in, "price_out": usd_out or "0"})
    return Price(stated.number("price_in", 0, 1e6), stated.number("price_out", 0, 1e6), "the suite", "as stated")


def _problem(name: str, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("decision", None, None, f"parameters.{name}", found, fix)])
