"""pass@k and pass^k against published figures and by counting subsets."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.measure.passk import CaseAttempts, Kind, mean_pass, pass_at_k, pass_hat_k

SHARED = Path(__file__).parents[2] / "shared" / "data"


def shared(name: str) -> Path:
    if not (SHARED / name).exists():
        pytest.skip("../shared/data is not beside this repository")
    return SHARED / name


@given(n=st.integers(1, 8), data=st.data())
def test_is_the_share_of_subsets(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == Fraction(sum(map(any, subsets)), len(subsets))
    assert pass_hat_k(n, c, k) == Fraction(sum(map(all, subsets)), len(subsets))


@pytest.mark.parametrize("task", ["input", "output"])
def test_cruxeval(task: str) -> None:
    found = json.loads((shared("cruxeval_pass_at_k") / f"codellama-7b_temp0.2_{task}.json").read_text())
    cases = [CaseAttempts(name, name, len(runs), sum(runs)) for name, runs in found["scored"].items()]
    for k in (1, 5):
        value = mean_pass("pass@k", cases, k, seed=1, resamples=200).estimate.value
        assert value is not None and 100 * value == pytest.approx(found["published"][f"pass_at_{k}"], abs=1e-9)


def tau() -> list[CaseAttempts]:
    runs: dict[str, list[bool]] = defaultdict(list)
    with (shared("tau_airline_pass_hat_k") / "rewards.csv").open() as lines:
        for row in csv.DictReader(lines):
            runs[row["task_id"]].append(float(row["reward"]) == 1)
    return [CaseAttempts(name, name, len(tries), sum(tries)) for name, tries in runs.items()]


@pytest.mark.parametrize(
    ("kind", "published"),
    # tau-bench README, airline, TC (gpt-4o): pass^k; pass@k from ../shared/data/tau_airline_pass_hat_k/SOURCE.md.
    [("pass^k", (0.420, 0.273, 0.220, 0.200)), ("pass@k", (0.420, 0.567, 0.660, 0.720))],
)
def test_tau_airline(kind: Kind, published: tuple[float, ...]) -> None:
    for k, value in enumerate(published, start=1):
        found = mean_pass(kind, tau(), k, seed=1, resamples=200).estimate
        assert found.value is not None and round(found.value, 3) == value
        assert found.low is not None and found.high is not None and found.low < value < found.high


def test_fewer_than_k_attempts_is_left_out_and_counted() -> None:
    assert pass_at_k(3, 3, 4) is None and pass_hat_k(3, 3, 4) is None
    cases = [CaseAttempts(f"c{i}", f"f{i}", 4, 2) for i in range(12)]
    short = [CaseAttempts("a", "a", 3, 3), CaseAttempts("b", "b", 0, 0), CaseAttempts("d", "d", 3, 0)]
    found = mean_pass("pass@k", cases + short, 4, seed=1)
    assert (found.cases, found.excluded) == (12, 3)
    assert found.reasons == ("1 with 0 of 4 attempts", "2 with 3 of 4 attempts")


def test_no_case_has_k_attempts() -> None:
    found = mean_pass("pass^k", [CaseAttempts("a", "a", 2, 2)], 5, seed=1)
    assert found.estimate.value is None and found.estimate.undefined == "0 of 1 cases have 5 attempts"
    assert found.excluded == 1 and found.estimate.name == "pass^5"


@pytest.mark.parametrize("successes", [0, 4])
def test_all_or_none_has_a_real_interval(successes: int) -> None:
    found = mean_pass("pass@k", [CaseAttempts(f"c{i}", f"f{i}", 4, successes) for i in range(30)], 2, seed=1).estimate
    assert found.low is not None and found.high is not None and found.high - found.low > 0.05
    assert found.low >= 0 and found.high <= 1


def test_families_of_cases_widen_the_interval() -> None:
    def width(size: int) -> float:
        cases = [CaseAttempts(f"c{i}", f"f{i // size}", 1, int(i // 4 % 2 == 0)) for i in range(160)]
        found = mean_pass("pass@k", cases, 1, seed=1, resamples=2000).estimate
        assert found.low is not None and found.high is not None
        return found.high - found.low

    assert width(4) > 1.7 * width(1)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="5 successes in 4 attempts"):
        CaseAttempts("a", "a", 4, 5)
    with pytest.raises(ValueError, match="at least 1"):
        pass_at_k(4, 2, 0)
