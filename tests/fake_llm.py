"""A local server that speaks as much of OpenAI's and Anthropic's chat protocols as judges need, and misbehaves on demand.

``python fake_llm.py LATENCY`` serves alone, in its own process, and prints its address.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


@dataclass(frozen=True)
class Asked:
    """One request."""

    number: int  # from 1
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """All texts of the request."""
        messages = [*self.body.get("messages", [])]
        system = self.body.get("system")
        parts = [system if isinstance(system, str) else json.dumps(system or "")]
        for message in messages:
            content = message["content"]
            parts.append(content if isinstance(content, str) else "".join(part["text"] for part in content))
        return "\n".join(parts)

    @property
    def nonce(self) -> str:
        return re.findall(r"<trace-([0-9a-f]{16})>", self.prompt)[0]


@dataclass(frozen=True)
class Says:
    """One reply. ``text`` may hold NONCE for the code of the request's fence."""

    text: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    model: str = "fake-1.0"
    tops: tuple[tuple[str, float], ...] = ()
    as_content: bool = False  # the text stands in the body though a function call was asked for
    calls: tuple[str, ...] = ()  # the arguments of several function calls
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None  # instead of a completion
    usage: Any = field(default_factory=lambda: USAGE)
    latency: float = 0.0
    drip: float = 0.0  # seconds between bytes
    hang: float = 0.0
    close: bool = False  # end the connection without a reply


Script = Callable[[Asked], Says]


def always(reply: Says) -> Script:
    return lambda asked: reply


def in_turn(*replies: Says) -> Script:
    """The first reply to the first request, and so on; the last one from then on."""
    return lambda asked: replies[min(asked.number, len(replies)) - 1]


def verdict(value: object, evidence: list[str] | None = None, reason: str = "So it is.") -> str:
    """A well-formed answer."""
    return json.dumps({"evidence": evidence or [], "reason": reason, "verdict": value})


def completion(asked: Asked, says: Says) -> dict[str, Any]:
    """A chat completion."""
    text = None if says.text is None else says.text.replace("NONCE", asked.nonce)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if says.refusal is not None:
        message["refusal"] = says.refusal
    if "tools" in asked.body and not says.as_content and (says.calls or text is not None):
        name = asked.body["tools"][0]["function"]["name"]
        arguments = says.calls or (text,)
        calls = [
            {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": a}}
            for i, a in enumerate(arguments)
        ]
        message = {**message, "content": None, "tool_calls": calls}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": says.finish}
    if says.tops:
        tops = [{"token": token, "logprob": value, "bytes": None} for token, value in says.tops]
        choice["logprobs"] = {"content": [{**tops[0], "top_logprobs": tops}]}
    return {
        "id": f"chatcmpl-{asked.number}",
        "object": "chat.completion",
        "created": 1,
        "model": says.model,
        "choices": [choice],
        "usage": says.usage,
    }


def message_of_anthropic(asked: Asked, says: Says) -> dict[str, Any]:
    """A message."""
    text = (says.text or "").replace("NONCE", asked.nonce)
    block: dict[str, Any] = {"type": "text", "text": text}
    if "tools" in asked.body and not says.as_content:
        block = {"type": "tool_use", "id": "t1", "name": asked.body["tools"][0]["name"], "input": json.loads(text)}
    stops = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": says.model,
        "content": [block],
        "stop_reason": stops[says.finish],
        "stop_sequence": None,
        "usage": {
            "input_tokens": 60,
            "cache_read_input_tokens": 40,
            "cache_creation_input_tokens": 0,
            "output_tokens": 20,
        },
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    script: Script
    log: list[Asked]
    lock: threading.Lock
    keep: bool

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            asked = Asked(len(self.server.log) + 1, self.path, dict(self.headers.items()), body)
            self.server.log.append(asked if self.server.keep else None)  # type: ignore[arg-type]
        says = self.server.script(asked)
        if says.latency or says.hang:
            time.sleep(says.latency + says.hang)
        if says.close:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        shape = message_of_anthropic if self.path.endswith("/messages") else completion
        data = says.body if says.body is not None else json.dumps(shape(asked, says)).encode()
        self.send_response(says.status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(data))), *says.headers):
            self.send_header(name, value)
        self.end_headers()
        if not says.drip:
            self.wfile.write(data)
            return
        for i in range(len(data)):
            self.wfile.write(data[i : i + 1])
            self.wfile.flush()
            time.sleep(says.drip)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


class FakeLLM:
    """A running server."""

    def __init__(self, script: Script, *, keep: bool = True) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.script = script
        self._server.log = []
        self._server.keep = keep
        self._server.lock = threading.Lock()
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.host}/v1"

    @property
    def asked(self) -> list[Asked]:
        return self._server.log

    def says(self, script: Script) -> None:
        """From now on, and counting anew."""
        self._server.log.clear()
        self._server.script = script

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def fake(script: Script) -> Iterator[FakeLLM]:
    """A server for as long as the block lasts."""
    server = FakeLLM(script)
    try:
        yield server
    finally:
        server.stop()


if __name__ == "__main__":
    threading.stack_size(256 * 1024)
    serving = FakeLLM(always(Says(verdict("yes", ["Hello! It works again."]), latency=float(sys.argv[1]))), keep=False)
    print(serving.url, flush=True)
    sys.stdin.read()
