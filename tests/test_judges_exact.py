"""Task success from the record: which command counts, and when the record cannot tell."""

from __future__ import annotations

from typing import Any

import pytest

from bench.judges.exact import ExactJudge, is_check, last_outcome
from bench.schema.event import Approval, Event

DENIED = Approval(decision="denied", source="person")


def ran(command: str, ok: bool | None = True, **fields: Any) -> Event:
    return Event(kind="command", command=command, ok=ok, **fields)


def exited(command: str, code: int) -> Event:
    return ran(command, ok=None, exit_code=code, exit_source="structured")


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "pytest -q tests",
        "python -m pytest",
        "python3.11 -m unittest",
        ".venv/bin/python -m pytest -x",
        "uv run pytest",
        "poetry run ruff check .",
        "cd web && npm test",
        "npm run test:unit",
        "npm --prefix web run test",
        "pnpm -r build",
        "pnpm --filter web test",
        "yarn workspace web test",
        "bun test",
        "npx tsc --noEmit",
        "npx eslint .",
        "./gradlew check",
        "make",
        "FOO=1 make -j4",
        "env CI=1 tox",
        "timeout 60 pytest",
        "go test ./...",
        "cargo clippy --all",
        "mise run test:ci",
        "just ci",
        "terraform validate",
        "dotnet test",
        "cargo test 2>&1 | tail -5",
        "bash -lc 'cd x && pytest'",
        "docker compose exec web pytest",
        "(cd a; make)",
        "if ! make; then exit 1; fi",
        "jupyter nbconvert --execute a.ipynb",
        "node_modules/.bin/jest",
    ],
)
def test_a_check(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "git commit -m 'make it just work'",
        "git commit -m 'fix pytest'",
        "pip install pytest",
        "npm install build",
        "npm ci",
        "npm install --save-dev test-utils",
        "cat Makefile",
        "grep -rn pytest .",
        "which ruff",
        "echo make",
        "makepkg",
        "justify",
        "ls just",
        "python make.py",
        "cd make",
        "docker compose up",
        "go mod tidy",
        "cargo add serde",
        "vim test.py",
        "",
    ],
)
def test_no_check(command: str) -> None:
    assert not is_check(command)


@pytest.mark.parametrize(
    ("events", "answer", "evidence"),
    [
        pytest.param([ran("pytest")], "yes", 1, id="green"),
        pytest.param([ran("pytest", False)], "no", 1, id="red"),
        pytest.param([ran("pytest", False), ran("pytest")], "yes", 2, id="red-then-green"),
        pytest.param([ran("pytest"), ran("pytest", False)], "no", 2, id="green-then-red"),
        pytest.param([ran("pytest"), exited("grep TODO x", 1)], "yes", 1, id="harmless-exit-at-the-end"),
        pytest.param([ran("pytest", False), ran("git commit -am 'make it'")], "no", 1, id="commit-after-red"),
        pytest.param([ran("pytest"), ran("make", False, approval=DENIED)], "yes", 1, id="denied-is-skipped"),
        pytest.param([ran("pytest"), ran("make", None)], "yes", 1, id="unknown-is-skipped"),
        pytest.param([ran("ls", False), ran("cat x")], "yes", 2, id="no-check-last-command"),
        pytest.param([exited("make", 0)], "yes", 1, id="exit-code-alone"),
        pytest.param(
            [ran("make", True, exit_code=2, exit_source="text")], "no", 1, id="exit-code-goes-before-the-flag"
        ),
        pytest.param(
            [ran("make"), Event(kind="tool_call", tool="Edit", ok=False)], "yes", 1, id="other-tools-do-not-count"
        ),
    ],
)
def test_the_last_outcome(events: list[Event], answer: str, evidence: int) -> None:
    verdict = last_outcome(events, range(1, len(events) + 1))
    assert (verdict.answer, verdict.evidence) == (answer, (evidence,))


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([], id="nothing"),
        pytest.param([Event(kind="message", text="All tests pass, exit code 0.")], id="words"),
        pytest.param([ran("make", None), ran("pytest", None)], id="unknown"),
        pytest.param([ran("make", False, approval=DENIED)], id="denied"),
        pytest.param([Event(kind="tool_call", tool="Bash", ok=True)], id="no-command"),
    ],
)
def test_it_abstains_where_the_record_cannot_tell(events: list[Event]) -> None:
    verdict = last_outcome(events, range(1, len(events) + 1))
    assert (verdict.answer, verdict.unscored) == (None, "abstained")


def test_evidence_is_the_number_in_the_whole_attempt() -> None:
    assert last_outcome([ran("make")], [41]).evidence == (41,)


def test_hostile_commands_take_linear_time() -> None:
    for text in ("sudo " * 200_000, "a=b " * 200_000, "bash -c " * 200_000, "docker run " * 100_000, "; " * 200_000):
        assert not is_check(text)
    assert ExactJudge().fingerprint() == ExactJudge().fingerprint()
