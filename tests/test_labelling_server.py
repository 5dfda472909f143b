"""Who reaches the label page, and what it never says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from label_pages import Client, at, desk_of, served
from suites import CASES, VOTES, checks_text, make_suite, note_text, votes_text

from bench.cases.layout import Layout
from bench.labelling.guard import BODY_LIMIT

GUIDE = "# Guide\n\nGuide version: 7\n\n### 1. format-kept\nGreeting first.\n"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A suite with all that an annotator must not see."""
    case = CASES["S001"].replace("language: en", "tags: [angry], language: en")
    bob = votes_text("S001", "bob", {"format-kept": "no"}).replace("It stands in event 3.", "Bob misses the greeting.")
    made = make_suite(
        tmp_path,
        cases=CASES | {"S001": case},
        votes=VOTES | {"bob/S001": bob},
        notes={case: note_text(case) for case in CASES},
        checks=checks_text("S001"),
    )
    (made.labels / "GUIDE.md").write_text(GUIDE)
    return made


@pytest.fixture
def eve(layout: Layout) -> Iterator[Client]:
    with served({"eve": desk_of(layout, "eve", ["S001"])}) as clients:
        yield clients["eve"]


@pytest.fixture(scope="module")
def shut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server for the tests that change nothing."""
    with served({"eve": desk_of(make_suite(tmp_path_factory.mktemp("suite")), "eve")}) as clients:
        yield clients["eve"]


CALLS = [
    ("GET", "/api/state"),
    ("GET", "/api/guide"),
    ("GET", "/api/session/x"),
    ("PUT", "/api/draft"),
    ("POST", "/api/answer"),
    ("POST", "/api/take-back"),
]


@pytest.mark.parametrize(("method", "path"), CALLS)
@pytest.mark.parametrize(
    "headers",
    [
        {"X-Bench-Token": None},
        {"X-Bench-Token": ""},
        {"X-Bench-Token": "token-eva"},
        {"X-Bench-Token": "token-eve "[:-2]},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_stranger_is_refused(shut: Client, method: str, path: str, headers: dict[str, str | None]) -> None:
    reply = shut.ask(method, path, {}, headers)
    assert reply.status == 403 and set(reply.told) == {"error"}


@pytest.mark.parametrize(("method", "path"), CALLS[3:])
def test_a_change_needs_an_origin_and_json_of_a_size(shut: Client, method: str, path: str) -> None:
    assert shut.ask(method, path, {}, {"Origin": None}).status == 403
    assert shut.ask(method, path, {}, {"Content-Type": "text/plain"}).status == 415
    assert shut.ask(method, path, {}, {"Content-Type": None}).status == 415
    assert shut.ask(method, path, b" " * (BODY_LIMIT + 1)).status == 413
    for body in (b"", b"[]", b"{", b'{"item": 1}', b'{"item": "x", "statement": 1, "form": {"answr": "yes"}}', b"\xff"):
        assert shut.ask(method, path, body).status == 400


def test_the_page_needs_its_token_and_has_a_policy_of_its_own(shut: Client) -> None:
    assert shut.ask("GET", "/").status == 403
    assert shut.ask("GET", "/?token=token-eva").status == 403
    assert shut.ask("GET", "/?token=token-eve", headers={"Host": "evil.example"}).status == 403
    first, second = (shut.ask("GET", "/?token=token-eve", headers={"X-Bench-Token": None}) for _ in range(2))
    policy = first.headers["content-security-policy"]
    assert first.status == 200 and policy != second.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert b"token-eve" not in first.body and b"http://" not in first.body and b"https://" not in first.body


OUTSIDE = [
    "/../../etc/passwd",
    "/..%2f..%2fetc/passwd",
    "/%2e%2e/suite.yaml",
    "/page.js",
    "/favicon.ico",
    "//evil.example/x",
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("token", ["token-eve", None])
def test_a_path_outside_is_not_there(shut: Client, path: str, token: str | None) -> None:
    assert shut.ask("GET", path, headers={"X-Bench-Token": token}).status == 404


@pytest.mark.parametrize("path", ["/api/", "/api/states", "/api/session/", "/api/session/..%2f..%2fx", "/api/session/x",
                                  "/api/../api/state/..", "/api/agreement"])  # fmt: skip
def test_an_unknown_name_is_not_there(shut: Client, path: str) -> None:
    assert shut.ask("GET", path).status == 404


def test_no_method_but_the_named_ones(shut: Client) -> None:
    assert shut.ask("POST", "/api/state", {}).status == 405
    assert shut.ask("DELETE", "/api/draft", {}).status == 405
    assert shut.ask("OPTIONS", "/api/state").status == 405


def test_every_answer_is_closed_to_others(shut: Client) -> None:
    for path in ("/?token=token-eve", "/api/state", "/nothing", "/api/session/x", "/?token=x"):
        headers = shut.ask("GET", path).headers
        assert headers["cache-control"] == "no-store" and headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer" and headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == headers["cross-origin-opener-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "server" not in headers and "access-control-allow-origin" not in headers


def test_localhost_is_the_same_place(eve: Client) -> None:
    host = f"localhost:{eve.port}"
    assert eve.ask("GET", "/api/state", headers={"Host": host}).status == 200
    place = eve.state()["current"]
    draft = {**at(place), "form": {}}
    assert eve.ask("PUT", "/api/draft", draft, {"Host": host, "Origin": f"http://{host}"}).status == 200
    assert eve.ask("PUT", "/api/draft", draft, {"Host": host}).status == 403  # one's page does not speak for the other


# words that only the hidden side has: case, family, stratum, split, metadata, notes, votes of others, ids of statements
HIDDEN = ["S001", "refund-a", "tickets", "written", "plain", "angry", "development", "author-x", "given in days", "bob",
          "Bob misses", "It stands in event 3", "critical", "mentions-refund", "a1", "votes_per_item", "always-yes"]  # fmt: skip


def test_no_answer_holds_what_an_annotator_must_not_see(eve: Client) -> None:
    bodies = [eve.ask("GET", "/?token=token-eve").body, eve.ask("GET", "/api/guide").body]
    for _ in range(4):
        place = eve.state()["current"]
        bodies.append(eve.ask("GET", "/api/state").body)
        bodies.append(eve.ask("GET", f"/api/session/{place['item']}").body)
        bodies.append(eve.answer(place, answer="bad").body)
        bodies.append(eve.answer(place, answer=place["asked"]["answers"][0]["name"]).body)
        bodies.append(eve.keep_draft(place, rationale="mine").body)
        bodies.append(eve.answer(place, answer="unclear").body)
    assert eve.state()["current"] is None
    told = b"\n".join(bodies[1:]).decode() + bodies[0].decode().partition("<body>")[2].partition("<script")[0]
    assert "How long may I take to send the lamp back?" in told and "30 days" in told and "to the web form" in told
    assert [word for word in HIDDEN if word in told] == []


def test_a_person_sees_nothing_of_another(layout: Layout) -> None:
    with served({name: desk_of(layout, name, ["S001"]) for name in ("eve", "dan")}) as clients:
        place = clients["eve"].state()["current"]
        clients["eve"].answer(place, rationale="Only of Eve.")
        clients["eve"].keep_draft(clients["eve"].state()["current"], rationale="Half of Eve.")
        state = clients["dan"].ask("GET", "/api/state").body.decode()
        assert clients["dan"].state()["done"] == 0
        assert "Eve" not in state and "token" not in state
        assert clients["dan"].take_back(place).status == 409


def test_a_token_of_one_server_opens_no_other(layout: Layout) -> None:
    with served({"eve": desk_of(layout, "eve")}) as first, served({"dan": desk_of(layout, "dan")}) as second:
        assert first["eve"].ask("GET", "/api/state", headers={"X-Bench-Token": second["dan"].token}).status == 403
