"""Draw what to label next so that the chance of every session is known: a random sample, and Poisson draws beside it.

Three draws that know nothing of each other: a stratified simple random sample of fixed size, and for each score a Poisson
sample whose chances are proportional to the score. A session is picked if any of them takes it. So the chance of each
session, and of each pair, has a closed form, and the random part stands for the pool by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil, prod

from bench.problems import CannotDecide

RANDOM, DISAGREEMENT, UNCERTAINTY = "random", "disagreement", "uncertainty"
DIRECTED = (DISAGREEMENT, UNCERTAINTY)
LEAST_RANDOM = 0.2  # of the picks: below it the estimates rest on a handful of sessions with large weights
_STEPS = 60
_EACH = 2  # random picks a stratum: with one alone, some pairs could never be drawn, and no variance be estimated
_ALL = "all"


@dataclass(frozen=True)
class Unit:
    """One session that may be labelled; ``key`` is what its numbers in the draw are made of, ``scores`` by component."""

    key: str
    stratum: str
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Chances:
    """The chances of one unit, by component; ``total`` is that of being picked at all."""

    stratum: str
    by_component: Mapping[str, float]

    @property
    def total(self) -> float:
        return 1 - prod(1 - chance for chance in self.by_component.values())


@dataclass(frozen=True)
class Pick:
    """A unit that was drawn: its place among the units, its chances, and the components that took it."""

    unit: int
    chances: Chances
    components: tuple[str, ...]


@dataclass(frozen=True)
class Drawn:
    """``strata``: by name how many units there are and how many of them the random part takes."""

    strata: Mapping[str, tuple[int, int]]
    picks: tuple[Pick, ...]
    expected: float


def draw(units: Sequence[Unit], size: int, random_share: float, seed: int) -> Drawn:
    """About ``size`` picks, of which at least ``random_share`` are a simple random sample.

    The same units and seed give the same picks, in whatever order the units come. Raises CannotDecide where there is
    nothing to draw from.
    """
    if not units:
        raise CannotDecide("nothing to draw from: no session is judged and without a label (bench run, or bench judge)")
    order = sorted(range(len(units)), key=lambda i: units[i].key)
    mine = [units[i] for i in order]
    if len({unit.key for unit in mine}) < len(mine):
        raise ValueError("two units have one key: a unit that stands twice is drawn twice as often")
    strata, chances = plan(mine, size, random_share)
    taken = _random_part(mine, strata, seed, [one.stratum for one in chances])
    picks = []
    for place, (unit, chance) in enumerate(zip(mine, chances, strict=True)):
        by = [RANDOM] if place in taken else []
        by += [name for name in DIRECTED if _number(seed, name, unit.key) < chance.by_component[name]]
        if by:
            picks.append(Pick(order[place], chance, tuple(by)))
    return Drawn(strata, tuple(picks), sum(chance.total for chance in chances))


def plan(
    units: Sequence[Unit], size: int, random_share: float
) -> tuple[Mapping[str, tuple[int, int]], tuple[Chances, ...]]:
    """The strata with the size of their random part, and the chances of every unit; their sum is about ``size``."""
    if size >= len(units):
        strata, names = _strata(units, len(units))
        return strata, _chances(units, strata, names, 0.0)
    low = max(ceil(random_share * size), min(_EACH, size))
    high = size  # random picks alone are enough then
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _reaches(units, middle, size) else (middle + 1, high)
    strata, names = _strata(units, high)
    return strata, _fitted(units, strata, names, size)


def shuffled(keys: Sequence[str], seed: int) -> list[int]:
    """The places of the keys in an order that tells nothing: neither chance nor component enters it."""
    return sorted(range(len(keys)), key=lambda i: (_number(seed, "order", keys[i]), keys[i]))


def proportional(scores: Sequence[float], size: float) -> list[float]:
    """Chances proportional to the scores that sum to ``size`` (or to how many scores are above 0), none over 1."""
    chances = [0.0] * len(scores)
    open_places = [i for i, score in enumerate(scores) if score > 0]
    left = min(size, len(open_places))
    while open_places:
        whole = sum(scores[i] for i in open_places)
        full = [i for i in open_places if left * scores[i] >= whole]
        if not full:
            for i in open_places:
                chances[i] = left * scores[i] / whole
            return chances
        for i in full:
            chances[i] = 1.0
        left -= len(full)
        open_places = [i for i in open_places if chances[i] < 1]
    return chances


def _strata(units: Sequence[Unit], count: int) -> tuple[dict[str, tuple[int, int]], list[str]]:
    """Proportional to size, two at least in each; one stratum where there are too few picks for that."""
    sizes = Counter(unit.stratum for unit in units)
    least = {name: min(_EACH, many) for name, many in sizes.items()}
    if sum(least.values()) > count:
        return {_ALL: (len(units), count)}, [_ALL] * len(units)
    given = dict(least)
    for _ in range(count - sum(least.values())):
        short = {name: count * many / len(units) - given[name] for name, many in sizes.items() if given[name] < many}
        given[min(short, key=lambda name: (-short[name], name))] += 1
    return {name: (sizes[name], given[name]) for name in sorted(sizes)}, [unit.stratum for unit in units]


def _chances(
    units: Sequence[Unit], strata: Mapping[str, tuple[int, int]], names: Sequence[str], directed: float
) -> tuple[Chances, ...]:
    parts = {name: proportional([unit.scores.get(name, 0.0) for unit in units], directed / 2) for name in DIRECTED}
    found = []
    for place, stratum in enumerate(names):
        many, taken = strata[stratum]
        by_component = {RANDOM: taken / many, **{name: parts[name][place] for name in DIRECTED}}
        found.append(Chances(stratum, by_component))
    return tuple(found)


def _reaches(units: Sequence[Unit], count: int, size: int) -> bool:
    """Whether so many random picks, and the directed draws at their largest, come to the size."""
    strata, names = _strata(units, count)
    return sum(one.total for one in _chances(units, strata, names, 2.0 * len(units))) >= size - 1e-9


def _fitted(
    units: Sequence[Unit], strata: Mapping[str, tuple[int, int]], names: Sequence[str], size: int
) -> tuple[Chances, ...]:
    """The directed part so large that ``size`` units are expected: the sum grows with it, so that halving finds it."""
    low, high = 0.0, 2.0 * len(units)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = sum(one.total for one in _chances(units, strata, names, middle)) >= size
        low, high = (low, middle) if enough else (middle, high)
    return _chances(units, strata, names, low)


def _random_part(
    units: Sequence[Unit], strata: Mapping[str, tuple[int, int]], seed: int, names: Sequence[str]
) -> frozenset[int]:
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    return frozenset(place for name, (_, taken) in strata.items() for place in _first(units, places[name], taken, seed))


def _first(units: Sequence[Unit], places: Sequence[int], count: int, seed: int) -> Iterator[int]:
    yield from sorted(places, key=lambda i: (_number(seed, RANDOM, units[i].key), units[i].key))[:count]


def _number(seed: int, what: str, key: str) -> float:
    """A number in [0, 1) that seed, component and unit determine, and nothing else."""
    head = sha256(f"{seed}/{what}/{key}".encode("utf-8", "backslashreplace")).digest()[:7]
    return int.from_bytes(head, "big") / 2.0**56
