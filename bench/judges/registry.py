"""Every judge by name: built in, a rule file by path, or a class by module:name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bench.judges.anchors import AnchorsJudge
from bench.judges.beacon_rules import load_rule_file
from bench.judges.contract import Judge
from bench.judges.controls import AtLeast, Constant, prior
from bench.judges.exact import ExactJudge
from bench.judges.head.judge import make_head
from bench.judges.own import load_own
from bench.judges.parameters import Parameters
from bench.judges.rules import RULE_FOLDER, load_rule
from bench.problems import BrokenInput, Problem
from bench.terminal.words import one_of


def make_judge(name: str, parameters: Mapping[str, str], base: Path) -> Judge:
    """The judge of that name. A rule file is looked for from ``base``. Raises BrokenInput that lists the names."""
    given = Parameters(name, parameters)
    judge = _made(name, given, base)
    given.finish()
    return judge


def _made(name: str, given: Parameters, base: Path) -> Judge:
    if name in _BUILT_IN:
        return _BUILT_IN[name](given)
    if name == "head":
        return make_head(given, base)
    if name.startswith("rule:"):
        return _built_in_rule(name)
    if name.endswith(".rule.yaml"):
        return load_rule_file(base / name)
    if ":" in name:
        return load_own(name)
    raise _unknown(name, f"no judge {name!r}")


def names() -> tuple[str, ...]:
    """The names of the built-in judges."""
    return (
        *_BUILT_IN,
        "head",
        *(f"rule:{path.name.removesuffix('.rule.yaml')}" for path in sorted(RULE_FOLDER.glob("*.rule.yaml"))),
    )


def _llm(given: Parameters) -> Judge:
    from bench.judges.llm.judge import make_llm  # a gate with a rule does not wait for it

    return make_llm(given)


def _decision(given: Parameters) -> Judge:
    from bench.judges.decision.make import make_decision

    return make_decision(given)


_BUILT_IN: dict[str, Callable[[Parameters], Judge]] = {
    "always-yes": lambda _: Constant("always-yes", "yes"),
    "always-no": lambda _: Constant("always-no", "no"),
    "prior": lambda given: prior(given.number("p", 0, 1)),
    "length": lambda given: AtLeast("length", "events", given.whole("at_least")),
    "prompts": lambda given: AtLeast("prompts", "prompts", given.whole("at_least")),
    "exact": lambda _: ExactJudge(),
    "anchors": lambda _: AnchorsJudge(),
    "llm": _llm,
    "decision": _decision,
}


def _built_in_rule(name: str) -> Judge:
    rule = name.removeprefix("rule:")
    if name not in names():
        raise _unknown(name, f"no built-in rule {rule!r}")
    return load_rule(RULE_FOLDER / f"{rule}.rule.yaml")


def _unknown(name: str, found: str, fix: str | None = None) -> BrokenInput:
    known = f"{one_of(name, names())} (bench judges lists all; or a path that ends in .rule.yaml, or module:Class)"
    return BrokenInput([Problem(name, None, None, "judge", found, fix or known)])
