"""A figure inside a page: no style, no script, nothing from outside, ids that do not clash, and the same words."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plot_suites import HOSTILE, SURE, made, renamed

from bench.report.plots.draw import draw_plots
from bench.report.plots.drawn import Drawn
from bench.report.plots.inline import inline_svg
from bench.report.plots.presentation import PROPERTIES, Unsafe, presentation
from bench.report.plots.style import PALETTE

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 50"'


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Drawn, ...]:
    hostile = renamed(made(tmp_path_factory.mktemp("lamps")), SURE, HOSTILE)
    return draw_plots(hostile, tmp_path_factory.mktemp("plots"))


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def words(text: str) -> list[str]:
    """What the figure says, without title and description."""
    told = [e for e in parsed(text).iter() if e.tag.rpartition("}")[2] in ("text", "tspan")]
    return [" ".join((e.text or "").split()) for e in told]


def test_no_figure_brings_a_style_a_script_or_a_comment(drawn: tuple[Drawn, ...]) -> None:
    for one in drawn:
        inside = inline_svg(one.svg, one.name)
        root = parsed(inside)
        assert not re.search(r"<style|style=|<!--|<!DOCTYPE|<\?xml|<metadata|<script", inside)
        names = [key for element in root.iter() for key in element.attrib]
        assert not [key for key in names if key.lower().startswith("on") or ":" in key or key == "style"]
        assert (
            "width" not in root.attrib
            and "height" not in root.attrib
            and root.attrib["viewBox"].startswith("0 0 460.8 ")
        )


def test_ids_of_all_figures_differ_and_every_reference_is_met(drawn: tuple[Drawn, ...]) -> None:
    seen: list[str] = []
    for one in drawn:
        root = parsed(inline_svg(one.svg, one.name))
        ids = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
        seen += ids
        values = [v for e in root.iter() for v in e.attrib.values()]
        asked = re.findall(r"url\(#([^)]*)\)", " ".join(values))
        asked += [e.attrib["href"][1:] for e in root.iter() if "href" in e.attrib]
        asked += root.attrib["aria-labelledby"].split()
        assert set(asked) <= set(ids) and asked
    assert len(seen) == len(set(seen))


def test_the_words_are_the_same_and_hostile_ones_stay_words(drawn: tuple[Drawn, ...]) -> None:
    shown = False
    for one in drawn:
        inside = inline_svg(one.svg, one.name)
        assert words(inside) == words(one.svg)
        title, desc = list(parsed(inside))[:2]
        assert (title.text, desc.text) == (one.title, one.alt)
        shown |= any("<script>" in word for word in words(inside))
    assert shown  # the name was drawn, as text


def test_paint_is_of_the_palette_so_that_a_page_can_map_it(drawn: tuple[Drawn, ...]) -> None:
    for one in drawn:
        root = parsed(inline_svg(one.svg, one.name))
        paint = {e.attrib[key] for e in root.iter() for key in ("fill", "stroke") if key in e.attrib}
        assert {p for p in paint if p != "none" and not p.startswith("url(#")} <= set(PALETTE.values())
        unsaid = [e for e in root.iter() if e.tag.endswith("}text") and "fill" not in e.attrib]
        assert unsaid == []  # black by default would not turn in the dark


def test_the_white_ground_goes_and_hollow_marks_stay(drawn: tuple[Drawn, ...]) -> None:
    one = next(one for one in drawn if one.name == "reliability")
    ground = re.findall(r'<path d="M 0 [^"]*"\s+style="fill: #ffffff"', one.svg)
    assert ground
    inside = inline_svg(one.svg, one.name)
    assert not re.search(r'<path d="M 0 \d[^"]*L 460\.8[^"]*"[^>]*fill="#ffffff"', inside)
    assert 'fill="#ffffff"' in inside


def test_the_same_figure_gives_the_same_bytes(drawn: tuple[Drawn, ...]) -> None:
    for one in drawn:
        assert inline_svg(one.svg, one.name) == inline_svg(one.svg, one.name)


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<foreignObject><p/></foreignObject>",
        '<path onclick="alert(1)" d="M 0 0"/>',
        '<path OnLoad="alert(1)" d="M 0 0"/>',
        '<use xlink:href="https://example.org/x.svg#a"/>',
        '<use href="javascript:alert(1)"/>',
        '<image href="data:image/png;base64,AAAA"/>',
        '<a href="#x"><text>x</text></a>',
        '<path style="fill: url(https://example.org/x)" d="M 0 0"/>',
        '<path style="fill: u\\72l(https://example.org/x)" d="M 0 0"/>',
        '<path fill="url(https://example.org/x)" d="M 0 0"/>',
        '<animate attributeName="href" to="javascript:alert(1)"/>',
        '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
    ],
)
def test_what_could_run_or_load_is_refused(inside: str) -> None:
    with pytest.raises(Unsafe):
        inline_svg(f"{HEAD}>{inside}</svg>", "f")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "entities"),
        ("<svg><g></svg>", "no XML"),
        ("<html/>", "no SVG"),
        (f"{HEAD}/>", "a name"),
    ],
)
def test_what_is_no_figure_is_refused(text: str, message: str) -> None:
    with pytest.raises(Unsafe, match=message):
        inline_svg(text, 'x" onload="y' if message == "a name" else "f")


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (
            "font: 9px 'DejaVu Sans'; text-anchor: middle",
            {"font-size": "9px", "font-family": "'DejaVu Sans'", "text-anchor": "middle"},
        ),
        (
            "font: italic bold 10.5px/1.2 \"A; B\", serif",
            {"font-style": "italic", "font-weight": "bold", "font-size": "10.5px", "font-family": '"A; B", serif'},
        ),
        ("FILL: #1F2933;; stroke : NONE ;", {"fill": "#1f2933", "stroke": "NONE"}),
        ("clip-path: url(#p1); -inkscape-x: 1; position: fixed", {"clip-path": "url(#p1)"}),
        ("fill: red; fill: blue", {"fill": "blue"}),
        ("fill", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_a_style_becomes_attributes(style: str, expected: dict[str, str]) -> None:
    assert presentation(style) == expected


VALUES = st.text(st.characters(categories=("L", "N"), include_characters="#.,-% "), min_size=1, max_size=12).map(
    str.strip
)


@given(st.dictionaries(st.sampled_from(sorted(PROPERTIES)), VALUES.filter(bool)), st.sampled_from(["; ", ";", " ;\n"]))
def test_any_style_of_known_properties_keeps_every_value(said: dict[str, str], between: str) -> None:
    style = between.join(f"{name}: {value}" for name, value in said.items())
    found = presentation(style)
    assert {name: value.lower() for name, value in found.items()} == {
        name: value.lower() for name, value in said.items()
    }


@given(st.text(max_size=60))
def test_no_style_whatever_gives_an_attribute_beyond_the_list(style: str) -> None:
    try:
        found = presentation(style)
    except Unsafe:
        return
    assert set(found) <= PROPERTIES
    assert not any("url(" in value.lower().replace("url(#", "") or "\\" in value for value in found.values())
