"""Import of Inspect logs: ``.eval`` (a zip, a member for each sample) and ``.json``; each sample and epoch is a session.

Source of the format: github.com/UKGovernmentBEIS/inspect_ai, ``log/`` and ``event/``, releases up to 0.3.285, and logs that
this release wrote. A record is one entry of a sample's ``events`` (those inside of others included), and then each of its
``messages`` that no event told. Each session has a report of its own. A sample that cannot be read is a session without
events, malformed at its place among the samples, ``partial`` with the reason, so that no attempt is lost; a sample that
ended in an error is ``partial`` too. Current archives are compressed with Zstandard, which needs the package zstandard
before Python 3.14. Samples in chunks (log version 3, an option of the converter) are not read.

Scorers and their model calls are no part of the session. Prompts of the data set are "injected", an operator's are a
person's, those that a solver or a simulated user added cannot be told apart: "unknown". A command has the exit code of
the sandbox that ran it, where the log has its event; the tool itself does not tell it. Approvers other than "human" and
"auto" may be programs or people. A NaN score is "unscored".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.problems import shorten
from bench.traces.documents import parse_document
from bench.traces.inspect_archive import Archive
from bench.traces.inspect_content import attachments_of, scores_of
from bench.traces.inspect_events import SampleEvents
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import most_common

HARNESS = "inspect"
_START, _HEADER = "_journal/start.json", "header.json"
_SAMPLE = re.compile(r"samples/(?P<id>.+)_epoch_(?P<epoch>\d{1,9})(?P<chunked>/sample)?\.json", re.DOTALL)
_LARGEST = 1 << 29  # bytes of a document, or of a sample once it is unpacked


def speaks_archive(names: Iterable[str]) -> bool:
    """Whether the members of an archive are those of a log."""
    return _START in set(names)


def speaks_document(document: JsonValue) -> bool:
    """Whether a document is a log."""
    if not isinstance(document, dict) or not isinstance(document.get("version"), int):
        return False
    return isinstance(document.get("status"), str) and object_at(document, "eval").keys() >= {
        "task",
        "task_id",
        "dataset",
    }


def read_archive(stream: BinaryIO) -> Iterator[Session]:
    """One session a sample, in the order of the archive."""
    archive = Archive(stream, _LARGEST)
    header = _header(archive)
    samples = [(name, found) for name in archive.names if (found := _SAMPLE.fullmatch(name))]
    for position, (name, found) in enumerate(samples, start=1):
        known: JsonObject = {"id": found["id"], "epoch": int(found["epoch"])}
        if found["chunked"]:
            yield _unreadable(known, header, position, "samples in chunks are not read")
            continue
        try:
            yield _session(_parsed(archive.read(name)), header, position)
        except ValueError as error:
            yield _unreadable(known, header, position, str(error))


def read_document(stream: BinaryIO) -> Iterator[Session]:
    """One session a sample, in the order of the document."""
    raw = stream.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise ValueError(f"the document is longer than {_LARGEST} bytes")
    document = _parsed(raw)
    if not isinstance(document, dict):
        raise ValueError("an Inspect log is one object")
    for position, sample in enumerate(list_at(document, "samples"), start=1):
        try:
            yield _session(sample, document, position)
        except ValueError as error:
            yield _unreadable(sample if isinstance(sample, dict) else {}, document, position, str(error))


def _parsed(raw: bytes) -> JsonValue:
    return parse_document(raw, constants=lambda _: None)  # NaN is a score that is none


def _header(archive: Archive) -> JsonObject:
    """The header, or what was written at the start of a run that did not end."""
    for name in (_HEADER, _START):
        try:
            header = _parsed(archive.read(name)) if name in archive.names else None
        except ValueError:
            header = None
        if isinstance(header, dict):
            return header
    return {}


def _session(sample: JsonValue, header: JsonObject, position: int) -> Session:
    if not isinstance(sample, dict) or "id" not in sample:
        raise ValueError("the sample is no object with an id")
    report, spec = ImportReport(format=HARNESS), object_at(header, "eval")
    if version := text_at(object_at(spec, "packages"), "inspect_ai"):
        report.versions[version] += 1
    attachments = attachments_of(sample)
    importer = SampleEvents(sample, report)
    importer.read(list_at(sample, "events") or list_at(object_at(sample, "transcript"), "events"))
    choice = next(iter(list_at(object_at(sample, "output"), "choices")), None)
    message = object_at(choice, "message") if isinstance(choice, dict) else {}
    return Session(
        HARNESS,
        tuple(importer.gathered.transcript.events),
        report,
        model=most_common(importer.gathered.models) or text_at(spec, "model"),
        id=text_at(sample, "uuid"),
        task=_task(sample, spec),
        trial=_trial(sample),
        query=_query(attachments.resolve(sample.get("input"))),
        answer=attachments.text(message.get("content")) or None,
        recorded=scores_of(sample, attachments),
        partial=_partial(sample),
    )


def _unreadable(known: JsonObject, header: JsonObject, position: int, reason: str) -> Session:
    report, task = ImportReport(format=HARNESS, seen=1, malformed=[position]), _task(known, object_at(header, "eval"))
    return Session(
        HARNESS, (), report, task=task, trial=_trial(known), partial=f"sample {position} was not read: {reason}"
    )


def _task(sample: JsonObject, spec: JsonObject) -> str | None:
    """Ids are unique in one data set: the name of the task keeps those of two apart."""
    identity = sample.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int) or identity == "":
        return None
    task = text_at(spec, "task")
    return f"{task}/{identity}" if task else str(identity)


def _trial(sample: JsonObject) -> int | None:
    epoch = sample.get("epoch")
    return epoch - 1 if isinstance(epoch, int) and not isinstance(epoch, bool) and 0 < epoch < 1 << 53 else None


def _query(given: JsonValue) -> str | None:
    if isinstance(given, str):
        return given or None
    messages = [message for message in given if isinstance(message, dict)] if isinstance(given, list) else []
    texts = [text_at(message, "content") for message in messages if message.get("role") == "user"]
    return "\n".join(text for text in texts if text) or None


def _partial(sample: JsonObject) -> str | None:
    if "error" in sample and (error := text_at(object_at(sample, "error"), "message")):
        return f"the sample ended in an error: {shorten(error, 200)}"
    if isinstance(sample.get("invalidation"), dict):
        return "the sample was declared invalid"
    return None


ARCHIVE = Format("inspect", "inspect@1", "archive", speaks_archive, read_archive)
DOCUMENT = Format("inspect-json", "inspect@1", "document", speaks_document, read_document)
FORMATS = (ARCHIVE, DOCUMENT)
