"""Pages about commands: their options, read from the parsers, and exit codes.

argparse's own help depends on the terminal and on the version of Python, so the words are taken from its actions.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from pathlib import Path

from reference_text import code, page, table

from bench import cli

# Commands whose exit code is an answer of its own.
CODES = {
    "gate": ("promote", "discard", "review, or refused", "broken input"),
    "compare": ("no change, or not worse", "worse", "cannot tell", "broken input"),
    "drift": ("no drift seen", "an alarm", "cannot decide", "broken input"),
    "diff": ("no change", "changed", "", "broken input"),
    "lint": ("no problem", "", "", "problems, or broken input"),
    "calibrate": (
        "everything that was asked for is proved",
        "",
        "refused, or not everything is proved",
        "broken input",
    ),
    "fetch": ("all there", "", "something is missing", "broken input"),
}
GENERAL = (
    (cli.MET, "met: what was asked for is done, or holds"),
    (cli.NOT_MET, "not met: it was decided, and the answer is no"),
    (
        cli.CANNOT_DECIDE,
        "could not decide: too few labels, nothing scored, one class only, coverage under its floor",
    ),
    (cli.BROKEN, "broken input, configuration or usage, or a crash; nothing was changed"),
    (cli.INTERRUPTED, "interrupted; what was judged is stored, and the same command goes on from there"),
    (cli.READER_GONE, "the reader of a pipe has gone (`bench ... | head`)"),
)


def parser_of(name: str) -> argparse.ArgumentParser:
    """The parser of a command, as the command line makes it."""
    parser = argparse.ArgumentParser(prog=f"bench {name}", add_help=False)
    importlib.import_module(f"bench.commands.{cli._MODULES.get(name, name)}").add_arguments(parser)
    return parser


def commands() -> str:
    """Every command with its options."""
    told = "Every command of `bench`, with its options. `-h` and `--help` print the same in a terminal."
    rows = (
        (f"[{code(name)}](#bench-{name})" if name else f"**{title}**", meaning)
        for title, group in cli.GROUPS.items()
        for name, meaning in [("", ""), *group.items()]
    )
    listing = table(("command", "what it does"), rows)
    return page("Commands", told, [listing, *(_command(name) for name in cli.COMMANDS)])


def exit_codes() -> str:
    """What the exit codes mean."""
    general = table(("code", "meaning"), ((str(number), told) for number, told in GENERAL))
    own = table(("command", "0", "1", "2", "3"), ((f"bench {name}", *told) for name, told in CODES.items()))
    parts = [
        general,
        "Where several hold, 3 comes before 1, 1 before 2, and 2 before 0. What is printed, the JSON and the JUnit file agree\n"
        "with the code. make turns every failure into its own 2; the code of bench is printed before.",
        "## Commands whose code is an answer",
        own,
    ]
    return page("Exit codes", "What a command says when it ends.", parts)


def _command(name: str) -> str:
    parser = parser_of(name)
    actions = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    places = [action for action in actions if not action.option_strings]
    usage = " ".join([f"bench {name}", *(["[options]"] if len(places) < len(actions) else []), *map(_place, places)])
    parts = [f"## bench {name}", f"{cli.COMMANDS[name][0].upper()}{cli.COMMANDS[name][1:]}.", f"    {usage}"]
    if actions:
        parts.append(table(("argument", "meaning"), _rows(parser)))
    return "\n\n".join(parts)


def _rows(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for group in parser._action_groups:
        shown = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        own = group.title not in ("positional arguments", "options", "optional arguments")
        if own and shown:
            yield f"*{group.title}*", ""
        for action in shown:
            yield _argument(action), _meaning(action, parser.prog)


def _argument(action: argparse.Action) -> str:
    value = _value(action)
    if not action.option_strings:
        return code(value or action.dest)
    return code(", ".join(action.option_strings) + (f" {value}" if value else ""))


def _value(action: argparse.Action) -> str:
    """What stands for the value: nothing for a switch."""
    if action.nargs == 0:
        return ""
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar is not None:
        return action.metavar
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper() if action.option_strings else action.dest


def _place(action: argparse.Action) -> str:
    value = _value(action)
    shapes = {"?": f"[{value}]", "*": f"[{value} ...]", "+": f"{value} [{value} ...]"}
    return shapes.get(str(action.nargs), value)


def _meaning(action: argparse.Action, prog: str) -> str:
    told = (action.help or "") % {**vars(action), "prog": prog}
    choices = ", ".join(map(str, action.choices)) if action.choices is not None and action.metavar is not None else ""
    parts = [
        told,
        f"one of {choices}" if choices else "",
        "needed" if action.option_strings and action.required else "",
    ]
    if isinstance(action, argparse._AppendAction):
        parts.append("may be given several times")
    if "default" not in told and action.nargs != 0 and action.default not in (None, [], ()):
        default = action.default.as_posix() if isinstance(action.default, Path) else action.default
        parts.append(f"default: {default}")
    return "; ".join(part for part in parts if part)
