"""Judges by name: built in, by path, by module; and what a wrong name is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.judges.registry import make_judge, names
from bench.judges.rules import RULE_FOLDER
from bench.problems import BrokenInput

MODELS = ("decision", "head", "llm")  # named after their model
PARAMETERS = {"prior": {"p": "0.4"}, "length": {"at_least": "3"}, "prompts": {"at_least": "2"}}


@pytest.mark.parametrize("name", [name for name in names() if name not in MODELS])
def test_every_name_makes_a_judge_of_that_name(name: str, tmp_path: Path) -> None:
    assert make_judge(name, PARAMETERS.get(name, {}), tmp_path).name == name


def test_names_are_unique_and_hold_every_shipped_rule() -> None:
    assert len(set(names())) == len(names())
    shipped = {f"rule:{path.name.removesuffix('.rule.yaml')}" for path in RULE_FOLDER.glob("*.rule.yaml")}
    assert shipped == {name for name in names() if name.startswith("rule:")}


@pytest.mark.parametrize(
    ("name", "parameters", "told"),
    [
        ("always-maybe", {}, "no judge 'always-maybe'"),
        ("", {}, "no judge ''"),
        ("Exact", {}, "did you mean exact?"),
        ("rule:nope", {}, "no built-in rule 'nope'"),
        ("rule:../rules/refused-call", {}, "no built-in rule"),
        ("rule:", {}, "no built-in rule ''"),
        ("nope.rule.yaml", {}, "cannot be read"),
        ("prior", {}, "without its parameter p"),
        ("prior", {"p": "1.2"}, "a number from 0 to 1"),
        ("prior", {"p": "-0.1"}, "a number from 0 to 1"),
        ("prior", {"p": "nan"}, "a number from 0 to 1"),
        ("prior", {"p": "half"}, "a number from 0 to 1"),
        ("length", {"at_least": "-1"}, "give a whole number"),
        ("length", {"at_least": "3.5"}, "give a whole number"),
        ("length", {"at_least": "³"}, "give a whole number"),
        ("length", {"at_least": "3", "most": "5"}, "with the parameter most"),
        ("exact", {"p": "1"}, "it takes none"),
        ("rule:refused-call", {"p": "1"}, "it takes none"),
    ],
)
def test_a_wrong_name_or_parameter(name: str, parameters: dict[str, str], told: str, tmp_path: Path) -> None:
    with pytest.raises(BrokenInput) as caught:
        make_judge(name, parameters, tmp_path)
    assert told in str(caught.value)
    assert "to mend: " in str(caught.value)


def test_a_rule_file_is_found_from_the_base(tmp_path: Path) -> None:
    shutil.copy(RULE_FOLDER / "refused-call.rule.yaml", tmp_path / "mine.rule.yaml")
    assert make_judge("mine.rule.yaml", {}, tmp_path).name == "rule:refused-call"
    assert make_judge(str(tmp_path / "mine.rule.yaml"), {}, Path("/nowhere")).name == "rule:refused-call"
