"""The page about the simulated certificates, made from its cells alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from certificate_populations import COPIES, EFFECT, FAMILIES, JUDGES, LARGER_WORSE, PATH, TRUTHS
from scipy.special import bdtr

from bench.certifying.sequence import ADJUSTED, BETTING, ONE_ITEM

if TYPE_CHECKING:
    from certificate_simulation import Cell

TESTS = (ONE_ITEM, BETTING, ADJUSTED)
OBSERVED = "observed share"
SHOWN = ("1", "2, shared draws", "4, random effect")
TOLD = {
    "over-confident": "scores pushed to 0 and 1",
    "under-confident": "scores pulled to the middle: strict thresholds select few rows",
    "grid of .1": "scores rounded to .1, so that they tie",
    "rare positives": "a tenth of all items is yes",
    "worst first": "the highest scores are wrong most often",
    "flat": "the score says nothing: the same share is wrong at every threshold",
}


def page(cells: Sequence[Cell], delta: float, seed: int) -> str:
    """The text of reports/certificates/simulation.md."""
    parts = (
        _summary(cells, delta),
        _drawn(cells[0].draws, delta, seed),
        _false(cells),
        _issued(cells),
        _observed(cells),
    )
    return "\n".join(line for part in parts for line in part)


def _summary(cells: Sequence[Cell], delta: float) -> Iterator[str]:
    yield "# False certificates, simulated"
    yield ""
    for told, methods in (("Finite sample", (ONE_ITEM, BETTING)), ("Validated by simulation", (ADJUSTED,))):
        tested = [cell for cell in cells if cell.method in methods and cell.can_err]
        worst = max(tested, key=_rate)
        yield (
            f"* {told} ({', '.join(methods)}): **{sum(cell.held for cell in tested)} of {len(tested)} cells hold**, each by "
            f"itself, with false certificates in at most {_told(worst.limit, 4)} of its draws ({_told(delta)} and two "
            f"Monte-Carlo errors); in {sum(cell.issued > 0 for cell in tested)} of them certificates were issued. "
            f"The worst: {_told(_rate(worst), 4)} ({_where(worst)}, {worst.method})."
        )
    here = [cell for cell in cells if cell.can_err and cell.path == "whole"]
    by_judge = {judge: [cell for cell in here if cell.place.judge == judge] for judge in JUDGES}
    missed = ", ".join(f"{judge} {_sums(of, OBSERVED)[1]}" for judge, of in by_judge.items())
    false = ", ".join(f"{judge} {_sums(of, ONE_ITEM)[2]}" for judge, of in by_judge.items())
    yield (
        "* The rule without a guarantee, the loosest threshold at which the observed share of right answers reaches what is "
        f"wanted, recommends a threshold in {_sums(here, OBSERVED)[0]} of the draws in which the whole path holds bad "
        f"thresholds. **Of its recommendations miss what they promise: {missed}.** Of all these draws the exact test "
        f"({ONE_ITEM}) gives a false certificate in: {false}."
    )
    yield ""


def _drawn(draws: int, delta: float, seed: int) -> Iterator[str]:
    yield "## What was drawn"
    yield ""
    yield (
        f"{draws:,} data sets a cell, seed {seed}, delta {_told(delta)}, made by `make certificates` "
        "(`tests/long/certificate_simulation.py`). All cells are in `simulation.csv`."
    )
    yield ""
    yield f"* Items: 60, 200, 400. Targets: .10, .20. Path: {len(PATH)} thresholds from {PATH[0]:g} to {PATH[-1]:g}."
    yield "* Judges: " + "; ".join(f"**{judge}** ({TOLD[judge]})" for judge in JUDGES) + "."
    yield (
        f"* Families: {'; '.join(ties.name for ties in FAMILIES)}. Shared draws: two items of a family have the same draw "
        f"with chance {_told(COPIES)}, in score and in error. Random effect: their normal scores are correlated "
        f"{_told(EFFECT)}. Larger ones worse: families of 1, 2, 3, 4 are wrong "
        f"{', '.join(f'{times:g}' for times in LARGER_WORSE)} times as often, so that the item-weighted share lies above "
        "the family-weighted one."
    )
    truths = (
        f"**{name}** ({times:g} x target{f' + {more:g}' if more else ''})" for name, (times, more) in TRUTHS.items()
    )
    yield (
        f"* True share wrong at the key point, a threshold on the path: {'; '.join(truths)}. The key point is the loosest "
        "for worst first and flat, else the one that selects nearest to half of all items (.08 with rare positives). On "
        "the whole path stricter thresholds may be good; from the key point on the first threshold is the bad one."
    )
    yield (
        "* The true share is exact: a population has 2,000 equally likely atoms (score, chance of being wrong), and what "
        "ties a family leaves each item's own distribution alone. Tied scores are selected whole. The share is that of the "
        f"claim: family-weighted for {ONE_ITEM}, else item-weighted. A certificate at exactly the target counts as false."
    )
    yield (
        "* The start, at the first threshold with enough selected rows, is part of the simulation. It looks at the same "
        "rows as the tests, never at labels. Were it to stop at single rows, and only perfect ones pass, the level would be "
        "at most that of the smallest number that can pass (29 at .10: .0471), whatever the order of good and bad, and the "
        "flat judge would be the worst. Where the key point selects all items (worst first, flat) the level of a path from "
        "there is the binomial one, .048 for 50 families at .20."
    )
    yield ""


def _false(cells: Sequence[Cell]) -> Iterator[str]:
    yield "## False certificates"
    yield ""
    yield "Cells with a bad threshold on the path; a cell is one population, number of items and path."
    yield ""
    yield "| judge | method | cells that hold | worst cell | false certificates there |"
    yield "|---|---|---|---|---|"
    for judge in JUDGES:
        for method in TESTS:
            tested = [c for c in cells if c.place.judge == judge and c.method == method and c.can_err]
            worst, held = max(tested, key=_rate), sum(cell.held for cell in tested)
            where = _where(worst).removeprefix(f"{judge}, ")
            yield f"| {judge} | {method} | {held} of {len(tested)} | {where} | {_told(_rate(worst), 4)} |"
    yield ""
    failed = sorted((cell for cell in cells if cell.method in TESTS and not cell.held), key=_rate, reverse=True)
    yield f"Cells that do not hold: {len(failed) or 'none'}."
    if failed:
        yield ""
        yield "| cell | method | false certificates | limit |"
        yield "|---|---|---|---|"
        for cell in failed:
            yield f"| {_where(cell)} | {cell.method} | {_told(_rate(cell), 4)} | {_told(cell.limit, 4)} |"
    yield ""


def _issued(cells: Sequence[Cell]) -> Iterator[str]:
    yield "## How often a good judge is certified"
    yield ""
    yield (
        "A quarter of the target is wrong at the key point. Share of draws with a certificate: "
        f"{' / '.join(TESTS)}. The first testable threshold decides: with 29 rows, where none may be wrong at .10, it passes "
        f"in {_told(float(bdtr(0, 29, 0.025)))} of the draws at this error, with 61, where two may be, in "
        f"{_told(float(bdtr(2, 61, 0.025)))}. A path that begins where development expects more rows is certified more often."
    )
    yield ""
    yield "| judge | target | items | " + " | ".join(f"families of {name}" for name in SHOWN) + " |"
    yield "|---|---|---|" + "---|" * len(SHOWN)
    found = {
        (c.place.judge, c.place.target, c.place.items, c.place.ties.name, c.method): c.issued / c.draws
        for c in cells
        if c.place.truth == "good"
    }
    for judge, target, items in dict.fromkeys((place[0], place[1], place[2]) for place in found):
        shown = [" / ".join(_told(found[judge, target, items, name, m]) for m in TESTS) for name in SHOWN]
        yield f"| {judge} | {_told(target)} | {items} | " + " | ".join(shown) + " |"
    yield ""


def _observed(cells: Sequence[Cell]) -> Iterator[str]:
    yield "## What the observed share promises"
    yield ""
    yield (
        "Whole path; all numbers of items, families and targets of a line together. Issued: share of draws with a "
        "recommended threshold, or a certificate. Missed: the share of those whose true share wrong is the target or more. "
        "For a test, too, this share has no guarantee: what is guaranteed is false certificates among all draws."
    )
    yield ""
    yield f"| judge | truth at the key point | observed share: issued, missed | {ONE_ITEM}: issued, missed, false of all |"
    yield "|---|---|---|---|"
    for judge in JUDGES:
        for truth in TRUTHS:
            here = [c for c in cells if (c.place.judge, c.place.truth, c.path) == (judge, truth, "whole")]
            loose, proved = _sums(here, OBSERVED), _sums(here, ONE_ITEM)
            yield f"| {judge} | {truth} | {', '.join(loose[:2])} | {', '.join(proved)} |"
    yield ""


def _sums(cells: Sequence[Cell], method: str) -> tuple[str, str, str]:
    of = [cell for cell in cells if cell.method == method]
    draws, issued, false = (sum(values) for values in zip(*((c.draws, c.issued, c.false) for c in of), strict=True))
    missed = _told(false / issued, 3) if issued else "n/a (none issued)"
    return _told(issued / draws, 3), missed, _told(false / draws, 3)


def _where(cell: Cell) -> str:
    at = cell.place
    return f"{at.judge}, {at.truth}, target {_told(at.target)}, families of {at.ties.name}, {at.items} items, path {cell.path}"


def _rate(cell: Cell) -> float:
    return cell.false / cell.draws


def _told(share: float, digits: int = 2) -> str:
    return f"{share:.{digits}f}".replace("0.", ".", 1) if share < 1 else f"{share:.{digits}f}"
