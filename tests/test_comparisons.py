"""Comparisons that a suite declares: decided on common items, told with who was right where they differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main

JUDGES = [
    {"judge": "always-yes", "answers": ["polite", "solved"]},
    {"judge": "always-no", "answers": ["polite", "solved"]},
]
BETTER = {
    "candidate": "always-yes", "comparator": "always-no", "stratum": "tickets", "statement": "polite",
    "metric": "accuracy", "claim": "better", "margin": 0.1,
}  # fmt: skip


def suite_at(root: Path, comparisons: list[dict[str, Any]], yes: int = 48, no: int = 12) -> Layout:
    names = [f"S{n:03d}" for n in range(1, yes + no + 1)]
    votes = [votes_tree(name, {"polite": "yes" if n < yes else "no", "solved": "yes"}) for n, name in enumerate(names)]
    return write(root, suite_tree(JUDGES, comparisons=comparisons), [case_tree(name) for name in names], votes=votes)


def told(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    monkeypatch.chdir(layout.root)
    main(["all", "--no-plots"])
    report = json.loads((layout.reports / "latest" / "report.json").read_text(encoding="utf-8"))
    return list(report["comparisons"])


def test_a_clear_difference_holds_and_an_unclear_one_cannot_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = BETTER | {"margin": 0.6}  # 48 of 60 against 12 of 60: the difference itself is .6
    (first, second) = told(suite_at(tmp_path, [BETTER, far]), monkeypatch)
    assert first["verdict"] == "holds"
    assert first["difference"]["value"] == pytest.approx(0.6)  # (48 - 12) / 60
    assert (first["items"], len(first["flips"])) == (60, 60)
    assert first["accuracy_test"]["only_candidate_right"] == 48
    assert first["accuracy_test"]["only_comparator_right"] == 12
    assert second["verdict"] == "cannot tell"
    text = (tmp_path / "reports" / "latest" / "report.md").read_text(encoding="utf-8")
    told_first = text.split("\n\n")[1]
    assert told_first.startswith("**always-yes beats always-no by the declared margin (")
    assert told_first.endswith("; of the other claims 1 cannot be told.**")


def test_the_other_way_round_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    back = BETTER | {"candidate": "always-no", "comparator": "always-yes", "claim": "not_worse"}
    (line,) = told(suite_at(tmp_path, [back]), monkeypatch)
    assert line["verdict"] == "does not hold"


def test_a_judge_that_is_not_there_leaves_nothing_to_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = told(suite_at(tmp_path, [BETTER | {"candidate": "nobody"}]), monkeypatch)
    assert (line["verdict"], line["reason"]) == ("cannot tell", "no item is scored by both and labelled")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"statement": "brave"}, "brave"),
        ({"stratum": "moon"}, "moon"),
        ({"metric": "f2"}, "f2"),
        ({"margin": 1.5}, "1.5"),
    ],
)
def test_what_the_suite_does_not_have_is_refused(
    change: dict[str, Any],
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(suite_at(tmp_path, [BETTER | change]).root)
    assert main(["verify"]) == 3
    assert word in capsys.readouterr().err


def test_a_judge_that_is_asked_twice_says_how_often_it_flips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steady = {"judge": "always-yes", "answers": ["polite"], "samples": 3}
    names = [f"S{n:03d}" for n in range(1, 21)]
    votes = [votes_tree(name, {"polite": "yes" if n < 15 else "no"}) for n, name in enumerate(names)]
    layout = write(tmp_path, suite_tree([steady]), [case_tree(name) for name in names], votes=votes)
    monkeypatch.chdir(layout.root)
    main(["all", "--no-plots"])
    report = json.loads((layout.reports / "latest" / "report.json").read_text(encoding="utf-8"))
    line = next(t for t in report["tables"] if t["statement"] == "polite")["judges"][0]
    samples = line["samples"]
    assert (samples["samples"], samples["items"], samples["excluded"]) == (3, 20, 0)
    assert samples["flip_rate"]["value"] == 0
    assert samples["right_every_time"]["value"] == 0.75  # 15 of 20 are labelled yes
    assert "flip rate" in (layout.reports / "latest" / "report.md").read_text(encoding="utf-8")


def test_slices_are_told_with_their_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statements = suite_tree(JUDGES)["statements"]
    suite = suite_tree(JUDGES, statements=[statements[0] | {"critical": True}, statements[1]])
    names = [f"S{n:03d}" for n in range(1, 13)]
    cases = [case_tree(name) for name in names]
    for case in cases[:4]:
        case["metadata"] = case["metadata"] | {"language": "de"}
    votes = [votes_tree(name, {"polite": "yes" if n < 6 else "no"}) for n, name in enumerate(names)]
    layout = write(tmp_path, suite, cases, votes=votes)
    monkeypatch.chdir(layout.root)
    main(["all", "--no-plots"])
    report = json.loads((layout.reports / "latest" / "report.json").read_text(encoding="utf-8"))
    found = {(s["judge"], s["value"]): s["accuracy"] for s in report["slices"] if s["dimension"] == "language"}
    assert {s["dimension"] for s in report["slices"]} == {"language"}, "the other dimensions have one value each"
    counted = {key: (value["numerator"], value["denominator"]) for key, value in found.items()}
    assert counted == {
        ("always-yes", "de"): (4, 4),  # the first six are polite, the first four of them German
        ("always-yes", "en"): (2, 8),
        ("always-no", "de"): (0, 4),
        ("always-no", "en"): (6, 8),
    }
    assert "many looks at few cases" in (layout.reports / "latest" / "report.md").read_text(encoding="utf-8")
