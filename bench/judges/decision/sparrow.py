"""The offline default: the weights that the package sparrow-decider bundles, asked in process.

What it reads, by its source (sparrow_decider 0.2.0, static.py and wordpiece.py): the bundled models have no attention. State,
question and each option are averaged apart, each over its *first* 512 word pieces; what comes after is dropped without a
word. (Its encoder models, not bundled, share 512 pieces between state and question and keep the state's two ends.) A state
that was cut is flagged here on every verdict. Identity is declared, so that stored runs are found without the package;
what is installed must match it, or nothing is asked.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from bench.judges.contract import Cost, Item, Limits, NotAvailable, Part, Question, Verdict
from bench.judges.decision.answers import CERTAINTY
from bench.judges.decision.connection import INSTALL
from bench.judges.decision.judge import RECEIVES, askable
from bench.judges.decision.protocol import DIALECTS, VERSION, request_tokens, state_of, systemone_questions
from bench.judges.decision.reply import Asked, read_reply
from bench.judges.prices import Price

PACKAGE = "0.2.0"
WEIGHTS = {  # SHA-256 of the bundled files of that version
    "sparrow-nano-general-v1.1": "d1d3ee04cdfa58f325bb7f06b701df92bc29a3debea59743bf14a7a6215ef2e3",
    "sparrow-nano-robot-v1.2": "0fe7a7fee5b369c02c760e2c33c115b72e16a6a0a98e911ee5fea53a25248608",
}
DEFAULT = "sparrow-nano-general-v1.1"
PIECES = 512
CUT = f"state, question and each option: the first {PIECES} word pieces of each"
_FREE = Price(0.0, 0.0, "runs on this machine", "2026-11-30")


class Weights:
    """A bundled model, loaded at first use, once a process."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._decider: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (self._model,)

    def decider(self) -> Any:
        """Raises NotAvailable without the package, or where it is not the one that the fingerprint names."""
        with self._lock:
            if self._decider is None:
                self._decider = _loaded(self._model)
            return self._decider


def _loaded(model: str) -> Any:
    try:
        import sparrow_decider
    except ModuleNotFoundError as error:
        raise NotAvailable(f"the package {error.name} is not installed: {INSTALL}") from None
    wanted = f"pip install sparrow-decider=={PACKAGE}"
    if sparrow_decider.__version__ != PACKAGE:
        raise NotAvailable(f"sparrow-decider {sparrow_decider.__version__} is not the version judged with: {wanted}")
    path = Path(sparrow_decider.__file__).parent / "models" / f"{model}.sparrow"
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != WEIGHTS[model]:
        raise NotAvailable(f"the weights of {model} are not those of the package: {wanted} --force-reinstall")
    return sparrow_decider.Decider.load(str(path))


@dataclass(frozen=True)
class SparrowJudge:
    """Asks the bundled weights as their server would be asked, and checks the answers the same way."""

    model: str = DEFAULT
    receives: frozenset[Part] = RECEIVES
    weights: Weights = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", Weights(self.model))

    @property
    def name(self) -> str:
        return f"decision:{self.model}"

    @property
    def limits(self) -> Limits:
        return Limits("decision:embedded", concurrency=1, retries=0)

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {
            "decision": VERSION,
            "dialect": "embedded",
            "model": self.model,
            "certainty": CERTAINTY,
            "package": f"sparrow-decider {PACKAGE}",
            "weights": WEIGHTS[self.model],
            "reads": CUT,
        }

    def estimate(self, item: Item, questions: Sequence[Question]) -> Cost:
        tokens_in = 0 if item.projection is None else request_tokens(state_of(item), questions)
        return Cost(tokens_in, 0, 0.0)

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        if not questions:
            return []
        state = askable(item, questions)
        if isinstance(state, Verdict):
            return [state] * len(questions)
        decider = self.weights.decider()
        pieces = len(decider.static.tok.encode(state.strip(), PIECES + 1))
        usage = {"input_tokens": min(pieces, PIECES), "output_tokens": 0}
        answers = decider.ask(state, systemone_questions(questions))
        body = json.dumps({"model": decider.name, "answers": answers, "usage": usage}).encode()
        verdicts = read_reply(
            Asked(DIALECTS["systemone"], self.model, questions, _FREE), body, content_type="application/json"
        )
        return [_flagged(v, "cut_by_model") for v in verdicts] if pieces > PIECES else verdicts


def _flagged(verdict: Verdict, flag: str) -> Verdict:
    return replace(verdict, flags=(*verdict.flags, flag))
