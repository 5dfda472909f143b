"""``bench train``: fit a head, the small judge of one statement, on the development split."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import JsonValue

from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.judges.head.judge import CITED
from bench.measure.estimate import Estimate
from bench.problems import BrokenInput, Problem
from bench.report.jsonable import Json, estimate_json
from bench.report.text import columns
from bench.training.curve import CHOOSES_NOTHING, Step, inside_development, over_all_splits
from bench.training.figures import CERTIFIES_NOTHING, Line
from bench.training.material import SPLIT, development_material
from bench.training.train import Trained, train
from bench.whole_file import write_whole
from bench.workspace import load, session_folders

FORMAT = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument("--statement", metavar="ID", required=True, help="the yes / no statement to answer")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="where the head goes (default: heads/STATEMENT.json in the suite)"
    )
    parser.add_argument(
        "--learning-curve",
        action="store_true",
        help="say what fewer and more labels give instead of writing a head (reads the labels of every split)",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(args: argparse.Namespace) -> int:
    if args.learning_curve and args.out is not None:
        fix = "run it without --learning-curve to write the head"
        raise BrokenInput([Problem("command line", None, None, "--out", "given with --learning-curve", fix)])
    layout = find_suite(args.suite)
    suite, labels = load(layout)
    folders = session_folders(layout, args.sessions)
    material = development_material(suite, labels, folders, args.statement)
    trained = train(material)
    chosen = trained.head.training.chosen
    if args.learning_curve:
        inside = inside_development(material, chosen)
        beyond = over_all_splits(suite, labels, folders, args.statement, chosen)
        told = _curve_json(chosen, inside, beyond)
        print(_dumped(told) if args.json else "\n".join(_curve_text(chosen, inside, beyond)))
        return 0
    path = args.out or layout.suite / "heads" / f"{args.statement}.json"
    write_whole(path, head_text(trained))
    shown = layout.shown(path)
    print(_dumped(_as_json(trained, shown)) if args.json else "\n".join(_text(trained, shown)))
    return 0


def head_text(trained: Trained) -> str:
    """The file of the head: JSON, one entry a line."""
    return _dumped(trained.head.model_dump(mode="json", by_alias=True, exclude_none=True)) + "\n"


def _dumped(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)


def _text(trained: Trained, path: str) -> Iterator[str]:
    made, head = trained.head.training, trained.head
    yield f"{head.name}: trained on {SPLIT} of {made.suite}, {made.attempts} attempts in {made.families} families"
    yield f"columns are fitted on the {made.primary} attempts of the primary strata ({made.primary_yes} labelled yes)"
    yield f"\n{CERTIFIES_NOTHING}; yes means p >= .5"
    yield _table((trained.nested, *trained.candidates, *trained.controls))
    yield f"\nchosen: {made.chosen}\nchosen without the held-out fold:"
    for name, times in trained.picks:
        yield f"  {times:>3} x  {name}"
    yield f"calibration: {head.calibration.kind}; cross-validated gains in log loss:"
    for kind, (gain, error) in trained.calibrated.gains.items():
        yield f"  {kind:<11} {gain:+.4f}, standard error {error:.4f}"
    told = trained.citations
    yield f"attempts labelled yes where one of the {CITED} events cited is an annotator's:"
    yield f"  {_cell(told.hit)}, at random {_cell(told.by_chance)}, of {told.hit.families} families"
    yield f"wrote {path}"


def _table(lines: Sequence[Line], first: str = "candidate") -> str:
    head = (first, "AUROC", "log loss", "balanced acc.")
    return columns([head, *((e.name, *(_cell(x) for x in _figures(e).values())) for e in lines)])


def _cell(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else estimate.cell().replace(" too few", "*")


def _figures(line: Line) -> dict[str, Estimate]:
    return {"auroc": line.auroc, "log_loss": line.log_loss, "balanced_accuracy": line.balanced_accuracy}


def _line_json(line: Line) -> Json:
    return {"name": line.name, **{name: estimate_json(value) for name, value in _figures(line).items()}}


def _as_json(trained: Trained, path: str) -> Json:
    picks: list[JsonValue] = [{"name": name, "times": times} for name, times in trained.picks]
    gains: Json = {
        kind: {"gain": gain, "standard_error": error} for kind, (gain, error) in trained.calibrated.gains.items()
    }
    return {
        "format": FORMAT,
        "exit_code": 0,
        "note": CERTIFIES_NOTHING,
        "file": path,
        "training": trained.head.training.model_dump(mode="json"),
        "calibration": {**trained.head.calibration.model_dump(mode="json"), "gains": gains},
        "nested": _line_json(trained.nested),
        "picks": picks,
        "citations": {
            "events": CITED,
            "hit": estimate_json(trained.citations.hit),
            "by_chance": estimate_json(trained.citations.by_chance),
        },
        "candidates": [_line_json(line) for line in trained.candidates],
        "controls": [_line_json(line) for line in trained.controls],
    }


def _curve_text(chosen: str, inside: Sequence[Step], beyond: Sequence[Step]) -> Iterator[str]:
    yield f"learning curve of: {chosen}"
    for note, steps in ((CERTIFIES_NOTHING, inside), (CHOOSES_NOTHING, beyond)):
        yield f"\n{note}"
        head = ("trained on", "primary attempts", "AUROC", "log loss", "balanced acc.")
        cells = ((s.line.name, f"{s.trained_on:.0f}", *(_cell(e) for e in _figures(s.line).values())) for s in steps)
        yield columns([head, *cells])


def _curve_json(chosen: str, inside: Sequence[Step], beyond: Sequence[Step]) -> Json:
    def told(note: str, steps: Sequence[Step]) -> Json:
        return {"note": note, "steps": [{"trained_on": s.trained_on, **_line_json(s.line)} for s in steps]}

    return {
        "format": FORMAT,
        "exit_code": 0,
        "chosen": chosen,
        "inside_development": told(CERTIFIES_NOTHING, inside),
        "over_all_splits": told(CHOOSES_NOTHING, beyond),
    }
