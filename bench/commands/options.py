"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

from bench.running.suite import LIVE_SECONDS, Telling
from bench.workspace import Selection


def suite_option(parser: argparse.ArgumentParser) -> None:
    """The suite, by name or path."""
    parser.add_argument(
        "--suite", metavar="NAME", help="suite folder, or its name under ./cases (default: the only one)"
    )


def sessions_option(parser: argparse.ArgumentParser) -> None:
    """Folders of recorded sessions."""
    parser.add_argument(
        "--sessions",
        metavar="FOLDER",
        type=Path,
        action="append",
        default=[],
        help="folder with referenced sessions, found by digest (also BENCH_SESSIONS and ./.sessions)",
    )


def json_option(parser: argparse.ArgumentParser) -> None:
    """One JSON document on stdout instead of the text, with the exit code in it."""
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def page_options(parser: argparse.ArgumentParser) -> None:
    """A local page instead of the terminal."""
    parser.add_argument("--web", action="store_true", help="on a local page (needs the extra `web`); Ctrl-C ends it")
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="with --web: the port (default: a free one)")
    parser.add_argument("--open", action="store_true", help="with --web: open the page in a browser")
    parser.add_argument(
        "--json", action="store_true", help="print a summary as JSON at the end; the rest goes to stderr"
    )


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return value


def selection_options(parser: argparse.ArgumentParser) -> None:
    """Parts of a suite; names may be globs."""
    parser.add_argument("--case", metavar="ID", action="append", default=[], help="only these cases")
    parser.add_argument("--stratum", metavar="ID", action="append", default=[], help="only these strata")
    parser.add_argument("--judge", metavar="NAME", action="append", default=[], help="only these judges")


def selection_of(args: argparse.Namespace) -> Selection:
    return Selection(tuple(args.case), tuple(args.stratum), tuple(args.judge))


def live_options(parser: argparse.ArgumentParser) -> None:
    """How long missing verdicts may be asked for."""
    parser.add_argument(
        "--judge-missing",
        action="store_true",
        help=f"judge everything that is missing (default: at most {LIVE_SECONDS:.0f} seconds)",
    )
    parser.add_argument("--redo-unscored", action="store_true", help="ask again where a judge gave no verdict")
    parser.add_argument(
        "--budget",
        metavar="USD",
        type=_dollars,
        help="spend at most so much; a judge of unknown price is not asked then",
    )


def _dollars(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of dollars")
    return value


def live_seconds_of(args: argparse.Namespace) -> float | None:
    return None if args.judge_missing else LIVE_SECONDS


def progress(unit: str = "verdict") -> Telling:
    """A bar on the terminal with rate and time left, shown once a step takes over a second. Unit B counts bytes."""
    return Telling(lambda name, total: _bar(name, total, unit))


def _bar(name: str, total: int, unit: str) -> Callable[[int], None]:
    from tqdm import tqdm  # loaded when something is judged

    bar = tqdm(
        total=total, desc=name, unit=unit, unit_scale=unit == "B", delay=1.0, leave=False, file=sys.stderr, disable=None
    )

    def step(count: int) -> None:
        bar.update(count)
        if bar.n >= total:
            bar.close()

    return step
