"""Pages about judges, their parameters and presets; reasons for no verdict; and formats of sessions."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import get_args

from reference_text import code, page, plain, table

from bench.judges import anchors, controls, exact, registry
from bench.judges.contract import Part, Reason
from bench.judges.decision import make as decision
from bench.judges.head import judge as head
from bench.judges.llm import judge as llm
from bench.judges.llm import settings as llm_settings
from bench.judges.rules import _COUNTED, _EVENTS_SO_FAR, RULE_FOLDER, load_rule
from bench.projection.presets import PRESETS
from bench.traces.detect import NAMES, READERS, reader_of
from bench.traces.formats import FORMATS

SAID = {
    "always-yes": "Says yes. A control.",
    "always-no": "Says no. A control.",
    "prior": "Gives one probability to every session, the share of yes on development. A control.",
    "length": "Says yes from so many events on. A control.",
    "prompts": "Says yes from so many typed prompts on. A control.",
    "exact": inspect.getdoc(exact) or "",
    "anchors": inspect.getdoc(anchors) or "",
    "llm": inspect.getdoc(llm) or "",
    "decision": "A decision model: the bundled weights, or a server of `/v1/systemone` and its like.",
    "head": inspect.getdoc(head) or "",
}
ASKED_IN: dict[str, tuple[ModuleType, ...]] = {"llm": (llm_settings, llm), "decision": (decision,), "head": (head,)}
PARAMETERS = {
    "p": "the probability",
    "at_least": "from how many on",
    "provider": "whose interface is spoken",
    "mode": "how the answer is asked for",
    "model": "which model; a fixed version, no alias",
    "template": "the words around the statement",
    "temperature": "of sampling; `none` sends none",
    "top_p": "of sampling",
    "max_tokens": "how long an answer may be",
    "reasoning_effort": "for models that reason by words such as low and high",
    "reasoning_budget": "tokens for reasoning",
    "base_url": "where the server is; keys and addresses are no part of a judge's identity",
    "key_variable": "the environment variable that holds the key",
    "key_env": "the environment variable that holds the key",
    "prompt_cache": "keep what prompts share",
    "path": "the file of weights",
    "dialect": "which interface the server speaks",
    "concurrency": "calls at once",
    "per_minute": "calls a minute at most",
    "seconds": "for one call, everything included",
    "retries": "further tries after the first",
    "price_in": "dollars for a million tokens in; an unknown price is unknown, not 0",
    "price_out": "dollars for a million tokens out",
}
REASONS = {
    "refused": "the model declined to answer",
    "truncated": "the answer was cut at its limit",
    "unparsed": "the answer is there and cannot be read as one",
    "out_of_range": "a number outside of what it may be",
    "timeout": "no answer within the time of one call, further tries included",
    "rate_limited": "the server kept asking to wait",
    "too_long": "what was to be shown does not fit the model",
    "missing_answer": "a reply without an answer to this statement",
    "tied": "samples or members of a panel were split evenly",
    "abstained": "the judge says that it cannot tell",
    "not_applicable": "the question does not fit: another type of statement, or a record without the results it needs",
    "budget": "the money for this run was spent",
    "unavailable": "the server or its model was not there",
    "error": "anything else; the detail says what",
}
FIRST_ASKED = ("text", "optional", "one_of", "whole", "number")


def judges() -> str:
    """Every judge that has a name, its parameters, and what it may be shown."""
    rules = {
        f"rule:{path.name.removesuffix('.rule.yaml')}": load_rule(path).rule for path in sorted(RULE_FOLDER.glob("*"))
    }
    said = {**SAID, **{name: f"{rule.title}. {rule.description}" for name, rule in rules.items()}}
    listing = table(("judge", "what it does"), ((code(name), plain(said[name])) for name in registry.names()))
    asked = [
        f"### {name}\n\n" + table(("parameter", "value", "default", "meaning"), rows)
        for name in registry.names()
        if (rows := list(parameters_of(name)))
    ]
    presets = table(
        ("preset", "what a judge is shown"), ((code(one.label), plain(one.meaning)) for one in PRESETS.values())
    )
    parts = [
        listing,
        plain(controls.__doc__ or ""),
        "`NAME.rule.yaml` is a rule of yours, `module:Class` a class of yours: [add a judge](../adding-a-judge.md).",
        "## Parameters",
        "Texts under `parameters` in `suite.yaml`, or with `--parameter`. One that the judge does not take is an error.",
        *asked,
        "## What a rule sees",
        "`e` is an event, with its fields and `e.denied`. `s` is the session before it. Counts: "
        + ", ".join(code(f"s.{one}") for one in _COUNTED)
        + ". The last event of a kind: "
        + ", ".join(code(f"s.{one}") for one in _EVENTS_SO_FAR)
        + ".",
        "## Presets",
        "What a judge is shown of a session. It may also receive "
        + ", ".join(code(one) for one in get_args(Part)[1:])
        + ".",
        presets,
    ]
    return page("Judges", "Judges that are there, by the name that a suite and `--judge` use.", parts)


def reasons() -> str:
    """Why there is no verdict."""
    parts = [
        table(("reason", "meaning"), ((code(one), REASONS[one]) for one in get_args(Reason))),
        "They are counted by reason, lower the coverage, and are never a no. `bench run --redo-unscored` asks again.",
    ]
    return page("Reasons for no verdict", "A judge answers, or says why not.", parts)


def sessions() -> str:
    """The formats of recorded sessions."""
    told = {name: inspect.getdoc(sys.modules[reader.__module__]) or "" for name, reader in READERS.items()}
    told |= {one.name: inspect.getdoc(sys.modules[one.read.__module__]) or "" for one in FORMATS}
    rows = ((code(name), code(reader_of(name)), plain(told[name].split("\n\n")[0])) for name in sorted(NAMES))
    parts = [
        table(("format", "reader", "what it reads"), rows),
        "A reader's version is raised when its events change. [What each format cannot tell](../importing.md#formats).",
    ]
    return page("Formats of sessions", "Told from a file's content, never from its name; `--format` overrules.", parts)


def parameters_of(judge: str) -> Iterator[tuple[str, str, str, str]]:
    """Name, value, default and meaning of what a judge's maker asks for, read from its code."""
    seen = set()
    for module, tree in _makers(judge):
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            found = _asked(call)
            if found is not None and found[1] not in seen:
                seen.add(found[1])
                kind, name = found
                yield code(name), _value(kind, call, module), _default(kind, call, module), PARAMETERS[name]


def _makers(judge: str) -> Iterator[tuple[ModuleType, ast.AST]]:
    for module in ASKED_IN.get(judge, ()):
        yield module, ast.parse(inspect.getsource(module))
    if judge in registry._BUILT_IN and judge not in ASKED_IN:
        for node in ast.walk(ast.parse(inspect.getsource(registry))):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == judge:
                        yield registry, value


def _asked(call: ast.Call) -> tuple[str, str] | None:
    """How a parameter is asked for, and its name."""
    told = ast.unparse(call.func)
    names = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if names and told.startswith("given.") and told.removeprefix("given.") in FIRST_ASKED:
        return told.removeprefix("given."), names[0]
    if names and told in ("_number_or_none", "_whole_or_none"):
        return {"_number_or_none": "number", "_whole_or_none": "whole"}[told] + " or none", names[0]
    return None


def _value(kind: str, call: ast.Call, module: ModuleType) -> str:
    if kind == "one_of":
        options = _known(call.args[1], module)
        return ", ".join(map(str, options)) if isinstance(options, tuple) else "by provider"
    words = {"text": "text", "optional": "text", "whole": "whole number", "number": "number"}
    return words[kind.removesuffix(" or none")]


def _default(kind: str, call: ast.Call, module: ModuleType) -> str:
    if kind == "optional" or kind.endswith("none"):
        return ""
    place = {"text": 1, "one_of": 2, "whole": 1, "number": 3}[kind]
    given = call.args[place] if len(call.args) > place else None
    if given is None:
        return "needed"
    value = _known(given, module)
    return code(str(value)) if isinstance(value, str | int | float) else "by provider"


def _known(node: ast.expr, module: ModuleType) -> object:
    """The value of an expression of constants; None where it depends on what is given."""
    try:
        return eval(ast.unparse(node), dict(vars(module)))
    except NameError:
        return None
