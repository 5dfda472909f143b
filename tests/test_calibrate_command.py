"""`bench calibrate`: proves a band or refuses for the right reason; what it prints, its JSON and its exit code agree."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.cli import main
from bench.deciding.certificate import read_certificate
from bench.gate import Refused, load

WORDS = "The session holds a lesson."
Rows = Sequence[tuple[float, bool]]


def honest(count: int, seed: int = 1) -> Rows:
    """A judge whose probabilities are true and spread out."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        p = min(max(1 / (1 + math.exp(-chance.gauss(0, 4))), 0.001), 0.999)
        found.append((round(p, 3), chance.random() < p))
    return found


def table(path: Path, rows: Rows, group: Callable[[int], str] = str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "p", "label", "group"])
        writer.writerows([number, p, "yes" if yes else "no", group(number)] for number, (p, yes) in enumerate(rows))
    return path


def calibrate(path: Path, *flags: str) -> int:
    words = [
        "--table",
        str(path),
        "--statement-text",
        WORDS,
        "--judge-id",
        "j1",
        "--issued",
        "2200-01-01T00:00:00+00:00",
    ]
    return main(["calibrate", "my-judge", *words, *flags])


def refused(path: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    """The reason, which the text, the JSON and the exit code agree on."""
    out = path.with_name("none.json")
    assert calibrate(path, *flags, "--out", str(out)) == 2
    text = " ".join(capsys.readouterr().out.split())
    assert calibrate(path, *flags, "--out", str(out), "--json") == 2
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert not out.exists()
    assert (told["exit_code"], told["certificate"], told["written"]) == (2, None, None)
    assert text.startswith("No certificate for my-judge: ")
    assert text.startswith(" ".join(told["outcome"].split()))
    return " ".join(told["outcome"].split())


def test_a_good_judge_gets_its_certificate_and_the_gate_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path / "t.csv", honest(400))
    out = tmp_path / "c.json"
    stream = ("--population", "sessions of May", "--random-sample-of-stream", "--labels-by", "person")
    assert calibrate(path, *stream, "--promote", ".1", "--discard", ".1", "--out", str(out), "--synthetic") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith("Certified: my-judge: of what it promotes, at most 10% is wrong, at confidence 0.975")
    assert "SYNTHETIC DATA" in text
    found = read_certificate(out)
    assert {band.band: band.target for band in found.bands} == {"promote": 0.1, "discard": 0.1}
    assert all(band.upper <= band.target for band in found.bands)
    assert (found.data.rows, found.data.families, found.labels.human, found.synthetic) == (400, 400, True, True)
    assert sum(found.reference.decisions.values()) == 400
    assert found.review_share.value == found.reference.decisions["review"] / 400
    with pytest.raises(Refused, match="invented data"):
        load(out)
    gate = load(out, accept_benchmark_population=True)
    at = found.policy.promote_at
    assert at is not None
    assert gate.decide_verdicts("j1", {"statement": WORDS}, {"statement": at}).decision == "promote"
    assert gate.decide_verdicts("j1", {"statement": WORDS}, {"statement": at - 0.01}).decision == "review"
    assert gate.decide_verdicts("j1", {"statement": WORDS}, {"statement": 0.0}).decision == "discard"


def test_the_same_rows_give_the_same_bytes_in_any_order_and_by_any_name(tmp_path: Path) -> None:
    rows = list(honest(300))
    files = []
    for number, (order, name) in enumerate(((rows, str), (rows[::-1], lambda i: f"family {i * 7919 % 300}"))):
        path = table(tmp_path / "t.csv", order, name)
        out = tmp_path / f"{number}.json"
        assert calibrate(path, "--out", str(out)) == 0
        files.append(read_certificate(out))
    assert files[0].bands == files[1].bands
    assert files[0].data.digest == files[1].data.digest


def test_without_a_declared_stream_it_is_a_benchmark_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "c.json"
    assert calibrate(table(tmp_path / "t.csv", honest(300)), "--out", str(out)) == 0
    assert capsys.readouterr().out.startswith("Benchmark certificate: ")
    (rates,) = read_certificate(out).rates
    assert rates.prevalence is not None
    assert 0 < rates.prevalence[0] < rates.prevalence[1] == 1
    with pytest.raises(Refused, match="benchmark certificate"):
        load(out)


def test_six_perfect_rows_are_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "t.csv", [(0.99, True)] * 3 + [(0.01, False)] * 3)
    told = refused(path, capsys)
    assert "cannot be told from chance" in told
    # ... and where the ranking shows, the promote band is short of the 29 rows that a 10 % / 95 % proof takes.
    path = table(tmp_path / "t.csv", [(0.99, True)] * 12 + [(0.01, False)] * 12)
    assert "promote: too few selected: 24 of 29 rows" in refused(path, capsys)


def test_one_class_is_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(table(tmp_path / "t.csv", [(0.5 + i / 400, True) for i in range(100)]), capsys)
    assert "one class: all 100 labels say to promote" in told


def test_an_always_yes_judge_is_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(table(tmp_path / "t.csv", [(1.0, i % 50 != 0) for i in range(200)]), capsys)
    assert "says the same of every session (1)" in told


def test_a_judge_at_chance_is_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(5)
    rows = [(round(chance.random(), 2), chance.random() < 0.95) for _ in range(200)]
    assert "cannot be told from chance" in refused(table(tmp_path / "t.csv", rows), capsys)


def test_swapped_labels_are_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "t.csv", [(p, not yes) for p, yes in honest(200)])
    told = refused(path, capsys)
    assert "run against the labels" in told
    assert "swapped" in told


def test_labels_of_models_are_refused_where_persons_are_required(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path / "t.csv", honest(300))
    assert "300 of model" in refused(path, capsys, "--require-human-labels", "--labels-by", "model")
    assert "300 of not stated" in refused(path, capsys, "--require-human-labels")
    out = tmp_path / "c.json"
    assert calibrate(path, "--require-human-labels", "--labels-by", "person", "--out", str(out)) == 0


def test_rows_without_a_label_count_as_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "t.csv", honest(300))
    assert calibrate(path, "--out", str(tmp_path / "c.json")) == 0
    capsys.readouterr()
    lines = path.read_text(encoding="utf-8").splitlines()
    high = [i for i, line in enumerate(lines[1:], 1) if float(line.split(",")[1]) > 0.97]
    for i in high[: len(high) // 2]:
        lines[i] = ",".join([*lines[i].split(",")[:2], "", lines[i].split(",")[3]])
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "the first testable point failed" in refused(path, capsys)


def test_of_two_bands_one_is_given_only_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # All that is low is a coin toss: nothing can be discarded.
    rows = [(p, yes) for p, yes in honest(400) if p > 0.5] + [(0.2, i % 2 == 0) for i in range(100)]
    path = table(tmp_path / "t.csv", rows)
    assert "discard: the first testable point failed" in refused(path, capsys, "--promote", ".1", "--discard", ".1")
    out = tmp_path / "c.json"
    assert calibrate(path, "--promote", ".1", "--discard", ".1", "--partial", "--out", str(out)) == 2
    assert "Not proved: discard" in " ".join(capsys.readouterr().out.split())
    found = read_certificate(out)
    assert [band.band for band in found.bands] == ["promote"]
    assert found.policy.discard_at is None


def test_families_are_not_counted_as_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Twenty families of ten: two hundred faultless rows are twenty independent ones.
    rows = [(0.99, True)] * 100 + [(0.01, False)] * 100
    told = refused(table(tmp_path / "t.csv", rows, lambda i: f"f{i // 10}"), capsys)
    assert "20 of 29 rows" in told


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        (("--path", "1:0"), "--path"),
        (("--path", "0:1:0"), "--path"),
        (("--issued", "2026-01-01"), "--issued"),
        (("--days", "0"), "--days"),
        (("--random-sample-of-stream",), "--random-sample-of-stream"),
        (("--calibrator", "none.json"), "--calibrator"),
    ],
)
def test_wrong_flags_are_broken_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...], field: str
) -> None:
    assert calibrate(table(tmp_path / "t.csv", honest(300)), *flags, "--out", str(tmp_path / "c.json")) == 3
    assert field in capsys.readouterr().err


@pytest.mark.parametrize("share", ["0", "1", "10", "ten", "nan", "1e-3"])
def test_a_target_is_a_share(tmp_path: Path, share: str) -> None:
    with pytest.raises(SystemExit) as stop:
        calibrate(table(tmp_path / "t.csv", honest(20)), "--promote", share)
    assert stop.value.code == 3


def test_every_judge_of_the_shipped_suite_is_tried_and_none_is_certified(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--suite", "lessons", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["issued"] == 0
    assert told["attempted"] == 4 * len([one for one in told["judges"] if one["excluded"] is None])
    for judge in told["judges"]:
        for one in judge["attempts"]:
            assert one["reasons"], judge["judge"]
            assert one["issued"] is False
    constant = next(one for one in told["judges"] if one["judge"] == "always-yes")
    assert "says the same of every session" in constant["attempts"][0]["reasons"][0]


def test_a_floor_is_part_of_what_is_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(3)
    path, policies = tmp_path / "t.csv", tmp_path / "p.yaml"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["central", "grounded", "label"])
        for _ in range(300):
            yes = chance.random() < 0.5
            central = 0.95 if yes else chance.choice([0.0, 0.0, 0.6])
            writer.writerow([central, 1.0, "yes" if yes else "no"])
    policies.write_text(
        "schema: 1\npolicies:\n"
        "  - {id: mean, statements: [central, grounded], right_when: [label]}\n"
        "  - {id: floor, statements: [central, grounded], right_when: [label], floors: {central: 0.7}}\n",
        encoding="utf-8",
    )
    out = tmp_path / "c.json"
    words = ["--statement-text", "central=It holds a lesson.", "--statement-text", "grounded=It is backed."]
    base = ["calibrate", "j", "--table", str(path), *words, "--path", "0.6:0.5:0.1", "--out", str(out)]
    assert main([*base, "--policy", f"{policies}:mean"]) == 2
    assert "the first testable point failed" in " ".join(capsys.readouterr().out.split())
    assert main([*base, "--policy", f"{policies}:floor"]) == 0
    gate = load(out, accept_benchmark_population=True)
    texts = {"central": "It holds a lesson.", "grounded": "It is backed."}
    assert gate.decide_verdicts("j", texts, {"central": 0.95, "grounded": 1.0}).decision == "promote"
    vetoed = gate.decide_verdicts("j", texts, {"central": 0.6, "grounded": 1.0})
    assert (vetoed.decision, vetoed.reasons[1]) == ("review", "central: 0.6 under its floor 0.7")
    capsys.readouterr()
    assert main([*base[:4], "--policy", f"{policies}:floor"]) == 3
    assert "no words of central, grounded" in capsys.readouterr().err


def test_a_yes_that_is_a_number_is_named_by_its_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    rows = [{"p": p, "label": 7 if yes else 9, "group": str(n)} for n, (p, yes) in enumerate(honest(300))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = tmp_path / "c.json"
    assert calibrate(path, "--out", str(out)) == 3
    assert "say which value means yes" in capsys.readouterr().err
    assert calibrate(path, "--positive", "7", "--out", str(out)) == 0
    capsys.readouterr()
    assert "run against the labels" in refused(path, capsys, "--positive", "9")
