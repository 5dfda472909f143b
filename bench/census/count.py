"""What recorded sessions hold, counted by harness: nothing is judged but the baseline rules, and no text is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bench.judges.rules import RuleJudge
from bench.schema.event import Event
from bench.traces.report import ImportReport, Session


@dataclass(frozen=True)
class Counted:
    """One session: its events by what the census asks of them."""

    harness: str
    events: int
    calls: int
    commands: Counter[str]  # by the source of the exit code; none where there is no code
    outcomes: Counter[str]  # of calls: ok, failed, unknown, unobservable
    prompts: Counter[str]  # by origin
    approvals: Counter[str]  # decision by source
    interrupts: int
    compactions: int
    threads: int
    rules: tuple[tuple[str, str], ...]  # rule, yes / no / why not


@dataclass
class Books:
    """What became of the records of all files of a format."""

    files: int = 0
    sessions: int = 0
    seen: int = 0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    orphan_results: int = 0
    versions: Counter[str] = field(default_factory=Counter)

    @property
    def balanced(self) -> bool:
        """Whether every record is used, skipped, of unknown type or malformed."""
        return self.seen == self.used + self.skipped.total() + self.unknown.total() + self.malformed


def count_session(session: Session, rules: Iterable[RuleJudge]) -> Counted:
    """The counts of one session, and what each rule says of it."""
    events = session.events
    numbers = range(1, len(events) + 1)
    told = []
    for rule in rules:
        verdict = rule.apply(events, numbers)
        told.append((rule.name, verdict.answer or str(verdict.unscored)))
    return count_events(session.harness, events, tuple(told))


def count_events(harness: str, events: Iterable[Event], rules: tuple[tuple[str, str], ...] = ()) -> Counted:
    """The counts of a stream of events, which is passed over once."""
    commands: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    prompts: Counter[str] = Counter()
    approvals: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    threads: set[str] = set()
    for event in events:
        kinds[event.kind] += 1
        threads.add(event.thread)
        if event.kind == "command":
            commands["none" if event.exit_code is None else str(event.exit_source)] += 1
        if event.kind in ("command", "tool_call"):
            outcomes[_outcome(event)] += 1
        if event.kind == "prompt":
            prompts[event.origin or "unknown"] += 1
        if event.approval is not None:
            approvals[f"{event.approval.decision} by {event.approval.source}"] += 1
    return Counted(
        harness, kinds.total(), kinds["command"] + kinds["tool_call"], commands, outcomes, prompts, approvals,
        kinds["interrupt"], kinds["compaction"], len(threads), rules,
    )  # fmt: skip


def add_report(books: Books, report: ImportReport) -> None:
    """Enter the records of a file; sessions that share a report are entered once by the caller."""
    books.seen += report.seen
    books.used += report.used
    books.skipped.update(report.skipped)
    books.unknown.update(report.unknown)
    books.malformed += len(report.malformed)
    books.orphan_results += report.orphan_results
    books.versions.update(report.versions)


def merged(counted: Iterable[Counted]) -> Iterator[tuple[str, list[Counted]]]:
    """Sessions by harness, by name."""
    groups: dict[str, list[Counted]] = {}
    for one in counted:
        groups.setdefault(one.harness, []).append(one)
    yield from sorted(groups.items())


def _outcome(event: Event) -> str:
    if event.outcome == "unobservable":
        return "unobservable"
    return "unknown" if event.ok is None else "ok" if event.ok else "failed"
