"""Where things lie: a suite, its labels and its runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bench.problems import BrokenInput, Problem


@dataclass(frozen=True)
class Layout:
    """The folders that belong to one suite; ``root`` is the project that holds cases/, labels/ and reports/."""

    suite: Path

    @property
    def root(self) -> Path:
        return self.suite.parent.parent

    @property
    def labels(self) -> Path:
        return self.root / "labels" / self.suite.name

    @property
    def runs(self) -> Path:
        return self.root / "reports" / "runs" / self.suite.name

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    def shown(self, path: Path) -> str:
        """A path as messages show it: relative to the project, with forward slashes."""
        try:
            return path.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return path.as_posix()


def find_suite(name: str | None) -> Layout:
    """The suite of that name under ./cases, or at that path; the only one under ./cases where no name is given."""
    if name is not None:
        for candidate in (Path(name), Path("cases") / name):
            if (candidate / "suite.yaml").is_file():
                return Layout(candidate.resolve())
        raise _no_suite(f"no suite.yaml in {name} or in cases/{name}")
    found = sorted(Path("cases").glob("*/suite.yaml"))
    if len(found) == 1:
        return Layout(found[0].parent.resolve())
    names = ", ".join(path.parent.name for path in found)
    raise _no_suite(f"several suites here: {names}" if found else "no suite under ./cases")


def _no_suite(found: str) -> BrokenInput:
    fix = "name a suite (--suite path/to/cases/NAME), go to the folder that holds cases/, or start one: bench init NAME"
    return BrokenInput([Problem(os.curdir, None, None, None, found, fix)])
