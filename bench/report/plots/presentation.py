"""CSS of a style attribute as SVG presentation attributes, which a page may use that forbids inline styles."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Properties that SVG has as attributes; all else of a style says nothing that our figures need.
PROPERTIES = frozenset({
    "clip-path", "clip-rule", "color", "display", "dominant-baseline", "fill", "fill-opacity", "fill-rule",
    "font-family", "font-size", "font-stretch", "font-style", "font-variant", "font-weight", "letter-spacing",
    "opacity", "paint-order", "stop-color", "stop-opacity", "stroke", "stroke-dasharray", "stroke-dashoffset",
    "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-opacity", "stroke-width", "text-anchor",
    "text-decoration", "visibility", "word-spacing",
})  # fmt: skip
_DECLARATION = re.compile(r"""((?:[^;"']|"[^"]*"|'[^']*')*)(?:;|$)""")
_FONT = re.compile(
    r"(?P<before>(?:(?:normal|italic|oblique|small-caps|bold|bolder|lighter|[1-9]00|(?:ultra-|extra-|semi-)?(?:condensed|expanded))\s+)*)"
    r"(?P<size>[\d.]+(?:px|pt|em|rem|%))(?:\s*/\s*[\w.%]+)?\s+(?P<family>.+)",
    re.DOTALL,
)
_URL = re.compile(r"url\(\s*(?:#[\w.-]+|'#[\w.-]+'|\"#[\w.-]+\")\s*\)")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}")


class Unsafe(ValueError):
    """Something in an SVG that may not stand in a page."""


def presentation(style: str) -> dict[str, str]:
    """The attributes that say what the style says. Raises Unsafe for a value that loads or runs something."""
    found: dict[str, str] = {}
    for name, value in _declarations(style):
        if name == "font":
            found |= _font(value)
        elif name in PROPERTIES:
            found[name] = checked(value)
    return found


def checked(value: str) -> str:
    """A value that refers to nothing outside the figure; colours in small letters. Raises Unsafe."""
    rest = _URL.sub("", value)
    # An escape could hide any word, so none may stand there.
    if (
        "url(" in rest.lower()
        or "expression(" in rest.lower()
        or "javascript:" in rest.lower()
        or "\\" in rest
        or "@" in rest
    ):
        raise Unsafe(f"a value that could load or run something: {value[:60]!r}")
    return value.lower() if _COLOUR.fullmatch(value) else value


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    for part in _DECLARATION.findall(style):
        name, colon, value = part.partition(":")
        if colon and value.strip():
            yield name.strip().lower(), value.strip()


def _font(value: str) -> dict[str, str]:
    """The parts of the shorthand; what cannot be read as one says nothing."""
    match = _FONT.fullmatch(value)
    if match is None:
        return {}
    found = {"font-size": match["size"], "font-family": checked(match["family"].strip())}
    for word in match["before"].split():
        if word in ("italic", "oblique"):
            found["font-style"] = word
        elif word == "small-caps":
            found["font-variant"] = word
        elif word.endswith(("condensed", "expanded")):
            found["font-stretch"] = word
        elif word != "normal":
            found["font-weight"] = word
    return found
