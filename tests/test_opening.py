"""What a report opens with, on suites whose outcome is known beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.benchmark import Benchmark, examine
from bench.cases.sources import SessionFolders
from bench.report.kinds import kind_of
from bench.report.opening import NONE_DECLARED, layers, opening

BETTER = {"candidate": "always-yes", "comparator": "always-no", "stratum": "tickets", "statement": "solved"}


def examined(root: Path, labels: str, comparisons: list[Tree], judges: list[Tree] | None = None) -> Benchmark:
    """Always-yes and always-no on cases labelled y or n, one each; always-yes is right on every y."""
    judges = judges or [{"judge": name, "answers": ["polite", "solved"]} for name in ("always-yes", "always-no")]
    suite = suite_tree(judges, comparisons=comparisons, resamples=400)
    suite["statements"][1]["critical"] = True
    cases = [case_tree(f"S{n:03d}") for n in range(len(labels))]
    words = {"y": "yes", "n": "no"}
    votes = [
        votes_tree(f"S{n:03d}", {"polite": words[label], "solved": words[label]}) for n, label in enumerate(labels)
    ]
    return examine(write(root, suite, cases, votes=votes), SessionFolders(()))


def claim(margin: float, **changes: object) -> Tree:
    return BETTER | {"metric": "accuracy", "claim": "better", "margin": margin} | changes


def test_a_claim_that_holds_is_said_of_whom_over_whom(tmp_path: Path) -> None:
    first = opening(examined(tmp_path, "y" * 50 + "n" * 10, [claim(0.1)]))[0]
    assert first == "always-yes beats always-no by the declared margin (accuracy, 0.1) on solved (tickets)."


def test_where_none_holds_the_rival_is_named_and_the_rest_is_counted(tmp_path: Path) -> None:
    hopeless = claim(0.5, candidate="always-no", comparator="always-yes")
    first = opening(examined(tmp_path, "y" * 50 + "n" * 10, [hopeless]))[0]
    assert first == (
        "always-no does not beat always-yes by the declared margin on solved (tickets): 1 claim does not hold."
    )


def test_several_candidates_are_counted_and_nobody_else_is_spoken_of(tmp_path: Path) -> None:
    judges: list[Tree] = [
        {"judge": name, "answers": ["solved"]} for name in ("always-yes", "always-no", "page_suites:Quoting")
    ]
    claims = [
        claim(0.5, candidate="always-no", comparator="always-yes"),
        claim(0.5, candidate="page_suites:Quoting", comparator="always-yes"),
    ]
    first = opening(examined(tmp_path, "y" * 50 + "n" * 10, claims, judges))[0]
    assert first == (
        "None of the 2 judges with a declared claim beats always-yes by the declared margin on solved (tickets): "
        "2 claims do not hold."
    )


def test_not_worse_is_not_called_better(tmp_path: Path) -> None:
    first = opening(examined(tmp_path, "y" * 50 + "n" * 10, [claim(0.1, claim="not_worse")]))[0]
    assert first.startswith("always-yes is shown to be no worse than always-no by the declared margin")


def test_without_declared_claims_nobody_is_called_better(tmp_path: Path) -> None:
    assert opening(examined(tmp_path, "yn" * 10, []))[0] == NONE_DECLARED


def test_a_judge_of_one_answer_cannot_be_told_from_chance_and_controls_are_not_counted(tmp_path: Path) -> None:
    judges: list[Tree] = [
        {"judge": "always-yes", "answers": ["solved"]},
        {"judge": "page_suites:Quoting", "answers": ["solved"]},
    ]
    told = opening(examined(tmp_path, "yn" * 20, [], judges))  # it says yes to all
    assert told[1] == "1 of 1 judge cannot be told from chance on solved (tickets): page_suites:Quoting."


def test_where_nothing_is_labelled_chance_is_not_spoken_of(tmp_path: Path) -> None:
    judges: list[Tree] = [{"judge": "page_suites:Quoting", "answers": ["solved"]}]
    suite = suite_tree(judges)
    suite["statements"][1]["critical"] = True
    told = opening(examine(write(tmp_path, suite, [case_tree("S001")]), SessionFolders(())))
    assert (
        told[1] == "Nothing that a judge scored is labelled on solved (tickets), so no judge can be told from chance."
    )


def test_a_layer_of_which_nothing_was_measured_says_so(tmp_path: Path) -> None:
    found = {layer.id: layer for layer in layers(examined(tmp_path, "yn" * 10, []))}
    assert list(found) == ["effectiveness", "quality", "efficiency", "governance"]
    assert found["efficiency"].measured is None
    assert found["efficiency"].told == "Nothing was measured here."
    assert found["quality"].measured is None
    assert found["effectiveness"].measured is not None


@pytest.mark.parametrize(
    ("judge", "kind"),
    [("always-yes", "control"), ("rule:own", "rule"), ("llm:m:json", "model"), ("head:x", "model"), ("exact", "code")],
)
def test_a_judge_s_kind_is_in_its_name(judge: str, kind: str) -> None:
    assert kind_of(judge) == kind
