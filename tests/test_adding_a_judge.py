"""docs/adding-a-judge.md, followed: each kind of judge is made and asked as the page says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from followed_pages import ROOT, copy_folder, follow, in_a_shell, page_text, wanted

from bench.judges.rules import RULE_FOLDER

PAGE = ROOT / "docs" / "adding-a-judge.md"


def test_the_page_goes_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copy_folder(tmp_path / "first-judge"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    page = in_a_shell(page_text(PAGE))
    assert list(follow(page, monkeypatch, capsys)) == wanted(page)
    assert len((tmp_path / "first-judge" / "requests.jsonl").read_text(encoding="utf-8").splitlines()) == 11


def test_what_it_points_at_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "`bench/judges/rules/`" in page and RULE_FOLDER == ROOT / "bench" / "judges" / "rules"
    assert "`bench/judges/registry.py`" in page and (ROOT / "bench" / "judges" / "registry.py").is_file()
