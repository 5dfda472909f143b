"""What the page's form holds, half filled or whole, and how it becomes a vote."""

from __future__ import annotations

from collections.abc import Container
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from bench.cases.load import AnyStatement
from bench.labels.load import UNCLEAR
from bench.schema.base import Id, Integer, Record
from bench.schema.statement import answers_of
from bench.schema.vote import Ruling, Vote

SEVERITIES = ("minor", "major", "critical")


class Form(Record):
    """The fields of the form; each may be empty in a draft. Of a ruling, the rationale is its reason."""

    answer: str | None = None
    evidence: tuple[Annotated[Integer, Field(ge=1)], ...] = ()
    rationale: str = ""
    also: dict[Id, str] = Field(
        default_factory=dict
    )  # also what belongs to another answer: nothing that was typed is lost by a change of mind
    error_category: str = ""
    severity: str = ""

    @property
    def is_empty(self) -> bool:
        return self == Form()


class Incomplete(Exception):
    """The form is no vote yet; field -> what is wanted there."""

    def __init__(self, wanted: dict[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {told}" for name, told in wanted.items()))
        self.wanted = wanted


def vote_of(form: Form, attempt: str, statement: AnyStatement, shown: Container[int]) -> Vote:
    """The vote that the form holds. Raises Incomplete with all that is missing or wrong."""
    wanted = _answer_wanted(form, statement)
    if not form.rationale.strip():
        wanted["rationale"] = "say why, in one or two sentences"
    if odd := [number for number in form.evidence if number not in shown]:
        wanted["evidence"] = f"no event {odd[0]} is shown"
    also = {}
    for field in statement.ask_also:
        value = form.also.get(field.name, "").strip()
        if field.when != form.answer:
            continue
        if not value and field.required:
            wanted[f"also.{field.name}"] = "choose one" if field.options else "a text is wanted"
        elif value and field.options is not None and value not in field.options:
            wanted[f"also.{field.name}"] = f"use one of {', '.join(field.options)}"
        elif value:
            also[field.name] = value
    wanted |= _error_wanted(form)
    if wanted:
        raise Incomplete(wanted)
    return Vote.model_validate(
        {
            "attempt": attempt,
            "statement": statement.id,
            "answer": form.answer,
            "rationale": form.rationale.strip(),
            "evidence": tuple(sorted(set(form.evidence))),
            "also": also,
            "error_category": form.error_category.strip() or None,
            "severity": form.severity or None,
        }
    )


def ruling_of(form: Form, attempt: str, statement: AnyStatement) -> Ruling:
    """The ruling that the form holds. Raises Incomplete."""
    wanted = _answer_wanted(form, statement)
    if not form.rationale.strip():
        wanted["rationale"] = "give the reason"
    if wanted or form.answer is None:
        raise Incomplete(wanted)
    return Ruling(attempt=attempt, statement=statement.id, answer=form.answer, reason=form.rationale.strip())


def _answer_wanted(form: Form, statement: AnyStatement) -> dict[str, str]:
    answers = (*answers_of(statement), UNCLEAR)
    return {} if form.answer in answers else {"answer": f"choose {', '.join(answers[:-1])} or {answers[-1]}"}


def _error_wanted(form: Form) -> dict[str, str]:
    wanted = {}
    if form.error_category.strip():
        try:
            TypeAdapter(Id).validate_python(form.error_category.strip())
        except ValidationError:
            wanted["error_category"] = "one word: letters, digits, dot, dash and underscore"
    if form.severity and form.severity not in SEVERITIES:
        wanted["severity"] = f"use one of {', '.join(SEVERITIES)}"
    return wanted


def form_of_vote(vote: Vote) -> Form:
    """The form that gave this vote."""
    return Form(
        answer=vote.answer,
        evidence=vote.evidence,
        rationale=vote.rationale,
        also=vote.also,
        error_category=vote.error_category or "",
        severity=vote.severity or "",
    )


def form_of_ruling(ruling: Ruling) -> Form:
    """The form that gave this ruling."""
    return Form(answer=ruling.answer, rationale=ruling.reason)
