"""JUnit files: one test a case and judge, only checks fail, totals add up, and any text makes well-formed XML."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from running_suites import case_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.report.ci import junit_xml as written

BOTH = ["polite", "solved"]
ANSWERS = {"S001": "yes", "S002": "no", "S003": "unclear"}


def make(root: Path) -> Layout:
    """always-yes is right once, wrong once; Moody abstains; S003 has no clear label."""
    judges = [
        {"judge": "always-yes", "answers": ["polite"]},
        {"judge": "running_suites:Moody", "answers": ["polite"], "coverage_floor": 0},
    ]
    votes = [votes_tree(case, {"polite": answer, "solved": "yes"}) for case, answer in ANSWERS.items()]
    return write(root, suite_tree(judges), [case_tree(case) for case in ANSWERS], votes)


@pytest.fixture
def suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, ElementTree.Element]:
    """The suites of junit.xml by name."""
    monkeypatch.setenv("MOOD", "abstained")
    monkeypatch.chdir(make(tmp_path / "proj").root)
    (tmp_path / ".git").mkdir()
    assert main(["all", "--no-plots"]) == 2  # no baseline yet
    root = ElementTree.parse(Path("reports/latest/junit.xml")).getroot()
    return {str(suite.get("name")): suite for suite in root} | {"root": root}


def test_one_suite_of_checks_and_one_a_judge(suites: dict[str, ElementTree.Element]) -> None:
    assert list(suites) == ["health", "always-yes", "running_suites:Moody", "root"]
    assert [case.get("name") for case in suites["always-yes"]] == [f"{case}/a1 polite" for case in ANSWERS]
    assert {case.get("classname") for case in suites["always-yes"]} == {"always-yes"}


def test_a_wrong_verdict_passes_and_says_that_it_is_wrong(suites: dict[str, ElementTree.Element]) -> None:
    right, wrong, unclear = suites["always-yes"]
    found = [{p.get("name"): p.get("value") for p in case.iter("property")} for case in (right, wrong, unclear)]
    assert found == [
        {"label": "yes", "verdict": "yes", "right": "yes"},
        {"label": "no", "verdict": "yes", "right": "no"},
        {"label": "unclear", "verdict": "yes", "right": "unknown"},
    ]
    assert [case.findtext("system-out") for case in (right, wrong, unclear)] == [
        None,
        "verdict yes, label no: wrong, which fails no build",
        "verdict yes, label unclear: neither right nor wrong",
    ]
    assert suites["always-yes"].get("failures") == suites["always-yes"].get("errors") == "0"


def test_unscored_is_skipped_with_its_reason(suites: dict[str, ElementTree.Element]) -> None:
    moody = suites["running_suites:Moody"]
    assert (moody.get("tests"), moody.get("skipped")) == ("3", "3")
    assert {skipped.get("message") for skipped in moody.iter("skipped")} == {"unscored: abstained"}


def test_a_test_is_found_in_the_repository(suites: dict[str, ElementTree.Element]) -> None:
    assert {(case.get("file"), case.get("line")) for case in suites["always-yes"]} == {
        (f"proj/cases/support/{case}.yaml", "1") for case in ANSWERS
    }


def test_the_totals_add_up(suites: dict[str, ElementTree.Element]) -> None:
    root = suites.pop("root")
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counts = Counter({suite: len(list(element.iter(tag))) for suite, element in suites.items()})
        assert {suite: int(element.get(name, "")) for suite, element in suites.items()} == dict(counts)
        assert int(root.get(name, "")) == counts.total()


def test_seats_of_one_name_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judges = [
        {"judge": "prompts", "answers": ["polite"], "parameters": {"at_least": at_least}} for at_least in ("1", "2")
    ]
    write(tmp_path, suite_tree(judges), [case_tree("S001")], [votes_tree("S001", {"polite": "yes", "solved": "yes"})])
    monkeypatch.chdir(tmp_path)
    main(["all", "--no-plots"])
    names = [suite.get("name") for suite in ElementTree.parse(Path("reports/latest/junit.xml")).getroot()]
    assert len(set(names)) == 3 and all(name == "health" or str(name).startswith("prompts-") for name in names)


def test_broken_input_is_written_where_it_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = make(tmp_path)
    (layout.suite / "S001.yaml").write_text(json.dumps(case_tree("S001", stratum="mails")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["all", "--junit", "out/junit.xml"]) == 3
    root = ElementTree.parse(Path("out/junit.xml")).getroot()
    assert (root.get("tests"), root.get("errors"), root.get("failures")) == ("1", "1", "0")
    (error,) = root.iter("error")
    assert error.get("message") == "'mails'" and "to mend: use one of tickets" in str(error.text)
    assert not layout.reports.exists(), "the last good report stays as it is"


@pytest.mark.parametrize(
    "text", ["<&\">'", "]]>", "bell \x07 null \x00", "half \ud800", "\ufffe\uffff", "tab\tline\nend", "é \u202e"]
)
def test_any_text_is_well_formed(text: str) -> None:
    test = written.Test(text, "failure", text, (text,), text, 1, (("label", text),))
    root = ElementTree.fromstring(written.junit_xml(text, [written.TestSuite(text, [test])]).encode())
    (failure,) = root.iter("failure")
    kept = written.printable(text)
    assert failure.text == f"{kept}\n{kept}" and root.get("failures") == "1"


def test_thirteen_thousand_items_take_less_than_a_second() -> None:
    properties = (("label", "yes"), ("verdict", "no"), ("right", "no"))
    tests = [
        written.Test(
            f"L{n:05d}/a1 reusable-lesson", "passed", "verdict no, label yes: wrong", (), "cases/x.yaml", 7, properties
        )
        for n in range(13_000)
    ]
    spent = []
    for _ in range(3):  # the least: what else a busy machine does is not meant
        start = time.process_time()
        text = written.junit_xml("bench.lessons", [written.TestSuite("rule:words", tests)])
        spent.append(time.process_time() - start)
    assert min(spent) < 1, spent
    assert len(text.encode()) < 6_000_000
