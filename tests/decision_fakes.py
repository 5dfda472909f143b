"""Tiny decision servers on loopback, one behaviour each; and what is asked of them."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench.judges.contract import Item, Question
from bench.judges.decision.judge import DecisionJudge
from bench.judges.registry import make_judge
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.schema.event import Event

POLITE = Question("yes_no", "The agent is polite.", (("yes", "It greets."), ("no", "It does not.")))
SOLVED = Question("yes_no", "The problem is solved.", (("yes", "It works."), ("no", "It does not.")))
CHANNEL = Question("choice", "Which channel?", (("Mail", "by letter"), ("phone", "by call"), ("chat", "typed")))
QUALITY = Question("score", "How good?", (("1", "bad"), ("2", "fair"), ("5", "good")))
QUESTIONS = (CHANNEL, POLITE, SOLVED, QUALITY)
EVENTS = [
    Event(kind="prompt", origin="human", text="The lamp is dark."),
    Event(kind="command", command="mend lamp", ok=True, output="mended"),
    Event(kind="message", text="Hello! It works again."),
]
ITEM = Item(project(PRESETS["events"], "Mend the lamp.", "desk", EVENTS), None, None, "2026-05-04T09:00:00+00:00")
MODEL = "jev-1.13.0"


@dataclass
class Request:
    """What the fake was sent."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass
class Answer:
    """What the fake sends back, and how."""

    body: bytes | str | Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0  # before anything is sent
    drip: float = 0.0  # between the bytes of the body
    cut: bool = False  # the connection ends without a reply

    @property
    def data(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that went away is expected here."""


class Fake:
    """A server on a free port, in a thread; keeps what it was sent."""

    def __init__(self, answer: Callable[[Request], Answer]) -> None:
        self.seen: list[Request] = []
        self.stop = threading.Event()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet a reply: else Nagle waits 40 ms

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = Request(self.path, dict(self.headers), body)
                fake.seen.append(request)
                fake._send(self, answer(request))

            def log_message(self, *_: Any) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def _send(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        self.stop.wait(answer.pause)
        if answer.cut or self.stop.is_set():
            handler.close_connection = True
            return
        handler.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(answer.data)))
        handler.end_headers()
        for byte in answer.data if answer.drip else ():
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            if self.stop.wait(answer.drip):
                return
        if not answer.drip:
            handler.wfile.write(answer.data)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Fake:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self._server.shutdown()
        self._server.server_close()


def judge_at(url: str, **parameters: str) -> DecisionJudge:
    """A decision judge that asks there."""
    judge = make_judge("decision", {"base_url": url, "model": MODEL, **parameters}, Path())
    assert isinstance(judge, DecisionJudge)
    return judge


def chance(*parts: Any) -> float:
    """A number from 0 to 1 that depends on the parts alone."""
    return hashlib.sha256(repr(parts).encode()).digest()[0] / 255


# --- honest servers, one a dialect ---


def systemone(request: Request) -> Answer:
    state = request.body["state"]
    answers = {name: _answer(state, question) for name, question in request.body["questions"].items()}
    usage = {"input_tokens": 1003, "output_tokens": 8}
    return Answer({"model": request.body["model"], "answers": answers, "usage": usage})


def _answer(state: str, question: dict[str, Any]) -> dict[str, Any]:
    if question["type"] == "noul":
        return {"type": "noul", "noul": chance(state, question["instructions"])}
    names = list(question["criteria"])
    weights = [0.1 + chance(state, question["instructions"], name) for name in names]
    shares = [weight / sum(weights) for weight in weights]
    if question["type"] == "choice":
        probabilities = dict(zip(names, shares, strict=True))
        best = max(probabilities, key=probabilities.__getitem__)
        return {"type": "choice", "choice": best, "probabilities": probabilities, "confidence": 0.1}
    return {
        "type": "score",
        "score": sum(i * share for i, share in enumerate(shares)),
        "legend": {str(i): name for i, name in enumerate(names)},
        "probabilities": {str(i): share for i, share in enumerate(shares)},
        "confidence": 0.1,
    }


def openrouter(request: Request) -> Answer:
    answer = systemone(request)
    assert isinstance(answer.body, dict)
    usage = {**answer.body["usage"], "cost": 0.0004}
    return Answer({**answer.body, "usage": usage, "id": "gen-1", "provider": "Somewhere"})


def openai(request: Request) -> Answer:
    state = request.body["input"]
    answers = [_openai_answer(state, question) for question in request.body["questions"]]
    usage = {
        "input_tokens": 1003,
        "input_tokens_details": {"cached_tokens": 400},
        "output_tokens": 8,
        "total_tokens": 1011,
    }
    return Answer({"model": request.body["model"], "answers": answers, "usage": usage})


def _openai_answer(state: str, question: dict[str, Any]) -> dict[str, Any]:
    kind, name, text = question["type"], question["name"], question["instructions"].splitlines()[0]
    if kind == "predicate":
        return {"type": kind, "name": name, "probability": chance(state, text)}
    if kind == "choice":
        criteria = {choice["value"]: choice["description"] for choice in question["choices"]}
        told = _answer(state, {"type": kind, "instructions": text, "criteria": criteria})
        shares = [{"value": value, "probability": p} for value, p in told["probabilities"].items()]
        return {"type": kind, "name": name, "choice": told["choice"], "probabilities": shares, "confidence": 0.1}
    meanings = [level["description"] for level in question["levels"]]
    told = _answer(state, {"type": kind, "instructions": text, "criteria": meanings})
    labels = [level["label"] for level in question["levels"]]
    shares = [
        {"value": i, "label": label, "probability": told["probabilities"][str(i)]} for i, label in enumerate(labels)
    ]
    return {"type": kind, "name": name, "score": told["score"], "probabilities": shares, "confidence": 0.1}


HONEST: dict[str, Callable[[Request], Answer]] = {"systemone": systemone, "openrouter": openrouter, "openai": openai}


def slowly(seconds: float) -> Callable[[Request], Answer]:
    """An honest server that takes its time."""

    def answer(request: Request) -> Answer:
        time.sleep(seconds)
        return systemone(request)

    return answer
