"""One HTTP call with a deadline over everything, a cap on the reply, and failures as outcomes.

A reply that drips in slowly is cut at the deadline; httpx's own timeouts hold for each read only.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

from bench.judges.contract import CallFailed, NotAvailable
from bench.problems import shorten
from bench.redaction.redact import redact

MAX_REPLY_BYTES = 8 * 1024 * 1024
MAX_TOLD_BYTES = 64 * 1024  # of an error body
LONGEST_PAUSE = 60.0
_OVERLOADED = (429, 529)

for _loud in ("httpx2", "httpcore2"):  # below this level they log whole headers, and a server may echo a key in them
    logging.getLogger(_loud).setLevel(logging.WARNING)


@dataclass(frozen=True)
class Reply:
    """A whole reply."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class DeadlineTransport(httpx2.BaseTransport):
    """Reads each reply whole within ``seconds`` of its request, or raises httpx2.ReadTimeout."""

    def __init__(self, seconds: float, inner: httpx2.BaseTransport | None = None, connections: int = 100) -> None:
        self._seconds = seconds
        self._inner = inner or _EachThread(connections)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        end = time.monotonic() + self._seconds
        # The transport looks up its read timeout anew for each read, so lowering it here bounds the whole reply.
        timeouts = {"connect": self._seconds, "read": self._seconds, "write": self._seconds, "pool": self._seconds}
        request.extensions = {**request.extensions, "timeout": timeouts}
        response = self._inner.handle_request(request)
        try:
            body = b"".join(self._read(response, request, timeouts, end))
        finally:
            response.close()
        return httpx2.Response(response.status_code, headers=response.headers, content=body, request=request)

    def _read(
        self, response: httpx2.Response, request: httpx2.Request, timeouts: dict[str, float], end: float
    ) -> Iterator[bytes]:
        size = 0
        stream = iter(response.iter_raw())
        while True:
            timeouts["read"] = end - time.monotonic()
            if timeouts["read"] <= 0:
                raise httpx2.ReadTimeout(f"no whole reply in {self._seconds:g} seconds", request=request)
            chunk = next(stream, None)
            if chunk is None:
                return
            size += len(chunk)
            if size > MAX_REPLY_BYTES:
                raise httpx2.ReadError(f"a reply over {MAX_REPLY_BYTES} bytes", request=request)
            yield chunk

    def close(self) -> None:
        self._inner.close()


class _EachThread(httpx2.BaseTransport):
    """Connections of its own for each thread: one pool looks through all its connections, under a lock, twice a call."""

    def __init__(self, connections: int) -> None:
        self._limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
        self._verify = httpx2.create_ssl_context()
        self._own = threading.local()
        self._all: weakref.WeakSet[_Closing] = weakref.WeakSet()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        own = getattr(self._own, "transport", None)
        if own is None:
            transport = httpx2.HTTPTransport(verify=self._verify, limits=self._limits, retries=0)
            own = self._own.transport = _Closing(transport)
            self._all.add(own)
        return own.transport.handle_request(request)

    def close(self) -> None:
        for own in list(self._all):
            own.transport.close()


class _Closing:
    """Closes its connections when its thread ends."""

    def __init__(self, transport: httpx2.HTTPTransport) -> None:
        self.transport = transport

    def __del__(self) -> None:
        self.transport.close()


def client(seconds: float, connections: int = 100) -> httpx2.Client:
    """A client that holds to the deadline, keeps connections, follows nothing and reads no proxy settings."""
    return httpx2.Client(transport=DeadlineTransport(seconds, connections=connections), follow_redirects=False)


def post_json(
    http: httpx2.Client, url: str, headers: Mapping[str, str], body: bytes, secrets: tuple[str, ...]
) -> Reply:
    """POST a JSON body. Raises CallFailed or NotAvailable unless the status is 200."""
    try:
        response = http.post(url, headers={**headers, "Content-Type": "application/json"}, content=body)
    except httpx2.HTTPError as error:
        raise failed_call(error, secrets) from None
    reply = Reply(response.status_code, response.headers, response.content)
    if reply.status != 200:
        raise failed_status(reply.status, reply.headers, reply.body, secrets)
    return reply


def failed_call(error: Exception, secrets: tuple[str, ...]) -> CallFailed:
    """What a transport error means: a time-out or a broken connection, worth another try."""
    if isinstance(error, httpx2.TimeoutException):
        return CallFailed("timeout", scrubbed(str(error) or "no reply in time", secrets), again=True)
    return CallFailed("error", scrubbed(f"{type(error).__name__}: {error}", secrets), again=True)


def failed_status(
    status: int, headers: Mapping[str, str], body: bytes, secrets: tuple[str, ...]
) -> CallFailed | NotAvailable:
    """What a status other than 200 means."""
    # Scrubbed before it is cut: a part of a key would not be known for one.
    told = f"HTTP {status}: {shorten(scrubbed(body[:MAX_TOLD_BYTES].decode('utf-8', 'replace'), secrets), 200)}"
    if status in _OVERLOADED:
        return CallFailed("rate_limited", told, again=True, wait=retry_after(headers))
    if status in (401, 403, 404):
        return NotAvailable(f"the server refused the call: {told}")
    if status == 413:
        return CallFailed("too_long", told, again=False)
    if status == 408 or status >= 500:
        return CallFailed("timeout" if status == 408 else "error", told, again=True, wait=retry_after(headers))
    return CallFailed("error", told, again=False)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from retry-after-ms or Retry-After (seconds or a date), at most :data:`LONGEST_PAUSE`.

    None where the header is absent or senseless (infinite, negative, not a number): the caller's own pause holds then.
    """
    values = {name.lower(): value for name, value in headers.items()}
    milliseconds = _seconds(values.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1000, LONGEST_PAUSE)
    text = values.get("retry-after", "")
    seconds = _seconds(text)
    if seconds is None and text:
        seconds = _until(text)
    return None if seconds is None else min(seconds, LONGEST_PAUSE)


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = (moment - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds)


def scrubbed(text: str, secrets: tuple[str, ...]) -> str:
    """The text without the caller's keys, and without anything else that looks like a secret."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[redacted:key]")
    return redact(text)[0]
