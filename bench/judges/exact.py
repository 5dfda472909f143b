"""Task success from the record itself: the outcome of the last check, where the record holds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import re2
from pydantic import JsonValue

from bench.judges.contract import Item, Part, Question, Verdict, only_yes_no, yes_or_no
from bench.schema.event import Event

VERSION = 1
_CHECKS = re2.compile(
    r"(?i)\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|playwright|cypress|rspec|phpunit|ctest|xcodebuild|gradlew?|mvnw?|"
    r"mypy|pyright|ruff|eslint|tsc|flake8|shellcheck|golangci-lint|clippy|nbconvert|"
    r"(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|build|lint|check|typecheck)|go\s+(?:test|build|vet)|"
    r"cargo\s+(?:test|build|check|clippy|bench)|make|mise\s+run|just|terraform\s+(?:plan|validate)|dotnet\s+(?:test|build))\b"
)


@dataclass(frozen=True)
class ExactJudge:
    """Yes or no as the last check command ended; without one, as the last command ended; else it abstains."""

    name: str = "exact"
    receives: frozenset[Part] = frozenset({"projection"})

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {"exact": VERSION}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        if item.projection is None:
            verdict = Verdict(unscored="error", detail="no projection was given")
        else:
            verdict = last_outcome(item.projection.events, item.projection.numbers)
        return [only_yes_no(question) or verdict for question in questions]


def last_outcome(events: Sequence[Event], numbers: Sequence[int]) -> Verdict:
    """The outcome of the last check command with a known outcome; of the last such command where there is no check."""
    known = [(i, event) for i, event in enumerate(events) if event.kind == "command" and outcome(event) is not None]
    checks = [(i, event) for i, event in known if _CHECKS.search(event.command or "")]
    if not known:
        return Verdict(unscored="abstained", detail="no command with a recorded outcome")
    position, event = (checks or known)[-1]
    return Verdict(yes_or_no(outcome(event) is True), evidence=(numbers[position],))


def outcome(event: Event) -> bool | None:
    """Whether the command ended well; None where the record cannot tell or the command never ran."""
    if event.approval is not None and event.approval.decision == "denied":
        return None
    return event.exit_code == 0 if event.exit_code is not None else event.ok
