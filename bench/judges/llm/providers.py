"""Connections to providers: one HTTP client each in a process, without retries of its own; failures as outcomes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from bench.judges.contract import CallFailed, NotAvailable
from bench.judges.http import client, post_json
from bench.judges.llm.embedded import serve
from bench.judges.llm.settings import Settings

_TOO_LONG = ("context_length", "context size", "context length", "context window", "prompt is too long")
_PATHS = {"openai": "/chat/completions", "anthropic": "/v1/messages"}
_ANTHROPIC_VERSION = "2023-06-01"


@dataclass(frozen=True)
class Connection:
    """Where a provider is asked, and what must never be told."""

    http: httpx2.Client
    url: str
    headers: Mapping[str, str]
    secrets: tuple[str, ...]

    def ask(self, body: dict[str, Any]) -> object:
        """The JSON that comes back. Raises CallFailed and NotAvailable."""
        # Lone surrogates of a text have no UTF-8; JSON's own escapes carry them.
        sent = json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode()
        try:
            reply = post_json(self.http, self.url, self.headers, sent, self.secrets)
        except CallFailed as failed:
            raise _told_apart(failed) from None
        if not reply.body.strip():
            raise CallFailed("missing_answer", "an empty reply", again=False)
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError):
            raise CallFailed("unparsed", "a reply that is no JSON", again=False) from None


_clients: dict[tuple[int, float], httpx2.Client] = {}
_lock = threading.Lock()


def connect(settings: Settings) -> Connection:
    """The connection for these settings. Raises NotAvailable."""
    if settings.service == "gguf":
        served = serve(settings.model, settings.weights)
        address, key = served.address, served.key
    else:
        address, key = settings.base_url or settings.at.base_url or "", _key(settings)
    url = address.rstrip("/") + _PATHS[settings.at.api]
    return Connection(_client(settings.seconds), url, _headers(settings.at.api, key), (key,) if key else ())


def _key(settings: Settings) -> str:
    if settings.key_variable is None:
        return ""
    key = os.environ.get(settings.key_variable, "").strip()
    if not key and settings.at.hosted:
        raise NotAvailable(f"no key: set the environment variable {settings.key_variable}")
    if not (key.isascii() and key.isprintable()):
        raise NotAvailable(
            f"the environment variable {settings.key_variable} holds no key: it has characters no key has"
        )
    return key


def _headers(api: str, key: str) -> Mapping[str, str]:
    if api == "anthropic":
        return {"x-api-key": key, "anthropic-version": _ANTHROPIC_VERSION}
    return {"Authorization": f"Bearer {key}"} if key else {}


def _client(seconds: float) -> httpx2.Client:
    """One client a process (a forked one must not share its sockets) and deadline."""
    name = (os.getpid(), seconds)
    with _lock:
        if name not in _clients:
            _clients[name] = client(seconds)
        return _clients[name]


def _told_apart(failed: CallFailed) -> CallFailed:
    """A refusal by status that has a reason of its own."""
    told = failed.detail.lower()
    if told.startswith(("http 400", "http 422")):
        if any(sign in told for sign in _TOO_LONG):
            return CallFailed("too_long", failed.detail, again=False)
        if "content_filter" in told:
            return CallFailed("refused", "the provider's filter refused the prompt", again=False)
    return failed
