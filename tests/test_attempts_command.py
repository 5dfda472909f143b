"""`bench attempts`: pass@k and pass^k from the rewards that records carry, against a count of every choice of k trials."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from bench.cli import main

REWARDS = {"0": (1.0, 0.0, 1.0, 1.0), "1": (0.0, 0.0, 0.0, 0.0), "2": (1.0, 1.0, 1.0, 1.0)}


def results(path: Path) -> Path:
    """A file as tau-bench writes it."""
    runs = [
        {
            "task_id": int(task),
            "trial": trial,
            "reward": reward,
            "info": {"task": {"user_id": "u", "instruction": "Cancel it."}},
            "traj": [
                {"role": "system", "content": "Rules."},
                {"role": "user", "content": f"Cancel order {task}, please ({trial})."},
                {"role": "assistant", "content": "Done."},
            ],
        }
        for task, rewards in REWARDS.items()
        for trial, reward in enumerate(rewards)
    ]
    path.write_text(json.dumps(runs), encoding="utf-8")
    return path


def test_every_choice_of_k_trials(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "results.json")
    assert main(["attempts", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["reward"], told["sessions"], len(told["tasks"])) == ("reward", 12, 3)
    for row in told["pass"]:
        choices = [list(combinations(rewards, row["k"])) for rewards in REWARDS.values()]
        any_one = [sum(max(c) == 1 for c in of) / len(of) for of in choices]
        every = [sum(min(c) == 1 for c in of) / len(of) for of in choices]
        assert row["pass@k"]["estimate"]["value"] == pytest.approx(sum(any_one) / 3)
        assert row["pass^k"]["estimate"]["value"] == pytest.approx(sum(every) / 3)
    assert main(["attempts", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("3 tasks, 12 attempts with the reward reward of 12 sessions")
    assert ".583" in text  # pass@1: 7 of 12


def test_rewards_are_rows_that_can_be_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    assert main(["attempts", str(results(tmp_path / "results.json")), "--rows", str(rows)]) == 0
    found = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    assert len(found) == 12
    assert {(row["group"], row["trial"]) for row in found} == {(t, n) for t in REWARDS for n in range(4)}
    assert {row["by"] for row in found} == {"environment"}
    assert sum(row["verdict"] in ("1", "1.0") for row in found) == 7
    capsys.readouterr()


def test_another_bar_and_what_cannot_be_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "results.json")
    assert main(["attempts", str(path), "--at-least", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pass"][0]["pass@k"]["estimate"]["value"] == 1
    assert main(["attempts", str(path), "--reward", "grade"]) == 2
    assert "no attempt at a task carries a reward" in capsys.readouterr().err
    assert main(["attempts", str(path), str(path)]) == 3
    assert "more than once" in capsys.readouterr().err
