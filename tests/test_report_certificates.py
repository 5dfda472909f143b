"""Certificates in a report: what was proved stands beside the figures, and where none is given that is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.report.certificates import NONE_GIVEN

SYNTHETIC = Path(__file__).parent.parent / "reports" / "certificates" / "synthetic.certificate.json"


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    judges = [{"judge": "always-yes", "answers": ["polite", "solved"]}]
    made = write(
        tmp_path, suite_tree(judges), [case_tree("S001")], votes=[votes_tree("S001", {"polite": "yes", "solved": "no"})]
    )
    monkeypatch.chdir(made.root)
    return made


def told(layout: Layout, *words: str) -> tuple[int, dict[str, str]]:
    code = main(["all", "--no-plots", *words])
    latest = layout.reports / "latest"
    names = ("report.md", "report.html", "report.json")
    return code, {n: (latest / n).read_text(encoding="utf-8") for n in names} if latest.is_dir() else {}


def test_without_one_the_report_says_that_nothing_was_proved(layout: Layout) -> None:
    _, texts = told(layout)
    assert NONE_GIVEN in texts["report.md"]
    assert "nothing here says that a judge may decide by itself" in texts["report.html"]
    assert json.loads(texts["report.json"])["certificates"] == []


def test_what_was_proved_stands_in_every_form_and_whose_it_is(layout: Layout) -> None:
    certificate = json.loads(SYNTHETIC.read_text(encoding="utf-8"))
    _, texts = told(layout, "--certificate", str(SYNTHETIC))
    bands = certificate["bands"]
    for band in bands:
        counts = f"found {band['wrong']} wrong of {band['selected']}"
        assert counts in texts["report.md"] and counts in texts["report.html"]
    found = json.loads(texts["report.json"])["certificates"]
    assert [(f["judge"], f["seal"], len(f["bands"])) for f in found] == [
        (certificate["judge"]["name"], certificate["seal"], len(bands))
    ]
    assert found[0]["about"] == "an invented judge, to show how it is done"


def test_a_broken_seal_is_refused_and_no_report_is_written(layout: Layout, tmp_path: Path) -> None:
    changed = tmp_path / "changed.json"
    changed.write_text(SYNTHETIC.read_text(encoding="utf-8").replace("2036-", "2046-"), encoding="utf-8")
    assert told(layout, "--certificate", str(changed)) == (2, {})


def test_a_file_that_is_none_is_broken_input(layout: Layout, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    assert told(layout, "--certificate", str(other)) == (3, {})
