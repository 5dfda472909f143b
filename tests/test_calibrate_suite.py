"""From YAML to a decision: a suite's judge is calibrated on its calibration split, and the gate decides about a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from certificates import write_session
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.certifying.certify import Asked, attempt
from bench.certifying.material import CalibrationRow, Material
from bench.cli import main
from bench.deciding.certificate import read_certificate
from bench.deciding.policy import Policy
from bench.gate import Refused, load
from bench.projection.project import OWN_PROMPTS

RULE = "rule:prompt-after-call"
START = {"kind": "prompt", "origin": "human", "text": "Mend it."}
CALL = {"kind": "command", "command": "mend", "exit_code": 0, "exit_source": "text", "ok": True}


def a_case(number: int, *, fires: bool, query: str = OWN_PROMPTS) -> dict[str, Any]:
    again = [{"kind": "prompt", "origin": "human", "text": f"No, the other lamp ({number})."}] if fires else []
    last = {"kind": "message", "text": f"Done, for the {number}th time."}
    attempts = [{"id": "a1", "harness": "desk", "events": [START, CALL, *again, last]}]
    world = {"facts": {}}
    case = case_tree(f"S{number:03d}", query=query, world_state=world, trajectory_anchors={})
    return {**case, "attempts": attempts}


def make(tmp_path: Path, count: int = 120, wrong: tuple[int, ...] = (), query: str = OWN_PROMPTS, **world: Any) -> Path:
    """Every second session is corrected; labels follow but for ``wrong``; all families are calibration, but for ten."""
    cases = [a_case(n, fires=n % 2 == 0, query=query) for n in range(count)]
    for case in cases:
        case["world_state"] |= world
    votes = [
        votes_tree(case["id"], {"polite": "yes" if (n % 2 == 0) != (n in wrong) else "no", "solved": "yes"})
        for n, case in enumerate(cases)
    ]
    splits = {case["family"]: "development" if n < 10 else "calibration" for n, case in enumerate(cases)}
    judges = [{"judge": RULE, "answers": ["polite"]}, {"judge": "anchors", "answers": ["solved"]}]
    layout = write(tmp_path, suite_tree(judges), cases, votes, splits)
    assert main(["run", "--suite", str(layout.suite)]) == 0
    return layout.suite


def calibrate(suite: Path, out: Path, *flags: str) -> int:
    return main(["calibrate", RULE, "--suite", str(suite), "--statement", "polite", "--out", str(out), *flags])


STREAM = ("--population", "lamps", "--random-sample-of-stream")


def test_from_the_suite_to_a_decision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "c.json"
    assert calibrate(make(tmp_path), out, *STREAM, "--discard", ".1", "--promote", ".1") == 0
    found = read_certificate(out)
    assert (found.data.rows, found.labels.votes, found.labels.human) == (110, {"person": 110}, True)
    assert found.judge.made_from == RULE
    assert not found.judge.query_told
    assert len(found.anchors) == 110
    assert found.cost_usd_per_session == 0
    assert (found.policy.promote_at, found.policy.discard_at) == (1.0, 0.0)
    assert found.review_share.value == 0
    gate = load(out)
    assert gate.decide(write_session(tmp_path / "yes.jsonl", corrected=True)).decision == "promote"
    assert gate.decide(write_session(tmp_path / "no.jsonl", corrected=False)).decision == "discard"
    capsys.readouterr()
    session = str(tmp_path / "yes.jsonl")
    assert main(["gate", str(out), session, "--suite", str(tmp_path / "cases" / "support")]) == 0
    suite = tmp_path / "cases" / "support" / "suite.yaml"
    suite.write_text(
        suite.read_text(encoding="utf-8").replace("The agent is polite.", "The agent is polite!"), encoding="utf-8"
    )
    assert main(["gate", str(out), session, "--suite", str(suite.parent)]) == 2
    assert "not the certified one: from character 20" in capsys.readouterr().err


def test_development_labels_play_no_part(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    moment = ("--issued", "2200-01-01T00:00:00+00:00")
    assert calibrate(make(tmp_path / "one"), first, *moment) == 0
    assert calibrate(make(tmp_path / "two", wrong=tuple(range(10))), second, *moment) == 0
    clock = {"seconds_per_session": None, "seal": None}
    one, two = (read_certificate(path).model_copy(update=clock) for path in (first, second))
    assert one == two


def test_labels_that_differ_are_no_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = make(tmp_path, wrong=(12, 14, 16, 18, 20, 22))
    assert calibrate(suite, tmp_path / "c.json") == 2
    assert "6 wrong of 55 selected, at most 1 may be" in " ".join(capsys.readouterr().out.split())


def test_queries_of_their_own_are_told_to_the_gate(tmp_path: Path) -> None:
    out = tmp_path / "c.json"
    assert calibrate(make(tmp_path, query="Mend the lamp in the hall."), out, *STREAM) == 0
    assert read_certificate(out).judge.query_told
    with pytest.raises(Refused, match="whose query was told"):
        load(out).decide(write_session(tmp_path / "s.jsonl", corrected=True))


def test_a_judge_that_is_shown_what_no_session_has_is_not_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = make(tmp_path)
    for file in suite.glob("S*.yaml"):
        case = json.loads(file.read_text(encoding="utf-8"))
        case["trajectory_anchors"] = {"expect": [{"command": "mend"}]}
        file.write_text(json.dumps(case), encoding="utf-8")
    assert main(["run", "--suite", str(suite)]) == 0
    capsys.readouterr()
    assert main(["calibrate", "anchors", "--suite", str(suite), "--statement", "solved"]) == 2
    assert "anchors is shown anchors of a case, which no session has" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nobody"], 2, "no judge 'nobody' has verdicts here"),
        ([RULE, "--statement", "solved"], 2, "no judge 'rule:prompt-after-call' has verdicts here; use one of anchors"),
        ([RULE, "--statement", "rude"], 3, "no yes / no statement 'rude'"),
        ([RULE, "--stratum", "cellar"], 3, "use one of tickets"),
    ],
)
def test_what_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    suite = make(tmp_path, 12)
    capsys.readouterr()
    assert main(["calibrate", *words, "--suite", str(suite)]) == code
    assert told in capsys.readouterr().err


def test_a_path_begins_where_development_expects_enough_rows() -> None:
    rows = tuple(CalibrationRow(f"f{n}", {"s": n / 199}, {}, n >= 20, str(n)) for n in range(200))
    policy = Policy(statements=("s",), right_when=("s",))
    asked = Asked((("promote", 0.1),), 0.05)
    blind = attempt(Material(policy, rows, {"s": "probability"}), asked).bands[0].test
    told = attempt(Material(policy, rows, {"s": "probability"}, development=tuple(n / 49 for n in range(50))), asked)
    assert blind is not None
    assert blind.steps[0].rows < 5
    assert told.bands[0].test is not None
    # 61 rows are wanted, 200 x 31 % of development scores reach 62.
    assert told.bands[0].test.steps[0].threshold == 0.69
    assert told.bands[0].threshold is not None
