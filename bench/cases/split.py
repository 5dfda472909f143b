"""Give families a split: within each stratum towards 20 % development, 40 % calibration, 40 % test.

Families are taken in the order of a seeded digest of their name, so neither content nor spelling decides; families that
have a split keep it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from fractions import Fraction
from typing import Literal

from bench.cases.load import LoadedCase
from bench.schema.suite import Splits

Split = Literal["development", "calibration", "test"]
SHARES: dict[Split, Fraction] = {"development": Fraction(1, 5), "calibration": Fraction(2, 5), "test": Fraction(2, 5)}


def split_families(cases: tuple[LoadedCase, ...], held: Splits | None, seed: int) -> dict[str, Split]:
    """Every family's split; those in ``held`` are kept."""
    given: dict[str, Split] = {} if held is None else dict(held.families)
    cells: dict[str, str] = {loaded.case.family: loaded.case.stratum for loaded in cases}
    for stratum in sorted(set(cells.values())):
        families = sorted((f for f in cells if cells[f] == stratum), key=lambda f: _order(seed, f))
        counts = Counter(given[f] for f in families if f in given)
        for family in families:
            if family not in given:
                given[family] = _most_wanting(counts)
                counts[given[family]] += 1
    return {family: given[family] for family in sorted(cells)}


def _order(seed: int, family: str) -> str:
    return hashlib.sha256(f"{seed}:{family}".encode()).hexdigest()


def _most_wanting(counts: Counter[Split]) -> Split:
    """The split furthest below its share of one family more."""
    total = counts.total() + 1
    return max(SHARES, key=lambda split: SHARES[split] * total - counts[split])
