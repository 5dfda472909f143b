"""Experiments: seats that differ in factors, told apart from the headline; refused where they are no full crossing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from fake_llm import Asked, FakeLLM, Says, fake, verdict
from llm_runs import entry
from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.judges.registry import make_judge
from bench.projection.project import preset_named
from bench.schema.experiment import design_of
from bench.schema.suite import JudgeEntry, designs_of

CASES = [f"S{n:03d}" for n in range(24)]
LABELS = {case: "yes" if n % 3 else "no" for n, case in enumerate(CASES)}
SAMPLES = 3
REFUSED = "S007"


def seat(url: str, template: str, preset: str, **changes: Any) -> Tree:
    cell = entry(url, template=template, samples=str(SAMPLES), retries="0")
    return {**cell, "answers": ["polite"], "preset": preset, "experiment": "prompts", **changes}


def crossing(url: str) -> list[Tree]:
    return [seat(url, template, preset) for template in ("plain@1", "strict@1") for preset in ("events", "naive-80")]


def answer(case: str, strict: bool, asking: int) -> str:
    """What the fake says: strict says yes but to every fourth; plain flips its last sample of every fifth."""
    number = int(case[1:])
    if strict:
        return "no" if number % 4 == 0 else "yes"
    truth = LABELS[case]
    flips = number % 5 == 0 and asking == SAMPLES
    return {"yes": "no", "no": "yes"}[truth] if flips else truth


def script(refuses: bool = False) -> Callable[[Asked], Says]:
    seen: Counter[str] = Counter()

    def says(asked: Asked) -> Says:
        prompt = asked.prompt
        seen[prompt] += 1
        case = re.findall(r"lamp (S\d{3})", prompt)[0]
        strict = "Decide in this order" in prompt
        if refuses and strict and case == REFUSED:
            return Says(refusal="I would rather not.")
        return Says(verdict(answer(case, strict, seen[prompt])))

    return says


def suite_at(root: Path, judges: list[Tree], **changes: Any) -> Layout:
    votes = [votes_tree(case, {"polite": LABELS[case], "solved": "yes"}) for case in CASES]
    return write(root, suite_tree(judges, **changes), [case_tree(case) for case in CASES], votes=votes)


def told(layout: Layout, monkeypatch: pytest.MonkeyPatch, *words: str) -> dict[str, Any]:
    monkeypatch.chdir(layout.root)
    main(["all", "--no-plots", *words])
    report: dict[str, Any] = json.loads((layout.reports / "latest" / "report.json").read_text(encoding="utf-8"))
    return report


def line_of(report: dict[str, Any], response: str) -> dict[str, Any]:
    (experiment,) = report["experiments"]
    return next(line for line in experiment["lines"] if line["response"] == response)


def share_right(strict: bool) -> float:
    hits = [answer(case, strict, asking) == LABELS[case] for case in CASES for asking in range(1, SAMPLES + 1)]
    return sum(hits) / len(hits)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, dict[str, Any], FakeLLM]:
    """A run of 2 templates x 2 presets x 3 samples beside a control and a headline seat of one of the cells."""
    with fake(script()) as server, pytest.MonkeyPatch.context() as patch:
        headline = {**seat(server.url, "plain@1", "events"), "samples": 1}
        del headline["experiment"]
        control = {"judge": "always-yes", "answers": ["polite", "solved"]}
        layout = suite_at(tmp_path_factory.mktemp("whole"), [control, headline, *crossing(server.url)])
        return layout, told(layout, patch), server


def test_every_cell_is_asked_and_shared_verdicts_are_asked_once(whole: tuple[Layout, dict[str, Any], FakeLLM]) -> None:
    assert len(whole[2].asked) == len(CASES) * 4 * SAMPLES


def test_the_experiment_is_told_with_its_factors_and_cells(whole: tuple[Layout, dict[str, Any], FakeLLM]) -> None:
    (experiment,) = whole[1]["experiments"]
    assert (experiment["id"], experiment["samples"]) == ("prompts", SAMPLES)
    assert experiment["factors"] == [
        {"name": "preset", "levels": ["events", "naive-80"]},
        {"name": "template", "levels": ["plain@1", "strict@1"]},
    ]
    assert [cell["levels"] for cell in experiment["seats"]] == [
        ["events", "plain@1"], ["naive-80", "plain@1"], ["events", "strict@1"], ["naive-80", "strict@1"],
    ]  # fmt: skip
    assert len({cell["judge_id"] for cell in experiment["seats"]}) == 4


def test_parts_and_levels_are_those_of_the_answers_given(whole: tuple[Layout, dict[str, Any], FakeLLM]) -> None:
    line = line_of(whole[1], "being right")
    assert (line["items"], line["families"], line["excluded"]) == (24, 24, {})
    found = {part["name"]: part for part in line["components"]}
    assert list(found) == [
        "item", "preset", "template", "preset x template", "item x preset", "item x template", "higher interactions", "samples",
    ]  # fmt: skip
    assert sum(part["share"]["value"] for part in line["components"]) == pytest.approx(1)
    # The presets are answered alike, so nothing of it is theirs.
    for name in ("preset", "preset x template", "item x preset", "higher interactions"):
        assert found[name]["share"]["value"] == pytest.approx(0, abs=0.02)
    assert found["item x template"]["share"]["value"] > 0.3
    # Five of 24 cases flip one of three samples under one of two templates: variance 1/3 in 5 of 48 cells.
    assert found["samples"]["variance"] == pytest.approx(5 / 48 / 3)
    preset, template = line["levels"]
    assert [mean["value"] for mean in template["means"]] == pytest.approx([share_right(False), share_right(True)])
    assert template["range"]["value"] == pytest.approx(share_right(False) - share_right(True))
    assert preset["range"]["value"] == 0 and preset["range"]["high"] > 0


def test_the_share_of_yes_is_told_beside(whole: tuple[Layout, dict[str, Any], FakeLLM]) -> None:
    line = line_of(whole[1], "saying yes")
    strict = sum(answer(case, True, 1) == "yes" for case in CASES) / len(CASES)
    assert line["levels"][1]["means"][1]["value"] == pytest.approx(strict)


def test_headline_tables_hold_no_seat_of_an_experiment(whole: tuple[Layout, dict[str, Any], FakeLLM]) -> None:
    report = whole[1]
    ids = {cell["judge_id"] for cell in report["experiments"][0]["seats"]}
    seated = {line["judge_id"] for table in report["tables"] for line in table["judges"]}
    shared = report["experiments"][0]["seats"][0]["judge_id"]  # has a headline seat of its own too
    assert seated & ids == {shared}
    assert set(report["books"]) & ids == {shared} and report["books"][shared]["expected"] == len(CASES)
    assert {item["judge_id"] for item in report["items"]} & ids == {shared}
    assert Counter(line["judge"] for table in report["tables"] for line in table["judges"]) == {
        "always-yes": 2, "llm:m-1:json_schema": 1,
    }  # fmt: skip
    assert {line["judge"] for line in report["slices"]} <= {"always-yes", "llm:m-1:json_schema"}
    assert len(report["calls"]) == 4  # what they took is told: it was paid


def test_the_pages_tell_the_sentence(whole: tuple[Layout, dict[str, Any], FakeLLM]) -> None:
    layout, report, _ = whole
    sentence = line_of(report, "being right")["sentence"]
    assert re.fullmatch(r"Of the spread in being right: cases \d.* %.*, samples .*\.", sentence)
    for name in ("report.md", "report.html"):
        page = (layout.reports / "latest" / name).read_text(encoding="utf-8")
        assert "Experiment prompts" in page and "from lowest to highest" in page and "strict@1" in page
        assert re.sub(r"&lt;|<", "<", sentence) in re.sub(r"&lt;|<", "<", page)


def test_a_second_run_asks_nothing_and_says_the_same(
    whole: tuple[Layout, dict[str, Any], FakeLLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(whole[0], monkeypatch)["experiments"] == whole[1]["experiments"]


def test_the_baseline_holds_the_experiment(
    whole: tuple[Layout, dict[str, Any], FakeLLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = whole[0]
    monkeypatch.chdir(layout.root)
    assert main(["accept"]) == 0
    held = json.loads((layout.reports / "baseline.json").read_text(encoding="utf-8"))["support"]
    assert held["experiment/prompts/tickets/polite/being right/items"] == 24
    assert "experiment/prompts/tickets/polite/being right/share/template" in held


def test_an_item_that_one_cell_does_not_score_is_excluded_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake(script(refuses=True)) as server:
        judges = crossing(server.url)[::2]  # both templates, one preset
        line = line_of(told(suite_at(tmp_path, judges), monkeypatch), "being right")
    assert (line["items"], line["excluded"]) == (23, {"not scored in every cell": 1})


def test_a_batch_names_a_cell_by_its_judge_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = suite_at(tmp_path, crossing("http://127.0.0.1:9/v1"))
    monkeypatch.chdir(layout.root)
    assert main(["batch", "export", "requests.jsonl", "--judge", "llm:m-1:*", "--form", "openai"]) == 3
    told = capsys.readouterr().err
    assert "fits 4 judges" in told
    name = re.findall(r"\((llm-m-1-[^)]*)\)", told)[0]
    assert main(["batch", "export", "requests.jsonl", "--judge", name, "--form", "openai"]) == 0
    assert len((layout.root / "requests.jsonl").read_text(encoding="utf-8").splitlines()) == len(CASES) * SAMPLES


def test_a_suite_of_experiments_alone_is_something_to_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judges = [
        {"judge": "prior", "answers": ["polite"], "experiment": "e", "parameters": {"p": p}} for p in ("0.2", "0.8")
    ]
    report = told(suite_at(tmp_path, judges), monkeypatch)
    assert [c["status"] for c in report["checks"] if c["name"] == "something to measure"] == ["met"]
    assert all(table["judges"] == [] for table in report["tables"])
    assert line_of(report, "being right")["levels"][0]["factor"] == "p"


def test_a_selection_of_some_seats_says_why_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judges = [
        {"judge": name, "answers": ["polite"], "experiment": "e"} for name in ("always-yes", "always-no", "exact")
    ]
    report = told(suite_at(tmp_path, judges), monkeypatch, "--judge", "exact")
    (experiment,) = report["experiments"]
    assert experiment["lines"] == [] and "only a part of the seats is selected" in experiment["missing"]


A, B = {"judge": "always-yes"}, {"judge": "always-no"}
LLM = {"judge": "llm", "parameters": {"provider": "ollama", "model": "m", "template": "plain@1"}}
WRONG = {
    "one seat": ([A], "experiment e: has 1 seat"),
    "nothing differs": ([A, A], "experiment e: no factor differs"),
    "two alike": ([A, B, B], "two seats are alike (judge always-no)"),
    "a cell is missing": (
        [A, B, A | {"preset": "naive-80"}],
        "missing are 1 cells, the first: judge always-no, preset naive-80",
    ),
    "confounded parameters": (
        [LLM, {**LLM, "parameters": {**LLM["parameters"], "template": "strict@1", "temperature": "1"}}],  # type: ignore[dict-item]
        "template plain@1, temperature 1",
    ),
    "answers differ": ([A, B | {"answers": ["solved"]}], "differ in answers"),
    "samples differ": ([A, B | {"samples": 3}], "differ in samples"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_experiment_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seats, text = WRONG[name]
    layout = suite_at(tmp_path, [{"answers": ["polite"], "experiment": "e", **each} for each in seats])
    assert main(["lint", "--suite", str(layout.suite)]) == 3
    assert text in capsys.readouterr().out


def test_the_example_of_the_page_is_an_experiment() -> None:
    page = (Path(__file__).parent.parent / "docs" / "experiments.md").read_text(encoding="utf-8")
    fragment = yaml.load(page.split("```yaml")[1].split("```")[0], Loader=yaml.BaseLoader)
    entries = [JudgeEntry.model_validate(entry) for entry in fragment["judges"]]
    design = designs_of(entries)["prompts"]
    assert [(f.name, f.levels) for f in design.factors] == [
        ("preset", ("windows-8k", "ends-80")), ("template", ("plain@1", "strict@1")),
    ]  # fmt: skip
    for each in entries:
        make_judge(each.judge, each.parameters, Path())
        preset_named(each.preset)


def test_what_goes_with_a_model_is_one_factor() -> None:
    seats = [
        {"judge": "llm", "preset": "events", "provider": "a", "model": "x", "base_url": "u", "template": t}
        for t in "12"
    ] + [
        {"judge": "llm", "preset": "events", "provider": "b", "model": "y", "seconds": "9", "template": t} for t in "12"
    ]
    design = design_of(seats)
    assert [(f.name, f.levels) for f in design.factors] == [
        ("judge", ("llm a x", "llm b y")), ("template", ("1", "2")),
    ]  # fmt: skip
    assert design.cells == ((0, 0), (0, 1), (1, 0), (1, 1)) and design.shape == (2, 2)


def test_a_declared_subsample_is_asked_about_its_cases_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seats = [
        {"judge": judge, "answers": ["polite"], "experiment": "part", "only": ["S001", "S003"]}
        for judge in ("always-yes", "always-no")
    ]
    names = [f"S{n:03d}" for n in range(1, 5)]
    votes = [votes_tree(name, {"polite": "yes", "solved": "yes"}) for name in names]
    layout = write(tmp_path, suite_tree(seats), [case_tree(name) for name in names], votes=votes)
    monkeypatch.chdir(layout.root)
    assert main(["run"]) == 0
    expected = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("always-")]
    assert expected == ["2", "2"]  # S001 and S003 of four cases


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"only": ["S009"]}, "which is no case of the suite"),
        ({"experiment": None}, "is for cells of an experiment"),
    ],
)
def test_a_subsample_that_cannot_be_is_refused(
    change: dict[str, object],
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seats = []
    for judge in ("always-yes", "always-no"):
        entry = {"judge": judge, "answers": ["polite"], "experiment": "part", "only": ["S001"], **change}
        seats.append({name: value for name, value in entry.items() if value is not None})
    votes = [votes_tree("S001", {"polite": "yes", "solved": "yes"})]
    monkeypatch.chdir(write(tmp_path, suite_tree(seats), [case_tree("S001")], votes=votes).root)
    assert main(["lint"]) in (1, 3)
    told = capsys.readouterr()
    assert word in told.out + told.err
