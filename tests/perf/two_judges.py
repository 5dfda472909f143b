"""The family bootstrap of ten count metrics for two judges on the same items: paired differences, in one run with peers.

    OPENBLAS_NUM_THREADS=1 python tests/perf/two_judges.py > reports/perf/two-judges.md      (make perf)

Ours counts rows into joint family vectors (label x verdict A x verdict B) and resamples the distinct ones. Peers run
20 resamples and are extrapolated (marked *).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from bootstrap import FEW, NAMES, RESAMPLES
from scipy.stats import bootstrap
from sharing import TRIES, fastest, grid, machine, seconds
from sklearn import metrics as peer

from bench.measure.compare import difference
from bench.measure.counts import CELLS, JOINT_WIDTH, FamilyVectors, count_joint
from bench.measure.metrics import METRICS
from bench.measure.resampling import draw

QUANTILES = (0.025, 0.975)
ALONE = (1_000, 10_000, 100_000, 1_000_000)
SIZES = {"of 1": (1, 1), "of 2": (2, 2), "of 3": (3, 3), "of 4": (4, 4), "of 1 to 4": (1, 4)}
Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def rows_of(count: int, smallest: int, largest: int, seed: int = 7) -> Rows:
    """Labels, verdicts of two judges that share half of their errors, and families."""
    generator = np.random.default_rng(seed)
    labels = generator.random(count) < 0.4
    wrong = generator.random(count) < 0.2
    other = np.where(generator.random(count) < 0.5, wrong, generator.random(count) < 0.3)
    sizes = generator.integers(smallest, largest + 1, count)
    return labels, labels ^ wrong, labels ^ other, np.repeat(np.arange(count), sizes)[:count]


def side(bit: int) -> np.ndarray:
    """The map of joint cells (label, A, B as bits) to tp, fp, fn, tn of the judge with this bit."""
    matrix = np.zeros((JOINT_WIDTH, len(CELLS)))
    for cell in range(JOINT_WIDTH):
        matrix[cell, {(4, bit): 0, (0, bit): 1, (4, 0): 2, (0, 0): 3}[cell & 4, cell & bit]] = 1
    return matrix


A, B = side(2), side(1)


def ours(rows: Rows) -> None:
    """Ten differences from one draw, percentile bounds, as the peers give them."""
    resampled(count_joint(*rows))


def resampled(joint: FamilyVectors) -> None:
    sums = draw(joint.multiplicity, joint.stratum, 1, RESAMPLES) @ joint.vectors
    first, second = sums @ A, sums @ B
    for name in NAMES:
        np.nanquantile(METRICS[name].values(first) - METRICS[name].values(second), QUANTILES)


def printed(rows: Rows) -> None:
    """One difference as a declared comparison prints it: studentised, with a standard error in each resample."""
    difference(METRICS["f1"], count_joint(*rows), 1, RESAMPLES)


def scipys(rows: Rows) -> float:
    """Vectorised over family count vectors, one metric after another; counting is not timed."""
    labels, a, b, families = rows
    cells = np.zeros((families.max() + 1, JOINT_WIDTH))
    np.add.at(cells, (families, 4 * labels + 2 * a + b), 1)
    index = np.arange(len(cells))
    start = time.process_time()
    for name in NAMES:
        metric = METRICS[name]

        def statistic(chosen: np.ndarray, axis: int = -1, metric=metric) -> np.ndarray:  # type: ignore[no-untyped-def]
            sums = cells[chosen].sum(axis=axis - 1 if axis < 0 else axis)
            return metric.values(sums @ A) - metric.values(sums @ B)

        bootstrap((index,), statistic, n_resamples=FEW, vectorized=True, method="percentile", batch=FEW, random_state=1)
    return (time.process_time() - start) / FEW * RESAMPLES


def sklearns(rows: Rows) -> float:
    """A loop: resample families, gather their rows, ten scores of each judge; grouping is not timed."""
    labels, a, b, families = rows
    groups = np.split(np.arange(len(labels)), np.flatnonzero(np.diff(families)) + 1)
    generator = np.random.default_rng(1)
    start = time.process_time()
    for _ in range(FEW):
        drawn = np.concatenate([groups[g] for g in generator.integers(0, len(groups), len(groups))])
        for verdicts in (a, b):
            scores(labels[drawn], verdicts[drawn])
    return (time.process_time() - start) / FEW * RESAMPLES


def scores(y: np.ndarray, said: np.ndarray) -> None:
    peer.precision_recall_fscore_support(y, said, average="binary")
    peer.recall_score(~y, ~said)
    peer.precision_score(~y, ~said)
    peer.accuracy_score(y, said)
    peer.balanced_accuracy_score(y, said)
    peer.matthews_corrcoef(y, said)
    peer.cohen_kappa_score(y, said)


def line(count: int, told: str) -> list[str]:
    """One row of the table beside the peers."""
    rows = rows_of(count, *SIZES[told])
    jobs = {"ours": ours, "printed": printed, "scipy": scipys, "sklearn": sklearns}
    found = fastest({name: partial(job, rows) for name, job in jobs.items()})
    ratio = min(found["scipy"], found["sklearn"]) / found["ours"]
    return [f"{count:,}", told, *(seconds(found[name]) for name in jobs), f"{ratio:,.0f}"]


def alone(told: str) -> Iterator[list[str]]:
    """Ours in its two steps, by rows: counting passes over them, resampling over distinct vectors."""
    for count in ALONE:
        rows = rows_of(count, *SIZES[told])
        joint = count_joint(*rows)
        distinct = len(joint.multiplicity)
        found = fastest({"count": partial(count_joint, *rows), "resample": partial(resampled, joint)}, 2 * TRIES)
        each = found["resample"] / distinct / RESAMPLES * 1e9
        yield [told, f"{count:,}", str(distinct), seconds(found["count"]), seconds(found["resample"]), f"{each:.0f}"]


def main() -> int:
    print("# Two judges: differences of ten count metrics, 10,000 family resamples\n")
    print(
        f"Processor seconds on one thread, the least of {TRIES} tries in which all take turns. {machine()} "
        "* 20 resamples, extrapolated. Made by `make perf`.\n"
    )
    head = [
        "rows", "families", "bench, ten differences", "bench, one as printed (F1, studentised)", "scipy.stats.bootstrap*",
        "scikit-learn loop*", "fastest peer / bench, ten differences",
    ]  # fmt: skip
    print(grid(head, [line(count, told) for count in (1_000, 10_000, 100_000) for told in SIZES]))
    print("\n## Is time flat in rows?\n")
    ours_alone = [row for told in SIZES for row in alone(told)]
    each = [int(row[-1]) for row in ours_alone]
    print(
        "Resampling costs what distinct family vectors cost, not what rows cost: the last column lies between "
        f"{min(each)} and {max(each)} at all sizes (with 8 vectors the ten metrics outweigh the drawing). Small data have not "
        "shown every vector yet, so seconds rise with rows until they have; then they stay. There are at most 8, 36, 120 and 330 "
        "vectors for families of 1 to 4, and 494 when mixed (one more where the last family is cut short). Counting rows into "
        "families grows with rows. "
        f"The least of {2 * TRIES} tries.\n"
    )
    head = ["families", "rows", "distinct vectors", "counting, s", "resampling, s", "ns per vector and resample"]
    print(grid(head, ours_alone))
    return 0


if __name__ == "__main__":
    sys.exit(main())
