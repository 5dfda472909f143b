"""Every sample is read in the format it is in, or stands in a table of those that are not, with the reason."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.problems import BrokenInput
from bench.traces.detect import NAMES, OTHERS, READERS, detect_file, read_session, read_sessions, reader_of
from bench.traces.formats import FORMATS

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"
PAGE = ROOT / "docs" / "importing.md"
SAMPLES = sorted(file for file in (SHARED / "traces").rglob("*") if file.is_file()) if SHARED.is_dir() else []
SESSIONS = sorted((SHARED / "data" / "real_sessions").glob("*.jsonl")) if SHARED.is_dir() else []
# By folder what a sample must be told as; fixtures are named after their harness.
TOLD = {
    "aider": {"aider"},
    "beacon": {"agent-logs", "opencode-payloads"},
    "beacon_synthetic": {"beacon"},
    "claude_code": {"claude-code"},
    "claude_code_web": {"claude-code-web"},
    "codex": {"codex"},
    "gemini_cli": {"gemini-cli"},
    "inspect_ai": {"inspect", "inspect-json"},
    "mini_swe_agent": {"mini-swe-agent"},
    "otel": {"otel"},
    "swe_agent": {"swe-agent"},
    "tau_bench": {"tau-bench"},
    "who_and_when": {"who-and-when"},
}


def unsupported() -> dict[str, str]:
    """File -> why it is not read, as the page says."""
    section = PAGE.read_text(encoding="utf-8").split("## What is not read", 1)[1].split("\n## ", 1)[0]
    return dict(re.findall(r"^\| `(.+?)` \| (.+?) \|$", section, re.MULTILINE))


def test_the_names_are_those_of_the_formats() -> None:
    assert tuple(sorted({one.name for one in FORMATS})) == OTHERS
    assert set(NAMES) == set(READERS) | set(OTHERS)
    assert (reader_of("inspect-json"), reader_of("atif"), reader_of("nothing")) == ("inspect@1", "atif@1", "nothing")


def test_every_name_stands_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in page] == []


@pytest.mark.skipif(not SAMPLES, reason="the samples are not at hand")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.relative_to(SHARED / "traces")))
def test_every_sample_is_read_and_its_books_balance_or_it_is_named(path: Path) -> None:
    name = str(path.relative_to(SHARED / "traces"))
    if name in unsupported():
        with pytest.raises(BrokenInput):
            list(read_sessions(path))
        return
    wanted = TOLD.get(name.split("/")[0], {name.split("/")[1].split("__")[0].replace("droid", "factory-droid")})
    assert detect_file(path) in wanted
    sessions = list(read_sessions(path))
    assert sessions
    assert all(session.report.balanced for session in sessions)
    assert all(session.events for session in sessions)


@pytest.mark.skipif(not SESSIONS, reason="the sessions are not at hand")
def test_every_real_session_is_read_and_its_books_balance() -> None:
    found = {path.name: detect_file(path) for path in SESSIONS}
    unread = set(found) - {path.name for path in SESSIONS if read_session(path).report.balanced}
    assert unread == set()
    assert set(found.values()) == {"claude-code", "codex", "pi"}


@pytest.mark.skipif(not SAMPLES, reason="the samples are not at hand")
def test_a_wrong_guess_is_overruled_and_a_wrong_order_is_told() -> None:
    chats = SHARED / "traces" / "tau_bench" / "gpt-4o-airline_tasks0-2_4trials.json"
    with pytest.raises(BrokenInput, match="several sessions in one file"):
        read_session(chats)
    with pytest.raises(BrokenInput, match="names no format"):
        list(read_sessions(chats, "tau"))
    with pytest.raises(BrokenInput):
        list(read_sessions(chats, "atif"))
    assert len(list(read_sessions(chats, "tau-bench"))) == 12


AIDER = b"# aider chat started at 2026-01-01 10:00:00\n\n#### "
HEADS = (b"", b"{", b"[", b"[{", b'{"type":"user",', b"PK\x03\x04", b"\xef\xbb\xbf{", AIDER)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(head=st.sampled_from(HEADS), body=st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(tmp_path: Path, head: bytes, body: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(head + body)
    for name in (None, *NAMES):
        with contextlib.suppress(BrokenInput):
            for session in read_sessions(path, name):
                assert session.report.balanced


@pytest.mark.skipif(not SAMPLES, reason="the samples are not at hand")
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_torn_and_spliced_samples_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    small = [path for path in SAMPLES if path.stat().st_size < 60_000]
    first, second = (data.draw(st.sampled_from(small)).read_bytes() for _ in range(2))
    cut, start = data.draw(st.integers(0, len(first))), data.draw(st.integers(0, len(second)))
    path = tmp_path_factory.mktemp("torn") / "torn"
    path.write_bytes(first[:cut] + second[start:])
    with contextlib.suppress(BrokenInput):
        for session in read_sessions(path):
            assert session.report.balanced
