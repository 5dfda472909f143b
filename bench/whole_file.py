"""Write a file so that a crash leaves the old one or the new one, never half."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Replace the file's text in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")  # of this writer alone
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)
