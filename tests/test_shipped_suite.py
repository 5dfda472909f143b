"""The shipped data: lint-clean, recomputable, and moved by one flipped label as it should be."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from printed import flat

from bench.audits.lint import lint
from bench.cases.layout import Layout
from bench.cases.sources import SessionFolders
from bench.cli import main
from bench.projection.presets import PRESETS
from bench.running.suite import judge_suite
from bench.running.views import Views
from bench.workspace import Selection, load, select

ROOT = Path(__file__).parent.parent
SESSIONS = ROOT.parent / "shared" / "data" / "real_sessions"
TIMING = {"at", "latency_ms", "asked_for"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the shipped data that a test may change."""
    for name in ("cases", "labels", "reports"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("latest", "*.lock"))
    return tmp_path


def test_the_data_are_lint_clean() -> None:
    layout = Layout(ROOT / "cases" / "lessons")
    suite, labels = load(layout)
    assert lint(suite, labels, Views(layout.runs / "projections.jsonl", SessionFolders([]))) == []


def test_no_text_of_a_referenced_session_is_held() -> None:
    for path in (ROOT / "cases" / "lessons" / "natural").glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert "events:" not in text, path
        assert len(text) < 1500, path


def test_the_index_of_projections_is_what_the_code_gives(tmp_path: Path) -> None:
    folders = SessionFolders([SESSIONS] if SESSIONS.is_dir() else [])
    layout = Layout(ROOT / "cases" / "lessons")
    suite, _ = load(layout)
    held, fresh = Views(layout.runs / "projections.jsonl", folders), Views(tmp_path / "none.jsonl", folders)
    compared = 0
    for loaded, attempt in suite.attempts():
        now = fresh.look_up(loaded, attempt, PRESETS["events"])
        if now is not None:
            assert held.look_up(loaded, attempt, PRESETS["events"]) == now, loaded.case.id
            compared += 1
    assert compared >= 32  # the authored attempts; with the sessions at hand, the natural ones too


@pytest.mark.parametrize("cases", [("*3", "*8"), pytest.param((), marks=pytest.mark.long)], ids=["a fifth", "all"])
def test_judging_anew_gives_the_committed_verdicts(project: Path, cases: tuple[str, ...]) -> None:
    layout = Layout(project / "cases" / "lessons")
    committed = _rows(layout.runs)
    for path in layout.runs.glob("*-*.json*"):
        path.unlink()
    # The embedded LLM takes half an hour where its weights are at hand; a slow test of its own runs it.
    suite = select(load(layout)[0], Selection(cases=cases, judges=("[!l]*", "length")))
    folders = SessionFolders([SESSIONS] if SESSIONS.is_dir() else [])
    judge_suite(suite, Views(layout.runs / "projections.jsonl", folders), live_seconds=None)
    fresh = _rows(layout.runs)
    assert len(fresh) > 500
    assert fresh.keys() <= committed.keys()
    assert {key: committed[key] for key in fresh} == fresh
    if SESSIONS.is_dir() and not cases:
        assert fresh == {key: row for key, row in committed.items() if not key[0].startswith("llm-")}


def _rows(folder: Path) -> dict[tuple[str, str, int], dict[str, object]]:
    found = {}
    for path in folder.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines() if path.name != "projections.jsonl" else ():
            row = json.loads(line)
            found[path.stem, row["item"], row["sample"]] = {k: v for k, v in row.items() if k not in TIMING}
    return found


def test_a_replay_is_healthy_and_asks_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    before = _rows(project / "reports" / "runs" / "lessons")
    assert main(["all", "--no-plots"]) == 0
    assert re.search(r"is healthy: [^:]*\[exit 0\]$", flat(capsys.readouterr().out))
    assert _rows(project / "reports" / "runs" / "lessons") == before


def test_one_flipped_label_names_the_figure_that_moved(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    files = sorted((project / "labels" / "lessons" / "votes").glob("*/L0013.yaml"))
    assert len(files) == 2
    for path in files:  # both votes, so that the label itself flips
        text = path.read_text(encoding="utf-8")
        start = text.index("statement: task-success")
        path.write_text(text[:start] + text[start:].replace('"yes"', '"no"', 1), encoding="utf-8")
    assert main(["all", "--no-plots"]) == 1
    told = capsys.readouterr().out
    assert re.search(r"figures equal to the baseline: \d+ of \d+ figures moved, the first: \S+", flat(told))
    assert "twins/task-success/" in told
    assert told.splitlines()[-1].endswith("[exit 1]")


def test_one_flipped_vote_is_a_label_in_dispute(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    path = next(iter(sorted((project / "labels" / "lessons" / "votes").glob("*/L0013.yaml"))))
    text = path.read_text(encoding="utf-8")
    start = text.index("statement: task-success")
    path.write_text(text[:start] + text[start:].replace('"yes"', '"no"', 1), encoding="utf-8")
    assert main(["all", "--no-plots"]) == 1
    told = capsys.readouterr().out
    assert "votes on a1/task-success differ" in told
    assert "figures moved" in flat(told)
