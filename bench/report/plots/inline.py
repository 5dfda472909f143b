"""A figure as part of a page: no style, no script, no foreign part, ids of its own, colours that the page's CSS can map."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from bench.report.plots.presentation import PROPERTIES, Unsafe, checked, presentation
from bench.report.plots.style import PALETTE

_SPACE = "http://www.w3.org/2000/svg"
_DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"
_KEPT = frozenset({
    "svg", "g", "defs", "symbol", "clipPath", "mask", "pattern", "path", "use", "text", "tspan", "rect", "line",
    "polyline", "polygon", "circle", "ellipse", "title", "desc", "linearGradient", "radialGradient", "stop",
})  # fmt: skip
_DROPPED = frozenset({"metadata", "style"})
_ATTRIBUTES = PROPERTIES | frozenset({
    "id", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width", "height", "points",
    "transform", "viewBox", "offset", "pathLength", "rotate", "textLength", "lengthAdjust", "gradientUnits",
    "gradientTransform", "patternUnits", "patternContentUnits", "patternTransform", "clipPathUnits", "maskUnits",
    "maskContentUnits", "preserveAspectRatio",
})  # fmt: skip
_REFERENCE = re.compile(r"url\(\s*['\"]?#([\w.-]+)['\"]?\s*\)")
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_LENGTH = re.compile(r"([\d.]+)(?:pt|px)?")
_FALLBACKS = ", Verdana, sans-serif"  # as wide as DejaVu Sans, where that is not there


def inline_svg(svg: str, name: str) -> str:
    """The figure for a page whose policy forbids styles; ``name`` makes its ids its own. Raises Unsafe, also for no SVG.

    Metadata, comments, document type and style sheets are left out; each ``style`` becomes presentation attributes; the white
    ground goes, so that the page's shows; title and description are what a screen reader says.
    """
    if not _NAME.fullmatch(name):
        raise Unsafe(f"{name!r} is not a name that ids may start with")
    if "<!ENTITY" in svg.upper():
        raise Unsafe("an SVG that defines entities")
    try:
        root = ElementTree.fromstring(svg)  # noqa: S314  no entity is defined, and expat loads none
    except ElementTree.ParseError as error:
        raise Unsafe(f"no XML: {error}") from None
    if _local(root) != "svg":
        raise Unsafe(f"no SVG but <{_local(root)}>")
    title, description = _told(root)
    _clean(root, name)
    _drop_ground(root)
    _head(root, name, title, description)
    return ElementTree.tostring(root, encoding="unicode")


def _local(element: Element) -> str:
    """The element's name without its name space; that of another language is refused."""
    tag = str(element.tag)
    space, _, local = tag.rpartition("}")
    return local if space in ("", f"{{{_SPACE}") else tag


def _told(root: Element) -> tuple[str, str]:
    title = next((e.text for e in root.iter(f"{{{_SPACE}}}title") if e.text), "")
    description = next((e.text for e in root.iter(f"{{{_SPACE}}}desc") if e.text), "")
    return title, description or next((e.text for e in root.iter(_DESCRIPTION) if e.text), "")


def _clean(element: Element, name: str) -> None:
    """This element and all inside it: names, attributes, references."""
    element.tag = _local(element)
    if element.tag not in _KEPT:
        raise Unsafe(f"<{element.tag}> may not stand in a page")
    element.attrib = dict(_attributes(element, name))
    for inner in list(element):
        if _local(inner) in _DROPPED | {"title", "desc"}:
            element.remove(inner)
        else:
            _clean(inner, name)
    if element.tag not in ("text", "tspan"):
        element.text = None  # white space between elements
    element.tail = None if element.tag != "tspan" else element.tail


def _attributes(element: Element, name: str) -> Iterator[tuple[str, str]]:
    given = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    if running := [key for key in given if key.lower().startswith("on")]:
        raise Unsafe(f"an event handler: {running[0]}")
    style = presentation(given.pop("style", ""))
    for key, value in {**given, **style}.items():
        if key == "href":
            if not value.startswith("#"):
                raise Unsafe(f"a reference outside the figure: {value[:60]!r}")
            yield "href", f"#{name}-{value[1:]}"
        elif key == "id":
            yield "id", f"{name}-{value}"
        elif key == "font-family":
            yield key, checked(value) + ("" if "sans-serif" in value else _FALLBACKS)
        elif key in _ATTRIBUTES:
            yield key, _REFERENCE.sub(rf"url(#{name}-\1)", checked(value))


def _drop_ground(root: Element) -> None:
    """Remove white paths and rectangles without a line that cover the whole figure."""
    width, height = (float(number) for number in root.get("viewBox", "0 0 0 0").split()[2:])
    for parent in root.iter():
        for inner in list(parent):
            if inner.get("fill") == PALETTE["paper"] and inner.get("stroke", "none") == "none":
                points = _corners(inner)
                if points and {(0.0, 0.0), (width, height)} <= points:
                    parent.remove(inner)


def _corners(element: Element) -> set[tuple[float, float]]:
    if element.tag == "rect":
        x, y, width, height = (float(element.get(key, "0").rstrip("ptx%")) for key in ("x", "y", "width", "height"))
        return {(x, y), (x + width, y + height)}
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d", ""))]
    return set(zip(numbers[::2], numbers[1::2], strict=False))


def _head(root: Element, name: str, title: str, description: str) -> None:
    """Size by view box alone, what the style sheet said of all lines, and the words for a screen reader."""
    if "viewBox" not in root.attrib:
        sizes = [_LENGTH.fullmatch(root.get(key, "")) for key in ("width", "height")]
        width, height = (match[1] if match else "100" for match in sizes)
        root.set("viewBox", f"0 0 {width} {height}")
    kept = {"viewBox": root.attrib["viewBox"]}
    labels = [f"{name}-title"] + ([f"{name}-desc"] if description else [])
    root.attrib = {
        "xmlns": _SPACE,
        **kept,
        "role": "img",
        "aria-labelledby": " ".join(labels),
        "stroke-linejoin": "round",
        "stroke-linecap": "butt",
    }
    words = [("title", title or name)] + ([("desc", description)] if description else [])
    for place, (tag, text) in enumerate(words):
        told = Element(tag, {"id": f"{name}-{tag}"})
        told.text = text
        root.insert(place, told)
