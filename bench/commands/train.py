"""``bench train``: fit a head, the small judge of one statement, on the development split."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import JsonValue

from bench.cases.layout import find_suite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.judges.head.judge import CITED
from bench.measure.estimate import Estimate
from bench.problems import BrokenInput, Problem
from bench.report.jsonable import Json, estimate_json
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
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
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    if args.learning_curve and args.out is not None:
        fix = "run it without --learning-curve to write the head"
        raise BrokenInput([Problem("command line", None, None, "--out", "given with --learning-curve", fix)])
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite, labels = load(layout)
    folders = session_folders(layout, args.sessions)
    with waiting("training"):
        material = development_material(suite, labels, folders, args.statement)
        trained = train(material)
    chosen = trained.head.training.chosen
    if args.learning_curve:
        with waiting("training on parts"):
            inside = inside_development(material, chosen)
            beyond = over_all_splits(suite, labels, folders, args.statement, chosen)
        if args.json:
            print_json(_curve_json(chosen, inside, beyond))
        else:
            say("\n".join(_curve_text(chosen, inside, beyond)))
        return 0
    path = args.out or layout.suite / "heads" / f"{args.statement}.json"
    write_whole(path, head_text(trained))
    shown = layout.shown(path)
    if args.json:
        print_json(_as_json(trained, shown))
    else:
        say("\n".join(_text(trained, shown)))
        say("next: seat it in suite.yaml (judge: head), then bench run")
    return 0


def head_text(trained: Trained) -> str:
    """The file of the head: JSON, one entry a line."""
    return _dumped(trained.head.model_dump(mode="json", by_alias=True, exclude_none=True)) + "\n"


def _dumped(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)


def _text(trained: Trained, path: str) -> Iterator[str]:
    made, head = trained.head.training, trained.head
    size = f"{counted(made.attempts, 'attempt')} in {counted(made.families, 'family')}"
    yield wrapped(f"{head.name}: trained on {SPLIT} of {made.suite}, {size}")
    primary = f"{counted(made.primary, 'attempt')} of the primary strata ({made.primary_yes} labelled yes)"
    yield wrapped(f"columns are fitted on the {primary}")
    yield ""
    yield wrapped(f"{CERTIFIES_NOTHING}; yes means p >= .5")
    yield _table((trained.nested, *trained.candidates, *trained.controls))
    yield ""
    yield wrapped(f"chosen: {made.chosen}")
    yield columns([("chosen without the held-out fold", "times"), *((name, str(n)) for name, n in trained.picks)])
    yield ""
    yield wrapped(f"calibration: {head.calibration.kind}; cross-validated gains in log loss:")
    gains = trained.calibrated.gains.items()
    yield columns([("map", "gain", "standard error"), *((k, f"{g:+.4f}", f"{e:.4f}") for k, (g, e) in gains)])
    yield ""
    told = trained.citations
    yield wrapped(f"attempts labelled yes where one of the {CITED} events cited is an annotator's:")
    shares = f"{_cell(told.hit)}, at random {_cell(told.by_chance)}, of {counted(told.hit.families, 'family')}"
    yield wrapped(shares, "  ")
    yield wrapped(f"wrote {path}")


def _table(lines: Sequence[Line], first: str = "candidate") -> str:
    head = (first, "AUROC", "log loss", "balanced accuracy")
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
        yield ""
        yield wrapped(note)
        head = ("trained on", "primary attempts", "AUROC", "log loss", "balanced accuracy")
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
