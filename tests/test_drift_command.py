"""``bench drift``: what it prints, its JSON and its exit code agree, every day anew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from drift_files import anchors_of, evenly, line, write_certificate_of, write_lines

from bench.cli import main

CALIBRATION = evenly(100)
SAME, UP = evenly(150, seed=1), evenly(150, 0.4, seed=1)


class Bench:
    """A folder with a certificate and a live file, and the command."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.certificate = folder / "cert.json"
        self.of(CALIBRATION)

    def of(self, values: list[float], **changes: Any) -> None:
        write_certificate_of(self.certificate, values, **{"anchors": anchors_of(CALIBRATION[:20]), **changes})

    def drift(self, rows: list[dict[str, Any]] | None, *words: str) -> tuple[int, str]:
        live = self.folder / "live.jsonl"
        if rows is not None:
            write_lines(live, rows)
        code = main(["drift", str(self.certificate), str(live), *words])
        held = self.capsys.readouterr()
        return code, held.out if code < 3 else held.err

    def both(self, rows: list[dict[str, Any]], *words: str) -> tuple[int, str, dict[str, Any]]:
        """The text and the JSON, which must agree with the exit code and with each other."""
        code, text = self.drift(rows, *words)
        again, told = self.drift(rows, *words, "--json")
        tree = json.loads(told)
        assert code == again == tree["exit_code"]
        assert f"[exit {code}]" in text
        flat = " ".join(text.split())
        assert tree["sentence"] in flat
        assert len(re.findall(r"line \d+$", text, re.MULTILINE)) == sum(test["alarm"] for test in tree["tests"])
        assert max(map(len, text.splitlines())) <= 80
        return code, flat, tree

    def anchors(self, moved: float = 0.0, **changes: Any) -> str:
        rows = [{**a, "sample": 0, "p": min(1.0, a["p"] + moved), **changes} for a in anchors_of(CALIBRATION[:20])]
        return str(write_lines(self.folder / "anchors.jsonl", rows))


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)


def lines(values: list[float]) -> list[dict[str, Any]]:
    return [line(n, v) for n, v in enumerate(values)]


def test_no_drift_says_what_would_have_been_seen(bench: Bench) -> None:
    code, text, tree = bench.both(lines(SAME), "--anchors", bench.anchors())
    assert (code, tree["changed"]) == (0, "nothing seen")
    assert "would have been seen by now in 80% of streams" in text
    seen = {test["kind"]: test["seen_from"] for test in tree["tests"]}
    assert 0 < seen["score"]["below"] < 0.5 < seen["score"]["above"] < 1
    assert seen["yes"]["within"] == 150 and seen["unscored"]["within"] is None


def test_the_world_changed(bench: Bench) -> None:
    code, text, tree = bench.both(lines(UP), "--anchors", bench.anchors())
    assert (code, tree["changed"]) == (1, "world")
    score = next(test for test in tree["tests"] if test["kind"] == "score")
    assert score["alarm"] and f"score, line {score['line']}, {score['at']}" in text
    assert score["figures"][0]["shift"]["low"] > 0
    assert tree["level"] == pytest.approx(0.01 / 4)


def test_the_judge_changed_whatever_the_stream_says(bench: Bench) -> None:
    for values in (SAME, UP):
        code, _, tree = bench.both(lines(values), "--anchors", bench.anchors(moved=0.02))
        assert (code, tree["changed"], tree["anchors"]["verdict"]) == (1, "judge", "changed")
    code, _, tree = bench.both(lines(SAME), "--anchors", bench.anchors(moved=0.002), "--flips", "2/60")
    assert (code, tree["anchors"]["verdict"], tree["anchors"]["changed"]) == (0, "same", 0)


def test_without_anchors_one_cannot_tell_which(bench: Bench) -> None:
    code, text, tree = bench.both(lines(UP))
    assert (code, tree["changed"]) == (1, "judge or world")
    assert "none of 20 was asked again" in text


def test_unscored_answers_alone_are_drift(bench: Bench) -> None:
    rows = lines(SAME)
    for number in range(60, 150, 2):
        rows[number] = {"item": f"u{number}", "unscored": "timeout", "at": rows[number]["at"]}
    code, _, tree = bench.both(rows)
    rung = {test["kind"] for test in tree["tests"] if test["alarm"]}
    assert code == 1 and "unscored" in rung and "yes" not in rung


def test_too_little_decides_nothing(bench: Bench) -> None:
    code, text, tree = bench.both(lines(SAME[:4]))
    assert (code, tree["changed"]) == (2, "cannot decide")
    assert "4 of 5 live values" in text and all(not test["tested"] for test in tree["tests"])
    assert bench.both([])[0] == 2
    assert bench.both([{"item": str(n), "unscored": "timeout"} for n in range(8)])[0] in (1, 2)
    bench.of(CALIBRATION[:19], anchors=[])
    code, text, _ = bench.both(lines(SAME))
    assert code == 2 and "19 of 20 calibration values" in text
    assert bench.both(lines(SAME[:4]), "--alpha", "0.2")[0] == 2


def test_a_changed_judge_is_told_although_the_stream_decides_nothing(bench: Bench) -> None:
    assert bench.both(lines(SAME[:2]), "--anchors", bench.anchors(moved=0.1))[0] == 1


def test_an_alarm_stays_and_names_the_same_line_every_day(bench: Bench) -> None:
    rows = lines(UP + SAME + SAME)
    first = None
    for day in (0, 30, 60, 150, 360):
        code, text = bench.drift(rows[: day + 90], "--json")
        told = {test["kind"]: test["line"] for test in json.loads(text)["tests"]}
        if first is None and told["score"] is not None:
            first = told["score"]
        if first is not None:
            assert (code, told["score"]) == (1, first)
    assert first is not None


def test_names_and_repetition_move_nothing(bench: Bench) -> None:
    rows = lines(UP)
    one = bench.drift(rows)
    assert bench.drift(rows) == one
    renamed = [
        {**row, "item": f"renamed-{n * 7 % 150}", "latency_ms": n, "reason": "any"} for n, row in enumerate(rows)
    ]
    strip = re.compile(r"live sha256\s+\w+")
    assert strip.sub("", bench.drift(renamed)[1]) == strip.sub("", one[1])


def test_yes_and_no_alone_are_watched_by_their_rate(bench: Bench) -> None:
    bench.of([0.0] * 70 + [1.0] * 30, scale="answer", anchors=[])
    asked = [{"statement": "lesson", "answer": "yes" if n % 4 else "no"} for n in range(120)]
    code, text, tree = bench.both(asked)
    assert code == 1 and [test["kind"] for test in tree["tests"]] == ["yes", "unscored"]
    assert "not every line has a time" in text
    assert bench.both([{"answer": "yes" if n % 10 < 3 else "no"} for n in range(120)])[0] == 0


def test_scores_of_any_scale_are_watched(bench: Bench) -> None:
    bench.of([10 * v - 3 for v in CALIBRATION], scale="score", anchors=[])
    asked = [{"score": 10 * v - 3, "answer": "yes"} for v in UP]
    code, _, tree = bench.both(asked)
    assert code == 1 and [test["kind"] for test in tree["tests"]] == ["score", "unscored", "decisions"]


def test_another_model_is_a_changed_judge(bench: Bench) -> None:
    judge = {"id": "my-judge-1", "name": "j", "scales": {"lesson": "probability"}, "answered_by": ["model-a"]}
    bench.of(CALIBRATION, judge=judge)
    rows = [{**row, "answered_by": "model-b"} for row in lines(SAME)]
    code, text, tree = bench.both(rows)
    assert (code, tree["changed"], tree["live"]["other_models"]) == (1, "judge", {"model-b": 150})
    assert "150 lines answered by model-b, certified is model-a" in text


def test_broken_input_is_told(bench: Bench) -> None:
    code, text = bench.drift([*lines(SAME), {"p": 7}])
    assert code == 3 and "live.jsonl:151, field p" in text
    code, text = bench.drift([{**lines(SAME)[0], "judge_id": "other"}])
    assert code == 3 and "field judge_id: other, certified is my-judge-1" in text
    assert bench.drift(lines(SAME), "--statement", "nobody")[0] == 3
    for words in (["--alpha", "0"], ["--alpha", "x"], ["--flips", "3"], ["--flips", "4/3"], ["--flips", "0/0"]):
        with pytest.raises(SystemExit, match="3"):
            bench.drift(lines(SAME), *words)


def test_a_certificate_with_a_broken_seal_decides_nothing(bench: Bench) -> None:
    whole = bench.certificate.read_text(encoding="utf-8")
    bench.certificate.write_text(whole.replace('"rows": 102', '"rows": 103'), encoding="utf-8")
    live = write_lines(bench.folder / "live.jsonl", lines(SAME))
    assert main(["drift", str(bench.certificate), str(live)]) == 2


def test_rows_that_hang_together_are_warned_of(bench: Bench) -> None:
    data = {"digest": "0" * 64, "rows": 102, "families": 40, "unlabelled": 0, "unscored": 2, "seed": 0}
    bench.of(CALIBRATION, data=data)
    assert "102 rows of 40 families" in bench.both(lines(SAME))[1]
