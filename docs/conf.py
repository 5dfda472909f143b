"""The documentation as a site, made by `make docs`.

The project's root is the source, so that links between pages are those of the repository and read alike on both. A page's
place in the navigation is where one of ``CONTENTS`` links to it: a page that none of them links to fails the build.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx

from bench import __version__

CONTENTS = ("docs/index", "docs/decisions/README", "docs/reference/README", "docs/published")

project = "lessonbench"
author = project_copyright = "The lessonbench authors"
version = release = __version__
extensions = ["myst_parser"]
root_doc = CONTENTS[0]
include_patterns = [
    "*.md", "docs/*.md", "docs/**/*.md", "cases/README.md", "labels/GUIDE.md", "labels/*/pilot/README.md", "reports/**/*.md",
]  # fmt: skip
exclude_patterns = [
    ".*", "build", "dist", "bench", "tests", "cases/*/*", "labels/*/votes", "reports/latest", "reports/runs", "docs/tutorial",
    "README.md",  # the front page of the repository; docs/index.md is that of the site
]  # fmt: skip
myst_heading_anchors = 4
nitpicky = True
html_theme = "furo"
html_title = f"lessonbench {__version__}"
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it fetches the pages found, which a site opened from files may not
smartquotes = False  # two hyphens are an option's, not a dash

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:]+\.md)\)")


def toctrees(page: str, text: str) -> str:
    """A hidden table of contents for each section of a page, of the pages that the section links to."""
    parts = _SECTION.split(text)
    sections = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    written = []
    for caption, section in sections:
        folder = posixpath.dirname(page)
        linked = dict.fromkeys(posixpath.normpath(posixpath.join(folder, link)) for link in _LINK.findall(section))
        entries = "\n".join("/" + link.removesuffix(".md") for link in linked)
        head = f":caption: {caption}\n" if caption and page == root_doc else ""
        if entries:
            written.append(f"```{{toctree}}\n:hidden:\n{head}\n{entries}\n```\n")
    return "\n" + "\n".join(written)


def _add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    if page in CONTENTS:
        source[0] += toctrees(page, source[0])


def _mend_for_readers(app: Sphinx, page: str, template: str, context: dict[str, object], tree: object) -> None:
    """What a screen reader or a keyboard misses in the theme: the level of headings, and blocks that scroll."""
    for part, plain, mended in (
        ("furo_navigation_tree", 'role="heading"', 'role="heading" aria-level="2"'),
        ("body", "<pre>", '<pre tabindex="0">'),
    ):
        if isinstance(text := context.get(part), str):
            context[part] = text.replace(plain, mended)


def _lead_to_the_front_page(app: Sphinx, error: Exception | None) -> None:
    """The site's own address opens its front page."""
    if error is None and app.builder.format == "html":
        to = f"{root_doc}.html"
        text = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{project}</title>'
            f'<meta http-equiv="refresh" content="0; url={to}"><a href="{to}">{project}</a></html>\n'
        )
        Path(app.outdir, "index.html").write_text(text, encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _add_contents)
    app.connect("html-page-context", _mend_for_readers, priority=900)  # after the theme's own
    app.connect("build-finished", _lead_to_the_front_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
