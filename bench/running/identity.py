"""Identities: what makes two askings the same. A verdict's key is (judge_id, item_key, sample)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pydantic import JsonValue

from bench.judges.contract import Judge, Part, Question
from bench.reading.canonical import digest
from bench.redaction.redact import VERSION as REDACTION
from bench.schema.case import Anchors


def judge_id(judge: Judge, preset: str) -> str:
    """Readable name and digest of everything that can move the judge's answers, the statements aside."""
    return identity(judge.name, judge.fingerprint(), judge.receives, preset, REDACTION)


def identity(
    name: str, fingerprint: Mapping[str, JsonValue], receives: Collection[Part], preset: str, redaction: str
) -> str:
    """The same, under any version of the redaction."""
    parts: dict[str, JsonValue] = {"judge": dict(fingerprint), "receives": [*sorted(receives)]}
    if "projection" in receives:
        parts["preset"] = preset
        parts["redaction"] = redaction
    slug = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")[:48]
    return f"{slug}-{digest(parts)[:12]}"


def item_key(
    receives: frozenset[Part],
    question: Question,
    *,
    projection: str | None,
    anchors: Anchors,
    facts: dict[str, str],
    reference_time: str | None,
) -> str:
    """Digest of exactly what the judge receives. ``projection`` is the digest of the projection's content."""
    given: dict[str, JsonValue] = {
        "projection": projection,
        "anchors": anchors.model_dump(mode="json", exclude_defaults=True),
        "facts": dict(facts),
        "reference_time": reference_time,
    }
    item: dict[str, JsonValue] = {part: given[part] for part in sorted(receives)}
    criteria: list[JsonValue] = [[answer, meaning] for answer, meaning in question.criteria]
    item["question"] = {"type": question.type, "text": question.text, "criteria": criteria}
    return digest(item)
