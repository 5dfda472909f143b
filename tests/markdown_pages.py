"""What a Markdown page links to, what can be linked to in it, and which commands of bench it names."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = ("*.md", "docs/**/*.md", "cases/**/*.md", "labels/**/*.md", "reports/**/*.md", "tests/*.md")
NOT_OURS = ("reports/latest/",)  # made by a run
_FENCE = re.compile(r"^( *)(```+|~~~+)[^\n]*\n(.*?)^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^|\n)\n((?: {4}[^\n]*(?:\n|$))+)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(<?([^()\s<>]+)>?(?: \"[^\"]*\")?\)|^\[[^\]]+\]: +<?(\S+?)>?$", re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_IN_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def pages() -> list[Path]:
    """Every Markdown page of the project."""
    found = {path for place in PLACES for path in ROOT.glob(place)}
    return sorted(path for path in found if not path.relative_to(ROOT).as_posix().startswith(NOT_OURS))


def links(text: str) -> list[str]:
    """Where a page links to, code aside."""
    prose = _SPAN.sub("``", _COMMENT.sub("", _FENCE.sub("", text)))
    return [one or two for one, two in _LINK.findall(prose)]


def anchors(text: str) -> set[str]:
    """What can stand after the # of a link to a page: its headings, named as GitHub names them."""
    counts: Counter[str] = Counter()
    found = set()
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        plain = _IN_LINK.sub(r"\1", heading).replace("`", "").replace("\\", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        found.add(slug if not counts[slug] else f"{slug}-{counts[slug]}")
        counts[slug] += 1
    return found


def commands(text: str) -> Iterator[list[str]]:
    """The words of every ``bench ...`` that a page shows, in blocks or in a line."""
    text = _COMMENT.sub("", text)
    blocks = [match[3] for match in _FENCE.finditer(text)]
    rest = _FENCE.sub("\n", text)
    blocks += [match[1] for match in _INDENTED.finditer(rest)]
    for block in blocks:
        for line in re.sub(r"\s*\\\n\s*", " ", block).splitlines():
            if found := re.match(r"\s*(?:\$ |to mend: |next: )?(?:.*\| |[A-Z_]+=\S+ )*(bench [a-z].*)", line):
                yield _words(found[1])
    for span in _SPAN.finditer(_INDENTED.sub("\n", rest)):
        told = " ".join(span[2].split())
        if re.match(r"bench [a-z-]+", told):
            yield _words(told)


def _words(line: str) -> list[str]:
    line = re.sub(r"\s{2,}.*$|\s#\s.*$", "", line)
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    ends = [place for place, word in enumerate(words) if word in ("|", ">", "<", "&&", ";", "||")]
    return words[: ends[0]] if ends else words
