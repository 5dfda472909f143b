"""The gate: decides on one session, light and at once, and refuses whatever was not certified."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import resource
import subprocess
import venv
from pathlib import Path

import pytest
from certificates import LESSON, certificate_tree, session_lines, write_session, write_tree

from bench.cli import main
from bench.deciding.certificate import Certificate, Refused, read_certificate
from bench.gate import load
from bench.problems import BrokenInput

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"id": "my-judge-1", "name": "my-judge", "scales": {"lesson": "probability"}}


def test_it_promotes_and_sends_to_review(tmp_path: Path) -> None:
    gate = load(write_tree(tmp_path / "c.json"))
    promoted = gate.decide(write_session(tmp_path / "yes.jsonl", corrected=True))
    assert (promoted.decision, promoted.score, promoted.exit_code) == ("promote", 1.0, 0)
    assert promoted.reasons == ("score 1 reaches 1",)
    reviewed = gate.decide(write_session(tmp_path / "no.jsonl", corrected=False))
    assert (reviewed.decision, reviewed.exit_code) == ("review", 2)


def test_a_discard_band_discards(tmp_path: Path) -> None:
    tree = certificate_tree()
    band = {**tree["bands"][0], "band": "discard", "threshold": 0.0}
    policy = {**tree["policy"], "promote_at": None, "discard_at": 0.0}
    gate = load(write_tree(tmp_path / "c.json", bands=[band], policy=policy))
    assert gate.decide(write_session(tmp_path / "no.jsonl", corrected=False)).exit_code == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("holds a lesson", "holds a Lesson"),
        ('"promote_at": 1.0', '"promote_at": 0.0'),
        ("One can say it.", "One can say it!"),
    ],
)
def test_one_changed_character_breaks_the_seal(tmp_path: Path, before: str, after: str) -> None:
    path = write_tree(tmp_path / "c.json")
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises((Refused, BrokenInput), match=r"seal|proved at"):
        load(path)


def test_another_wording_in_use_is_refused_by_character(tmp_path: Path) -> None:
    path = write_tree(tmp_path / "c.json")
    load(path, statements={"lesson": LESSON.text})
    with pytest.raises(Refused, match="from character 27 on"):
        load(path, statements={"lesson": LESSON.text.removesuffix(".") + "!"})
    with pytest.raises(Refused, match="not among those in use"):
        load(path, statements={})


def test_another_judge_is_refused(tmp_path: Path) -> None:
    tree = certificate_tree()
    judge = {**tree["judge"], "made_from": "rule:refused-call"}
    with pytest.raises(Refused, match="the judge made here is rule-refused-call-"):
        load(write_tree(tmp_path / "c.json", judge=judge))
    with pytest.raises(Refused, match="cannot be made here"):
        load(write_tree(tmp_path / "c.json", judge={**tree["judge"], "made_from": "gone.rule.yaml"}))


def test_another_projection_is_refused(tmp_path: Path) -> None:
    tree = certificate_tree()
    path = write_tree(tmp_path / "c.json")
    load(path, preset="events")
    with pytest.raises(Refused, match="certified under the projection events@1"):
        load(path, preset="naive-80")
    older = {**tree["judge"], "preset": "events@0"}
    with pytest.raises(Refused, match="this version of bench has events@1"):
        load(write_tree(tmp_path / "old.json", judge=older))


def test_a_judge_calibrated_with_queries_is_told_one(tmp_path: Path) -> None:
    gate = load(write_tree(tmp_path / "c.json", judge={**certificate_tree()["judge"], "query_told": True}))
    session = write_session(tmp_path / "s.jsonl", corrected=True)
    with pytest.raises(Refused, match="whose query was told"):
        gate.decide(session)
    assert gate.decide(session, query="Add the package.").decision == "promote"


def test_an_expired_certificate_is_refused_and_an_open_gate_ages(tmp_path: Path) -> None:
    past = {"issued": "2020-01-01T00:00:00+00:00", "expires": "2020-02-01T00:00:00+00:00"}
    with pytest.raises(Refused, match="expired on 2020-02-01"):
        load(write_tree(tmp_path / "c.json", **past))
    gate = load(write_tree(tmp_path / "d.json"))
    aged = type(gate)(gate.certificate.model_copy(update=past), gate.judge, gate.preset)
    with pytest.raises(Refused, match="expired"):
        aged.decide(write_session(tmp_path / "s.jsonl", corrected=True))


def test_a_benchmark_certificate_needs_the_flag(tmp_path: Path) -> None:
    population = {"name": "LessonBench", "sample": "benchmark", "source": "a suite"}
    path = write_tree(tmp_path / "c.json", population=population)
    with pytest.raises(Refused, match="--accept-benchmark-population"):
        load(path)
    assert load(path, accept_benchmark_population=True).certificate.population.name == "LessonBench"


def test_verdicts_from_elsewhere_need_the_same_judge_and_words(tmp_path: Path) -> None:
    gate = load(write_tree(tmp_path / "c.json", judge=ELSEWHERE))
    assert gate.decide_verdicts("my-judge-1", {"lesson": LESSON.text}, {"lesson": 1.0}).decision == "promote"
    assert gate.decide_verdicts("my-judge-1", {"lesson": LESSON.text}, {"lesson": 0.99}).decision == "review"
    assert gate.decide_verdicts("my-judge-1", {"lesson": LESSON.text}, {"lesson": None}).reasons == (
        "no answer on lesson: not given",
    )
    with pytest.raises(Refused, match="certified is my-judge-1"):
        gate.decide_verdicts("my-judge-2", {"lesson": LESSON.text}, {"lesson": 1.0})
    with pytest.raises(Refused, match="not the certified one"):
        gate.decide_verdicts("my-judge-1", {"lesson": "The session holds a lesson"}, {"lesson": 1.0})
    with pytest.raises(Refused, match="cannot be made here"):
        gate.decide(write_session(tmp_path / "s.jsonl", corrected=True))


def test_a_judge_that_cannot_answer_sends_to_review(tmp_path: Path) -> None:
    judge = {**certificate_tree(of="exact")["judge"]}
    gate = load(write_tree(tmp_path / "c.json", judge=judge))
    path = tmp_path / "s.jsonl"
    lines = session_lines(corrected=False).splitlines(keepends=True)
    path.write_text("".join(lines[:1]), encoding="utf-8")
    found = gate.decide(path)
    assert found.decision == "review"
    assert found.score is None
    assert found.reasons[0].startswith("no answer on lesson: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no JSON"),
        ("[]", "valid dictionary"),
        ('{"format": "lessonbench-certificate/1", "format": 1}', "twice"),
        ("NaN", "NaN"),
    ],
)
def test_what_is_no_certificate_is_broken_input(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenInput, match=told):
        read_certificate(path)
    with pytest.raises(BrokenInput, match="cannot be read"):
        read_certificate(tmp_path / "none.json")


def test_a_certificate_reads_back_equal_and_gives_the_same_bytes(tmp_path: Path) -> None:
    path = write_tree(tmp_path / "c.json")
    again = write_tree(tmp_path / "d.json")
    assert path.read_bytes() == again.read_bytes()
    assert read_certificate(path) == Certificate.model_validate(certificate_tree()).sealed()


def test_a_policy_must_be_what_was_proved(tmp_path: Path) -> None:
    tree = certificate_tree()
    with pytest.raises(ValueError, match="nothing was proved about it"):
        Certificate.model_validate({**tree, "policy": {**tree["policy"], "discard_at": 0.0}})
    with pytest.raises(ValueError, match="expires before"):
        Certificate.model_validate({**tree, "expires": tree["issued"]})


def test_the_command_prints_json_and_exit_code_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write_tree(tmp_path / "c.json"))
    for corrected, code, word in ((True, 0, "promote"), (False, 2, "review")):
        session = str(write_session(tmp_path / "s.jsonl", corrected=corrected))
        assert main(["gate", path, session]) == code
        assert capsys.readouterr().out.startswith(f"{word}: score ")
        assert main(["gate", path, session, "--json"]) == code
        told = json.loads(capsys.readouterr().out)
        assert (told["decision"], told["exit_code"]) == (word, code)
    assert main(["gate", path, session, "--preset", "naive-80", "--json"]) == 2
    assert "refused" in json.loads(capsys.readouterr().out)
    assert main(["gate", path, session, "--preset", "naive-80"]) == 2
    assert "certified under the projection" in capsys.readouterr().err


def test_the_command_takes_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write_tree(tmp_path / "c.json", judge=ELSEWHERE))
    given = tmp_path / "verdicts.json"
    good = {"judge_id": "my-judge-1", "statements": {"lesson": {"text": LESSON.text, "value": 1}}}
    given.write_text(json.dumps(good), encoding="utf-8")
    assert main(["gate", path, str(given), "--verdicts"]) == 0
    for broken in (
        {"judge_id": "my-judge-1"},
        {**good, "statements": {"lesson": {"text": LESSON.text, "value": True}}},
    ):
        given.write_text(json.dumps(broken), encoding="utf-8")
        assert main(["gate", path, str(given), "--verdicts"]) == 3
    capsys.readouterr()


# --- the light install ---


def light_packages() -> set[str]:
    """The distributions that the project's own dependencies pull in, extras aside."""
    found: set[str] = set()
    open_ends = [one for one in importlib.metadata.requires("lessonbench") or () if "extra ==" not in one]
    while open_ends:
        name = re.split(r"[^A-Za-z0-9._-]", open_ends.pop().strip(), maxsplit=1)[0].lower().replace("_", "-")
        if name in found:
            continue
        try:
            needed = importlib.metadata.requires(name) or ()
        except importlib.metadata.PackageNotFoundError:
            continue  # of another system or Python
        found.add(name)
        open_ends += [one for one in needed if "extra ==" not in one]
    return found


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the light part and nothing else."""
    folder = tmp_path_factory.mktemp("light")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    site, *_ = folder.glob("lib/python*/site-packages") if os.name != "nt" else [folder / "Lib" / "site-packages"]
    for name in light_packages():
        distribution = importlib.metadata.distribution(name)
        tops = {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            source = Path(str(distribution.locate_file(top)))
            if not (site / top).exists() and source.exists():
                (site / top).symlink_to(source)
    (site / "bench").symlink_to(ROOT / "bench")
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def test_a_light_install_lacks_the_analysis(light: Path) -> None:
    for name in ("pandas", "sklearn", "numpy", "torch", "scipy"):
        done = subprocess.run([light, "-c", f"import {name}"], capture_output=True, text=True, check=False)
        assert "ModuleNotFoundError" in done.stderr


def test_a_light_install_decides_on_a_rule_in_under_a_third_of_a_second(light: Path, tmp_path: Path) -> None:
    path = write_tree(tmp_path / "c.json")
    spent = []
    for corrected, code in ((True, 0), (False, 2)) * 4:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [light, "-m", "bench", "gate", path],
            input=session_lines(corrected=corrected), capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert (done.returncode, done.stderr) == (code, "")
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    # Processor time: what else a busy machine does is not meant. On an idle one the clock shows a hundredth more.
    assert min(spent) < 1 / 3, spent


def test_a_light_install_refuses_a_changed_character(light: Path, tmp_path: Path) -> None:
    path = write_tree(tmp_path / "c.json")
    path.write_text(path.read_text(encoding="utf-8").replace("a lesson.", "a lesson!"), encoding="utf-8")
    done = subprocess.run(
        [light, "-m", "bench", "gate", path],
        input=session_lines(corrected=True),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "the seal is broken" in done.stderr


def test_the_library_call_needs_no_more(light: Path, tmp_path: Path) -> None:
    path = write_tree(tmp_path / "c.json")
    session = write_session(tmp_path / "s.jsonl", corrected=True)
    code = "import sys; from bench.gate import load; print(load(sys.argv[1]).decide(sys.argv[2]).decision)"
    done = subprocess.run([light, "-c", code, path, session], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "promote"
