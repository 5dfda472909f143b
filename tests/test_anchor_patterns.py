"""Globs of trajectory anchors: one table that matches, one that does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bench.judges.patterns import PATH_ARGUMENTS, glob, matches, simple_commands
from bench.schema.case import Pattern
from bench.schema.event import Approval, Event

PATH_MATCHES = [
    ("apps/web/package.json", "apps/web/package.json"),
    ("package.json", "apps/web/package.json"),
    ("web/package.json", "/repo/apps/web/package.json"),
    ("/repo/a.ts", "/repo/a.ts"),
    ("src/*.ts", "src/a.ts"),
    ("src/*.ts", "/home/dev/repo/src/a.ts"),
    ("src/**", "src/a.ts"),
    ("src/**", "src/deep/er/a.ts"),
    ("src/**/a.ts", "src/a.ts"),
    ("src/**/a.ts", "src/deep/er/a.ts"),
    ("**/a.ts", "a.ts"),
    ("**/a.ts", "src/a.ts"),
    ("**", "anything/at/all"),
    ("src/**.ts", "src/deep/a.ts"),
    ("a?.ts", "ab.ts"),
    ("*", "a b.txt"),
    ("apps/web/**", r"C:\repo\apps\web\src\a.ts"),
    (r"apps\web\*.ts", "apps/web/a.ts"),
    ("C:/repo/a.ts", r"C:\repo\a.ts"),
    ("a[1].ts", "a[1].ts"),
    ("(group)/+page.ts", "src/routes/(group)/+page.ts"),
    ("größe.md", "docs/größe.md"),
]
PATH_MISSES = [
    ("package.json", "apps/web/package.json5"),
    ("package.json", "my-package.json"),
    ("web/package.json", "apps/api/package.json"),
    ("/repo/a.ts", "/home/repo/a.ts"),
    ("src/*.ts", "src/deep/a.ts"),
    ("src/*.ts", "src/a.tsx"),
    ("src/**", "src"),
    ("src/**", "mysrc/a.ts"),
    ("src/**/a.ts", "src/ba.ts"),
    ("**/a.ts", "src/ba.ts"),
    ("a?.ts", "a/.ts"),
    ("a?.ts", "a.ts"),
    ("a.ts", "abts"),
    ("a[1].ts", "a1.ts"),
    ("a.ts", "a.ts\n"),
    ("a.ts", "A.ts"),
    ("a.ts", ""),
]
TEXT_MATCHES = [
    ("npm install*", "npm install date-fns"),
    ("npm install*", "npm install @scope/name --save"),
    ("npm install*", "npm install"),
    ("npm ** --save", "npm install a/b --save"),
    ("rm -rf *", "rm -rf /tmp/a b"),
    ("rm -rf ?", "rm -rf /"),
    ("grep 'a.*b' x", "grep 'a.*b' x"),
    ("echo $(date) | x+", "echo $(date) | x+"),
    ("*", "two\nlines"),
    ("*", ""),
]
TEXT_MISSES = [
    ("npm install*", "pnpm install"),
    ("npm install *", "npm install"),
    ("npm install", "npm install x"),
    ("npm.install", "npm install"),
    ("install", "npm install"),
    ("[a-z]*", "npm"),
    ("NPM install", "npm install"),
]


@pytest.mark.parametrize(("pattern", "text"), PATH_MATCHES)
def test_a_path_that_matches(pattern: str, text: str) -> None:
    assert glob(pattern, text, path=True)


@pytest.mark.parametrize(("pattern", "text"), PATH_MISSES)
def test_a_path_that_does_not(pattern: str, text: str) -> None:
    assert not glob(pattern, text, path=True)


@pytest.mark.parametrize(("pattern", "text"), TEXT_MATCHES)
def test_a_command_that_matches(pattern: str, text: str) -> None:
    assert glob(pattern, text, path=False)


@pytest.mark.parametrize(("pattern", "text"), TEXT_MISSES)
def test_a_command_that_does_not(pattern: str, text: str) -> None:
    assert not glob(pattern, text, path=False)


ANY = st.characters(exclude_categories=("Cs",))
PLAIN = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="*?"), min_size=1, max_size=30)


@given(PLAIN, st.text(ANY, max_size=30))
def test_without_wildcards_a_pattern_matches_exactly_itself(pattern: str, other: str) -> None:
    assert glob(pattern, pattern, path=False)
    assert glob(pattern, other, path=False) == (other == pattern)
    assert not glob(pattern, f"{pattern}x", path=False) and not glob(pattern, f"x{pattern}", path=False)


@given(PLAIN, st.text(ANY, max_size=30))
def test_without_wildcards_a_path_matches_itself_from_any_folder(pattern: str, folder: str) -> None:
    assert glob(pattern, pattern, path=True)
    assert not glob(pattern, f"{pattern}x", path=True)
    if not pattern.startswith(("/", "\\")):
        assert glob(pattern, f"{folder}/{pattern}", path=True)
        assert not glob(pattern, f"{folder}x{pattern}", path=True)


@given(st.text(ANY, min_size=1, max_size=30))
def test_a_star_alone_matches_every_text(text: str) -> None:
    assert glob("*", text, path=False) and glob("**", text, path=True)


def test_a_pattern_of_many_stars_stays_fast() -> None:
    assert not glob("*a" * 200 + "b", "a" * 100_000, path=False)


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("cd web && npm install x", ["cd web", "npm install x"]),
        ("a; b || c | d", ["a", "b", "c", "d"]),
        ("a\nb", ["a", "b"]),
        ("a & b", ["a", "b"]),
        ("make 2>&1 | tail", ["make 2>&1", "tail"]),
        ("make &> log", ["make &> log"]),
        ("make", ["make"]),
    ],
)
def test_the_simple_commands_of_a_line(command: str, parts: list[str]) -> None:
    assert simple_commands(command) == parts


def command(text: str, **fields: Any) -> Event:
    return Event(kind="command", tool="Bash", command=text, **fields)


def edit(**args: Any) -> Event:
    return Event(kind="tool_call", tool="Edit", args=args, ok=True)


DENIED = Approval(decision="denied", source="person")


@pytest.mark.parametrize(
    ("pattern", "event"),
    [
        (Pattern(command="npm install*"), command("cd web && npm install x")),
        (Pattern(command="npm install*"), command("npm install x & wait")),
        (Pattern(command="cd web && npm*"), command("cd web && npm install x")),
        (Pattern(tool="Bash", command="ls"), command("ls")),
        (Pattern(tool="mcp__*"), Event(kind="tool_call", tool="mcp__git/hub__x")),
        (Pattern(output="1 passed"), command("pytest", output="== 1 passed in 0.1s ==\n")),
        (Pattern(output="2 failed*1 passed"), command("pytest", output="2 failed,\n1 passed")),
        (Pattern(ok=True), command("ls", ok=True)),
        (Pattern(ok=False), command("ls", ok=False)),
        (Pattern(args={"replace_all": "True"}), edit(replace_all=True)),
        (Pattern(args={"timeout": "5"}), edit(timeout=5)),
        (Pattern(args={"old_string": "a*b"}), edit(old_string="a/b")),
        *[(Pattern(args={"path": "src/**"}), edit(**{name: "/repo/src/a.ts"})) for name in PATH_ARGUMENTS],
    ],
)
def test_an_event_that_matches(pattern: Pattern, event: Event) -> None:
    assert matches(pattern, event)


@pytest.mark.parametrize(
    ("pattern", "event"),
    [
        (Pattern(command="npm install*"), command("pnpm install x")),
        (Pattern(command="npm install*"), command("npm install x", ok=False, approval=DENIED)),
        (Pattern(command="npm*"), edit(file_path="npm")),
        (Pattern(tool="Bash"), Event(kind="message", text="Bash")),
        (Pattern(tool="Bash", ok=True), command("ls")),
        (Pattern(ok=False), command("ls")),
        (Pattern(output="*"), command("ls")),
        (Pattern(args={"path": "src/*"}), edit(file_path="src/deep/a.ts")),
        (Pattern(args={"path": "src/*", "new_string": "x"}), edit(file_path="src/a.ts", new_string="y")),
        (Pattern(args={"file_path": "a.ts"}), edit(path="a.ts")),
        (Pattern(args={"edits": "*"}), edit(edits=[{"a": "b"}])),
        (Pattern(args={"path": "a.ts"}), command("cat a.ts")),
    ],
)
def test_an_event_that_does_not(pattern: Pattern, event: Event) -> None:
    assert not matches(pattern, event)


def test_an_empty_pattern_is_refused() -> None:
    with pytest.raises(ValidationError, match="at least one of tool"):
        Pattern()
