"""report.md: the outcome first, the rest folded under four layers, narrow tables, and folds that a code host can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.benchmark import Benchmark, examine
from bench.cases.layout import Layout
from bench.report.markdown.report import folds, markdown
from bench.report.markdown.tables import narrow
from bench.workspace import session_folders

LAYERS = ["Effectiveness", "Quality of the judge", "Efficiency", "Governance"]
PICTURES = [("mcc", "MCC of every judge", "MCC | of <2> judges")]


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    judges = [{"judge": name, "answers": ["polite", "solved"]} for name in ("always-yes", "always-no")]
    cases = [case_tree(f"S{n:03d}") for n in range(1, 7)]
    votes = [votes_tree(f"S{n:03d}", {"polite": "yes" if n < 4 else "no", "solved": "yes"}) for n in range(1, 7)]
    layout: Layout = write(tmp_path_factory.mktemp("report"), suite_tree(judges), cases, votes)
    return examine(layout, session_folders(layout, []))


@pytest.fixture(scope="module")
def text(benchmark: Benchmark) -> str:
    return markdown(benchmark, PICTURES)


def test_the_outcome_opens_it(benchmark: Benchmark, text: str) -> None:
    title, *opening = text.split("\n\n")[:4]
    assert title == "# Answers of a support agent 0.1.0"
    assert opening[0].startswith("**No comparison is declared")
    health = next(part for part in opening if part.startswith("The benchmark support "))
    assert health.endswith(f"Exit code {benchmark.exit_code}.")
    before = text.split("## Contents")[0]
    assert "| always-yes | " in before and "<details>" not in before
    assert "![MCC \\| of &lt;2&gt; judges](plots/mcc.svg)" in before


def test_the_first_figures_are_open_and_the_others_folded(benchmark: Benchmark) -> None:
    drawn = markdown(benchmark, [(name, f"title of {name}", "words") for name in ("a", "b", "c", "d")])
    opened, folded = drawn.split("<details><summary>2 more figures</summary>")
    assert [name for name in "abcd" if f"plots/{name}.svg" in opened] == ["a", "b"]
    inside = folded.split("</details>")[0]
    assert "**title of c**" in inside and "plots/d.svg" in inside


def test_four_layers_in_order_and_the_contents_lead_to_them(text: str) -> None:
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Contents", *LAYERS]
    links = re.findall(r"^- \[(.+)\]\(#(.+)\): ", text, re.MULTILINE)
    assert links == [(layer, layer.lower().replace(" ", "-")) for layer in LAYERS]


def test_every_topic_of_the_contents_is_a_fold_and_the_other_way_round(text: str) -> None:
    listed = [t for line in re.findall(r"^- \[.+\]\(#.+\): (.+)$", text, re.MULTILINE) for t in line.split(" · ")]
    folded = re.findall(r"<details><summary>(.+)</summary>", text)
    assert [topic for topic in listed if topic != "nothing measured"] == folded
    assert {"polite, tickets", "Books", "Health", "Signatures"} <= set(folded)


def test_a_layer_with_nothing_measured_says_so(text: str) -> None:
    assert "- [Efficiency](#efficiency): nothing measured" in text
    assert "Nothing was measured here." in text.split("## Efficiency")[1].split("## Governance")[0]


def test_a_code_host_reads_the_inside_of_folds_as_markdown(text: str) -> None:
    """CommonMark ends an HTML block at a blank line: there is one after each summary and before each end."""
    assert text.count("<details>") == text.count("</details>") > 5
    assert (
        len(re.findall(r"</summary>\n\n", text))
        == len(re.findall(r"\n\n</details>\n", text))
        == text.count("<details>")
    )
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    heads = len(re.findall(r"^\|(?:---\|)+$", text, re.MULTILINE))
    assert sum(token.type == "table_open" for token in tokens) == heads > 5
    assert not [token for token in tokens if token.type == "inline" and "|---|" in token.content]


def test_reasons_stand_once_below_a_table() -> None:
    rows = [
        ["judge", "precision", "MCC"],
        ["a", "n/a (0 yes)", "n/a (no no)"],
        ["b", ".50", "n/a (0 yes)"],
        ["c", "n/a (x|y)", "1"],
    ]
    table, notes = narrow(rows)
    assert table.split("\n")[2:] == ["| a | n/a ¹ | n/a ² |", "| b | .50 | n/a ¹ |", "| c | n/a ³ | 1 |"]
    assert notes == "n/a: ¹ 0 yes; ² no no; ³ x\\|y."


def test_a_column_that_nobody_has_is_told_in_words() -> None:
    rows = [["judge", "F1", "AUROC"], ["a", "1", "n/a (no ranking number)"], ["b", "0", "n/a (no ranking number)"]]
    table, notes = narrow(rows)
    assert table.split("\n")[0] == "| judge | F1 |"
    assert notes == "AUROC is n/a in every row: no ranking number."
    assert narrow([["judge", "F1"], ["a", "1"]]) == ["| judge | F1 |\n|---|---|\n| a | 1 |"]


def test_a_heading_opens_a_fold() -> None:
    assert folds(["## a", "1", "### b", "2", "## c"]) == [("a", ["1", "### b", "2"]), ("c", [])]


def test_the_same_figures_give_the_same_text(benchmark: Benchmark, text: str, tmp_path: Path) -> None:
    assert markdown(benchmark, PICTURES) == text
    assert str(tmp_path.parent) not in text, "no folder of this machine"
