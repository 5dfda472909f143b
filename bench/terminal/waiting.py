"""A sign of life on stderr while something takes over a second and nobody can say how long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AFTER, EVERY = 1.0, 0.2  # seconds


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show ``what`` and the seconds it has taken, only on a terminal; the line is gone before anything else is printed."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    shower = threading.Thread(target=_show, args=(what, over), daemon=True)
    shower.start()
    try:
        yield
    finally:
        over.set()
        shower.join()


def _show(what: str, over: threading.Event) -> None:
    start = time.monotonic()
    if over.wait(AFTER):
        return
    while not over.wait(EVERY):
        sys.stderr.write(f"\r{what} ... {time.monotonic() - start:.0f} s ")
        sys.stderr.flush()
    sys.stderr.write(f"\r{' ' * (len(what) + 14)}\r")
    sys.stderr.flush()
