"""``bench recalibrate``: suite and table, text and JSON say the same, and the file it writes is a calibrator."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.cli import main
from bench.deciding.calibrator import Calibrator, sigmoid
from bench.judges.contract import Item, Question, Verdict


def code(*words: str) -> int:
    try:
        return main(["recalibrate", *words])
    except SystemExit as leaving:
        return int(leaving.code or 0)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The JSON of a run, whose exit code is the one it names."""
    found = code(*words, "--json")
    read: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert read["exit_code"] == found
    return read


def table(folder: Path, rows: int = 240, sharpness: float = 3.0, head: str = "label,probability,group,split") -> Path:
    """An overconfident judge; two of three rows are for development."""
    generator = random.Random(5)
    lines = [head]
    for row in range(rows):
        x = generator.gauss(0, 1.5)
        label = "yes" if generator.random() < sigmoid(x) else "no"
        split = "test" if row % 3 == 2 else "development"
        lines.append(",".join([label, f"{sigmoid(sharpness * x):.6f}", f"g{row}", split][: head.count(",") + 1]))
    path = folder / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# --- tables ---


def test_a_table_with_splits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out, plot = table(tmp_path), tmp_path / "c.json", tmp_path / "p.svg"
    found = told(capsys, "--table", str(path), "--out", str(out), "--plot", str(plot))
    assert found["fitted_on"]["rows"] == 160
    assert found["calibrator"]["kind"] == "temperature"
    assert (found["reliability"]["on"], found["reliability"]["rows"]) == ("test", 80)
    assert Calibrator.model_validate_json(out.read_bytes()).model_dump(mode="json") == found["calibrator"]
    assert plot.read_text(encoding="utf-8").count("calibration error") == 2


def test_text_and_json_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path)
    found = told(capsys, "my judge", "--table", str(path))
    assert code("my judge", "--table", str(path)) == 0
    text = capsys.readouterr().out
    assert found["outcome"] in " ".join(text.split())
    assert f"{found['candidates'][0]['log_loss']:.3f}".removeprefix("0") in text
    assert f"{found['reliability']['before']['brier']['value']:.2f}".removeprefix("0") in text
    assert "holds at this label mix only" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_without_splits_figures_are_out_of_fold_and_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path, head="label,probability,group")
    assert code("--table", str(path)) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "out of fold, each row by a map fitted without its family: 240 rows" in text
    found = told(capsys, "--table", str(path))
    assert found["reliability"]["on"] == "out of fold"
    # The log loss after is the cross-validated one of the kept map, not that of the rows it was fitted on.
    kept = next(one for one in found["candidates"] if one["kept"])
    assert found["reliability"]["after"]["log_loss"]["value"] == pytest.approx(kept["log_loss"])


def test_split_can_be_switched_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--table", str(table(tmp_path)), "--split", "-")["fitted_on"]["rows"] == 240


def test_none_is_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = table(tmp_path, sharpness=1.0), tmp_path / "c.json"
    found = told(capsys, "--table", str(path), "--out", str(out))
    assert (found["exit_code"], found["calibrator"]["kind"], found["reliability"]["after"]) == (0, "none", None)
    assert Calibrator.model_validate_json(out.read_bytes()) == Calibrator()


def test_rows_without_label_or_probability_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.write(",.5,h1,development\nyes,,h2,test\n")
    found = told(capsys, "--table", str(path))
    assert found["left_out"] == {"development: no label": 1, "other rows: no probability": 1}
    assert found["fitted_on"]["rows"] == 160


BROKEN = {
    "a group on both sides": (["yes,.5,g0,test"], [], "its group also stands in development"),
    "a row without a split": (["yes,.5,h,"], [], "no split"),
    "a third label": (["perhaps,.5,h,test"], [], "perhaps"),
    "no probability": (["yes,7,h,test"], [], "7"),
    "no such column": ([], ["--probability", "q"], "no column q"),
    "no row of development": ([], ["--split", "group"], "no row says development"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_tables_are_3_and_name_the_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, words, reason = BROKEN[name]
    path = table(tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{row}\n" for row in rows))
    assert code("--table", str(path), *words) == 3
    said = capsys.readouterr().err
    assert reason in said and "to mend" in said
    assert not rows or f"{path}:242" in said


def test_a_table_without_probabilities_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("label,verdict\nyes,yes\nno,no\n", encoding="utf-8")
    assert code("--table", str(path)) == 3
    assert "no column is named like a probability" in capsys.readouterr().err


def test_what_cannot_be_decided_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path, rows=20)
    assert code("--table", str(path)) == 2
    assert "14 rows to fit on" in capsys.readouterr().err
    assert "14 rows to fit on" in told(capsys, "--table", str(path))["reason"]


def test_neither_judge_nor_table_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert code("--statement", "solved") == 3
    assert "judge" in capsys.readouterr().err


# --- suites ---

CASES = [f"S{number:03d}" for number in range(1, 46)]


def right(case: str) -> bool:
    """Six of seven cases."""
    return int(case[1:]) % 7 != 0


class Sure:
    """States .99 or .01 of ``polite`` and is right in six of seven cases; on ``solved`` it gives a bare answer."""

    receives = frozenset({"facts"})

    def judge(self, item: Item, question: Question) -> Verdict:
        assert item.facts is not None
        odd = int(item.facts["lamp"][1:]) % 2
        answer = "yes" if odd else "no"
        return Verdict(answer, p=0.99 if odd else 0.01) if "polite" in question.text else Verdict(answer)


class Long:
    """Scores that are no probabilities."""

    receives = frozenset({"facts"})

    def judge(self, item: Item, question: Question) -> Verdict:
        assert item.facts is not None
        number = int(item.facts["lamp"][1:])
        return Verdict("yes", score=(100.0 if number % 2 else -100.0) + number % 3)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judges of 45 cases, of which 30 are for development."""
    folder = tmp_path_factory.mktemp("suite")
    answers: Tree = {}
    for case in CASES:
        polite = (int(case[1:]) % 2 == 1) == right(case)
        answers[case] = {"polite": "yes" if polite else "no", "solved": "yes" if right(case) else "no"}
    judges: list[Tree] = [
        {"judge": "test_recalibration_command:Sure", "answers": ["polite", "solved"]},
        {"judge": "test_recalibration_command:Long", "answers": ["polite"]},
    ]
    layout = write(
        folder,
        suite_tree(judges),
        [case_tree(case) for case in CASES],
        [votes_tree(case, given) for case, given in answers.items()],
        splits={f"family-{case}": "test" if place % 3 == 2 else "development" for place, case in enumerate(CASES)},
    )
    assert main(["run", "--suite", str(layout.suite), "--judge-missing"]) == 0
    return layout.suite


SURE, LONG = "test_recalibration_command:Sure", "test_recalibration_command:Long"


def test_a_map_is_fitted_on_development_rows_alone(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, SURE, "--statement", "polite", "--suite", str(suite))
    development = [case for place, case in enumerate(CASES) if place % 3 != 2]
    assert found["fitted_on"]["rows"] == len(development) == 30
    share = sum(map(right, development)) / len(development)
    assert found["calibrator"]["kind"] == "temperature"
    assert found["calibrator"]["parameters"] == pytest.approx([math.log(99) / math.log(share / (1 - share))])
    reliability = found["reliability"]
    assert (reliability["on"], reliability["rows"]) == ("calibration and test", 15)
    assert reliability["after"]["brier"]["value"] < reliability["before"]["brier"]["value"]


def test_scores_get_probabilities_and_start_from_the_share_of_yes(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, LONG, "--statement", "polite", "--suite", str(suite))
    assert found["scale"] == "score"
    assert found["calibrator"]["kind"] == "platt" and found["calibrator"]["on_scores"]
    yes, rows = found["fitted_on"]["yes"], found["fitted_on"]["rows"]
    tested = [case for place, case in enumerate(CASES) if place % 3 == 2]
    labels = [(int(case[1:]) % 2 == 1) == right(case) for case in tested]
    expected = sum((yes / rows - label) ** 2 for label in labels) / len(labels)
    assert found["reliability"]["before"]["brier"]["value"] == pytest.approx(expected)
    assert code(LONG, "--statement", "polite", "--suite", str(suite)) == 0
    assert "before: no probability: always the share of yes" in " ".join(capsys.readouterr().out.split())


UNDECIDED = {
    "bare answers": ([SURE, "--statement", "solved"], "bare yes or no"),
    "a statement it does not answer": ([LONG, "--statement", "solved"], "does not answer solved"),
    "nobody": (["nobody", "--statement", "polite"], "no judge 'nobody'"),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_says_why_it_cannot_decide(name: str, suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, reason = UNDECIDED[name]
    assert code(*words, "--suite", str(suite)) == 2
    assert reason in capsys.readouterr().err


def test_the_same_input_gives_the_same_bytes(suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = []
    for name in ("a", "b"):
        files = [tmp_path / f"{name}.json", tmp_path / f"{name}.svg"]
        assert code(
            SURE, "--statement", "polite", "--suite", str(suite), "--out", str(files[0]), "--plot", str(files[1])
        ) == 0  # fmt: skip
        seen.append((capsys.readouterr().out.replace(f"{name}.json", ""), *(file.read_bytes() for file in files)))
    assert seen[0] == seen[1]


def test_an_out_file_that_cannot_be_written_is_3(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    words = [SURE, "--statement", "polite", "--suite", str(suite)]
    assert code(*words, "--out", str(tmp_path / "file" / "c.json")) == 3
    assert "cannot be written" in capsys.readouterr().err
