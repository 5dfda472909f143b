"""Pictures of the report and of the label page, for the documentation: make screenshots."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from browser.conftest import FLAGS, chromium

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


def main(report: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        report_pictures(browser, report, folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
