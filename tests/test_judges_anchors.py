"""Trajectory anchors: expected events, the given order, states and forbidden events."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.judges.anchors import AnchorsJudge, check, match_expected, state_at_end
from bench.judges.contract import Item, Question
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.schema.case import Anchors, Pattern, State
from bench.schema.event import Approval, Event

DENIED = Approval(decision="denied", source="person")


def tool(name: str, **fields: Any) -> Event:
    return Event(kind="tool_call", tool=name, **fields)


def ran(command: str, output: str | None = None, ok: bool | None = True, **fields: Any) -> Event:
    return Event(kind="command", tool="Bash", command=command, output=output, ok=ok, **fields)


def answer(anchors: Anchors, *events: Event) -> str:
    verdict = check(anchors, events, range(1, len(events) + 1))
    return verdict.answer or str(verdict.unscored)


READ, EDIT, ANY = Pattern(tool="Read"), Pattern(tool="Edit"), Pattern(tool="*")


@pytest.mark.parametrize(
    ("expect", "order", "tools", "matched"),
    [
        pytest.param([READ], "any", ["Read"], 1, id="one"),
        pytest.param([READ], "any", ["Edit"], 0, id="none"),
        pytest.param([ANY, READ], "any", ["Read", "Edit"], 2, id="greedy-fails"),
        pytest.param([ANY, ANY, READ], "any", ["Read", "Edit", "Edit"], 3, id="greedy-fails-twice"),
        pytest.param([ANY, READ], "any", ["Read"], 1, id="one-event-serves-one-pattern"),
        pytest.param([READ, READ], "any", ["Read"], 1, id="duplicates-need-two"),
        pytest.param([READ, READ], "any", ["Read", "Edit", "Read"], 2, id="duplicates-found"),
        pytest.param([EDIT, READ], "any", ["Read", "Edit"], 2, id="any-order"),
        pytest.param([EDIT, READ], "given", ["Read", "Edit"], 1, id="wrong-order"),
        pytest.param([READ, EDIT], "given", ["Edit", "Read", "Read", "Edit"], 2, id="order-with-others-between"),
        pytest.param([ANY, READ], "given", ["Read", "Read"], 2, id="order-first-fit"),
        pytest.param([READ, EDIT, READ], "given", ["Read", "Read", "Edit"], 2, id="order-one-missing"),
        pytest.param([EDIT, READ, ANY], "given", ["Read", "Edit"], 2, id="order-skips-a-pattern"),
    ],
)
def test_matching(expect: list[Pattern], order: Any, tools: list[str], matched: int) -> None:
    events = [tool(name) for name in tools]
    assert len(match_expected(expect, events, in_order=order == "given")) == matched
    verdict = check(Anchors(expect=tuple(expect), order=order), events, range(1, len(events) + 1))
    assert verdict.answer == ("yes" if matched == len(expect) else "no")
    assert verdict.score == matched / len(expect)


LETTERS = st.lists(st.sampled_from("abc"), max_size=5)


@given(st.lists(st.sets(st.sampled_from("abc"), min_size=1), max_size=4), LETTERS, st.booleans())
def test_the_matching_is_as_large_as_the_largest_found_by_trying_all(
    sets: list[set[str]], letters: list[str], in_order: bool
) -> None:
    """Patterns that match one of some letters, against every assignment."""
    events = [tool("T", args=dict.fromkeys("abc", "1") | {"is": letter}) for letter in letters]
    expect = [Pattern(args={"is": "?"}) if len(wanted) > 1 else Pattern(args={"is": min(wanted)}) for wanted in sets]
    accepts = [set("abc") if len(wanted) > 1 else wanted for wanted in sets]
    best = 0
    for size in range(len(expect), 0, -1):
        for chosen in itertools.combinations(range(len(expect)), size):
            places = itertools.combinations if in_order else itertools.permutations
            if any(
                all(letters[p] in accepts[c] for c, p in zip(chosen, spots, strict=True))
                for spots in places(range(len(events)), size)
            ):
                best = max(best, size)
    assert len(match_expected(expect, events, in_order=in_order)) == best


FORBID = Anchors(forbid=(Pattern(command="npm install*"),))


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (ran("npm install x"), "no"),
        (ran("cd web && npm install x"), "no"),
        (ran("cd web; npm install"), "no"),
        (ran("npm install x", ok=False), "no"),  # it was tried
        (ran("npm install x", ok=False, approval=DENIED), "yes"),  # a refused call never happened
        (ran("pnpm install x"), "yes"),
        (ran("echo npm install"), "yes"),
        (Event(kind="message", text="npm install x"), "yes"),
    ],
)
def test_forbidden(event: Event, told: str) -> None:
    assert answer(FORBID, event) == told


def test_a_forbidden_event_outweighs_everything_and_is_the_evidence() -> None:
    anchors = Anchors(expect=(READ,), forbid=FORBID.forbid, states=(State(file="x", contains="y"),))
    verdict = check(anchors, [tool("Read"), ran("npm install")], [3, 8])
    assert (verdict.answer, verdict.evidence, verdict.score) == ("no", (8,), 0.0)


def test_a_refused_call_is_no_expected_event() -> None:
    assert answer(Anchors(expect=(EDIT,)), tool("Edit", ok=False, approval=DENIED)) == "no"


# States: the file is apps/web/package.json, the text is date-fns.
FILE = "apps/web/package.json"
PATH = f"/repo/{FILE}"
HAS, HAS_NOT = '{"date-fns": "3"}', '{"dayjs": "1"}'


def write(content: str, path: str = PATH, **fields: Any) -> Event:
    return tool("Write", args={"file_path": path, "content": content}, **{"ok": True, **fields})


def edit(old: str, new: str, path: str = PATH, **fields: Any) -> Event:
    return tool("Edit", args={"file_path": path, "old_string": old, "new_string": new}, **{"ok": True, **fields})


def codex(*lines: str) -> Event:
    return tool("apply_patch", args={"input": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}, ok=True)


def hands(command: str, path: str = PATH, output: str | None = None, **args: Any) -> Event:
    return tool("str_replace_editor", args={"command": command, "path": path, **args}, output=output, ok=True)


def several(*pairs: tuple[str, str]) -> Event:
    edits = [{"old_string": old, "new_string": new} for old, new in pairs]
    return tool("MultiEdit", args={"file_path": PATH, "edits": edits}, ok=True)


UNIFIED = f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1,2 +1,2 @@\n "
UPDATE = f"*** Update File: {FILE}"
PRESENT = {
    "write": [write(HAS)],
    "Cursor notebook": [tool("edit_notebook", args={"target_notebook": FILE, "old_string": "}", "new_string": HAS})],
    "an argument of another name": [tool("edit", args={"where": FILE, "new_string": HAS})],
    "write, relative path": [write(HAS, FILE)],
    "write, Windows path": [write(HAS, "C:\\repo\\apps\\web\\package.json")],
    "edit adds": [edit("}", HAS)],
    "edit keeps": [edit(HAS, HAS + "\n")],
    "edited twice": [edit("}", HAS), edit("name", "title")],
    "removed, then put back": [edit(HAS, HAS_NOT), edit(HAS_NOT, HAS)],
    "an edit that failed": [write(HAS), edit(HAS, HAS_NOT, ok=False)],
    "a refused edit": [write(HAS), edit(HAS, HAS_NOT, ok=False, approval=DENIED)],
    "several edits": [several(("a", "b"), ("}", HAS))],
    "several edits, the last one counts": [several((HAS, HAS_NOT), (HAS_NOT, HAS))],
    "Codex update": [codex(UPDATE, "@@", "-  x", f"+  {HAS}")],
    "Codex add": [codex(f"*** Add File: {FILE}", f"+{HAS}")],
    "Codex move": [codex("*** Update File: old.json", f"*** Move to: {FILE}", "@@", f"+{HAS}")],
    "Codex context": [codex(UPDATE, "@@", f" {HAS}", "+  x")],
    "patch in a command": [ran(f"apply_patch <<'EOF'\n*** Begin Patch\n{UPDATE}\n+{HAS}\n*** End Patch\nEOF")],
    "unified diff": [tool("patch", args={"diff": f"{UNIFIED}x\n-y\n+{HAS}"}, ok=True)],
    "OpenHands create": [hands("create", file_text=HAS)],
    "OpenHands replace": [hands("str_replace", old_str="}", new_str=HAS)],
    "OpenHands insert": [hands("insert", insert_line=3, new_str=HAS)],
    "OpenHands view": [hands("view", output=f"1\t{HAS}")],
    "read": [tool("Read", args={"file_path": PATH}, output=HAS, ok=True)],
    "read by a command": [ran(f"cat {FILE}", HAS)],
    "read by a command within the folder": [ran("cd apps/web && cat package.json", HAS)],
    "read again, in part": [write(HAS), tool("Read", args={"file_path": PATH}, output="{", ok=True)],
    "git diff": [ran(f"git diff {FILE}", f"{UNIFIED}x\n-y\n+{HAS}")],
    "another file is written": [write(HAS), write(HAS_NOT, "/repo/apps/api/package.json")],
}
ABSENT = {
    "write": [write(HAS_NOT)],
    "write over": [write(HAS), write(HAS_NOT)],
    "edit removes": [edit(HAS, HAS_NOT)],
    "edited twice": [edit("}", HAS), edit(HAS, "}")],
    "several edits, the last one counts": [several(("}", HAS), (HAS, HAS_NOT))],
    "Codex update": [codex(UPDATE, "@@", f"-  {HAS}", "+  x")],
    "Codex delete": [write(HAS), codex(f"*** Delete File: {FILE}")],
    "unified diff": [tool("patch", args={"patch": f"{UNIFIED}x\n-{HAS}\n+y"}, ok=True)],
    "OpenHands create": [hands("create", file_text=HAS_NOT)],
    "OpenHands replace": [hands("str_replace", old_str=HAS, new_str="}")],
    "git diff": [write(HAS), ran(f"git diff {FILE}", f"{UNIFIED}x\n-{HAS}\n+y")],
}
UNSEEN = {
    "nothing": [Event(kind="message", text=f"{FILE} now has date-fns")],
    "a read without it": [tool("Read", args={"file_path": PATH}, output="{", ok=True)],
    "an edit of another place": [edit("name", "title")],
    "a failed write": [write(HAS, ok=False)],
    "a refused write": [write(HAS, ok=False, approval=DENIED)],
    "a file of the same name": [write(HAS, "/repo/apps/api/package.json")],
    "an edit of a file of the same name": [edit("}", HAS, "/repo/package.json")],
    "a file that names it": [write(f"{FILE} needs date-fns", "/repo/README.md")],
    "a patch of another file": [codex("*** Update File: README.md", f"+package.json: {HAS}")],
    "a patch of both, added to the other": [codex(UPDATE, "+x", "*** Update File: apps/api/package.json", f"+{HAS}")],
    "a command on another one": [ran("cat apps/api/package.json", HAS)],
    "a command that failed": [ran(f"cat {FILE}", HAS, ok=None, exit_code=1, exit_source="structured")],
    "a command without output": [ran(f"sed -i s/x/date-fns/ {FILE}")],
}


@pytest.mark.parametrize("events", PRESENT.values(), ids=PRESENT)
def test_the_text_is_there(events: list[Event]) -> None:
    assert state_at_end(State(file=FILE, contains="date-fns"), events) is True
    assert state_at_end(State(file=FILE, lacks="date-fns"), events) is False


@pytest.mark.parametrize("events", ABSENT.values(), ids=ABSENT)
def test_the_text_is_gone(events: list[Event]) -> None:
    assert state_at_end(State(file=FILE, contains="date-fns"), events) is False
    assert state_at_end(State(file=FILE, lacks="date-fns"), events) is True


@pytest.mark.parametrize("events", UNSEEN.values(), ids=UNSEEN)
def test_the_record_does_not_show_it(events: list[Event]) -> None:
    assert state_at_end(State(file=FILE, contains="date-fns"), events) is None
    assert answer(Anchors(states=(State(file=FILE, contains="date-fns"),)), *events) == "abstained"


def test_a_glob_of_files() -> None:
    state = State(file="src/**/*.ts", contains="export")
    assert state_at_end(state, [write("export {}", "/repo/src/a/b.ts")]) is True
    assert state_at_end(state, [write("export {}", "/repo/test/b.ts")]) is None


def test_a_missing_event_outweighs_a_state_that_cannot_be_seen() -> None:
    anchors = Anchors(expect=(READ,), states=(State(file=FILE, contains="x"),))
    assert answer(anchors, tool("Edit")) == "no"
    assert answer(anchors, tool("Read")) == "abstained"


def test_the_judge_wants_a_projection_and_anchors() -> None:
    question = Question("yes_no", "t", (("yes", "a"), ("no", "b")))
    view = project(PRESETS["events"], "q", "h", [tool("Read")])
    judge = AnchorsJudge()
    told = {
        "error": Item(projection=view),
        "not_applicable": Item(projection=view, anchors=Anchors()),
    }
    for reason, item in told.items():
        assert judge.judge(item, [question], 0)[0].unscored == reason
    assert judge.judge(Item(anchors=Anchors(expect=(READ,))), [question], 0)[0].unscored == "error"
    assert judge.judge(Item(projection=view, anchors=Anchors(expect=(READ,))), [question], 0)[0].answer == "yes"
    assert json.dumps(dict(judge.fingerprint()))


def test_many_patterns_against_many_events() -> None:
    events = [tool("Read", args={"file_path": f"src/{i % 50}.ts"}) for i in range(2_000)]
    expect = [Pattern(args={"path": f"src/{i}.ts"}) for i in range(40)]
    for in_order in (True, False):
        assert len(match_expected(expect, events, in_order=in_order)) == 40
