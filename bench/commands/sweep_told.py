"""What ``bench sweep`` found, as text, as JSON and as CSV; the three are made from the same records."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from bench.measure.estimate import Estimate, rounded
from bench.policies.sweep import Swept
from bench.policies.trades import Flip, Trade
from bench.problems import shorten
from bench.report.jsonable import Json, estimate_json, known_only
from bench.terminal.table import columns
from bench.terminal.words import counted, wrapped

SHOWN_FLIPS = 10
_HEAD = ["policy", "promoted", "wrong of them", "discarded", "wrong of them", "review", "recall"]
_ESTIMATES = ("wrong_promoted", "wrong_discarded", "recall", "review_share", "unscored_share")
_COUNTS = (
    "attempts", "families", "promoted", "discarded", "review", "unscored", "unlabelled", "unlabelled_promoted",
    "unlabelled_discarded",
)  # fmt: skip


@dataclass(frozen=True)
class SweepReport:
    """All that a sweep says. ``about`` are the facts of the rows, ``notices`` sentences, ``left_out`` operating points."""

    about: Json
    notices: tuple[str, ...]
    swept: tuple[Swept, ...]
    trades: tuple[Trade, ...]
    operating_points: int
    left_out: int
    signature: str
    outcome: str
    exit_code: int
    opening: str = field(default="")


def as_text(report: SweepReport) -> str:
    """As wide as the terminal is."""
    parts = [wrapped(report.opening), *map(wrapped, report.notices), "", table(report.swept), *_legend(report.swept)]
    if report.left_out:
        parts.append(
            wrapped(
                f"{report.left_out} of {report.operating_points} operating points are left out here: --json or --csv"
            )
        )
    for trade in report.trades:
        parts += ["", *_trade(trade)]
    return "\n".join(
        [*parts, "", wrapped(report.signature, rest=""), wrapped(f"{report.outcome} [exit {report.exit_code}]")]
    )


def table(swept: Sequence[Swept]) -> str:
    """One line a policy."""
    rows = [
        [
            shorten(one.id, 200),
            str(one.promoted),
            _cell(one.wrong_promoted),
            str(one.discarded),
            _cell(one.wrong_discarded),
            _plain(one.review_share),
            _plain(one.recall),
        ]
        for one in swept
    ]
    return columns([_HEAD, *rows])


def as_json(report: SweepReport) -> Json:
    """Everything, ready to be written."""
    policies: list[JsonValue] = [_swept_json(one) for one in report.swept]
    trades: list[JsonValue] = [_trade_json(trade) for trade in report.trades]
    return {
        "exit_code": report.exit_code,
        "outcome": report.outcome,
        **report.about,
        "notices": list(report.notices),
        "operating_points": report.operating_points,
        "operating_points_left_out": report.left_out,
        "policies": policies,
        "trades": trades,
        "signature": report.signature,
    }


def as_csv(swept: Sequence[Swept]) -> str:
    """One row a policy; an undefined number is an empty cell."""
    out = io.StringIO()
    ends = [f"{name}{end}" for name in _ESTIMATES for end in ("", "_low", "_high")]
    write = csv.writer(out, lineterminator="\n").writerow
    write(["policy", "promote_at", "discard_at", *_COUNTS, *ends])
    for one in swept:
        found = [getattr(one, name) for name in _ESTIMATES]
        numbers = [number for estimate in found for number in (estimate.value, estimate.low, estimate.high)]
        limits = [one.policy.promote_at, one.policy.discard_at]
        write([one.id, *map(_blank, limits), *(getattr(one, name) for name in _COUNTS), *map(_blank, numbers)])
    return out.getvalue()


def _legend(swept: Sequence[Swept]) -> Iterator[str]:
    every = [estimate for one in swept for estimate in (one.wrong_promoted, one.wrong_discarded, one.recall)]
    if any(e.too_few for one in swept for e in (one.wrong_promoted, one.wrong_discarded)):
        yield wrapped("a/b stands where a share of so few says little; its interval is Korn-Graubard's")
    reasons = dict.fromkeys(e.undefined for e in every if e.undefined is not None)
    if reasons:
        yield wrapped(f"n/a: {'; '.join(reasons)}")
    yield wrapped("brackets: 95 % intervals, families drawn whole; those of review and recall: --json, --csv")


def _cell(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else estimate.cell().removesuffix(" too few")


def _plain(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else rounded(estimate.value)


def _trade(trade: Trade) -> Iterator[str]:
    further = {
        "wrong promotions added": trade.wrong_promotions_added,
        "right promotions won": trade.right_promotions_won,
        "wrong discards stopped": trade.wrong_discards_stopped,
        "wrong discards added": trade.wrong_discards_added,
        "without a label": trade.unlabelled,
    }
    yield wrapped(
        f"{trade.before} -> {trade.after}: {counted(len(trade.flips), 'decision')} changed; "
        f"wrong promotions stopped {trade.wrong_promotions_stopped}, right promotions lost {trade.right_promotions_lost}"
        + "".join(f", {what} {count}" for what, count in further.items() if count)
    )
    for flip in trade.flips[:SHOWN_FLIPS]:
        yield from _flip(flip)
    if len(trade.flips) > SHOWN_FLIPS:
        yield f"  and {len(trade.flips) - SHOWN_FLIPS} more: --json"


def _flip(flip: Flip) -> Iterator[str]:
    one = flip.attempt
    name = "/".join(part for part in (one.case, one.attempt) if part)
    place = one.file if one.line is None else f"{one.file}:{one.line}"
    told = {True: "right to promote", False: "wrong to promote", None: "no label"}[flip.right]
    values = ", ".join(
        f"{statement} {'none' if value is None else f'{value:.4g}'}" for statement, value in one.values.items()
    )
    yield wrapped(f"{place}{' ' * bool(name)}{name}: {flip.before} -> {flip.after}, {told}", "  ")
    yield wrapped(values, "    ", "      ")
    yield wrapped("; ".join(flip.reasons), "    ", "      ")


def _swept_json(one: Swept) -> Json:
    return {
        **known_only({"id": one.id, "note": one.note}),
        "policy": one.policy.model_dump(mode="json"),
        **{name: getattr(one, name) for name in _COUNTS},
        **{name: estimate_json(getattr(one, name)) for name in _ESTIMATES},
    }


def _trade_json(trade: Trade) -> Json:
    return {
        "from": trade.before,
        "to": trade.after,
        "wrong_promotions_stopped": trade.wrong_promotions_stopped,
        "right_promotions_lost": trade.right_promotions_lost,
        "wrong_promotions_added": trade.wrong_promotions_added,
        "right_promotions_won": trade.right_promotions_won,
        "wrong_discards_stopped": trade.wrong_discards_stopped,
        "wrong_discards_added": trade.wrong_discards_added,
        "unlabelled": trade.unlabelled,
        "flips": [_flip_json(flip) for flip in trade.flips],
    }


def _flip_json(flip: Flip) -> Json:
    one = flip.attempt
    return {
        "case": one.case,
        "attempt": one.attempt,
        "file": one.file,
        "line": one.line,
        "from": flip.before,
        "to": flip.after,
        "right_to_promote": flip.right,
        "labels": dict(one.labels),
        "values": dict(one.values),
        "reasons": list(flip.reasons),
    }


def _blank(value: float | None) -> str:
    return "" if value is None else repr(value)
