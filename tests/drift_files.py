"""Certificates and live files for the tests of drift, written by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from certificates import certificate_tree, write_tree

from bench.deciding.certificate import Certificate
from bench.deciding.policy import Policy, decide

JUDGE = "my-judge-1"
POLICY = {"statements": ["lesson"], "right_when": ["lesson"], "promote_at": 0.8}


def drift_changes(
    values: Iterable[float], *, unscored: int = 2, scale: str = "probability", samples: int = 1, **changes: Any
) -> dict[str, Any]:
    """What a certificate of these calibration values differs in from the plain one."""
    held = sorted(map(float, values))
    policy = POLICY if scale != "answer" else {**POLICY, "promote_at": 1.0}
    found = Counter(decide(Policy.model_validate(policy), {"lesson": value}).decision for value in held)
    found["review"] += unscored
    band = {**certificate_tree()["bands"][0], "threshold": policy["promote_at"]}
    rows = len(held) + unscored
    return {
        "judge": {"id": JUDGE, "name": "my-judge", "scales": {"lesson": scale}, "samples": samples},
        "policy": policy,
        "bands": [band],
        "data": {"digest": "0" * 64, "rows": rows, "families": rows, "unlabelled": 0, "unscored": unscored, "seed": 0},
        "reference": {"values": {"lesson": held}, "decisions": dict(found), "unscored": {"lesson": unscored}},
        **changes,
    }


def drift_certificate(values: Iterable[float], **changes: Any) -> Certificate:
    return Certificate.model_validate(certificate_tree(**drift_changes(values, **changes))).sealed()


def write_certificate_of(path: Path, values: Iterable[float], **changes: Any) -> Path:
    return write_tree(path, **drift_changes(values, **changes))


def anchors_of(values: Sequence[float]) -> list[dict[str, Any]]:
    return [
        {"item": f"{n:064x}", "statement": "lesson", "answer": "yes" if v >= 0.5 else "no", "p": float(v)}
        for n, v in enumerate(values)
    ]


def line(number: int, p: float, **changes: Any) -> dict[str, Any]:
    """A stored verdict, one an hour."""
    day, hour = divmod(number, 24)
    return {
        "item": f"item-{number}", "sample": 0, "answer": "yes" if p >= 0.5 else "no", "p": float(p), "latency_ms": 3.5,
        "at": f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}T{hour:02d}:00:00+00:00", **changes,
    }  # fmt: skip


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def evenly(count: int, power: float = 1.0, seed: int = 0) -> list[float]:
    """Values spread over 0 to 1, in a seeded order; a power under 1 moves them up."""
    values = ((np.arange(count) + 0.5) / count) ** power
    return [round(float(v), 4) for v in np.random.default_rng(seed).permutation(values)]
