"""False certificates stay under their level in every cell of a part of the grid; the simulation does what sequence.py does."""

from __future__ import annotations

import numpy as np
import pytest
from certificate_populations import FAMILIES, GRID, JUDGES, PATH, Place, population
from certificate_simulation import OBSERVED, Draws, draw, outcomes, table

from bench.certifying.evidence import drawn_items
from bench.certifying.sequence import ADJUSTED, BETTING, ONE_ITEM, walk_path

DRAWS = 2_000
# Where errors are most likely: exactly the target, and the good judge, whose cells must show that it can be certified.
PART = [place for place in GRID if place.truth in ("at", "good") and place.items in (60, 200)]


@pytest.mark.long
def test_false_certificates_stay_under_their_level() -> None:
    cells = [cell for cell in table(PART, DRAWS) if cell.method != OBSERVED]
    # A cell at a rate of .047, the level of 0 wrong of 29, exceeds two Monte-Carlo errors once in 300 by chance alone:
    # what exceeds is drawn again, five times as often, and must then hold.
    doubtful = list(dict.fromkeys(cell.place for cell in cells if not cell.held))
    again = [cell for cell in table(doubtful, 5 * DRAWS, seed=1) if cell.method != OBSERVED and not cell.held]
    print(f"{len(cells)} cells, {len(doubtful)} places drawn again, worst {max(c.false / c.draws for c in cells):.4f}")
    assert len(doubtful) <= 5
    assert [str(cell) for cell in again] == []
    good = [
        cell for cell in cells if cell.place.truth == "good" and cell.place.items == 200 and cell.place.ties.name == "1"
    ]
    assert max(cell.issued / cell.draws for cell in good if cell.method == ONE_ITEM) > 0.8


@pytest.mark.long
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("ties", FAMILIES, ids=lambda ties: ties.name)
def test_draws_agree_with_the_tested_path(judge: str, ties: object) -> None:
    place = next(p for p in GRID if (p.judge, p.ties, p.truth, p.items, p.target) == (judge, ties, "at", 200, 0.2))
    compared = 0
    for begin in (0, population(place).key_point):
        compared += sum(agreements(place, begin, draws=10))
    assert compared == 60


def agreements(place: Place, begin: int, draws: int) -> list[bool]:
    """For each draw and method whether both certify the same threshold."""
    people = population(place)
    rows = draw(people, draws, np.random.default_rng([7, begin]))
    family = np.broadcast_to(np.arange(rows.first.shape[1])[:, None], rows.first.shape[1:])
    seen, picked = [], np.zeros_like(rows.there)
    for number in range(draws):
        there = rows.there[number]
        # Any score with the same place on the path; what lies beyond it is never selected.
        scores = np.array([*PATH, -1.0])[rows.first[number]][there]
        wrong, names = rows.wrong[number][there], family[there]
        seen.append((scores, wrong, names))
        picked[number][there] = drawn_items(scores, wrong, names, 11)
    fast = outcomes(Draws(rows.first, rows.wrong, rows.there, picked), place.target, begin)
    found = []
    for number, (scores, wrong, names) in enumerate(seen):
        for method in (ONE_ITEM, BETTING, ADJUSTED):
            slow = walk_path(
                scores, wrong, names, PATH[begin:], place.target, 0.05,
                method=method, seed=11, largest_family=place.ties.largest, side="high",
            )  # fmt: skip
            point = fast[method][number]
            found.append(slow.threshold == (None if point < 0 else PATH[point]))
    return found
