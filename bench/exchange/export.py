"""Write a suite, with its labels or without, as Parquet files that ``datasets.load_dataset`` opens."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from bench.cases.load import LoadedSuite
from bench.exchange.card import Config, card_text
from bench.exchange.columns import ATTEMPTS, ITEM_LABELS, ITEMS, NOTES, SUITE, SUITE_LABELS, UNSPLIT, VOTES, Column
from bench.exchange.label_files import LabelFiles
from bench.exchange.parquet import write_rows
from bench.exchange.rows import Part, Rows, attempt_rows, item_rows, note_rows, suite_row, vote_rows
from bench.measure.signature import data_digest, labels_digest
from bench.problems import BrokenInput, CannotDecide, Problem

SPLITS = ("development", "calibration", "test")


@dataclass(frozen=True)
class Exported:
    """What was written."""

    configs: tuple[Config, ...]
    cases: int
    digests: dict[str, str]


def export_suite(suite: LoadedSuite, splits: tuple[str, ...], files: LabelFiles | None, target: Path) -> Exported:
    """Write everything into the new folder ``target``, or nothing. ``files`` None withholds all that comes from labels."""
    part = Part(suite, splits or ((UNSPLIT,) if suite.splits is None else SPLITS), files)
    cases = part.cases()
    if not cases:
        raise CannotDecide(
            f"no case of {suite.suite.id} is in the split {' or '.join(part.splits)}; bench split deals families out"
        )
    _refuse_full_folder(target)
    digests = {} if splits else {"data": data_digest(suite)}
    if files is not None and not splits:
        digests["labels"] = labels_digest(files.labels)
    draft = target.with_name(f".{target.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        configs = _write(part, draft)
        text = card_text(suite.suite, configs, digests, labelled=files is not None)
        (draft / "README.md").write_text(text, encoding="utf-8", newline="\n")
        if target.is_dir():
            target.rmdir()
        draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Exported(configs, len(cases), digests)


def _write(part: Part, folder: Path) -> tuple[Config, ...]:
    labelled = part.files is not None
    tables: list[tuple[str, tuple[Column, ...], Rows]] = [
        ("items", ITEMS + (ITEM_LABELS if labelled else ()), item_rows(part)),
        ("attempts", ATTEMPTS, attempt_rows(part)),
        ("votes", VOTES, vote_rows(part)),
        ("notes", NOTES, note_rows(part)),
        ("suite", SUITE + (SUITE_LABELS if labelled else ()), {"suite": [suite_row(part)]}),
    ]
    configs = []
    for name, columns, by_split in tables:
        order = sorted(by_split, key=lambda split: SPLITS.index(split) if split in SPLITS else 0)
        for split in order:
            write_rows(folder / name / f"{split}.parquet", columns, by_split[split])
        if order:
            configs.append(Config(name, columns, {split: len(by_split[split]) for split in order}))
    return tuple(configs)


def _refuse_full_folder(target: Path) -> None:
    """Files of an earlier export would stand beside the new ones, and could hold the labels that are withheld now."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        fix = "name a new or an empty folder, or remove this one"
        raise BrokenInput([Problem(str(target), None, None, "--to", "there already, and not empty", fix)])
