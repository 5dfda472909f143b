"""Read files of one commit of a public git repository, by plain git, into a throw-away bare copy.

Nothing that the repository holds is ever checked out or run: no hooks, no filters (LFS), no submodules; the user's and the
machine's git settings are not read, nobody is asked for a password, and only https, ssh and local files are spoken.
Needs git 2.32 or newer (GIT_CONFIG_GLOBAL); the protocol's version 2 lets a commit be asked for by its id.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.problems import BrokenInput, Problem, shorten

PROTOCOLS = "https:ssh:file"
_FETCH_SECONDS, _ASK_SECONDS = 3600.0, 300.0
_SCP = re.compile(r"[A-Za-z0-9][\w.-]*@[A-Za-z0-9][\w.-]*:(?!:)[^:]+")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_OWNER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9._-]*")
_SETTINGS = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("credential.helper", ""),
    ("protocol.version", "2"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "60"),
    ("fetch.negotiationAlgorithm", "noop"),
)


class NotThere(Exception):
    """A thing that cannot be had, and which: repository, commit, path or file."""

    def __init__(self, what: str, detail: str) -> None:
        super().__init__(detail)
        self.what = what
        self.detail = detail


@dataclass(frozen=True)
class CommitCopy:
    """The bare copy that holds one commit and its folders; files come one by one, when they are read."""

    folder: Path
    commit: str

    def write_file(self, path: str, target: IO[bytes]) -> None:
        """Write the bytes of the file at ``path`` to ``target``. Raises NotThere."""
        listed = _git(self.folder, ("ls-tree", "-z", "--full-tree", self.commit, "--", path), _ASK_SECONDS)
        if listed.returncode != 0 or not listed.stdout:
            raise NotThere("path", f"the commit {self.commit[:12]} holds no {shorten(path)}")
        mode, kind, blob = listed.stdout.split(b"\t", 1)[0].decode("ascii").split()
        if kind != "blob" or mode == "120000":
            raise NotThere("file", f"{shorten(path)} is a {_KINDS.get(mode, kind)}, not a file")
        done = _git(self.folder, ("cat-file", "blob", blob), _FETCH_SECONDS, target)
        if done.returncode != 0:
            raise NotThere("repository", f"the file's bytes did not come: {_said(done.stderr)}")


_KINDS = {"040000": "folder", "120000": "symbolic link", "160000": "submodule"}


def copy_commit(address: str, commit: str, folder: Path) -> CommitCopy:
    """Get one commit without its history and without file contents. Raises NotThere."""
    # An empty --template leaves no sample hooks and none that somebody put among the machine's templates.
    _must(_git(folder.parent, ("init", "--quiet", "--bare", "--template=", "--", str(folder)), _ASK_SECONDS))
    for name, value in (
        ("remote.origin.url", address),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
    ):
        _must(_git(folder, ("config", name, value), _ASK_SECONDS))
    wanted = ("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--filter=blob:none")
    done = _git(folder, (*wanted, "--", "origin", commit), _FETCH_SECONDS)
    if done.returncode == 0:
        return CommitCopy(folder, commit)
    there = _git(folder, ("ls-remote", "--quiet", "--", "origin", "HEAD"), _ASK_SECONDS)
    if there.returncode != 0:
        raise NotThere("repository", f"{shorten(address)} does not answer: {_said(there.stderr)}")
    raise NotThere("commit", f"{shorten(address)} has no commit {commit[:12]}: {_said(done.stderr)}")


def address_problem(address: str) -> str | None:
    """What is wrong with the address of a repository; None where git may be given it."""
    if address.startswith("-") or not address.isprintable():
        return "an address that starts with a dash or holds control characters"
    scheme, mark, rest = address.partition("://")
    if mark:
        known = scheme in ("https", "ssh", "file") and rest and not rest.startswith("-")
        return None if known else "an address that is neither https://, ssh:// nor file://"
    if "::" in address:
        return "an address of a transport helper"
    if _SCP.fullmatch(address) or Path(address).is_dir():
        return None
    return "neither an address nor a folder that is there"


def name_problems(repository: str, commit: str, path: str) -> list[tuple[str, str]]:
    """(field, what is wrong) for each part of a reference that git must not be given."""
    found = []
    if not _OWNER_NAME.fullmatch(repository) or ".." in repository:
        found.append(("repository", f"{shorten(repository)} is not OWNER/NAME"))
    if not _COMMIT.fullmatch(commit):
        found.append(("commit", f"{shorten(commit)} is no whole commit id"))
    steps = path.split("/")
    odd = path.startswith(("-", ":")) or "\\" in path or not path.isprintable()
    if odd or any(step in ("", ".", "..") or ".." in step for step in steps):
        found.append(("path", f"{shorten(path)} is no plain path inside a repository"))
    return found


def _git(
    folder: Path, words: Sequence[str], seconds: float, target: IO[bytes] | None = None
) -> subprocess.CompletedProcess[bytes]:
    settings = [word for name, value in _SETTINGS for word in ("-c", f"{name}={value}")]
    try:
        return subprocess.run(  # noqa: S603 - a fixed program; hostile words stand behind -- or were refused before
            ["git", *settings, *words],  # noqa: S607 - the user's git, wherever it is
            cwd=folder,
            env=_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=target if target is not None else subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError:
        fix = "install git 2.32 or newer, or give a folder that holds the sessions (--sessions)"
        raise BrokenInput([Problem("git", None, None, None, "git is not installed", fix)]) from None
    except subprocess.TimeoutExpired:
        raise NotThere("repository", f"no answer within {seconds:.0f} seconds") from None


def _environment(present: Mapping[str, str]) -> dict[str, str]:
    """The user's environment (PATH, proxies, certificates, the ssh agent) without any setting of git."""
    kept = {name: value for name, value in present.items() if not name.upper().startswith(("GIT_", "SSH_ASKPASS"))}
    return kept | {
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def _must(done: subprocess.CompletedProcess[bytes]) -> None:
    if done.returncode != 0:
        fix = "check that git 2.32 or newer works and that the folder can be written"
        raise BrokenInput([Problem("git", None, None, None, _said(done.stderr), fix)])


def _said(stderr: bytes) -> str:
    """git's last words, as they may stand in a message."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return shorten(lines[-1] if lines else "git gave no reason", 160)
