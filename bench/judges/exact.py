"""Task success from the record itself: the outcome of the last check, where the record holds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import re2
from pydantic import JsonValue

from bench.judges.contract import Item, Part, Question, Verdict, only_yes_no, yes_or_no
from bench.judges.patterns import simple_commands
from bench.schema.event import Event

VERSION = 1
_CHECKS = re2.compile(
    # what may stand before the program: assignments, wrappers with their options, a folder
    r"(?i)[({!\s]*(?:(?:(?:\S*/)?(?:sudo|time|env|timeout|nice|xvfb-run|cross-env|npx|bunx|uvx?|poetry|pipenv|pdm|hatch|rye|run|"
    r"exec|dlx|bundle|python[\d.]*|coverage|if|then|else|do|while|until|!|docker(?:\s+compose)?\s+(?:exec|run)\s+(?:-\S+\s+)*\S+)|"
    r"-\S+|\d+[smh]?|\w+=\S*)\s+|(?:ba|z)?sh\s+-\w+\s+['\"]?)*(?:\S*/)?"
    r"(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|playwright|cypress|rspec|phpunit|ctest|xcodebuild|gradlew?|mvnw?|"
    r"mypy|pyright|ruff|eslint|tsc|flake8|shellcheck|golangci-lint|clippy|nbconvert|jupyter\s+nbconvert|"
    r"(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|workspace)\s+(?:[^-\s]\S*\s+)?)*(?:run\s+)?(?:test|build|lint|check|typecheck)|"
    r"go\s+(?:test|build|vet)|cargo\s+(?:test|build|check|clippy|bench)|make|mise\s+run|just|"
    r"terraform\s+(?:plan|validate)|dotnet\s+(?:test|build))(?:$|[\s:);'\"])"
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
    checks = [(i, event) for i, event in known if is_check(event.command or "")]
    if not known:
        return Verdict(unscored="abstained", detail="no command with a recorded outcome")
    position, event = (checks or known)[-1]
    return Verdict(yes_or_no(outcome(event) is True), evidence=(numbers[position],))


def is_check(command: str) -> bool:
    """Whether one of the commands that the line chains runs tests, a build, a linter or the like."""
    return any(_CHECKS.match(part) for part in simple_commands(command))


def outcome(event: Event) -> bool | None:
    """Whether the command ended well; None where the record cannot tell or the command never ran."""
    if event.approval is not None and event.approval.decision == "denied":
        return None
    return event.exit_code == 0 if event.exit_code is not None else event.ok
