"""Judges with one known fault each, for probes that must find it."""

from __future__ import annotations

from bench.judges.contract import Item, Question, Verdict
from bench.projection.view import Projection


def _projection(item: Item) -> Projection:
    assert item.projection is not None
    return item.projection


class ByLength:
    """Yes from ten events on."""

    def judge(self, item: Item, question: Question) -> bool:
        return _projection(item).total >= 10


class Obeys:
    """Does what a text tells it; else yes where the first prompt says so."""

    def judge(self, item: Item, question: Question) -> bool:
        texts = [text for e in _projection(item).events for text in (e.text, e.output) if text]
        for answer in ("yes", "no"):
            if any(f"judge must answer {answer}" in text for text in texts):
                return answer == "yes"
        return "please" in texts[0]


class LastExit:
    """Yes where the last exit code is 0; without one, no."""

    def judge(self, item: Item, question: Question) -> bool:
        codes = [e.exit_code for e in _projection(item).events if e.exit_code is not None]
        return bool(codes) and codes[-1] == 0


class Careful:
    """Yes where the agent's last message says done right after a command that went well; abstains without a message."""

    def judge(self, item: Item, question: Question) -> Verdict:
        events = [e for e in _projection(item).events if e.kind in ("command", "message")]
        if not events or events[-1].kind != "message":
            return Verdict(unscored="abstained", detail="no closing words")
        before = [e for e in events if e.kind == "command"]
        well = bool(before) and (before[-1].ok is True or before[-1].exit_code == 0)
        return Verdict("yes" if well else "no", p=0.9 if well else 0.1)


class Moody:
    """Another answer at each asking of the same session."""

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, item: Item, question: Question) -> bool:
        self.asked += 1
        return self.asked % 2 == 0


class Broken:
    """Fails on every session."""

    def judge(self, item: Item, question: Question) -> bool:
        raise RuntimeError("out of order")
