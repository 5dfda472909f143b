"""Attempt a certificate: refuse for a reason, or test the bands and say what was proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.certifying.material import Material
from bench.certifying.more_labels import MoreLabels, more_labels
from bench.certifying.rates import BandRates, CarriedOver, band_rates, carried_over
from bench.certifying.refusals import how_well_it_ranks, refusals
from bench.certifying.sequence import ONE_ITEM, BandTest, Method, Step, even_path, path_from, walk_path
from bench.deciding.policy import DISCARD, PROMOTE, REVIEW, Policy, Verb, decide, least, most
from bench.measure.certificate_power import rows_for_certificate
from bench.measure.counts import Floats
from bench.measure.estimate import Estimate
from bench.measure.items import share_of_items

POINTS = 101  # of an even path over probabilities
SCORE_POINTS = 50  # at most, of a path over development scores


@dataclass(frozen=True)
class Asked:
    """What is to be proved: the most that may be wrong, by band, and the chance of a false certificate, over all bands."""

    targets: tuple[tuple[Verb, float], ...]
    delta: float
    method: Method = ONE_ITEM
    seed: int = 0

    @property
    def delta_each(self) -> float:
        return self.delta / len(self.targets)


@dataclass(frozen=True)
class BandResult:
    """One band: the test of its path, or nothing where the rows were refused before; about how many more labels.

    ``proved`` is the loosest step that passed; where the two bands would meet, the loosest that leaves promotion alone.
    """

    band: Verb
    target: float
    delta: float
    test: BandTest | None = None
    proved: Step | None = None
    more: MoreLabels | None = None
    rates: BandRates | None = None
    carried: CarriedOver | None = None  # the prevalences that meet the target if the rates carry over

    @property
    def threshold(self) -> float | None:
        return None if self.proved is None else self.proved.threshold


@dataclass(frozen=True)
class Attempted:
    """What became of an attempt: reasons against it, or bands with thresholds; ``policy`` holds those that passed."""

    material: Material
    asked: Asked
    ranks: Estimate
    refused: tuple[str, ...]
    bands: tuple[BandResult, ...]
    policy: Policy | None
    review: Estimate | None

    @property
    def issued(self) -> bool:
        """Whether every band that was asked for is proved."""
        return not self.refused and all(band.threshold is not None for band in self.bands)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why there is no certificate; empty where there is one."""
        return self.refused or tuple(
            f"{band.band}: {band.test.why_not or 'every threshold that passes reaches into the promoted scores'}"
            for band in self.bands
            if band.threshold is None and band.test is not None
        )


def attempt(material: Material, asked: Asked, path: Sequence[float] | None = None) -> Attempted:
    """Test every band that is asked for.

    ``path`` holds thresholds fixed without calibration labels; by default an even one over probabilities, or the scores
    seen on development.
    """
    ranks = how_well_it_ranks(material, asked.seed)
    refused = tuple(refusals(material, ranks))
    points = tuple(path) if path is not None else default_path(material)
    if not refused and len(points) < 1 + (path is None):
        refused = (
            "no path of thresholds: its scores are no probabilities, and none are known from development (--path)",
        )
    found = []
    for band, target in asked.targets:
        ordered = sorted(set(points), reverse=band == PROMOTE)
        if path is None:
            ordered = _worth_testing(
                material, ordered, band == PROMOTE, rows_for_certificate(2, target, asked.delta_each)
            )
        found.append(_band(material, asked, band, target, ordered))
    if refused:
        return Attempted(material, asked, ranks, refused, tuple(replace(one, proved=None) for one in found), None, None)
    tested = _apart(found)
    bands = [_with_rates(material, asked, band) for band in tested]
    policy = _policy(material.policy, bands)
    review = None if policy is None else _review(material, policy)
    return Attempted(material, asked, ranks, (), tuple(bands), policy, review)


def default_path(material: Material) -> tuple[float, ...]:
    """Thresholds from nothing but the scale and development scores."""
    if material.probabilities:
        return even_path(1.0, 0.0, POINTS)
    return path_from(material.development, SCORE_POINTS) if len(set(material.development)) > 1 else ()


def _worth_testing(material: Material, path: Sequence[float], high: bool, wanted: int) -> list[float]:
    """A default path without its loosest point, which decides every session whatever the judge says; and, where
    development says so, without points so strict that they would fail by one unlucky row.

    It then begins where development expects as many selected rows as a certificate with two errors takes (61 at 10 % /
    95 %): a judge wrong in a quarter of the target passes a first test of 29 rows in .48 of the draws, one of 61 in .80.
    """
    scores, families = material.development, len({row.family for row in material.rows})
    for at, point in enumerate(path[:-1]):
        share = sum(score >= point if high else score <= point for score in scores) / max(len(scores), 1)
        if share * families >= wanted:
            return list(path[at:-1])
    return list(path[:-1])


def _band(material: Material, asked: Asked, band: Verb, target: float, path: Sequence[float]) -> BandResult:
    high = band == PROMOTE
    if not material.rows or not path:
        return BandResult(band, target, asked.delta_each)
    scores = _snapped(material.scores(band), path, high)
    families = [row.family for row in material.rows]
    test = walk_path(
        scores, np.array(material.wrong(band), dtype=bool), families, path, target, asked.delta_each,
        method=asked.method, seed=asked.seed, largest_family=material.largest_family, side="high" if high else "low",
    )  # fmt: skip
    proved = test.certified
    if proved is None:
        return BandResult(band, target, asked.delta_each, test, more=more_labels(test))
    return BandResult(band, target, asked.delta_each, test, proved)


def _snapped(scores: Sequence[float | None], path: Sequence[float], high: bool) -> Floats:
    """Scores as the gate compares them: one that reaches a threshold but for the last digits of a sum stands on it."""
    never = -np.inf if high else np.inf
    found = np.array([never if score is None else score for score in scores], dtype=np.float64)
    for point in path:
        found[(found >= least(point)) & (found <= most(point))] = point
    return found


def _apart(bands: list[BandResult]) -> list[BandResult]:
    """Every threshold that passed is proved, so that a discard band that reaches promoted scores takes a stricter one."""
    promote = next((band.threshold for band in bands if band.band == PROMOTE), None)
    return [_under(band, promote) if band.band == DISCARD and promote is not None else band for band in bands]


def _under(band: BandResult, promote: float) -> BandResult:
    if band.proved is None or band.test is None or band.proved.threshold < promote:
        return band
    left = [step for step in band.test.steps if step.passed and step.threshold < promote]
    return replace(band, proved=left[-1] if left else None)


def _with_rates(material: Material, asked: Asked, band: BandResult) -> BandResult:
    """Rates over the labelled rows, all bands' bounds holding together at the confidence asked for."""
    if band.threshold is None:
        return band
    high = band.band == PROMOTE
    pairs = [
        (row, score)
        for row, score in zip(material.rows, material.scores(band.band), strict=True)
        if row.right is not None
    ]
    taken = [
        score is not None and (score >= least(band.threshold) if high else score <= most(band.threshold))
        for _, score in pairs
    ]
    rates = band_rates(
        np.array([row.right for row, _ in pairs], dtype=bool), np.array(taken, dtype=bool),
        [row.family for row, _ in pairs], "promote" if high else "discard", asked.delta,
        intervals=2 * len(asked.targets),
    )  # fmt: skip
    return replace(band, rates=rates, carried=carried_over([rates], band.target))


def _policy(policy: Policy, bands: Sequence[BandResult]) -> Policy | None:
    at = {band.band: band.threshold for band in bands if band.threshold is not None}
    return policy.model_copy(update={"promote_at": at.get(PROMOTE), "discard_at": at.get(DISCARD)}) if at else None


def _review(material: Material, policy: Policy) -> Estimate:
    put_off = [decide(policy, row.values).decision == REVIEW for row in material.rows]
    return share_of_items("review_share", put_off, [row.family for row in material.rows])
