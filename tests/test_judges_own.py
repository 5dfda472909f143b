"""A judge of the user's: what it may return, and what happens when it does something else."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.judges.contract import Item, Question, Verdict
from bench.judges.own import OwnJudge, load_own
from bench.problems import BrokenInput

YES_NO = Question("yes_no", "Is it so?", (("yes", "it is"), ("no", "it is not")))
SCORE = Question("score", "How good?", (("1", "bad"), ("2", "good")))
HEAD = "from bench.judges.contract import Verdict\n"
Load = Callable[..., OwnJudge]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Load:
    """Writes a class in a module of its own in the current folder, and loads it."""
    name = f"own_judge_{abs(hash(request.node.name))}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def made(body: str, *, top: str = "", cls: str = "Mine") -> OwnJudge:
        text = f"{HEAD}{top}\nclass Mine:\n    {body}\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        sys.modules.pop(name, None)
        return load_own(f"{name}:{cls}")

    yield made
    sys.modules.pop(name, None)


def method(code: str) -> str:
    return f"def judge(self, item, question): {code}"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return True", Verdict("yes")),
        ("return False", Verdict("no")),
        ("return Verdict('yes', p=0.8, evidence=(3,))", Verdict("yes", p=0.8, evidence=(3,))),
        ("return Verdict(unscored='abstained', detail='?')", Verdict(unscored="abstained", detail="?")),
    ],
)
def test_what_it_may_return(load: Load, code: str, expected: Verdict) -> None:
    assert load(method(code)).judge(Item(), [YES_NO, YES_NO], 0) == [expected, expected]


@pytest.mark.parametrize(
    ("code", "reason", "detail"),
    [
        ("return 'yes'", "unparsed", "returned str, not a Verdict, True or False"),
        ("return 'false'", "unparsed", "returned str"),
        ("return None", "unparsed", "returned NoneType"),
        ("return 1", "unparsed", "returned int"),
        ("return 0.7", "unparsed", "returned float"),
        ("return [True]", "unparsed", "returned list"),
        ("return Verdict", "unparsed", "returned type"),
        ("1 / 0", "error", "ZeroDivisionError: division by zero"),
        ("return Verdict()", "error", "exactly one of answer, unscored"),
        ("return Verdict('yes', p='high')", "error", "p is a number"),
        ("raise SystemExit(0)", "error", "SystemExit: 0"),
        ("return self.judge(item, question)", "error", "RecursionError"),
        ("raise ValueError('x' * 9000)", "error", "ValueError: xxx"),
    ],
)
def test_what_it_may_not(load: Load, code: str, reason: str, detail: str) -> None:
    (verdict,) = load(method(code)).judge(Item(), [YES_NO], 0)
    assert (verdict.answer, verdict.unscored) == (None, reason)
    assert detail in str(verdict.detail) and len(str(verdict.detail)) < 300


def test_a_truth_value_answers_yes_no_statements_only(load: Load) -> None:
    assert load(method("return True")).judge(Item(), [SCORE], 0)[0].unscored == "not_applicable"
    assert load(method("return Verdict('2')")).judge(Item(), [SCORE], 0)[0].answer == "2"


def test_one_failure_is_the_outcome_of_one_item(load: Load) -> None:
    judge = load(method("return {'yes_no': True}[question.type]"))
    assert [v.answer or v.unscored for v in judge.judge(Item(), [YES_NO, SCORE, YES_NO], 0)] == ["yes", "error", "yes"]


@pytest.mark.parametrize(
    ("body", "top", "cls", "found"),
    [
        (method("return True"), "", "Yours", "has no attribute 'Yours'"),
        (method("return True"), "", "", "AttributeError"),
        (method("return True"), "import nothing_of_that_name", "Mine", "No module named 'nothing_of_that_name'"),
        (method("return True"), "1 / 0", "Mine", "ZeroDivisionError"),
        (method("return True"), "raise SystemExit(0)", "Mine", "SystemExit"),
        (method("return (True"), "", "Mine", "SyntaxError"),
        ("def __init__(self, model): pass", "", "Mine", "TypeError"),
        ("def verdict(self): pass", "", "Mine", "the class has no method judge"),
        ("judge = True", "", "Mine", "the class has no method judge"),
        ("receives = 'projection'; " + "judge = lambda self, i, q: True", "", "Mine", "receives = projection"),
        ("receives = {'labels'}; " + "judge = lambda self, i, q: True", "", "Mine", "receives = {'labels'}"),
        ("fingerprint = lambda self: {1, 2}; judge = lambda self, i, q: True", "", "Mine", "its fingerprint() fails"),
        ("fingerprint = lambda self: 1 / 0; judge = lambda self, i, q: True", "", "Mine", "ZeroDivisionError"),
    ],
)
def test_a_class_that_cannot_be_used_is_told_why(load: Load, body: str, top: str, cls: str, found: str) -> None:
    with pytest.raises(BrokenInput) as caught:
        load(body, top=top, cls=cls)
    assert found in str(caught.value) and "to mend: " in str(caught.value)


@pytest.mark.parametrize("name", ["no_such_module_here:Mine", ":Mine", "a b:Mine", "..:Mine", "json:JSONDecoder"])
def test_a_name_that_leads_nowhere(name: str) -> None:
    with pytest.raises(BrokenInput):
        load_own(name)


def test_it_can_be_pickled(load: Load) -> None:
    judge = load(method("return True"))
    again = pickle.loads(pickle.dumps(judge))
    assert (again.name, again.receives, again.fingerprint()) == (judge.name, judge.receives, judge.fingerprint())
    assert again.judge(Item(), [YES_NO], 0) == [Verdict("yes")]


def test_an_edit_of_its_source_makes_another_judge(load: Load) -> None:
    prints = [load(method(code)).fingerprint() for code in ("return True", "return False", "return True")]
    assert prints[0] == prints[2] != prints[1]


def test_parts_that_it_declares(load: Load) -> None:
    assert load(method("return True")).receives == {"projection"}
    assert load("receives = {'anchors', 'facts'}; judge = lambda self, i, q: True").receives == {"anchors", "facts"}
    assert load("receives = (); judge = lambda self, i, q: i.projection is None").receives == frozenset()
