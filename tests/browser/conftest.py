"""A real Chromium for the pages. Every page is watched: an error on its console or a request that leaves it fails the test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# Without these a browser as root on a machine without a network starts slowly, or not at all.
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip

Opener = Callable[..., "Page"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def chromium() -> str:
    """The browser of the system: CHROMIUM, or the first that is on the path."""
    found = os.environ.get("CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail("no Chromium found: install it (Debian: apt-get install chromium) or name it in CHROMIUM")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        launched = play.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield launched
        launched.close()


class Watch:
    """What pages did that a good page never does."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.left: list[str] = []
        self.forgiven: list[str] = []  # parts of messages that a test provokes on purpose

    def follow(self, page: Page, url: str) -> None:
        home = urlsplit(url)
        page.on("console", lambda m: self.errors.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._request(request.url, home.scheme, home.netloc, url))

    def _request(self, wanted: str, scheme: str, netloc: str, url: str) -> None:
        asked = urlsplit(wanted)
        if asked.scheme in ("data", "blob") or wanted.partition("#")[0] == url.partition("#")[0]:
            return
        if scheme == "file" or (asked.scheme, asked.netloc) != (scheme, netloc):
            self.left.append(wanted)

    @property
    def unforgiven(self) -> list[str]:
        return [error for error in self.errors if not any(part in error for part in self.forgiven)]


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def open_page(browser: Browser, watch: Watch) -> Iterator[Opener]:
    """``open_page(url, **context options)`` gives a watched page in a context of its own (one person, one profile)."""
    contexts: list[BrowserContext] = []

    def opener(url: str, **options: object) -> Page:
        context = browser.new_context(accept_downloads=True, **options)  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        watch.follow(page, url)
        page.goto(url)
        return page

    yield opener
    for context in contexts:
        context.close()
    assert watch.left == [], "the page asked for something outside itself"
    assert watch.unforgiven == [], "the page's console shows errors"


def serious(page: Page) -> list[str]:
    """What axe calls serious or critical on the page, as rule and first place."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{v['id']}: {v['help']} ({len(v['nodes'])}, first {v['nodes'][0]['target']})"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
