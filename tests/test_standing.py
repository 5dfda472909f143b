"""Who is first, what wrong labels would do, whether judges repeat themselves, slices: from the command to the report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.judges.contract import Item, Question

YES: Tree = {"judge": "always-yes", "answers": ["polite"]}
NO: Tree = {"judge": "always-no", "answers": ["polite"]}
FIRST_TEN = "test_standing:FirstTen"
COIN = "test_standing:Coin"
COPY = "test_standing:Copy"


class FirstTen:
    """Says yes to the lamps S001 to S010; the same in every sample."""

    def judge(self, item: Item, question: Question) -> bool:
        return lamp_of(item) <= 10


class Copy(FirstTen):
    """A judge that says the same as another."""


class Coin:
    """Right when first asked about a lamp, a coin later: no judge that repeats itself. It leaves a mark for each lamp."""

    def judge(self, item: Item, question: Question) -> bool:
        lamp = lamp_of(item)
        mark = Path(f"asked-{lamp}")
        again = mark.exists()
        mark.touch()
        wrong = again and hashlib.sha256(str(lamp).encode()).digest()[0] % 2 == 0
        return (lamp <= 30) != wrong


def lamp_of(item: Item) -> int:
    assert item.projection is not None
    return int(item.projection.query.split("S")[1][:3])


def made(root: Path, judges: Sequence[Tree], cases: int = 60, yes: int = 30, **changes: Any) -> Layout:
    """``cases`` lamps, the first ``yes`` of them polite; the votes rest on event 3 where it is, on nothing else."""
    statements = suite_tree([])["statements"]
    suite = suite_tree(judges, statements=[statements[0] | {"critical": True}, statements[1]], **changes)
    names = [f"S{n:03d}" for n in range(1, cases + 1)]
    votes = [votes_tree(name, {"polite": "yes" if n < yes else "no", "solved": "yes"}) for n, name in enumerate(names)]
    for vote in votes[:yes]:
        vote["votes"][0]["evidence"] = [3]
    return write(root, suite, [case_tree(name) for name in names], votes=votes)


def told(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> tuple[int, dict[str, Any], str]:
    monkeypatch.chdir(layout.root)
    code = main(["all", "--no-plots"])
    latest = layout.reports / "latest"
    report = json.loads((latest / "report.json").read_text(encoding="utf-8"))
    return code, report, (latest / "report.md").read_text(encoding="utf-8")


def seat(judge: str, **changes: Any) -> Tree:
    return {"judge": judge, "answers": ["polite"], **changes}


def test_the_winner_depends_on_the_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report, text = told(made(tmp_path, [YES, NO, seat(FIRST_TEN)]), monkeypatch)
    (line,) = report["rankings"]
    first = {m["metric"]: [j["judge"] for j in m["judges"] if j.get("place") == 1] for m in line["metrics"]}
    # By hand: first-ten has 10 TP, 20 FN, 30 TN of 30 yes and 30 no; always-yes 30 TP and 30 FP.
    assert first["recall"] == ["always-yes"]  # 1 against 1/3
    assert first["precision"] == [FIRST_TEN]  # 1 against 1/2; always-no has none
    assert first["f1"] == ["always-yes"]  # 2/3 against 1/2
    assert first["accuracy"] == [FIRST_TEN]  # 40/60 against 1/2
    assert "The winner depends on the metric" in text
    assert (line["items"], line["labelled"], line["left_out"]) == (60, 60, [])
    nothing = next(
        j for m in line["metrics"] if m["metric"] == "precision" for j in m["judges"] if j["judge"] == "always-no"
    )
    assert nothing["value"] is None and nothing["undefined"] == "0 predicted yes"


def test_judges_that_agree_share_the_first_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report, text = told(made(tmp_path, [seat(FIRST_TEN), seat(COPY), NO]), monkeypatch)
    (line,) = report["rankings"]
    mcc = next(m for m in line["metrics"] if m["metric"] == "mcc")
    assert [(j["judge"], j["place"], j["first"]) for j in mcc["judges"][:2]] == [
        (COPY, 1.5, 0.5),
        (FIRST_TEN, 1.5, 0.5),
    ]
    assert (
        f"{COPY} and {FIRST_TEN} are first by every metric that is defined." in text
    )  # always-no shares specificity only
    assert f"{COPY}, {FIRST_TEN} (" in text


def test_label_error_moves_the_figures_as_the_closed_form_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report, text = told(made(tmp_path, [seat(FIRST_TEN)]), monkeypatch)
    values = {(v["metric"], v["error"], v["model"]): v for v in report["label_noise"][0]["values"]}
    assert values["accuracy", 0.0, "shared"]["value"] == pytest.approx(40 / 60)
    # Shared error e: of the 40 hits e * 30 + e * 30 hide a common mistake (true yes stays 30 when half are yes).
    assert values["accuracy", 0.05, "shared"]["value"] == pytest.approx((40 - 0.05 * 60) / 60)
    # Independent: every yes of the judge is labelled yes, so its true no would be negative.
    assert values["precision", 0.05, "independent"]["value"] is None
    assert "cannot be that wrong" in values["precision", 0.05, "independent"]["undefined"]
    assert "<summary>If labels were wrong</summary>" in text


def test_a_judge_that_repeats_and_one_that_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, report, text = told(made(tmp_path, [seat(FIRST_TEN, samples=3), seat(COIN, samples=3)]), monkeypatch)
    lines = {line["judge"]: line for line in report["repeats"]}
    assert lines[FIRST_TEN]["difference"]["value"] == 0 and lines[FIRST_TEN]["p_adjusted"] == 1
    assert lines[COIN]["verdict"] == "differs" and lines[COIN]["p_adjusted"] < 0.01
    check = next(c for c in report["checks"] if c["name"] == "stochastic judges repeat")
    assert (check["status"], code) == ("not met", 1)
    assert "<summary>Judges against themselves</summary>" in text


def test_too_wide_to_tell_under_a_declared_claim_is_no_yes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = {
        "candidate": FIRST_TEN, "comparator": "always-no", "stratum": "tickets", "statement": "polite",
        "metric": "accuracy", "claim": "better", "margin": 0.001,
    }  # fmt: skip
    layout = made(tmp_path, [seat(FIRST_TEN, samples=3), NO], cases=12, yes=6, comparisons=[claim])
    _, report, _ = told(layout, monkeypatch)
    check = next(c for c in report["checks"] if c["name"] == "stochastic judges repeat")
    assert check["status"] == "cannot decide"
    assert report["repeats"][0]["margin"] == 0.001 and report["repeats"][0]["verdict"] == "cannot tell"


def test_slices_by_length_position_and_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = made(tmp_path, [seat(FIRST_TEN, preset="naive-80"), YES], cases=20, yes=5)
    for path in sorted((layout.suite).rglob("S01*.yaml")):
        case = json.loads(path.read_text(encoding="utf-8"))
        case["attempts"][0]["events"] += [{"kind": "message", "text": f"Line {n}."} for n in range(100)]
        path.write_text(json.dumps(case), encoding="utf-8")
    _, report, _ = told(layout, monkeypatch)
    found = {
        (s["judge"], s["dimension"], s["value"]): (s["accuracy"]["numerator"], s["accuracy"]["denominator"])
        for s in report["slices"]
    }
    assert found["always-yes", "length", "40 or fewer events"] == (5, 10)  # S001 to S009 and S020; five are polite
    assert found["always-yes", "length", "81 to 200 events"] == (0, 10)
    assert found["always-yes", "position of the deciding event", "last third"] == (5, 5)  # event 3 of 3
    assert found["always-yes", "position of the deciding event", "no event named"] == (0, 15)
    assert found[FIRST_TEN, "what the judge was shown", "cut by the projection"] == (9, 10)  # S010 is said yes
    assert found[FIRST_TEN, "what the judge was shown", "whole"] == (6, 10)
    assert not any(judge == "always-yes" and "shown" in dimension for judge, dimension, _ in found), (
        "it is shown nothing"
    )


def test_risk_over_coverage_of_a_constant_probability_is_the_error_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prior = {"judge": "prior", "answers": ["polite"], "parameters": {"p": "0.8"}}
    _, report, _ = told(made(tmp_path, [prior], yes=45), monkeypatch)
    line = report["tables"][0]["judges"][0]["probability"]
    assert line["risk_coverage_area"]["value"] == pytest.approx(15 / 60)
    assert line["risk_coverage"] == [{"certainty": 0.8, "selected": 60, "wrong": 15}]


def test_fit_looks_at_development_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = made(tmp_path, [YES, seat(FIRST_TEN)], cases=20, yes=12)
    names = [f"S{n:03d}" for n in range(1, 21)]
    splits = {f"family-{name}": "development" if n < 4 else "test" for n, name in enumerate(names)}
    (layout.suite / "splits.yaml").write_text(
        json.dumps({"schema": 1, "seed": 1, "families": splits}), encoding="utf-8"
    )
    monkeypatch.chdir(layout.root)
    main(["run"])
    capsys.readouterr()
    assert main(["fit"]) == 0
    told = capsys.readouterr().out
    assert 'prior, answers: [polite], parameters: {p: "1.000"}' in told  # S001 to S004 are all polite
    assert sum(line.endswith(" 4") for line in told.splitlines()) == 2 and "1.00" in told
