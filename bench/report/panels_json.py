"""Panels and cascades as JSON."""

from __future__ import annotations

from pydantic import JsonValue

from bench.policies.cascade import Band, Cascade
from bench.policies.combine import Arrangement, Stacked, Weighted
from bench.policies.frontier import Frontier
from bench.policies.panels import Line, Study
from bench.policies.replay import Figures, Recorded
from bench.report.jsonable import Json, estimate_json
from bench.report.panels import families_of, saving, sentence

FORMAT = 1


def study_json(study: Study, signature: str, exit_code: int) -> Json:
    """The same as JSON."""
    return {
        "format": FORMAT,
        "sentence": sentence(study),
        "statement": study.asked.statement,
        "stratum": study.asked.stratum.id,
        "metric": study.asked.metric,
        "exit_code": exit_code,
        "chosen_on": {
            "split": "development",
            "items": len(study.development),
            "families": families_of(study.development),
        },
        "reported_on": {
            "splits": list(study.splits),
            "items": len(study.reported),
            "families": families_of(study.reported),
        },
        "floor": study.floor,
        "members": [
            {"name": m.name, "judge_id": m.id, "value": m.scale, "calls_a_model": m.calls_a_model, "free": m.free}
            for m in study.members
        ],
        "arrangements": [_line_json(study, line) for line in study.lines],
        "not_made": [{"name": name, "reason": reason} for name, reason in study.missing],
        "gain_level": study.level,
        "frontiers": [_frontier_json(study, found) for found in study.frontiers],
        "signature": signature,
    }


def _line_json(study: Study, line: Line) -> Json:
    return {
        "name": line.name,
        "kind": line.kind,
        "members": [study.members[place].name for place in line.places],
        "fitted_on_development": line.fitted,
        "how": _how(study, line.arrangement),
        "development": None if line.development is None else _figures_json(study, line, line.development),
        "reported": _figures_json(study, line, line.reported),
        "bounds": None if line.bounds is None else {"all_wrong": line.bounds[0], "all_right": line.bounds[1]},
        "best_member": None if line.best_member is None else study.members[line.best_member].name,
        "difference_from_best_member": None if line.gain is None else estimate_json(line.gain),
        "told": saving(study, line) or None,
    }


def _how(study: Study, arrangement: Arrangement) -> Json:
    names = [member.name for member in study.members]
    if isinstance(arrangement, Weighted):
        return {"weights": dict(zip(names, arrangement.weights, strict=True)), "floor": arrangement.floor}
    if isinstance(arrangement, Stacked):
        model = arrangement.model
        parts: dict[str, JsonValue] = {
            name: {"median": m, "centre": c, "spread": s, "coefficient": w, "missing": g}
            for name, m, c, s, w, g in zip(
                names, model.median, model.centre, model.spread, model.coefficients, model.missing, strict=True
            )
        }
        return {"members": parts, "intercept": model.intercept, "cut": model.cut, "floor": arrangement.floor}
    if isinstance(arrangement, Cascade):
        stages: list[JsonValue] = [
            {"judge": names[stage.member], "goes_on": _band_json(stage.band)} for stage in arrangement.stages
        ]
        return {"stages": stages, "last": "review" if arrangement.last is None else names[arrangement.last]}
    return {}


def _band_json(band: Band | None) -> JsonValue:
    return "unscored" if band is None else {"from": band.lo, "to": band.hi}


def _figures_json(study: Study, line: Line, found: Figures) -> Json:
    books = found.books
    whole: Json = {
        "books": {
            "expected": books.expected,
            "scored": books.scored,
            "unscored": dict(books.unscored),
            "not_run": books.not_run,
            "labelled": books.labelled,
            "unlabelled": books.unlabelled,
            "unclear": books.unclear,
        },
        "metrics": {name: estimate_json(estimate) for name, estimate in found.metrics.items()},
        "review_share": estimate_json(found.reviewed),
        "asked": {study.members[place].name: found.asked[place] for place in line.places},
        "usd_per_item": _recorded_json(found.usd),
        "ms_median": _recorded_json(found.ms_median),
        "ms_mean": _recorded_json(found.ms_mean),
    }
    return whole | ({"escalated": estimate_json(found.escalated)} if line.kind == "cascade" else {})


def _frontier_json(study: Study, found: Frontier) -> Json:
    return {
        "axis": found.axis,
        "steps": [
            {
                "name": study.lines[step.point.place].name,
                "quality": step.point.quality,
                "spent": step.point.spent,
                "gain": None if step.gain is None else estimate_json(step.gain),
                "cannot_be_told": step.cannot_be_told,
            }
            for step in found.steps
        ],
        "left_out": [{"name": study.lines[place].name, "reason": reason} for place, reason in found.left_out],
    }


def _recorded_json(found: Recorded) -> Json:
    reason: Json = {} if found.why is None else {"reason": found.why}
    return {"value": found.value, "items": found.items, "unknown": found.unknown, **reason}
