"""A new version of the redaction: verdicts on unchanged content move with their names, the others are dropped and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running_suites import case_tree, run_rows, suite_tree, write

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cases.sources import SessionFolders
from bench.cli import main
from bench.projection.presets import PRESETS
from bench.redaction.redact import VERSION
from bench.running import identity, migrate, views
from bench.running.plan import seat

OLD = "redact@0"
JUDGES = [
    {"judge": "rule:five-calls", "answers": ["polite", "solved"]},
    {"judge": "anchors", "answers": ["solved"], "preset": "windows-1k"},
    {"judge": "running_suites:SeesWorld", "answers": ["polite"]},  # is shown no projection
    {"judge": "always-yes", "answers": ["polite"]},
]


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """Runs under an older redaction, which changed one word of S002 that the present one leaves alone."""
    made = write(tmp_path, suite_tree(JUDGES), [case_tree(f"S{n:03d}") for n in (1, 2, 3)])
    with monkeypatch.context() as older:
        older.setattr(identity, "REDACTION", OLD)
        older.setattr(views, "view_key", lambda *given: VIEW_KEY(*given, OLD))
        older.setattr("bench.projection.project._Redactor.text", lambda _, text: text.replace("S002", "[old]"))
        assert main(["run", "--suite", str(made.suite)]) == 0
    return made


VIEW_KEY = views.view_key


def migrated(layout: Layout) -> migrate.Migrated:
    return migrate.migrate(load_suite(layout), SessionFolders([]), OLD)


def test_unchanged_content_keeps_its_verdicts_under_the_new_names(layout: Layout) -> None:
    before = run_rows(layout)
    done = migrated(layout)
    after = run_rows(layout)
    assert {(case, preset) for case, _, preset in done.changed} == {("S002", "events@1"), ("S002", "windows-1k@1")}
    assert done.views == 4
    assert len(done.renamed) == 2
    assert sorted(done.dropped.values()) == [1, 2]
    for old, new in done.renamed.items():
        kept = [row for row in before[old] if not row["asked_for"].startswith("S002/")]
        assert after[new] == kept
        assert old not in after
        assert json.loads((layout.runs / f"{new}.json").read_text())["judge_id"] == new
    seated = {seat(load_suite(layout), entry).id for entry in load_suite(layout).suite.judges}
    assert seated == set(after), "every name is the present one"


def test_what_was_dropped_is_asked_anew_and_nothing_else(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    migrated(layout)
    capsys.readouterr()
    assert main(["run", "--suite", str(layout.suite)]) == 0
    asked = [line.split()[-3] for line in capsys.readouterr().out.splitlines()[2:6]]
    assert asked == ["2", "1", "0", "0"]
    assert main(["run", "--suite", str(layout.suite)]) == 0
    assert "stale" in capsys.readouterr().out


def test_the_index_is_what_a_fresh_one_would_be(layout: Layout, tmp_path: Path) -> None:
    migrated(layout)
    suite = load_suite(layout)
    fresh = views.Views(tmp_path / "fresh.jsonl", SessionFolders([]))
    for loaded, attempt in suite.attempts():
        for preset in ("events", "windows-1k"):
            fresh.look_up(loaded, attempt, PRESETS[preset])
    fresh.save()
    assert (layout.runs / views.FILE).read_bytes() == (tmp_path / "fresh.jsonl").read_bytes()


def test_a_second_time_changes_nothing(layout: Layout) -> None:
    migrated(layout)
    files = {path.name: path.read_bytes() for path in layout.runs.iterdir()}
    again = migrated(layout)
    assert (again.views, again.changed, again.renamed) == (0, {}, {})
    assert {path.name: path.read_bytes() for path in layout.runs.iterdir()} == files


def test_the_script_says_what_is_to_be_asked(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate.main([str(layout.suite), "--from", OLD]) == 1
    told = capsys.readouterr().out
    assert "4 projections as they were, 2 changed, 0 not at hand" in told
    assert "changed: S002/a1 under events@1" in told
    assert migrate.main([str(layout.suite), "--from", OLD]) == 0
    with pytest.raises(SystemExit):
        migrate.main([str(layout.suite), "--from", VERSION])


def test_a_broken_manifest_is_told(layout: Layout) -> None:
    next(iter(layout.runs.glob("rule-*.json"))).write_text("{}")
    with pytest.raises(migrate.BrokenInput):
        migrated(layout)
