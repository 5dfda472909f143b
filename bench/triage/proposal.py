"""What an imported session proposes for its case: world state, and anchors from what it did where it ended well.

Proposals, not findings: one session shows one way to succeed, and its author must say which steps every success needs. No
verdict and no label enters, whatever judge the case is imported for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bench.judges.anchors import check
from bench.judges.exact import is_check, outcome
from bench.judges.patterns import PATH_ARGUMENTS, simple_commands
from bench.reading.quote import quoted
from bench.schema.case import Anchors, Pattern
from bench.schema.event import Event

MARK = "proposed from this session: check, change or delete"
_MOST_FILES, _MOST_CHECKS = 8, 3
_WORDS = 4  # of a command
_FOLDERS = 2  # of a path, its name included: a pattern may start at any folder
_FEWEST_FOLDERS = 3  # a common folder nearer to the root is somebody's home or workspace
_CHANGES = (
    "content",
    "contents",
    "file_text",
    "new_string",
    "new_str",
    "newString",
    "new_source",
    "edits",
    "insert_text",
)
_PACKAGE_MANAGERS = frozenset(
    {"npm", "pnpm", "yarn", "bun", "uv", "pip", "pip3", "poetry", "pdm", "pipenv", "conda", "cargo", "go", "mvn", "gradle",
     "bundle", "composer", "dotnet", "mix", "swift", "flutter", "cabal", "stack", "opam"}
)  # fmt: skip
_LANGUAGES = {
    "py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript", "jsx": "javascript", "go": "go",
    "rs": "rust", "java": "java", "kt": "kotlin", "rb": "ruby", "php": "php", "cs": "csharp", "c": "c", "h": "c", "cpp": "cpp",
    "cc": "cpp", "hpp": "cpp", "swift": "swift", "ex": "elixir", "exs": "elixir", "hs": "haskell", "scala": "scala",
    "dart": "dart", "lua": "lua", "r": "r", "jl": "julia", "sql": "sql", "sh": "shell", "tf": "terraform",
}  # fmt: skip
_ASSIGNMENTS = re.compile(r"^(?:\w+=\S*\s+)+")
_OPEN_ENDED = re.compile(r"[/\\>|$'\"`=*?(){}\[\]]")
_ABSOLUTE = re.compile(r"^(?:/|~|[A-Za-z]:/)")
# A harness's own files in a home, and what is thrown away.
_ELSEWHERE = re.compile(
    r"^(?:~|/root|(?:[A-Za-z]:)?/(?:home|Users)/[^/]+)/(?:\.|AppData/)|^(?:/private)?/(?:tmp|var/folders)/|^/dev/"
)


@dataclass(frozen=True)
class Proposal:
    """``anchors`` are None where the record shows no check that passed at the end; ``why`` says so."""

    reference_time: str | None
    facts: dict[str, str]
    anchors: Anchors | None
    why: str | None

    def lines(self) -> list[str]:
        """The YAML of the case's two parts, each marked as a proposal."""
        return [*self._anchor_lines(), *self._world_lines()]

    def note_lines(self) -> list[str]:
        """What the note tells the author to check, as comments."""
        parts = ["world_state"] if self.reference_time or self.facts else []
        parts += ["trajectory_anchors"] if self.anchors else []
        told = [f"# proposed by bench import, to be checked by a person: {', '.join(parts) or 'nothing'}"]
        told += [] if self.why is None else [f"# no anchors are proposed: {self.why}"]
        return [*told, "# still to fill in: capability, difficulty, language and tags of the case's metadata"]

    def _anchor_lines(self) -> Iterator[str]:
        if self.anchors is None:
            yield f"# trajectory_anchors: none proposed ({self.why})"
            return
        yield f"trajectory_anchors:   # {MARK}"
        yield "  expect:"
        for pattern in self.anchors.expect:
            yield f"    - {quoted(pattern.model_dump(mode='json', exclude_none=True))}"

    def _world_lines(self) -> Iterator[str]:
        if not (self.reference_time or self.facts):
            yield "# world_state: none proposed (the record has no times, and shows neither language nor package manager)"
            return
        yield f"world_state:   # {MARK}"
        if self.reference_time:
            yield f"  reference_time: {quoted(self.reference_time)}"
        if self.facts:
            yield f"  facts: {quoted(self.facts)}"


def propose(events: Sequence[Event]) -> Proposal:
    """From events without secrets and personal data: nothing is taken from anywhere else."""
    times = [event.ts for event in events if event.ts is not None]
    anchors, why = _anchors(events)
    return Proposal(times[-1] if times else None, _facts(events), anchors, why)


def _facts(events: Sequence[Event]) -> dict[str, str]:
    """What the session shows by use; a tie shows nothing."""
    managers = Counter(
        word
        for event in events
        if event.kind == "command" and not _denied(event)
        for part in simple_commands(event.command or "")
        if (word := _ASSIGNMENTS.sub("", part).partition(" ")[0]) in _PACKAGE_MANAGERS
    )
    endings = (PurePosixPath(path).suffix[1:].lower() for _, _, path in _changed(events))
    languages = Counter(_LANGUAGES[ending] for ending in endings if ending in _LANGUAGES)
    found = {"language": _most(languages), "package_manager": _most(managers)}
    return {name: value for name, value in found.items() if value is not None}


def _most(counted: Counter[str]) -> str | None:
    first = counted.most_common(2)
    return None if not first or (len(first) > 1 and first[0][1] == first[1][1]) else first[0][0]


def _anchors(events: Sequence[Event]) -> tuple[Anchors | None, str | None]:
    """Files that were changed and checks that passed, of a session whose last check passed; each matches the session."""
    checks = [(e, outcome(e)) for e in events if e.kind == "command" and is_check(e.command or "")]
    known = [(event, ended) for event, ended in checks if ended is not None]
    if not known:
        return None, "the record shows no test, build or linter with an outcome"
    if not known[-1][1]:
        return None, "the last check failed"
    held: tuple[Pattern, ...] = ()
    for patterns, most in ((_files(events), _MOST_FILES), (_passed(known), _MOST_CHECKS)):
        least = len(held)
        for pattern in patterns:  # each wants an event of its own, so that one may hold alone and not beside the others
            if len(held) - least < most and _holds(Anchors(expect=(*held, pattern)), events):
                held = (*held, pattern)
    if not held:
        return None, "what it changed and checked cannot be written as patterns"
    return Anchors(expect=held), None


def _holds(anchors: Anchors, events: Sequence[Event]) -> bool:
    return check(anchors, events, range(1, len(events) + 1)).answer == "yes"


def _files(events: Sequence[Event]) -> Iterator[Pattern]:
    changed = [*_changed(events)]
    root = _common_folder([path for _, _, path in changed if _ABSOLUTE.match(path)])
    seen = set()
    for tool, ok, path in changed:
        name = _within(path, root)
        if ok is not False and name and name not in seen:
            seen.add(name)
            yield Pattern(tool=tool, args={"path": name})


def _changed(events: Sequence[Event]) -> Iterator[tuple[str, bool | None, str]]:
    """(tool, outcome, path with slashes) of every call that writes a file of the project, as far as the path tells."""
    for event in events:
        args = event.args or {}
        if event.tool is None or _denied(event) or not any(name in args for name in _CHANGES):
            continue
        path = next((value for name in PATH_ARGUMENTS if isinstance(value := args.get(name), str) and value), None)
        if path is not None and not _ELSEWHERE.match(path := path.replace("\\", "/")):
            yield event.tool, event.ok, path


def _denied(event: Event) -> bool:
    return event.approval is not None and event.approval.decision == "denied"


def _common_folder(paths: Sequence[str]) -> tuple[str, ...]:
    """The folders that all these paths share; none where they are too few to be those of a project."""
    folders = [PurePosixPath(path).parts[:-1] for path in paths]
    shared: list[str] = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return tuple(shared) if len(shared) > _FEWEST_FOLDERS else ()


def _within(path: str, root: tuple[str, ...]) -> str:
    """The path below the common folder, else the bare name: names of homes, workspaces and repositories stay out."""
    parts = PurePosixPath(path).parts
    if _ABSOLUTE.match(path):
        parts = parts[len(root) :] if root and parts[: len(root)] == root else parts[-1:]
    elif ".." in parts:
        parts = parts[-1:]
    return "/".join(parts[-_FOLDERS:])


def _passed(known: Sequence[tuple[Event, bool | None]]) -> Iterator[Pattern]:
    """Each check by its first words, in the order of their last runs, where that one passed."""
    last: dict[str, bool | None] = {}
    for event, ended in known:
        for part in simple_commands(event.command or ""):
            if is_check(part) and (words := _first_words(part)):
                last.pop(words, None)
                last[words] = ended
    told: list[str] = []
    for words, ended in reversed(last.items()):
        bare = words.rstrip("*")
        if ended and not any(bare.startswith(one) or one.startswith(bare) for one in told):
            told.append(bare)
            yield Pattern(command=words, ok=True)


def _first_words(command: str) -> str:
    """Up to four words, ended before one with a path, a quote or a variable: what another session would type too."""
    bare = _ASSIGNMENTS.sub("", command.strip())
    given = bare.split()
    kept: list[str] = []
    for word in given[:_WORDS]:
        if _OPEN_ENDED.search(word):
            break
        kept.append(word)
    if not kept:
        return ""
    front = "*" if bare != command.strip() else ""
    return f"{front}{' '.join(kept)}{'*' if len(kept) < len(given) else ''}"
