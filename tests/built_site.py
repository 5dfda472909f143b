"""The site as `make docs` builds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def build_site(target: Path) -> Path:
    """The folder of pages. Every warning is an error. It takes about six seconds."""
    words = [
        "-W",
        "--keep-going",
        "-q",
        "-c",
        "docs",
        "-b",
        "html",
        "-d",
        str(target / "trees"),
        ".",
        str(target / "html"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target / "html"
