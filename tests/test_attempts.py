"""Sessions as attempts: which count, and pass^k of a real file by another loop."""

from __future__ import annotations

import io
import itertools
import json
import random
from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported import samples

from bench.measure.passk import CaseAttempts, mean_pass, pass_at_k, pass_hat_k
from bench.traces import tau_bench
from bench.traces.attempts import Grouped, group_attempts
from bench.traces.report import ImportReport, Recorded, Session
from bench.traces.rewards import answer_of, reward_of


def session(task: str | None, trial: int | None, *labels: tuple[str, str, str], partial: str | None = None) -> Session:
    recorded = tuple(Recorded(name, answer, by) for name, answer, by in labels)
    return Session("x", (), ImportReport("x"), task=task, trial=trial, recorded=recorded, partial=partial)


def rewarded(task: str, trial: int | None, answer: str, partial: str | None = None) -> Session:
    return session(task, trial, ("reward", answer, "environment"), partial=partial)


def counts(grouped: Grouped, at_least: float = 1.0) -> list[tuple[str, int, int, int]]:
    return [(task.task, len(task.attempts), task.scored, task.successes(at_least)) for task in grouped.tasks]


def test_a_broken_run_is_no_failure() -> None:
    runs = [
        rewarded("b", 1, "1"),
        rewarded("a", 0, "1"),
        rewarded("b", 0, "0", partial="error: limit"),
        session(None, 0),
    ]
    grouped = group_attempts(runs)
    assert counts(grouped) == [("a", 1, 1, 1), ("b", 2, 1, 1)]
    assert (grouped.reward, grouped.without_task, grouped.unscored) == ("reward", 1, {"error: limit": 1})
    assert [attempt.trial for attempt in grouped.tasks[1].attempts] == [0, 1]
    assert counts(group_attempts(runs, trust_broken=True)) == [("a", 1, 1, 1), ("b", 2, 2, 1)]


def test_what_has_no_reward_has_a_reason() -> None:
    runs = [
        rewarded("t", 0, "1"),
        session("t", 1),
        rewarded("t", 2, "unscored"),
        session("t", 3, ("reward", "1", "environment"), ("reward", "0", "environment")),
        rewarded("t", None, "1"),
    ]
    grouped = group_attempts(runs)
    assert [attempt.reason for attempt in grouped.tasks[0].attempts] == [
        None, "no reward", "the reward unscored is no number", "2 answers under the name reward", None,
    ]  # fmt: skip
    assert counts(grouped) == [("t", 5, 2, 2)]
    assert group_attempts([session("t", 0)]).unscored == {"no reward": 1}


def test_one_of_several_rewards_has_to_be_named() -> None:
    runs = [session("t", 0, ("exact", "C", "scorer"), ("judge", "I", "scorer"), ("target", "1", "dataset"))]
    with pytest.raises(ValueError, match="carry 2 rewards, name one of: exact, judge"):
        group_attempts(runs)
    assert counts(group_attempts(runs, "exact")) == [("t", 1, 1, 1)]
    assert counts(group_attempts(runs, "judge")) == [("t", 1, 1, 0)]


def test_a_trial_that_is_there_twice_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"2 attempts are there more than once \(trial 0 of task a, trial 1 of task b\)"
    ):
        group_attempts([rewarded(task, trial, "1") for task, trial in [("a", 0), ("b", 1)] * 2])
    assert counts(group_attempts([rewarded("a", None, "1")] * 2)) == [("a", 2, 2, 2)]  # nothing says they are one


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0),  # Inspect's value_to_float
        ("1", 1.0), ("0.25", 0.25), ("-1", -1.0), ("1e-05", 1e-05), ("true", 1.0), ("No", 0.0),
        ("unscored", None), ("", None), ("nan", None), ("inf", None), ("1_0", None), ("c", None), ("1e999", None),
        ("٣", None), (" 1", None),
    ],
)  # fmt: skip
def test_rewards(answer: str, reward: float | None) -> None:
    assert reward_of(answer) == reward


@given(st.integers(-(10**15), 10**15) | st.floats(-1e9, 1e9).map(lambda value: round(value, 6)))
def test_numbers_come_back(value: float) -> None:
    assert reward_of(answer_of(value)) == value


def test_answers() -> None:
    given_values = [1.0, 1, True, None, "C", 0.5, {"a": 1}, float("1e300")]
    assert [answer_of(value) for value in given_values] == [
        "1",
        "1",
        "true",
        "unscored",
        "C",
        "0.5",
        '{"a": 1}',
        "1e+300",
    ]


def test_the_bar_can_be_another() -> None:
    grouped = group_attempts([rewarded("t", trial, answer) for trial, answer in enumerate(["0.5", "0.9999999", "0.4"])])
    assert counts(grouped) == [("t", 3, 3, 1)] and counts(grouped, 0.5) == [("t", 3, 3, 2)]


def test_the_order_of_the_sessions_moves_nothing() -> None:
    runs = [rewarded(task, trial, str(trial % 2)) for task in "abc" for trial in range(4)]
    shuffled = random.Random(1).sample(runs, len(runs))
    assert group_attempts(shuffled) == group_attempts(runs)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_pass_of_a_real_file_by_an_independent_loop(k: int) -> None:
    (path,) = samples("tau_bench/*.json")
    raw = json.loads(path.read_bytes())
    rewards: dict[int, list[float]] = defaultdict(list)
    for run in raw:
        rewards[run["task_id"]].append(run["reward"])
    # Every choice of k trials is looked at: no formula is shared with what is tested.
    hat = [[all(r == 1 for r in chosen) for chosen in itertools.combinations(found, k)] for found in rewards.values()]
    at = [[any(r == 1 for r in chosen) for chosen in itertools.combinations(found, k)] for found in rewards.values()]
    grouped = group_attempts(tau_bench.read(io.BytesIO(path.read_bytes())))
    assert counts(grouped) == [("0", 4, 4, 0), ("1", 4, 4, 1), ("2", 4, 4, 1)]
    assert [pass_hat_k(t.scored, t.successes(), k) for t in grouped.tasks] == [Fraction(sum(h), len(h)) for h in hat]
    assert [pass_at_k(t.scored, t.successes(), k) for t in grouped.tasks] == [Fraction(sum(a), len(a)) for a in at]
    cases = [CaseAttempts(task.task, task.task, task.scored, task.successes()) for task in grouped.tasks]
    mean = mean_pass("pass^k", cases, k, seed=1, resamples=50).estimate.value
    assert mean == pytest.approx(sum(sum(h) / len(h) for h in hat) / 3)
