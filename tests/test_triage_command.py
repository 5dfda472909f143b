"""``bench triage``: what is drawn from where, what annotators see, and that text, JSON, files and exit code agree."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from certificates import certificate_tree
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.deciding.certificate import Certificate, write_certificate
from bench.judges.contract import Item, Question, Verdict
from bench.triage.answers import answered
from bench.triage.files import read_triage
from bench.triage.scores import Said, disagreement, uncertainty

SURE, PLAIN = "test_triage_command:Sure", "test_triage_command:Plain"
OPEN = [f"S{n:03d}" for n in range(30)]


def number(item: Item) -> int:
    return int(dict(item.facts or {})["lamp"][1:])


class Sure:
    """States a probability that grows with the number of the case."""

    receives = frozenset({"facts"})

    def judge(self, item: Item, question: Question) -> Verdict:
        p = (number(item) % 30) / 29
        return Verdict("yes" if p >= 0.5 else "no", p=p, reason="verdictal reasoning")


class Plain:
    """Yes on every third case, without a probability; silent on every tenth."""

    receives = frozenset({"facts"})

    def judge(self, item: Item, question: Question) -> Verdict:
        if number(item) % 10 == 7:
            return Verdict(unscored="abstained")
        return Verdict("yes" if number(item) % 3 == 0 else "no")


def judge(name: str) -> dict[str, Any]:
    return {"judge": name, "answers": ["polite", "solved"]}


def make(
    root: Path, answers: Mapping[str, str] | None = None, splits: Mapping[str, str] | None = None, cases: int = 30
) -> Layout:
    """A judged suite; ``answers`` are votes on polite by case, ``splits`` by case."""
    names = [f"S{n:03d}" for n in range(cases)]
    layout = write(
        root,
        suite_tree([judge(SURE), judge(PLAIN), judge("always-yes")]),
        [case_tree(name) for name in names],
        votes=[votes_tree(name, {"polite": answer}) for name, answer in (answers or {}).items()],
        splits=None if splits is None else {f"family-{name}": split for name, split in splits.items()},
    )
    assert main(["run", "--suite", str(layout.suite), "--judge-missing"]) == 0
    return layout


def triage(root: Path, layout: Layout, *words: str) -> int:
    files = ["--out", str(root / "draw.jsonl"), "--list", str(root / "list.csv")]
    try:
        return main(["triage", "--suite", str(layout.suite), "--statement", "polite", *files, *words])
    except SystemExit as leaving:
        return int(leaving.code or 0)


def estimate(root: Path, *words: str) -> int:
    return main(["triage", "--estimate", str(root / "draw.jsonl"), *words])


def fill(root: Path, answers: Mapping[str, str], default: str = "no") -> str:
    """The list as an annotator gives it back."""
    rows = list(csv.DictReader((root / "list.csv").read_text(encoding="utf-8").splitlines()))
    text = "item,session,label\n" + "".join(
        f"{row['item']},{row['session']},{answers.get(row['item'], default)}\n" for row in rows
    )
    (root / "labels.csv").write_text(text, encoding="utf-8")
    return str(root / "labels.csv")


# --- scores ---


def test_disagreement_by_hand() -> None:
    yes, no, silent = Said(True), Said(False), Said(None)
    assert disagreement({"a": yes, "b": no}) == 1.0
    assert disagreement({"a": yes, "b": yes, "c": no, "d": silent}) == pytest.approx(8 / 9)
    assert disagreement({"a": yes, "b": silent}) == disagreement({"a": yes, "b": yes}) == disagreement({}) == 0.0


def test_uncertainty_by_hand() -> None:
    assert uncertainty({"a": Said(True, 0.5)}, (0.5,)) == 1.0
    assert uncertainty({"a": Said(True, 1.0), "b": Said(True)}, (0.5,)) == 0.0
    assert uncertainty({"a": Said(True, 0.9), "b": Said(False, 0.4)}, (0.8,)) == pytest.approx((0.5 + 0.5) / 2)
    assert uncertainty({"a": Said(False, 0.1)}, (0.1, 0.8)) == 1.0
    assert uncertainty({"a": Said(True)}, (0.5,)) == uncertainty({}, (0.5,)) == 0.0


# --- drawing from a suite ---


def test_what_annotators_get_holds_names_alone_and_follows_no_score(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    capsys.readouterr()
    assert triage(tmp_path, layout, "--size", "12") == 0
    out = capsys.readouterr().out
    lines = (tmp_path / "list.csv").read_text().splitlines()
    picks = read_triage(tmp_path / "draw.jsonl").picks
    assert lines[0] == "item,session,label"
    assert sorted(line.split(",")[0] for line in lines[1:]) == [pick.item for pick in picks]
    assert all(line.endswith(",") and line.split(",")[1].startswith("cases/support/S") for line in lines[1:])
    assert [line.split(",")[0] for line in lines[1:]] != [pick.item for pick in picks]
    by_chance = sorted(picks, key=lambda pick: -pick.probability)
    assert [line.split(",")[0] for line in lines[1:]] != [pick.item for pick in by_chance]
    for text in ("\n".join(lines), out.partition("kept:")[0]):
        assert not any(word in text for word in ("yes", "verdictal", "Sure", "Plain", "probability"))


def test_the_design_says_how_each_pick_came_in(tmp_path: Path) -> None:
    layout = make(tmp_path)
    assert triage(tmp_path, layout, "--size", "12", "--random-share", ".5", "--seed", "4") == 0
    kept = read_triage(tmp_path / "draw.jsonl")
    assert (kept.head.units, kept.head.size, kept.head.seed, kept.head.statement) == (30, 12, 4, "polite")
    assert [(s.units, s.taken) for s in kept.head.strata] == [(30, 6)]
    assert sum("random" in pick.components for pick in kept.picks) == 6
    names = [judge.id.rpartition("-")[0] for judge in kept.head.judges]
    assert (
        names == ["test-triage-command-Sure", "test-triage-command-Plain"] or len(names) == 2
    )  # controls take no part
    plain = kept.head.judges[1]
    assert (plain.yes, plain.no, plain.unscored) == (9, 18, 3)  # of 0..29, 7 17 27 are silent and 27 is a third
    assert all(pick.seed == 4 and set(pick.said) == {judge.id for judge in kept.head.judges} for pick in kept.picks)


def test_the_same_draw_gives_the_same_bytes(tmp_path: Path) -> None:
    layout = make(tmp_path)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        assert triage(tmp_path / folder, layout, "--size", "9") == 0
    for name in ("draw.jsonl", "list.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_draw_is_never_written_over_another(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    assert triage(tmp_path, layout) == 0
    before = (tmp_path / "draw.jsonl").read_bytes()
    assert triage(tmp_path, layout, "--seed", "2") == 3
    assert "exists already" in capsys.readouterr().err
    (tmp_path / "draw.jsonl").unlink()
    assert triage(tmp_path, layout, "--seed", "2") == 3
    assert not (tmp_path / "draw.jsonl").exists()
    assert before


def test_voted_items_and_those_of_calibration_and_test_are_never_drawn(tmp_path: Path, capsys: Any) -> None:
    splits = {name: ("development", "calibration", "test")[n % 3] for n, name in enumerate(OPEN)}
    layout = make(tmp_path, answers={"S000": "yes", "S003": "no"}, splits=splits)
    assert triage(tmp_path, layout, "--size", "100") == 0
    drawn = {pick.item.partition("/")[0] for pick in read_triage(tmp_path / "draw.jsonl").picks}
    assert drawn == {name for name in OPEN if splits[name] == "development"} - {"S000", "S003"}
    told = capsys.readouterr().out + (tmp_path / "draw.jsonl").read_text() + (tmp_path / "list.csv").read_text()
    assert not [name for name in OPEN if splits[name] != "development" and name in told]


def test_nothing_open_cannot_be_drawn_from(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path, answers=dict.fromkeys(OPEN[:3], "yes"), cases=3)
    assert triage(tmp_path, layout) == 2
    assert "has a vote on polite already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--statement", "nice"], "use one of polite, solved"),
        (["--judge", "nobody"], "judges that answer polite"),
        (["--stratum", "nowhere"], "use one of tickets"),
        (["--size", "0"], "ask for one at least"),
        (["--random-share", "0.1"], "0.2 to 1"),
        (["--threshold", "1"], "without the ends"),
    ],
)
def test_wrong_use_is_told(tmp_path: Path, capsys: Any, words: list[str], told: str) -> None:
    assert triage(tmp_path, make(tmp_path, cases=3), *words) == 3
    assert told in capsys.readouterr().err
    assert not (tmp_path / "draw.jsonl").exists() and not (tmp_path / "list.csv").exists()


def test_a_certificate_says_where_uncertainty_lies(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    assert triage(tmp_path, layout, "--size", "4") == 0
    sure = next(j.id for j in read_triage(tmp_path / "draw.jsonl").head.judges if "Sure" in j.id)
    tree = certificate_tree()
    band = {**tree["bands"][0], "threshold": 0.9}
    tree |= {
        "judge": {**tree["judge"], "id": sure, "scales": {"polite": "probability"}},
        "statements": [{**tree["statements"][0], "id": "polite"}],
        "policy": {"statements": ["polite"], "right_when": ["polite"], "promote_at": 0.9},
        "bands": [band],
        "reference": {"values": {"polite": [0.5]}, "decisions": {"promote": 1}},
    }
    path = tmp_path / "certificate.json"
    write_certificate(Certificate.model_validate(tree), path)
    for name in ("draw.jsonl", "list.csv"):
        (tmp_path / name).unlink()
    assert triage(tmp_path, layout, "--size", "8", "--certificate", str(path)) == 0
    assert read_triage(tmp_path / "draw.jsonl").head.thresholds == (0.9,)
    assert triage(tmp_path, layout, "--certificate", str(path), "--threshold", ".4") == 3
    write_certificate(Certificate.model_validate(certificate_tree()), path)
    assert triage(tmp_path, layout, "--certificate", str(path)) == 2
    assert "--threshold in its place" in capsys.readouterr().err


# --- estimating ---


def test_text_json_and_exit_code_agree(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path)
    assert triage(tmp_path, layout, "--size", "16") == 0
    labels = fill(tmp_path, {f"S{n:03d}/a1": "yes" for n in range(20, 30)})
    capsys.readouterr()
    assert estimate(tmp_path, labels) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert estimate(tmp_path, labels, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["exit_code"] == 0 and "[exit 0]" in text
    assert found["sentence"] in text and all(" ".join(r.split()) in text for r in found["remarks"])
    assert found["units"] == 30 and found["picks"] == found["labelled"] + found["unclear"] + found["missing"]
    assert found["prevalence"]["low"] <= 1 / 3 <= found["prevalence"]["high"]
    assert {one["judge"] for one in found["judges"]} == {j["id"] for j in found["draw"]["judges"]}


def test_all_labelled_is_counted_and_not_estimated(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path, cases=20)
    assert triage(tmp_path, layout, "--size", "20") == 0
    labels = fill(tmp_path, {f"S{n:03d}/a1": "yes" for n in range(20) if n % 3 == 0})
    capsys.readouterr()
    assert estimate(tmp_path, labels, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    share = found["prevalence"]
    assert (share["value"], share["low"], share["high"]) == (0.35, 0.35, 0.35)
    plain = next(one for one in found["judges"] if "Plain" in one["judge"])
    assert (
        plain["precision"]["value"] == plain["recall"]["value"] == 1.0
    )  # it is silent on 7 and 17, of which none is a third


def test_votes_of_the_suite_are_labels(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path, cases=12)
    assert triage(tmp_path, layout, "--size", "6") == 0
    items = [pick.item for pick in read_triage(tmp_path / "draw.jsonl").picks]
    for item in items[:-1]:
        case = item.partition("/")[0]
        folder = layout.labels / "votes" / "ann"
        folder.mkdir(parents=True, exist_ok=True)
        answer = "unclear" if item == items[0] else "yes"
        (folder / f"{case}.yaml").write_text(json.dumps(votes_tree(case, {"polite": answer})))
    capsys.readouterr()
    assert estimate(tmp_path, "--suite", str(layout.suite), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["labelled"], found["unclear"], found["missing"]) == (len(items) - 2, 1, 1)
    assert found["horvitz_thompson"]["value"] is None and "2 of" in found["horvitz_thompson"]["undefined"]
    assert found["ends"][0] < found["ends"][1] == 1.0


def test_without_labels_there_is_no_figure(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path, cases=12)
    assert triage(tmp_path, layout, "--size", "6") == 0
    capsys.readouterr()
    assert estimate(tmp_path, fill(tmp_path, {}, default="")) == 2
    assert "cannot decide: no label came in" in capsys.readouterr().out


def test_renamed_items_and_another_order_of_lines_change_no_figure(tmp_path: Path) -> None:
    layout = make(tmp_path)
    assert triage(tmp_path, layout, "--size", "16", "--seed", "3") == 0
    kept = read_triage(tmp_path / "draw.jsonl")
    words: list[Any] = ["yes", "no", "no", "unclear"]
    labels = {pick.item: words[n % 4] for n, pick in enumerate(kept.picks)}
    name = {pick.item: f"x{len(kept.picks) - n:03d}" for n, pick in enumerate(kept.picks)}
    renamed = kept.model_copy(
        update={"picks": tuple(pick.model_copy(update={"item": name[pick.item]}) for pick in kept.picks[::-1])}
    )
    first = answered(kept, labels)
    assert first.prevalence.value is not None
    assert answered(renamed, {name[item]: label for item, label in labels.items()}) == first


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("item,label\nS999/a1,yes\n", "was not drawn"),
        ("item,label\n{item},yes\n{item},no\n", "stands twice"),
        ("item,label\n{item},perhaps\n", "write yes, no or unclear"),
        ("id,label\n{item},yes\n", "no column item"),
    ],
)
def test_labels_that_cannot_be_meant_are_refused(tmp_path: Path, capsys: Any, text: str, told: str) -> None:
    layout = make(tmp_path, cases=6)
    assert triage(tmp_path, layout, "--size", "3") == 0
    item = read_triage(tmp_path / "draw.jsonl").picks[0].item
    (tmp_path / "labels.csv").write_text(text.format(item=item))
    assert estimate(tmp_path, str(tmp_path / "labels.csv")) == 3
    error = capsys.readouterr().err
    assert told in error and "labels.csv" in error


@pytest.mark.parametrize("change", ['"probability": 0.9', '"stratum": "x"', '"item": 3', "nonsense"])
def test_a_draw_that_was_changed_is_refused(tmp_path: Path, capsys: Any, change: str) -> None:
    layout = make(tmp_path, cases=6)
    assert triage(tmp_path, layout, "--size", "3") == 0
    path = tmp_path / "draw.jsonl"
    head, first, *rest = path.read_text().splitlines()
    row = json.loads(first)
    if change == "nonsense":
        first = change
    else:
        name, _, value = change.partition(": ")
        first = json.dumps({**row, json.loads(name): json.loads(value)})
    path.write_text("\n".join([head, first, *rest]) + "\n")
    assert estimate(tmp_path, "--suite", str(layout.suite)) == 3
    assert "draw.jsonl" in capsys.readouterr().err


def test_the_votes_of_another_suite_are_no_labels(tmp_path: Path, capsys: Any) -> None:
    layout = make(tmp_path, cases=6)
    assert triage(tmp_path, layout, "--size", "3") == 0
    other = write(tmp_path / "other", suite_tree([judge(PLAIN)], id="other"), [case_tree("S001")])
    assert estimate(tmp_path, "--suite", str(other.suite)) == 3
    assert "drawn from suite support@0.1.0" in capsys.readouterr().err


# --- sessions of one's own ---


def claude(folder: Path, name: str, typed: list[str]) -> Path:
    records: list[dict[str, Any]] = []
    for n, text in enumerate(typed):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": "make"}}
        records += [
            {"type": "user", "message": {"role": "user", "content": text}},
            {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [call]}},
            {"type": "user", "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": f"t{n}", "content": name, "is_error": n % 2 == 0}]}},
        ]  # fmt: skip
    noon = "2026-05-04T12:00:00.000Z"
    lines = [
        json.dumps({"sessionId": name, "uuid": f"{name}-{i}", "timestamp": noon, **r}) for i, r in enumerate(records)
    ]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def judged_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Sessions in the working folder, judged by two rules under a statement of the suite beside them."""
    write(tmp_path, suite_tree([judge(PLAIN)]), [case_tree("S001")])
    monkeypatch.chdir(tmp_path)
    paths = [str(claude(tmp_path, f"mine{n}", ["Do it."] * (1 + n % 3))) for n in range(9)]
    for name in ("rule:prompt-after-call", "exact"):
        assert main(["judge", "--statement", "polite", "--judge", name, *paths]) == 0
    return paths


def test_stored_verdicts_on_sessions_are_found_by_what_was_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    paths = judged_sessions(tmp_path, monkeypatch)
    again = tmp_path / "again"
    again.mkdir()
    shutil.copy(paths[0], again / "mine0.jsonl")
    renamed = str(Path(paths[1]).rename(tmp_path / "renamed.jsonl"))
    new = str(claude(tmp_path, "new", ["Something else."]))
    capsys.readouterr()
    words = ["triage", paths[0], renamed, *paths[2:], new, str(again / "mine0.jsonl"), "--statement", "polite"]
    assert main([*words, "--size", "9"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "9 of 9 sessions drawn" in out
    assert "1 copies of other sessions" in out and "1 sessions that no judge has answered on" in out
    kept = read_triage(Path("triage.jsonl"))
    rule = next(j for j in kept.head.judges if j.id.startswith("rule-prompt-after-call"))
    assert (rule.yes, rule.no, rule.unscored) == (
        6,
        3,
        0,
    )  # a prompt after a call: in the sessions of two or three prompts
    assert {pick.session for pick in kept.picks} == {Path(p).as_posix() for p in (paths[0], renamed, *paths[2:])}
    shutil.copy("to-label.csv", "list.csv")
    assert main(["triage", "--estimate", "triage.jsonl", fill(tmp_path, {}, default="yes")]) == 0
    assert main(["triage", "--estimate", "triage.jsonl"]) == 3


def test_sessions_that_nobody_judged_cannot_be_drawn_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    paths = judged_sessions(tmp_path, monkeypatch)
    assert main(["triage", *paths, "--statement", "solved"]) == 2  # judged under other words
    assert "bench judge SESSION" in capsys.readouterr().err
    assert main(["triage", *paths, "--statement", "polite", "--judge", "own"]) == 3
    assert "there are verdicts of" in capsys.readouterr().err
    assert main(["triage", *paths, "--statement", "nice"]) == 3
    assert main(["triage", *paths]) == 3
    assert main(["triage", *paths, "--statement", "polite", "--stratum", "tickets"]) == 3
    (tmp_path / "broken.jsonl").write_text("no session\n")
    assert main(["triage", *paths, "broken.jsonl", "--statement", "polite"]) == 3


def test_each_session_of_a_file_is_drawn_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    write(tmp_path, suite_tree([judge(PLAIN)]), [case_tree("S001")])
    monkeypatch.chdir(tmp_path)
    lines = [
        json.dumps({"messages": [{"role": "user", "content": f"Do {n}."}, {"role": "assistant", "content": "Done."}]})
        for n in range(4)
    ]
    Path("chats.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["judge", "--statement", "polite", "--judge", "rule:prompt-after-call", "chats.jsonl"]) == 0
    assert main(["triage", "chats.jsonl", "--statement", "polite", "--size", "4"]) == 0
    picks = read_triage(Path("triage.jsonl")).picks
    assert [pick.session for pick in picks] == [f"chats.jsonl#{n}" for n in range(1, 5)]
    assert len({pick.item for pick in picks}) == 4
