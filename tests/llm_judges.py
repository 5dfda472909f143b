"""What the tests of the LLM judge share: a session, questions, and a judge that asks a fake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fake_llm import FakeLLM

from bench.judges.contract import Item, Question, Verdict
from bench.judges.llm.judge import LlmJudge
from bench.judges.registry import make_judge
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.projection.view import Projection
from bench.running.asking import ask_now
from bench.schema.event import Event

JSON_MODES = ("json_schema", "tools", "md_json")
MODES = (*JSON_MODES, "plain", "logprob")
YES_NO = Question("yes_no", "The lamp works again.", (("yes", "It is lit at the end."), ("no", "It stays dark.")))
SCORE = Question("score", "How well is it mended?", tuple((str(n), f"level {n}") for n in range(1, 6)))
CHOICE = Question("choice", "Where is it mended?", (("home", "at home"), ("shop", "in the shop"), ("none", "nowhere")))
TRACE = (
    {"kind": "prompt", "origin": "human", "text": "The lamp is dark, please mend it."},
    {
        "kind": "command",
        "command": "mend lamp",
        "exit_code": 0,
        "exit_source": "text",
        "ok": True,
        "output": "done\nlit again",
    },
    {"kind": "message", "text": "Hello! It works again."},
)


def shown(*events: dict[str, Any], query: str = "Mend the lamp.") -> Projection:
    """The projection of a session."""
    read = [Event.model_validate(event) for event in (events or TRACE)]
    return project(PRESETS["events"], query, "desk", read, None)


def item(*events: dict[str, Any]) -> Item:
    return Item(projection=shown(*events), reference_time="2026-05-04T09:00:00+00:00")


def llm(**parameters: str) -> LlmJudge:
    """A judge with these parameters."""
    judge = make_judge("llm", {"provider": "openai-compatible", "model": "m-1", **parameters}, Path())
    assert isinstance(judge, LlmJudge)
    return judge


def at(server: FakeLLM, **parameters: str) -> LlmJudge:
    """A judge that asks the fake, patiently."""
    return llm(**{"base_url": server.url, "seconds": "5", "retries": "2", **parameters})


def asked(judge: LlmJudge, question: Question = YES_NO, what: Item | None = None) -> Verdict:
    """Its verdict on one question, as the runner would get it."""
    (verdict,) = ask_now(judge, what or item(), [question])
    return verdict


def outcome(verdict: Verdict) -> str:
    """The answer or the reason."""
    return verdict.answer or str(verdict.unscored)
