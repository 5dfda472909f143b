"""Policy files: what each way of writing a policy stands for, and that every mistake has its line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.policies.files import policy_named, read_policies
from bench.problems import BrokenInput

HEAD = "schema: 1\npolicies:\n"


def written(folder: Path, *entries: str) -> Path:
    path = folder / "policies.yaml"
    path.write_text(HEAD + "".join(f"  - {{{entry}}}\n" for entry in entries), encoding="utf-8")
    return path


def limits(path: Path) -> list[tuple[str, float | None, float | None]]:
    return [(one.id, one.policy.promote_at, one.policy.discard_at) for one in read_policies(path, ("a",))[0]]


WRITTEN = {
    "promote_at: 0.6": [("p", 0.6, None)],
    "promote_at: 0": [("p", 0.0, None)],
    "discard_at: 0.1": [("p", None, 0.1)],
    "promote_at: 0.6, discard_at: 0.4": [("p", 0.6, 0.4)],
    "threshold: 0.6": [("p", 0.6, None)],
    "threshold: 0.6, margin: 0.1": [("p", 0.7, 0.5)],  # as decimals: .6 + .1 is .7
    "threshold: 4.2, margin: 0.1": [("p", 4.3, 4.1)],
    "thresholds: {from: 0.1, to: 0.3, step: 0.1}": [("p@0.1", 0.1, None), ("p@0.2", 0.2, None), ("p@0.3", 0.3, None)],
    "thresholds: {from: 0.5, to: 0.6, step: 0.1}, margin: 0.2": [("p@0.5", 0.7, 0.3), ("p@0.6", 0.8, 0.4)],
}


@pytest.mark.parametrize("text", WRITTEN)
def test_stands_for(text: str, tmp_path: Path) -> None:
    assert limits(written(tmp_path, f"id: p, statements: [a], {text}")) == WRITTEN[text]


def test_keeps_order_notes_and_every_field(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "id: z, note: the first, statements: [a, b], weights: {a: 2}, must_not: [b], floors: {a: 0.5}, "
        "minimum_certainty: 0.6, promote_at: 0.7, right_when: [c]",
        "id: a, statements: [a], combine: minimum, promote_at: 0.5",
    )
    first, second = read_policies(path, ("d", "e"))[0]
    assert (first.id, first.note, second.id, second.note) == ("z", "the first", "a", None)
    assert first.policy.right_when == ("c",) and second.policy.right_when == ("d", "e")
    assert (first.policy.weights, first.policy.must_not, first.policy.floors) == ({"a": 2.0}, ("b",), {"a": 0.5})
    assert (first.policy.minimum_certainty, second.policy.combine) == (0.6, "minimum")


BROKEN = {  # an entry -> a word of the field, and words of what is said
    "id: p, statements: [a], treshold: 0.6": ("policies[0].treshold", "did you mean threshold?"),
    "id: p, statements: [a], promote_at: high": ("promote_at", "plain decimal number"),
    "id: p, statements: [a], promote_at: .6": ("promote_at", "plain decimal number"),
    "id: p, statements: [], promote_at: 0.6": ("statements", "add entries"),
    "id: p, promote_at: 0.6": ("statements", "missing"),
    "id: p, statements: [a], threshold: 0.6, promote_at: 0.6": ("policies[0]", "threshold and promote_at"),
    "id: p, statements: [a], threshold: 0.6, thresholds: {from: 0, to: 1, step: 0.1}": ("policies[0]", "keep one"),
    "id: p, statements: [a], margin: 0.1": ("policies[0]", "a margin needs a threshold"),
    "id: p, statements: [a], threshold: 0.6, margin: 0": ("margin", "greater than 0"),
    "id: p, statements: [a], thresholds: {from: 0.9, to: 0.1, step: 0.1}": ("thresholds", "lies under"),
    "id: p, statements: [a], thresholds: {from: 0, to: 1, step: 0.0001}": ("thresholds", "take a larger step"),
    "id: p, statements: [a], thresholds: {from: 0, to: 1, step: 0}": ("thresholds", "must be over 0"),
    "id: p, statements: [a], promote_at: 0.4, discard_at: 0.6": ("policies[0]", "must lie under promote_at"),
    "id: p, statements: [a], promote_at: 0.6, floors: {b: 0.5}": ("policies[0]", "none of the policy's statements"),
    "id: p, statements: [a], promote_at: 0.6, floors: {a: 1.5}": ("floors.a", "less than or equal to 1"),
    "id: p, statements: [a, a], promote_at: 0.6": ("policies[0]", "an id stands twice"),
    "id: p, statements: [a], combine: median, promote_at: 0.6": ("combine", "'mean', 'product' or 'minimum'"),
    "id: p, statements: [a]": ("promote_at", "nothing is ever decided"),
    "id: p p, statements: [a], promote_at: 0.6": ("policies[0].id", "letters, digits"),
    "id: p, statements: [a], promote_at: 0.6, note: ": ("note", "an empty value"),
}


@pytest.mark.parametrize("text", BROKEN)
def test_refuses_with_line_and_field(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, "id: good, statements: [a], promote_at: 0.6", text)
    with pytest.raises(BrokenInput) as refusal:
        read_policies(path, ("a",))
    problem = refusal.value.problems[0]
    field, words = BROKEN[text]
    assert (problem.file, problem.line) == (path.as_posix(), 4)
    assert field.replace("policies[0]", "policies[1]") in str(problem.field)
    assert words in str(problem)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    again = [f"id: q, statements: [a], promote_at: {limit}" for limit in (0.6, 0.7)]
    path = written(tmp_path, "id: p, statements: [a]", *again)
    with pytest.raises(BrokenInput) as refusal:
        read_policies(path, ("a",))
    assert [(p.line, p.field) for p in refusal.value.problems] == [(3, "policies[0].promote_at"), (5, "policies[2].id")]


def test_a_family_may_not_take_the_name_of_another(tmp_path: Path) -> None:
    family = "id: p, statements: [a], thresholds: {from: 0.1, to: 0.2, step: 0.1}"
    with pytest.raises(BrokenInput, match=r"p@0\.1 for the second time"):
        read_policies(written(tmp_path, family, family), ("a",))


def test_what_makes_a_promotion_right_must_be_known(tmp_path: Path) -> None:
    with pytest.raises(BrokenInput, match=r"field policies\[0\]\.right_when: the field is missing"):
        read_policies(written(tmp_path, "id: p, statements: [a], promote_at: 0.6"))


@pytest.mark.parametrize(
    "text", ["", "schema: 1\n", "schema: 1\npolicies: []\n", "schema: 2\npolicies: [{}]\n", "- a\n"]
)
def test_no_policy_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "policies.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenInput):
        read_policies(path, ("a",))


def test_one_policy_by_file_and_id(tmp_path: Path) -> None:
    path = written(tmp_path, "id: p, statements: [a], floors: {a: 0.5}", "id: q, statements: [a], promote_at: 0.6")
    assert policy_named(f"{path.as_posix()}:q", ("a",)).promote_at == 0.6
    undecided = policy_named(f"{path.as_posix()}:p", ("a",))  # thresholds come from elsewhere
    assert (undecided.promote_at, undecided.floors) == (None, {"a": 0.5})
    for text, words in ((f"{path.as_posix()}:r", "no policy 'r'"), ("q", "no FILE:ID"), (":q", "no FILE:ID")):
        with pytest.raises(BrokenInput, match=words):
            policy_named(text, ("a",))
