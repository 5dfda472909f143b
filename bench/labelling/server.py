"""The page's server: one process on loopback, one desk per token."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import uvicorn
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from bench.labelling.books import AlreadyThere
from bench.labelling.desk import Desk, NoSuchItem, NothingThere
from bench.labelling.form import Incomplete
from bench.labelling.guard import Guard
from bench.labelling.page import page
from bench.labelling.records import AgreementView, Place, Refusal, Sent
from bench.problems import BrokenInput, Problem
from bench.schema.base import Record

Agreement = Callable[[], AgreementView]
Wanted = TypeVar("Wanted", bound=BaseModel)
_GRACE = 2  # seconds that an open connection gets when the server ends


def listen(port: int) -> socket.socket:
    """A socket on loopback and nowhere else; port 0 is any free one. Raises BrokenInput."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # from now on a browser waits, and is not refused
    except OSError as error:
        listening.close()
        fix = "name another port, or leave --port out"
        raise BrokenInput([Problem("--port", None, None, None, f"{port}: {error.strerror}", fix)]) from None
    return listening


def server_of(guarded: Guard) -> uvicorn.Server:
    """A server that serves until it is told to end. Nothing is logged: an address holds a token."""
    config = uvicorn.Config(
        guarded,
        access_log=False,
        log_level="error",
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE,
    )
    return uvicorn.Server(config)


def guarded_app(
    desks: Mapping[str, Desk], tokens: Mapping[str, str], port: int, agreement: Agreement | None = None
) -> Guard:
    """The application behind its guard. ``tokens`` maps a token to the person whose desk it opens."""
    return Guard(_application(_Calls(desks, agreement)), tokens, port)


class _Calls:
    """What the page can ask for. Work is done in a thread, so that one desk does not hold up another."""

    def __init__(self, desks: Mapping[str, Desk], agreement: Agreement | None) -> None:
        self._desks = desks
        self._agreement = agreement

    async def page(self, request: Request) -> Response:
        document, policy = page()
        return HTMLResponse(document, headers={"content-security-policy": policy})

    async def state(self, request: Request) -> Response:
        return await _told(self._desk(request).state)

    async def session(self, request: Request) -> Response:
        desk, item = self._desk(request), request.path_params["item"]
        return await _told(lambda: desk.session(item))

    async def guide(self, request: Request) -> Response:
        blocks = self._desk(request).guide.blocks
        return JSONResponse([block.model_dump() for block in blocks])

    async def draft(self, request: Request) -> Response:
        desk, sent = self._desk(request), await _sent(request, Sent)
        await run_in_threadpool(desk.keep_draft, sent, sent.form)
        return JSONResponse({"kept": True})

    async def answer(self, request: Request) -> Response:
        desk, sent = self._desk(request), await _sent(request, Sent)
        return await _told(lambda: desk.answer(sent, sent.form))

    async def take_back(self, request: Request) -> Response:
        desk, place = self._desk(request), await _sent(request, Place)
        return await _told(lambda: desk.take_back(place))

    async def agreement(self, request: Request) -> Response:
        if self._agreement is None:
            raise HTTPException(404, "no pilot")
        desks = tuple(self._desks.values())
        if not await run_in_threadpool(lambda: all(desk.is_done for desk in desks)):
            raise HTTPException(409, "others are still voting")
        for desk in desks:
            desk.is_closed = True
        return await _told(self._agreement)

    def _desk(self, request: Request) -> Desk:
        return self._desks[request.scope["person"]]


def _application(calls: _Calls) -> Starlette:
    def get(path: str, call: Callable[[Request], Awaitable[Response]]) -> Route:
        return Route(path, call, methods=["GET"])

    return Starlette(
        routes=[
            get("/", calls.page),
            get("/api/state", calls.state),
            get("/api/session/{item}", calls.session),
            get("/api/guide", calls.guide),
            get("/api/agreement", calls.agreement),
            Route("/api/draft", calls.draft, methods=["PUT"]),
            Route("/api/answer", calls.answer, methods=["POST"]),
            Route("/api/take-back", calls.take_back, methods=["POST"]),
        ],
        exception_handlers={
            Incomplete: _refuse(422),
            AlreadyThere: _refuse(409),
            NothingThere: _refuse(409),
            NoSuchItem: _refuse(404),
            BrokenInput: _refuse(409),
            HTTPException: _refuse(500),
        },
    )


def _refuse(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handler(request: Request, error: Exception) -> Response:
        code = error.status_code if isinstance(error, HTTPException) else status
        return _json(_refusal(error), code)

    return handler


def _refusal(error: Exception) -> Refusal:
    match error:
        case Incomplete():
            return Refusal(error="something is missing", wanted=error.wanted)
        case AlreadyThere():
            return Refusal(error="the item has an answer already, which stays", there=error.there)
        case NothingThere():
            return Refusal(error="there is nothing to take back")
        case NoSuchItem():
            return Refusal(error="no such item here")
        case HTTPException():
            return Refusal(error=error.detail)
        case _:
            return Refusal(error=str(error))


async def _sent(request: Request, model: type[Wanted]) -> Wanted:
    try:
        return model.model_validate_json(await request.body())
    except ValidationError:
        raise HTTPException(400, "not what this page sends") from None


async def _told(work: Callable[[], Record]) -> Response:
    return _json(await run_in_threadpool(work), 200)


def _json(record: Record, status: int) -> Response:
    return Response(record.model_dump_json(), status, media_type="application/json")
