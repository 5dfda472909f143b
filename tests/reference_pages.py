"""Writes docs/reference: ``python tests/reference_pages.py`` (run by ``make docs``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reference_commands import commands, exit_codes
from reference_formats import formats
from reference_judges import judges, reasons, sessions
from reference_metrics import measures
from reference_text import MADE

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
PAGES: dict[str, Callable[[], str]] = {
    "commands": commands,
    "exit-codes": exit_codes,
    "file-formats": formats,
    "metrics": measures,
    "judges": judges,
    "reasons": reasons,
    "session-formats": sessions,
}


def pages() -> dict[str, str]:
    """The text of every page, by file name."""
    texts = {f"{name}.md": made() for name, made in PAGES.items()}
    links = "\n".join(f"* [{text.partition(chr(10))[0].removeprefix('# ')}]({name})" for name, text in texts.items())
    return {"README.md": f"# Reference\n\n{MADE}\n\n{links}\n", **texts}


def main() -> None:
    """Write every page, and remove what is none any more."""
    texts = pages()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
