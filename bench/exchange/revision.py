"""Open one side of a comparison: a suite folder, a project folder, or a git revision of this repository (read only)."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NoReturn

from bench.cases.layout import Layout
from bench.problems import BrokenInput, Problem, shorten

_FOLDERS = ("cases", "labels")
RUNS = "reports/runs"


def names_version(word: str) -> bool:
    """Whether a word is a folder or a revision of the git repository here; none is one where git is not installed.

    ``rule:words`` is the name of a judge, also where there is a branch ``rule``.
    """
    within = word.partition(":")[2]
    try:
        return Path(word).is_dir() or ((not within or within.startswith("cases/")) and _commit_of(word) is not None)
    except BrokenInput:
        return False


def open_side(word: str, suite: str | None, work: Path, also: Sequence[str] = ()) -> Layout:
    """The suite that ``word`` names; a revision's files are written into ``work``. Raises BrokenInput.

    A word that is a folder is one; ``REV:`` is a revision even where a folder has its name, and ``REV:cases/NAME`` says
    which suite of it. Of a revision come cases, labels, and what is ``also`` wanted.
    """
    if Path(word).is_dir():
        return _suite_in(Path(word).resolve(), word, suite)
    within = word.partition(":")[2]
    commit = _commit_of(word)
    if commit is None:
        _refuse(word, "neither a folder nor a revision of the git repository here")
    _extract(word, commit, work, (*_FOLDERS, *also))
    if within and ".." not in PurePosixPath(within).parts and (work / within / "suite.yaml").is_file():
        return Layout(work / within)
    if within:
        _refuse(word, f"the revision has no {shorten(within)}/suite.yaml")
    return _suite_in(work, word, suite)


def _commit_of(word: str) -> str | None:
    revision = word.partition(":")[0]
    if not revision or revision.startswith("-"):
        return None
    found = _git(("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"))
    return found.stdout.decode("ascii").strip() if found.returncode == 0 else None


def _suite_in(folder: Path, word: str, suite: str | None) -> Layout:
    if (folder / "suite.yaml").is_file():
        return Layout(folder)
    found = [path.parent for path in sorted(folder.glob("cases/*/suite.yaml")) if suite in (None, path.parent.name)]
    if len(found) != 1:
        names = ", ".join(path.name for path in found)
        _refuse(word, f"several suites: {names}" if found else f"no suite {suite or ''}".rstrip())
    return Layout(found[0])


def _extract(word: str, commit: str, work: Path, wanted: Sequence[str]) -> None:
    """Write the wanted folders of a commit. Links and whatever else is no plain file are left out."""
    listed = _git(("ls-tree", "--name-only", commit, "--", *wanted)).stdout.decode("utf-8", "replace").split()
    folders = [name for name in wanted if name in listed]
    if "cases" not in folders:
        _refuse(word, "the revision has no cases/ here (run it in the folder that holds cases/)")
    packed = work.with_name(f"{work.name}.tar")
    # Bytes as they are stored: digests of sessions beside their cases depend on line ends.
    command = ("-c", "core.autocrlf=false", "archive", "--format=tar", f"--output={packed}", commit, "--", *folders)
    done = _git(command)
    if done.returncode != 0:
        _refuse(word, f"git archive: {shorten(done.stderr.decode('utf-8', 'replace').strip(), 160)}")
    with tarfile.open(packed) as archive:
        for member in archive:
            data = archive.extractfile(member) if member.isfile() else None
            target = work / member.name
            if data is not None and target.resolve().is_relative_to(work.resolve()):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data.read())
    packed.unlink()


def _git(words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run(["git", *words], env=environment, capture_output=True, check=False)  # noqa: S603, S607
    except FileNotFoundError:
        fix = "install git, or give two folders"
        raise BrokenInput([Problem("git", None, None, None, "git is not installed", fix)]) from None


def _refuse(word: str, found: str) -> NoReturn:
    fix = "give a folder that holds suite.yaml or cases/, or a git revision such as v0.1: (--suite NAME picks one of several)"
    raise BrokenInput([Problem(word, None, None, None, found, fix)])
