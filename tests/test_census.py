"""The census: counts by hand, books that balance, no text of any session in what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from certificates import write_session

from bench.census.count import count_events
from bench.census.figures import figures
from bench.census.take import files_in
from bench.cli import main
from bench.schema.event import Approval, Event

SECRET_WORDS = "Add the package"


def events() -> list[Event]:
    return [
        Event(kind="prompt", origin="human", text="go"),
        Event(kind="prompt", origin="injected", text="rules"),
        Event(kind="command", command="make", exit_code=2, exit_source="text", ok=False),
        Event(kind="command", command="make", exit_code=0, exit_source="implied", ok=True),
        Event(kind="command", command="ls", exit_source="none"),
        Event(kind="tool_call", tool="Edit", approval=Approval(decision="denied", source="person"), ok=False),
        Event(kind="tool_call", tool="Read", outcome="unobservable"),
        Event(kind="interrupt"),
        Event(kind="compaction", text="so far", thread="sub:1"),
    ]


def test_counts_by_hand() -> None:
    found = count_events("desk", iter(events()))
    assert (found.events, found.calls, found.interrupts, found.compactions, found.threads) == (9, 5, 1, 1, 2)
    assert found.commands == {"text": 1, "implied": 1, "none": 1}
    assert found.outcomes == {"failed": 2, "ok": 1, "unknown": 1, "unobservable": 1}
    assert found.prompts == {"human": 1, "injected": 1}
    assert found.approvals == {"denied by person": 1}


def test_shares_have_the_session_as_unit() -> None:
    loud = count_events("desk", [Event(kind="command", command="a", exit_code=1, exit_source="text", ok=False)] * 50)
    quiet = [count_events("desk", [Event(kind="command", command="a", exit_source="none")]) for _ in range(9)]
    (one,) = figures([loud, *quiet])
    share = one.exit_codes["text"]
    assert (share.numerator, share.denominator, share.families) == (50, 59, 10)
    assert share.low is not None
    assert share.high is not None
    assert share.high - share.low > 0.5  # fifty commands of one session are one session
    assert one.typed.undefined == "0 prompts"
    assert (one.with_interrupt.numerator, one.with_interrupt.denominator) == (0, 10)


def test_the_command_counts_files_and_says_what_it_did_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for number in range(6):
        write_session(folder / f"{number}.jsonl", corrected=number < 2)
    (folder / "notes.md").write_text("nothing", encoding="utf-8")
    (folder / ".hidden").write_text("nothing", encoding="utf-8")
    out = tmp_path / "out"
    assert main(["census", str(folder), "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("6 sessions of 1 harness, ")
    assert "not read: notes.md" in text
    assert main(["census", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (one,) = told["harnesses"]
    assert (one["sessions"], one["prompts"]) == (6, 8)
    assert one["rules"]["rule:prompt-after-call"]["numerator"] == 2
    (books,) = told["records"].values()
    assert books["balanced"]
    assert books["seen"] == 28
    for file in ("README.md", "census.json", "census.svg"):
        assert SECRET_WORDS not in (out / file).read_text(encoding="utf-8")
    before = (out / "census.svg").read_bytes()
    assert main(["census", str(folder), "--out", str(out)]) == 0
    assert (out / "census.svg").read_bytes() == before
    assert main(["census", str(folder), "--strict"]) == 3


def test_nothing_to_count_and_nothing_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["census", str(tmp_path)]) == 2
    assert main(["census", str(tmp_path / "none")]) == 3
    assert "no such file or folder" in capsys.readouterr().err


def test_a_folder_is_walked_in_order_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b/2", "a/1", "b/.x", ".git/3"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    assert [file.name for file in files_in([tmp_path])] == ["1", "2"]


def test_a_harness_that_names_itself_scripts_no_page_and_steers_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "<script>alert(1)</script> | [x](http://e) \x1b[31m"
    document = {
        "schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": name, "version": "1"},
        "steps": [{"step_id": 1, "source": "user", "message": "hi"}, {"step_id": 2, "source": "agent", "message": "yo"}],
    }  # fmt: skip
    path, out = tmp_path / "h.json", tmp_path / "out"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert main(["census", str(path), "--out", str(out)]) == 0
    shown = capsys.readouterr().out + "".join(
        file.read_text(encoding="utf-8") for file in (out / "README.md", out / "census.svg")
    )
    assert "<script" not in shown
    assert "[x](" not in shown
    assert "\x1b" not in shown
