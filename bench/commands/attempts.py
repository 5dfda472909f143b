"""``bench attempts``: sessions of one task as its attempts: pass@k and pass^k from the rewards that records carry."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.commands.options import json_option
from bench.measure.passk import CaseAttempts, PassEstimate, mean_pass
from bench.problems import BrokenInput, CannotDecide, Problem, shorten
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.traces.attempts import Grouped, group_attempts
from bench.traces.detect import NAMES, read_sessions
from bench.traces.report import Session
from bench.whole_file import write_whole

SEED = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="tau-bench results, Inspect logs, ...")
    parser.add_argument("--format", metavar="NAME", choices=NAMES, help="overrule the detected format")
    parser.add_argument("--reward", metavar="NAME", help="which recorded label is the reward (default: the only one)")
    parser.add_argument(
        "--at-least", metavar="REWARD", type=float, default=1.0, help="a success from here on (default: 1)"
    )
    parser.add_argument("--trust-broken", action="store_true", help="take the reward of a run that ended in an error")
    parser.add_argument(
        "--rows",
        metavar="OUT.jsonl",
        type=Path,
        help="write every recorded label, one a line: id, group (the task), trial, name, by, verdict (for bench check)",
    )
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    with waiting("reading"):
        sessions = [session for path in args.files for session in read_sessions(path, args.format)]
    if args.rows is not None:
        lines = [json.dumps(row, ensure_ascii=False) for row in _rows(sessions)]
        write_whole(args.rows, "".join(f"{line}\n" for line in lines))
    try:
        grouped = group_attempts(sessions, args.reward, args.trust_broken)
    except ValueError as error:
        fix = "name the reward with --reward, and give each attempt once"
        raise BrokenInput([Problem(str(args.files[0]), None, None, None, str(error), fix)]) from None
    scored = [task for task in grouped.tasks if task.scored]
    if not scored:
        why = "; ".join(f"{shorten(reason, 120)} ({count})" for reason, count in sorted(grouped.unscored.items()))
        fix = "bench judge or bench census take sessions without one"
        raise CannotDecide(f"no attempt at a task carries a reward{': ' + why if why else ''}; {fix}")
    figures = list(_figures(grouped, args.at_least))
    if args.json:
        print_json(_as_json(grouped, figures, len(sessions)))
    else:
        say("\n".join(_lines(grouped, figures, len(sessions))))
    return 0


def _figures(grouped: Grouped, at_least: float) -> Iterator[tuple[int, PassEstimate, PassEstimate]]:
    cases = [CaseAttempts(task.task, task.task, task.scored, task.successes(at_least)) for task in grouped.tasks]
    for k in range(1, max(case.attempts for case in cases) + 1):
        yield k, mean_pass("pass@k", cases, k, SEED), mean_pass("pass^k", cases, k, SEED)


def _lines(grouped: Grouped, figures: list[tuple[int, PassEstimate, PassEstimate]], sessions: int) -> Iterator[str]:
    scored = sum(task.scored for task in grouped.tasks)
    reward = shorten(grouped.reward or "", 60)
    told = f"{counted(len(grouped.tasks), 'task')}, {counted(scored, 'attempt')} with the reward {reward} of "
    told += counted(sessions, "session")
    unscored = "".join(
        f"; {count} without: {shorten(reason, 120)}" for reason, count in sorted(grouped.unscored.items())
    )
    lost = f"; without the name of a task: {grouped.without_task}" if grouped.without_task else ""
    yield wrapped(f"{told}{unscored}{lost}")
    yield ""
    rows = [("k", "pass@k", "pass^k", "tasks", "with fewer attempts")]
    rows += [
        (str(k), at.estimate.cell(3), hat.estimate.cell(3), str(at.cases), str(at.excluded)) for k, at, hat in figures
    ]
    yield columns(rows)
    yield ""
    yield wrapped("From recorded rewards; no judge was asked. Tasks are the unit of the 95 % intervals.")


def _as_json(grouped: Grouped, figures: list[tuple[int, PassEstimate, PassEstimate]], sessions: int) -> dict[str, Any]:
    return {
        "format": 1,
        "exit_code": 0,
        "reward": grouped.reward,
        "sessions": sessions,
        "without_task": grouped.without_task,
        "unscored": dict(sorted(grouped.unscored.items())),
        "tasks": [{"task": task.task, "attempts": [asdict(one) for one in task.attempts]} for task in grouped.tasks],
        "pass": [{"k": k, "pass@k": asdict(at), "pass^k": asdict(hat)} for k, at, hat in figures],
    }


def _rows(sessions: Iterable[Session]) -> Iterator[dict[str, Any]]:
    for number, session in enumerate(sessions, 1):
        for label in session.recorded:
            yield {
                "id": f"{session.id or number}/{label.name}",
                "group": session.task or session.id or str(number),
                "trial": session.trial,
                "name": label.name,
                "by": label.by,
                "verdict": label.answer,
                "evidence": list(label.evidence),
            }
