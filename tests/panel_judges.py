"""Judges of a user's for panels: what they say depends on the number of the case alone."""

from __future__ import annotations

import re

from bench.judges.contract import Item, Question, Verdict


def number(item: Item) -> int:
    assert item.projection is not None
    return int(re.findall(r"S(\d{3})", item.projection.query)[0])


class Priced:
    """Sure of most, wrong on every fifth and unsure there; says its price."""

    def judge(self, item: Item, question: Question) -> Verdict:
        n = number(item)
        truth = n % 3 > 0
        p = (0.6 if n % 5 else 0.45) + (0.3 if n % 5 else 0.0) * (1 if truth else -1)
        return Verdict("yes" if p >= 0.5 else "no", p=p, cost_usd=0.002)


class Secretive:
    """Right on all but every seventh, no answer on every eleventh; never says its price."""

    def judge(self, item: Item, question: Question) -> Verdict:
        n = number(item)
        if n % 11 == 0:
            return Verdict(unscored="abstained", detail="in no mood")
        return Verdict("yes" if (n % 3 > 0) is (n % 7 > 0) else "no")
