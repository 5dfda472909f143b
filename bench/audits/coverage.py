"""Audits of coverage: which cells and phenomena the cases reach, and where their deciding events stand."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase

from bench.audits.authored import Authored, count_authored, lines_of, middle_third, table_of
from bench.audits.material import Material, Result

_LONG = 80  # events, where the suite declares no length for deciding events


def coverage_matrix(material: Material) -> Result:
    """Every cell of capability x difficulty holds a case, or is declared empty with a reason."""
    suite = material.suite.suite
    held = Counter(
        (loaded.case.metadata.capability, loaded.case.metadata.difficulty) for loaded in material.suite.cases
    )
    lines, empty, undeclared = [], 0, []
    for capability in suite.vocabulary.capability:
        for difficulty in suite.vocabulary.difficulty:
            cell, count = f"{capability} x {difficulty}", held[capability, difficulty]
            reason = next(
                (
                    declared.reason
                    for declared in suite.rules.empty_cells
                    if fnmatchcase(capability, declared.capability) and fnmatchcase(difficulty, declared.difficulty)
                ),
                None,
            )
            empty += count == 0
            if count == 0 and reason is None:
                undeclared.append(cell)
            lines.append(f"{cell}: {count}" + (f" (declared empty: {reason})" if reason is not None else ""))
    told = f"{len(lines) - empty} of {len(lines)} cells hold a case"
    if empty:
        told += f", {len(undeclared)} of {empty} empty ones undeclared" if undeclared else ", empty ones are declared"
    details = (*(f"empty and undeclared: {cell}" for cell in undeclared), *lines)
    return Result(not undeclared, told, details)


def phenomena(material: Material) -> Result:
    """Authored cases reach every declared minimum. The counts are the details."""
    lines = lines_of(material.suite.suite, _authored(material))
    demanded = [line for line in lines if line.minimum is not None]
    unmet = [line for line in demanded if not line.met]
    table = tuple(table_of(lines))
    if not demanded:
        return Result(None, f"{len(lines)} counts, no minimum is declared", table)
    return Result(not unmet, f"{len(demanded) - len(unmet)} of {len(demanded)} minimums are reached", table)


def deciding_event_position(material: Material) -> Result:
    """In how many long sessions the deciding event stands in the middle third."""
    authored = _authored(material)
    declared = [m.events_over for m in material.suite.suite.rules.minimums if m.deciding_event is not None]
    told = []
    for over in [over for over in declared if over is not None] or [_LONG]:
        inside, long = middle_third(authored, over)
        sessions = sum(length > over for length in authored.lengths)
        unnamed = f" ({sessions - long} more name none)" if sessions > long else ""
        told.append(f"middle third in {inside} of {long} sessions over {over} events{unnamed}")
    places = [f"event {number} of {total}" for total, number in sorted(authored.positions)]
    return Result(None, "; ".join(told), tuple(places))


def _authored(material: Material) -> Authored:
    return count_authored(material.suite, material.notes, material.views)
