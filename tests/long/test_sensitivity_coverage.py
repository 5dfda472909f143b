"""Coverage of precision at other mixes: both strata drawn anew, the true rates known."""

from __future__ import annotations

import numpy as np
import pytest

from bench.measure.counts import count_families
from bench.measure.intervals import interval
from bench.measure.metrics import METRICS
from bench.measure.sensitivity import precision_at

REPLICATES = 2000


@pytest.mark.parametrize(
    ("recall", "false_alarm", "false_alarm_hard"),
    [(0.7, 0.1, 0.4), (0.9, 0.3, 0.8), (0.5, 0.05, 0.5)],
)
@pytest.mark.parametrize(("natural", "prevalence"), [(112, 0.3), (400, 0.3)])
def test_coverage(recall: float, false_alarm: float, false_alarm_hard: float, natural: int, prevalence: float) -> None:
    generator = np.random.default_rng(7)
    pairs = 48 if natural < 200 else 150
    hits = dict.fromkeys([(p, h) for p in (0.1, 0.3) for h in (0.0, 0.5, 1.0)], 0)
    counted = dict.fromkeys(hits, 0)
    for _ in range(REPLICATES):
        labels = generator.random(natural) < prevalence
        said = generator.random(natural) < np.where(labels, recall, false_alarm)
        rows = count_families(labels, said, np.arange(natural))
        soft = [interval(METRICS[name], rows, 1) for name in ("recall", "specificity")]
        controls = np.zeros(pairs, bool)
        hard = count_families(controls, generator.random(pairs) < false_alarm_hard, np.arange(pairs))
        missed = interval(METRICS["specificity"], hard, 1)
        for p, h in hits:
            wrong = h * false_alarm_hard + (1 - h) * false_alarm
            truth = p * recall / (p * recall + (1 - p) * wrong)
            found = precision_at(p, h, soft[0], soft[1], missed)
            if found.value is not None and found.low is not None and found.high is not None:
                counted[p, h] += 1
                hits[p, h] += found.low <= truth <= found.high
    for cell, hit in hits.items():
        error = (0.95 * 0.05 / counted[cell]) ** 0.5
        assert hit / counted[cell] >= 0.93 - 2 * error, (cell, hit / counted[cell])
