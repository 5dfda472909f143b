"""The label page's server, for tests: in this process on a real socket, asked with plain HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cases.sources import SessionFolders
from bench.labelling.desk import Desk
from bench.labelling.hand import Hand, MadeBy
from bench.labelling.order import cases_meant
from bench.labelling.pilot_agreement import pilot_agreement
from bench.labelling.ruling import Chair
from bench.labelling.server import guarded_app, listen, server_of
from bench.labelling.sitting import label_desk, ruling_desk
from bench.projection.project import preset_named
from bench.workspace import load, views_of


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def told(self) -> dict:  # type: ignore[type-arg]
        return json.loads(self.body)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Client:
    """One person's browser, as far as HTTP goes. ``headers`` given to a call replace its own; None leaves one out."""

    port: int
    token: str

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str | None] | None = None
    ) -> Reply:
        sent: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}", "X-Bench-Token": self.token}
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if method != "GET":
            sent |= {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in (sent | {"Content-Length": str(len(data))}).items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(data)
            reply = connection.getresponse()
            return Reply(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def state(self) -> dict:  # type: ignore[type-arg]
        return self.ask("GET", "/api/state").told

    def answer(self, place: Mapping[str, object], **form: object) -> Reply:
        whole = {"answer": "yes", "evidence": [3], "rationale": "It stands there.", **form}
        return self.ask("POST", "/api/answer", {**at(place), "form": whole})

    def keep_draft(self, place: Mapping[str, object], **form: object) -> Reply:
        return self.ask("PUT", "/api/draft", {**at(place), "form": form})

    def take_back(self, place: Mapping[str, object]) -> Reply:
        return self.ask("POST", "/api/take-back", at(place))


def at(place: Mapping[str, object]) -> dict[str, object]:
    return {"item": place["item"], "statement": place["statement"]}


def desk_of(
    layout: Layout, annotator: str, cases: Sequence[str] = (), *, check: bool = False, pilot: bool = False
) -> Desk:
    """An annotator's desk, whose sessions are all at hand."""
    suite = load_suite(layout)
    views, preset = views_of(layout, SessionFolders([])), preset_named("reading")
    meant = cases_meant(suite, cases, check=check, pilot=pilot)
    hand = Hand(layout, annotator, purpose="check" if check else "label", pilot=pilot)
    return label_desk(suite, hand, meant, lambda c, a: views.make(c, a, preset), lambda c, a: True)


@contextmanager
def served(desks: Mapping[str, Desk], pilot: Layout | None = None) -> Iterator[dict[str, Client]]:
    """A server over these desks; each person's token is ``token-NAME``."""
    listening = listen(0)
    port = listening.getsockname()[1]
    agreement = None if pilot is None else (lambda: pilot_agreement(load_suite(pilot), list(desks)))
    guarded = guarded_app(desks, {f"token-{person}": person for person in desks}, port, agreement)
    server = server_of(guarded)
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]))
    thread.start()
    try:
        yield {person: Client(port, f"token-{person}") for person in desks}
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def chair_desk(layout: Layout, adjudicator: str, made_by: MadeBy = "person", lineage: str | None = None) -> Desk:
    """An adjudicator's desk."""
    suite, labels = load(layout)
    views, preset = views_of(layout, SessionFolders([])), preset_named("reading")
    chair = Chair(layout, adjudicator, made_by, lineage)
    return ruling_desk(suite, labels, chair, lambda c, a: views.make(c, a, preset), lambda c, a: True)
