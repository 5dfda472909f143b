"""The documentation's site in a real browser: it opens quietly, search works without a network, axe finds nothing serious."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.conftest import Opener, Watch, serious
from built_site import build_site
from playwright.sync_api import expect


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    root = ""

    def translate_path(self, path: str) -> str:
        self.directory = self.root
        return super().translate_path(path)

    def log_message(self, format: str, *args: object) -> None:
        """Not even that a page was asked for."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    handler = type("OfSite", (Quiet,), {"root": str(site)})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("page", ["index", "tutorial", "reference/commands", "reading-a-report"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_opens_quietly_and_accessibly(
    open_page: Opener, watch: Watch, address: str, page: str, scheme: str
) -> None:
    watch.forgiven.append("404")  # the icon that a browser asks for by itself
    opened = open_page(f"{address}/docs/{page}.html", color_scheme=scheme)
    expect(opened.locator("h1")).to_be_visible()
    assert serious(opened) == []


def test_search_needs_nothing_but_the_files(open_page: Opener, watch: Watch, address: str) -> None:
    watch.forgiven.append("404")
    page = open_page(f"{address}/docs/index.html")
    page.locator("input.sidebar-search").fill("krippendorff")
    page.locator("input.sidebar-search").press("Enter")
    expect(page.locator("ul.search li a").first).to_be_visible()
    assert "reference/metrics" in " ".join(
        link.get_attribute("href") or "" for link in page.locator("ul.search li a").all()
    )


def test_the_sites_address_opens_its_front_page(open_page: Opener, watch: Watch, address: str) -> None:
    watch.forgiven.append("404")
    page = open_page(f"{address}/")
    page.wait_for_url("**/docs/index.html")
    expect(page.locator("h1")).to_contain_text("lessonbench")
