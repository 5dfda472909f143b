"""Write a report folder: Markdown, JSON, HTML, JUnit, and the figures as SVG and PNG."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.benchmark import Benchmark
from bench.report.document import as_text, document
from bench.report.html import html
from bench.report.junit import junit
from bench.report.markdown import markdown
from bench.report.plots import PLOTS, draw_plots


def write_report(benchmark: Benchmark, folder: Path, *, plots: bool) -> None:
    """Replace the folder's report. The same figures give the same bytes."""
    pictures = folder / "plots"
    if pictures.is_dir():
        shutil.rmtree(pictures)
    folder.mkdir(parents=True, exist_ok=True)
    names = draw_plots(benchmark, pictures) if plots else ()
    svgs = {name: (pictures / f"{name}.svg").read_text(encoding="utf-8") for name in names}
    texts = {
        "report.json": as_text(document(benchmark)),
        "report.md": markdown(benchmark, [(name, PLOTS[name].title) for name in names]),
        "report.html": html(benchmark, svgs),
        "junit.xml": junit(benchmark),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
