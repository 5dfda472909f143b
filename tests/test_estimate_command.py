"""``bench estimate``: sentence, table, JSON and exit code say the same; what it refuses, and from where it reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from printed import too_wide
from running_suites import RULE, case_tree, rule_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main


def code(*words: str) -> int:
    try:
        return main(["estimate", *words])
    except SystemExit as leaving:
        return int(leaving.code or 0)


def rows(folder: Path, name: str, head: str, *counted: tuple[str, int]) -> str:
    """A table of lines, each so many times."""
    lines = [line for line, count in counted for _ in range(count)]
    (folder / name).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return str(folder / name)


def good(folder: Path) -> str:
    """A true-positive rate of .8 and a false-positive rate of .1."""
    return rows(folder, "labelled.csv", "label,verdict", *GOOD)


def pool(folder: Path, yes: int, no: int, missing: int = 0) -> str:
    return rows(folder, "pool.csv", "verdict,x", ("yes,1", yes), ("no,1", no), (",1", missing))


def in_cases(folder: Path) -> str:
    lines = "".join(f"{'yes' if n % 4 == 0 else 'no'},c{n // 4}\n" for n in range(200))
    (folder / "cases.csv").write_text("verdict,group\n" + lines, encoding="utf-8")
    return str(folder / "cases.csv")


GOOD = (("yes,yes", 80), ("no,yes", 10), ("yes,no", 20), ("no,no", 90))
CHANCE = (("yes,yes", 20), ("no,yes", 20), ("yes,no", 20), ("no,no", 20))
RANDOM = "--labels-are-random-sample"
# labelled rows, the pool's yes, no and missing, flags -> exit code, words that are told
OUTCOMES: dict[str, tuple[tuple[tuple[str, int], ...], tuple[int, int, int], list[str], int, str]] = {
    "corrected": (GOOD, (310, 690, 0), [], 0, "is about .30"),
    "random sample": (GOOD, (450, 550, 0), [RANDOM], 0, "this permits nothing"),
    "shifted": (GOOD, (50, 950, 0), [RANDOM], 2, "Withheld"),
    "guessing": (CHANCE, (310, 690, 0), [], 2, "beyond noise"),
    "guessing, yet a random sample": (
        CHANCE,
        (500, 500, 0),
        [RANDOM],
        0,
        "PPI++ gives the judge's verdicts the weight .00",
    ),
    "cut": (GOOD, (10, 990, 0), [], 0, "cut to .00"),
    "missing": (GOOD, (300, 600, 100), [], 0, "900 of 1000 rows with a verdict"),
    "nothing scored": (GOOD, (0, 0, 5), [], 2, "nothing in the pool is scored"),
    "few": ((("yes,yes", 6), ("yes,no", 1), ("no,no", 50)), (310, 690, 0), [], 0, "few labelled rows"),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_terminal_json_and_exit_code_agree(name: str, tmp_path: Path, capsys: Any) -> None:
    counted, said, flags, wanted, told = OUTCOMES[name]
    words = [rows(tmp_path, "labelled.csv", "label,verdict", *counted), pool(tmp_path, *said), *flags]
    assert_agree(words, wanted, told, capsys)


def test_pass_takes_the_mean_over_cases(tmp_path: Path, capsys: Any) -> None:
    words = [good(tmp_path), in_cases(tmp_path), "--pass"]
    assert_agree(words, 0, "a system that fails every attempt shows pass@1 = .10", capsys)
    code(*words)
    assert "pass@k for k > 1 is not corrected" in " ".join(capsys.readouterr().out.split())


def assert_agree(words: list[str], wanted: int, told: str, capsys: Any) -> None:
    assert code(*words) == wanted
    shown = capsys.readouterr().out
    flat = " ".join(shown.split())
    assert told in flat and f"[exit {wanted}]" in flat
    assert too_wide(shown) == []
    assert code(*words, "--json") == wanted
    found = json.loads(capsys.readouterr().out)
    assert found["exit_code"] == wanted and f"{found['outcome']} [exit {wanted}]" in flat
    assert flat.startswith(found["sentence"])
    assert all(" ".join(line.split()) in flat for line in [*found["remarks"], *found["assumptions"]])
    assert (found["status"] == "estimated") == (wanted == 0) == (found["reason"] is None)


def test_same_input_same_bytes(tmp_path: Path, capsys: Any) -> None:
    words = [good(tmp_path), pool(tmp_path, 450, 550), RANDOM]
    assert [code(*words), code(*words)] == [0, 0]
    shown = capsys.readouterr().out
    assert shown[: len(shown) // 2] == shown[len(shown) // 2 :]


def test_wrong_use(tmp_path: Path, capsys: Any) -> None:
    mine, theirs = good(tmp_path), pool(tmp_path, 3, 7)
    for words, told in (
        ([mine], "1 table, where 2 are wanted"),
        ([mine, theirs, "--judge", "exact"], "2 tables, where 1 are wanted"),
        ([theirs, "--judge", "exact"], "--judge without --statement"),
        ([mine, theirs, "--stratum", "x"], "--stratum beside two tables"),
        ([mine, theirs, "--pass"], "name the case's column with --group"),
        ([mine, theirs, "--pass", RANDOM], "leave out one of the two"),
        ([mine, theirs, "--group", "nowhere"], "no column nowhere"),
        ([theirs, theirs], "no column is named like a label"),
    ):
        assert code(*words) == 3, words
        shown = capsys.readouterr()
        assert told in shown.err and shown.out == "" and "to mend:" in shown.err


# a pool -> what is said of it, with its line
BAD_POOLS = {
    "another label set": ("verdict\npass\nfail\n", "{'fail', 'pass'}", ":2"),
    "a third value": ("verdict\nyes\nmaybe\n", "found maybe", ":3"),
    "an id twice": ("id,verdict\na,yes\na,no\n", "stands twice", ":3"),
    "an empty group": ("group,verdict\na,yes\n,no\n", "found \n", ":3"),
    "a probability over 1": ("verdict,p\nyes,1.5\n", "found 1.5", ":2"),
    "no verdict": ("other\n1\n", "no column is named like a verdict", ":1"),
    "no row": ("verdict\n", "no row", ":1"),
}


@pytest.mark.parametrize("name", BAD_POOLS)
def test_a_bad_pool_is_told_by_line(name: str, tmp_path: Path, capsys: Any) -> None:
    text, told, line = BAD_POOLS[name]
    (tmp_path / "pool.csv").write_text(text, encoding="utf-8")
    assert code(good(tmp_path), str(tmp_path / "pool.csv")) == 3
    shown = capsys.readouterr().err
    assert told in shown and f"pool.csv{line}" in shown


def test_rows_of_both_tables_are_refused(tmp_path: Path, capsys: Any) -> None:
    mine = rows(tmp_path, "l.csv", "id,label,verdict", ("a,yes,yes", 1), ("b,no,no", 1))
    theirs = rows(tmp_path, "p.csv", "id,verdict", ("c,yes", 1), ("b,no", 1))
    assert code(mine, theirs) == 3
    assert "p.csv:3" in (shown := capsys.readouterr().err) and "the labelled table too" in shown
    assert code(mine, theirs, "--id", "-") == 2  # two rows tell nothing, but they are read


def test_a_group_column_of_one_table_is_that_tables(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "cases.csv").write_text(
        "verdict,ticket\n" + "".join(f"yes,c{n // 4}\nno,c{n // 4}\n" for n in range(200)), encoding="utf-8"
    )
    assert code(good(tmp_path), str(tmp_path / "cases.csv"), "--pass", "--group", "ticket") == 0
    flat = " ".join(capsys.readouterr().out.split())
    assert "group ticket" in flat and "no groups: each row stands for itself" in flat


def test_jsonl_with_truth_values_and_a_named_yes(tmp_path: Path) -> None:
    mine = "".join(f'{{"label": {a}, "verdict": {b}}}\n' for a, b in [("true", "true"), ("false", "false")] * 30)
    (tmp_path / "l.jsonl").write_text(mine, encoding="utf-8")
    (tmp_path / "p.jsonl").write_text('{"verdict": true}\n{"verdict": false}\n' * 20, encoding="utf-8")
    words = [str(tmp_path / "l.jsonl"), str(tmp_path / "p.jsonl"), "--positive", "true"]
    assert code(*words) == 0


# --- runs and suites ---


def run_file(folder: Path, answers: Sequence[str | None], statement: str = "polite", stem: str = "rule-x") -> str:
    lines = []
    for number, answer in enumerate(answers):
        held: dict[str, Any] = {"item": f"{number:064x}", "sample": 0, "asked_for": f"S{number}/a1/{statement}"}
        lines.append(json.dumps(held | ({"answer": answer} if answer else {"unscored": "timeout"})))
    path = folder / f"{stem}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_run_is_read_with_its_unscored_verdicts(tmp_path: Path, capsys: Any) -> None:
    path = run_file(tmp_path, ["yes"] * 30 + ["no"] * 60 + [None] * 10)
    assert code(good(tmp_path), path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["naive"]["numerator"], found["naive"]["denominator"]) == (30, 90)
    assert found["coverage"]["rows"] == 100 and found["if_missing_were_no_or_yes"]["naive"] == [0.3, 0.4]


def test_samples_of_one_item_are_one_row(tmp_path: Path, capsys: Any) -> None:
    lines = [
        json.dumps({"item": f"{item:064x}", "sample": sample, "answer": "yes" if sample < item % 4 else "no"})
        for item in range(40)
        for sample in range(3)
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert code(good(tmp_path), str(tmp_path / "run.jsonl"), "--json") == 0
    found = json.loads(capsys.readouterr().out)["naive"]
    assert (found["numerator"], found["denominator"]) == (20, 40)  # 2 or 3 of 3 said yes in every second item


def test_a_run_that_cannot_be_used(tmp_path: Path, capsys: Any) -> None:
    one = Path(run_file(tmp_path, ["yes", "no"])).read_text(encoding="utf-8")
    other = Path(run_file(tmp_path, ["4"] * 2, "quality")).read_text(encoding="utf-8")
    for text, flags, told in (
        (other, [], "the answer 4"),
        (one + other.replace('"sample": 0', '"sample": 1'), [], "verdicts on 2 statements"),
        (one.replace('"yes"', '"yes", "p": 3'), [], "p: Input should be less than or equal to 1"),
        (one, ["--pass"], "a run does not say which case"),
    ):
        (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
        assert code(good(tmp_path), str(tmp_path / "run.jsonl"), *flags) == 3
        assert told in capsys.readouterr().err


def suite_of(root: Path) -> Layout:
    """40 tickets, half of them with a greeting, which the rule finds; four labels differ from it."""
    strata = [
        {"id": "tickets", "meaning": "as they came in", "design": "random_sample", "primary": True},
        {"id": "pairs", "meaning": "written in pairs", "design": "paired_by_design"},
        {"id": "made", "meaning": "written", "design": "authored"},
    ]
    cases, votes, splits = [], [], {}
    for number in range(40):
        name = f"S{number:03d}"
        case = case_tree(name)
        case["attempts"][0]["events"][2]["text"] = "Hello!" if number % 2 else "Done."
        cases.append(case)
        label = (number % 2 == 1) != (number % 10 == 0)
        votes.append(votes_tree(name, {"polite": "yes" if label else "no", "solved": "yes"}))
        splits[case["family"]] = "test" if number else "development"
    tree = suite_tree([{"judge": RULE, "answers": ["polite"]}], strata=strata)
    layout = write(root, tree, cases, votes, splits, rule=rule_tree())
    assert main(["run", "--suite", str(layout.suite)]) == 0
    return layout


def test_class_rates_from_a_suite(tmp_path: Path, capsys: Any) -> None:
    layout = suite_of(tmp_path)
    words = ["--suite", str(layout.suite), "--judge", "rule:own", "--statement", "polite"]
    capsys.readouterr()
    path = pool(tmp_path, 40, 60)
    assert code(path, *words, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    rates = found["class_rates"]
    # of 40 cases the development one is left out: 20 odd ones (yes), and 10, 20, 30 are labelled yes and found no
    assert (rates["true_positive"]["numerator"], rates["true_positive"]["denominator"]) == (20, 23)
    assert (rates["false_positive"]["numerator"], rates["false_positive"]["denominator"]) == (0, 16)
    stem = next(layout.runs.glob("rule-own-*.jsonl")).stem
    assert found["sources"]["labelled"]["judge"] == stem

    for flags, wanted, told in (
        (["--stratum", "pairs"], 2, "paired by design"),
        (["--stratum", "made"], 2, "authored"),
        (["--stratum", "nowhere"], 3, "use one of tickets, pairs, made"),
        (["--statement", "solved"], 3, "judges that answer solved"),
        (["--statement", "nothing"], 3, "use one of polite, solved"),
        (["--judge", "nobody"], 3, "judges that answer polite: rule:own"),
    ):
        assert code(path, *words, *flags) == wanted
        assert told in capsys.readouterr().err


def test_verdicts_of_another_judge_are_refused(tmp_path: Path, capsys: Any) -> None:
    layout = suite_of(tmp_path)
    words = ["--suite", str(layout.suite), "--judge", "rule:own", "--statement", "polite"]
    own = next(layout.runs.glob("rule-own-*.json")).read_text(encoding="utf-8")
    path = run_file(tmp_path, ["yes"] * 40 + ["no"] * 60, stem="mine")
    capsys.readouterr()
    assert code(path, *words) == 0
    assert "nothing here shows that one judge gave both sides" in " ".join(capsys.readouterr().out.split())
    (tmp_path / "mine.json").write_text(own, encoding="utf-8")
    assert code(path, *words) == 0
    assert "both sides are of rule-own-" in " ".join(capsys.readouterr().out.split())
    (tmp_path / "mine.json").write_text('{"judge_id": "other-000000000000"}', encoding="utf-8")
    assert code(path, *words) == 2
    assert "other-000000000000" in capsys.readouterr().err
