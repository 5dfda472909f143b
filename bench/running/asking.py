"""Ask a judge: validate what it says, try again where that makes sense, and turn every failure into an outcome."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.judges.contract import CallFailed, CallingJudge, Item, Judge, Limits, NotAvailable, Question, Verdict
from bench.problems import shorten
from bench.running.gate import Gate
from bench.running.store import without_secrets
from bench.running.workers import Slot

BACKOFF_SECONDS = 0.5  # before the second try; doubles with each further one
LONGEST_WAIT = 60.0


class Postponed(Exception):
    """The run's time was over, or it was stopped, before an answer came: nothing is known, nothing is stored."""


@dataclass(frozen=True)
class Answered:
    """Verdicts, and how many calls they took."""

    verdicts: Sequence[Verdict]
    calls: int


def ask_patiently(
    judge: Judge, limits: Limits, item: Item, questions: Sequence[Question], sample: int, *, gate: Gate, slot: Slot,
    give_up_at: float | None,
) -> Answered:  # fmt: skip
    """Ask a judge that calls a model, with further tries. Raises NotAvailable and Postponed."""
    calls = 0
    while True:
        if not gate.enter(give_up_at):
            raise Postponed
        calls += 1
        slot.start()
        try:
            return Answered(_checked(judge.judge(item, questions, sample), questions), calls)
        except CallFailed as failure:
            slot.end()
            if not failure.again or calls > limits.retries:
                return Answered([_failed(failure, calls)] * len(questions), calls)
            wait = min(failure.wait if failure.wait is not None else backoff(calls, item, questions), LONGEST_WAIT)
            if give_up_at is not None and time.monotonic() + wait > give_up_at:
                raise Postponed from None
            if failure.reason == "rate_limited":
                gate.pause(wait)
            elif not gate.sleep(wait):
                raise Postponed from None
        except NotAvailable:
            raise
        except Exception as error:  # the border to judges: a fault of one is a reason, never the run's end
            return Answered([_crashed(error)] * len(questions), calls)
        finally:
            slot.end()


def _failed(failure: CallFailed, calls: int) -> Verdict:
    tries = f" ({calls} calls)" if calls > 1 else ""
    return Verdict(unscored=failure.reason, detail=shorten(failure.detail, 300) + tries)


def _crashed(error: BaseException) -> Verdict:
    return Verdict(unscored="error", detail=f"{type(error).__name__}: {shorten(str(error), 200)}")


def backoff(calls: int, item: Item, questions: Sequence[Question]) -> float:
    """Seconds before the next try: doubling, spread by a digest of what is asked, so that callers do not march in step."""
    seen = item.projection.preset if item.projection is not None else ""
    text = f"{calls}|{seen}|{id(item)}|{[question.text for question in questions]}"
    spread = hashlib.sha256(text.encode("utf-8", "replace")).digest()[0] / 255
    return float(BACKOFF_SECONDS * 2 ** (calls - 1) * (0.75 + spread / 2))


def ask_questions(judge: Judge, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
    """The verdicts of a judge that is code; whatever goes wrong inside it is the outcome of these items alone."""
    try:
        return _checked(judge.judge(item, questions, sample), questions)
    except (Exception, SystemExit) as error:  # the border to judges: a fault of one is a reason, never the run's end
        return [_crashed(error)] * len(questions)


def ask_now(judge: Judge, item: Item, questions: Sequence[Question], sample: int = 0) -> Sequence[Verdict]:
    """The verdicts of any judge, asked alone; one that cannot be asked here is unavailable."""
    if not isinstance(judge, CallingJudge):
        return ask_questions(judge, item, questions, sample)
    limits = judge.limits
    gate, slot = Gate(limits.per_minute, threading.Event()), Slot()
    batches = [[question] for question in questions] if limits.one_statement_a_call else [list(questions)]
    try:
        return [
            verdict
            for batch in batches
            for verdict in ask_patiently(
                judge, limits, item, batch, sample, gate=gate, slot=slot, give_up_at=None
            ).verdicts
        ]
    except NotAvailable as error:
        return [Verdict(unscored="unavailable", detail=shorten(str(error), 300))] * len(questions)


def _checked(verdicts: Sequence[Verdict], questions: Sequence[Question]) -> Sequence[Verdict]:
    given = list(verdicts)
    if len(given) != len(questions):
        missing = Verdict(unscored="missing_answer", detail=f"{len(given)} verdicts for {len(questions)} questions")
        return [missing] * len(questions)
    return [_valid(without_secrets(v), q.answers) for v, q in zip(given, questions, strict=True)]


def _valid(verdict: Verdict, answers: tuple[str, ...]) -> Verdict:
    if verdict.answer is not None and verdict.answer not in answers:
        told = f"{shorten(verdict.answer, 40)!r} is none of {', '.join(answers)}"
    elif isinstance(verdict.p, int | float) and not 0 <= verdict.p <= 1:
        told = f"P(yes) = {verdict.p}"
    elif isinstance(verdict.score, int | float) and not math.isfinite(verdict.score):
        told = f"score = {verdict.score}"
    else:
        return verdict
    return replace(
        verdict, answer=None, unscored="out_of_range", detail=told, p=None, score=None, certainty=None, evidence=()
    )
