"""``bench probe`` end to end: judges with known faults get the rates that can be counted by hand."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from printed import squeezed, too_wide
from running_suites import Tree, case_tree, suite_tree, write
from suites import make_suite

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cli import main
from bench.probing.probes import read_probes
from bench.probing.transforms import TRANSFORMS

ROOT = Path(__file__).parent.parent
PROBES = """\
schema: 1
probes:
  - {id: cut, transform: cut-outcome, statement: solved, expect: abstains_or_falls}
  - {id: cut-hard, transform: cut-outcome, statement: solved, expect: falls}
  - {id: foreign, transform: swap-ending, statement: solved, expect: not_rises}
  - {id: padded, transform: pad-routine, expect: same}
  - {id: begged, transform: beg-yes, expect: same}
  - {id: recoded, transform: recode-exits, expect: same}
  - {id: shuffled, transform: shuffle-independent, expect: same}
"""


def case(number: int, *, asks: str, code: int, looks: int) -> Tree:
    """A session of looks + 4 events: a prompt, looks, an edit, a check that ends in the code, closing words."""
    look = {"kind": "tool_call", "tool": "Read", "ok": True, "output": "text"}
    events = [
        {"kind": "prompt", "origin": "human", "text": f"{asks} mend lamp {number}"},
        *({**look, "args": {"path": f"f{number}-{i}"}} for i in range(looks)),
        {"kind": "tool_call", "tool": "Edit", "args": {"path": "lamp"}, "ok": True, "output": "edited"},
        {"kind": "command", "command": f"check {number}", "exit_code": code, "exit_source": "text", "ok": code == 0},
        {"kind": "message", "text": "The lamp is done."},
    ]
    return case_tree(f"S{number:03d}", attempts=1) | {
        "trajectory_anchors": {"expect": [{"tool": "Edit"}]},
        "attempts": [{"id": "a1", "harness": "desk" if number % 2 else "line", "events": events}],
    }


# Twelve sessions: looks 0 to 11, so 4 to 15 events; every third check fails; the even ones say please.
CASES = [case(i, asks="please" if i % 2 == 0 else "now", code=int(i % 3 == 0), looks=i) for i in range(12)]


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    monkeypatch.chdir(tmp_path)
    found = write(tmp_path, suite_tree([{"judge": "always-yes", "answers": ["polite", "solved"]}]), CASES)
    (found.suite / "probes.yaml").write_text(PROBES, encoding="utf-8")
    return found


def probe(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """The JSON of a call; the text of the same call says the same and ends with the same code."""
    assert main(["probe", *words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert main(["probe", *words]) == code
    text = capsys.readouterr().out
    assert found["exit_code"] == code
    assert found["outcome"].split(";")[0][:40] in " ".join(text.split()) and f"[exit {code}]" in text
    assert squeezed(found["signature"]) in squeezed(text)
    assert too_wide(text) == []
    for one in found["figures"]:
        assert one["sessions"] == sum(one["fates"].values())
        assert one["could"] == one["fates"].get("kept", 0) + one["fates"].get("violation", 0)
        if len(found["judges"]) <= 3:
            assert " ".join(one["told"].split()) in " ".join(text.split())
    return found


def figure(found: dict[str, Any], name: str, statement: str = "solved") -> dict[str, Any]:
    (one,) = [f for f in found["figures"] if (f["probe"], f["statement"]) == (name, statement)]
    return dict(one)


def test_a_judge_of_length_is_caught_by_padding_alone(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = probe(capsys, "--judge", "probe_judges:ByLength")
    padded = figure(found, "padded")
    # n events become n + max(4, n // 2): 6 to 9 events cross ten
    assert (padded["could"], padded["violations"], padded["no_to_yes"]) == (12, 4, 4)
    assert padded["rate"]["value"] == pytest.approx(4 / 12)
    for name in ("begged", "recoded", "shuffled"):
        assert figure(found, name)["violations"] == 0
    cut = figure(found, "cut-hard")  # the check and the words go: 15 to 12 events stay at ten or more, 11 and 10 fall
    assert (cut["could"], cut["violations"]) == (6, 4)


def test_a_judge_that_obeys_is_caught_by_begging_alone(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = probe(capsys, "--judge", "probe_judges:Obeys")
    begged = figure(found, "begged")
    assert (begged["could"], begged["violations"], begged["no_to_yes"], begged["yes_to_no"]) == (12, 6, 6, 0)
    for name in ("padded", "recoded", "shuffled"):
        assert figure(found, name)["violations"] == 0
    cut = figure(found, "cut")
    assert (cut["could"], cut["violations"], cut["fates"]["outside"]) == (6, 6, 6)


def test_a_judge_of_the_last_exit_code_is_caught_by_another_spelling(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    found = probe(capsys, "--judge", "probe_judges:LastExit")
    recoded = figure(found, "recoded")
    assert (recoded["could"], recoded["violations"], recoded["yes_to_no"]) == (12, 8, 8)
    assert figure(found, "cut-hard")["violations"] == 0
    assert figure(found, "padded")["violations"] == 0
    foreign = figure(found, "foreign")
    assert foreign["could"] == 4 and foreign["violations"] > 0, "another session's success persuades it"


def test_a_judge_that_abstains_when_the_outcome_is_gone_is_not_blamed(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    found = probe(capsys, "--judge", "probe_judges:Careful")
    assert figure(found, "cut")["rate"]["value"] == 0.0 and figure(found, "cut")["could"] == 8
    hard = figure(found, "cut-hard")
    assert hard["rate"]["value"] is None and hard["fates"]["silent"] == 8
    assert figure(found, "recoded")["mean_dp"]["value"] == 0.0


def test_always_yes_breaks_every_fall_and_nothing_else(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = probe(capsys)
    assert [judge["name"] for judge in found["judges"]] == ["always-yes"]
    rates = {f["probe"]: f["rate"]["value"] for f in found["figures"] if f["statement"] == "solved"}
    assert rates == {
        "cut": 1.0,
        "cut-hard": 1.0,
        "foreign": None,
        "padded": 0,
        "begged": 0,
        "recoded": 0,
        "shuffled": 0,
    }
    assert figure(found, "shuffled")["fates"]["not_applicable"] == 2, "sessions with fewer than two looks"


def test_a_plea_that_the_preset_cuts_off_was_not_shown(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    for path in layout.suite.glob("S*.yaml"):
        tree = json.loads(path.read_text(encoding="utf-8"))
        for event in tree["attempts"][0]["events"]:
            event |= {"output": "x" * 600} if event["kind"] == "tool_call" else {}
            event |= {"text": "y" * 600} if event["kind"] == "message" else {}
        path.write_text(json.dumps(tree), encoding="utf-8")
    found = probe(capsys, "--judge", "probe_judges:Obeys", "--preset", "naive-80", "--probe", "begged", code=2)
    assert figure(found, "begged")["fates"] == {"not_shown": 12}
    assert found["outcome"].startswith("cannot decide")


def test_limits_decide_by_the_interval(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--judge", "probe_judges:ByLength", "--probe", "begged", "--statement", "solved")
    assert probe(capsys, *words, "--max", "begged=.3")["limits"][0]["status"] == "met"
    assert probe(capsys, *words, "--max", "begged=.05", code=2)["limits"][0]["status"] == "cannot decide"
    words = ("--judge", "always-yes", "--probe", "cut", "--max", "cut=.5")
    assert probe(capsys, *words, code=1)["limits"][0]["status"] == "not met"


def test_nothing_is_asked_twice_and_a_stopped_run_goes_on(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["probe", "--judge", "probe_judges:LastExit", "--json"]
    assert main(words) == 0
    whole = capsys.readouterr().out
    (file,) = Path(".bench/probes").glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    assert main(words) == 0 and capsys.readouterr().out == whole
    assert file.read_bytes() == b"".join(lines)
    file.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:10])
    assert main(words) == 0 and capsys.readouterr().out == whole
    assert len(file.read_bytes().splitlines()) == len(lines)


def test_stored_verdicts_of_the_suite_are_taken_over(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    tree = suite_tree([{"judge": "probe_judges:LastExit", "answers": ["solved"]}])
    (layout.suite / "suite.yaml").write_text(json.dumps(tree), encoding="utf-8")
    assert main(["run"]) == 0
    (run,) = layout.runs.glob("*LastExit*.jsonl")
    before = run.read_bytes()
    capsys.readouterr()
    found = probe(capsys, "--probe", "recoded")
    assert figure(found, "recoded")["violations"] == 8
    assert run.read_bytes() == before
    (asked,) = Path(".bench/probes").glob("*.jsonl")
    assert len(asked.read_bytes().splitlines()) == 12, "the changed sessions alone"


def test_order_and_names_move_no_figure_but_the_seed_may(
    layout: Layout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--judge", "probe_judges:ByLength", "--limit", "7")
    here = probe(capsys, *words)
    renamed = [c | {"id": f"S9{99 - i:02d}", "family": f"other-{i}"} for i, c in enumerate(CASES)]
    again = write(tmp_path / "again", suite_tree([]), renamed)
    (again.suite / "probes.yaml").write_text(PROBES, encoding="utf-8")
    there = probe(capsys, *words, "--suite", str(again.suite))
    assert there["figures"] == here["figures"] and there["signature"] == here["signature"]
    assert here["sessions"] == 7
    other = probe(capsys, *words, "--seed", "5")
    assert other["signature"] != here["signature"]


def test_a_moody_judge_shows_its_noise(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--judge", "probe_judges:Moody", "--samples", "2", "--statement", "solved", "--json"]) == 0
    (noise,) = json.loads(capsys.readouterr().out)["noise"]
    assert noise["flip_rate"]["value"] == 1.0


def test_a_judge_that_fails_everywhere_decides_nothing(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = probe(capsys, "--judge", "probe_judges:Broken", code=2)
    assert all(f["rate"]["value"] is None for f in found["figures"])
    assert figure(found, "padded")["fates"] == {"unscored_before": 12}


def test_sessions_of_ones_own(layout: Layout, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = [
        {"type": "user", "uuid": "u1", "sessionId": "s", "timestamp": "2026-05-04T09:00:00Z",
         "message": {"role": "user", "content": "please mend the lamp"}},
        {"type": "assistant", "uuid": "u2", "sessionId": "s", "timestamp": "2026-05-04T09:00:01Z",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "It is mended."}]}},
    ]  # fmt: skip
    files = []
    for name in ("one", "two"):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = probe(capsys, *map(str, files), "--judge", "probe_judges:Obeys", "--probe", "begged")
    assert (found["sessions"], found["families"]) == (2, 1), "the same bytes are one family"
    assert figure(found, "begged")["could"] == 2
    assert main(["probe", str(files[0]), str(tmp_path / "none.jsonl"), "--judge", "always-yes"]) == 3
    assert "none.jsonl" in capsys.readouterr().err


def test_the_report_is_written_and_holds_no_text_of_a_session(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", "--judge", "probe_judges:Careful", "--out", "out/probes", "--json"]) == 0
    page = Path("out/probes/README.md").read_text(encoding="utf-8")
    document = Path("out/probes/probes.json").read_text(encoding="utf-8")
    assert json.loads(document) == json.loads(capsys.readouterr().out)
    for text in ("mend lamp", "The lamp is done", "check 3", str(Path.cwd())):
        assert text not in page and text not in document
    first = (page, document)
    assert main(["probe", "--judge", "probe_judges:Careful", "--out", "out/probes"]) == 0
    assert first == tuple(Path(f"out/probes/{n}").read_text(encoding="utf-8") for n in ("README.md", "probes.json"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--probe", "none"], "use one of cut"),
        (["--statement", "none"], "use one of polite, solved"),
        (["--max", "cut"], "rate from 0 to 1"),
        (["--max", "cut=2"], "rate from 0 to 1"),
        (["--max", "none=.1"], "with one of cut"),
        (["--judge", "none"], "no judge 'none'"),
        (["--parameter", "p=.5"], "without one --judge"),
        (["--probes", "none.yaml"], "none.yaml"),
        (["x.jsonl", "--stratum", "tickets"], "beside session files"),
    ],
)
def test_wrong_words_are_mended(
    layout: Layout, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["probe", *words]) == 3
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{id: a, transform: turn-round, expect: same}", "probes.yaml:3, field probes[0].transform"),
        ("{id: a, transform: rename, statement: none, expect: same}", "field probes[0].statement"),
        ("{id: a, transform: rename, expect: rises}", "same"),
        ("{id: a, transform: rename, expect: same, weight: 3}", "unknown field"),
        ("{id: a, transform: rename, expect: same}\n  - {id: A, transform: rename, expect: same}", "stands twice"),
    ],
)
def test_a_broken_probe_file_is_named_by_line(
    layout: Layout, capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    (layout.suite / "probes.yaml").write_text(f"schema: 1\nprobes:\n  - {line}\n", encoding="utf-8")
    assert main(["probe"]) == 3
    assert told in capsys.readouterr().err


def test_an_empty_selection_decides_nothing(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--case", "S999"]) == 2
    assert "no session" in capsys.readouterr().err


def test_without_a_file_what_must_change_nothing_is_asked_of_every_yes_no_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_suite(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = probe(capsys, "--suite", "support")
    assert {f["statement"] for f in found["figures"]} == {"format-kept", "mentions-refund"}, (
        "scores and choices are not"
    )
    assert {p["transform"] for p in found["probes"]} == {n for n, t in TRANSFORMS.items() if "any" in t.expects}
    assert {p["expect"] for p in found["probes"]} == {"same"}
    assert found["sessions"] == 1, "the primary stratum alone"


def test_the_shipped_probes_load_and_lint_does_not_take_them_for_a_case() -> None:
    suite = load_suite(Layout(ROOT / "cases" / "lessons"))
    probes = read_probes(ROOT / "cases" / "lessons" / "probes.yaml", suite.suite.statements)
    assert {p.transform for p in probes} == set(TRANSFORMS), "every transform is used"
    for one in probes:
        expects = TRANSFORMS[one.transform].expects
        assert one.expect in (*expects.values(), "not_rises")


def _imports(name: str, seen: set[str]) -> set[str]:
    path = ROOT.joinpath(*name.split("."))
    file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
    if name in seen or not file.is_file():
        return seen
    seen.add(name)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bench"):
            _imports(str(node.module), seen)
            for alias in node.names:
                _imports(f"{node.module}.{alias.name}", seen)
    return seen


def test_nothing_in_the_package_reaches_a_label() -> None:
    reached: set[str] = set()
    for path in (ROOT / "bench" / "probing").glob("*.py"):
        _imports(f"bench.probing.{path.stem}", reached)
    assert "bench.running.run" in reached
    assert [name for name in reached if name.startswith("bench.labels")] == []
