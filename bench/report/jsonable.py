"""Estimates as JSON material."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from bench.measure.estimate import Estimate

Json = dict[str, JsonValue]


def estimate_json(estimate: Estimate) -> Json:
    """An estimate without what it does not have; ``value`` always stands."""
    known: Mapping[str, JsonValue] = {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "method": estimate.method,
        "families": estimate.families,
        "numerator": estimate.numerator,
        "denominator": estimate.denominator,
        "note": estimate.note,
        "undefined": estimate.undefined,
        "undefined_resamples": estimate.undefined_resamples or None,
    }
    return known_only(known)


def known_only(values: Mapping[str, JsonValue]) -> Json:
    """The values that are there; a missing ``value`` stays, so that undefined is said."""
    return {name: value for name, value in values.items() if value is not None or name == "value"}
