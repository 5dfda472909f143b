"""`bench import --atif`: the interchange format, secrets redacted, read back equal; and `--strict`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from certificates import session_lines, write_session
from printed import flat

from bench.cli import main
from bench.traces.detect import detect_file, read_session

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def test_it_reads_back_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = write_session(tmp_path / "s.jsonl", corrected=True), tmp_path / "s.json"
    assert main(["import", str(path), "--atif", str(out)]) == 0
    assert "0 secrets redacted" in flat(capsys.readouterr().out)
    assert detect_file(out) == "atif"
    assert read_session(out).events == read_session(path).events


def test_what_is_written_suits_the_format_s_own_models(tmp_path: Path) -> None:
    atif = pytest.importorskip("atif")
    path, out = write_session(tmp_path / "s.jsonl", corrected=True), tmp_path / "s.json"
    assert main(["import", str(path), "--atif", str(out)]) == 0
    atif.Trajectory.model_validate(json.loads(out.read_text(encoding="utf-8")))


def test_secrets_do_not_leave(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "s.jsonl", tmp_path / "s.json"
    path.write_text(session_lines(corrected=True).replace("pnpm", SECRET), encoding="utf-8")
    assert main(["import", str(path), "--atif", str(out)]) == 0
    assert "1 secret redacted" in flat(capsys.readouterr().out)
    assert SECRET not in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("way", ["--atif", "--events"])
def test_strict_fails_on_a_type_that_nobody_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str], way: str) -> None:
    path = tmp_path / "s.jsonl"
    odd = json.dumps({"type": "never-met", "uuid": "x", "sessionId": "s"})
    path.write_text(session_lines(corrected=True) + odd + "\n", encoding="utf-8")
    assert main(["import", str(path), way, str(tmp_path / "out")]) == 0
    assert "1 of unknown type (never-met)" in flat(capsys.readouterr().out)
    assert main(["import", str(path), way, str(tmp_path / "out"), "--strict"]) == 3
    assert "never-met (1)" in capsys.readouterr().err
