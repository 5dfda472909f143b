"""The judge: answers its statement word by word, cites events, is picklable, quick and the same each time."""

from __future__ import annotations

import pickle
import statistics
import time
from dataclasses import replace
from pathlib import Path

import pytest
from head_sessions import QUESTION, head, head_file, head_tree, seen_by_a_judge

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.judges.contract import Item, Question, question_of
from bench.judges.head.judge import HeadJudge
from bench.judges.registry import make_judge
from bench.problems import BrokenInput
from bench.running.identity import judge_id

PROMPT = {"kind": "prompt", "origin": "human", "text": "Add the footer."}
CALL = {"kind": "command", "command": "make test", "ok": True, "exit_code": 0, "exit_source": "text"}
FAIL = {**CALL, "ok": False, "exit_code": 1}
CORRECTION = {"kind": "prompt", "origin": "human", "text": "no, use pnpm"}
SESSION = seen_by_a_judge(PROMPT, CALL, FAIL, CORRECTION, CALL, {"kind": "message", "text": "Done."})
JUDGE = HeadJudge(head())


def test_a_yes_has_a_probability_and_the_events_that_weighed_most() -> None:
    (verdict,) = JUDGE.judge(Item(SESSION), [QUESTION], 0)
    assert verdict.answer == "yes"
    assert verdict.p == JUDGE.head.probability(JUDGE.head.logit(SESSION))
    assert verdict.certainty == pytest.approx(2 * (verdict.p or 0) - 1, abs=1e-6)
    assert verdict.evidence == (3, 4)  # the failure and the correction; nothing else has a weight above 0


def test_a_no_cites_nothing() -> None:
    (verdict,) = HeadJudge(head(bias=-9.0)).judge(Item(SESSION), [QUESTION], 0)
    assert (verdict.answer, verdict.evidence) == ("no", ())


def test_cited_events_are_numbers_of_the_attempt() -> None:
    cut = replace(SESSION, numbers=tuple(range(11, 17)), total=16)
    assert JUDGE.judge(Item(cut), [QUESTION], 0)[0].evidence == (13, 14)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (replace(QUESTION, text=QUESTION.text + "."), "other words"),
        (replace(QUESTION, text=QUESTION.text.replace("l", "L", 1)), "other words"),
        (replace(QUESTION, text=QUESTION.text + " "), "other words"),
        (replace(QUESTION, criteria=(("yes", "One can be written!"), QUESTION.criteria[1])), "other criteria"),
        (Question("score", QUESTION.text, (("1", "bad"), ("2", "good"))), "not score"),
    ],
)
def test_any_other_statement_is_not_applicable(question: Question, told: str) -> None:
    refused, answered = JUDGE.judge(Item(SESSION), [question, QUESTION], 0)
    assert (refused.unscored, refused.p) == ("not_applicable", None)
    assert told in (refused.detail or "")
    assert answered.answer == "yes"


def test_no_projection_is_an_error() -> None:
    assert JUDGE.judge(Item(), [QUESTION], 0)[0].unscored == "error"


def test_an_empty_session_is_judged() -> None:
    assert JUDGE.judge(Item(seen_by_a_judge()), [QUESTION], 0)[0].answer in ("yes", "no")


def test_a_pickled_judge_judges_the_same() -> None:
    JUDGE.fingerprint()
    copy = pickle.loads(pickle.dumps(JUDGE))
    assert copy.fingerprint() == JUDGE.fingerprint()
    assert copy.judge(Item(SESSION), [QUESTION], 0) == JUDGE.judge(Item(SESSION), [QUESTION], 0)


def test_every_weight_moves_the_identity_and_words_about_the_head_do_not() -> None:
    own = judge_id(JUDGE, "events@1")
    assert judge_id(HeadJudge(head(about="Other words.")), "events@1") == own
    assert judge_id(HeadJudge(head(bias=-0.5001)), "events@1") != own
    changed = {**head_tree()["training"], "digest": "1" * 64}
    assert judge_id(HeadJudge(head(training=changed)), "events@1") != own


def test_the_registry_reads_the_file_that_path_names(tmp_path: Path) -> None:
    head_file(tmp_path)
    judge = make_judge("head", {"path": "head.json"}, tmp_path)
    assert judge.name == "head:lesson"
    assert judge.fingerprint() == JUDGE.fingerprint()


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({}, "parameter path"),
        ({"path": "no.json"}, "cannot be read"),
        ({"path": "head.json", "p": "1"}, "parameter p"),
    ],
)
def test_wrong_parameters_are_told(parameters: dict[str, str], told: str, tmp_path: Path) -> None:
    head_file(tmp_path)
    with pytest.raises(BrokenInput, match=told):
        make_judge("head", parameters, tmp_path)


def test_a_thousand_events_take_less_than_50_ms() -> None:
    text = "It turns out that the host was slow, because nobody said so. " * 20
    calls = [{**FAIL, "command": f"make {i}", "output": text} for i in range(500)]
    events = [PROMPT, *calls, *[{"kind": "message", "text": text}] * 499]
    session = seen_by_a_judge(*events)
    times = []
    for _ in range(5):
        start = time.process_time()
        JUDGE.judge(Item(session), [QUESTION], 0)
        times.append(time.process_time() - start)
    assert statistics.median(times) < 0.05


SHIPPED = Path(__file__).parent.parent / "cases" / "lessons"


@pytest.mark.parametrize("statement", ["reusable-lesson", "correction"])
def test_the_shipped_heads_answer_the_suite_as_it_stands_and_come_from_development(statement: str) -> None:
    suite = load_suite(Layout(SHIPPED)).suite
    judge = make_judge("head", {"path": f"heads/{statement}.json"}, SHIPPED)
    asked = {s.id: question_of(s) for s in suite.statements}
    verdicts = judge.judge(Item(SESSION), list(asked.values()), 0)
    assert [name for name, verdict in zip(asked, verdicts, strict=True) if verdict.answer is not None] == [statement]
    assert isinstance(judge, HeadJudge)
    assert (judge.head.training.split, judge.head.training.suite) == (
        "development",
        f"{suite.id}@1.0",
    )  # 1.1 has its data
