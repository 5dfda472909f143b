"""The sessions that may be labelled next, and what the judges said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench import __version__
from bench.problems import CannotDecide
from bench.reading.canonical import digest
from bench.schema.statement import YesNo
from bench.triage.design import DIRECTED, DISAGREEMENT, UNCERTAINTY, Drawn, Unit, draw, shuffled
from bench.triage.files import Head, JudgeOfPool, PickRecord, StratumDrawn, Triage, answer_word
from bench.triage.scores import Said, disagreement, uncertainty

DEFAULT_THRESHOLDS = (0.5,)


@dataclass(frozen=True)
class Session:
    """One unlabelled session: its item id, where a person finds it, its stratum, and what each judge said of it."""

    item: str
    place: str
    stratum: str
    said: Mapping[str, Said]  # by judge_id; judges that were not asked are absent


@dataclass(frozen=True)
class Pool:
    """All sessions that one statement may be labelled on next. ``passed_over`` says what was left out, and why."""

    source: str
    statement: YesNo
    judges: tuple[str, ...]  # judge_ids
    sessions: tuple[Session, ...]
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What to draw; ``thresholds`` are where a decision turns."""

    size: int
    random_share: float
    seed: int
    thresholds: tuple[float, ...] = DEFAULT_THRESHOLDS


def draw_triage(pool: Pool, wanted: Wanted) -> Triage:
    """The draw, as it is kept. Raises CannotDecide where there is nothing to draw from."""
    units = [
        Unit(one.item, one.stratum, {
            DISAGREEMENT: disagreement(one.said), UNCERTAINTY: uncertainty(one.said, wanted.thresholds),
        })
        for one in pool.sessions
    ]  # fmt: skip
    drawn = draw(units, wanted.size, wanted.random_share, wanted.seed)
    idle = [name for name in DIRECTED if not any(unit.scores[name] for unit in units)]
    head = _head(pool, wanted, drawn).model_copy(update={"idle": tuple(idle)})
    return Triage(head=head, picks=tuple(_picks(pool, wanted, drawn)))


def listed(triage: Triage) -> list[tuple[str, str]]:
    """(item, session) in an order that neither chance nor component enters."""
    order = shuffled([pick.item for pick in triage.picks], triage.head.seed)
    return [(triage.picks[i].item, triage.picks[i].session) for i in order]


def one_judge(pool: Pool, judge: str) -> Pool:
    """The pool with the verdicts of one judge alone, whose threshold is meant."""
    if judge not in pool.judges:
        known = ", ".join(pool.judges) or "none"
        raise CannotDecide(f"the certificate is of {judge}, which has no verdicts on these sessions; there are {known}")
    sessions = tuple(
        Session(s.item, s.place, s.stratum, {
            name: said if name == judge else Said(said.yes) for name, said in s.said.items()
        })
        for s in pool.sessions
    )  # fmt: skip
    return Pool(pool.source, pool.statement, pool.judges, sessions, pool.passed_over)


def _head(pool: Pool, wanted: Wanted, drawn: Drawn) -> Head:
    strata = tuple(StratumDrawn(name=name, units=many, taken=taken) for name, (many, taken) in drawn.strata.items())
    return Head(
        bench=__version__,
        statement=pool.statement.id,
        text=pool.statement.text,
        source=pool.source,
        units=len(pool.sessions),
        pool=digest(sorted(one.item for one in pool.sessions)),
        strata=strata,
        judges=tuple(_told(pool.sessions, judge) for judge in pool.judges),
        thresholds=wanted.thresholds,
        seed=wanted.seed,
        size=wanted.size,
        random_share=wanted.random_share,
        expected=drawn.expected,
    )


def _told(sessions: Sequence[Session], judge: str) -> JudgeOfPool:
    answers = [one.said[judge].yes if judge in one.said else None for one in sessions]
    return JudgeOfPool(id=judge, yes=answers.count(True), no=answers.count(False), unscored=answers.count(None))


def _picks(pool: Pool, wanted: Wanted, drawn: Drawn) -> list[PickRecord]:
    return [
        PickRecord.model_validate({
            "item": one.item,
            "session": one.place,
            "stratum": pick.chances.stratum,
            "components": pick.components,
            "probability": min(pick.chances.total, 1.0),
            "chances": dict(pick.chances.by_component),
            "said": {j: answer_word(one.said[j].yes) if j in one.said else None for j in pool.judges},
            "seed": wanted.seed,
        })
        for pick in drawn.picks
        for one in (pool.sessions[pick.unit],)
    ]  # fmt: skip
