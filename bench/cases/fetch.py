"""Get the recorded sessions that cases refer to, and check that they are the bytes that were meant.

A reference names the digest of the text that was read, voted on and judged (``sha256``). Where personal data was replaced
in it, the published text has another digest (``sha256_upstream``), and the judged text cannot be made from it: such a
text is kept apart, and only where it is asked for.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from bench.cases.git_source import CommitCopy, NotThere, address_problem, copy_commit, name_problems
from bench.cases.load import LoadedSuite
from bench.cases.sources import SessionFolders, file_digest
from bench.problems import BrokenInput, Problem
from bench.schema.case import SessionReference

PUBLIC_HOST = "https://github.com"
UPSTREAM = "upstream"  # the folder apart
_LFS = b"version https://git-lfs.github.com/spec/"
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")

Outcome = Literal["present", "stored", "present_upstream", "stored_upstream", "missing"]
Why = Literal["repository", "commit", "path", "file", "digest", "replaced"]


@dataclass(frozen=True)
class Wanted:
    """One session that one or more attempts refer to."""

    reference: SessionReference
    attempts: tuple[str, ...]  # CASE/ATTEMPT

    def __str__(self) -> str:
        first = self.attempts[0]
        return first if len(self.attempts) == 1 else f"{first} and {len(self.attempts) - 1} more"


@dataclass(frozen=True)
class Got:
    """What became of one wanted session."""

    wanted: Wanted
    outcome: Outcome
    why: Why | None = None
    detail: str = ""
    path: Path | None = None


def wanted_sessions(suite: LoadedSuite) -> list[Wanted]:
    """The sessions that the suite's cases refer to, each once. Raises BrokenInput for names that git must not be given."""
    attempts: dict[SessionReference, list[str]] = {}
    problems = []
    for loaded, attempt in suite.attempts():
        reference = attempt.events_from.reference if attempt.events_from else None
        if reference is None:
            continue
        attempts.setdefault(reference, []).append(f"{loaded.case.id}/{attempt.id}")
        for name, found in name_problems(reference.repository, reference.commit, reference.path):
            place = ("attempts", loaded.case.attempts.index(attempt), "events_from", "reference", name)
            field = ".".join(map(str, place))
            problems.append(
                loaded.problem(
                    place, field, found, "write it as the repository has it: OWNER/NAME, 40 hex digits, a/b/c"
                )
            )
    if problems:
        raise BrokenInput(problems)
    return [Wanted(reference, tuple(names)) for reference, names in attempts.items()]


def read_mirrors(given: Sequence[str], wanted: Iterable[Wanted]) -> dict[str, str]:
    """REPO=ADDRESS words as a map. Raises BrokenInput."""
    known = {one.reference.repository for one in wanted}
    mirrors: dict[str, str] = {}
    problems = []
    for word in given:
        repository, _, address = word.partition("=")
        found = address_problem(address) if address else "no REPO=ADDRESS"
        if found is None and repository not in known:
            found = f"no case refers to {repository}; cases refer to {', '.join(sorted(known)) or 'nothing'}"
        if found is None and repository in mirrors:
            found = f"{repository} for the second time"
        if found is not None:
            fix = "give OWNER/NAME=https://..., ssh://..., file://... or a folder"
            problems.append(Problem("--mirror", None, None, word, found, fix))
        mirrors[repository] = os.fspath(Path(address).resolve()) if address and Path(address).is_dir() else address
    if problems:
        raise BrokenInput(problems)
    return mirrors


def fetch_sessions(
    wanted: Sequence[Wanted],
    into: Path,
    at_hand: SessionFolders,
    mirrors: Mapping[str, str],
    *,
    accept_upstream: bool,
    say: Callable[[str], None],
) -> list[Got]:
    """Get what is not at hand into the folder ``into``, and say what became of each session, in the order given."""
    got: dict[Wanted, Got] = {}
    commits: dict[tuple[str, str], list[Wanted]] = {}
    for one in wanted:
        known = _without_asking(one, at_hand, accept_upstream)
        if known is None:
            commits.setdefault((one.reference.repository, one.reference.commit), []).append(one)
        else:
            got[one] = known
    total = sum(map(len, commits.values()))
    for (repository, commit), mine in commits.items():
        say(f"{repository}: getting commit {commit[:12]} (its folders, no file)")
        address = mirrors.get(repository, f"{PUBLIC_HOST}/{repository}")
        into.mkdir(parents=True, exist_ok=True)
        for result in _from_commit(mine, address, commit, into, accept_upstream):
            got[result.wanted] = result
            done = sum(one in got for many in commits.values() for one in many)
            say(f"[{done}/{total}] {result.wanted}: {result.outcome.replace('_', ', ')}")
    return [got[one] for one in wanted]


def _without_asking(one: Wanted, at_hand: SessionFolders, accept_upstream: bool) -> Got | None:
    if (path := at_hand.find(one.reference.sha256)) is not None:
        return Got(one, "present", path=path)
    upstream = one.reference.sha256_upstream
    if upstream is None:
        return None
    if not accept_upstream:
        return Got(one, "missing", "replaced", "the published text is not the one that was read and judged")
    path = at_hand.find(upstream)
    return None if path is None else Got(one, "present_upstream", path=path)


def _from_commit(mine: Sequence[Wanted], address: str, commit: str, into: Path, accept_upstream: bool) -> Iterator[Got]:
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=into, ignore_cleanup_errors=True) as work:
        try:
            copy = copy_commit(address, commit, Path(work) / "copy.git")
        except NotThere as lack:
            yield from (_missing(one, lack) for one in mine)
            return
        for one in mine:
            try:
                yield _stored(one, copy, Path(work) / "session", into, accept_upstream)
            except NotThere as lack:
                yield _missing(one, lack)


def _missing(one: Wanted, lack: NotThere) -> Got:
    why: dict[str, Why] = {"repository": "repository", "commit": "commit", "path": "path", "file": "file"}
    return Got(one, "missing", why[lack.what], lack.detail)


def _stored(one: Wanted, copy: CommitCopy, draft: Path, into: Path, accept_upstream: bool) -> Got:
    with draft.open("wb") as file:
        copy.write_file(one.reference.path, file)
    found = file_digest(draft)
    outcome: Outcome
    if found == one.reference.sha256:
        outcome, folder = "stored", into
    elif accept_upstream and found == one.reference.sha256_upstream:
        outcome, folder = "stored_upstream", into / UPSTREAM
    else:
        wanted = one.reference.sha256_upstream or one.reference.sha256
        with draft.open("rb") as file:
            pointer = ", a pointer of git LFS" if file.read(len(_LFS)) == _LFS else ""
        detail = f"the file has SHA-256 {found[:12]}...{pointer}, wanted is {wanted[:12]}..."
        return Got(one, "missing", "digest", detail)
    suffix = PurePosixPath(one.reference.path).suffix
    folder.mkdir(exist_ok=True)
    target = folder / f"{found}{suffix if _SUFFIX.fullmatch(suffix) else ''}"
    draft.replace(target)
    return Got(one, outcome, path=target)
