"""Third votes, who voted, judges of the annotators' lineage, ``bench agreement``: from the files to the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.benchmark import examine
from bench.cases.layout import Layout
from bench.cli import main
from bench.judges.contract import Item, Question, Verdict
from bench.measure.latent_figures import latent_lines
from bench.measure.provenance_figures import VoteGroup, vote_groups
from bench.report.votes import lineage_words, votes_words
from bench.verify.baseline import flatten
from bench.workspace import load, session_folders

NAMES = [f"S{n:03d}" for n in range(1, 26)]
ALWAYS: Tree = {"judge": "always-yes", "answers": ["polite"]}
KIN: Tree = {"judge": "test_latent_report:Kin", "answers": ["polite"]}
MODEL: Tree = {"made_by": "model", "lineage": "claude"}


class Kin:
    """Says that a model of the annotators' lineage answered."""

    def judge(self, item: Item, question: Question) -> Verdict:
        return Verdict("yes", answered_by="Claude-haiku-9")


def made(root: Path, *, drawn: list[str] | None = NAMES, third: Callable[[int], str] | None = None,
         origin: Tree = MODEL, judges: list[Tree] | None = None, **of_third: Any) -> Layout:  # fmt: skip
    """25 lamps, the first twelve polite by two votes; a third vote that differs on S001 and S025, if nothing else is said."""
    third = third or (lambda n: said(n) if 0 < n < 24 else "no" if n == 0 else "yes")
    votes = [votes_tree(name, {"polite": said(n), "solved": "yes"}, who) | origin
             for n, name in enumerate(NAMES) for who in ("m1", "m2")]  # fmt: skip
    votes += [
        votes_tree(name, {"polite": third(n), "solved": "yes"}, "m3") | origin | {"purpose": "check"} | of_third
        for n, name in enumerate(NAMES)
        if name in (drawn or NAMES)
    ]
    layout = write(root, suite_tree(judges or [ALWAYS], rules={"votes_per_item": 2}), map(case_tree, NAMES), votes)
    if drawn is not None:
        told = {"schema": 1, "seed": 1, "drawn": "all of them", "cases": drawn}
        (layout.labels / "checks.yaml").write_text(json.dumps(told), encoding="utf-8")
    return layout


def said(n: int) -> str:
    return "yes" if n < 12 else "no"


def report_of(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], str, str]:
    monkeypatch.chdir(layout.root)
    main(["all", "--no-plots"])
    latest = layout.reports / "latest"
    read = [(latest / f"report.{end}").read_text(encoding="utf-8") for end in ("json", "md", "html")]
    return json.loads(read[0]), read[1], read[2]


def test_third_votes_are_counted_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report, text, page = report_of(made(tmp_path), monkeypatch)
    assert next(check["status"] for check in report["checks"] if check["name"] == "data lint-clean") == "met"
    polite, solved = report["third_votes"]
    assert (polite["items"], polite["yes_among_three"], polite["left_out"]) == (25, [12, 1, 1, 11], 0)
    assert (polite["agrees"]["numerator"], polite["agrees"]["denominator"]) == (23, 25)
    # Inside the range the fitted moments are those seen: (0 12 + 1/3 + 2/3 + 11) / 25 of the votes say yes.
    share, miss, false_yes = (polite[n]["value"] for n in ("true_yes", "wrong_on_a_true_yes", "wrong_on_a_true_no"))
    assert share * (1 - miss) + (1 - share) * false_yes == pytest.approx(12 / 25)
    assert solved["true_yes"]["undefined"] == "all items got the same votes"
    for told in (text, page):
        assert "What third votes say of the labels" in told
        assert "how often a ruling is wrong cannot be told" in told
        assert "Models of one lineage (claude) voted" in told
        assert "read each error as a lower bound" in told
        assert "0: 12 1: 1 2: 1 3: 11" in told
    assert "n/a (all items got the same votes)" in text


def test_no_label_moves_by_a_third_vote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report, _, _ = report_of(made(tmp_path), monkeypatch)
    assert report["tables"][0]["labels"] == {"yes": 12, "no": 13, "unclear": 0, "unlabelled": 0}
    assert [line["votes"] for line in report["agreement"]] == [50, 50]


def test_without_third_votes_nothing_is_told_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    votes = [votes_tree(name, {"polite": said(n), "solved": "yes"}) for n, name in enumerate(NAMES)]
    layout = write(tmp_path, suite_tree([ALWAYS]), map(case_tree, NAMES), votes)
    report, text, page = report_of(layout, monkeypatch)
    assert (report["third_votes"], report["same_lineage"]) == ([], {})
    assert "third votes" not in text.lower() + page.lower()


def test_only_drawn_cases_stand_for_the_rest(tmp_path: Path) -> None:
    (some, _) = latent_lines(*load(made(tmp_path / "a", drawn=NAMES[:22])))
    assert (some.items, some.rates.true_yes.undefined) == (22, None)
    (few, _) = latent_lines(*load(made(tmp_path / "b", drawn=NAMES[:9])))
    assert few.rates.miss.undefined == "9 of 20 items with three votes"
    assert latent_lines(*load(made(tmp_path / "c", drawn=None))) == ()


def test_unclear_votes_are_left_out_and_counted(tmp_path: Path) -> None:
    line, _ = latent_lines(*load(made(tmp_path, third=lambda n: "unclear" if n < 3 else said(n))))
    assert (line.left_out, line.rates.counts, line.items) == (3, (13, 0, 0, 9), 25)
    assert (line.agrees.numerator, line.agrees.denominator) == (22, 25)


def test_persons_are_not_called_models(tmp_path: Path) -> None:
    lines = latent_lines(*load(made(tmp_path, origin={})))
    assert lines[0].lineages == () and lineage_words(lines) == ""


def test_the_baseline_holds_third_votes(tmp_path: Path) -> None:

    layout = made(tmp_path)
    held = flatten(examine(layout, session_folders(layout, [])).figures)
    assert (held["third-votes/tickets/polite/items"], held["third-votes/tickets/polite/yes-3"]) == (25, 11)
    assert "third-votes/tickets/polite/miss/high" in held


# --- who voted ---


def test_votes_are_counted_by_origin_and_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = made(tmp_path, guide="2")
    (layout.labels / "GUIDE.md").write_text("Guide version: 2\n")
    groups = vote_groups(load(layout)[1])
    assert groups == (
        VoteGroup("label", "model", "claude", "1", 100, False),
        VoteGroup("check", "model", "claude", "2", 50, True),
    )
    words = (
        "100 votes behind the labels, by models (claude) under guide 1, which is not the present one. "
        "50 third votes, by models (claude) under guide 2."
    )
    assert votes_words(groups) == words
    report, text, page = report_of(layout, monkeypatch)
    assert words in text and words in page
    assert [(group["guide"], group["present_guide"]) for group in report["votes"]] == [("1", False), ("2", True)]


def test_several_origins_are_told_apart() -> None:
    groups = (VoteGroup("label", "person", None, "2", 4, True), VoteGroup("label", "model_assisted", "m", "2", 6, True))
    assert votes_words(groups) == (
        "10 votes behind the labels: 4 by persons under guide 2; 6 by persons with a model (m) under guide 2."
    )


@pytest.mark.parametrize(("lineage", "kin"), [("claude", True), ("haiku", True), ("gpt", False), ("claud", False)])
def test_a_judge_of_the_annotators_lineage_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lineage: str, kin: bool
) -> None:
    report, text, page = report_of(made(tmp_path, judges=[ALWAYS, KIN], lineage=lineage, origin=MODEL | {"lineage": lineage}),
                                   monkeypatch)  # fmt: skip
    judge = next(line["judge_id"] for line in report["tables"][0]["judges"] if "Kin" in line["judge_id"])
    assert report["same_lineage"] == ({judge: lineage} if kin else {})
    assert ("(same lineage as the annotators)" in text) is kin
    assert (">same lineage as the annotators<" in page) is kin


# --- bench agreement ---


def agreement(layout: Layout, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["agreement", "--suite", str(layout.suite), *words])
    return code, capsys.readouterr().out


def test_agreement_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = made(tmp_path)
    code, out = agreement(layout, capsys)
    assert code == 0
    assert out.startswith("100 votes behind the labels, by models (claude) under guide 1.")
    assert "polite, tickets" in out and "third votes. Models of one lineage" in out
    code, out = agreement(layout, capsys, "--json")
    told = json.loads(out)
    assert (told["pilot"], told["agreement"][0]["raw"]["value"], told["third_votes"][0]["items"]) == (False, 1.0, 25)


def test_the_pilot_has_its_own_agreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = made(tmp_path)
    assert agreement(layout, capsys, "--pilot")[0] == 2
    for who, answer in (("p1", "yes"), ("p2", "no")):
        for name in NAMES[:12]:
            path = layout.labels / "pilot" / "votes" / who / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(votes_tree(name, {"polite": answer}, who)), encoding="utf-8")
    code, out = agreement(layout, capsys, "--pilot", "--json")
    told = json.loads(out)
    assert (code, told["pilot"], told["agreement"][0]["raw"]["value"]) == (0, True, 0.0)
    assert told["votes"][0]["votes"] == 24
    assert json.loads(agreement(layout, capsys, "--json")[1])["votes"][0]["votes"] == 100  # the pilot moves nothing
    path.write_text("schema: 1\n", encoding="utf-8")
    assert agreement(layout, capsys, "--pilot")[0] == 3


def test_nothing_to_agree_on_cannot_be_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert agreement(write(tmp_path, suite_tree([ALWAYS]), [case_tree("S001")]), capsys)[0] == 2
