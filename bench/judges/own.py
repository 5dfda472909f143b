"""A judge of the user's: a Python class named ``module:Class``, found from the current folder."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import JsonValue

from bench.judges.contract import Item, Part, Question, Verdict, only_yes_no, yes_or_no
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.canonical import canonical


@dataclass(frozen=True)
class OwnJudge:
    """Wraps a class with ``judge(item, question)`` that returns a Verdict, True or False. What it raises is an outcome.

    The class may set ``receives`` (default: the projection) and ``fingerprint()``; without the latter the digest of its
    module's source stands for it, so that an edit re-judges.
    """

    name: str
    target: Any
    receives: frozenset[Part]
    source_digest: str

    def fingerprint(self) -> Mapping[str, JsonValue]:
        own = self.target.fingerprint() if hasattr(self.target, "fingerprint") else None
        return {"own": self.name, "source": self.source_digest, "says": own}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        return [self._one(item, question) for question in questions]

    def _one(self, item: Item, question: Question) -> Verdict:
        try:
            answer = self.target.judge(item, question)
        except (Exception, SystemExit) as error:  # the border to foreign code: what it raises is this verdict's reason
            return Verdict(unscored="error", detail=f"{type(error).__name__}: {shorten(str(error), 200)}")
        if isinstance(answer, bool):
            answer = only_yes_no(question) or Verdict(yes_or_no(answer))
        if not isinstance(answer, Verdict):
            return Verdict(
                unscored="unparsed", detail=f"returned {type(answer).__name__}, not a Verdict, True or False"
            )
        return answer


def load_own(name: str) -> OwnJudge:
    """Import ``module:Class`` and make one. Raises BrokenInput that says which half failed."""
    module_name, _, class_name = name.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
        target = getattr(module, class_name)()
        source = hashlib.sha256(inspect.getsource(module).encode()).hexdigest()
    except (Exception, SystemExit) as error:
        found = f"{type(error).__name__}: {shorten(str(error), 200)}"
        fix = "name a class without arguments as module:Class; its module must import from the current folder"
        raise BrokenInput([Problem(name, None, None, "judge", found, fix)]) from error
    if not callable(getattr(target, "judge", None)):
        fix = (
            "give the class a method judge(item, question) that returns a bench.judges.contract.Verdict, True or False"
        )
        raise BrokenInput([Problem(name, None, None, "judge", "the class has no method judge", fix)])
    judge = OwnJudge(name, target, _receives(name, target), source)
    try:
        canonical(judge.fingerprint())
    except Exception as error:
        found = f"its fingerprint() fails: {type(error).__name__}: {shorten(str(error), 200)}"
        fix = "return what can be written as JSON, or leave fingerprint out"
        raise BrokenInput([Problem(name, None, None, "judge", found, fix)]) from error
    return judge


def _receives(name: str, target: object) -> frozenset[Part]:
    parts = getattr(target, "receives", {"projection"})
    if isinstance(parts, set | frozenset | list | tuple) and all(part in get_args(Part) for part in parts):
        return frozenset(parts)
    fix = f"give a set of some of {', '.join(get_args(Part))}"
    raise BrokenInput([Problem(name, None, None, "judge", f"receives = {shorten(parts)}", fix)])
