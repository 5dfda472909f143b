"""Write a report folder: Markdown, JSON, the page, JUnit, and the figures as SVG, PNG and CSV."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from bench.benchmark import Benchmark
from bench.deciding.certificate import Certificate
from bench.report.ci.junit import junit
from bench.report.document import as_text, document
from bench.report.markdown.report import markdown
from bench.report.page.render import page
from bench.report.page.sessions import Embed
from bench.report.plots.draw import draw_plots


def write_report(
    benchmark: Benchmark,
    folder: Path,
    *,
    plots: bool,
    embed: Embed = "inline",
    certificates: Sequence[Certificate] = (),
) -> None:
    """Replace the folder's report. The same figures give the same bytes."""
    pictures = folder / "plots"
    if pictures.is_dir():
        shutil.rmtree(pictures)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw_plots(benchmark, pictures) if plots else ()
    texts = {
        "report.json": as_text(document(benchmark, certificates)),
        "report.md": markdown(benchmark, [(one.name, one.title, one.alt) for one in drawn], certificates),
        "report.html": page(benchmark, drawn, embed, certificates),
        "junit.xml": junit(benchmark),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
