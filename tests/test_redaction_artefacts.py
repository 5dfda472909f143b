"""Secrets are planted in a session, and told again by judges and models; then every artefact is searched for them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from planted import SURROUNDINGS, pieces, planted
from running_suites import Tree, case_tree, suite_tree, write
from test_batch import SETTINGS, answer

from bench.cases.layout import Layout
from bench.cli import main
from bench.problems import Problem, shorten
from bench.running.store import RunFile

SECRETS = planted(rounds=1)
ONE = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zaB3dE6gH"
NOON = "2026-01-02T12:00:00.000Z"
INPUTS = ("session.jsonl", "answers.jsonl")  # what the test itself wrote


def recorded(root: Path) -> Path:
    """A session in the form of Claude Code, with every secret in every surrounding, in prompts, calls and outputs."""
    texts = [around(p.text) for p in SECRETS for around in SURROUNDINGS.values()]
    records: list[Tree] = [
        {"type": "user", "message": {"role": "user", "content": "Mend the lamp. " + " ".join(texts[:40])}}
    ]
    for number, start in enumerate(range(0, len(texts), 100)):
        part = texts[start : start + 100]
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": f"echo {part[0]}", "note": part},
        }
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "\n".join(part), "is_error": False}
        records += [
            {"type": "assistant", "message": {"role": "assistant", "model": ONE, "content": [call]}},
            {"type": "user", "message": {"role": "user", "content": [result]}},
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": part[1]}]}},
        ]
    path = root / "session.jsonl"
    lines = [json.dumps({"sessionId": "s1", "timestamp": NOON, "uuid": f"u{n}", **r}) for n, r in enumerate(records)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def making(root: Path) -> Layout:
    tells = {"answers": ["polite", "solved"]}
    model = {**tells, "judge": "llm", "preset": "windows-1k", "parameters": SETTINGS["text"][0]}
    judges = [model, *({**tells, "judge": f"planted_judges:{name}"} for name in ("Leaky", "Unsure", "Crashing"))]
    suite = suite_tree(judges)
    suite["vocabulary"]["harness"]["claude-code"] = "a coding agent"
    return write(root, suite, [case_tree("S001")])


def found_in(text: str) -> list[str]:
    return [p.kind for p in SECRETS if any(piece in text for piece in pieces(p.core))]


def artefacts(root: Path) -> Iterator[tuple[str, str]]:
    """Every file that bench wrote, as bytes read as text; a table's cells one by one."""
    parquet = pytest.importorskip("pyarrow.parquet")
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.name in INPUTS:
            continue
        if path.suffix == ".parquet":
            yield path.name, json.dumps(parquet.read_table(path).to_pylist(), default=str, ensure_ascii=False)
        else:
            yield path.name, path.read_bytes().decode("utf-8", "replace")


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    monkeypatch.chdir(tmp_path)
    return making(tmp_path)


def test_no_artefact_of_any_command_holds_a_planted_secret(
    layout: Layout, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    session = str(recorded(layout.root))
    leaky = [word for name in ("Leaky", "Unsure", "Crashing") for word in ("--judge", f"planted_judges:{name}")]
    assert main(["import", session, "--id", "S002", "--family", "family-S002"]) == 0
    assert main(["import", session, "--events", "events.jsonl"]) == 0
    assert main(["show", "S002", "--preset", "reading"]) == 0
    assert main(["judge", session, *leaky]) == 0
    assert main(["judge", session, *leaky, "--json", "--preset", "windows-8k"]) == 0
    assert main(["run"]) == 2  # the model is asked in batches only
    assert main(["batch", "export", "requests.jsonl", "--judge", SETTINGS["text"][1], "--form", "text"]) == 0
    names = [json.loads(line)["custom_id"] for line in Path("requests.jsonl").read_text("utf-8").splitlines()]
    replies = [
        "\n".join(p.text for p in SECRETS),
        json.dumps({"verdict": "yes", "reason": SECRETS[0].text, "evidence": [ONE]}),
    ]
    lines = [json.dumps(answer("text", name, replies[n % 2], model=ONE)) for n, name in enumerate(names)]
    Path("answers.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    main(["batch", "import", "answers.jsonl", "--judge", SETTINGS["text"][1], "--form", "text"])
    main(["all", "--no-plots"])
    main(["lint"])
    assert main(["export", "--to", "dist"]) == 0
    out, err = capfd.readouterr()
    places = {**dict(artefacts(layout.root)), "out": out, "err": err, "logs": caplog.text}
    assert {
        "report.html",
        "report.json",
        "junit.xml",
        "report.md",
        "requests.jsonl",
        "events.jsonl",
        "S002.yaml",
    } <= set(places)
    assert any("[redacted:" in text for text in places.values())
    assert {name: kinds for name, text in places.items() if (kinds := found_in(text))} == {}
    assert main(["scan", "cases", "reports", "labels", "dist", ".bench", "requests.jsonl", "events.jsonl"]) == 0


def test_every_field_of_a_stored_verdict_is_clean(layout: Layout) -> None:
    main(["run", "--judge", "planted_judges:*"])
    rows = [
        row for path in layout.runs.glob("planted*.jsonl") for row in RunFile(layout.runs, path.stem).rows().values()
    ]
    assert len(rows) == 6
    assert any("[redacted:github-token]" in str(row) for row in rows)
    assert found_in("\n".join(map(str, rows))) == []


@pytest.mark.parametrize(
    "words", [["show", "S001", "--preset", ONE], ["show", ONE], ["judge", "a", "--judge", f"{ONE}:A"]]
)
def test_no_message_repeats_a_secret(layout: Layout, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 3
    told = capsys.readouterr()
    assert ONE[4:12] not in told.out + told.err


def test_a_broken_file_is_told_without_its_secret(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    path = layout.suite / "S001.yaml"
    path.write_text(path.read_text().replace('"schema": 1', f'"schema": "{ONE}", "{ONE}": 1'))
    assert main(["lint"]) in (1, 3)
    told = capsys.readouterr()
    assert ONE[4:12] not in told.out + told.err


@pytest.mark.parametrize("start", range(0, 90, 3))
def test_a_message_is_redacted_before_it_is_cut(start: int) -> None:
    assert "aB3dE6" not in shorten("x" * start + " " + ONE, 80)
    assert "aB3dE6" not in str(Problem("a", 1, None, None, f"{'x' * start} {ONE}", "b"))


def test_a_recorded_session_beside_a_case_is_not_exported_with_its_secrets(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    recorded(layout.root).rename(layout.suite / "session.jsonl")
    case = case_tree("S003")
    case["attempts"] = [
        {"id": "a1", "harness": "desk", "events_from": {"file": "session.jsonl", "format": "claude-code"}}
    ]
    (layout.suite / "S003.yaml").write_text(json.dumps(case))
    assert main(["export", "--to", "dist"]) == 3
    told = capsys.readouterr().err
    assert "session.jsonl:1, case S003, field events_from.file" in told
    assert found_in(told) == []
    assert not Path("dist").exists()


def test_a_case_made_of_a_session_holds_no_personal_data(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    path = layout.root / "session.jsonl"
    content = "see /home/miriam/shop, mail miriam.k@firma.de or call +49 30 1234 5678"
    message = {"role": "user", "content": content}
    path.write_text(
        json.dumps({"type": "user", "sessionId": "s1", "timestamp": NOON, "uuid": "u1", "message": message}) + "\n"
    )
    assert main(["import", str(path), "--id", "S004", "--family", "family-S004"]) == 0
    text = next(layout.suite.rglob("S004.yaml")).read_text(encoding="utf-8")
    assert "miriam" not in text
    assert "1234" not in text
    assert "/home/user/shop" in text
    assert "6 personal details" in capsys.readouterr().out  # of the query and of the prompt
    assert main(["scan", str(layout.suite), "--personal"]) == 0
