"""The commands that write data, as their users run them: label, adjudicate, new, split, import."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from printed import flat
from suites import (
    ANSWERS,
    CASES,
    NOTES,
    SPLITS,
    STATEMENTS,
    SUITE,
    VOTES,
    case_text,
    checks_text,
    make_suite,
    note_text,
    votes_text,
)

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cli import main
from bench.labels.load import load_labels
from bench.traces.detect import read_session

Typing = Callable[..., list[str]]
ALL_FOUR = [
    "yes",
    "3",
    "It stands there.",
    "y",
    "",
    "Thirty days.",
    "4",
    "2 3",
    "Friendly.",
    "form",
    "#1,#2",
    "To the form.",
]


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Type these lines, then end the input; what was asked is collected."""

    def start(*lines: str) -> list[str]:
        left, asked = list(lines), []

        def answer(prompt: str = "") -> str:
            asked.append(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr("builtins.input", answer)
        return asked

    return start


def run(layout: Layout, *words: str) -> int:
    return main([*words, "--suite", str(layout.suite)])


def label(layout: Layout, *words: str) -> int:
    return run(layout, "label", "--annotator", "eve", *words)


def cast(layout: Layout, annotator: str = "eve") -> dict[tuple[str, str], tuple[str, str]]:
    """(case, statement) -> (answer, rationale) of one annotator, read back by the loader."""
    votes = load_labels(load_suite(layout)).votes
    return {
        (item[0], item[2]): (c.vote.answer, c.vote.rationale)
        for item, many in votes.items()
        for c in many
        if c.annotator == annotator
    }


# label


def test_a_vote_file_is_as_typed(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path)
    (layout.labels / "GUIDE.md").write_text("# Guide\n\nGuide version: 7\n")
    typing(*ALL_FOUR)
    assert label(layout, "--case", "S001") == 0
    assert "4 votes cast; nothing is left for eve" in capsys.readouterr().out
    text = (layout.labels / "votes" / "eve" / "S001.yaml").read_text()
    head, _, votes = text.partition("\nat: ")
    assert head == (
        'schema: 1\ncase: "S001"\nannotator: "eve"\nmade_by: "person"\nguide: "7"\npreset: "reading@2"'
    )  # fmt: skip
    assert votes.partition("\n")[2] == (
        "votes:\n"
        '  - attempt: "a1"\n    statement: "format-kept"\n    answer: "yes"\n    evidence: [3]\n'
        '    rationale: "It stands there."\n'
        '  - attempt: "a1"\n    statement: "mentions-refund"\n    answer: "yes"\n    evidence: []\n'
        '    rationale: "Thirty days."\n'
        '  - attempt: "a1"\n    statement: "quality"\n    answer: "4"\n    evidence: [2, 3]\n    rationale: "Friendly."\n'
        '  - attempt: "a1"\n    statement: "channel"\n    answer: "form"\n    evidence: [1, 2]\n'
        '    rationale: "To the form."\n'
    )
    assert run(layout, "lint") == 3  # ann says nowhere, eve says form
    assert "votes on a1/channel differ (ann nowhere, eve form)" in capsys.readouterr().out


def test_stop_and_resume_lose_nothing(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path)
    typing(*ALL_FOUR[:6], "q")
    assert label(layout, "--case", "S001") == 0
    assert "stopped; 2 votes are kept" in capsys.readouterr().out
    assert len(cast(layout)) == 2
    typing(*ALL_FOUR[6:8])  # the input ends in the middle of a vote
    assert label(layout, "--case", "S001") == 0
    assert "stopped; 0 votes are kept" in capsys.readouterr().out
    assert len(cast(layout)) == 2
    typing(*ALL_FOUR[6:])
    assert label(layout, "--case", "S001") == 0
    assert "2 votes cast; nothing is left" in capsys.readouterr().out
    typing(*ALL_FOUR)
    assert label(layout) == 0
    assert "4 votes cast; nothing is left" in capsys.readouterr().out
    assert list(cast(layout)) == [(case, statement) for case in CASES for statement in sorted(STATEMENTS)]
    typing()
    assert label(layout) == 0
    assert "0 votes cast; nothing is left" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ['say "no"', "it's # not it", "a: b", "- x", "C:\\new", "\U0001f600 no", "x\u2028y", "null", "'"]
)
def test_odd_rationales_survive(tmp_path: Path, typing: Typing, text: str) -> None:
    layout = make_suite(tmp_path)
    typing("yes", "", text, "q")
    label(layout, "--case", "S001")
    assert cast(layout) == {("S001", "format-kept"): ("yes", text)}


def test_a_byte_that_is_no_text_costs_no_vote(tmp_path: Path, typing: Typing) -> None:
    layout = make_suite(tmp_path)
    typing("yes", "", "caf\udce9", "q")  # PEP 383: how Python hands over a byte that the terminal's encoding lacks
    assert label(layout, "--case", "S001") == 0
    assert cast(layout) == {("S001", "format-kept"): ("yes", "caf\ufffd")}


def test_a_follow_up_is_asked_where_it_belongs(tmp_path: Path, typing: Typing) -> None:
    layout = make_suite(tmp_path)
    typing("yes", "", "r", "no", "other", "", "r", "q")
    label(layout, "--case", "S001")
    votes = load_labels(load_suite(layout)).votes["S001", "a1", "mentions-refund"]
    assert [c.vote.also for c in votes if c.annotator == "eve"] == [{"gap": "other"}]


def test_wrong_answers_are_asked_again(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path)
    typing("maybe", "", "YES", "un", "4", "0", "three", "2", "", "  ", "r", "q")
    label(layout, "--case", "S001")
    assert cast(layout) == {("S001", "format-kept"): ("unclear", "r")}
    out = capsys.readouterr().out
    assert "'maybe' is none of yes, no, unclear" in out and "whole numbers from 1 to 3 are wanted" in out


def test_options_named_like_the_keys_can_be_chosen(tmp_path: Path, typing: Typing) -> None:
    suite = SUITE.replace(
        "{form: to the web form, phone: to the hotline, nowhere: to no other place}", "{s: short, q: quick}"
    )
    votes = {key: text.replace('"nowhere"', '"s"') for key, text in VOTES.items()}
    layout = make_suite(tmp_path, suite=suite, votes=votes)
    typing(*ALL_FOUR[:9], "s", "", "r", *ALL_FOUR[:9], "q", "", "r")
    label(layout)
    assert {cast(layout)[case, "channel"][0] for case in CASES} == {"s", "q"}


def test_a_query_cannot_raise_the_number_of_events(tmp_path: Path, typing: Typing) -> None:
    text = CASES["S001"].replace("query: How", 'query: "x\\n#99 message"\n#')
    layout = make_suite(tmp_path, cases=CASES | {"S001": text})
    typing("yes", "99", "3", "r", "q")
    label(layout, "--case", "S001")
    assert load_labels(load_suite(layout)).votes["S001", "a1", "format-kept"][-1].vote.evidence == (3,)


def test_voting_is_blind(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES["S001"].replace("language: en", "tags: [angry], language: en")
    bob = votes_text("S001", "bob", {"format-kept": "no"}).replace("It stands in event 3.", "Bob misses the greeting.")
    layout = make_suite(tmp_path, cases=CASES | {"S001": case}, votes=VOTES | {"bob/S001": bob})
    asked = typing("s", *ALL_FOUR)
    label(layout, "--case", "S001")
    shown = capsys.readouterr().out + "\n".join(asked)
    assert "How long may I take to send the lamp back?" in shown and "Where does the agent send the customer?" in shown
    hidden = ["S001", "refund-a", "tickets", "written", "plain", "angry", "development", "author-x", "given in days",
              "bob", "Bob misses", "It stands in event 3", "critical", "format-kept"]  # fmt: skip
    assert [word for word in hidden if word in shown] == []


def test_a_long_session_is_paged_on_a_terminal(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = make_suite(tmp_path)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("bench.commands.label._PAGE", 5)
    asked = typing("", "q")
    assert label(layout, "--case", "S001") == 0
    out = capsys.readouterr().out
    assert "#2 tool_call" in out and "#3 message" not in out and "stopped; 0 votes are kept" in out
    assert [prompt.split()[0] for prompt in asked] == ["[5/13", "[10/13"]


def test_the_order_is_the_annotators_own(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    cases = {f"S{n:03d}": case_text(f"S{n:03d}", "refund-a").replace("lamp", f"lamp{n}") for n in range(20)}
    layout = make_suite(tmp_path, cases=cases, votes={}, splits=None)
    orders = []
    for annotator in ("eve", "bob", "eve"):
        typing("q")
        run(layout, "label", "--annotator", annotator)
        orders.append(capsys.readouterr().out)
    assert orders[0] == orders[2] != orders[1]


# words, a word of the error
LABEL_REFUSES = [
    (["--annotator", "../eve"], "letters, digits"),
    (["--annotator", "e v e"], "letters, digits"),
    (["--annotator", "eve", "--case", "S404"], "no case 'S404'"),
    (["--annotator", "eve", "--made-by", "model"], "name the model"),
    (["--annotator", "eve", "--preset", "all"], "use one of"),
    (["--annotator", "ann", "--made-by", "model", "--lineage", "m-1"], "votes made by person"),
    (["--annotator", "eve", "--sessions", "nowhere"], "no such folder"),
    ([], "--annotator"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "word"), LABEL_REFUSES)
def test_label_is_refused_before_anything_is_asked(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str], words: list[str], word: str
) -> None:
    layout = make_suite(tmp_path)
    asked = typing("yes")
    try:
        code = run(layout, "label", *words)
    except SystemExit as stop:  # argparse
        code = stop.code  # type: ignore[assignment]
    assert code == 3 and asked == []
    assert word in capsys.readouterr().err


def test_a_guide_without_a_version_is_refused_before_anything_is_asked(tmp_path: Path, typing: Typing) -> None:
    layout = make_suite(tmp_path)
    (layout.labels / "GUIDE.md").write_text("# Guide\n")
    asked = typing("yes")
    assert label(layout) == 3 and asked == []


def test_a_session_that_is_not_at_hand_is_passed_over(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = "{repository: r, commit: c, path: p, format: claude-code, sha256: " + "0" * 64 + "}"
    head = CASES["S001"].partition("    events:")[0]
    case = f"{head}    events_from: {{reference: {reference}}}\n"
    layout = make_suite(tmp_path, cases=CASES | {"S001": case})
    typing(*ALL_FOUR)
    assert label(layout) == 0
    assert "4 votes cast; 1 attempts were passed over for eve" in capsys.readouterr().out


# third votes


def test_a_check_is_cast_on_drawn_cases_only(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = make_suite(tmp_path, checks=checks_text("S002"))
    typing(*ALL_FOUR)
    assert label(layout, "--check") == 0
    assert "4 votes cast; nothing is left for eve" in capsys.readouterr().out
    labels = load_labels(load_suite(layout))
    assert sorted(labels.checks) == sorted(("S002", "a1", statement) for statement in STATEMENTS)
    assert cast(layout) == {}
    assert run(layout, "lint") == 0
    assert label(layout, "--check") == 0  # all of it is there
    assert "0 votes cast; nothing is left for eve" in capsys.readouterr().out


def test_nobody_checks_a_case_that_they_labelled(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = make_suite(tmp_path, checks=checks_text("S001"))
    asked = typing(*ALL_FOUR)
    assert run(layout, "label", "--annotator", "ann", "--check") == 0
    assert "has a label vote of ann; passed over" in capsys.readouterr().out
    assert asked == []


@pytest.mark.parametrize(
    ("checks", "words", "told"),
    [
        (None, [], "no such file, and third votes go to drawn cases only"),
        (checks_text("S001"), ["--case", "S002"], "case 'S002' is not in labels/support/checks.yaml"),
        (checks_text("S404"), [], "no case 'S404' in the suite"),
    ],
)
def test_a_check_without_a_draw_is_refused(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str], checks: str | None, words: list[str], told: str
) -> None:
    asked = typing(*ALL_FOUR)
    assert label(make_suite(tmp_path, checks=checks), "--check", *words) == 3
    assert told in capsys.readouterr().err
    assert asked == []


# adjudicate


def differing(tmp_path: Path) -> Layout:
    bob = votes_text("S001", "bob", ANSWERS | {"format-kept": "no", "quality": "2"})
    return make_suite(tmp_path, votes=VOTES | {"bob/S001": bob}, suite=SUITE.replace("item: 1", "item: 0"))


def test_adjudicate_asks_only_what_differs(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    layout = differing(tmp_path)
    typing("no", 'The guide says "greeting first" # 3', "s", "3", "Between both.")
    assert run(layout, "adjudicate", "--adjudicator", "chair") == 0
    out = capsys.readouterr().out
    assert (
        "bob says no, events [3]: It stands in event 3." in out and "2 items with votes that differ, 2 settled" in out
    )
    labels = load_labels(load_suite(layout))
    assert labels.label(("S001", "a1", "format-kept")).answer == "no"
    assert labels.label(("S001", "a1", "quality")).answer == "3"
    assert labels.rulings["S001", "a1", "format-kept"].reason == 'The guide says "greeting first" # 3'
    assert run(layout, "lint") == 0


def test_adjudicate_stops_and_goes_on(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    layout = differing(tmp_path)
    typing("no", "r1", "q")
    assert run(layout, "adjudicate", "--adjudicator", "chair") == 0
    assert "2 items with votes that differ, 1 settled now" in capsys.readouterr().out
    asked = typing("unclear", "r2")
    assert run(layout, "adjudicate", "--adjudicator", "chair") == 0
    assert len(asked) == 2
    assert [r.reason for r in load_labels(load_suite(layout)).rulings.values()] == ["r1", "r2"]


def test_adjudicate_lists_without_asking(tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    layout = differing(tmp_path)
    asked = typing()
    assert run(layout, "adjudicate", "--adjudicator", "chair", "--list") == 0
    assert asked == [] and "S001/a1/quality" in capsys.readouterr().out
    assert not (layout.labels / "adjudicated").exists()


# new


def new_case(layout: Layout, *words: str) -> str:
    before = set(layout.suite.rglob("S*.yaml"))
    assert main(["new", str(layout.suite), *words]) == 0
    (path,) = set(layout.suite.rglob("S*.yaml")) - before
    return path.stem


def written(layout: Layout, case: str) -> None:
    """Write something in place of the scaffold's words."""
    for path in (*layout.suite.rglob(f"{case}.yaml"), layout.labels / "notes" / f"{case}.yaml"):
        text = re.sub('(text": "|intention: "|deciding_line: ")', r"\1On refunds: ", path.read_text())
        path.write_text(text)


def test_a_scaffold_lints_clean_once_its_steps_are_taken(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = make_suite(tmp_path)
    case = new_case(layout, "--author", "Ann B.", "--query", 'Say "no" # to: spam')
    out = capsys.readouterr().out
    assert f"case: cases/support/pairs/{case}.yaml\nnote: labels/support/notes/{case}.yaml" in out
    assert f"bench split, bench lint, bench label --annotator NAME --case {case}" in flat(out)
    assert run(layout, "split") == 0
    typing(*ALL_FOUR)
    assert label(layout, "--case", case) == 0
    capsys.readouterr()
    assert run(layout, "lint") == 3
    assert capsys.readouterr().out.count("the scaffold's own words") == 4  # two events, two lines of the note
    written(layout, case)
    assert run(layout, "lint") == 0, capsys.readouterr().out
    loaded = next(c for c in load_suite(layout).cases if c.case.id == case)
    assert loaded.case.query == 'Say "no" # to: spam'


def test_what_a_scaffold_offers_in_comments_is_valid(
    tmp_path: Path, typing: Typing, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = make_suite(tmp_path, votes={}, suite=SUITE.replace("votes_per_item: 1", "votes_per_item: 0"))
    case = new_case(layout, "--query", "Say no.")
    path, note = layout.suite / "pairs" / f"{case}.yaml", layout.labels / "notes" / f"{case}.yaml"
    lines = path.read_text().splitlines()
    offered = [line.removeprefix("# ") if line.startswith("# ") else line for line in lines]
    assert offered != lines
    path.write_text("\n".join(line.replace("#   ", "  ") for line in offered))
    note.write_text(re.sub("^# ?", "", note.read_text(), flags=re.MULTILINE))
    written(layout, case)
    run(layout, "split")
    capsys.readouterr()
    assert run(layout, "lint") == 0, capsys.readouterr().out
    loaded = next(c for c in load_suite(layout).cases if c.case.id == case).case
    assert loaded.trajectory_anchors.expect and loaded.trajectory_anchors.forbid and loaded.world_state.reference_time


def test_metadata_start_as_the_stratum_has_them(tmp_path: Path) -> None:
    words = SUITE.replace("{ticket: a real ticket, written", "{ticket: a real ticket, found: found, written")
    layout = make_suite(tmp_path, suite=words.replace("{plain:", "{odd: odd, plain:"))
    path = next(layout.suite.rglob(f"{new_case(layout, '--stratum', 'pairs')}.yaml"))
    assert '  source: "written"\n  # ticket | found | written\n' in path.read_text()
    assert '  difficulty: "plain"\n  # odd | plain\n' in path.read_text()
    assert "  # tags: []   # of angry\n" in path.read_text()


def test_a_twin_starts_as_a_copy_in_the_same_family(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path)
    assert run(layout, "new", "--twin-of", "S002", "--id", "S007") == 0
    assert "change the decisive fact and nothing else" in capsys.readouterr().out
    cases = {loaded.case.id: loaded.case for loaded in load_suite(layout).cases}
    assert cases["S007"] == cases["S002"].model_copy(update={"id": "S007"})
    assert (layout.labels / "notes" / "S007.yaml").exists()
    run(layout, "lint")
    assert "S007, field attempts[0]: the same query and events as S002" in capsys.readouterr().out


def test_new_goes_on_before_the_split_is_made(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    assert new_case(layout) != new_case(layout)


# words, a word of the error
NEW_REFUSES = [
    (["--stratum", "mails"], "use one of tickets, pairs"),
    (["--twin-of", "S404"], "no case 'S404'"),
    (["--twin-of", "S002", "--family", "refund-a"], "leave --family out"),
    (["--twin-of", "S002", "--id", "S001"], "taken"),
    (["--stratum", "../x"], "use one of tickets, pairs"),
    (["--id", "X001"], "look like S[0-9]{3}"),
    (["--id", "S001"], "taken"),
    (["--id", "../S003"], "letters, digits"),
    (["--family", "a: b # c"], "letters, digits"),
    (["--family", "null"], "an empty value"),
]


@pytest.mark.parametrize(("words", "word"), NEW_REFUSES)
def test_new_is_refused_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], word: str
) -> None:
    layout = make_suite(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    try:
        code = main(["new", str(layout.suite), *words])
    except SystemExit as stop:  # argparse
        code = stop.code  # type: ignore[assignment]
    assert code == 3 and word in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_note_that_is_there_stops_the_case_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path, notes=NOTES | {"S003": note_text("S003")})
    assert main(["new", str(layout.suite), "--id", "S003"]) == 3
    assert "labels/support/notes/S003.yaml: the file exists already" in capsys.readouterr().err
    assert not list(layout.suite.rglob("S003.yaml"))


# split


def test_split_adds_what_is_new_and_keeps_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path, cases=CASES | {"S003": case_text("S003", "refund-c")})
    assert run(layout, "split") == 0
    assert "3 families, 1 of them new" in capsys.readouterr().out.splitlines()
    families = load_suite(layout).splits
    assert families is not None
    assert families.families["refund-a"] == "development" and families.families["refund-b"] == "test"
    text = (layout.suite / "splits.yaml").read_text()
    assert run(layout, "split") == 0
    assert (layout.suite / "splits.yaml").read_text() == text


def test_split_starts_from_nothing(tmp_path: Path) -> None:
    layout = make_suite(tmp_path, splits=None)
    assert run(layout, "split") == 0
    splits = load_suite(layout).splits
    assert splits is not None
    assert set(splits.families) == {"refund-a", "refund-b"}


@pytest.mark.parametrize("splits", [SPLITS + "  refund-z: test\n", SPLITS.replace("b: test", "b: train"), "- a"])
def test_split_touches_no_broken_file(tmp_path: Path, splits: str) -> None:
    layout = make_suite(tmp_path, splits=splits)
    assert run(layout, "split") == 3
    assert (layout.suite / "splits.yaml").read_text() == splits


# import

KEY = "AKIA" + "IOSFODNN7EXAMPLE"  # AWS's own example of an access key id, docs.aws.amazon.com
ODD = 'Fix "it" # 12\nno: yes\u2028\U0001f600\U000e0001\x1b[0m'


def session(tmp_path: Path, arguments: object = None, output: str = "fine") -> Path:
    """A recorded session in the form of Claude Code (as in tests/test_claude_code.py)."""
    noon = "2026-01-02T12:00:00.000Z"
    call = {"type": "tool_use", "id": "t1", "name": "Lookup", "input": arguments or {"topic": "returns"}}
    records = [
        {"type": "user", "timestamp": noon, "message": {"role": "user", "content": ODD}},
        {"type": "assistant", "timestamp": noon, "message": {"role": "assistant", "model": "model-a", "content": [call]}},
        {"type": "user", "timestamp": noon, "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": output, "is_error": False}]}},
        {"type": "assistant", "timestamp": noon, "message": {"role": "assistant", "model": "model-a", "content": [
            {"type": "text", "text": ODD}]}},
    ]  # fmt: skip
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(json.dumps({"sessionId": "s1", **record}) for record in records), encoding="utf-8")
    return path


def importing(tmp_path: Path) -> Layout:
    return make_suite(tmp_path, suite=SUITE.replace("{desk: the", "{claude-code: a coding agent, desk: the"))


def test_an_imported_session_reads_back_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout, path = importing(tmp_path), session(tmp_path)
    assert run(layout, "import", str(path), "--id", "S007", "--family", "refund-a") == 0
    assert "case: cases/support/pairs/S007.yaml" in capsys.readouterr().out
    attempt = next(c for c in load_suite(layout).cases if c.case.id == "S007").case.attempts[0]
    assert (attempt.harness, attempt.model) == ("claude-code", "model-a")
    wanted = [event.model_copy(update={"line": None}) for event in read_session(path, None).events]
    assert attempt.events is not None
    assert list(attempt.events) == wanted
    assert ODD in {event.text for event in attempt.events}


COMMIT = "1f3c9a7be20d44c58f1e6a90b7d35c2e8841fa06"


def test_an_imported_reference_holds_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout, path = importing(tmp_path), session(tmp_path)
    assert run(layout, "import", str(path), "--id", "S007", "--reference", f"octo/data@{COMMIT}:a/b:c.jsonl") == 0
    assert "by reference" in capsys.readouterr().out
    text = (layout.suite / "tickets" / "S007.yaml").read_text()  # the suite's random sample
    assert "12" not in text.partition("query")[2].partition("judgment")[0] and "Fix" not in text and "fine" not in text
    assert run(layout, "split") == 0
    attempt = next(c for c in load_suite(layout).cases if c.case.id == "S007").case.attempts[0]
    assert attempt.events_from is not None and attempt.events_from.reference is not None
    reference = attempt.events_from.reference
    assert (reference.repository, reference.commit, reference.path) == ("octo/data", COMMIT, "a/b:c.jsonl")
    assert (reference.format, reference.sha256) == ("claude-code", hashlib.sha256(path.read_bytes()).hexdigest())
    assert not (layout.labels / "notes" / "S007.yaml").exists()


@pytest.mark.parametrize(
    ("reference", "word"),
    [(f"octo@{COMMIT}:a", "OWNER/NAME"), ("o/d@1f3c:a", "whole commit"), (f"o/d@{COMMIT}:../a", "plain path")],
)
def test_an_odd_reference_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reference: str, word: str
) -> None:
    layout = importing(tmp_path)
    assert run(layout, "import", str(session(tmp_path)), "--reference", reference) == 3
    assert word in capsys.readouterr().err


def test_an_imported_session_leaves_its_secrets_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = importing(tmp_path)
    assert (
        run(layout, "import", str(session(tmp_path, output=f"id {KEY}")), "--id", "S007", "--family", "refund-a") == 0
    )
    assert "1 secret redacted" in capsys.readouterr().out
    assert KEY not in (layout.suite / "pairs" / "S007.yaml").read_text()


def test_an_import_that_would_not_read_back_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = importing(tmp_path)
    deep: object = "end"
    for _ in range(60):
        deep = {"a": deep}
    assert run(layout, "import", str(session(tmp_path, deep)), "--id", "S007") == 3
    assert "nesting deeper than" in capsys.readouterr().err
    assert not list(tmp_path.rglob("S007.yaml"))


@pytest.mark.parametrize("text", ["", "no session\n", '{"a": 1}\n'])
def test_an_import_of_something_else_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    layout = importing(tmp_path)
    (tmp_path / "other.jsonl").write_text(text)
    before = sorted(tmp_path.rglob("*"))
    assert run(layout, "import", str(tmp_path / "other.jsonl")) == 3
    assert "crashed" not in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before
