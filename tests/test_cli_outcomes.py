"""What a command ends with: the exit code, and that terminal, report.json and junit.xml say the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from printed import flat
from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import COMMANDS, main

BOTH = ["polite", "solved"]
ANSWERS = {
    "S001": {"polite": "yes", "solved": "no"},
    "S002": {"polite": "no", "solved": "yes"},
    "S003": {"polite": "yes", "solved": "yes"},
}
MOODY: Tree = {"judge": "running_suites:Moody", "answers": BOTH}
JUDGES: list[Tree] = [
    {"judge": "always-yes", "answers": BOTH},
    {"judge": "prompts", "answers": BOTH, "parameters": {"at_least": "1"}},
]


def make(
    root: Path,
    judges: list[Tree] = JUDGES,
    answers: dict[str, dict[str, str]] = ANSWERS,
    notes: list[Tree] | None = None,
) -> Layout:
    votes = [votes_tree(case, given) for case, given in answers.items() if given]
    return write(root, suite_tree(judges), [case_tree(case) for case in ANSWERS], votes, notes=notes)


def code(*words: str) -> int:
    """The exit code of a command; argparse leaves by an exception."""
    try:
        return main(words)
    except SystemExit as leaving:
        return int(leaving.code or 0)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file with its bytes, locks aside."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix != ".lock")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


# --- 3: nothing is written ---

BROKEN_WORDS = {
    "an unknown option": ["all", "--nonsense"],
    "an option without its value": ["all", "--out"],
    "an argument too many": ["verify", "lessons"],
    "a missing argument": ["show"],
    "an unknown command": ["measure"],
    "an option in place of a command": ["--suite", "x"],
    "no such suite": ["all", "--suite", "nowhere"],
    "no such folder of sessions": ["all", "--sessions", "nowhere"],
    "no such preset": ["show", "S001", "--preset", "all"],
    "no such case": ["show", "S999"],
    "no such session": ["judge", "nowhere.jsonl"],
    "no such judge": ["judge", "nowhere.jsonl", "--judge", "nobody"],
}


@pytest.mark.parametrize("kind", BROKEN_WORDS)
def test_wrong_usage_is_3_and_says_what_to_do(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = tree(tmp_path)
    assert code(*BROKEN_WORDS[kind]) == 3
    captured = capsys.readouterr()
    assert "to mend: " in captured.err
    assert "Traceback" not in captured.err and "crashed" not in captured.err
    assert tree(tmp_path) == before


BREAKS = {
    "a case that is no YAML": ("cases/support/S002.yaml", "id: [", "cases/support/S002.yaml:1"),
    "an empty suite": ("cases/support/suite.yaml", "", "cases/support/suite.yaml:1"),
    "votes on no case": (
        "labels/support/votes/ann/S999.yaml",
        json.dumps(votes_tree("S999", {"polite": "yes"})),
        "S999",
    ),
    "a broken baseline": ("reports/baseline.json", "{", "baseline.json"),
    "a broken index": ("reports/runs/support/projections.jsonl", "{}\n", "projections.jsonl:1"),
}


@pytest.mark.parametrize("command", ["all", "verify", "report", "accept"])
@pytest.mark.parametrize("kind", BREAKS)
def test_broken_input_is_3_names_the_file_and_writes_nothing(
    kind: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = make(tmp_path)
    name, text, place = BREAKS[kind]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    before = tree(tmp_path)
    assert code(command, "--suite", str(layout.suite)) == 3
    captured = capsys.readouterr()
    assert place in captured.err and "to mend: " in captured.err
    assert captured.err.splitlines()[-1].startswith("bench: 1 problem")
    assert tree(tmp_path) == before


def test_a_judge_that_cannot_be_made_is_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make(tmp_path, judges=[{"judge": "no_such_module:Judge", "answers": BOTH}])
    before = tree(tmp_path / "labels")
    assert code("all", "--suite", str(layout.suite)) == 3
    assert "no_such_module" in capsys.readouterr().err
    assert tree(tmp_path / "labels") == before and not (layout.reports / "latest").exists()


def _crash(*_: Any, **__: Any) -> Any:
    raise RuntimeError("two\nlines")


def test_a_crash_is_3_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = make(tmp_path)
    monkeypatch.setattr("bench.commands.all.examine", _crash)
    monkeypatch.delenv("BENCH_DEBUG", raising=False)
    before = tree(tmp_path)
    assert code("all", "--suite", str(layout.suite)) == 3
    first, mend = capsys.readouterr().err.splitlines()
    assert first == "bench: crashed: RuntimeError: two\\x0alines"
    assert mend.strip() == "to mend: run it with BENCH_DEBUG=1 and report the trace"
    assert tree(tmp_path) == before


def test_a_path_that_cannot_be_written_is_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = write(tmp_path, suite_tree([{"judge": "always-yes", "answers": ["polite"]}]), [case_tree("S001")])
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, no folder")
    assert main(["report", "--suite", str(layout.suite), "--no-plots", "--out", str(blocked / "report")]) == 3
    told = capsys.readouterr().err
    assert str(blocked) in told and "crashed" not in told and "to mend" in told


def test_a_crash_shows_its_trace_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.commands.all.examine", _crash)
    monkeypatch.setenv("BENCH_DEBUG", "1")
    with pytest.raises(RuntimeError, match="two"):
        main(["all", "--suite", str(make(tmp_path).suite)])


def test_an_interrupt_is_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("bench.commands.all.examine", interrupt)
    assert code("all", "--suite", str(make(tmp_path).suite)) == 130
    assert "goes on from there" in capsys.readouterr().err
    assert not (tmp_path / "reports").exists()


def test_a_closed_pipe_prints_no_trace() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "bench", "judges"]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, check=False, timeout=30)
    os.close(write_end)
    assert (done.stderr, done.returncode) == (b"", 141)


# --- 0: help ---


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"], ["--version"], ["-V"]])
def test_help_and_version_are_0(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert code(*words) == 0
    out = capsys.readouterr().out
    assert out.startswith(("usage: bench COMMAND", "bench "))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(command, "--help") == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: bench {command}")
    assert "exit codes: 0 met" in out


# --- 0, 1 and 2: everything agrees ---


def healthy(root: Path) -> tuple[Layout, list[str]]:
    layout = make(root)
    code("run", "--suite", str(layout.suite))
    code("accept", "--suite", str(layout.suite))
    return layout, []


def without_notes(root: Path) -> tuple[Layout, list[str]]:
    return make(root, notes=[]), []


def moved_label(root: Path) -> tuple[Layout, list[str]]:
    healthy(root)
    return make(root, answers={**ANSWERS, "S003": {"polite": "no", "solved": "yes"}}), []


def one_class(root: Path) -> tuple[Layout, list[str]]:
    return make(root, answers={case: dict.fromkeys(BOTH, "yes") for case in ANSWERS}), []


def unscored(root: Path) -> tuple[Layout, list[str]]:
    return make(root, judges=[MOODY]), []


def empty_selection(root: Path) -> tuple[Layout, list[str]]:
    return make(root), ["--case", "S999"]


def no_judge(root: Path) -> tuple[Layout, list[str]]:
    return make(root), ["--judge", "nobody"]


def no_stratum(root: Path) -> tuple[Layout, list[str]]:
    return make(root), ["--stratum", "calls"]


def no_baseline(root: Path) -> tuple[Layout, list[str]]:
    return make(root), []


def low_coverage(root: Path) -> tuple[Layout, list[str]]:
    layout = make(root, judges=[*JUDGES, MOODY])
    return layout, []


OUTCOMES: dict[str, tuple[Any, int, str]] = {
    "healthy": (healthy, 0, "is healthy: 3 cases, 3 attempts, 2 judges, 8 of 8 checks met"),
    "no notes": (without_notes, 1, "data lint-clean (3 findings"),
    "a moved label": (moved_label, 1, "figures equal to the baseline ("),
    "one class only": (one_class, 2, "something to measure (only one class is labelled (yes))"),
    "everything unscored": (unscored, 2, "something to measure (no judge scored anything)"),
    "an empty selection": (empty_selection, 2, "something to measure (the selection is empty)"),
    "an unknown stratum": (no_stratum, 2, "something to measure (the selection is empty)"),
    "no judge selected": (no_judge, 2, "something to measure (no judge scored anything)"),
    "no baseline": (no_baseline, 2, "figures equal to the baseline (no baseline yet)"),
    "a judge under its coverage": (low_coverage, 2, "coverage (1 judges under their floor)"),
}


@pytest.mark.parametrize("kind", OUTCOMES)
def test_terminal_json_junit_and_exit_code_agree(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOOD", "abstained")
    prepare, wanted, told = OUTCOMES[kind]
    layout, selection = prepare(tmp_path)
    capsys.readouterr()
    ended = code("all", "--no-plots", "--suite", str(layout.suite), *selection)
    lines = capsys.readouterr().out.splitlines()
    report = json.loads((layout.reports / "latest" / "report.json").read_text())
    whole = ElementTree.fromstring((layout.reports / "latest" / "junit.xml").read_text())
    junit = next(suite for suite in whole if suite.get("name") == "health")
    assert ended == report["exit_code"] == wanted
    assert flat("\n".join(lines)).endswith(f"{report['sentence']} [exit {wanted}]")
    assert told in report["sentence"]
    checks = {check["name"]: check["status"] for check in report["checks"]}
    assert _printed(lines, checks) == checks
    assert {case.get("name"): _of(case) for case in junit} == checks
    counts = Counter(checks.values())
    assert [int(junit.get(name, "-1")) for name in ("tests", "failures", "errors", "skipped")] == [
        len(checks),
        counts["not met"],
        counts["cannot decide"],
        counts["not asked"],
    ]
    assert [whole.get(name) for name in ("failures", "errors")] == [junit.get(name) for name in ("failures", "errors")]
    worst = 1 if counts["not met"] else 2 if counts["cannot decide"] else 0
    assert ended == worst
    for name in ("report.md", "report.html"):
        assert report["sentence"][:40] in (layout.reports / "latest" / name).read_text()


def _printed(lines: list[str], names: dict[str, str]) -> dict[str, str]:
    return {name: line[:13].strip() for line in lines for name in names if line[14:].startswith(f"{name}: ")}


def _of(case: ElementTree.Element) -> str:
    words = {"failure": "not met", "error": "cannot decide", "skipped": "not asked", "system-out": "met"}
    (child,) = case
    return words[child.tag]


def test_verify_says_what_all_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout, _ = healthy(tmp_path)
    assert code("all", "--no-plots", "--suite", str(layout.suite)) == 0
    written = tree(layout.reports)
    capsys.readouterr()
    assert code("verify", "--suite", str(layout.suite)) == 0
    assert tree(layout.reports) == written, "verify writes nothing"
    moved_label(tmp_path)
    assert code("verify", "--suite", str(layout.suite)) == 1


def test_report_ends_as_the_report_says(tmp_path: Path) -> None:
    layout = make(tmp_path)
    code("run", "--suite", str(layout.suite))
    ended = code("report", "--no-plots", "--suite", str(layout.suite))
    assert ended == json.loads((layout.reports / "latest" / "report.json").read_text())["exit_code"]


@pytest.mark.parametrize(("words", "wanted", "told"), [
    ([], 0, "every expected verdict is stored"),
    (["--case", "S999"], 2, "the selection is empty"),
    (["--judge", "nobody"], 2, "the selection is empty"),
])  # fmt: skip
def test_run_ends_with_what_is_missing(
    words: list[str], wanted: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code("run", "--suite", str(make(tmp_path).suite), *words) == wanted
    assert told in capsys.readouterr().out


# --- replay ---


def _bench(layout: Layout, seed: str, mood: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parent.parent)])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": seed, "MOOD": mood}
    command = [sys.executable, "-m", "bench", "all", "--suite", str(layout.suite)]
    return subprocess.run(command, cwd=layout.root, env=environment, capture_output=True, text=True, check=False)


def test_a_replay_in_another_process_gives_the_same_bytes_and_asks_nothing(tmp_path: Path) -> None:
    layout = make(tmp_path, judges=[*JUDGES, MOODY])
    first = _bench(layout, "1", mood="yes")
    assert first.returncode == 2, first.stderr
    latest = layout.reports / "latest"
    reports, runs = tree(latest), tree(layout.runs)
    for path in sorted(latest.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    latest.rmdir()
    second = _bench(layout, "2", mood="raises")  # would be stored, were it asked
    assert (second.returncode, second.stdout) == (2, first.stdout)
    assert tree(layout.runs) == runs
    assert tree(latest).keys() == reports.keys() >= {"report.json", "report.md", "report.html", "junit.xml"}
    assert [name for name, data in tree(latest).items() if data != reports[name]] == []


def test_an_older_report_leaves_nothing_behind(tmp_path: Path) -> None:
    layout, _ = healthy(tmp_path / "a")
    suite = str(layout.suite)
    one, two = tmp_path / "one", tmp_path / "two"
    code("all", "--suite", suite, "--out", str(one))
    code("all", "--suite", suite, "--out", str(one), "--no-plots")
    code("all", "--suite", suite, "--out", str(two), "--no-plots")
    assert tree(one) == tree(two)


def test_a_part_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [m for m in sys.modules if m.startswith(("bench.benchmark", "bench.commands.all", "bench.measure"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numpy", None)  # what an import of a missing package meets
    assert main(["all"]) == 3
    told = capsys.readouterr().err
    assert "bench: all needs numpy, which is not installed" in told
    assert "lessonbench[analysis]" in told


def test_hostile_words_of_a_suite_script_neither_page_nor_markdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)">|![x](y)'
    judges = [{"judge": "always-yes", "answers": ["polite", "solved"]}]
    tree = suite_tree(judges, title=evil)
    tree["strata"][0]["meaning"] = evil
    layout = write(tmp_path, tree, [case_tree("S001")], votes=[votes_tree("S001", {"polite": "yes", "solved": "no"})])
    monkeypatch.chdir(layout.root)
    main(["all", "--no-plots"])
    for name in ("report.html", "report.md"):
        text = (layout.reports / "latest" / name).read_text(encoding="utf-8")
        assert "<script>alert" not in text, name
        assert "<img src=x" not in text, name
    assert "](y)" not in (layout.reports / "latest" / "report.md").read_text(encoding="utf-8"), "no link, no picture"
