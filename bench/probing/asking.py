"""Ask judges about each session as it was and as it was changed, through the runner and its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.cases.load import AnyStatement
from bench.judges.contract import question_of
from bench.probing.probes import bears_on
from bench.probing.sessions import Endings, Subject
from bench.probing.told import Told, is_typed
from bench.probing.transforms import TRANSFORMS, change
from bench.projection.presets import Preset
from bench.projection.project import project
from bench.projection.view import Projection
from bench.running.identity import item_key
from bench.running.outcome import Means
from bench.running.plan import Expected, SeatedJudge
from bench.running.run import run_judge
from bench.running.store import Key, RunFile, StoredVerdict
from bench.running.views import View, Views
from bench.schema.case import Attempt
from bench.schema.probe import Probe

ORIGINAL = ""  # in place of a transform's name
_MISSING = "missing"
_CUT = "cut_by_model"


@dataclass(frozen=True)
class Said:
    """What a judge said: an answer, with its probability where it gives one, or the reason why there is none."""

    answer: str | None
    unscored: str | None = None
    p: float | None = None
    cut: bool = False  # the judge says that it cut what it was shown


@dataclass(frozen=True)
class Pair:
    """One judge on one session and statement, before and after a change. Neither is there where the change does not apply
    (``applies`` is false); ``shown`` is false where the judge was shown the same as before."""

    probe: Probe
    judge: str  # id
    statement: str
    family: str
    applies: bool
    shown: bool = False
    before: Said = field(default_factory=lambda: Said(None, _MISSING))
    after: Said = field(default_factory=lambda: Said(None, _MISSING))


@dataclass(frozen=True)
class Traits:
    """What may sway a judge though it says nothing by itself: length, prompts, where the last one stands, the harness."""

    family: str
    harness: str
    events: int
    prompts: int
    last_prompt: float | None  # its place, from 0 to 1; None without a typed prompt


@dataclass
class Found:
    """All that was asked. ``originals`` are by judge, statement and session; each has its samples."""

    pairs: list[Pair] = field(default_factory=list)
    traits: dict[str, Traits] = field(default_factory=dict)
    originals: dict[tuple[str, str], dict[str, tuple[Said, ...]]] = field(default_factory=dict)
    contents: list[str] = field(default_factory=list)
    not_at_hand: int = 0
    unavailable: dict[str, str] = field(default_factory=dict)  # judge id -> why it cannot be asked here


@dataclass(frozen=True)
class Plan:
    """What is to be asked. ``known`` is a folder of runs whose verdicts on unchanged sessions are taken over."""

    probes: tuple[Probe, ...]
    seats: tuple[SeatedJudge, ...]
    statements: frozenset[str]
    store: Path
    known: Path | None = None
    seed: int = 1
    samples: int = 1
    means: Means = field(default_factory=Means)


def ask(subjects: Sequence[Subject], plan: Plan, tick: Callable[[int], None] = lambda _: None) -> Found:
    """Ask every seat about every session; what is stored is not asked again."""
    found = Found()
    seats = [_Seat(seat, plan) for seat in plan.seats]
    endings = Endings(subjects)
    wanted = _transforms(plan.probes)
    for place, subject in enumerate(subjects):
        told = subject.read()
        if told is None:
            found.not_at_hand += 1
            tick(1)
            continue
        found.contents.append(subject.content)
        found.traits[subject.name] = traits(subject, told)
        versions: dict[str, Told | None] = {ORIGINAL: told}
        for name in wanted:
            transform = TRANSFORMS[name]
            other = endings.other(place) if transform.needs_other else None
            versions[name] = change(transform, told, seed=plan.seed, content=subject.content, other=other)
        shown = _Shown(subject.attempt.harness, versions)
        for seat in seats:
            seat.ask(subject, shown, found)
        tick(1)
    return found


def traits(subject: Subject, told: Told) -> Traits:
    typed = [i for i, event in enumerate(told.events) if is_typed(event)]
    last = typed[-1] / max(len(told.events) - 1, 1) if typed else None
    return Traits(subject.family, subject.attempt.harness, len(told.events), len(typed), last)


def _transforms(probes: Sequence[Probe]) -> list[str]:
    return sorted({probe.transform for probe in probes})


class _Shown(Views):
    """The projections of one session's versions, made when first looked at. The attempt's id names the version."""

    def __init__(self, harness: str, versions: Mapping[str, Told | None]) -> None:
        self.versions = versions
        self._harness = harness
        self._projections: dict[tuple[str, str], Projection] = {}
        self._views: dict[tuple[str, str], View] = {}

    def projection(self, version: str, preset: Preset) -> Projection:
        told = self.versions[version]
        if told is None:
            raise ValueError(f"the change {version} does not apply here")
        key = (version, preset.label)
        if key not in self._projections:
            self._projections[key] = project(preset, told.query, self._harness, told.events, told.answer)
        return self._projections[key]

    def look_up(self, loaded: object, attempt: Attempt, preset: Preset) -> View | None:
        key = (_version_of(attempt), preset.label)
        if key not in self._views:
            made = self.projection(key[0], preset)
            self._views[key] = View(
                view="", projection=made.digest, total=made.total, shown=made.shown,
                characters_cut=made.characters_cut, redactions=made.redactions,
            )  # fmt: skip
        return self._views[key]

    def make(self, loaded: object, attempt: Attempt, preset: Preset) -> Projection | None:
        return self.projection(_version_of(attempt), preset)


def _named(attempt: Attempt, version: str) -> Attempt:
    return attempt if version == ORIGINAL else attempt.model_copy(update={"id": f"{attempt.id}~{version}"})


def _version_of(attempt: Attempt) -> str:
    return attempt.id.partition("~")[2]


class _Seat:
    """One judge: what it owes on a session, and what it said."""

    def __init__(self, seated: SeatedJudge, plan: Plan) -> None:
        self.seated = seated
        self.plan = plan
        self.file = RunFile(plan.store, seated.id)
        self.known = {} if plan.known is None else dict(RunFile(plan.known, seated.id).rows())

    def ask(self, subject: Subject, shown: _Shown, found: Found) -> None:
        statements = [
            s
            for s in subject.loaded.statements
            if s.type == "yes_no" and s.id in self.seated.entry.answers and s.id in self.plan.statements
        ]
        owed = list(self._owed(subject, statements, shown))
        due = [e for e in owed if (e.item, e.sample) not in self.known]
        outcome = run_judge(self.seated, due, self.file, shown, self.plan.means)
        if outcome.why_unavailable is not None:
            found.unavailable[self.seated.id] = outcome.why_unavailable
        rows: Mapping[Key, StoredVerdict] = outcome.rows
        said: dict[tuple[str, str], list[Said]] = {}
        for expected in owed:
            key = (expected.item or "", expected.sample)
            name = (_version_of(expected.attempt), expected.statement.id)
            said.setdefault(name, []).append(_said(self.known.get(key) or rows.get(key)))
        for statement in statements:
            by_session = found.originals.setdefault((self.seated.id, statement.id), {})
            by_session[subject.name] = tuple(said[(ORIGINAL, statement.id)])
            found.pairs += self._pairs(subject, statement, shown, said)

    def _owed(self, subject: Subject, statements: Sequence[AnyStatement], shown: _Shown) -> Iterator[Expected]:
        case = subject.loaded.case
        receives = self.seated.judge.receives
        for version, told in shown.versions.items():
            asked = [s for s in statements if version == ORIGINAL or self._bears(version, s.id)]
            if told is None or not asked or not self._fits(version):
                continue
            attempt = _named(subject.attempt, version)
            view = shown.look_up(None, attempt, self.seated.preset) if "projection" in receives else None
            for sample in range(self.plan.samples if version == ORIGINAL else 1):
                for statement in asked:
                    key = item_key(
                        receives, question_of(statement), projection=None if view is None else view.projection,
                        anchors=case.trajectory_anchors, facts=case.world_state.facts,
                        reference_time=case.world_state.reference_time,
                    )  # fmt: skip
                    yield Expected(subject.loaded, attempt, statement, sample, key, view)

    def _bears(self, transform: str, statement: str) -> bool:
        return any(p.transform == transform and bears_on(p, statement) for p in self.plan.probes)

    def _fits(self, transform: str) -> bool:
        """Anchors and facts name what a renaming renames, so a judge that is shown them is not asked then."""
        renames = transform != ORIGINAL and TRANSFORMS[transform].renames
        return not (renames and {"anchors", "facts"} & self.seated.judge.receives)

    def _pairs(
        self, subject: Subject, statement: AnyStatement, shown: _Shown, said: Mapping[tuple[str, str], Sequence[Said]]
    ) -> Iterator[Pair]:
        for probe in self.plan.probes:
            if not bears_on(probe, statement.id):
                continue
            applies = shown.versions[probe.transform] is not None and self._fits(probe.transform)
            if not applies:
                yield Pair(probe, self.seated.id, statement.id, subject.family, False)
                continue
            before, after = said[(ORIGINAL, statement.id)][0], said[(probe.transform, statement.id)][0]
            seen = self._sees(probe.transform, shown)
            yield Pair(probe, self.seated.id, statement.id, subject.family, True, seen, before, after)

    def _sees(self, transform: str, shown: _Shown) -> bool:
        """Whether the change reaches the judge. One that is shown no session at all is blind to all of them, and counts."""
        if "projection" not in self.seated.judge.receives:
            return True
        was, now = (shown.projection(version, self.seated.preset) for version in (ORIGINAL, transform))
        return (was.query, was.answer, was.events) != (now.query, now.answer, now.events)


def _said(row: StoredVerdict | None) -> Said:
    return Said(None, _MISSING) if row is None else Said(row.answer, row.unscored, row.p, _CUT in row.flags)
