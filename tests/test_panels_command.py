"""``bench panel`` on a small suite: what is chosen where, what is told, and how it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_llm import Asked, Says, fake, verdict
from llm_runs import entry
from printed import squeezed, too_wide
from running_suites import RULE, Tree, case_tree, rule_tree, suite_tree, votes_tree, write

from bench.benchmark import stored_rows
from bench.cases.layout import Layout
from bench.cases.sources import SessionFolders
from bench.cli import main
from bench.policies.combine import fit_stacked, out_of_fold
from bench.policies.members import assemble
from bench.policies.replay import point, replay, written

CASES = [f"S{n:03d}" for n in range(90)]
SPLITS = {f"family-{case}": ("development", "test", "calibration")[int(case[1:]) // 30] for case in CASES}
DEVELOPMENT = set(CASES[:30])
LABELS = {case: "yes" if int(case[1:]) % 3 else "no" for case in CASES}


def says(asked: Asked) -> Says:
    n = int(re.findall(r"lamp S(\d{3})", asked.prompt)[0])
    return Says(verdict("yes" if n % 3 or n % 4 == 0 else "no"))


def case(name: str) -> Tree:
    """Every other lamp gets a greeting."""
    tree = case_tree(name)
    tree["attempts"][0]["events"][2]["text"] = "Hello!" if int(name[1:]) % 2 else "It works again."
    return tree


def build(root: Path, judges: list[Tree], labels: dict[str, str], splits: dict[str, str] | None = SPLITS) -> Layout:
    votes = [votes_tree(name, {"polite": answer, "solved": "yes"}) for name, answer in labels.items()]
    tree = suite_tree(judges, resamples=200)
    tree["statements"][0]["critical"] = True
    return write(root, tree, [case(name) for name in CASES], votes, splits, rule=rule_tree())


def own(name: str) -> Tree:
    return {"judge": name, "answers": ["polite"], "coverage_floor": 0}


@pytest.fixture(scope="module")
def judges() -> Iterator[list[Tree]]:
    with fake(says) as server:
        model = {**entry(server.url), "answers": ["polite"]}
        yield [own("always-yes"), own(RULE), own("panel_judges:Priced"), own("panel_judges:Secretive"), model]


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory, judges: list[Tree]) -> Layout:
    made = build(tmp_path_factory.mktemp("panels"), judges, LABELS)
    main(["run", "--suite", str(made.suite), "--judge-missing"])
    return made


def panel(layout: Layout, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["panel", "--suite", str(layout.suite), *words])
    out, err = capsys.readouterr()
    return code, out, err


def told(layout: Layout, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code, out, err = panel(layout, capsys, "--json", *words)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def lines_of(found: dict[str, Any]) -> dict[str, Any]:
    return {line["name"]: line for line in found["arrangements"]}


def test_defaults(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(layout, capsys)
    names = [member["name"] for member in found["members"]]
    assert names == ["rule:own", "panel_judges:Priced", "panel_judges:Secretive", "llm:m-1:json_schema"]
    assert [member["free"] for member in found["members"]] == [True, False, False, False]
    assert [member["calls_a_model"] for member in found["members"]] == [False, False, False, True]
    kinds = [line["kind"] for line in found["arrangements"]]
    assert kinds == ["single"] * 4 + ["majority", "weighted", "stacked", "cascade"]
    assert found["arrangements"][-1]["members"] == ["rule:own", "llm:m-1:json_schema"]
    assert found["chosen_on"] == {"split": "development", "items": 30, "families": 30}
    assert found["reported_on"] == {"splits": ["calibration", "test"], "items": 60, "families": 60}
    assert found["exit_code"] == 0 and "|statement:polite|" in found["signature"]


def test_text_and_json_say_the_same(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(layout, capsys)
    code, out, _ = panel(layout, capsys)
    assert code == 0 and " ".join(out.split("\n\n")[0].split()) == found["sentence"]
    assert found["signature"] in squeezed(out)
    assert too_wide(out) == []
    for line in found["arrangements"]:
        estimate = line["reported"]["metrics"]["balanced_accuracy"]
        assert f"{estimate['value']:.2f}".lstrip("0") in out


def test_prices_that_nobody_told_stay_unknown(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(layout, capsys)
    lines = lines_of(found)
    assert lines["rule:own"]["reported"]["usd_per_item"] == {"value": 0.0, "items": 60, "unknown": 0}
    assert lines["panel_judges:Priced"]["reported"]["usd_per_item"]["value"] == pytest.approx(0.002)
    unknown = {"value": None, "items": 60, "unknown": 60, "reason": "price unknown"}
    for name in ("panel_judges:Secretive", "llm:m-1:json_schema", "majority of all 4", "stacked all 4"):
        assert lines[name]["reported"]["usd_per_item"] == unknown
    cost, time = found["frontiers"]
    assert cost["axis"] == "usd" and time["axis"] == "ms" and time["left_out"] == []
    assert {one["name"]: one["reason"] for one in cost["left_out"]}["llm:m-1:json_schema"] == "price unknown"


def test_development_is_told_out_of_fold_where_something_was_fitted(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    found = lines_of(told(layout, capsys))
    suite, _, judged = stored_rows(layout, SessionFolders([]))
    items = assemble(judged, "polite", "tickets").of("development")
    apart = point(written(items, out_of_fold(items, fit_stacked, suite.suite.seed)), "balanced_accuracy")
    assert apart != point(replay(fit_stacked(items), items), "balanced_accuracy")
    assert found["stacked all 4"]["development"]["metrics"]["balanced_accuracy"]["value"] == apart


def test_the_differences_hold_together(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    # Bonferroni: 3 panels and a cascade, .05 / 4 each; a person last is no comparison.
    assert told(layout, capsys)["gain_level"] == pytest.approx(0.9875)
    assert told(layout, capsys, "--cascade", "rule:own>review")["gain_level"] == pytest.approx(1 - 0.05 / 3)


def test_what_leaves_items_out_does_not_look_better_on_the_frontier(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(layout, capsys)
    lines = lines_of(found)
    quality = {step["name"]: step["quality"] for step in found["frontiers"][1]["steps"]}
    assert "panel_judges:Priced" in quality
    for name, value in quality.items():
        bounds = lines[name]["bounds"]
        whole = lines[name]["reported"]["metrics"]["balanced_accuracy"]["value"]
        assert value == pytest.approx(whole if bounds is None else bounds["all_wrong"])
    undecided = lines["panel_judges:Secretive"]["reported"]
    # Of the cases 30 to 89 six are multiples of eleven: 33, 44, 55, 66, 77, 88.
    assert undecided["books"]["unscored"] == {"abstained": 6}
    assert lines["panel_judges:Secretive"]["bounds"]["all_wrong"] < undecided["metrics"]["balanced_accuracy"]["value"]


def test_books_and_calls_saved(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(layout, capsys, "--cascade", "panel_judges:Priced>panel_judges:Secretive@.4:.5")
    for line in found["arrangements"]:
        books = line["reported"]["books"]
        assert books["expected"] == books["scored"] + sum(books["unscored"].values()) + books["not_run"] == 60
        assert books["scored"] == books["labelled"]
    cascade = found["arrangements"][-1]
    # Every fifth of the cases 30 to 89 has .45 and goes on; those are 30, 35, ..., 85, and 55 is a multiple of eleven.
    assert cascade["reported"]["asked"] == {"panel_judges:Priced": 60, "panel_judges:Secretive": 12}
    assert cascade["told"] == "48 of 60 calls of panel_judges:Secretive saved"
    assert cascade["reported"]["escalated"]["numerator"] == 12
    assert cascade["reported"]["books"]["unscored"] == {"abstained": 1}
    assert cascade["how"]["stages"] == [{"judge": "panel_judges:Priced", "goes_on": {"from": 0.4, "to": 0.5}}]
    assert cascade["fitted_on_development"] is False


def test_a_person_last(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(layout, capsys, "--cascade", "panel_judges:Priced>review@.4:.5")
    cascade = found["arrangements"][-1]
    assert cascade["reported"]["books"]["unscored"] == {"review": 12}
    assert cascade["told"] == "a person decides 12 of 60 items" and cascade["best_member"] is None
    assert [one["name"] for one in found["frontiers"][1]["left_out"]] == [cascade["name"]]


def test_labels_outside_development_choose_nothing(
    layout: Layout, judges: list[Tree], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flipped = {
        name: answer if name in DEVELOPMENT else {"yes": "no", "no": "yes"}[answer] for name, answer in LABELS.items()
    }
    other = build(tmp_path, judges, flipped)
    runs = other.runs
    runs.mkdir(parents=True)
    for file in layout.runs.iterdir():
        (runs / file.name).write_bytes(file.read_bytes())
    plans = ("--cascade", "rule:own>panel_judges:Priced", "--cascade", "panel_judges:Priced>llm:m-1:json_schema>review")
    before, after = (lines_of(told(one, capsys, *plans)) for one in (layout, other))
    assert list(before) == list(after)  # chosen bands stand in the names
    for name, line in before.items():
        assert line["how"] == after[name]["how"] and line["development"] == after[name]["development"]
        assert line["best_member"] == after[name]["best_member"]
    assert before["rule:own"]["reported"]["metrics"] != after["rule:own"]["reported"]["metrics"]


def test_same_input_same_bytes(layout: Layout, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outs = []
    for number in range(2):
        place = tmp_path / f"{number}.svg"
        outs.append((panel(layout, capsys, "--plot", str(place))[1], place.read_bytes()))
    assert outs[0] == outs[1]
    drawing = outs[0][1].decode()
    assert "not shown: 3, 4" in drawing and "panel_judges:Priced" in drawing and "calls" not in drawing


def test_order_of_members_is_that_of_the_command(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    names = "llm:m-1:json_schema,always-yes,rule:own"
    found = told(layout, capsys, "--members", names, "--weights", "0,1,2", "--floor", "2")
    assert [member["name"] for member in found["members"]] == names.split(",")
    weighted = next(line for line in found["arrangements"] if line["kind"] == "weighted")
    assert weighted["members"] == ["always-yes", "rule:own"] and weighted["fitted_on_development"] is False


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--members", "nobody,rule:own"), 3, "no judge 'nobody'"),
        (("--members", "rule:own,rule:own"), 3, "stands twice"),
        (("--members", "rule:own,,"), 3, "an empty place"),
        (("--members", "rule:own"), 2, "a panel needs two judges"),
        (("--statement", "solved"), 2, "a panel needs two judges"),
        (("--statement", "kind"), 3, "use one of polite, solved"),
        (("--stratum", "moon"), 3, "use one of tickets"),
        (("--cascade", "rule:own>nobody"), 3, "no member 'nobody'"),
        (("--cascade", "rule:own"), 3, "no cascade"),
        (("--weights", "1,2"), 3, "2 weights for 0 members"),
        (("--members", "rule:own,llm:m-1:json_schema", "--weights", "1,nan"), 3, "give finite numbers"),
        (("--members", "rule:own,llm:m-1:json_schema", "--weights", "0,0"), 3, "only zeros"),
        (("--members", "rule:own,llm:m-1:json_schema", "--floor", "3"), 3, "3 of 2 members"),
        (("--review-at-most", "nan"), 3, "give a share from 0 to 1"),
        (("--plot", "figure.txt"), 3, "let the name end in .svg or .png"),
        (("--plot", "nowhere/figure.svg"), 3, "no such folder"),
    ],
)
def test_how_it_ends(
    layout: Layout, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, message: str
) -> None:
    found, out, err = panel(layout, capsys, *words)
    assert (found, out) == (code, "") and message in " ".join(err.split())


def test_without_splits_nothing_is_fitted(
    layout: Layout, judges: list[Tree], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = build(tmp_path, judges, LABELS, splits=None)
    other.runs.mkdir(parents=True)
    for file in layout.runs.iterdir():
        (other.runs / file.name).write_bytes(file.read_bytes())
    found = told(other, capsys)
    assert [line["kind"] for line in found["arrangements"]] == ["single"] * 4 + ["majority"]
    reason = "0 labelled yes, 0 labelled no on development"
    assert found["not_made"] == [{"name": name, "reason": reason} for name in ("weighted all 4", "stacked all 4")]
    assert found["sentence"].startswith("Nothing says whether combining helps")
    assert "not made, 0 labelled yes" in panel(other, capsys)[1]


def test_without_labels_or_verdicts_there_is_nothing_to_combine(
    judges: list[Tree], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = build(tmp_path, judges, {name: LABELS[name] for name in DEVELOPMENT})
    code, _, err = panel(bare, capsys)
    assert code == 2 and "no labelled item of polite on tickets outside development" in err
