"""Voting on the page: files as the terminal writes them, drafts, undo, and many writers at once."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from label_pages import Client, at, desk_of, served
from suites import ANSWERS, CASES, VOTES, case_text, checks_text, make_suite, votes_text

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cli import main
from bench.labelling.books import Task
from bench.labelling.desk import place_of
from bench.labels.load import load_labels, read_pilot
from bench.schema.statement import answers_of
from bench.schema.vote import Vote


def text_of(layout: Layout, annotator: str = "eve", case: str = "S001", folder: str = "votes") -> str:
    """The vote file, without its moment."""
    path = layout.labels / folder / annotator / f"{case}.yaml"
    return re.sub("\nat: .*", "", path.read_text(encoding="utf-8"))


def vote_all(client: Client) -> None:
    """Answer everything with the first answer there is."""
    while (place := client.state()["current"]) is not None:
        assert client.answer(place, answer=place["asked"]["answers"][0]["name"]).status == 200


def drafts(layout: Layout) -> list[Path]:
    return sorted((layout.root / ".bench" / "drafts").rglob("*.json"))


def test_the_file_is_the_one_that_the_terminal_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(
        ["yes", "3", "It stands there.", "no", "other", "", "No period.", "4", "2 3", "Good.", "form", "", "R"]
    )
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
    terminal, page = make_suite(tmp_path / "terminal"), make_suite(tmp_path / "page")
    assert main(["label", "--annotator", "eve", "--case", "S001", "--suite", str(terminal.suite)]) == 0
    forms = [
        {},
        {
            "answer": "no",
            "evidence": [],
            "rationale": "No period.",
            "also": {"gap": "other", "old": "of another answer"},
        },
        {"answer": "4", "evidence": [3, 2, 2], "rationale": " Good. "},
        {"answer": "form", "evidence": [], "rationale": "R"},
    ]
    with served({"eve": desk_of(page, "eve", ["S001"])}) as clients:
        for form in forms:
            assert clients["eve"].answer(clients["eve"].state()["current"], **form).status == 200
    assert text_of(page) == text_of(terminal)
    assert load_labels(load_suite(page)).votes["S001", "a1", "quality"][-1].vote.evidence == (2, 3)


def test_order_and_progress_are_the_terminals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {f"S{n:03d}": case_text(f"S{n:03d}", "refund-a").replace("lamp", f"lamp{n}") for n in range(12)}
    layout = make_suite(tmp_path, cases=cases, votes={}, splits=None)
    with served({"eve": desk_of(layout, "eve"), "dan": desk_of(layout, "dan")}) as clients:
        queries = {}
        for name, client in clients.items():
            vote_all(client)
            state = client.state()
            assert (state["done"], state["total"], state["sitting"], state["current"]) == (48, 48, 48, None)
            files = sorted((layout.labels / "votes" / name).iterdir(), key=lambda path: path.stat().st_mtime_ns)
            queries[name] = [path.stem for path in files]
    shown = []
    monkeypatch.setattr("bench.commands.label._page", lambda lines, start: shown.append(lines[0]))
    monkeypatch.setattr("bench.commands.label._one", _no_vote)
    fresh = make_suite(tmp_path / "fresh", cases=cases, votes={}, splits=None)
    main(["label", "--annotator", "eve", "--suite", str(fresh.suite)])
    assert [f"S{int(re.search('lamp([0-9]+)', line)[1]):03d}" for line in shown] == queries["eve"] != queries["dan"]  # type: ignore[index]


def _no_vote(attempt, statement, lines, last):  # type: ignore[no-untyped-def]
    return Vote(attempt=attempt.id, statement=statement.id, answer=answers_of(statement)[0], rationale="R")


# form, the fields that are refused
REFUSED = [
    ({"answer": None}, {"answer"}),
    ({"answer": "perhaps", "rationale": " \n"}, {"answer", "rationale"}),
    ({"answer": "no"}, {"also.gap"}),
    ({"answer": "no", "also": {"gap": "third"}}, {"also.gap"}),
    ({"evidence": [4]}, {"evidence"}),
    ({"error_category": "two words"}, {"error_category"}),
    ({"severity": "huge"}, {"severity"}),
]


@pytest.mark.parametrize(("form", "fields"), REFUSED)
def test_what_is_missing_is_told_at_once_and_nothing_is_written(
    tmp_path: Path, form: dict[str, object], fields: set[str]
) -> None:
    layout = make_suite(tmp_path)
    with served({"eve": desk_of(layout, "eve", ["S001"])}) as clients:
        clients["eve"].answer(clients["eve"].state()["current"])
        before = text_of(layout)
        reply = clients["eve"].answer(clients["eve"].state()["current"], **form)
    assert reply.status == 422 and set(reply.told["wanted"]) == fields
    assert text_of(layout) == before


def test_category_and_severity_are_kept(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with served({"eve": desk_of(layout, "eve", ["S001"])}) as clients:
        clients["eve"].answer(clients["eve"].state()["current"], error_category="tone", severity="minor")
    cast = load_labels(load_suite(layout)).votes["S001", "a1", "format-kept"][-1].vote
    assert (cast.error_category, cast.severity) == ("tone", "minor")


def test_a_draft_outlives_the_server_and_ends_with_the_vote(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    half = {"answer": "no", "evidence": [2], "rationale": 'Half \u201ea\u201c\n"sen', "also": {"gap": "silent"}}
    with served({"eve": desk_of(layout, "eve")}) as clients:
        place = clients["eve"].state()["current"]
        assert place["draft"] is None
        assert clients["eve"].keep_draft(place, **half).status == 200
    assert len(drafts(layout)) == 1 and not (layout.labels / "votes" / "eve").exists()
    with served({"eve": desk_of(layout, "eve"), "dan": desk_of(layout, "dan")}) as clients:
        found = clients["eve"].state()["current"]
        assert at(found) == at(place)
        assert found["draft"] == {**half, "error_category": "", "severity": ""}
        assert clients["dan"].state()["current"]["draft"] is None
        clients["eve"].answer(place)
        assert drafts(layout) == []
        clients["eve"].keep_draft(place, **half)  # a save that was under way when the vote was cast
        assert drafts(layout) == []
        clients["eve"].keep_draft(clients["eve"].state()["current"], **half)
        clients["eve"].keep_draft(clients["eve"].state()["current"])  # emptied again
        assert drafts(layout) == []


def test_a_broken_draft_is_none(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with served({"eve": desk_of(layout, "eve")}) as clients:
        clients["eve"].keep_draft(clients["eve"].state()["current"], rationale="x")
        drafts(layout)[0].write_text('{"rationale": 3')
        assert clients["eve"].state()["current"]["draft"] is None


def test_an_answer_is_taken_back_and_changed_and_nothing_else_moves(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with served({"eve": desk_of(layout, "eve", ["S001"])}) as clients:
        eve = clients["eve"]
        vote_all(eve)
        whole = text_of(layout)
        last = at(eve.state()["previous"])
        state = eve.take_back(last).told
        assert state["done"] == 3 and state["current"]["draft"]["answer"] == "form"
        assert at(state["current"]) == last and text_of(layout) == whole[: whole.rindex("  - attempt")]
        state = eve.take_back(state["previous"]).told
        assert state["current"]["draft"]["answer"] == "1" and state["sitting"] == 2
        for answer in ("5", "form"):
            assert eve.answer(eve.state()["current"], answer=answer).status == 200
        assert text_of(layout) == whole.replace('answer: "1"', 'answer: "5"')
        assert drafts(layout) == []


def test_the_file_goes_with_its_last_answer(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with served({"eve": desk_of(layout, "eve", ["S001"])}) as clients:
        place = clients["eve"].state()["current"]
        clients["eve"].answer(place)
        clients["eve"].take_back(place)
        assert not (layout.labels / "votes" / "eve" / "S001.yaml").exists()
        assert clients["eve"].take_back(place).status == 409
        assert clients["eve"].state()["previous"] is None


def test_a_second_answer_is_refused_with_what_is_there(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with served({"eve": desk_of(layout, "eve")}) as clients:  # two tabs of one person
        place = clients["eve"].state()["current"]
        assert clients["eve"].answer(place).status == 200
        before = text_of(layout, case=case_of(layout))
        again = clients["eve"].answer(place)
        assert again.status == 200  # the very same: the first reply may have been lost
        other = clients["eve"].answer(place, answer="unclear", rationale="Another mind.")
        assert other.status == 409 and other.told["there"]["answer"] == "yes"
        assert other.told["there"]["rationale"] == "It stands there."
        assert text_of(layout, case=case_of(layout)) == before


def case_of(layout: Layout) -> str:
    (path,) = (layout.labels / "votes" / "eve").iterdir()
    return path.stem


def test_two_servers_of_one_annotator_see_each_other(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    with served({"eve": desk_of(layout, "eve")}) as one, served({"eve": desk_of(layout, "eve")}) as two:
        place = one["eve"].state()["current"]
        one["eve"].answer(place)
        assert two["eve"].state()["done"] == 1
        assert two["eve"].answer(place, answer="unclear").status == 409
        two["eve"].answer(two["eve"].state()["current"])
        assert one["eve"].state()["done"] == 2
        previous = one["eve"].state()["previous"]
        assert previous["this_sitting"] is False  # of the other server: the page asks before it is undone
    assert sum(len(file.read_text().split("attempt:")) - 1 for file in (layout.labels / "votes" / "eve").iterdir()) == 2


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    cases = {f"S{n:03d}": case_text(f"S{n:03d}", "refund-a") for n in range(6)}
    layout = make_suite(tmp_path, cases=cases, votes={}, splits="schema: 1\nseed: 1\nfamilies: {refund-a: test}\n")
    people = [f"p{n}" for n in range(4)]
    with served({name: desk_of(layout, name) for name in people}) as clients:

        def tab(client: Client) -> int:
            won = 0
            while (place := client.state()["current"]) is not None:
                client.keep_draft(place, rationale="half")
                reply = client.answer(place, answer=place["asked"]["answers"][0]["name"], rationale=f"of {id(place)}")
                assert reply.status in (200, 409)
                won += reply.status == 200
            return won

        with ThreadPoolExecutor(8) as pool:  # two tabs each
            won = list(pool.map(tab, [clients[name] for name in people * 2]))
    votes = load_labels(load_suite(layout)).votes
    assert sum(won) == sum(len(cast) for cast in votes.values()) == len(cases) * 4 * len(people)
    assert all([cast.annotator for cast in many] == people for many in votes.values())
    assert drafts(layout) == []


def test_a_vote_of_the_other_purpose_passes_the_case_over(tmp_path: Path) -> None:
    layout = make_suite(tmp_path, checks=checks_text("S001"), votes={"eve/S001": votes_text("S001", "eve", ANSWERS)})
    with served({"eve": desk_of(layout, "eve", check=True), "dan": desk_of(layout, "dan", check=True)}) as clients:
        state = clients["eve"].state()
        assert (state["total"], state["passed_over"], state["work"]) == (0, 1, "check")
        vote_all(clients["dan"])
    assert 'purpose: "check"' in text_of(layout, "dan") and "dan" not in text_of(layout, "eve")
    assert len(load_labels(load_suite(layout)).checks) == 4


def test_a_pilot_is_kept_apart_and_ends_with_its_agreement(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    desks = {name: desk_of(layout, name, pilot=True) for name in ("eve", "dan")}
    with served(desks, pilot=layout) as clients:
        vote_all(clients["eve"])
        assert clients["eve"].ask("GET", "/api/agreement").status == 409
        while (place := clients["dan"].state()["current"]) is not None:
            first, second = (answer["name"] for answer in place["asked"]["answers"][:2])
            odd = place["asked"]["text"].startswith("The final answer")
            clients["dan"].answer(place, answer=second if odd else first)
        told = clients["eve"].ask("GET", "/api/agreement").told
        assert told["annotators"] == ["eve", "dan"]
        raw = {(row["statement"], row["stratum"]): row["raw"].split()[0] for row in told["rows"]}
        assert raw["format-kept", "tickets"] == "0/1" and raw["quality", "pairs"] == "1/1"
        assert clients["eve"].state()["previous"] is None  # nobody changes a vote that has seen the agreement
        assert clients["eve"].take_back({"item": place_of_first(layout), "statement": 1}).status == 409
    assert not (layout.labels / "votes" / "eve").exists()
    labels, problems = read_pilot(load_suite(layout))
    assert not problems and sorted({c.annotator for many in labels.votes.values() for c in many}) == ["dan", "eve"]
    assert main(["lint", "--suite", str(layout.suite)]) == 0


def place_of_first(layout: Layout) -> str:
    loaded = load_suite(layout).cases[0]
    return place_of(Task(loaded, loaded.case.attempts[0], loaded.statements[0])).item


def test_a_pilot_goes_on_with_its_own_cases(tmp_path: Path) -> None:
    layout = make_suite(tmp_path)
    pilot = layout.labels / "pilot" / "votes" / "ann" / "S002.yaml"
    pilot.parent.mkdir(parents=True)
    pilot.write_text(VOTES["ann/S002"])
    assert desk_of(layout, "eve", pilot=True).state().total == 4
    assert desk_of(layout, "eve", list(CASES), pilot=True).state().total == 8
