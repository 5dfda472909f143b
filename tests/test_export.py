"""`bench export`: Parquet that `datasets` opens; nothing is lost on the way back, no label leaks where they are withheld."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from suites import NOTES, case_text, check_text, checks_text, make_suite, note_text, rulings_text, votes_text

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cli import main
from bench.exchange.label_files import LabelFiles, read_label_files
from bench.exchange.parquet import read_rows
from bench.exchange.rebuild import rebuild
from bench.measure.signature import data_digest, labels_digest
from bench.problems import BrokenInput
from bench.schema.vote import AdjudicationFile
from bench.workspace import load

ROOT = Path(__file__).parent.parent
SESSION = '{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"Mend the lamp."}}\n'


def export(layout: Layout, to: Path, *words: str) -> int:
    return main(["export", "--suite", str(layout.suite), "--to", str(to), *words])


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def rich_suite(root: Path) -> Layout:
    """Every kind of thing at once: three kinds of statement, two votes that differ, a ruling, a check vote, odd texts."""
    odd = (
        'Umlaut \u00fc, line\\nbreak, \\u2028, \\u00a0, emoji \U0001f6a2, "quotes", # no comment, null, ~, 1e5'.replace(
            '"', '\\"'
        )
    )
    cases = {
        "S001": case_text("S001", "refund-a").replace("Hello! You have 30 days. Kind regards, the desk", odd),
        "S002": case_text("S002", "refund-b", "pairs", ("a1", "a2"))
        .replace("language: en}", "language: en, tags: [angry], version: 3}")
        .replace("args: {topic: returns}", 'args: {topic: null, deep: [{a: "1"}, true]}')
        .replace("attempts:", "trajectory_anchors:\n  forbid: [{command: rm*}]\nattempts:")
        .replace(
            "attempts:", 'world_state:\n  reference_time: 2026-05-04T09:00:00+02:00\n  facts: {lamp: ""}\nattempts:'
        ),
        "S003": case_text("S003", "refund-b").partition("    events:")[0]
        + "    events_from: {file: lamp.jsonl, format: claude-code}\n",
    }
    votes = {f"{who}/{case}": votes_text(case, who) for case in cases for who in ("ann", "bob")}
    no = {"format-kept": "yes", "mentions-refund": "no", "quality": "unclear", "channel": "form"}
    votes["bob/S001"] = votes_text("S001", "bob", no).replace(
        'answer: "no"\n', 'answer: "no"\n    also: {gap: silent}\n    severity: minor\n    error_category: wrong\n'
    )
    votes["cat/S002"] = check_text("S002", "cat", no).replace(
        'answer: "no"\n', 'answer: "no"\n    also: {gap: other}\n'
    )
    rulings = {"S001": rulings_text("S001", {"mentions-refund": "yes", "quality": "unclear"})}
    layout = make_suite(
        root, cases, votes, rulings, checks=checks_text("S002"), notes={**NOTES, "S003": note_text("S003")}
    )
    (layout.suite / "lamp.jsonl").write_text(SESSION, encoding="utf-8")
    return layout


def rulings_of(files: LabelFiles) -> list[AdjudicationFile]:
    """Rulings come back in the order of their items, whatever the order in their file."""
    return [
        file.model_copy(update={"rulings": tuple(sorted(file.rulings, key=lambda r: (r.attempt, r.statement)))})
        for file in files.rulings
    ]


def assert_same(one: Layout, two: Layout) -> None:
    suites, labels = zip(*(load(layout) for layout in (one, two)), strict=True)
    cases = [
        {c.case.id: json.dumps(c.case.model_dump(mode="json", exclude_defaults=True)) for c in s.cases} for s in suites
    ]
    assert cases[0] == cases[1]
    assert suites[0].suite == suites[1].suite and suites[0].splits == suites[1].splits
    assert data_digest(suites[0]) == data_digest(suites[1])
    assert labels_digest(labels[0]) == labels_digest(labels[1])
    files = [read_label_files(s, given, notes=True) for s, given in zip(suites, labels, strict=True)]
    for name in ("votes", "guide", "notes"):
        assert getattr(files[0], name) == getattr(files[1], name), name
    draws = [(f.checks.seed, f.checks.drawn, sorted(f.checks.cases)) if f.checks else None for f in files]
    assert draws[0] == draws[1]  # the order of drawn cases says nothing
    assert rulings_of(files[0]) == rulings_of(files[1])
    assert sorted(labels[0].drawn or ()) == sorted(labels[1].drawn or ()) and labels[0].guide == labels[1].guide
    assert labels[0].provenance == labels[1].provenance


def test_the_way_back_loses_nothing(tmp_path: Path) -> None:
    layout = rich_suite(tmp_path / "one")
    assert export(layout, tmp_path / "out", "--with-notes") == 0
    assert_same(layout, rebuild(tmp_path / "out", tmp_path / "two"))


def test_the_shipped_suite_comes_back_whole(tmp_path: Path) -> None:
    layout = Layout(ROOT / "cases" / "lessons")
    assert export(layout, tmp_path / "out", "--with-notes") == 0
    assert_same(layout, rebuild(tmp_path / "out", tmp_path / "back"))


def test_rows_say_what_the_suite_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = rich_suite(tmp_path / "one")
    assert export(layout, tmp_path / "out") == 0
    out = tmp_path / "out"
    rows = {(r["case"], r["attempt"], r["statement"]): r for r in read_rows(out / "items" / "development.parquet")}
    assert list(rows) == [("S001", "a1", s) for s in ("format-kept", "mentions-refund", "quality", "channel")]
    row = rows["S001", "a1", "mentions-refund"]
    assert row["answers"] == ["yes", "no"] and row["criteria"][0] == "It says 30 days, or a month."
    told = ("yes", "labelled", "adjudicated", "yes", "The guide says so.")
    assert (row["label"], row["label_status"], row["label_how"], row["ruling"], row["ruling_reason"]) == told
    assert (rows["S001", "a1", "quality"]["label"], rows["S001", "a1", "quality"]["label_status"]) == (None, "unclear")
    assert rows["S001", "a1", "channel"]["label_how"] == "votes_differ"
    attempts = read_rows(out / "attempts" / "test.parquet")
    assert [(r["case"], r["attempt"], r["events_count"]) for r in attempts] == [
        ("S002", "a1", 3),
        ("S002", "a2", 3),
        ("S003", "a1", None),
    ]
    votes = read_rows(out / "votes" / "development.parquet")
    assert len(votes) == 8 and {r["annotator"] for r in votes} == {"ann", "bob"}
    assert not (out / "notes").exists()
    assert "items: development 4, test 12" in capsys.readouterr().out


def test_withheld_labels_leave_no_trace(tmp_path: Path) -> None:
    """The strongest form: with other labels, or with none at all, every byte is the same."""
    one, two = rich_suite(tmp_path / "one"), rich_suite(tmp_path / "two")
    for path in [p for p in two.labels.rglob("*") if p.is_file()]:
        path.unlink()
    text = (two.suite / "suite.yaml").read_text(encoding="utf-8")
    prior = '  - {judge: prior, answers: [format-kept], parameters: {p: "0.125"}}\n'
    (two.suite / "suite.yaml").write_text(text + prior, encoding="utf-8")
    for layout, name in ((one, "a"), (two, "b")):
        assert export(layout, tmp_path / name, "--without-labels") == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert {name.partition("/")[0] for name in files(tmp_path / "a")} == {"README.md", "items", "attempts", "suite"}
    cells = "".join(
        json.dumps(list(row.items()), default=repr)
        for name in files(tmp_path / "a")
        if name.endswith(".parquet")
        for row in read_rows(tmp_path / "a" / name)
    )
    words = ('"ann"', '"bob"', "chair", "It stands in event", "The guide says", '"label', "0.125", "ruling", "author-x")
    for word in words:
        assert word not in cells, word


def test_labels_are_exported_without_notes_unless_asked(tmp_path: Path) -> None:
    layout = rich_suite(tmp_path / "one")
    assert export(layout, tmp_path / "out") == 0
    assert not any(b"author-x" in data or name.startswith("notes") for name, data in files(tmp_path / "out").items())
    with pytest.raises(SystemExit) as stopped:
        export(layout, tmp_path / "other", "--without-labels", "--with-notes")
    assert stopped.value.code == 3


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    layout = rich_suite(tmp_path / "one")
    for name in ("a", "b"):
        assert export(layout, tmp_path / name) == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_referenced_sessions_stay_references(tmp_path: Path) -> None:
    assert export(Layout(ROOT / "cases" / "lessons"), tmp_path / "out") == 0
    rows = [r for path in (tmp_path / "out" / "attempts").iterdir() for r in read_rows(path)]
    referenced = [r for r in rows if r["session_repository"] is not None]
    assert len(referenced) == 140
    assert all(
        r["events"] is None and r["session_bytes"] is None and len(r["session_sha256"]) == 64 for r in referenced
    )


def test_some_splits_only(tmp_path: Path) -> None:
    layout = rich_suite(tmp_path / "one")
    assert export(layout, tmp_path / "out", "--splits", "development") == 0
    found = files(tmp_path / "out")
    assert {Path(name).stem for name in found} == {"README", "development", "suite"}
    assert b"data digest" not in found["README.md"], "a digest of the whole would be wrong for a part"
    assert export(layout, tmp_path / "none", "--splits", "calibration") == 2
    assert not (tmp_path / "none").exists()
    suite = load_suite(rebuild(tmp_path / "out", tmp_path / "back"))
    assert [loaded.case.id for loaded in suite.cases] == ["S001"]


def test_a_suite_without_splits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path / "one", splits=None)
    assert export(layout, tmp_path / "out", "--with-notes") == 0
    assert (tmp_path / "out" / "items" / "unsplit.parquet").is_file()
    assert_same(layout, rebuild(tmp_path / "out", tmp_path / "two"))
    assert export(layout, tmp_path / "part", "--splits", "test") == 3
    assert "the suite has no splits" in capsys.readouterr().err


def test_a_folder_that_holds_something_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path / "one")
    (tmp_path / "out").mkdir()
    assert export(layout, tmp_path / "out") == 0, "an empty one will do"
    before = files(tmp_path / "out")
    assert export(layout, tmp_path / "out", "--without-labels") == 3
    assert "name a new or an empty folder" in capsys.readouterr().err
    assert files(tmp_path / "out") == before


def test_a_session_outside_its_cases_folder_is_never_exported(tmp_path: Path) -> None:
    case = case_text("S001", "refund-a").partition("    events:")[0] + "    events_from: {file: ../../secret.txt}\n"
    layout = make_suite(tmp_path / "one", {"S001": case}, {}, notes={}, splits=None)
    (tmp_path / "one" / "secret.txt").write_text("secret", encoding="utf-8")
    assert export(layout, tmp_path / "out", "--without-labels") == 3
    assert not (tmp_path / "out").exists()


def test_hostile_names_in_tables_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = rich_suite(tmp_path / "one")
    assert export(layout, tmp_path / "out") == 0

    def hostile(path: Path) -> list[dict[str, object]]:
        return [row | {"annotator": "../../../../escaped"} for row in read_rows(path)]

    monkeypatch.setattr("bench.exchange.rebuild.read_rows", hostile)
    with pytest.raises(BrokenInput, match="leads out of the project"):
        rebuild(tmp_path / "out", tmp_path / "two")
    assert not list(tmp_path.rglob("escaped"))


def test_what_must_be_installed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)  # what an import of a missing package meets
    assert export(make_suite(tmp_path / "one"), tmp_path / "out") == 3
    assert "pip install 'lessonbench[data]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


_LOAD = """
import json, sys
from datasets import load_dataset
folder, *configs = sys.argv[1:]
found = {config: {split: part.num_rows for split, part in load_dataset(folder, config).items()} for config in configs}
default = load_dataset(folder)["test"][0]
plain = load_dataset("parquet", data_files={"test": folder + "/votes/test.parquet"})["test"].num_rows
print(json.dumps([found, default, plain]))
"""


def test_datasets_opens_it_offline(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    layout = rich_suite(tmp_path / "one")
    assert export(layout, tmp_path / "out", "--with-notes") == 0
    configs = ["items", "attempts", "votes", "notes", "suite"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", _LOAD, str(tmp_path / "out"), *configs],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, default, plain = json.loads(done.stdout)
    assert found == {
        "items": {"development": 4, "test": 12},
        "attempts": {"development": 1, "test": 3},
        "votes": {"development": 8, "test": 20},
        "notes": {"development": 1, "test": 2},
        "suite": {"suite": 1},
    }
    assert default["case"] == "S002" and default["answers"] == ["yes", "no"]
    assert plain == 20
