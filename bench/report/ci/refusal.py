"""What is written where a command ends before it has figures: the same sentence in every form."""

from __future__ import annotations

from dataclasses import dataclass

from bench.problems import BrokenInput, CannotDecide, Problem, without_secrets
from bench.report.ci.junit_xml import Status, Test, TestSuite, junit_xml
from bench.report.markdown.grid import quiet, quiet_grid
from bench.terminal.words import counted

SHOWN = 20  # problems in a summary or a comment


@dataclass(frozen=True)
class Refusal:
    """Broken input (3) with its problems, or a question without an answer (2)."""

    exit_code: int
    sentence: str
    problems: tuple[Problem, ...] = ()


def refusal_of(error: BrokenInput | CannotDecide) -> Refusal:
    """In the words that the command line prints."""
    if isinstance(error, CannotDecide):
        return Refusal(2, without_secrets(f"cannot decide: {error}"))
    return Refusal(3, f"{counted(len(error.problems), 'problem')}: nothing was changed", error.problems)


def refusal_junit(refusal: Refusal) -> str:
    """An error for each problem, so that a CI system lists what is to be mended."""
    status: Status = "error"
    tests = [
        Test(_name(problem), status, problem.found, (f"to mend: {problem.fix}",), problem.file, problem.line)
        for problem in refusal.problems
    ]
    return junit_xml("bench", [TestSuite("input", tests or [Test("outcome", status, refusal.sentence)])])


def _name(problem: Problem) -> str:
    parts = [problem.file, f"case {problem.case}" if problem.case else "", problem.field or ""]
    return ", ".join(part for part in parts if part)


def refusal_markdown(refusal: Refusal, command: str) -> str:
    """For a job summary and a comment."""
    parts = [
        f"### {command}: {outcome_words(refusal.exit_code)}",
        f"{quiet(refusal.sentence)}. {exit_words(refusal.exit_code)}",
    ]
    rows = [
        [f"{p.file}{'' if p.line is None else f':{p.line}'}", p.case or "", p.field or "", p.found, p.fix]
        for p in refusal.problems[:SHOWN]
    ]
    if rows:
        parts.append(quiet_grid([["where", "case", "field", "found", "to mend"], *rows]))
    if len(refusal.problems) > SHOWN:
        parts.append(f"And {len(refusal.problems) - SHOWN} more; the log has all.")
    return "\n\n".join(parts) + "\n"


def outcome_words(code: int) -> str:
    """The word for an exit code."""
    return {0: "met", 1: "not met", 2: "cannot decide", 3: "broken input"}[code]


def exit_words(code: int) -> str:
    return f"Exit code {code}."
