"""Code checks of trajectory anchors: expected events, states and forbidden events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from bench.judges.contract import Item, Part, Question, Verdict, only_yes_no, yes_or_no
from bench.judges.patterns import PATH_ARGUMENTS, glob, matches
from bench.schema.case import Anchors, Pattern, State
from bench.schema.event import Event

VERSION = 1


@dataclass(frozen=True)
class AnchorsJudge:
    """Yes where every anchor holds, no where one is broken, abstains where a state cannot be seen in the record."""

    name: str = "anchors"
    receives: frozenset[Part] = frozenset({"projection", "anchors"})

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {"anchors": VERSION}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        if item.projection is None or item.anchors is None:
            verdict = Verdict(unscored="error", detail="no projection or anchors were given")
        elif item.anchors == Anchors():
            verdict = Verdict(unscored="not_applicable", detail="the case has no anchors")
        else:
            verdict = check(item.anchors, item.projection.events, item.projection.numbers)
        return [only_yes_no(question) or verdict for question in questions]


def check(anchors: Anchors, events: Sequence[Event], numbers: Sequence[int]) -> Verdict:
    """The verdict of the anchors on one attempt."""
    broken = [(numbers[i], pattern) for pattern in anchors.forbid for i, e in enumerate(events) if matches(pattern, e)]
    if broken:
        return Verdict(yes_or_no(False), score=0.0, evidence=(broken[0][0],), reason="a forbidden event happened")
    matched = match_expected(anchors.expect, events, in_order=anchors.order == "given")
    states = [state_at_end(state, events) for state in anchors.states]
    held = len(matched) + sum(state is True for state in states)
    score = held / (len(anchors.expect) + len(states)) if anchors.expect or states else 1.0
    evidence = tuple(sorted(numbers[i] for i in matched))
    if len(matched) < len(anchors.expect):
        return Verdict(yes_or_no(False), score=score, evidence=evidence, reason="an expected event is missing")
    if False in states:
        return Verdict(yes_or_no(False), score=score, evidence=evidence, reason="a state does not hold")
    if None in states:
        return Verdict(unscored="abstained", detail="the record does not show a file that a state is about")
    return Verdict(yes_or_no(True), score=score, evidence=evidence)


def match_expected(expect: Sequence[Pattern], events: Sequence[Event], *, in_order: bool) -> tuple[int, ...]:
    """Positions of events matched to patterns, one each, as many as can be: a maximum bipartite matching by augmenting
    paths (Kuhn 1955), or in the given order the longest common subsequence."""
    fits = [[i for i, event in enumerate(events) if matches(pattern, event)] for pattern in expect]
    return _longest_in_order(fits, len(events)) if in_order else _maximum_matching(fits)


def _maximum_matching(fits: list[list[int]]) -> tuple[int, ...]:
    taken: dict[int, int] = {}

    def place(pattern: int, seen: set[int]) -> bool:
        for position in fits[pattern]:
            if position not in seen:
                seen.add(position)
                if position not in taken or place(taken[position], seen):
                    taken[position] = pattern
                    return True
        return False

    for pattern in range(len(fits)):
        place(pattern, set())
    return tuple(sorted(taken))


def _longest_in_order(fits: list[list[int]], count: int) -> tuple[int, ...]:
    """best[k]: the earliest-ending chain of k patterns so far (position tuple)."""
    best: list[tuple[int, ...]] = [()]
    for positions in fits:
        for k in range(len(best) - 1, -1, -1):
            end = best[k][-1] if best[k] else -1
            following = next((p for p in positions if p > end), count)
            if following < count and (k + 1 == len(best) or following < best[k + 1][-1]):
                best[k + 1 : k + 2] = [(*best[k], following)]
    return best[-1]


def state_at_end(state: State, events: Sequence[Event]) -> bool | None:
    """Whether the state holds after the last event that shows the file; None where no event shows it.

    A write shows the whole file; an edit or patch shows what it adds and removes; a read shows presence only.
    """
    text = state.contains if state.contains is not None else state.lacks or ""
    present: bool | None = None
    for event in events:
        denied = event.approval is not None and event.approval.decision == "denied"
        if denied or event.ok is False or not _is_about(state.file, event):
            continue
        shown = _present_after(event, text)
        present = present if shown is None else shown
    if present is None:
        return None
    return present if state.contains is not None else not present


def _is_about(file: str, event: Event) -> bool:
    names = [event.args[name] for name in PATH_ARGUMENTS if event.args and name in event.args]
    if event.path is not None:
        names.append(event.path)
    if any(isinstance(name, str) and glob(file, name, path=True) for name in names):
        return True
    plain = file.rsplit("/", 1)[-1]
    texts = (event.command or "", *(value for _, value in _arguments(event)))
    return "*" not in plain and any(plain in text for text in texts)


def _present_after(event: Event, text: str) -> bool | None:
    for name, value in _arguments(event):
        if name in _WHOLE and _has_path(event):
            return text in value
        if name in _ADDED and text in value:
            return True
        if name in _PATCH or (event.kind == "command" and "*** Begin Patch" in value):
            added = [line[1:] for line in value.splitlines() if line.startswith("+")]
            removed = [line[1:] for line in value.splitlines() if line.startswith("-")]
            if text in "\n".join(added):
                return True
            if text in "\n".join(removed):
                return False
    if any(name in _REMOVED and text in value for name, value in _arguments(event)):
        return False
    return True if event.output and text in event.output else None


_WHOLE = ("content", "file_text", "contents")
_ADDED = ("new_string", "new_str", "newString", "new_source")
_REMOVED = ("old_string", "old_str", "oldString")
_PATCH = ("patch", "input", "diff")


def _has_path(event: Event) -> bool:
    return any(name in (event.args or {}) for name in PATH_ARGUMENTS)


def _arguments(event: Event) -> Iterator[tuple[str, str]]:
    if event.command is not None:
        yield "command", event.command
    for name, value in (event.args or {}).items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, dict):
                    yield from ((k, v) for k, v in part.items() if isinstance(v, str))
