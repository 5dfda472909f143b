"""What a request must be to reach the page: from this machine's browser, from our own page, with a token, and small.

A page of another site can send requests to a loopback port, and a name that resolves to loopback can even read the answers (DNS
rebinding). So the Host must be ours, the Origin too, and a secret that only the printed address holds must come along.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-bench-token"  # noqa: S105 - a name
BODY_LIMIT = 256 * 1024
_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_SHUT = "default-src 'none'; frame-ancestors 'none'"  # the page brings its own policy


class Guard:
    """Lets a request through to the application, or refuses it. ``people`` maps tokens to the desks they open."""

    def __init__(self, app: ASGIApp, people: Mapping[str, str], port: int) -> None:
        self._app = app
        self._people = people
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    sent[name] = value
                sent.setdefault("content-security-policy", _SHUT)
            await send(message)

        refusal = self._refusal(scope, headers)
        body: bytes | None = b""
        if refusal is None and scope["method"] in _CHANGING:
            body = await _whole(receive)
        if body is None:
            refusal = 413, f"more than {BODY_LIMIT // 1024} KB"
        if refusal is not None:
            await JSONResponse({"error": refusal[1]}, refusal[0])(scope, receive, answer)
            return
        await self._app(scope, _again(body or b"", receive), answer)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts or len(headers.getlist("host")) != 1:
            return 403, "not our host"
        changing = scope["method"] in _CHANGING
        if (origin is not None or changing) and origin != f"http://{host}":
            return 403, "not our page"
        path = scope["path"]
        if path != "/" and not path.startswith("/api/"):
            return 404, "no such page"
        if path != "/" and headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "not our page"
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[-1]
        person = self._person(given if path == "/" else headers.get(TOKEN_HEADER, ""))
        if person is None:
            return 403, "no token, or an old one: open the address that the terminal printed last"
        scope["person"] = person
        if changing and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415, "application/json is wanted"
        if changing and int(headers.get("content-length", "0") or 0) > BODY_LIMIT:
            return 413, f"more than {BODY_LIMIT // 1024} KB"
        return None

    def _person(self, given: str) -> str | None:
        """Whose token it is. Every token is compared, each in constant time."""
        found = None
        for token, person in self._people.items():
            if secrets.compare_digest(token.encode(), given.encode("utf-8", "replace")):
                found = person
        return found


async def _whole(receive: Receive) -> bytes | None:
    """The body, or None where it is too long."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > BODY_LIMIT:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return body


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read already, then whatever the connection says."""
    told = False

    async def replay() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
