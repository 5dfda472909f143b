"""What the page shows of one attempt when it is opened: the session, the votes, what judges gave as evidence and reason.

Packed by a few attempts, so that the page unpacks what is looked at and nothing else. What is held by reference is never
embedded unless the writer of the report asks for it, and nothing is embedded beyond a limit: both are said, with the command
that shows the session.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from bench.benchmark import Benchmark
from bench.cases.load import LoadedCase
from bench.measure.items import REPORTED_SPLITS
from bench.projection.project import preset_named
from bench.projection.render import escape, event_facts, event_texts
from bench.projection.view import Projection, gaps
from bench.report.jsonable import Json
from bench.report.page.payload import Places
from bench.schema.case import Attempt

Embed = Literal["none", "inline", "all"]
LIMIT = 12_000_000  # characters of packed attempts in one page
PRESET = "reading"
_IN_A_PACK = 16
_Item = tuple[str, str]  # case, attempt


@dataclass(frozen=True)
class Packed:
    """Attempts as compressed texts, and where each stands."""

    packs: tuple[str, ...]  # gzip of a JSON list, in base64
    at: tuple[int, ...]  # pack * size + position, by attempt; -1: left out
    left_out: int

    def json(self) -> Json:
        return {"packs": list(self.packs), "at": list(self.at), "size": _IN_A_PACK, "left_out": self.left_out}


def pack_attempts(benchmark: Benchmark, places: Places, embed: Embed, limit: int = LIMIT) -> Packed:
    """As many attempts as the limit allows, those on which most judges differ from the label first."""
    attempts = {(loaded.case.id, attempt.id): (loaded, attempt) for loaded, attempt in benchmark.suite.attempts()}
    said, order = _said(benchmark), _most_disputed(benchmark, places)
    packs: list[str] = []
    at = [-1] * len(places)
    room = limit
    for start in range(0, len(order), _IN_A_PACK):
        chosen = order[start : start + _IN_A_PACK]
        pack = _pack([_attempt(benchmark, *attempts[item], said.get(item, {}), embed) for item in chosen])
        room -= len(pack)
        if room < 0:
            break
        for position, item in enumerate(chosen):
            at[places[item]] = len(packs) * _IN_A_PACK + position
        packs.append(pack)
    return Packed(tuple(packs), tuple(at), at.count(-1))


def _pack(attempts: Sequence[Json]) -> str:
    text = json.dumps(attempts, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "backslashreplace"), 6, mtime=0)).decode()


def _most_disputed(benchmark: Benchmark, places: Places) -> list[_Item]:
    critical = {s.id for s in benchmark.suite.suite.statements if s.critical}
    wrong = dict.fromkeys(places, 0)
    for _, rows in benchmark.headline:
        for row in rows:
            if row.counts and row.split in REPORTED_SPLITS and row.answer != row.label.answer:
                wrong[row.case, row.attempt] += 10 if row.statement in critical else 1
    return sorted(places, key=lambda item: (-wrong[item], places[item]))


def _attempt(
    benchmark: Benchmark, loaded: LoadedCase, attempt: Attempt, said: Mapping[str, JsonValue], embed: Embed
) -> Json:
    inline = attempt.events is not None
    wanted = embed == "all" or (embed == "inline" and inline)
    projection = benchmark.views.make(loaded, attempt, preset_named(PRESET)) if wanted else None
    known: Json = {"query": escape(loaded.case.query), "harness": escape(attempt.harness)}
    if projection is None:
        known["why"] = _why_not(loaded, attempt, inline=inline)
    else:
        known["answer"] = None if projection.answer is None else escape(projection.answer)
        known["events"] = list(_events(projection))
    known["votes"] = {s.id: list(_votes(benchmark, (loaded.case.id, attempt.id, s.id))) for s in loaded.statements}
    known["rulings"] = _rulings(benchmark, loaded, attempt)
    known["said"] = dict(said)
    return known


def _why_not(loaded: LoadedCase, attempt: Attempt, *, inline: bool) -> str:
    show = f"bench show {loaded.case.id}/{attempt.id}"
    if inline:
        return f"This report embeds no sessions. Read it with: {show}"
    return f"This session is held by reference, so its text is not part of the report. Read it with: {show} --sessions FOLDER"


def _events(projection: Projection) -> Iterator[JsonValue]:
    """[number, facts, [name, text] ...]; number 0 with a count stands for events that are not shown."""
    missing = dict(gaps(projection))
    for position, (number, event) in enumerate(zip(projection.numbers, projection.events, strict=True)):
        if position in missing:
            yield [0, missing[position]]
        texts: list[JsonValue] = [[name, escape(text)] for name, text in event_texts(event)]
        yield [number, list(event_facts(event)), texts]
    if len(projection.events) in missing:
        yield [0, missing[len(projection.events)]]


def _votes(benchmark: Benchmark, item: tuple[str, str, str]) -> Iterator[JsonValue]:
    """[annotator, answer, rationale, evidence, also] of each vote, third votes included."""
    for purpose, casts in (("", benchmark.labels.votes), (" (third vote)", benchmark.labels.checks)):
        for cast in casts.get(item, ()):
            vote = cast.vote
            also: JsonValue = {name: escape(value) for name, value in vote.also.items()}
            yield [cast.annotator + purpose, vote.answer, escape(vote.rationale), list(vote.evidence), also]


def _rulings(benchmark: Benchmark, loaded: LoadedCase, attempt: Attempt) -> Json:
    found: Json = {}
    for statement in loaded.statements:
        ruling = benchmark.labels.rulings.get((loaded.case.id, attempt.id, statement.id))
        if ruling is not None:
            found[statement.id] = [ruling.answer, escape(ruling.reason)]
    return found


def _said(benchmark: Benchmark) -> dict[_Item, dict[str, JsonValue]]:
    """By attempt, judge (its position) and statement: each sample that says more than its answer."""
    found: dict[_Item, dict[str, JsonValue]] = {}
    for number, (outcome, _) in enumerate(benchmark.headline):
        for e in outcome.expected:
            row = outcome.row(e)
            if row is None or not (row.evidence or row.quotes or row.reason or row.detail):
                continue
            told: Json = {"said": row.answer or str(row.unscored)}
            told |= {"evidence": list(row.evidence)} if row.evidence else {}
            told |= {"quotes": [escape(quote) for quote in row.quotes]} if row.quotes else {}
            told |= {"reason": escape(row.reason)} if row.reason else {}
            told |= {"detail": escape(row.detail)} if row.detail else {}
            mine = found.setdefault((e.loaded.case.id, e.attempt.id), {})
            mine.setdefault(f"{number}/{e.statement.id}", []).append(told)  # type: ignore[union-attr]
    return found
