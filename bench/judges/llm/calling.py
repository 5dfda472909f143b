"""Ask an LLM one question and make a verdict of its reply."""

from __future__ import annotations

from dataclasses import replace

from bench.judges.contract import Item, NotAvailable, Question, Verdict, yes_or_no
from bench.judges.http import scrubbed
from bench.judges.llm.evidence import check
from bench.judges.llm.logprob import p_yes
from bench.judges.llm.modes import ask
from bench.judges.llm.parse import Parsed, parse_json, parse_lines
from bench.judges.llm.prompt import Prompt, build
from bench.judges.llm.providers import connect
from bench.judges.llm.reply import Reply
from bench.judges.llm.settings import Settings
from bench.problems import shorten
from bench.projection.render import render
from bench.projection.view import Projection

LONGEST_RAW = 8_000
LONGEST_REASON = 2_000


def ask_one(settings: Settings, item: Item, question: Question, sample: int) -> Verdict:
    """One call, one verdict. Raises CallFailed and NotAvailable."""
    if settings.mode == "logprob" and question.type != "yes_no":
        return Verdict(unscored="not_applicable", detail=f"the logprob mode answers yes / no, not {question.type}")
    if item.projection is None:
        return Verdict(unscored="error", detail="shown no projection")
    if settings.service == "batch":
        raise NotAvailable("it is asked in batches only: bench batch export")
    connection = connect(settings)
    prompt = build(settings.words, settings.mode, item, question)
    reply = ask(connection, settings, prompt, question, sample)
    return verdict_of(reply, settings, item, question, connection.secrets)


def verdict_of(
    reply: Reply, settings: Settings, item: Item, question: Question, secrets: tuple[str, ...] = ()
) -> Verdict:
    """The verdict of a reply, with what stands beside it; live replies and those of a batch are read alike."""
    if item.projection is None:
        return Verdict(unscored="error", detail="shown no projection")
    trace = render(item.projection)
    prompt = build(settings.words, settings.mode, item, question, trace)
    verdict = read(reply, settings, prompt, item.projection, question, trace)
    usage = reply.usage
    return replace(
        verdict,
        raw=kept(reply.raw, LONGEST_RAW, secrets),
        reason=None if verdict.reason is None else kept(verdict.reason, LONGEST_REASON, secrets),
        answered_by=None if reply.model is None else shorten(kept(reply.model, 400, secrets), 120),
        tokens_in=usage.tokens_in,
        tokens_cached=usage.cached,
        tokens_out=usage.tokens_out,
        tokens_reasoning=usage.reasoning,
    )


def read(
    reply: Reply, settings: Settings, prompt: Prompt, shown: Projection, question: Question, trace: str
) -> Verdict:
    """What the reply says, by the mode it was asked in."""
    if reply.refused:
        return Verdict(unscored="refused", detail="the provider marks the reply as refused")
    if settings.mode == "logprob":
        return _from_logprobs(reply)
    if reply.cut:
        return Verdict(unscored="truncated", detail=f"cut at {settings.max_tokens} tokens")
    if settings.mode == "plain":
        parsed = parse_lines(reply.raw, question, prompt.nonce)
    else:
        parsed = parse_json(reply.texts, question, trace)
    if parsed.answer is None and parsed.unscored != "abstained":
        return Verdict(unscored=parsed.unscored, detail=parsed.detail)
    evidence = check(map(storable, parsed.quotes), shown, trace)
    return Verdict(
        parsed.answer,
        parsed.unscored,
        parsed.detail,
        evidence=evidence.events,
        quotes=evidence.quotes,
        invented=evidence.invented,
        reason=parsed.reason,
    )


def _from_logprobs(reply: Reply) -> Verdict:
    found = p_yes(reply.first)
    if isinstance(found, Parsed):
        return Verdict(unscored=found.unscored, detail=found.detail)
    p, mass = found
    return Verdict(yes_or_no(p >= 0.5), p=p, mass=mass)


def kept(text: str, limit: int, secrets: tuple[str, ...]) -> str:
    """A text that may be stored. Scrubbed before it is cut: half a key would not be known for one."""
    return scrubbed(storable(text), secrets)[:limit]


def storable(text: str) -> str:
    """The text without lone surrogates, which no file can hold."""
    return text.encode("utf-8", "backslashreplace").decode()
