"""Code checks of trajectory anchors: expected events, states and forbidden events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import re2
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
        if denied or event.ok is False or (event.exit_code or 0) != 0:
            continue
        shown = _present_after(state.file, event, text)
        present = present if shown is None else shown
    if present is None:
        return None
    return present if state.contains is not None else not present


def _present_after(file: str, event: Event, text: str) -> bool | None:
    """Whether the file holds the text after the event, as far as the event shows it."""
    patched = [_present_after_patch(file, patch, text) for patch in _patches(event)]
    if patched:
        return next((shown for shown in reversed(patched) if shown is not None), None)
    if not _is_about(file, event):
        return None
    shown = [_present_after_call(part, text) for part in _parts(event)]
    known = next((one for one in reversed(shown) if one is not None), None)
    if known is not None:
        return known
    if event.output and _PATCH_START.search(event.output):
        return _present_after_patch(file, event.output, text)
    return True if event.output and text in event.output else None


def _present_after_call(part: Mapping[str, JsonValue], text: str) -> bool | None:
    """One write, or one replacement of an edit."""
    if any(name in part for name in PATH_ARGUMENTS):
        for name in _WHOLE:
            if isinstance(value := part.get(name), str):
                return text in value
    if _holds(part, _ADDED, text):
        return True
    return False if _holds(part, _REMOVED, text) else None


def _holds(part: Mapping[str, JsonValue], names: Sequence[str], text: str) -> bool:
    return any(isinstance(value := part.get(name), str) and text in value for name in names)


def _present_after_patch(file: str, patch: str, text: str) -> bool | None:
    """Of a patch's lines, only those that stand under the file's own header count."""
    kept: dict[str, list[str]] = {"+": [], "-": [], " ": []}
    here = deleted = False
    for line in patch.splitlines():
        header = _PATCH_HEADER.match(line)
        if header:
            action, name = header.group(1), header.group(2).strip().removeprefix("b/")
            if action != "--- ":
                here = glob(file, name, path=True)
                deleted = deleted or (here and "Delete" in action)
        elif here and line[:1] in kept:
            kept[line[0]].append(line[1:])
    for mark, present in (("+", True), ("-", False), (" ", True)):
        if text in "\n".join(kept[mark]):
            return present
    return False if deleted else None


def _is_about(file: str, event: Event) -> bool:
    names = [event.args[name] for name in PATH_ARGUMENTS if event.args and name in event.args]
    if event.path is not None:
        names.append(event.path)
    if names:
        return any(isinstance(name, str) and glob(file, name, path=True) for name in names)
    given = [value for value in (event.args or {}).values() if isinstance(value, str)]
    return any(_names(file, word) for word in (*given, *_WORDS.findall(event.command or "")))


def _names(file: str, word: str) -> bool:
    """Whether a word of a command names the file, from the project's folder or from one within it."""
    word = word.removeprefix("./")
    return glob(file, word, path=True) or (word != "" and file.endswith(f"/{word}"))


def _parts(event: Event) -> list[Mapping[str, JsonValue]]:
    """The arguments, then each entry of a list among them (an edit of several replacements), in order."""
    args = event.args or {}
    return [
        args,
        *(part for value in args.values() if isinstance(value, list) for part in value if isinstance(part, dict)),
    ]


def _patches(event: Event) -> list[str]:
    given = [event.command, *((event.args or {}).get(name) for name in _PATCH)]
    return [text for text in given if isinstance(text, str) and _PATCH_START.search(text)]


_WHOLE = ("content", "file_text", "contents")
_ADDED = ("new_string", "new_str", "newString", "new_source")
_REMOVED = ("old_string", "old_str", "oldString")
_PATCH = ("patch", "input", "diff", "command")
_PATCH_START = re2.compile(r"(?m)^\*\*\* Begin Patch|^\+\+\+ \S")
_PATCH_HEADER = re2.compile(r"(\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ |--- )(.*)")
_WORDS = re2.compile(r"[^\s'\"`;|&<>()=]+")
