"""The documentation holds together: links lead somewhere, commands exist, the reference is that of the code, the site builds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args
from urllib.parse import unquote, urlsplit

import pytest
import reference_pages
from built_site import build_site
from markdown_pages import ROOT, anchors, commands, links, pages
from reference_commands import CODES, GENERAL, parser_of
from reference_judges import PARAMETERS, REASONS, SAID, parameters_of

from bench import cli
from bench.judges.contract import Reason
from bench.judges.registry import names

DOCS = ROOT / "docs"
# Words that stand for a command in prose.
PLACEHOLDERS = {"COMMAND", "..."}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def broken_links(path: Path, text: str) -> list[str]:
    """Links of a page that lead nowhere; of those to the web only their form is looked at."""
    return [f"{link}: {why}" for link in links(text) if (why := _broken(path, text, link))]


def _broken(path: Path, text: str, link: str) -> str | None:
    parts = urlsplit(link)
    if parts.scheme:
        good = parts.scheme == "mailto" or (parts.scheme in ("http", "https") and "." in parts.netloc)
        return None if good else "no address"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return "no such file"
    if not target.is_relative_to(ROOT):
        return "outside of the project"
    if parts.fragment and target.suffix == ".md":
        there = anchors(text if target == path else target.read_text(encoding="utf-8"))
        return None if parts.fragment in there else f"no such heading; there are {', '.join(sorted(there))}"
    return None


def unknown_words(text: str) -> list[str]:
    """Commands and options of bench that a page names and that do not exist."""
    found = []
    for words in commands(text):
        command = words[1]
        if command in PLACEHOLDERS or command.startswith("-"):
            continue
        if command not in cli.COMMANDS:
            found.append(f"bench {command}")
            continue
        known = {option for action in parser_of(command)._actions for option in action.option_strings} | {
            "--help",
            "-h",
        }
        given = [word.partition("=")[0].rstrip(",.;:)") for word in words[2:] if re.match(r"--?[a-z]", word)]
        found += [f"bench {command} {option}" for option in given if option not in known]
    return found


@pytest.mark.parametrize("path", pages(), ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    assert broken_links(path, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", pages(), ids=name)
def test_commands_and_options_exist(path: Path) -> None:
    assert unknown_words(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "link", ["nowhere.md", "index.md#no-heading", "#no-heading", "../../outside.md", "ftp://x.org/a", "https://nodots"]
)
def test_a_broken_link_is_found(link: str) -> None:
    assert len(broken_links(DOCS / "index.md", f"# Heading\n\nSee [this]({link}).\n")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[a](index.md) [b](#heading) ![c](../README.md) [d](https://example.org/x#y)",
        "`[a](nowhere.md)`",
        "```\n[a](nowhere.md)\n```",
        "<!-- [a](nowhere.md) -->",
    ],
)
def test_a_good_link_and_code_are_let_pass(text: str) -> None:
    assert broken_links(DOCS / "index.md", f"# Heading\n\n{text}\n") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`bench nothing`", ["bench nothing"]),
        ("Run `bench lint --nothing`.", ["bench lint --nothing"]),
        ("```console\n$ bench lint --jsn    # a comment\n```", ["bench lint --jsn"]),
        ("```sh\nbench lint \\\n  --jsn\n```", ["bench lint --jsn"]),
        ("text\n\n    cat x | bench gate --no CERT\n", ["bench gate --no"]),
        ("`bench lint --json`, `bench COMMAND --help`, `bench --version`, `bench lint --help`", []),
        ("```console\n$ bench label --annotator ada --case L0421\nprinted -- not typed\n```", []),
    ],
)
def test_a_command_that_is_not_there_is_found(text: str, found: list[str]) -> None:
    assert unknown_words(text) == found


def test_headings_are_named_as_github_names_them() -> None:
    page = "# A title\n## `bench fit`: what *it* says, v1.0\n### Twice\n### Twice\n```\n# no heading\n```\n## [Link](x.md) here\n"
    assert anchors(page) == {"a-title", "bench-fit-what-it-says-v10", "twice", "twice-1", "link-here"}


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    return reference_pages.pages()


def test_the_reference_is_that_of_the_code(reference: dict[str, str]) -> None:
    held = {path.name: path.read_text(encoding="utf-8") for path in reference_pages.FOLDER.glob("*.md")}
    assert set(held) == set(reference)
    assert [page for page, text in reference.items() if held[page] != text] == [], "run make docs"


def test_the_reference_knows_every_name_and_no_other() -> None:
    built_in = {judge for judge in names() if not judge.startswith("rule:")}
    assert set(SAID) == built_in
    assert set(REASONS) == set(get_args(Reason))
    asked = {parameter.strip("`") for judge in built_in for parameter, *_ in parameters_of(judge)}
    assert asked == set(PARAMETERS)
    assert {"p", "at_least", "provider", "dialect", "path", "top_p", "price_in"} <= asked
    assert set(CODES) <= set(cli.COMMANDS)
    assert {str(number) for number, _ in GENERAL} == set(re.findall(r"\b\d+\b", cli.EXIT_CODES))


def test_every_command_has_its_options_on_the_page(reference: dict[str, str]) -> None:
    sections = re.split(r"^## bench ", reference["commands.md"], flags=re.MULTILINE)[1:]
    assert [section.partition("\n")[0] for section in sections] == list(cli.COMMANDS)
    for section, command in zip(sections, cli.COMMANDS, strict=True):
        options = {option for action in parser_of(command)._actions for option in action.option_strings}
        told = " ".join(re.findall(r"^\| `([^`]*)`", section, re.MULTILINE))
        assert options == set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", told))


def test_the_terminal_moves_no_word(reference: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert reference_pages.PAGES["commands"]() == reference["commands.md"]


def test_the_example_line_is_that_of_the_published_report() -> None:
    page = (DOCS / "reading-a-report.md").read_text(encoding="utf-8")
    report = (ROOT / "reports" / "lessonbench-1.1" / "report.md").read_text(encoding="utf-8")
    section = report.partition("## reusable-lesson, natural")[2].partition("\n## ")[0]
    cells = re.search(r"^\| prompts \| (.*) \|$", section, re.MULTILINE)
    assert cells is not None
    precision, recall, f1, mcc, _, coverage, counts = cells[1].split(" | ")
    block = re.search(r"^    prompts +(.*)\n +(.*)$", page, re.MULTILINE)
    assert block is not None
    values, intervals = block[1].split(), block[2].split()
    shown = [f"{value} {interval.replace(',', ', ')}" for value, interval in zip(values, intervals, strict=True)]
    assert shown == [precision, recall, f1, mcc, coverage]
    assert f"`TP FP FN TN = {counts}`" in page


def test_the_architecture_page_names_every_room() -> None:
    rooms = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("## Rooms")[2].partition("\n## ")[0]
    told = [room for cell in re.findall(r"^\| (`.*?) \|", rooms, re.MULTILINE) for room in re.findall(r"`(\w+)`", cell)]
    there = {
        path.stem for path in (ROOT / "bench").iterdir() if path.name[0] not in "_." and path.suffix in ("", ".py")
    }
    assert sorted(told) == sorted(there)


class Reader(HTMLParser):
    """What a built page loads, links to, and can be linked to by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.ids |= {given["id"]} if "id" in given else set()
        if tag == "a" and "href" in given:
            self.linked.append(given["href"])
        elif tag == "link" and "href" in given:
            self.loaded.append(given["href"])
        elif "src" in given:
            self.loaded.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def built(site: Path) -> dict[Path, Reader]:
    return {path: Reader(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_the_site_asks_nothing_of_the_outside(site: Path, built: dict[Path, Reader]) -> None:
    outside = {f"{path.name}: {url}" for path, page in built.items() for url in page.loaded if urlsplit(url).netloc}
    assert outside == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"@import[^;]*|url\(['\"]?(?:https?:)?//[^)]*", styles) == []
    assert (site / "searchindex.js").is_file()
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


def test_links_of_the_site_lead_somewhere(site: Path, built: dict[Path, Reader]) -> None:
    broken = []
    for path, page in built.items():
        for link in (*page.linked, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = built.get(target)
            if not target.is_file() or (parts.fragment and known is not None and parts.fragment not in known.ids):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


def test_every_page_of_docs_is_on_the_site(site: Path) -> None:
    wanted = {name(path).removesuffix(".md") for path in DOCS.rglob("*.md") if "tutorial/" not in name(path)}
    assert {page for page in wanted if not (site / f"{page}.html").is_file()} == set()
    assert len(wanted) > 30
