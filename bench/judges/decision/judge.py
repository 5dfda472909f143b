"""A decision model on a server: all statements of an attempt in one request, every answer checked here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from bench.judges.contract import Cost, Item, Limits, Part, Question, Verdict
from bench.judges.decision.answers import CERTAINTY
from bench.judges.decision.connection import Wire
from bench.judges.decision.protocol import DIALECTS, VERSION, request_tokens, state_of, too_long
from bench.judges.decision.reply import Asked, read_reply
from bench.judges.prices import Price

RECEIVES: frozenset[Part] = frozenset({"projection", "reference_time"})
_TOKENS_AN_ANSWER = 2  # of output, for an estimate


@dataclass(frozen=True)
class DecisionJudge:
    """Asks a server that speaks one of the dialects."""

    model: str
    dialect: str
    wire: Wire
    limits: Limits
    price: Price | None = None
    receives: frozenset[Part] = RECEIVES

    @property
    def name(self) -> str:
        return f"decision:{self.model}"

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {"decision": VERSION, "dialect": self.dialect, "model": self.model, "certainty": CERTAINTY}

    def estimate(self, item: Item, questions: Sequence[Question]) -> Cost:
        tokens_in = 0 if item.projection is None else request_tokens(state_of(item), questions)
        tokens_out = _TOKENS_AN_ANSWER * len(questions)
        return Cost(tokens_in, tokens_out, None if self.price is None else self.price.of(tokens_in, tokens_out))

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        if not questions:
            return []
        state = askable(item, questions)
        if isinstance(state, Verdict):
            return [state] * len(questions)
        dialect = DIALECTS[self.dialect]
        body = json.dumps(dialect.body(self.model, state, questions), ensure_ascii=False)
        reply, clean = self.wire.post(body.encode("utf-8", "replace"))
        asked = Asked(dialect, self.model, questions, self.price, clean)
        return read_reply(asked, reply.body, reply.headers.get("content-type", ""))


def askable(item: Item, questions: Sequence[Question]) -> str | Verdict:
    """The state to ask about; or the verdict on every question where nothing can be asked."""
    if item.projection is None:
        return Verdict(unscored="error", detail="no projection was given")
    state = state_of(item)
    why = too_long(state, questions)
    return state if why is None else Verdict(unscored="too_long", detail=why)
