"""The LLM judge: one statement a call; a verdict with quotes that were checked, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from bench.judges.contract import Cost, Item, Limits, NotAvailable, Part, Question, Verdict
from bench.judges.llm.embedded import weights_path
from bench.judges.llm.prompt import build
from bench.judges.llm.settings import Settings, read_settings
from bench.judges.llm.weights import KNOWN, sha256_of
from bench.judges.parameters import Parameters
from bench.judges.prices import Price, price_of

INSTALL = "pip install 'lessonbench[models]'"
ADAPTER = "llm@1"  # raised when the same reply would be read, or the same question be asked, in another way
_CHARACTERS_A_TOKEN = 4
_USUAL_ANSWER = 300  # tokens


@dataclass(frozen=True)
class LlmJudge:
    """A judge that asks an LLM."""

    settings: Settings
    weights: str | None = None  # sha256 of a local model
    price: Price | None = None
    receives: frozenset[Part] = frozenset({"projection", "reference_time"})

    @property
    def name(self) -> str:
        return f"llm:{self.settings.model}:{self.settings.mode}"

    @property
    def limits(self) -> Limits:
        given = self.settings
        host = f" {given.base_url}" if given.service == "openai-compatible" else ""
        return Limits(
            provider=given.service + host,
            concurrency=given.concurrency,
            per_minute=given.per_minute,
            seconds=given.seconds,
            retries=given.retries,
            one_statement_a_call=True,
        )

    def fingerprint(self) -> Mapping[str, JsonValue]:
        """Neither key nor address: the same model elsewhere is the same judge."""
        given = self.settings
        return {
            "adapter": ADAPTER,
            "provider": given.service,
            "model": given.model if self.weights is None else f"sha256:{self.weights}",
            "mode": given.mode,
            "template": given.template,
            "template_digest": given.words.digest,
            "temperature": given.temperature,
            "top_p": given.top_p,
            "max_tokens": given.max_tokens,
            "reasoning_effort": given.effort,
            "reasoning_budget": given.budget,
            **({"prompt_cache": True} if given.service == "gguf" and given.prompt_cache else {}),
        }

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        """One verdict a question; the runner gives one question a call."""
        try:
            from bench.judges.llm.calling import ask_one
        except ModuleNotFoundError as error:
            raise NotAvailable(f"the package {error.name} is not installed: {INSTALL}") from None
        verdicts = [ask_one(self.settings, item, question, sample) for question in questions]
        return [replace(v, cost_usd=self.usd(v.tokens_in, v.tokens_out)) for v in verdicts]

    def estimate(self, item: Item, questions: Sequence[Question]) -> Cost:
        """By characters; an answer is taken to have the usual length, and reasoning its whole budget."""
        given = self.settings
        prompts = [build(given.words, given.mode, item, question) for question in questions]
        tokens_in = sum(prompt.characters for prompt in prompts) // _CHARACTERS_A_TOKEN
        tokens_out = len(questions) * (min(given.max_tokens, _USUAL_ANSWER) + (given.budget or 0))
        return Cost(tokens_in, tokens_out, self.usd(tokens_in, tokens_out))

    def answered_by(self, model: str) -> LlmJudge:
        """The judge that answered, where it is another model than the one that was asked for."""
        if model == self.settings.model or self.weights is not None:
            return self
        return replace(self, settings=replace(self.settings, model=model), price=price_of(model))

    def usd(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """What so many tokens cost; None where price or count is not known."""
        if self.price is None or tokens_in is None or tokens_out is None:
            return None
        return self.price.of(tokens_in, tokens_out)


def make_llm(given: Parameters) -> LlmJudge:
    """The judge ``llm`` of a suite. Raises BrokenInput."""
    settings = read_settings(given)
    return LlmJudge(settings, _digest_of(settings), _price(given, settings.model))


def _digest_of(settings: Settings) -> str | None:
    """The digest of a local model: known by name, or of the file that is given."""
    if settings.service != "gguf":
        return None
    if settings.weights is None and settings.model in KNOWN:
        return KNOWN[settings.model].sha256
    try:
        return sha256_of(weights_path(settings.model, settings.weights))
    except NotAvailable:
        return "unknown"


def _price(given: Parameters, model: str) -> Price | None:
    own_in, own_out = given.optional("price_in"), given.optional("price_out")
    if own_in is None and own_out is None:
        return price_of(model)
    return Price(
        given.number("price_in", 0, 10_000, own_in),
        given.number("price_out", 0, 10_000, own_out),
        "the suite",
        "as given",
    )
