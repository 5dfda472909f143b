"""Cases, labels and notes as rows of the exported tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.cases.load import LoadedCase, LoadedSuite
from bench.cases.sources import source_of
from bench.exchange.columns import UNSPLIT
from bench.exchange.label_files import LabelFiles
from bench.judges.contract import question_of
from bench.leaks.scan import leaks_in
from bench.problems import BrokenInput, Problem
from bench.schema.base import Record
from bench.schema.case import Attempt, SessionReference
from bench.schema.vote import AdjudicationFile, Ruling

Cell = str | int | bool | bytes | list[str] | list[int] | None
Row = dict[str, Cell]
Rows = dict[str, list[Row]]  # by split
# What a suite file says about judges was in part fitted on labels: it leaves together with them.
_OF_LABELS = {"judges", "comparisons", "audits", "pass_k"}


@dataclass(frozen=True)
class Part:
    """A suite, which of its splits are meant, and the label files unless they are withheld."""

    suite: LoadedSuite
    splits: tuple[str, ...]
    files: LabelFiles | None

    def split_of(self, loaded: LoadedCase) -> str:
        splits = self.suite.splits
        return UNSPLIT if splits is None else splits.families[loaded.case.family]

    def cases(self) -> Mapping[str, tuple[LoadedCase, str]]:
        """Case id -> the case and its split, of the splits that are meant."""
        pairs = ((loaded, self.split_of(loaded)) for loaded in self.suite.cases)
        return {loaded.case.id: (loaded, split) for loaded, split in pairs if split in self.splits}


def _json(value: object) -> str:
    """JSON in the order given: a map of options, or of arguments, is shown in its order."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _record_json(record: Record) -> str:
    """A record's JSON as it was written: fields that were not given are left out."""
    return _json(record.model_dump(mode="json", by_alias=True, exclude_unset=True))


def item_rows(part: Part) -> Rows:
    """One row per attempt and statement."""
    rulings = _rulings(part)
    rows: Rows = {}
    for loaded, split in part.cases().values():
        for attempt in loaded.case.attempts:
            for statement in loaded.statements:
                question = question_of(statement)
                row: Row = _place(loaded, attempt, split) | {
                    "query": loaded.case.query,
                    "statement": statement.id,
                    "type": question.type,
                    "text": question.text,
                    "answers": list(question.answers),
                    "criteria": [meaning for _, meaning in question.criteria],
                }
                item = (loaded.case.id, attempt.id, statement.id)
                if part.files is not None:
                    row |= _label(part.files, item) | _ruling(rulings.get(item))
                rows.setdefault(split, []).append(row)
    return rows


def attempt_rows(part: Part) -> Rows:
    """One row per attempt, with its events or the reference to its session."""
    rows: Rows = {}
    for loaded, split in part.cases().values():
        case, metadata = loaded.case, loaded.case.metadata
        for attempt in case.attempts:
            row: Row = _place(loaded, attempt, split) | {
                "query": case.query,
                "harness": attempt.harness,
                "model": attempt.model,
                "answer": attempt.answer,
                "judgment": _record_json(case.judgment),
                "trajectory_anchors": _record_json(case.trajectory_anchors),
                "world_state": _record_json(case.world_state),
                "source": metadata.source,
                "capability": metadata.capability,
                "difficulty": metadata.difficulty,
                "language": metadata.language,
                "tags": list(metadata.tags),
                "version": metadata.version,
            }
            rows.setdefault(split, []).append(row | _events(loaded, attempt))
    return rows


def vote_rows(part: Part) -> Rows:
    """One row per vote, in the order of the vote files."""
    rows: Rows = {}
    cases = part.cases()
    for file in part.files.votes if part.files else ():
        if file.case not in cases:
            continue
        split = cases[file.case][1]
        for vote in file.votes:
            row: Row = {"case": file.case, "attempt": vote.attempt, "statement": vote.statement, "split": split}
            row |= {name: getattr(file, name) for name in _VOTE_FILE}
            row |= {"answer": vote.answer, "rationale": vote.rationale, "evidence": list(vote.evidence)}
            row |= {"also": _json(vote.also) if vote.also else None}
            row |= {"error_category": vote.error_category, "severity": vote.severity}
            rows.setdefault(split, []).append(row)
    return rows


_VOTE_FILE = ("annotator", "purpose", "made_by", "lineage", "guide", "preset", "at")


def note_rows(part: Part) -> Rows:
    """One row per author's note."""
    rows: Rows = {}
    cases = part.cases()
    for note in (part.files.notes if part.files else None) or ():
        if note.case in cases:
            row: Row = {name: getattr(note, name) for name in ("case", "author", "made_by", "lineage")}
            row |= {"split": cases[note.case][1], "intention": note.intention, "deciding_line": note.deciding_line}
            row |= {"deciding_events": list(note.deciding_events), "phenomena": list(note.phenomena)}
            row |= {"intended": _json(note.intended) if note.intended else None}
            rows.setdefault(cases[note.case][1], []).append(row)
    return rows


def suite_row(part: Part) -> Row:
    """The suite itself. Without labels it says nothing of judges, whose parameters were fitted on labels."""
    suite, files = part.suite.suite, part.files
    record = suite.model_dump(mode="json", by_alias=True, exclude_unset=True)
    kept = {name: value for name, value in record.items() if files is not None or name not in _OF_LABELS}
    row: Row = {
        "id": suite.id,
        "version": suite.version,
        "title": suite.title,
        "licence": suite.licence,
        "canary": suite.canary,
        "record": _json(kept),
        "splits_seed": part.suite.splits.seed if part.suite.splits else None,
    }
    if files is not None:
        row["guide"] = files.guide
        if files.checks is not None:
            row |= {"checks_drawn": files.checks.drawn, "checks_seed": files.checks.seed}
    return row


def _place(loaded: LoadedCase, attempt: Attempt, split: str) -> Row:
    case = loaded.case
    return {"case": case.id, "attempt": attempt.id, "family": case.family, "stratum": case.stratum, "split": split}


def _events(loaded: LoadedCase, attempt: Attempt) -> Row:
    if attempt.events is not None:
        events = [event.model_dump(mode="json", by_alias=True, exclude_unset=True) for event in attempt.events]
        return {"events": _json(events), "events_count": len(events)}
    if attempt.events_from is None:
        raise ValueError("an attempt without events and without events_from passed the schema")
    reference, name = attempt.events_from.reference, attempt.events_from.file or ""
    if reference is not None:
        return {f"session_{part}": getattr(reference, part) for part in SessionReference.model_fields}
    source_of(loaded, attempt)  # refuses a file that is not beside its case
    data = (loaded.path.parent / name).read_bytes()
    _refuse_secrets(loaded, name, data)
    return {"session_file": name, "session_format": attempt.events_from.format, "session_bytes": data}


def _refuse_secrets(loaded: LoadedCase, name: str, data: bytes) -> None:
    """A recorded session beside a case leaves as it is, byte for byte: it must hold no secret."""
    fix = "make the case anew from the session (bench import): its events hold no secret"
    file = loaded.path.parent / name
    leaks = leaks_in(data.decode("utf-8", "replace"))
    if leaks:
        raise BrokenInput(
            Problem(file.name, line, loaded.case.id, "events_from.file", f"{kind} ({starts}...)", fix)
            for line, kind, starts in leaks
        )


def _label(files: LabelFiles, item: tuple[str, str, str]) -> Row:
    label = files.labels.label(item)
    drawn = None if files.labels.drawn is None else item[0] in files.labels.drawn
    row: Row = {"label": label.answer, "label_status": label.status, "label_how": label.how, "drawn_for_check": drawn}
    return row


def _rulings(part: Part) -> dict[tuple[str, str, str], tuple[AdjudicationFile, Ruling]]:
    files: Iterator[AdjudicationFile] = iter(part.files.rulings if part.files else ())
    return {(file.case, r.attempt, r.statement): (file, r) for file in files for r in file.rulings}


def _ruling(found: tuple[AdjudicationFile, Ruling] | None) -> Row:
    if found is None:
        return {}
    file, ruling = found
    return {
        "ruling": ruling.answer,
        "ruling_reason": ruling.reason,
        "adjudicator": file.adjudicator,
        "ruling_made_by": file.made_by,
        "ruling_lineage": file.lineage,
        "ruling_guide": file.guide,
        "ruling_at": file.at,
    }
