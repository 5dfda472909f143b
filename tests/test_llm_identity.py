"""Which change of a judge asks which verdicts anew, through ``bench run``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_llm import Says, always, fake, verdict
from llm_runs import entry, make, rows, run

from bench.projection.presets import PRESETS

ITEMS = 4  # two cases, two statements
CHANGES: list[tuple[str, dict[str, str], int]] = [
    ("nothing", {}, 0),
    ("the model", {"model": "m-2"}, ITEMS),
    ("the temperature", {"temperature": "0.7"}, ITEMS),
    ("no temperature at all", {"temperature": "none"}, ITEMS),
    ("top_p", {"top_p": "0.9"}, ITEMS),
    ("the longest answer", {"max_tokens": "512"}, ITEMS),
    ("the mode", {"mode": "tools"}, ITEMS),
    ("another mode", {"mode": "md_json"}, ITEMS),
    ("the template", {"template": "strict@1"}, ITEMS),
    ("the effort", {"reasoning_effort": "low"}, ITEMS),
    ("the provider", {"provider": "ollama"}, ITEMS),
    ("one sample more", {"samples": "2"}, ITEMS),
    ("four samples more", {"samples": "5"}, 4 * ITEMS),
    ("the variable of the key", {"key_variable": "OTHER_API_KEY"}, 0),
    ("concurrency", {"concurrency": "2"}, 0),
    ("the rate", {"per_minute": "6000"}, 0),
    ("the deadline", {"seconds": "3"}, 0),
    ("the retries", {"retries": "1"}, 0),
    ("the price", {"price_in": "1", "price_out": "2"}, 0),
]


@pytest.mark.parametrize(("what", "change", "wanted"), CHANGES, ids=[c[0] for c in CHANGES])
def test_a_change_asks_what_it_moves(
    what: str, change: dict[str, str], wanted: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with fake(always(Says(verdict("yes")))) as server:
        layout = make(tmp_path, [entry(server.url)])
        assert run(layout) == 0
        assert (len(server.asked), len(rows(layout))) == (ITEMS, ITEMS)
        server.says(always(Says(verdict("no"))))
        make(tmp_path, [entry(server.url, **change)])
        assert run(layout) == 0
        assert len(server.asked) == wanted
        seeds = sorted({request.body["seed"] for request in server.asked})
        make(tmp_path, [entry(server.url)])
        assert run(layout) == 0
        assert len(server.asked) == wanted, "the old verdicts are found again"
    assert len(rows(layout)) == ITEMS + wanted
    if "samples" in change:
        assert seeds == list(range(1, int(change["samples"]))), "only the new samples, each with its own seed"
    capsys.readouterr()


def test_another_host_or_key_asks_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake(always(Says(verdict("yes")))) as server, fake(always(Says(verdict("no")))) as other:
        layout = make(tmp_path, [entry(server.url)])
        assert run(layout) == 0
        monkeypatch.setenv("LLM_API_KEY", "another-key")
        make(tmp_path, [entry(other.url)])
        assert run(layout) == 0
        assert other.asked == []
    capsys.readouterr()


def test_the_preset_is_part_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake(always(Says(verdict("yes")))) as server:
        for preset in ("events", "windows-1k"):
            assert preset in PRESETS
            layout = make(tmp_path, [{**entry(server.url), "preset": preset}])
            assert run(layout) == 0
        assert len(server.asked) == 2 * ITEMS
    capsys.readouterr()


def test_the_manifest_says_what_was_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake(always(Says(verdict("yes")))) as server:
        layout = make(tmp_path, [entry(server.url, mode="tools", temperature="0.5")])
        assert run(layout) == 0
    (manifest,) = layout.runs.glob("llm-m-1-tools-????????????.json")
    told = json.loads(manifest.read_text())["fingerprint"]
    assert {"provider", "model", "mode", "template", "template_digest", "temperature", "adapter"} <= set(told)
    assert not {"base_url", "key", "key_variable"} & set(told)
    assert {row["answered_by"] for row in rows(layout)} == {"fake-1.0"}
    capsys.readouterr()
