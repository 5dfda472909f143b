"""Ask in batches: write what is due as requests, read answers later, check them like live ones, balance the books."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from bench.judges.contract import Item, Verdict, question_of
from bench.judges.llm.batch import Answer, Form, custom_id, read_answer, request_line
from bench.judges.llm.calling import verdict_of
from bench.judges.llm.judge import LlmJudge
from bench.problems import CannotDecide
from bench.running.identity import judge_id
from bench.running.plan import Expected, SeatedJudge
from bench.running.run import due_batches, item_for
from bench.running.store import Asking, Manifest, RunFile, stored
from bench.running.views import Views


@dataclass
class BatchBooks:
    """Where every request and every line of answers went.

    requests = stored + already stored + put off + missing; lines = stored + already stored + put off + duplicated
    + foreign + malformed.
    """

    requests: int
    stored: Counter[str] = field(default_factory=Counter)  # judge_id -> rows
    unscored: Counter[str] = field(default_factory=Counter)  # of the stored, by reason
    already: list[str] = field(default_factory=list)
    put_off: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    malformed: list[str] = field(default_factory=list)  # "line N: why"
    lines: int = 0

    @property
    def balanced(self) -> bool:
        taken = self.stored.total() + len(self.already) + len(self.put_off)
        rest = len(self.duplicated) + len(self.foreign) + len(self.malformed)
        return taken + len(self.missing) == self.requests and taken + rest == self.lines


def export(
    seated: SeatedJudge, judge: LlmJudge, owed: Sequence[Expected], file: RunFile, views: Views, form: Form
) -> Iterator[str]:
    """One line a request, for what is due."""
    for item, batch in due_batches(seated, owed, file, views):
        for e in batch:
            name = custom_id(e.item or "", e.sample)
            line = request_line(form, judge.settings, item, question_of(e.statement), e.sample, name)
            yield json.dumps(line, ensure_ascii=True, separators=(",", ":"))


def take(
    seated: SeatedJudge, judge: LlmJudge, owed: Sequence[Expected], lines: Iterable[bytes], form: Form, *, folder: Path,
    views: Views, model: str | None,
) -> BatchBooks:  # fmt: skip
    """Store each answer under the identity of the model that gave it. ``model`` names it where answers do not."""
    wanted = {custom_id(e.item, e.sample): e for e in reversed(owed) if e.item is not None}
    intake = _Intake(seated, judge, form, folder, views, model, wanted, BatchBooks(len(wanted)))
    for number, line in enumerate(lines, 1):
        if line.strip():
            intake.line(number, line)
    intake.books.missing = sorted(wanted[name].name for name in wanted if name not in intake.seen)
    return intake.books


@dataclass
class _Intake:
    """Takes answers one by one."""

    seated: SeatedJudge
    judge: LlmJudge
    form: Form
    folder: Path
    views: Views
    model: str | None
    wanted: dict[str, Expected]
    books: BatchBooks
    seen: set[str] = field(default_factory=set)
    files: dict[str, RunFile] = field(default_factory=dict)

    def line(self, number: int, line: bytes) -> None:
        self.books.lines += 1
        try:
            answer = read_answer(self.form, line)
        except ValueError as error:
            self.books.malformed.append(f"line {number}: {error}")
            return
        e = self.wanted.get(answer.custom_id)
        if e is None:
            self.books.foreign.append(f"line {number}: {answer.custom_id[:64]}")
        elif answer.custom_id in self.seen:
            self.books.duplicated.append(f"line {number}: {e.name}")
        else:
            self.seen.add(answer.custom_id)
            self._answer(answer, e)

    def _answer(self, answer: Answer, e: Expected) -> None:
        if answer.put_off is not None:
            self.books.put_off.append(f"{e.name}: {answer.put_off}")
            return
        verdict = answer.failed or self._verdict(answer, e)
        model = verdict.answered_by or self.model or self.judge.settings.model
        judge = self.judge.answered_by(model)
        identity = judge_id(judge, self.seated.preset.label)
        file = self.files.setdefault(identity, RunFile(self.folder, identity))
        file.write_manifest(Manifest(identity, judge.name, self.seated.preset.label, dict(judge.fingerprint())))
        priced = replace(verdict, cost_usd=judge.usd(verdict.tokens_in, verdict.tokens_out))
        source = e.attempt.events_from
        held = source is None or source.reference is None
        at = datetime.now(UTC).isoformat(timespec="seconds")
        asking = Asking(None, at, e.name, calls=1, keep_words=held)
        if file.append([stored(priced, e.item or "", e.sample, asking)]) == 0:
            self.books.already.append(e.name)
            return
        self.books.stored[identity] += 1
        if verdict.unscored is not None:
            self.books.unscored[verdict.unscored] += 1

    def _verdict(self, answer: Answer, e: Expected) -> Verdict:
        projection = self.views.make(e.loaded, e.attempt, self.seated.preset)
        if projection is None:
            raise CannotDecide(
                f"the session of {e.name} is not at hand, and quotes are checked against it (--sessions)"
            )
        item: Item = item_for(self.judge.receives, e.loaded.case, projection)
        reply = answer.reply
        if reply is None:
            raise ValueError("an answer without a reply was not put off and did not fail")
        if reply.model is None and self.model is not None:
            reply = replace(reply, model=self.model)
        return verdict_of(reply, self.judge.settings, item, question_of(e.statement))
