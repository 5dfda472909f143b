"""``bench train``: text, JSON, exit code and file agree."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from head_sessions import lesson_suite
from printed import too_wide

from bench.cli import main
from bench.judges.registry import make_judge
from bench.training.crossfit import Effort
from bench.training.train import train as train_head


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(lesson_suite(tmp_path_factory.mktemp("suite")).suite)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = partial(train_head, effort=Effort(folds=3, repeats=1, inner_folds=2))
    monkeypatch.setattr("bench.commands.train.train", quick)


def train(capsys: pytest.CaptureFixture[str], suite: str, *words: str) -> tuple[int, str, str]:
    code = main(["train", "--suite", suite, "--statement", "solved", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_text_json_and_file_agree(suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    code, text, _ = train(capsys, suite, "--out", first)
    as_json = train(capsys, suite, "--out", second, "--json")
    told = json.loads(as_json[1])
    assert code == as_json[0] == told["exit_code"] == 0
    assert Path(first).read_bytes() == Path(second).read_bytes()
    assert f"chosen: {told['training']['chosen']}\n" in text
    assert "out of fold on development: certifies nothing" in text
    assert told["note"] == "out of fold on development: certifies nothing"
    assert f"calibration: {told['calibration']['kind']};" in text
    assert [line["name"] for line in told["candidates"]][:2] == ["share of yes", "length"]
    assert too_wide(text) == []
    assert "length as a score" in text


def test_the_file_lies_in_the_suite_by_default_and_is_a_judge(suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _ = train(capsys, suite)
    assert "wrote cases/support/heads/solved.json\n" in text
    assert make_judge("head", {"path": "heads/solved.json"}, Path(suite)).name == "head:solved"


def test_the_curve_is_marked_and_writes_nothing(suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(Path(suite).rglob("*"))
    code, text, _ = train(capsys, suite, "--learning-curve")
    assert code == 0
    assert "cross-fitted over all splits: certifies nothing and chooses nothing" in text
    assert sorted(Path(suite).rglob("*")) == before
    code, text, _ = train(capsys, suite, "--learning-curve", "--json")
    assert len(json.loads(text)["over_all_splits"]["steps"]) == 3


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--statement", "nope"], 3, "use one of polite, solved"),
        (["--statement", "polite"], 2, "labelled no; at least 10"),
        (["--learning-curve", "--out", "x.json"], 3, "--out"),
    ],
)
def test_what_cannot_be_done_is_told(
    words: list[str], code: int, told: str, suite: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, _, error = train(capsys, suite, *words)
    assert found == code
    assert told in error
