"""A key is planted, the server echoes it everywhere, and every artefact is searched for it."""

from __future__ import annotations

import base64
import json
import logging
from pathlib import Path

import pytest
from fake_llm import Asked, Says, fake, verdict
from llm_judges import MODES
from llm_runs import entry, make, rows, run, start

from bench.cli import main

KEY = "planted0key0of0this0test0Zz9"  # no known format: only its value tells
SESSION_KEY = "ghp_" + "Ab1" * 12


def echo(asked: Asked) -> Says:
    """Replies and errors that repeat the caller's key, by turns."""
    key = asked.headers["Authorization"].removeprefix("Bearer ")
    headers = (("X-Echo", key),)
    turns = (
        Says(verdict("yes", [key], f"your key is {key}"), model=f"m {key}", headers=headers),
        Says(f"no verdict, but {key} and {SESSION_KEY}", headers=headers),
        Says(status=400, body=json.dumps({"error": f"bad key {key} {'x' * 130}{key}"}).encode(), headers=headers),
        Says(status=500, body=f"{'y' * 180}{key}".encode(), headers=headers),
        Says(verdict(key), refusal=None, headers=headers),
        Says(body=json.dumps({"error": {"code": key, "message": key}}).encode()),
        Says(f"verdict-NONCE: yes\nevidence-NONCE: {key}\n{key}"),
    )
    return turns[asked.number % len(turns)]


def everything(folder: Path) -> str:
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("mode", MODES)
def test_no_artefact_holds_the_key(
    mode: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LLM_API_KEY", KEY)
    monkeypatch.setattr("bench.running.asking.BACKOFF_SECONDS", 0.001)
    caplog.set_level(logging.DEBUG)
    with fake(echo) as server:
        layout = make(tmp_path, [entry(server.url, mode=mode, retries="1")], 14)
        assert run(layout, "--judge-missing") == 0
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
        assert main(["report", "--suite", str(layout.suite)]) in (0, 1, 2)
    stored = rows(layout)
    assert len({row.get("answer") or row["unscored"] for row in stored}) > 1
    assert any("[redacted:key]" in json.dumps(row) for row in stored), "the echo was there, and was scrubbed"
    out, err = capfd.readouterr()
    found = {"artefacts": everything(tmp_path), "out": out, "err": err, "logs": caplog.text}
    forms = (KEY, KEY[:12], base64.b64encode(KEY.encode()).decode(), SESSION_KEY)
    assert [(place, form) for place, text in found.items() for form in forms if form in text] == []


def test_a_refused_key_is_not_told_either(tmp_path: Path) -> None:
    with fake(lambda asked: Says(status=401, body=f"wrong key: {KEY}".encode())) as server:
        process = start(make(tmp_path, [entry(server.url)]), LLM_API_KEY=KEY)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert KEY[:12] not in out + err + everything(tmp_path)
