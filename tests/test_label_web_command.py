"""``bench label --web`` as a person runs it: a process, an address, an end; and the summaries as JSON."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from label_pages import Client
from suites import ANSWERS, SUITE, VOTES, make_suite, votes_text

from bench.cases.layout import Layout
from bench.cli import main

ADDRESS = re.compile(r"(\w+): http://127\.0\.0\.1:(\d+)/\?token=([\w-]{30,})  \((\d+) of (\d+) open\)")


def start(layout: Layout, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench", *words, "--web", "--suite", str(layout.suite)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=layout.root, env=environment
    )


def clients_of(lines: Sequence[str]) -> dict[str, Client]:
    found = [match for line in lines if (match := ADDRESS.match(line))]
    return {match[1]: Client(int(match[2]), match[3]) for match in found}


def test_two_annotators_one_end(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with start(layout, "label", "--annotator", "ada", "--annotator", "grace") as process:
        assert process.stdout is not None
        clients = clients_of([process.stdout.readline() for _ in range(2)])
        assert list(clients) == ["ada", "grace"] and clients["ada"].token != clients["grace"].token
        place = clients["ada"].state()["current"]
        assert clients["ada"].answer(place, answer=place["asked"]["answers"][0]["name"]).status == 200
        assert clients["ada"].ask("GET", f"/?token={clients['ada'].token}").status == 200
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "ada: 1 vote in this sitting, 1 of 8 in all, 7 open" in out and "grace: 0 votes" in out
    assert "the same command goes on from here" in out
    assert errors == ""
    assert len(list((layout.labels / "votes" / "ada").iterdir())) == 1


def test_where_there_is_nothing_to_settle_no_page_is_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = make_suite(tmp_path)
    assert main(["adjudicate", "--web", "--adjudicator", "chair", "--suite", str(layout.suite)]) == 0
    told = capsys.readouterr()
    assert "no page is served" in told.err
    assert "http" not in told.out + told.err


def test_a_summary_as_json(tmp_path: Path) -> None:
    bob = votes_text("S001", "bob", ANSWERS | {"quality": "2"})
    layout = make_suite(tmp_path, votes=VOTES | {"bob/S001": bob}, suite=SUITE.replace("item: 1", "item: 0"))
    with start(layout, "adjudicate", "--adjudicator", "chair", "--json") as process:
        assert process.stderr is not None
        client = clients_of([process.stderr.readline()])["chair"]
        assert client.answer(client.state()["current"], answer="3", rationale="R").status == 200
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=10)
    assert json.loads(out) == {
        "exit_code": 0,
        "suite": "support",
        "purpose": "rulings",
        "people": [{"person": "chair", "rulings_given": 1, "done": 1, "open": 0, "attempts_passed_over": 0}],
    }


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with start(layout, "label", "--annotator", "ada") as process:
        assert process.stdout is not None
        port = clients_of([process.stdout.readline()])["ada"].port
        with start(layout, "label", "--annotator", "eve", "--port", str(port)) as second:
            _, errors = second.communicate(timeout=10)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert second.returncode == 3 and "Address already in use" in errors and "name another port" in errors


# words, a word of the error
REFUSED = [
    (["--annotator", "ann", "--annotator", "bob"], "2 names"),
    (["--annotator", "ann", "--check", "--pilot"], "not allowed with"),
    (["--annotator", "ann", "--web", "--port", "70000"], "no port"),
    (["--annotator", "ann", "--web", "--case", "S404"], "no case 'S404'"),
    (["--annotator", "ann", "--web", "--made-by", "model", "--lineage", "m-1"], "votes made by person"),
    (["--annotator", "ann", "--web", "--preset", "all"], "use one of"),
]


@pytest.mark.parametrize(("words", "told"), REFUSED)
def test_a_wrong_wish_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    layout = make_suite(tmp_path)
    try:
        code = main(["label", *words, "--suite", str(layout.suite)])
    except SystemExit as stop:  # argparse
        code = stop.code  # type: ignore[assignment]
    assert code == 3 and told in capsys.readouterr().err


def test_the_terminal_sums_up_as_json_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = make_suite(tmp_path, votes=VOTES | {"bob/S001": votes_text("S001", "bob", ANSWERS | {"quality": "2"})})
    lines = iter(["yes", "3", "It stands there.", "q"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
    assert main(["label", "--annotator", "eve", "--json", "--suite", str(layout.suite)]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == {
        "exit_code": 0, "suite": "support", "annotator": "eve", "purpose": "label", "pilot": False,
        "votes_cast": 1, "attempts_passed_over": 0, "stopped": True,
    }  # fmt: skip
    assert "How long may I take" in told.err
    assert main(["adjudicate", "--adjudicator", "chair", "--list", "--json", "--suite", str(layout.suite)]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["differing"], found["settled_now"], found["items"][0]["statement"]) == (1, 0, "quality")
    assert [vote["answer"] for vote in found["items"][0]["votes"]] == ["4", "2"]


def test_a_pilot_vote_from_the_terminal_is_kept_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = make_suite(tmp_path)
    lines = iter(["yes", "3", "It stands there.", "q"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
    assert main(["label", "--annotator", "eve", "--pilot", "--suite", str(layout.suite)]) == 0
    assert len(list((layout.labels / "pilot" / "votes" / "eve").iterdir())) == 1
    assert not (layout.labels / "votes" / "eve").exists()
