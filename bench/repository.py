"""Where a file stands in its repository: code hosts name files from the repository's top, not from where a command ran."""

from __future__ import annotations

import os
from pathlib import Path


def repository_top(folder: Path) -> Path:
    """The nearest folder above that is a git checkout, else the CI job's workspace, else the folder itself."""
    here = folder.resolve()
    for candidate in (here, *here.parents):
        if (candidate / ".git").exists():
            return candidate
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if workspace and here.is_relative_to(Path(workspace).resolve()):
        return Path(workspace).resolve()
    return here


def in_repository(file: str, base: Path) -> str:
    """A file, written from ``base``, as the code host writes it; unchanged where it is outside of the repository."""
    whole = Path(os.path.normpath(base.resolve() / file))
    top = repository_top(base)
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else file
