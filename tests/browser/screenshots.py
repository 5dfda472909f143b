"""Pictures of the report and of the label page, for the documentation: make screenshots."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from browser.conftest import FLAGS, chromium

ROOT = Path(__file__).parent.parent.parent
CASE = "L0059"
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 780}


def report_pictures(browser: Browser, report: Path, folder: Path) -> None:
    """Opening (light, dark, phone), a figure, the threshold, the disagreements, and a case."""
    for name, options in {
        "report-light": {"viewport": WIDE},
        "report-dark": {"viewport": WIDE, "color_scheme": "dark"},
        "report-phone": {"viewport": PHONE, "is_mobile": True},
    }.items():
        page = opened(browser, report, **options)
        page.screenshot(path=folder / f"{name}.png")
    page = opened(browser, report, viewport=WIDE)
    for name, place in (
        ("report-figures", "#effectiveness .figures"),
        ("report-threshold", "#threshold"),
        ("report-cases", "#cases"),
    ):
        page.evaluate("(place) => document.querySelector(place).scrollIntoView({ behavior: 'instant' })", place)
        page.screenshot(path=folder / f"{name}.png")
    page.locator("#f-stratum").select_option(label="twins")
    page.locator("#matrix tbody button").first.click()
    page.wait_for_selector("#case[data-shown]")
    page.screenshot(path=folder / "report-case.png")


def opened(browser: Browser, report: Path, **options: object) -> Page:
    page = browser.new_context(**options).new_page()  # type: ignore[arg-type]
    page.goto(report.resolve().as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    return page


def label_picture(browser: Browser, folder: Path) -> None:
    """A vote half given, on a copy of the shipped suite without its votes."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        shutil.copytree(ROOT / "cases", root / "cases")
        (root / "labels" / "lessons").mkdir(parents=True)
        shutil.copy(ROOT / "labels" / "GUIDE.md", root / "labels" / "GUIDE.md")
        command = [sys.executable, "-m", "bench", "label", "--web", "--annotator", "ada", "--case", CASE]
        served = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
        try:
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            page.goto(served.stdout.readline().split()[1])  # type: ignore[union-attr]
            page.wait_for_selector(".step")
            half_a_vote(page)
            page.screenshot(path=folder / "label-page.png")
        finally:
            served.send_signal(signal.SIGINT)
            served.wait(10)


def half_a_vote(page: Page) -> None:
    """As an annotator would leave it for a moment: an answer, two events, some words."""
    page.keyboard.press("y")
    for key in ("j", "j", "e", "j", "e"):
        page.keyboard.press(key)
    page.keyboard.press("r")
    page.keyboard.type("The table was written and the last run ended well.")
    page.wait_for_timeout(1200)  # saved by now, and said so


def main(report: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        report_pictures(browser, report, folder)
        label_picture(browser, folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
