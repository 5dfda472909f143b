"""How often a calibrator is kept that should not be, and whether one that is kept helps on fresh rows, by simulation."""

from __future__ import annotations

import pytest
from recalibration_grid import BLIND, CALIBRATED, CERTAIN, OVERCONFIDENT, SHIFTED, Cell, simulate

pytestmark = pytest.mark.long
TRIALS = 150
# One standard error of a gain that is not there would be passed in 16 of 100; fitting costs, so that it is fewer.
MOST_KEPT = 0.10


@pytest.mark.parametrize("family", [1, 2])
@pytest.mark.parametrize("judge", [CALIBRATED, CERTAIN, BLIND], ids=lambda judge: judge.name)
@pytest.mark.parametrize("rows", [60, 200])
def test_a_map_that_cannot_help_is_seldom_kept(judge, rows: int, family: int) -> None:  # type: ignore[no-untyped-def]
    found = simulate(Cell(judge, rows, family), TRIALS, seed=11)
    print(judge.name, rows, family, found.kept / found.decided)
    assert found.refused == 0
    assert found.worse == found.kept  # nothing helps a judge that is right
    assert found.kept / found.decided <= MOST_KEPT


@pytest.mark.parametrize("judge", [OVERCONFIDENT, SHIFTED], ids=lambda judge: judge.name)
@pytest.mark.parametrize("rows", [60, 200])
def test_a_map_that_is_kept_helps_where_the_judge_is_off(judge, rows: int) -> None:  # type: ignore[no-untyped-def]
    found = simulate(Cell(judge, rows), TRIALS, seed=12)
    print(judge.name, rows, found.kept / found.decided, found.worse / max(found.kept, 1))
    assert found.worse / found.kept <= 0.12
    assert sum(found.saved) / len(found.saved) > 0.02
    assert found.kept / found.decided >= (0.9 if rows == 200 else 0.25)
