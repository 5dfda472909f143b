"""The label page in a real browser, against a real server process that may be killed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Opener, Watch, serious
from playwright.sync_api import Page, expect
from suites import ANSWERS, CASES, SUITE, VOTES, case_text, make_suite, votes_text

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.labels.load import load_labels

GUIDE = """\
# Guide

Guide version: 7

## The statements

### 1. format-kept
*Greeting, answer, signature.* A missing one is `no`.

## Near misses

| seen | statement 1 | because |
|---|---|---|
| "Hi," alone | yes | it greets |
"""
ONE = CASES["S001"]


class Served:
    """A server process; ``urls`` by person."""

    def __init__(self, layout: Layout, *words: str) -> None:
        self.layout, self.words = layout, words
        self.start(*words)

    def start(self, *words: str) -> None:
        command = [sys.executable, "-m", "bench", *words, "--web", "--suite", str(self.layout.suite)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=self.layout.root)
        assert self.process.stdout is not None
        self.urls: dict[str, str] = {}
        while match := re.match(r"(\w+): (http://\S+)", self.process.stdout.readline()):
            self.urls[match[1]] = match[2]
        assert self.urls

    @property
    def port(self) -> str:
        return next(iter(self.urls.values())).split(":")[2].split("/")[0]

    def kill(self) -> None:
        """As a crash or a power cut would end it."""
        self.process.kill()
        self.process.communicate()

    def restart(self) -> None:
        self.start(*self.words, "--port", self.port)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=10)


@pytest.fixture
def serving() -> Iterator[Callable[..., Served]]:
    """Starts servers. Ask for it before ``open_page``: pages close first, then servers end."""
    running: list[Served] = []

    def start(layout: Layout, *words: str) -> Served:
        running.append(Served(layout, *words))
        return running[-1]

    yield start
    for served in running:
        served.stop()


def suite_of(tmp_path: Path, **parts: object) -> Layout:
    layout = make_suite(tmp_path, **({"cases": {"S001": ONE}, "votes": {}, "splits": None} | parts))  # type: ignore[arg-type]
    (layout.labels / "GUIDE.md").write_text(GUIDE)
    return layout


def vote_text(layout: Layout, annotator: str, case: str = "S001") -> str:
    text = (layout.labels / "votes" / annotator / f"{case}.yaml").read_text(encoding="utf-8")
    return re.sub("\nat: .*", "", text)


def asks(page: Page, number: int) -> None:
    expect(page.locator(".step")).to_have_text(f"Statement {number} of 4")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


WHOLE = """\
schema: 1
case: "S001"
annotator: "ada"
made_by: "person"
guide: "7"
preset: "reading@2"
votes:
  - attempt: "a1"
    statement: "format-kept"
    answer: "unclear"
    evidence: [1, 3]
    rationale: "Hard to say."
  - attempt: "a1"
    statement: "mentions-refund"
    answer: "no"
    evidence: [2]
    rationale: "It is elsewhere.\\nIn another tool."
    also:
      gap: "other"
  - attempt: "a1"
    statement: "quality"
    answer: "4"
    evidence: []
    rationale: "Well, but <b>short</b>."
  - attempt: "a1"
    statement: "channel"
    answer: "phone"
    evidence: []
    rationale: "To the hotline."
"""


def test_a_full_round_by_keyboard_through_undo_and_a_crash(
    tmp_path: Path, serving: Callable[..., Served], open_page: Opener, watch: Watch
) -> None:
    watch.forgiven = ["ERR_CONNECTION_REFUSED", "403", "422"]
    layout = suite_of(tmp_path)
    served = serving(layout, "label", "--annotator", "ada")
    page = open_page(served.urls["ada"])
    asks(page, 1)
    expect(page.locator("#guide")).to_contain_text("Greeting, answer, signature.")
    expect(page.locator("#guide table")).to_contain_text("it greets")
    press(page, "y", "Enter")  # nothing without a reason
    expect(page.locator("#wrong-rationale")).to_have_text("say why, in one or two sentences")
    expect(page.locator("#rationale")).to_be_focused()
    page.keyboard.type("Hard to say.")
    press(page, "Escape", "j", "e", "j", "j", "e", "Enter")
    asks(page, 2)
    press(page, "z")  # taken back, with all that it held
    asks(page, 1)
    assert not (layout.labels / "votes" / "ada" / "S001.yaml").exists()
    expect(page.locator("#rationale")).to_have_value("Hard to say.")
    expect(page.locator("#answer-yes")).to_be_checked()
    expect(page.locator("#evidence")).to_contain_text("#3")
    press(page, "u", "Enter")
    asks(page, 2)
    press(page, "n", "2", "r")
    page.keyboard.type("It is elsewhere.")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("In another tool.")
    page.locator(".event").nth(1).click()
    expect(page.locator("#saved")).to_have_text("Draft saved")
    served.kill()
    served.restart()
    page.goto(served.urls["ada"])
    asks(page, 2)
    expect(page.locator("#saved")).to_have_text("Draft restored")
    expect(page.locator("#rationale")).to_have_value("It is elsewhere.\nIn another tool.")
    expect(page.locator("[id='also.gap-other']")).to_be_checked()
    expect(page.locator(".event.picked")).to_have_count(1)
    press(page, "Enter")
    asks(page, 3)
    press(page, "4", "r")
    page.keyboard.type("Well, but <b>short</b>.")
    press(page, "Enter")
    asks(page, 4)
    press(page, "2", "r")
    page.keyboard.type("To the hotline.")
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text("Nothing is left to vote on.")
    assert vote_text(layout, "ada") == WHOLE
    assert list((layout.root / ".bench" / "drafts").rglob("*.json")) == []
    assert serious(page) == []


def test_what_was_typed_while_the_server_is_gone_is_not_lost(
    tmp_path: Path, serving: Callable[..., Served], open_page: Opener, watch: Watch
) -> None:
    watch.forgiven = ["ERR_CONNECTION_REFUSED", "403"]
    served = serving(suite_of(tmp_path), "label", "--annotator", "ada")
    page = open_page(served.urls["ada"])
    asks(page, 1)
    served.kill()
    press(page, "y", "r")
    page.keyboard.type("Typed into the void.")
    expect(page.locator("#banner")).to_contain_text("The server does not answer. What you typed stays here")
    press(page, "Enter")
    expect(page.locator("#banner")).to_contain_text("Nothing was cast yet.")
    expect(page.locator("#rationale")).to_have_value("Typed into the void.")
    served.restart()
    expect(page.locator("#banner")).to_contain_text("Open the address that the terminal printed last")
    page.goto(served.urls["ada"])
    expect(page.locator("#rationale")).to_have_value("Typed into the void.")
    expect(page.locator("#answer-yes")).to_be_checked()
    expect(page.locator("#saved")).to_have_text("Draft saved")
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('bench-unsent'))") == []
    assert served.urls["ada"].split("=")[1] not in page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")


def test_two_annotators_and_two_tabs_at_once_lose_nothing(
    tmp_path: Path, serving: Callable[..., Served], open_page: Opener, watch: Watch
) -> None:
    watch.forgiven = ["409"]
    layout = suite_of(tmp_path)
    served = serving(layout, "label", "--annotator", "ada", "--annotator", "grace")
    ada, grace, tab = (open_page(served.urls[name]) for name in ("ada", "grace", "ada"))
    for page, key in ((ada, "y"), (grace, "n"), (tab, "u")):
        asks(page, 1)
        press(page, key, "r")
        page.keyboard.type(f"By key {key}.")
    for page in (ada, grace):
        press(page, "Enter")
        asks(page, 2)
    press(tab, "Enter")
    expect(tab.locator(".there")).to_contain_text("yes. \u201cBy key y.\u201d")
    expect(tab.locator("#rationale")).to_have_value("By key u.")
    press(tab, "Enter")  # the button to go on has the focus
    asks(tab, 2)
    for page, key in ((ada, "y"), (tab, "u")):
        press(page, key, "r")
        page.keyboard.type(f"Second by {key}.")
        press(page, "Enter")
    tab.get_by_text("Replace it with mine").click()
    asks(tab, 3)
    votes = load_labels(load_suite(layout, splits_may_lag=True)).votes["S001", "a1", "format-kept"]
    assert [(c.annotator, c.vote.answer, c.vote.rationale) for c in votes] == [
        ("ada", "yes", "By key y."), ("grace", "no", "By key n."),
    ]  # fmt: skip
    second = load_labels(load_suite(layout, splits_may_lag=True)).votes["S001", "a1", "mentions-refund"]
    assert [(c.annotator, c.vote.rationale) for c in second] == [("ada", "Second by u.")]
    assert "grace" not in ada.content() and "By key n." not in ada.content()


def differing(tmp_path: Path) -> Layout:
    bob = votes_text("S001", "bob", ANSWERS | {"format-kept": "no", "quality": "2"}).replace("[3]", "[2, 3]")
    return suite_of(tmp_path, votes={"ann/S001": VOTES["ann/S001"], "bob/S001": bob})


def test_adjudication_shows_both_votes_and_keeps_the_ruling(
    tmp_path: Path, serving: Callable[..., Served], open_page: Opener
) -> None:
    layout = differing(tmp_path)
    served = serving(layout, "adjudicate", "--adjudicator", "chair")
    page = open_page(served.urls["chair"])
    expect(page.locator(".vote")).to_have_count(2)
    expect(page.locator(".vote").first).to_contain_text("ann")
    expect(page.locator(".event").nth(1).locator(".badge")).to_have_text(["B"])
    expect(page.locator(".event").nth(2).locator(".badge")).to_have_text(["A", "B"])
    assert serious(page) == []
    press(page, "n", "r")
    page.keyboard.type("The guide says so.")
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text("How well is the customer helped?")
    press(page, "z")
    expect(page.locator("#rationale")).to_have_value("The guide says so.")
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text("How well is the customer helped?")
    press(page, "3", "r")
    page.keyboard.type("Between both.")
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text("Every item with votes that differ is settled.")
    found = load_labels(load_suite(layout, splits_may_lag=True)).rulings
    assert {item[2]: (r.answer, r.reason) for item, r in found.items()} == {
        "format-kept": ("no", "The guide says so."), "quality": ("3", "Between both."),
    }  # fmt: skip


EVIL = (
    "<script>window.hit=1</script><img src=x onerror=window.hit=2>\" ' &lt; \u202egnp.exe\u2066 </article></style>${1}"
)


def test_a_hostile_trace_is_text(tmp_path: Path, serving: Callable[..., Served], open_page: Opener) -> None:
    quoted = EVIL.replace("\\", "\\\\").replace('"', '\\"')
    text = ONE.replace('"How long may I take to send the lamp back?"', f'"{quoted}"').replace(
        "query: How long may I take to send the lamp back?", f'query: "{quoted}"'
    )
    text = text.replace("topic: returns", f'topic: "{quoted}"').replace('output: "30 days"', f'output: "{quoted}"')
    served = serving(suite_of(tmp_path, cases={"S001": text}), "label", "--annotator", "ada")
    page = open_page(served.urls["ada"])
    asks(page, 1)
    shown = page.locator(".event").first.locator("pre").inner_text()
    assert shown == EVIL.replace("\u202e", "\\u202e").replace("\u2066", "\\u2066")
    page.locator("#find").fill("<script>")
    expect(page.locator("#hits")).to_have_text("4 hits")
    press(page, "Enter")
    expect(page.locator("mark.now")).to_have_text("<script>")
    page.locator("#rationale").fill(EVIL)
    expect(page.locator("#saved")).to_have_text("Draft saved")
    page.reload()
    expect(page.locator("#rationale")).to_have_value(EVIL)
    assert page.evaluate("window.hit") is None
    assert page.locator("#events img, #events script, #question img").count() == 0


def wait_for_text(page: Page, selector: str, told: str) -> None:
    """As ``expect`` does it, without its snapshot of the whole page at each try, which takes seconds on 5,000 events."""
    for _ in range(500):
        if told in page.evaluate("(one) => document.querySelector(one)?.textContent ?? ''", selector):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"{selector} never says {told!r}")


def test_a_huge_session_stays_quick(tmp_path: Path, serving: Callable[..., Served], open_page: Opener) -> None:
    line = "x" * 500_000 + "needle" + "y" * 500_000
    events = [f'      - {{kind: message, text: "event {n} {"word " * 30}"}}\n' for n in range(2, 5000)]
    text = ONE.partition("      - {kind: tool_call")[0] + "".join(events)
    text += f'      - {{kind: command, command: "cat big", output: "{line}"}}\n'
    served = serving(suite_of(tmp_path, cases={"S001": text}), "label", "--annotator", "ada", "--preset", "events")
    page = open_page(served.urls["ada"])
    wait_for_text(page, ".event:last-child", "cat big")

    steps: list[tuple[Callable[[], object], str, str]] = [
        (lambda: (page.locator("#jump").fill("4990"), press(page, "Enter")), ".event.here", "event 4990"),
        (lambda: page.locator("#find").fill("needle"), "#hits", "1 hit"),
        (lambda: press(page, "Enter"), "mark.now", "needle"),
        (lambda: page.locator("#find").fill("word"), "#hits", "10,000+ hits"),
        (lambda: press(page, "Escape", "e"), "#evidence", "#5000"),
        (lambda: press(page, "k", "k", "k"), ".event.here", "event 4997"),
    ]
    times = {}
    for act, selector, told in steps:
        start = time.perf_counter()
        act()
        wait_for_text(page, selector, told)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        times[told] = time.perf_counter() - start
    assert {told: seconds for told, seconds in times.items() if seconds > 2} == {}


def test_long_texts_fold_and_the_keys_move(tmp_path: Path, serving: Callable[..., Served], open_page: Opener) -> None:
    output = "\\n".join(f"line {n}" for n in range(300))
    text = ONE.replace('output: "30 days"', f'output: "{output}"')
    page = open_page(serving(suite_of(tmp_path, cases={"S001": text}), "label", "--annotator", "ada").urls["ada"])
    asks(page, 1)
    second = page.locator(".event").nth(1)
    expect(second).not_to_contain_text("line 299")
    press(page, "j", "j", "o")
    expect(second).to_contain_text("line 299")
    expect(second).to_be_focused()
    press(page, "o")
    expect(second).not_to_contain_text("line 299")
    press(page, "/")
    page.keyboard.type("line 29")
    expect(page.locator("#hits")).to_have_text("11 hits")
    press(page, "Enter", "Enter", "Escape", ".")
    expect(page.locator("#hits")).to_have_text("3 of 11")
    expect(page.locator("mark.now")).to_be_in_viewport()
    press(page, "#")
    page.keyboard.type("3")
    press(page, "Enter")
    expect(page.locator(".event").nth(2)).to_be_focused()
    press(page, "k", "e", "e", "k", "e", "g")
    expect(page.locator(".mark")).to_have_count(1)
    expect(page.locator("#guide")).to_be_hidden()
    press(page, "?")
    expect(page.locator("#keys")).to_be_visible()
    assert serious(page) == []
    press(page, "Escape")
    expect(page.locator("#keys")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (820, 1180)])
def test_everybody_can_use_it(
    tmp_path: Path, serving: Callable[..., Served], open_page: Opener, scheme: str, size: tuple[int, int]
) -> None:
    served = serving(suite_of(tmp_path), "label", "--annotator", "ada")
    page = open_page(
        served.urls["ada"], color_scheme=scheme, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"
    )
    asks(page, 1)
    press(page, "n", "j", "e")
    expect(page.locator("#saved")).to_have_text("Draft saved")
    assert serious(page) == []
    for selector in ("#session", "#question", "#guide"):
        box = page.locator(selector).bounding_box()
        assert box is not None and box["width"] > 200 and box["y"] + box["height"] <= size[1] + 1
    send = page.locator("button[type=submit]").bounding_box()
    assert send is not None and send["height"] >= 44 and send["y"] + send["height"] <= size[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_a_pause_is_proposed_once_and_can_be_declined(
    tmp_path: Path, serving: Callable[..., Served], open_page: Opener
) -> None:
    page = open_page(serving(suite_of(tmp_path), "label", "--annotator", "ada").urls["ada"])
    page.clock.install()
    page.reload()
    asks(page, 1)
    for _ in range(12):  # at work all the time
        page.clock.fast_forward("04:00")
        press(page, "j")
    expect(page.locator("#pause")).to_be_hidden()
    page.clock.fast_forward("03:00")
    expect(page.locator("#pause")).to_contain_text("a short pause")
    page.get_by_text("Do not remind me").click()
    page.clock.fast_forward("59:00")
    expect(page.locator("#pause")).to_be_hidden()


def test_a_pilot_ends_with_its_agreement(
    tmp_path: Path, serving: Callable[..., Served], open_page: Opener, watch: Watch
) -> None:
    watch.forgiven = ["409"]
    families = {f"S{n:03d}": case_text(f"S{n:03d}", f"family-{n}") for n in range(1, 4)}
    splits = "schema: 1\nseed: 1\nfamilies: {family-1: test, family-2: test, family-3: test}\n"
    layout = suite_of(tmp_path, cases=families, splits=splits, suite=SUITE)
    served = serving(layout, "label", "--pilot", "--annotator", "ada", "--annotator", "grace")
    for name, last in (("ada", False), ("grace", True)):
        page = open_page(served.urls[name])
        for done in range(12):
            expect(page.locator("#pace")).to_contain_text(f"{done} of 12")
            press(page, "y" if page.locator("#answer-yes").count() else "1", "r")
            page.keyboard.type("R")
            press(page, "Enter")
        page.get_by_role("button", name="Show the agreement").click()
        if not last:
            expect(page.locator(".end")).to_contain_text("Others are still voting")
    expect(page.locator(".end table")).to_contain_text("format-kept")
    expect(page.locator(".end tbody tr").first).to_contain_text("3/3")
    expect(page.locator("#undo")).to_be_disabled()
    assert serious(page) == []
