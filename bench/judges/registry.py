"""Every judge by name: built in, a rule file by path, or a class by module:name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bench.judges.anchors import AnchorsJudge
from bench.judges.contract import Judge
from bench.judges.controls import AtLeast, Constant, prior
from bench.judges.exact import ExactJudge
from bench.judges.own import load_own
from bench.judges.rules import RULE_FOLDER, load_rule
from bench.problems import BrokenInput, Problem

Parameters = Mapping[str, str]


def make_judge(name: str, parameters: Parameters, base: Path) -> Judge:
    """The judge of that name. A rule file is looked for from ``base``. Raises BrokenInput that lists the names."""
    if name in _BUILT_IN:
        maker, wanted = _BUILT_IN[name]
        _check_parameters(name, parameters, wanted)
        return maker(parameters)
    _check_parameters(name, parameters, ())
    if name.startswith("rule:"):
        return _built_in_rule(name)
    if name.endswith(".rule.yaml"):
        return load_rule(base / name)
    if ":" in name:
        return load_own(name)
    raise _unknown(name, f"no judge {name!r}")


def names() -> tuple[str, ...]:
    """The names of the built-in judges."""
    return (
        *_BUILT_IN,
        *(f"rule:{path.name.removesuffix('.rule.yaml')}" for path in sorted(RULE_FOLDER.glob("*.rule.yaml"))),
    )


def _whole(parameters: Parameters, name: str) -> int:
    text = parameters[name]
    if not text.isdecimal():
        raise BrokenInput([Problem("suite.yaml", None, None, f"parameters.{name}", repr(text), "give a whole number")])
    return int(text)


def _share(parameters: Parameters, name: str) -> float:
    try:
        value = float(parameters[name])
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        found, fix = repr(parameters[name]), "give a share between 0 and 1"
        raise BrokenInput([Problem("suite.yaml", None, None, f"parameters.{name}", found, fix)])
    return value


_BUILT_IN: dict[str, tuple[Callable[[Parameters], Judge], tuple[str, ...]]] = {
    "always-yes": (lambda _: Constant("always-yes", "yes"), ()),
    "always-no": (lambda _: Constant("always-no", "no"), ()),
    "prior": (lambda p: prior(_share(p, "p")), ("p",)),
    "length": (lambda p: AtLeast("length", "events", _whole(p, "at_least")), ("at_least",)),
    "prompts": (lambda p: AtLeast("prompts", "prompts", _whole(p, "at_least")), ("at_least",)),
    "exact": (lambda _: ExactJudge(), ()),
    "anchors": (lambda _: AnchorsJudge(), ()),
}


def _check_parameters(name: str, parameters: Parameters, wanted: tuple[str, ...]) -> None:
    for missing in sorted(set(wanted) - set(parameters)):
        raise _unknown(name, f"the judge {name} without its parameter {missing}", f"add parameters: {{{missing}: ...}}")
    for extra in sorted(set(parameters) - set(wanted)):
        raise _unknown(name, f"the judge {name} with the parameter {extra}", f"it takes {', '.join(wanted) or 'none'}")


def _built_in_rule(name: str) -> Judge:
    rule = name.removeprefix("rule:")
    if name not in names():
        raise _unknown(name, f"no built-in rule {rule!r}")
    return load_rule(RULE_FOLDER / f"{rule}.rule.yaml")


def _unknown(name: str, found: str, fix: str | None = None) -> BrokenInput:
    known = f"use one of {', '.join(names())}, a path that ends in .rule.yaml, or module:Class"
    return BrokenInput([Problem(name, None, None, "judge", found, fix or known)])
