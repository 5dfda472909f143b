"""bench.toml is read strictly: every mistake with file, line, field, what was found and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.comparing.config import METRIC_NAMES, Config, read_config
from bench.measure.metrics import METRICS
from bench.problems import BrokenInput, Problem

GOOD = """\
# which figures must hold
[compare]
suite = "lessons"
stratum = "natural"
statement = "reusable-lesson"
splits = ["calibration", "test"]
judges = ["rule:*"]

[objective]
metric = "balanced_accuracy"
margin = 0.05

[[must_not_regress]]
metric = "recall"
margin = 0.10

[[red_line]]
metric = "precision"
at_least = 0.6

[[red_line]]
metric = "recall"
at_least = 1

[[negotiable]]
metric = "specificity"
"""


def problems(tmp_path: Path, text: str | bytes) -> tuple[Problem, ...]:
    path = tmp_path / "bench.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BrokenInput) as raised:
        read_config(path)
    assert all(problem.file == path.as_posix() and problem.fix for problem in raised.value.problems)
    return raised.value.problems


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_good_file(tmp_path: Path, start: str, ends: str) -> None:
    path = tmp_path / "bench.toml"
    path.write_bytes((start + GOOD.replace("\n", ends)).encode())
    config, _ = read_config(path)
    assert config.compare.splits == ("calibration", "test") and config.compare.judges == ("rule:*",)
    assert [(entry.metric, entry.margin) for entry in config.deciding] == [("balanced_accuracy", 0.05), ("recall", 0.1)]
    assert [(line.metric, line.at_least) for line in config.red_line] == [("precision", 0.6), ("recall", 1.0)]
    assert [entry.metric for entry in config.negotiable] == ["specificity"]


BREAKS = {
    # what: (old, new, line, field, part of what was found)
    "an unknown table": ("[[negotiable]]", "[[negotible]]", 25, "negotible", "unknown field"),
    "an unknown key": ('margin = 0.10', 'margin = 0.10\nweight = 2', 16, "must_not_regress[0].weight", "unknown field"),
    "an unknown key of the scope": ('suite = "lessons"', 'suit = "lessons"', 3, "compare.suit", "unknown field"),
    "an unknown metric": ('"precision"', '"auroc"', 18, "red_line[0].metric", "auroc"),
    "a metric that has no better end": ('"specificity"', '"prevalence"', 26, "negotiable[0].metric", "prevalence"),
    "a metric that is a number": ('"specificity"', "3", 26, "negotiable[0].metric", "3"),
    "a margin of 0": ("0.05", "0", 11, "objective.margin", "above 0"),
    "a margin of 1": ("0.05", "1.0", 11, "objective.margin", "below 1"),
    "a margin below 0": ("0.05", "-0.05", 11, "objective.margin", "-0.05"),
    "a margin in quotes": ("0.05", '"0.05"', 11, "objective.margin", "0.05"),
    "a margin that is true": ("0.05", "true", 11, "objective.margin", "True"),
    "a margin that is nan": ("0.05", "nan", 11, "objective.margin", "nan"),
    "a margin that is inf": ("0.05", "inf", 11, "objective.margin", "inf"),
    "a margin that is a date": ("0.05", "2026-01-01", 11, "objective.margin", "2026-01-01"),
    "a margin that is missing": ("margin = 0.05\n", "", 9, "objective.margin", "missing"),
    "a red line above 1": ("= 1\n", "= 60\n", 23, "red_line[1].at_least", "60"),
    "a red line of 0": ("= 1\n", "= 0\n", 23, "red_line[1].at_least", "above 0"),
    "one red line in single brackets": (
        '[[red_line]]\nmetric = "precision"\nat_least = 0.6\n\n[[red_line]]\nmetric = "recall"\nat_least = 1',
        '[red_line]\nmetric = "precision"\nat_least = 0.6', 17, "red_line", "map",
    ),
    "an objective in double brackets": ("[objective]", "[[objective]]", 9, "objective", "list"),
    "no objective": ('[objective]\nmetric = "balanced_accuracy"\nmargin = 0.05\n', "", 1, "objective", "missing"),
    "an unknown split": ('"test"]', '"tst"]', 6, "compare.splits[1]", "tst"),
    "no splits": ('["calibration", "test"]', "[]", 6, "compare.splits", "at least 1"),
    "a split that is no list": ('["calibration", "test"]', '"test"', 6, "compare.splits", "test"),
    "a stratum that is no id": ('"natural"', '"na tural"', 4, "compare.stratum", "na tural"),
    "a metric with two parts": ('"specificity"', '"recall"', 26, "negotiable", "second time (first on line 14)"),
    "two red lines for one metric": ('"recall"\nat_least', '"precision"\nat_least', 22, "red_line", "first on line 18"),
    "a table twice": ("[compare]", "[objective]\n[compare]", 10, None, "no TOML"),
    "a key twice": ("margin = 0.05", "margin = 0.05\nmargin = 0.06", 12, None, "no TOML"),
    "an open bracket": ("[objective]", "[objective", 9, None, "no TOML"),
    "an open string": ('"lessons"', '"lessons', 3, None, "no TOML"),
    "YAML": ("[objective]\n", "objective:\n", 9, None, "no TOML"),
    "a number without its zero": ("0.05", ".05", 11, None, "no TOML"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BREAKS)
def test_a_broken_file_says_where_and_what(tmp_path: Path, kind: str) -> None:
    old, new, line, field, found = BREAKS[kind]
    assert old in GOOD, "the test edits nothing"
    (problem,) = problems(tmp_path, GOOD.replace(old, new, 1))
    assert (problem.line, problem.field) == (line, field)
    assert found in problem.found


def test_all_mistakes_are_told_together(tmp_path: Path) -> None:
    text = GOOD.replace("0.05", "5").replace("0.10", "nan").replace('"precision"', '"precison"')
    assert [problem.line for problem in problems(tmp_path, text)] == [11, 15, 18]


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"", "missing"),
        (b"\xff", "not UTF-8"),
        (b"a = " + b"[" * 5000, "no"),
        (b"# " + b"x" * 1024 * 1024, "bytes"),
        (b"\x00", "no TOML"),
    ],
)
def test_what_is_no_such_file_at_all(tmp_path: Path, raw: bytes, found: str) -> None:
    (problem,) = problems(tmp_path, raw)
    assert found in str(problem)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BrokenInput, match="cannot be read"):
        read_config(tmp_path / "bench.toml")


def test_inline_tables_have_the_line_of_what_holds_them(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, '# one\nobjective = {metric = "recall", margin = 7}\n')
    assert (problem.line, problem.field) == (2, "objective.margin")


def test_every_metric_of_a_config_is_one_of_the_table_with_a_better_end() -> None:
    assert all(METRICS[name].direction == "higher is better" for name in METRIC_NAMES)
    for name in METRIC_NAMES:
        Config.model_validate({"objective": {"metric": name, "margin": 0.1}})


def test_the_file_on_the_page_can_be_read(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent / "docs" / "comparing.md").read_text(encoding="utf-8")
    path = tmp_path / "bench.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    config, _ = read_config(path)
    assert len(config.deciding) == 2 and len(config.red_line) == len(config.negotiable) == 1
    assert all(f" {name}" in page.split("Metrics:")[1].split("\n\n")[0] for name in METRIC_NAMES)
