"""Batches: requests out in each form, answers in, every line accounted for, stored under who answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running_suites import case_tree, suite_tree, write

from bench.cases.layout import Layout
from bench.cli import main

Tree = dict[str, Any]
MODEL = "model-1"
SETTINGS: dict[str, tuple[dict[str, str], str]] = {
    "openai": ({"provider": "openai", "model": MODEL, "mode": "json_schema"}, f"llm:{MODEL}:json_schema"),
    "anthropic": ({"provider": "anthropic", "model": MODEL, "mode": "tools"}, f"llm:{MODEL}:tools"),
    "text": ({"provider": "batch", "model": MODEL, "mode": "md_json"}, f"llm:{MODEL}:md_json"),
}
FORMS = tuple(SETTINGS)


def suite_at(root: Path, form: str, cases: int = 3) -> Layout:
    judge = {"judge": "llm", "answers": ["polite", "solved"], "preset": "windows-1k", "parameters": SETTINGS[form][0]}
    return write(root, suite_tree([judge]), [case_tree(f"S{n:03d}") for n in range(1, cases + 1)])


def batch(*words: str) -> int:
    return main(["batch", *words])


def verdict_text(verdict: str = "yes", quote: str = "Hello! It works again.") -> str:
    return json.dumps({"evidence": [quote], "reason": "It stands there.", "verdict": verdict})


def answer(form: str, name: str, text: str, model: str = MODEL) -> Tree:
    """An answer as the provider's documentation shows it (OpenAI Batch API; Anthropic Message Batches; ours)."""
    if form == "openai":
        message = {"role": "assistant", "content": text}
        body = {"model": model, "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20}}  # fmt: skip
        return {"id": "r1", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}
    if form == "anthropic":
        block = {"type": "tool_use", "id": "t1", "name": "Answer", "input": json.loads(text)}
        message = {"role": "assistant", "model": model, "content": [block], "stop_reason": "tool_use",
                   "usage": {"input_tokens": 100, "output_tokens": 20}}  # fmt: skip
        return {"custom_id": name, "result": {"type": "succeeded", "message": message}}
    return {"custom_id": name, "reply": text, "model": model}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def exported(layout: Layout, form: str, monkeypatch: pytest.MonkeyPatch) -> list[Tree]:
    monkeypatch.chdir(layout.root)
    assert batch("export", "requests.jsonl", "--judge", SETTINGS[form][1], "--form", form) == 0
    return [json.loads(line) for line in (layout.root / "requests.jsonl").read_text(encoding="utf-8").splitlines()]


def imported(layout: Layout, form: str, lines: list[str], *more: str) -> int:
    (layout.root / "answers.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return batch("import", "answers.jsonl", "--judge", SETTINGS[form][1], "--form", form, *more)


def rows(layout: Layout) -> dict[str, list[Tree]]:
    found = {}
    for path in sorted(layout.runs.glob("llm-*.jsonl")):
        found[path.stem] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return found


def test_a_request_holds_the_session_and_no_id_of_ours(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = exported(suite_at(tmp_path, form), form, monkeypatch)
    assert len(requests) == 6
    assert len({request["custom_id"] for request in requests}) == 6
    for request in requests:
        text = json.dumps(request)
        assert "Hello! It works again." in text
        assert not any(word in text for word in ("S001", "family-", 'polite"', 'solved"')) or "lamp S00" in text
        assert len(request["custom_id"]) <= 64


def test_a_round_trip_of_a_hundred_with_every_kind_of_trouble(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_at(tmp_path, form, cases=50)
    names = [request["custom_id"] for request in exported(layout, form, monkeypatch)]
    assert len(names) == 100
    missing, broken, good = names[:5], names[5:9], names[9:]
    lines = [json.dumps(answer(form, name, verdict_text())) for name in good]
    lines += [json.dumps(answer(form, name, verdict_text("no"))) for name in good[:3]]
    lines += [json.dumps(answer(form, name, verdict_text())) for name in ("f" * 48 + "-0", "somebody-elses")]
    lines += ["{", '{"custom_id": 7}', f'{{"custom_id": "{broken[2]}", "x": NaN}}', f'{{"custom_id": "{broken[3]}"}}']
    assert imported(layout, form, lines) == 2  # something is missing
    told = capsys.readouterr().out
    assert "100 answers to 100 requests" in told
    for count, kind in ((91, "stored under"), (9, "missing:"), (3, "duplicated"), (2, "foreign"), (4, "malformed")):
        assert f"{count} {kind}" in told
    assert "books balanced" in told
    assert "somebody-elses" in told
    assert [f"line {number}: " in told for number in (97, 98, 99, 100)] == [True] * 4
    (stored,) = rows(layout).values()
    assert len(stored) == 91
    assert {row["answer"] for row in stored} == {"yes"}, "the first answer of a name counts"
    assert len(missing) + len(broken) == 9
    capsys.readouterr()
    assert batch("export", "rest.jsonl", "--judge", SETTINGS[form][1], "--form", form) == 0
    rest = [json.loads(line)["custom_id"] for line in (layout.root / "rest.jsonl").read_text().splitlines()]
    assert sorted(rest) == sorted(missing + broken), "only what has no answer is asked again"


def test_answers_are_checked_like_live_ones(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = suite_at(tmp_path, form)
    names = [request["custom_id"] for request in exported(layout, form, monkeypatch)]
    texts = [
        verdict_text("no"),
        verdict_text("CORRECT"),
        verdict_text("cannot tell"),
        verdict_text("yes", quote="this was never said by anybody"),
        json.dumps({"reason": "no verdict"}),
        verdict_text(),
    ]
    imported(layout, form, [json.dumps(answer(form, n, t)) for n, t in zip(names, texts, strict=True)])
    (stored,) = rows(layout).values()
    told = [row.get("answer") or row["unscored"] for row in stored]
    assert told[0] == "no"
    assert told[1] in ("unparsed", "out_of_range")
    assert told[2:] == ["abstained", "yes", "unparsed", "yes"]
    assert stored[3]["invented"] == 1
    assert stored[5]["evidence"] == [3]
    assert all(row["answered_by"] == MODEL for row in stored)


def test_another_model_that_answered_is_another_judge(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_at(tmp_path, form)
    names = [request["custom_id"] for request in exported(layout, form, monkeypatch)]
    lines = [json.dumps(answer(form, name, verdict_text(), "model-2")) for name in names]
    assert imported(layout, form, lines) == 0
    assert "another model answered than was asked for" in capsys.readouterr().out
    ((identity, stored),) = rows(layout).items()
    assert identity.startswith("llm-model-2-")
    assert len(stored) == 6
    manifest = json.loads((layout.runs / f"{identity}.json").read_text())
    assert manifest["fingerprint"]["model"] == "model-2"


def test_answers_twice_are_stored_once(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = suite_at(tmp_path, form)
    names = [request["custom_id"] for request in exported(layout, form, monkeypatch)]
    lines = [json.dumps(answer(form, name, verdict_text())) for name in names]
    assert imported(layout, form, lines) == 0
    before = rows(layout)
    assert imported(layout, form, lines) == 0
    assert rows(layout) == before


FAILURES: list[tuple[str, Callable[[str], Tree], str]] = [
    ("openai", lambda n: {"custom_id": n, "response": {"status_code": 500, "body": {}}}, "error"),
    ("openai", lambda n: {"custom_id": n, "response": None, "error": {"code": "server_error"}}, "error"),
    ("openai", lambda n: {"custom_id": n, "response": None, "error": {"code": "batch_expired"}}, "put off"),
    ("openai", lambda n: {"custom_id": n, "response": {"status_code": 200, "body": []}}, "error"),
    ("anthropic", lambda n: {"custom_id": n, "result": {"type": "errored", "error": {}}}, "error"),
    ("anthropic", lambda n: {"custom_id": n, "result": {"type": "expired"}}, "put off"),
    ("anthropic", lambda n: {"custom_id": n, "result": {"type": "canceled"}}, "put off"),
    ("text", lambda n: {"custom_id": n, "reply": "", "model": MODEL}, "missing_answer"),
]


@pytest.mark.parametrize(("which", "made", "outcome"), FAILURES)
def test_a_failed_request_is_an_outcome_or_is_asked_again(
    which: str, made: Callable[[str], Tree], outcome: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    layout = suite_at(tmp_path, which)
    name, *_ = [request["custom_id"] for request in exported(layout, which, monkeypatch)]
    assert imported(layout, which, [json.dumps(made(name))]) == 2
    told = capsys.readouterr().out
    if outcome == "put off":
        assert "1 put off by the provider" in told
        assert rows(layout) == {}
    else:
        assert f"1 {outcome}" in told
        ((row,),) = rows(layout).values()
        assert row["unscored"] == outcome


def test_what_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_at(tmp_path, "openai")
    monkeypatch.chdir(layout.root)
    judge = SETTINGS["openai"][1]
    for words, told in (
        (("export", "r.jsonl", "--judge", judge, "--form", "anthropic"), "speaks another form"),
        (("export", "r.jsonl", "--judge", judge, "--form", "text"), "use plain or md_json"),
        (
            ("export", "r.jsonl", "--judge", "nobody", "--form", "openai"),
            f"llm judges, those of one name by their id: {judge}",
        ),
        (("import", "nothing.jsonl", "--judge", judge, "--form", "openai"), "no such file"),
    ):
        assert batch(*words) == 3
        assert told in capsys.readouterr().err


def test_a_batch_judge_cannot_be_asked_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(suite_at(tmp_path, "text").root)
    assert main(["run"]) == 2
    assert "bench batch export" in capsys.readouterr().out
