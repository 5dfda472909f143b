"""`bench fetch` against a local git repository laid out like the public archives."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from printed import flat
from running_suites import Tree, case_tree, suite_tree, write

from bench.cases.git_source import address_problem, copy_commit, name_problems
from bench.cases.layout import Layout
from bench.cli import main

REPOSITORY = "some-org/sessions"
PATH = "44/bae9eebc2e/0/full.jsonl"
OTHER = "4f/0011223344/1/full.jsonl"
SESSION = b'{"type":"user","message":{"content":"Mend the lamp of R\xc3\xb6schen."}}\n'
NOWHERE = "0" * 40


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Archive:
    """A repository whose sessions stand on a branch of their own; the commit that is asked for is no branch's tip."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "--quiet")
        git(folder, "checkout", "--quiet", "--orphan", "entire/checkpoints/v1")
        self._write(PATH, SESSION)
        self._write(OTHER, b"another session\n")
        self._write("big/full.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
        (folder / "link.jsonl").symlink_to(PATH)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", "one")
        self.commit = git(folder, "rev-parse", "HEAD")
        self._write(PATH, b"a later text\n")
        git(folder, "commit", "--quiet", "--all", "--message", "two")

    def _write(self, path: str, data: bytes) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(data)


@pytest.fixture(name="archive")
def _archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


def reference(archive: Archive, **changes: str) -> Tree:
    plain = {"repository": REPOSITORY, "commit": archive.commit, "path": PATH, "format": "claude-code"}
    return {**plain, "sha256": sha256(SESSION), **changes}


def suite_of(root: Path, *references: Tree) -> Layout:
    cases = []
    for number, one in enumerate(references, 1):
        attempt = {"id": "a1", "harness": "desk", "events_from": {"reference": one}}
        cases.append(case_tree(f"S{number:03d}") | {"attempts": [attempt]})
    return write(root / "project", suite_tree([{"judge": "always-yes", "answers": ["polite"]}]), cases)


def fetch(layout: Layout, archive: Archive, *words: str) -> int:
    return main(["fetch", "--suite", str(layout.suite), "--mirror", f"{REPOSITORY}={archive.folder}", *words])


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_session_with_the_digest_is_stored_as_it_is_and_found_by_its_suite(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_of(tmp_path, reference(archive))
    assert fetch(layout, archive) == 0
    assert files(layout.root / ".sessions") == {f"{sha256(SESSION)}.jsonl": SESSION}
    captured = capsys.readouterr()
    assert "1 session wanted: 1 stored, 0 there already, 0 missing" in captured.out
    assert "[1/1] S001/a1: stored" in captured.err
    assert main(["show", "S001", "--suite", str(layout.suite)]) == 0
    assert "Mend the lamp" in capsys.readouterr().out


def test_a_repository_that_filters_sends_only_the_file(tmp_path: Path, archive: Archive) -> None:
    git(archive.folder, "config", "uploadpack.allowFilter", "true")  # as public hosts do
    commit = copy_commit(archive.folder.as_uri(), archive.commit, tmp_path / "copy.git")
    listed = git(commit.folder, "rev-list", "--objects", "--missing=print", archive.commit)
    assert listed.count("\n?") == 4, "folders came, the four files did not"
    with (tmp_path / "file").open("wb") as file:
        commit.write_file(PATH, file)
    assert (tmp_path / "file").read_bytes() == SESSION
    assert git(commit.folder, "rev-list", "--objects", "--missing=print", archive.commit).count("\n?") == 3
    layout = suite_of(tmp_path, reference(archive))
    assert fetch(layout, archive) == 0


def test_what_is_there_is_not_fetched_again(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_of(tmp_path, reference(archive))
    elsewhere = tmp_path / "elsewhere"
    assert fetch(layout, archive, "--into", str(elsewhere)) == 0
    archive.folder.rename(tmp_path / "moved")
    (tmp_path / "archive").mkdir()  # no repository any more
    capsys.readouterr()
    assert fetch(layout, archive, "--into", str(elsewhere)) == 0
    captured = capsys.readouterr()
    assert "1 there already, 0 missing" in captured.out and captured.err == ""
    assert fetch(layout, archive, "--sessions", str(elsewhere)) == 0
    assert not (layout.root / ".sessions").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"commit": NOWHERE}, ["the repository does not have the commit", "no commit 000000000000"]),
        ({"path": "44/none/full.jsonl"}, ["the commit does not have the path", "holds no 44/none/full.jsonl"]),
        ({"path": "44"}, ["the path is no file", "44 is a folder, not a file"]),
        ({"path": "link.jsonl"}, ["the path is no file", "link.jsonl is a symbolic link, not a file"]),
        ({"path": OTHER}, ["not the one that was meant", f"SHA-256 {sha256(b'another session' + bytes([10]))[:12]}"]),
        ({"path": "big/full.jsonl"}, ["not the one that was meant", "a pointer of git LFS"]),
    ],
)
def test_what_cannot_be_had_is_listed_with_its_reason(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str], changes: dict[str, str], told: list[str]
) -> None:
    layout = suite_of(tmp_path, reference(archive, **changes), reference(archive))
    assert fetch(layout, archive) == 2
    out = capsys.readouterr().out
    for words in (*told, "S001/a1", "1 stored, 0 there already, 1 missing"):
        assert words in out
    assert list(files(layout.root / ".sessions")) == [f"{sha256(SESSION)}.jsonl"]


def test_a_repository_that_is_gone_is_said(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_of(tmp_path, reference(archive))
    gone = (tmp_path / "gone.git").as_uri()
    assert main(["fetch", "--suite", str(layout.suite), "--mirror", f"{REPOSITORY}={gone}"]) == 2
    assert "the repository is gone or does not answer" in capsys.readouterr().out


def test_a_published_text_that_differs_is_stored_only_when_accepted_and_apart(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = sha256(b"the copy with replaced names")
    layout = suite_of(tmp_path, reference(archive, sha256=judged, sha256_upstream=sha256(SESSION)))
    assert fetch(layout, archive) == 2
    assert "--accept-upstream stores the published text" in capsys.readouterr().out
    assert not (layout.root / ".sessions").exists()
    for new, old in ((1, 0), (0, 0)):
        assert fetch(layout, archive, "--accept-upstream") == 0
        out = capsys.readouterr().out
        assert "They are NOT the texts that were read, voted on and judged" in out
        assert "The suite's labels carry over only as far as the replaced names do not matter." in flat(out)
        assert f"1 as published ({new} of them new), {old} missing" in flat(out)
    assert files(layout.root / ".sessions") == {f"upstream/{sha256(SESSION)}.jsonl": SESSION}
    assert main(["show", "S001", "--suite", str(layout.suite)]) == 3, (
        "the published text does not pass for the judged one"
    )


def test_one_case_of_several(tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    layout = suite_of(tmp_path, reference(archive), reference(archive, commit=NOWHERE))
    assert fetch(layout, archive, "--case", "S001") == 0
    assert fetch(layout, archive, "--case", "S999") == 3
    assert "no case S999" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("repository", "--upload-pack=touch x/y"),
        ("repository", "some-org/.."),
        ("repository", "../../etc"),
        ("repository", "some-org/sessions/../x"),
        ("commit", "--output=x"),
        ("commit", "HEAD"),
        ("commit", "394f81f"),
        ("path", "--output=x"),
        ("path", "../../etc/passwd"),
        ("path", "a/../../b"),
        ("path", "/etc/passwd"),
        ("path", "a//b"),
        ("path", ":(glob)**"),
        ("path", "a\\..\\b"),
        ("path", "a\nb"),
    ],
)
def test_hostile_names_never_reach_git(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str], field: str, value: str
) -> None:
    layout = suite_of(tmp_path, reference(archive, **{field: value}), reference(archive))
    before = files(tmp_path)
    assert fetch(layout, archive) == 3
    told = capsys.readouterr().err
    assert "case S001" in told and f"events_from.reference.{field}" in told and "to mend:" in told
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    "word",
    [
        "other-org/sessions=https://example.org/x",
        f"{REPOSITORY}",
        f"{REPOSITORY}=",
        f"{REPOSITORY}=--upload-pack=x",
        f"{REPOSITORY}=ext::sh -c date",
        f"{REPOSITORY}=http://example.org/x",
        f"{REPOSITORY}=git://example.org/x",
        f"{REPOSITORY}=ssh://-oProxyCommand=x/y",
        f"{REPOSITORY}=no/such/folder",
    ],
)
def test_a_mirror_is_an_address_of_a_known_repository(
    tmp_path: Path, archive: Archive, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    layout = suite_of(tmp_path, reference(archive))
    assert main(["fetch", "--suite", str(layout.suite), "--mirror", word]) == 3
    assert "--mirror" in capsys.readouterr().err


def test_addresses_and_names_that_pass() -> None:
    assert [
        address_problem(a) for a in ("https://example.org/x", "ssh://git@example.org/x", "git@example.org:x/y")
    ] == [
        None,
        None,
        None,
    ]
    assert name_problems("entireio/cli", "3" * 40, "54/bb2ec87cc8/0/full.jsonl") == []


def test_nothing_outside_the_target_is_written_and_no_hook_or_setting_of_the_user_is_used(
    tmp_path: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks, home = tmp_path / "template" / "hooks", tmp_path / "home"
    hooks.mkdir(parents=True)
    home.mkdir()
    marker = tmp_path / "a hook ran"
    for hook in ("reference-transaction", "post-checkout", "post-index-change"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
        (hooks / hook).chmod(0o755)
    lines = f'[core]\nhooksPath={hooks}\n[url "{tmp_path}/nowhere"]\ninsteadOf={archive.folder}\n'
    (home / ".gitconfig").write_text(lines, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(hooks.parent))
    monkeypatch.setenv("GIT_DIR", str(archive.folder / ".git"))
    monkeypatch.setenv("TMPDIR", str(home))
    layout = suite_of(tmp_path, reference(archive), reference(archive, path=OTHER))
    before = files(tmp_path)
    target = tmp_path / "deep" / "target"
    assert fetch(layout, archive, "--into", str(target)) == 2
    after = files(tmp_path)
    assert not marker.exists()
    assert {name: data for name, data in after.items() if not name.startswith("deep/target/")} == before
    assert list(files(target)) == [f"{sha256(SESSION)}.jsonl"], "no working folder is left"
    assert len(list(target.iterdir())) == 1


def test_git_that_is_not_installed_is_said(
    tmp_path: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_of(tmp_path, reference(archive))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fetch(layout, archive) == 3
    assert "git is not installed" in capsys.readouterr().err
