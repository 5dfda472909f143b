"""The offline default: the bundled weights, asked in process and through their own server."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import sparrow_decider
from decision_fakes import ITEM, POLITE, QUALITY, QUESTIONS, judge_at
from jevcompat.runner import run as conformance

from bench.judges.contract import CallingJudge, Item, Verdict
from bench.judges.decision import sparrow
from bench.judges.decision.protocol import state_of
from bench.judges.decision.sparrow import DEFAULT, PACKAGE, PIECES, WEIGHTS, SparrowJudge
from bench.judges.registry import make_judge
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.running.asking import ask_now
from bench.running.identity import judge_id
from bench.schema.event import Event


def item_of(words: int) -> Item:
    return Item(project(PRESETS["events"], "q", "h", [Event(kind="message", text="lamp " * words)]))


# --- in process ---


def test_it_is_the_default() -> None:
    judge = make_judge("decision", {}, Path())
    assert judge == make_judge("decision", {"base_url": "embedded", "model": DEFAULT}, Path()) == SparrowJudge()
    assert isinstance(judge, CallingJudge)
    assert (judge.name, judge.limits.concurrency) == (f"decision:{DEFAULT}", 1)


def test_what_is_declared_is_what_is_installed() -> None:
    assert sparrow_decider.__version__ == PACKAGE
    assert DEFAULT == sparrow_decider.DEFAULT_MODEL
    folder = Path(sparrow_decider.__file__).parent / "models"
    found = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.sparrow")}
    assert found == WEIGHTS


@pytest.mark.parametrize("model", WEIGHTS)
def test_every_question_has_a_valid_answer(model: str) -> None:
    verdicts = ask_now(SparrowJudge(model), ITEM, QUESTIONS)
    assert [v.unscored for v in verdicts] == [None] * 4
    assert all(v.answer in q.answers for v, q in zip(verdicts, QUESTIONS, strict=True))
    assert {v.answered_by for v in verdicts} == {model}
    assert {v.flags for v in verdicts} == {()}
    assert sum(v.cost_usd or 0 for v in verdicts) == 0
    assert sum(v.tokens_in or 0 for v in verdicts) > 20
    assert ask_now(pickle.loads(pickle.dumps(SparrowJudge(model))), ITEM, QUESTIONS) == verdicts


def test_the_fingerprint_names_package_weights_and_cut() -> None:
    told = SparrowJudge().fingerprint()
    assert told["package"] == f"sparrow-decider {PACKAGE}"
    assert told["weights"] == WEIGHTS[DEFAULT]
    assert told["reads"] == "state, question and each option: the first 512 word pieces of each"
    ids = {judge_id(SparrowJudge(model), preset) for model in WEIGHTS for preset in ("windows-1k@1", "events@1")}
    assert len(ids) == 4


def test_the_bundled_model_reads_the_first_512_pieces_only() -> None:
    """The words of the fingerprint, proved on the weights: what comes later moves nothing, what comes before does."""
    decider = SparrowJudge().weights.decider()
    assert decider.static is not None, "no attention: the encoder's cut is another one"
    assert decider.static.max_len == PIECES
    question = {"q1": {"type": "noul", "instructions": "Is it good?"}}
    head = "lamp " * PIECES
    assert decider.ask(head, question) == decider.ask(head + "terrible failure " * 50, question)
    assert decider.ask("lamp " * 100, question) != decider.ask("terrible failure " * 100, question)
    option = {"criteria": {"true": head, "false": "no"}}
    longer = {"criteria": {"true": head + "terrible failure " * 50, "false": "no"}}
    assert decider.ask("lamp", {"q1": {"type": "noul", **option}}) == decider.ask(
        "lamp", {"q1": {"type": "noul", **longer}}
    )


def test_a_state_that_was_cut_is_flagged() -> None:
    judge = SparrowJudge()
    tokens = judge.weights.decider().static.tok
    fits = next(n for n in range(PIECES, 0, -1) if len(tokens.encode(state_of(item_of(n)), 9999)) <= PIECES)
    assert len(tokens.encode(state_of(item_of(fits)), 9999)) == PIECES
    for words, flags in ((fits, ()), (fits + 1, ("cut_by_model",))):
        verdicts = ask_now(judge, item_of(words), [POLITE, QUALITY])
        assert [v.flags for v in verdicts] == [flags, flags]
        assert sum(v.tokens_in or 0 for v in verdicts) == PIECES


def test_its_answers_are_checked_like_a_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = SparrowJudge()
    honest = judge.weights.decider()

    def lying(state: Any, questions: Any) -> dict[str, Any]:
        told: dict[str, Any] = honest.__class__.ask(honest, state, questions)
        return {**told, "q2": {"type": "noul", "noul": 1.52}}

    monkeypatch.setattr(honest, "ask", lying)
    assert [v.unscored for v in ask_now(judge, ITEM, QUESTIONS)] == [None, "out_of_range", None, None]


def test_without_a_projection_and_with_too_much_of_it() -> None:
    assert [v.unscored for v in ask_now(SparrowJudge(), Item(), [POLITE])] == ["error"]
    assert [v.unscored for v in ask_now(SparrowJudge(), item_of(26_000), [POLITE])] == ["too_long"]
    assert list(SparrowJudge().judge(ITEM, [], 0)) == []


@pytest.mark.parametrize("trouble", ["package", "version", "weights"])
def test_what_is_not_the_declared_model_is_not_asked(trouble: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if trouble == "package":
        monkeypatch.setitem(sys.modules, "sparrow_decider", None)
    elif trouble == "version":
        monkeypatch.setattr(sparrow_decider, "__version__", "0.3.0")
    else:
        monkeypatch.setitem(sparrow.WEIGHTS, DEFAULT, "0" * 64)
    (verdict,) = ask_now(SparrowJudge(), ITEM, [POLITE])
    assert verdict.unscored == "unavailable"
    assert "pip install " in (verdict.detail or "")


# --- through its own server ---


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """``sparrow-decider serve``, a third party's server, on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "sparrow_decider.cli", "serve", "--port", str(port)]
    quiet = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url)
            yield url
        finally:
            process.kill()


def _wait_for(url: str) -> None:
    for _ in range(100):
        try:
            with urlopen(url, timeout=5) as reply:
                assert json.load(reply)["model"] == DEFAULT
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


def figures(verdict: Verdict) -> tuple[object, ...]:
    return verdict.answer, verdict.p, verdict.score, verdict.certainty


@pytest.mark.parametrize("item", [ITEM, item_of(3), item_of(2000)])
def test_the_server_gives_what_the_embedded_model_gives(server: str, item: Item) -> None:
    embedded = ask_now(SparrowJudge(), item, QUESTIONS)
    served = ask_now(judge_at(server, model=DEFAULT), item, QUESTIONS)
    assert list(map(figures, served)) == list(map(figures, embedded))
    assert {v.flags for v in served} == {("extra_fields",)}, "its reply has a latency_ms"


def test_the_served_model_is_another_identity_than_the_embedded_one() -> None:
    """The server says neither its weights nor that it cuts."""
    assert judge_at("http://127.0.0.1:9", model=DEFAULT).fingerprint() != SparrowJudge().fingerprint()


def test_the_server_is_conformant_and_what_it_breaks_is_known(server: str) -> None:
    """jevcompat's runner: no MUST is broken. The five SHOULDs are those of a third party's server, and move no verdict."""
    has_client = find_spec("typesafe_sdk") is not None
    report = conformance(server, model=DEFAULT, timeout=10, sdk=has_client)
    assert report.verdict == ("conformant" if has_client else "incomplete")
    assert report.count("MUST", "fail") == 0
    assert {result.id for result in report.results if result.status == "fail"} == {
        "http.models",
        "response.extensions",
        "confidence.formula",
        "errors.reject-invalid",
        "errors.validation-shape",
    }
