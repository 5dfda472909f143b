"""The frontier: by hand, against the definition, and its doubt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bench.measure.estimate import Estimate, undefined_estimate
from bench.policies.frontier import Point, frontier, undominated


def test_by_hand() -> None:
    points = [Point(0, 0.6, 0.0), Point(1, 0.7, 2.0), Point(2, 0.65, 3.0), Point(3, 0.5, 0.0), Point(4, 0.9, 9.0)]
    assert [point.place for point in undominated(points)] == [0, 1, 4]
    assert [point.place for point in undominated([Point(0, 0.6, 1.0), Point(1, 0.6, 1.0), Point(2, 0.6, 2.0)])] == [
        0,
        1,
    ]
    assert undominated([]) == ()


GRID = st.sampled_from([0.0, 0.5, 1.0, 2.0])


@given(st.lists(st.tuples(GRID, GRID), max_size=10))
def test_exactly_those_that_no_other_one_dominates(pairs: list[tuple[float, float]]) -> None:
    points = [Point(place, quality, spent) for place, (quality, spent) in enumerate(pairs)]

    def beaten(point: Point) -> bool:
        return any(
            other.quality >= point.quality
            and other.spent <= point.spent
            and (other.quality > point.quality or other.spent < point.spent)
            for other in points
        )

    assert {p.place for p in undominated(points)} == {p.place for p in points if not beaten(p)}


def test_a_step_says_whether_it_can_be_told_from_the_cheaper_one() -> None:
    gains = {
        (1, 0): Estimate("g", 0.1, -0.1, 0.3, "m", 9),
        (2, 1): Estimate("g", 0.2, 0.1, 0.3, "m", 9),
        (3, 2): undefined_estimate("g", "0 items"),
    }
    points = [Point(place, 0.5 + place / 10, float(place)) for place in range(4)]
    found = frontier("usd", points, [], lambda a, b: gains[a, b])
    assert [step.cannot_be_told for step in found.steps] == [False, True, False, True]
