"""Run a judge: what is expected and not stored is asked, and stored at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from bench.judges.contract import CallingJudge, Cost, Item, NotAvailable, Part, Verdict, question_of
from bench.problems import CannotDecide
from bench.projection.view import Projection
from bench.running.asking import Answered, Postponed, ask_patiently, ask_questions
from bench.running.outcome import Means, Outcome
from bench.running.plan import Expected, SeatedJudge
from bench.running.store import Asking, Manifest, RunFile, StoredVerdict, stored, told
from bench.running.views import Views
from bench.running.workers import Crew, Lost, Slot
from bench.schema.case import Case

Tick = Callable[[int], None]
_LAST_WORDS = 1.0  # seconds for calls under way when the run is interrupted: with the end of the process under two


@dataclass(frozen=True)
class _Batch:
    """Expected verdicts that one call answers."""

    expected: tuple[Expected, ...]
    item: Item
    usd: float | None = None


def run_judge(
    seated: SeatedJudge,
    owed: Sequence[Expected],
    file: RunFile,
    views: Views,
    means: Means,
    tick: Tick = lambda _: None,
) -> Outcome:
    """Ask what is owed and not stored, as far as the means go."""
    run = _Run(seated, Outcome(seated, list(owed), file.rows()), file, views, means, tick)
    if isinstance(seated.judge, CallingJudge):
        run.side_by_side(seated.judge)
    else:
        run.one_by_one()
    return run.outcome


def expected_cost(
    seated: SeatedJudge, owed: Sequence[Expected], file: RunFile, views: Views
) -> tuple[int, Cost] | None:
    """How many calls are due, and what they are expected to take; None for a judge that is code. Nobody is asked."""
    if not isinstance(seated.judge, CallingJudge):
        return None
    judge = seated.judge
    calls, total = 0, Cost(0, 0, 0.0)
    for item, batch in due_batches(seated, owed, file, views):
        one = judge.estimate(item, [question_of(e.statement) for e in batch])
        usd = None if total.usd is None or one.usd is None else total.usd + one.usd
        total = Cost(total.tokens_in + one.tokens_in, total.tokens_out + one.tokens_out, usd)
        calls += 1
    return calls, total


def due_batches(
    seated: SeatedJudge, owed: Sequence[Expected], file: RunFile, views: Views
) -> Iterator[tuple[Item, tuple[Expected, ...]]]:
    """What a run would ask, call by call; nobody is asked."""
    run = _Run(seated, Outcome(seated, list(owed), file.rows()), file, views, Means(), lambda _: None)
    alone = isinstance(seated.judge, CallingJudge) and seated.judge.limits.one_statement_a_call
    for batch in run.batches(alone):
        yield batch.item, batch.expected


class _Run:
    """One judge's run."""

    def __init__(
        self, seated: SeatedJudge, outcome: Outcome, file: RunFile, views: Views, means: Means, tick: Tick
    ) -> None:
        self.seated = seated
        self.outcome = outcome
        self.file = file
        self.views = views
        self.means = means
        self.tick = tick
        self.taken: set[tuple[str, int]] = set()
        self.unstored: list[StoredVerdict] = []

    def one_by_one(self) -> None:
        """A judge that is code."""
        for batch in self.batches(one_statement=False):
            questions = [question_of(e.statement) for e in batch.expected]
            start = time.perf_counter()
            verdicts = ask_questions(self.seated.judge, batch.item, questions, batch.expected[0].sample)
            self._keep(batch, Answered(verdicts, 1), (time.perf_counter() - start) * 1000, calls=None)
            self._store()

    def side_by_side(self, judge: CallingJudge) -> None:
        """A judge that calls a model: many calls at once, within its limits."""
        limits = judge.limits
        gate = self.means.gate(limits.provider, limits.per_minute)

        def work(batch: _Batch, slot: Slot) -> tuple[Answered, float]:
            start = time.perf_counter()
            questions = [question_of(e.statement) for e in batch.expected]
            sample = batch.expected[0].sample
            answered = ask_patiently(
                judge, limits, batch.item, questions, sample, gate=gate, slot=slot, give_up_at=self.means.deadline
            )
            return answered, (time.perf_counter() - start) * 1000

        crew: Crew[_Batch, tuple[Answered, float]] = Crew(work, limits.concurrency, limits.seconds)
        try:
            for batch in self._affordable(judge, self.batches(limits.one_statement_a_call)):
                crew.send(batch)
                for finished in crew.results(until_free=True):
                    self._settle_all(finished)
            for finished in crew.results(until_free=False):
                self._settle_all(finished)
        except KeyboardInterrupt:
            self.means.stop.set()
            for finished in crew.salvage(_LAST_WORDS):
                self._settle_all(finished)
            raise
        finally:
            crew.dismiss()

    def _affordable(self, judge: CallingJudge, batches: Iterator[_Batch]) -> Iterator[_Batch]:
        """Batches with what they are expected to cost, as long as there is money for them."""
        for batch in batches:
            if self.means.purse.limit is None:
                yield batch
                continue
            usd = judge.estimate(batch.item, [question_of(e.statement) for e in batch.expected]).usd
            if usd is None:
                raise CannotDecide(
                    f"{judge.name}: its price is unknown, so no budget can be held; give it, or no budget"
                )
            if self.means.purse.reserve(usd):
                yield _Batch(batch.expected, batch.item, usd)
            else:
                self._leave("out_of_budget", len(batch.expected))

    def batches(self, one_statement: bool) -> Iterator[_Batch]:
        """What is due, one call after another; projections are made when their turn comes."""
        due = [e for e in self.outcome.expected if self._is_due(e)]
        if one_statement:
            grouped = groupby(due, key=lambda e: (e.loaded.case.id, e.attempt.id, e.sample, e.statement.id))
        else:
            grouped = groupby(due, key=lambda e: (e.loaded.case.id, e.attempt.id, e.sample, ""))
        for _, group in grouped:
            members = list(group)
            if self.means.out_of_time:
                self._leave("out_of_time", len(members))
            elif self.outcome.why_unavailable is not None:
                self._leave("unavailable", len(members))
            else:
                yield from self._batch(members)

    def _batch(self, members: list[Expected]) -> Iterator[_Batch]:
        """The part of a group that nobody has been asked yet: items with the same content share a key and an answer."""
        fresh: list[Expected] = []
        for e in members:
            if e.item is None:
                continue
            key = (e.item, e.sample)
            if key not in self.taken and self._is_due(e):
                self.taken.add(key)
                fresh.append(e)
        without = sum(e.item is None for e in members)
        if without:
            self.outcome.without_text += without
        self.tick(len(members) - len(fresh))
        if not fresh:
            return
        loaded, attempt = fresh[0].loaded, fresh[0].attempt
        needs_view = "projection" in self.seated.judge.receives
        projection = self.views.make(loaded, attempt, self.seated.preset) if needs_view else None
        if needs_view and projection is None:
            self._leave("without_text", len(fresh))
        else:
            yield _Batch(tuple(fresh), item_for(self.seated.judge.receives, loaded.case, projection))

    def _is_due(self, e: Expected) -> bool:
        row = self.outcome.row(e)
        return row is None or (self.means.redo_unscored and row.answer is None)

    def _leave(self, counter: str, count: int) -> None:
        setattr(self.outcome, counter, getattr(self.outcome, counter) + count)
        self.tick(count)

    def _settle_all(self, finished: list[tuple[_Batch, tuple[Answered, float] | BaseException]]) -> None:
        """Calls that are over, stored together: the file is locked and opened once."""
        try:
            for batch, result in finished:
                self._settle(batch, result)
        finally:
            self._store()

    def _settle(self, batch: _Batch, result: tuple[Answered, float] | BaseException) -> None:
        cost = None
        if isinstance(result, NotAvailable):
            self.outcome.why_unavailable = self.outcome.why_unavailable or str(result)
            self._leave("unavailable", len(batch.expected))
        elif isinstance(result, Postponed):
            self._leave("out_of_time", len(batch.expected))
        elif isinstance(result, Lost):
            lost = Verdict(unscored="timeout", detail=str(result))
            self._keep(batch, Answered([lost] * len(batch.expected), 1), None, calls=1)
        elif isinstance(result, BaseException):
            raise result
        else:
            answered, latency = result
            known = [v.cost_usd for v in answered.verdicts if v.cost_usd is not None]
            cost = sum(known) if len(known) == len(answered.verdicts) else None
            self._keep(batch, answered, latency, calls=answered.calls)
        self.means.purse.settle(batch.usd, cost)

    def _keep(self, batch: _Batch, answered: Answered, latency: float | None, *, calls: int | None) -> None:
        each = None if latency is None else round(latency / len(batch.expected), 3)
        lines = [_line(v, e, each, calls) for e, v in zip(batch.expected, answered.verdicts, strict=True)]
        self.unstored += lines
        self.tick(len(batch.expected))

    def _store(self) -> None:
        if not self.unstored:
            return
        seated = self.seated
        self.file.write_manifest(
            Manifest(seated.id, seated.judge.name, seated.preset.label, dict(seated.judge.fingerprint()))
        )
        self.outcome.asked += self.file.append(self.unstored)
        self.outcome.rows = self.file.rows()
        self.unstored = []


def _line(verdict: Verdict, e: Expected, latency: float | None, calls: int | None) -> StoredVerdict:
    """The verdict as a row; one that holds what no row can is an error of its judge."""
    source = e.attempt.events_from
    held = source is None or source.reference is None
    at = datetime.now(UTC).isoformat(timespec="seconds")
    asking = Asking(latency_ms=latency, at=at, asked_for=e.name, calls=calls, keep_words=held)
    try:
        return stored(verdict, e.item or "", e.sample, asking)
    except ValueError as error:
        broken = Verdict(unscored="error", detail=f"a verdict that cannot be stored: {told(error)}")
        return stored(broken, e.item or "", e.sample, asking)


def item_for(receives: frozenset[Part], case: Case, projection: Projection | None) -> Item:
    """What the judge gets: the parts that it declares, nothing else."""
    world = case.world_state
    return Item(
        projection=projection,
        anchors=case.trajectory_anchors if "anchors" in receives else None,
        facts=world.facts if "facts" in receives else None,
        reference_time=world.reference_time if "reference_time" in receives else None,
    )
