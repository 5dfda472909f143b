"""A sweep of 100 policies over 10^5 sessions: seconds, beside loops over the same rows in the same run.

python tests/perf/sweep.py > reports/perf/sweep.md      (make perf)
"""

from __future__ import annotations

import math
import random
import sys
import time
from functools import partial

from sharing import TRIES, fastest, grid, machine, seconds

from bench.deciding.policy import Policy, decide
from bench.policies.attempts import JudgedAttempt
from bench.policies.sweep import NamedPolicy, sweep

ROWS, POLICIES, FEW, TARGET = 100_000, 100, 2, 10.0
NAMES = ("central", "grounded", "stated")


def rows_of(size: int) -> list[JudgedAttempt]:
    """Three probabilities a session that follow its label, one in fifty missing; families of a size."""
    generator = random.Random(7)
    found = []
    for number in range(ROWS):
        yes = generator.random() < 0.4
        values: dict[str, float | None] = {
            name: None if generator.random() < 0.02 else min(1.0, max(0.0, generator.gauss(0.65 if yes else 0.4, 0.2)))
            for name in NAMES
        }
        labels = {"label": yes}
        found.append(
            JudgedAttempt(f"c{number}", "a1", f"f{number // size}", "s", "all", values, {}, labels, "t", number)
        )
    return found


def policies_of() -> list[NamedPolicy]:
    """A mean of three with a floor and two limits, at a hundred thresholds."""
    return [
        NamedPolicy(
            f"p{i}",
            Policy(
                statements=NAMES,
                floors={"central": 0.5},
                promote_at=0.3 + 0.005 * i,
                discard_at=0.295 - 0.001 * i,
                right_when=("label",),
            ),
        )
        for i in range(POLICIES)
    ]


def ours(rows: list[JudgedAttempt], policies: list[NamedPolicy]) -> None:
    sweep(rows, policies)


def by_session(rows: list[JudgedAttempt], policies: list[NamedPolicy]) -> float:
    """The gate's own ``decide``, one session after another; counts, no intervals."""
    start = time.process_time()
    for named in policies[:FEW]:
        counts: dict[tuple[str, bool | None], int] = {}
        for row in rows:
            key = decide(named.policy, row.values).decision, row.right_to_promote(named.policy)
            counts[key] = counts.get(key, 0) + 1
    return (time.process_time() - start) / FEW * len(policies)


def as_written_by_hand(rows: list[JudgedAttempt], policies: list[NamedPolicy]) -> float:
    """What a user writes: mean, floor, two limits, and Wilson's interval without families."""
    start = time.process_time()
    for named in policies[:FEW]:
        high, low = named.policy.promote_at or 0.0, named.policy.discard_at or 0.0
        promoted = wrong = discarded = missed = 0
        for row in rows:
            values = [row.values[name] for name in NAMES]
            if any(value is None for value in values):
                continue
            score = sum(value for value in values if value is not None) / len(values)
            central = row.values["central"]
            if score >= high and central is not None and central >= 0.5:
                promoted += 1
                wrong += not row.labels["label"]
            elif score <= low:
                discarded += 1
                missed += bool(row.labels["label"])
        for hits, size in ((wrong, promoted), (missed, discarded)):
            if size:
                share = hits / size
                math.sqrt(share * (1 - share) / size + 1.96**2 / (4 * size * size))
    return (time.process_time() - start) / FEW * len(policies)


def main() -> int:
    policies = policies_of()
    print(f"# Sweeping {POLICIES} policies over {ROWS:,} sessions of three statements\n")
    print(
        f"Processor seconds, the least of {TRIES} tries in which all take turns. {machine()} * {FEW} policies, extrapolated. "
        "Made by `make perf`.\n"
    )
    print(
        "bench makes arrays of the sessions once, then decides, counts families and gives five shares with their family "
        f"intervals for every policy; its target is under {TARGET:g} s. The loops give counts: by the gate's own `decide`, and "
        "as a user would write one policy by hand (plain mean, floor, two limits).\n"
    )
    table, worst = [], 0.0
    for size in (1, 4):
        rows = rows_of(size)
        found = fastest(
            {
                "bench": partial(ours, rows, policies),
                "decide": partial(by_session, rows, policies),
                "hand": partial(as_written_by_hand, rows, policies),
            }
        )
        worst = max(worst, found["bench"])
        table.append(
            [f"of {size}", *(seconds(found[name]) for name in ("bench", "decide", "hand")),
             f"{found['hand'] / found['bench']:,.1f}"]
        )  # fmt: skip
    print(grid(["families", "bench, s", "loop over decide*, s", "loop by hand*, s", "by hand / bench"], table))
    return 0 if worst < TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
