"""The line to a decision server: where it is, with which key, through a client that is made at first use."""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bench.judges.contract import NotAvailable

if TYPE_CHECKING:
    import httpx2

    from bench.judges.http import Reply

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
INSTALL = "pip install 'lessonbench[models]'"


@dataclass(frozen=True)
class Place:
    """A server, and the name of the environment variable that holds its key. The key itself is never held."""

    base_url: str
    path: str
    key_env: str
    key_given: bool = False  # the suite names the variable: a loopback server gets that key too

    def key(self) -> str | None:
        """The key, None where none is needed. Raises NotAvailable that names the variable."""
        if self.is_loopback and not self.key_given:
            return None  # a vendor's key is no business of whatever listens on this machine
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            raise NotAvailable(f"no key: set the environment variable {self.key_env}")
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise NotAvailable(f"the environment variable {self.key_env} holds what is no key")
        return key

    @property
    def is_loopback(self) -> bool:
        return urlsplit(self.base_url).hostname in _LOOPBACK


def trouble_with(base_url: str) -> str | None:
    """Why this is no base URL, or None."""
    try:
        parts = urlsplit(base_url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        return "no URL"
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        return "no URL that begins with http:// or https:// and names a host"
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return "a URL with a user, a password, a query or a fragment"
    return None if base_url.isascii() and base_url.isprintable() else "a URL with characters that need escapes"


class Line:
    """A client, made at first use, once a process; a copy in another process makes its own."""

    def __init__(self, seconds: float, connections: int) -> None:
        self._made_from = (seconds, connections)
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._process = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Line, self._made_from

    def client(self) -> httpx2.Client:
        """Raises NotAvailable without the package."""
        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client, self._process = _new_client(*self._made_from), os.getpid()
                weakref.finalize(self, self._client.close)
            return self._client


def _new_client(seconds: float, connections: int) -> httpx2.Client:
    try:
        from bench.judges.http import client
    except ModuleNotFoundError as error:
        raise NotAvailable(f"the package {error.name} is not installed: {INSTALL}") from None
    return client(seconds, connections)


@dataclass(frozen=True)
class Wire:
    """A place and the line to it."""

    place: Place
    line: Line = field(compare=False, repr=False)

    def post(self, body: bytes) -> tuple[Reply, Callable[[str], str]]:
        """The reply, and what takes secrets out of its texts. Raises CallFailed and NotAvailable."""
        key = self.place.key()
        http = self.line.client()
        from bench.judges.http import post_json, scrubbed

        secrets = () if key is None else (key, json.dumps(key)[1:-1])  # as it is, and as JSON writes it
        headers = {"Authorization": f"Bearer {key or 'local'}"}
        reply = post_json(http, self.place.base_url + self.place.path, headers, body, secrets)
        return reply, lambda text: scrubbed(text, secrets)
