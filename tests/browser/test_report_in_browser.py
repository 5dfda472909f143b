"""The report in a real browser: what a reader clicks works, and nothing that a session holds gets out of its text."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import Opener, Watch, serious
from page_suites import HOSTILE, hostile_suite, page_suite, write_page_suite
from playwright.sync_api import Browser, Page, expect

from bench.cli import main

SHIPPED = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of the shipped suite."""
    out = tmp_path_factory.mktemp("shipped")
    assert main(["report", "--suite", str(SHIPPED / "cases" / "lessons"), "--out", str(out)]) == 0
    return (out / "report.html").as_uri()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _report(tmp_path_factory.mktemp("hostile"), hostile_suite())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _report(tmp_path_factory.mktemp("small"), page_suite(60))


def _report(root: Path, parts: object) -> str:
    layout = write_page_suite(root, parts)  # type: ignore[arg-type]
    assert main(["all", "--suite", str(layout.suite), "--out", str(root / "out")]) in (0, 2)
    return (root / "out" / "report.html").as_uri()


def _downloaded(page: Page, name: str) -> str:
    with page.expect_download() as started:
        page.locator(name).first.click()
    return Path(started.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_shipped_report_opens_quietly_and_accessibly(open_page: Opener, shipped: str, scheme: str) -> None:
    page = open_page(shipped, color_scheme=scheme)
    expect(page.locator("html[data-ready]")).to_have_count(1)
    expect(page.locator("#conclusion .first")).to_contain_text("judges with a declared claim beats")
    assert serious(page) == []
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert serious(page) == []


def test_a_phone_shows_it_without_scrolling_sideways(open_page: Opener, shipped: str) -> None:
    page = open_page(shipped, viewport={"width": 390, "height": 844}, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_without_scripts_the_tables_and_figures_are_whole(open_page: Opener, shipped: str) -> None:
    page = open_page(shipped, java_script_enabled=False)
    expect(page.locator("#effectiveness table").first).to_be_visible()
    assert page.locator("figure svg").count() >= 5
    expect(page.locator("#cases")).to_be_hidden()


def test_a_column_sorts_both_ways_and_the_undefined_stays_last(open_page: Opener, shipped: str) -> None:
    page = open_page(shipped)
    table = page.locator("#effectiveness table").first
    table.get_by_role("button", name="MCC").click()
    values = [
        float(v)
        for v in table.locator("tbody tr td:nth-child(5)").evaluate_all(
            "all => all.map(c => c.dataset.v).filter(Boolean)"
        )
    ]
    assert values == sorted(values, reverse=True)
    table.get_by_role("button", name="MCC").click()
    cells = table.locator("tbody tr td:nth-child(5)").evaluate_all("all => all.map(c => c.dataset.v ?? null)")
    known = [float(v) for v in cells if v is not None]
    assert known == sorted(known)
    assert cells[len(known) :] == [None] * (len(cells) - len(known))
    assert len(cells) > len(known)


def test_every_figure_is_taken_along_as_picture_and_as_numbers(open_page: Opener, shipped: str) -> None:
    page = open_page(shipped)
    names = page.locator("figure[data-name]").evaluate_all("all => all.map((figure) => figure.dataset.name)")
    assert {"precision-recall", "reliability", "risk-coverage", "quality-cost", "confusion", "agreement"} <= set(names)
    for name in names:
        page.reload()  # a browser stops a page that starts ten downloads in a row
        picture = ElementTree.fromstring(_downloaded(page, f"figure[data-name='{name}'] [data-take=svg]"))
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        rows = list(csv.reader(io.StringIO(_downloaded(page, f"figure[data-name='{name}'] [data-take=csv]"))))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}


def test_the_slider_counts_as_the_embedded_probabilities_say(open_page: Opener, small: str) -> None:
    page = open_page(small)
    told = page.evaluate(
        """() => {
          const data = JSON.parse(document.getElementById('data').textContent);
          const judge = data.judges.findIndex((j) => j.name.endsWith('Guess')), statement = 'solved';
          const split = data.attempts.split.names.indexOf('test');
          const label = [...data.labels[statement]].map((c) => data.codes[c][1]);
          return data.judges[judge].verdicts[statement].p.map((p, n) => [p, label[n], data.attempts.split.at[n] === split]);
        }"""
    )
    rows = [(p, label) for p, label, test in told if test]
    option = page.locator("#curve option", has_text=re.compile(r"Guess · solved .* reported rows"))
    page.locator("#curve").select_option(value=option.get_attribute("value"))
    for step in (0, 7, 23):
        page.locator("#at").evaluate(
            "(slide, v) => { slide.value = v; slide.dispatchEvent(new Event('input', { bubbles: true })); }", step
        )
        text = page.locator("#at-numbers").inner_text()
        threshold = sorted({p for p, _ in rows}, reverse=True)[step]
        tp = sum(p >= threshold and label == "yes" for p, label in rows)
        fp = sum(p >= threshold and label == "no" for p, label in rows)
        fn = sum(p < threshold and label == "yes" for p, label in rows)
        tn = sum(p < threshold and label == "no" for p, label in rows)
        assert f"{tp} {fp} {fn} {tn}" in text
        assert f"{tp} of {tp + fp}" in text
    expect(page.locator("#at-told")).to_contain_text("fitted to them")


def test_filters_find_the_items_that_their_words_say(open_page: Opener, small: str) -> None:
    page = open_page(small)
    found = page.locator("#found")
    expect(found).to_contain_text("of 40 items")  # the test split; a third of 60 is development
    page.locator("#f-label").select_option(label="yes")
    page.locator("#f-a").select_option(label="always-no")
    page.locator("#f-a-says").select_option(label="not as the label")
    yes = page.evaluate(
        """() => {
          const { labels, codes, attempts } = JSON.parse(document.getElementById('data').textContent);
          const test = attempts.split.names.indexOf('test');
          return [...labels.solved].filter((c, n) => codes[c][1] === 'yes' && attempts.split.at[n] === test).length;
        }"""
    )
    expect(found).to_contain_text(f"of {yes} items")
    page.locator("#f-a-says").select_option(label="as the label")
    expect(found).to_have_text("No item fits these filters.")
    page.get_by_role("button", name="Reset").click()
    expect(found).to_contain_text("of 40 items")
    page.locator("#f-id").fill("S001")
    expect(found).to_contain_text("of 1 items")
    rows = list(csv.reader(io.StringIO(_downloaded(page, "#rows-csv"))))
    assert [row[0] for row in rows] == ["case", "S001"]


def test_a_case_shows_session_votes_and_verdicts_and_leads_to_what_they_cite(open_page: Opener, small: str) -> None:
    page = open_page(small)
    page.locator("#f-id").fill("S004")
    page.locator("#matrix tbody button").first.click()
    box = page.locator("#case")
    expect(box).to_be_visible()
    expect(box.locator("#case-session")).to_contain_text("The lamp S004 is dark, for time 1.")
    expect(box.locator(".event[data-number='2']")).to_have_class(re.compile("cited"))
    expect(box.locator(".event[data-number='2']")).to_contain_text("cited by ann")
    expect(box.locator(".event mark").first).to_have_text("The lamp S004 is dark, for time 1.")
    expect(box.locator("#case-sides .card").first).to_contain_text("solved")
    box.locator(".cite", has_text="#2").first.click()
    expect(box.locator(".event.here")).to_have_attribute("data-number", "2")
    assert page.url.endswith("#case=S004/a1")
    assert serious(page) == []
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()


def test_a_link_to_a_case_opens_it_and_its_neighbours_are_one_step_away(open_page: Opener, small: str) -> None:
    page = open_page(small + "#case=S004/a1")
    box = page.locator("#case")
    expect(box).to_have_attribute("data-shown", "S004/a1")
    page.locator("#case-on").click()
    expect(box).not_to_have_attribute("data-shown", "S004/a1")
    page.locator("#case-back").click()
    expect(box).to_have_attribute("data-shown", "S004/a1")


@pytest.mark.parametrize("end", ["#case=%E0%A4%A", "#case=", "#case=S999/a1", "#%3Cscript%3E", "#case=S004/a1/../../x"])
def test_an_address_of_no_case_opens_none_and_breaks_nothing(open_page: Opener, small: str, end: str) -> None:
    page = open_page(small + end)
    expect(page.locator("html[data-ready]")).to_have_count(1)
    expect(page.locator("#case")).to_be_hidden()


def test_one_step_back_leaves_the_case(open_page: Opener, small: str) -> None:
    page = open_page(small)
    page.locator("#matrix tbody button").first.click()
    expect(page.locator("#case")).to_be_visible()
    page.go_back()
    expect(page.locator("#case")).to_be_hidden()


def test_the_last_case_asked_for_is_the_one_that_is_shown(open_page: Opener, small: str) -> None:
    page = open_page(small)
    page.evaluate("for (const n of ['001', '059', '030']) location.hash = `case=S${n}/a1`")
    expect(page.locator("#case")).to_have_attribute("data-shown", "S030/a1")
    page.wait_for_timeout(200)
    expect(page.locator("#case-title")).to_have_text("S030/a1")


def test_a_browser_that_cannot_unpack_says_so(small: str, browser: Browser) -> None:
    context = browser.new_context()
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(small + "#case=S004/a1")
    expect(page.locator("#case-session")).to_contain_text(
        "This browser cannot unpack it. Read it with: bench show S004/a1"
    )
    expect(page.locator("#case-sides .card").first).to_contain_text("always-yes")
    context.close()


def test_nothing_that_a_session_holds_becomes_more_than_text(open_page: Opener, hostile: str) -> None:
    page = open_page(hostile)
    page.locator("#f-split").select_option(label="all")
    page.locator("#f-order").select_option(label="as in the suite")
    nodes = page.evaluate(
        "document.querySelectorAll('img, iframe, object, embed, base, form[action], [onerror], [onload]').length"
    )
    for number in range(12):
        page.evaluate(f"location.hash = 'case=S{number:03d}/a1'")
        expect(page.locator("#case")).to_have_attribute("data-shown", f"S{number:03d}/a1")
        page.wait_for_timeout(20)
    text = page.locator("#case").inner_text()
    assert any(attack in text for attack in HOSTILE[:3])
    assert nodes == 0
    assert page.evaluate("document.querySelectorAll('#case img, #case script, #case svg, #case iframe').length") == 0
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.scripts.length") == 5  # four blocks of data and the page's own
    shown = page.evaluate("document.body.innerText")
    assert not set("\u202e\u2066\u200b\x1b\x07") & set(shown), "marks that turn or hide text are written out"


def test_a_line_of_a_megabyte_is_folded(open_page: Opener, hostile: str) -> None:
    page = open_page(hostile + "#case=S000/a1")
    expect(page.locator("#case")).to_have_attribute("data-shown", "S000/a1")
    assert page.evaluate("document.querySelector('#case-session').innerText.length") < 40_000


def test_the_policy_stops_a_script_that_is_not_the_page_s_own(open_page: Opener, small: str, watch: Watch) -> None:
    watch.forgiven.append("Content Security Policy")
    watch.forgiven.append("TrustedScript")
    page = open_page(small)
    page.evaluate(
        """() => {
          const made = document.createElement('script');
          try { made.text = 'window.hit = 1'; document.body.append(made); } catch { /* refused already */ }
        }"""
    )
    assert page.evaluate("window.hit") is None
    page.evaluate("() => fetch('https://example.org').catch(() => null)")
    assert watch.errors, "the browser says what it refused"
    watch.left.clear()
