"""Controls, and what holds for every judge: pickle, other types of statements, verdicts, and nothing of the truth in sight."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any, get_args

import pytest

from bench.judges.contract import Item, Judge, Part, Question, Reason, Verdict, question_of, yes_or_no
from bench.judges.controls import AtLeast, Constant, prior
from bench.judges.registry import make_judge, names
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.running.run import ask_questions
from bench.schema.case import Anchors, Pattern
from bench.schema.event import Event
from bench.schema.statement import Choice, Level, Score, YesNo

MODELS = ("decision", "head", "llm")  # judges that are models have tests of their own
PARAMETERS = {"prior": {"p": "0.4"}, "length": {"at_least": "3"}, "prompts": {"at_least": "2"}}
YES_NO = Question("yes_no", "Is it so?", (("yes", "it is"), ("no", "it is not")))
SCORE = Question("score", "How good?", (("1", "bad"), ("2", "good")))
CHOICE = Question("choice", "Which?", (("mail", "m"), ("phone", "p")))
EVENTS = [
    Event(kind="prompt", origin="human", text="add it"),
    Event(kind="command", command="make", ok=True, output="ok"),
    Event(kind="prompt", origin="hook", text="formatted"),
    Event(kind="prompt", origin="human", text="thanks"),
]
ITEM = Item(project(PRESETS["events"], "q", "h", EVENTS), Anchors(expect=(Pattern(command="make"),)), {}, None)


def code() -> list[str]:
    return [name for name in names() if name not in MODELS]


def every_judge() -> list[Any]:
    return [pytest.param(make_judge(name, PARAMETERS.get(name, {}), Path()), id=name) for name in code()]


@pytest.mark.parametrize("judge", every_judge())
def test_every_judge_is_the_same_after_pickling(judge: Judge) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(judge, protocol))
        assert (again.name, again.receives, again.fingerprint()) == (judge.name, judge.receives, judge.fingerprint())
        assert list(again.judge(ITEM, [YES_NO], 0)) == list(judge.judge(ITEM, [YES_NO], 0))
    assert pickle.loads(pickle.dumps(judge)).name == judge.name  # also once it has judged


@pytest.mark.parametrize("judge", every_judge())
def test_every_judge_says_that_other_types_are_not_its_own(judge: Judge) -> None:
    verdicts = ask_questions(judge, ITEM, [SCORE, YES_NO, CHOICE], 0)
    assert [v.unscored for v in verdicts] == ["not_applicable", None, "not_applicable"]
    assert verdicts[1].answer in ("yes", "no")


@pytest.mark.parametrize("judge", every_judge())
def test_every_judge_gives_an_answer_or_a_reason_without_a_view(judge: Judge) -> None:
    (verdict,) = ask_questions(judge, Item(), [YES_NO], 0)
    assert (verdict.answer is None) == (judge.receives != frozenset())
    assert verdict.unscored in (None, "error")
    assert list(judge.judge(ITEM, [], 0)) == []


@pytest.mark.parametrize("judge", every_judge())
def test_every_fingerprint_is_plain_json_and_every_part_is_known(judge: Judge) -> None:
    assert json.loads(json.dumps(dict(judge.fingerprint()), allow_nan=False)) == judge.fingerprint()
    assert judge.receives <= set(get_args(Part))


def test_fingerprints_differ() -> None:
    judges = [make_judge(name, PARAMETERS.get(name, {}), Path()) for name in code()]
    judges += [make_judge("prior", {"p": "0.6"}, Path()), make_judge("length", {"at_least": "4"}, Path())]
    prints = [json.dumps(dict(judge.fingerprint()), sort_keys=True) for judge in judges]
    assert len(set(prints)) == len(prints)


def test_no_judge_can_see_the_truth_or_what_identifies_a_case() -> None:
    fields = {f.name for record in (Item, Question) for f in dataclasses.fields(record)}
    assert fields == {"projection", "anchors", "facts", "reference_time", "type", "text", "criteria"}
    hidden = {"label", "labels", "id", "family", "stratum", "note", "notes", "metadata", "split", "polarity", "weight"}
    assert not hidden & fields
    assert not hidden & {f.name for f in dataclasses.fields(ITEM.projection)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "module", sorted((Path(__file__).parents[1] / "bench/judges").glob("*.py")), ids=lambda p: p.stem
)
def test_no_judge_imports_labels_or_cases(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert not any(f"bench.{part}" in text for part in ("labels", "cases", "measure", "audits", "running", "report"))


def test_what_a_judge_sees_of_a_statement() -> None:
    common: dict[str, Any] = {"id": "x", "polarity": "must_not", "weight": 3.0, "critical": True}
    assert question_of(YesNo(**common, text="T", true="a", false="b")) == Question(
        "yes_no", "T", (("yes", "a"), ("no", "b"))
    )
    levels = (Level(level=1, meaning="bad"), Level(level=3, meaning="good"))
    assert question_of(Score(**common, type="score", text="T", levels=levels)).criteria == (("1", "bad"), ("3", "good"))
    choice = question_of(Choice(**common, type="choice", text="T", options={"a": "A", "b": "B"}))
    assert (choice.type, choice.answers) == ("choice", ("a", "b"))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "exactly one"),
        ({"answer": "yes", "unscored": "error"}, "exactly one"),
        ({"answer": True}, "an answer is a text, not bool"),
        ({"unscored": "dunno"}, "unscored is one of refused"),
        ({"answer": "yes", "p": "0.5"}, "p is a number, not str"),
        ({"answer": "yes", "p": True}, "p is a number, not bool"),
        ({"answer": "yes", "score": "high"}, "score is a number, not str"),
        ({"answer": "yes", "evidence": ("3",)}, "evidence is event numbers"),
    ],
)
def test_what_is_no_verdict(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Verdict(**fields)


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_makes_a_verdict(reason: Any) -> None:
    verdict = Verdict(unscored=reason)
    assert (verdict.answer, verdict.p, verdict.score) == (None, None, None)


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict("maybe"),
        Verdict("Yes"),
        Verdict(""),
        Verdict("yes", p=1.52),
        Verdict("yes", p=-0.1),
        Verdict("yes", p=float("nan")),
        Verdict("yes", score=float("inf")),
        Verdict("yes", score=float("nan")),
    ],
)
def test_what_is_out_of_range_is_no_answer(verdict: Verdict) -> None:
    @dataclasses.dataclass
    class Says:
        name: str = "says"
        receives: frozenset[Part] = frozenset()

        def fingerprint(self) -> dict[str, Any]:
            return {}

        def judge(self, item: Item, questions: Any, sample: int) -> list[Verdict]:
            return [verdict]

    (told,) = ask_questions(Says(), Item(), [YES_NO], 0)
    assert (told.answer, told.unscored, told.p, told.score) == (None, "out_of_range", None, None)


def test_constants() -> None:
    assert [Constant("c", a).judge(Item(), [YES_NO], 0)[0] for a in ("yes", "no")] == [Verdict("yes"), Verdict("no")]


@pytest.mark.parametrize(("p", "answer"), [(0.0, "no"), (0.4999, "no"), (0.5, "yes"), (1.0, "yes")])
def test_the_prior(p: float, answer: str) -> None:
    assert prior(p).judge(Item(), [YES_NO], 0) == [Verdict(answer, p=p)]


@pytest.mark.parametrize(
    ("count", "value"),
    [("events", 4.0), ("prompts", 2.0)],  # a hook's text was typed by nobody
)
def test_counts(count: str, value: float) -> None:
    for threshold in (0, 1, 2, 3, 4, 5):
        (verdict,) = AtLeast("n", count, threshold).judge(ITEM, [YES_NO], 0)
        assert (verdict.answer, verdict.score) == (yes_or_no(value >= threshold), value)


def test_length_counts_events_that_were_cut_as_well() -> None:
    view = project(PRESETS["naive-80"], "q", "h", [EVENTS[1]] * 200)
    assert AtLeast("n", "events", 200).judge(Item(view), [YES_NO], 0)[0].score == 200.0
