"""The report page of ten thousand cases: what it weighs, how long a browser takes to open it, and to answer a click.

python tests/perf/report_page.py > reports/perf/page.md      (make perf; needs Chromium)
"""

from __future__ import annotations

import contextlib
import io
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from browser.conftest import FLAGS, chromium
from page_suites import page_suite, write_page_suite
from playwright.sync_api import Page, sync_playwright
from sharing import grid, machine

from bench.cli import main

SIZES = (100, 1_000, 10_000)
REPEATS = 5
HEAD = ["cases", "verdicts", "page, MB", "bench report, s", "opens, ms", "filter, ms", "slider, ms", "sort, ms",
        "a case, ms", "heap, MB"]  # fmt: skip


def report_of(cases: int, folder: Path) -> tuple[Path, float]:
    """The page, and how long `bench report` took from stored verdicts."""
    layout = write_page_suite(folder, page_suite(cases))
    words = ["--suite", str(layout.suite), "--out", str(folder / "out")]
    with contextlib.redirect_stdout(io.StringIO()):
        main(["run", "--suite", str(layout.suite), "--judge-missing"])
        start = time.perf_counter()
        main(["report", *words])
    return folder / "out" / "report.html", time.perf_counter() - start


# What a reader does, each as a script that gives the milliseconds until the page has drawn the answer.
DRAWN = "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))))"
FILTER = f"""async () => {{
  const start = performance.now(), field = document.getElementById('f-shape');
  field.value = field.value === 'split' ? '*' : 'split';
  field.dispatchEvent(new Event('input', {{ bubbles: true }}));
  await new Promise((done) => setTimeout(done, 30)); // the page waits so long for more keys
  return await {DRAWN} - 30;
}}"""
SLIDE = f"""async () => {{
  const start = performance.now(), slide = document.getElementById('at');
  slide.value = (Number(slide.value) + 17) % Number(slide.max);
  slide.dispatchEvent(new Event('input', {{ bubbles: true }}));
  return await {DRAWN};
}}"""
SORT = f"""async () => {{
  const start = performance.now();
  document.querySelector('#effectiveness thead th button').click();
  return await {DRAWN};
}}"""
OPEN = """async (name) => {
  const start = performance.now(), box = document.getElementById('case');
  location.hash = 'case=' + name;
  while (box.dataset.shown !== name) await new Promise((done) => setTimeout(done, 1));
  return performance.now() - start;
}"""


def measured(page: Page, path: Path, cases: int) -> list[str]:
    """Milliseconds: open, filter, slider, sort, open a case (each of another pack)."""
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    loads = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        page.reload()
        page.wait_for_selector("html[data-ready]", state="attached")
        loads.append((time.perf_counter() - start) * 1000)
    clicks = [[page.evaluate(script) for _ in range(REPEATS)] for script in (FILTER, SLIDE, SORT)]
    step = cases // REPEATS
    clicks.append([page.evaluate(OPEN, f"S{number * step:03d}/a1") for number in range(REPEATS)])
    heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
    return [f"{statistics.median(values):.0f} ({max(values):.0f})" for values in (loads, *clicks)] + [f"{heap:.0f}"]


def table() -> str:
    rows = []
    with sync_playwright() as play, tempfile.TemporaryDirectory() as scratch:
        browser = play.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        for cases in SIZES:
            path, seconds = report_of(cases, Path(scratch) / str(cases))
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            size = path.stat().st_size / 1e6
            rows.append([f"{cases:,}", f"{cases * 8:,}", f"{size:.1f}", f"{seconds:.1f}", *measured(page, path, cases)])
            page.close()
        browser.close()
    return grid(HEAD, rows)


if __name__ == "__main__":
    print("# The report page\n")
    print(
        f"Synthetic cases of three events, two statements, four judges. Milliseconds: median of {REPEATS} (and the longest), "
        f"from the act to the drawn answer, in headless Chromium. {machine()} Made by `make perf`.\n"
    )
    print(table())
