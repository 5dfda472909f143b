"""Every transform by name, with what it must do to an answer. They are pure: the same session and seed, the same change."""

from __future__ import annotations

import random

from bench.probing.endings import cut_outcome, drop_correction, swap_ending
from bench.probing.renaming import rename
from bench.probing.routine import drop_reasoning, pad_routine, shuffle_independent
from bench.probing.told import VERSION, Told, Transform
from bench.probing.wording import begging, recode_exits
from bench.reading.canonical import digest
from bench.schema.probe import Expect

_SAME: dict[str, Expect] = {"any": "same"}

TRANSFORMS: dict[str, Transform] = {
    transform.name: transform
    for transform in (
        Transform(
            "cut-outcome",
            "the session ends before its last run of commands; checks and closing words are gone",
            cut_outcome,
            {"outcome": "abstains_or_falls"},
        ),
        Transform(
            "swap-ending",
            "the last run of commands and all after it come from another session",
            swap_ending,
            {"outcome": "falls"},
            needs_other=True,
        ),
        Transform(
            "drop-correction",
            "prompts after a call with words of correction are gone, and the replies, interrupts and refused calls",
            drop_correction,
            {"correction": "falls"},
        ),
        Transform("shuffle-independent", "neighbouring looks stand in another order", shuffle_independent, _SAME),
        Transform("pad-routine", "half as many events again are put in, all routine listings", pad_routine, _SAME),
        Transform("beg-yes", "an output and a message beg the judge for a yes", begging("yes"), _SAME),
        Transform("beg-no", "an output and a message beg the judge for a no", begging("no"), _SAME),
        Transform("recode-exits", "outcomes of commands are written another way", recode_exits, _SAME),
        Transform("rename", "files of telling names are renamed throughout", rename, _SAME, renames=True),
        Transform("drop-reasoning", "the agent's recorded thinking is gone", drop_reasoning, _SAME),
    )
}


def change(transform: Transform, told: Told, *, seed: int, content: str, other: Told | None = None) -> Told | None:
    """The changed session; None where the change does not apply. Chance comes from the seed, the transform and
    ``content``, a digest of the session, so that neither names nor order move it."""
    chance = random.Random(digest([VERSION, seed, transform.name, content]))
    return transform.change(told, chance, other)
