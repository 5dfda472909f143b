"""The GitHub Action: its run steps are executed here, with a runner's files and a stand-in for gh; the runner itself is not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ci_outcomes import CASES, answer, make_project, marks

from bench.cases.layout import Layout

ROOT = Path(__file__).parent.parent
ACTION = ROOT / ".github" / "actions" / "bench" / "action.yml"
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
EXPRESSION = re.compile(r"\$\{\{")
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def action() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return read


def steps() -> dict[str, dict[str, Any]]:
    """The run steps by name."""
    return {step["name"]: step for step in action()["runs"]["steps"] if "run" in step}


# --- what stands in the file ---


def test_no_expression_reaches_a_shell() -> None:
    for name, step in steps().items():
        assert not EXPRESSION.search(step["run"]), name
        assert step["shell"] == "bash", name
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert runs and not [run for run in runs if EXPRESSION.search(run)]


def test_other_actions_are_pinned_to_a_commit() -> None:
    text = ACTION.read_text(encoding="utf-8") + WORKFLOW.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(?: # (\S+))?", text)
    assert len(used) >= 6
    for name, version in used:
        assert name.startswith("./") or (
            re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", name) and version.startswith("v")
        ), name


def test_every_input_is_used_and_every_output_is_set() -> None:
    text = ACTION.read_text(encoding="utf-8")
    for name in action()["inputs"]:
        assert f"inputs.{name}" in text.split("runs:", 1)[1], name
    for name in action()["outputs"]:
        assert re.search(rf"{name}(=|<<)", steps()["Measure"]["run"]), name


def test_the_workflow_gives_the_action_inputs_that_it_has() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    given = [s for job in workflow["jobs"].values() for s in job["steps"] if s.get("uses", "").startswith("./.github")]
    assert len(given) == 1 and set(given[0]["with"]) <= set(action()["inputs"])
    assert (ROOT / given[0]["uses"] / "action.yml").is_file()
    assert workflow["permissions"] == {"contents": "read"}


# --- what the steps do ---


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top: Path = tmp_path_factory.mktemp("action") / "repository"
    make_project(top)
    return top


class Runner:
    """A job's folders and files, and a PATH on which bench and gh are what a test says."""

    def __init__(self, folder: Path, top: Path) -> None:
        self.folder, self.project = folder, top / "proj"
        self.layout = Layout(self.project / "cases" / "support")
        self.outputs: dict[str, str] = {}
        for name in ("temp", "bin"):
            (folder / name).mkdir()
        self.program("bench", f'exec "{sys.executable}" -m bench "$@"')
        self.program("python", f'exec "{sys.executable}" "$@"')

    def program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, step: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """One step, as the runner runs it: a script file, bash with -e and pipefail, outputs and a summary in files."""
        script, output = self.folder / "script.sh", self.folder / "output"
        script.write_text(steps()[step]["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        given = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "BENCH_"))},
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ACTION.parent),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GITHUB_REPOSITORY": "ada/lessons",
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            **variables,
        }
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(
            words, cwd=self.project, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        self.outputs |= read_outputs(output.read_text(encoding="utf-8"))
        return done

    def measure(self, **variables: str) -> subprocess.CompletedProcess[str]:
        empty = {"BENCH_ARGS": "--no-plots", "BENCH_SUITE": "", "BENCH_BASE": "", "BENCH_COMMAND": "all"}
        return self.run("Measure", **(empty | variables))

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")


def read_outputs(text: str) -> dict[str, str]:
    """``name=value``, and ``name<<END`` with lines up to END."""
    found, lines = {}, iter(text.splitlines())
    for line in lines:
        name, several, end = line.partition("<<")
        if several and "=" not in name:
            found[name] = "\n".join(iter(lambda: next(lines), end))
        else:
            name, _, found[name] = line.partition("=")
    return found


def commands_of(log: str) -> list[str]:
    """What a runner takes for a command: nothing between ``::stop-commands::TOKEN`` and ``::TOKEN::``."""
    found, stopped = [], None
    for line in log.split("\n"):
        if stopped is not None:
            stopped = None if line == f"::{stopped}::" else stopped
        elif line.startswith("::stop-commands::"):
            stopped = line.removeprefix("::stop-commands::")
        elif line.startswith("::") or "##[" in line:
            found.append(line)
    assert stopped is None, "commands are taken again at the end"
    return found


@pytest.fixture
def real(healthy: Path, tmp_path: Path) -> Runner:
    """A job in a copy of the project."""
    shutil.copytree(healthy, tmp_path / "repository")
    return Runner(tmp_path, tmp_path / "repository")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A job whose bench is a stand-in."""
    (tmp_path / "repository" / "proj").mkdir(parents=True)
    return Runner(tmp_path, tmp_path / "repository")


def test_a_healthy_suite_is_met(real: Runner) -> None:
    done = real.measure()
    assert done.returncode == 0, done.stdout
    assert real.outputs["exit-code"] == "0" and "comment" not in real.outputs
    assert real.outputs["sentence"].startswith("The benchmark support is healthy: 40 cases")
    folder = Path(real.outputs["report"])
    assert sorted(path.name for path in folder.iterdir()) == ["all.json", "junit.xml", "report"]
    assert "### bench all: met" in real.summary
    assert commands_of(done.stdout) == []
    assert real.run("Outcome", CODE=real.outputs["exit-code"]).returncode == 0


def test_what_is_not_met_is_annotated_and_ends_the_job(real: Runner) -> None:
    case = real.layout.suite / "S007.yaml"
    case.write_text(case.read_text().replace("query: How", "query: Since yesterday, how"), encoding="utf-8")
    answer(real.layout, dict.fromkeys(CASES[2:20], "no"))
    done = real.measure(BENCH_BASE="main")
    assert done.returncode == 0, done.stdout
    assert real.outputs["exit-code"] == "1"
    assert "prompts: " in real.outputs["sentence"], "that of the comparison"
    found = marks("\n".join(commands_of(done.stdout)))
    first = next(mark for mark in found if mark.properties["title"] == "data lint-clean")
    assert first.line_in(real.project.parent).startswith("query: Since yesterday")
    assert "### bench all: not met" in real.summary and "### bench compare: not met" in real.summary
    assert real.run("Outcome", CODE=real.outputs["exit-code"]).returncode == 1


@pytest.mark.parametrize(
    ("codes", "worst"),
    [("0 0", 0), ("0 1", 1), ("2 0", 2), ("2 1", 1), ("1 2", 1), ("3 1", 3), ("0 130", 3)],
)
def test_the_worst_outcome_counts(runner: Runner, codes: str, worst: int) -> None:
    """3 before 1 before 2 before 0."""
    (runner.folder / "codes").write_text("\n".join(codes.split()) + "\n")
    runner.program(
        "bench",
        f'echo "{{}}"; code=$(sed -n 1p "{runner.folder}/codes"); sed -i 1d "{runner.folder}/codes"; exit "$code"',
    )
    assert runner.measure(BENCH_BASE="main").returncode == 0
    assert runner.outputs["exit-code"] == str(worst)


def test_hostile_inputs_and_output_stay_text(runner: Runner) -> None:
    trap = runner.folder / "trap"
    runner.program(
        "bench",
        """printf '%s\n' "$@" >> "$RUNNER_TEMP/words"
printf '::error::forged\n##[add-mask]x\n' >&2
echo '{"sentence": "a\\n::error::b"}'""",
    )
    evil = f'$(touch {trap}) `touch {trap}` ; touch {trap} * "x y'
    done = runner.measure(BENCH_ARGS=evil, BENCH_SUITE=f"$(touch {trap})", BENCH_BASE=f"main; touch {trap}")
    assert done.returncode == 0, done.stdout
    assert not trap.exists()
    words = (runner.folder / "temp" / "words").read_text().split("\n")
    assert f"$(touch {trap})" in words and f"main; touch {trap}" in words
    assert evil.split()[:2] == words[3:5] and "*" in words
    assert commands_of(done.stdout) == []
    assert runner.outputs["sentence"] == "a ::error::b"


def test_a_crash_without_a_document_is_3(runner: Runner) -> None:
    runner.program("bench", "exit 139")
    runner.measure()
    assert (runner.outputs["exit-code"], runner.outputs["sentence"]) == ("3", "bench ended without a document")


@pytest.mark.parametrize(
    ("install", "wanted"),
    [("action", f"{ACTION.parent}/../../..[analysis]"), ("lessonbench==1; touch x", "lessonbench==1; touch x")],
)
def test_installing_is_one_word_for_pip(runner: Runner, install: str, wanted: str) -> None:
    runner.program("python", 'printf "%s\\n" "$@" > "$RUNNER_TEMP/pip"')
    assert runner.run("Install", INSTALL=install).returncode == 0
    assert (runner.folder / "temp" / "pip").read_text().split("\n")[-3:] == ["--", wanted, ""]


# --- the comment ---

GH = r"""
printf '%s\n' "$*" >> "$RUNNER_TEMP/gh"
case "$*" in
  *--jq*) printf '%s' "$EXISTING" ;;
  *) [ "${REFUSED:-}" = "" ] || { echo "HTTP 403" >&2; exit 1; } ;;
esac
"""


def comment(runner: Runner, event: dict[str, Any], **variables: str) -> tuple[subprocess.CompletedProcess[str], str]:
    (runner.folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
    (runner.folder / "comment.md").write_text("<!-- bench compare -->\n### bench compare: met\n", encoding="utf-8")
    runner.program("gh", GH)
    done = runner.run(
        "Comment", COMMENT=str(runner.folder / "comment.md"), **({"EXISTING": "", "GH_TOKEN": "x"} | variables)
    )
    asked = runner.folder / "temp" / "gh"
    return done, asked.read_text() if asked.is_file() else ""


def test_a_first_comment_is_posted_and_a_later_one_replaces_it(runner: Runner) -> None:
    event = {"pull_request": {"number": 7}}
    done, asked = comment(runner, event)
    assert done.returncode == 0, done.stdout
    assert f"--method POST repos/ada/lessons/issues/7/comments -F body=@{runner.folder}/comment.md" in asked
    done, asked = comment(runner, event, EXISTING="12\n34\n")
    assert done.returncode == 0 and "--method PATCH repos/ada/lessons/issues/comments/12 -F body=@" in asked


def test_a_comment_that_is_refused_is_a_warning(runner: Runner) -> None:
    done, _ = comment(runner, {"pull_request": {"number": 7}}, REFUSED="yes")
    assert done.returncode == 0
    (mark,) = marks(done.stdout)
    assert mark.level == "warning" and "fork" in mark.message


def test_a_push_is_not_commented_on(runner: Runner) -> None:
    done, asked = comment(runner, {"ref": "refs/heads/main"})
    assert (done.returncode, asked) == (0, "") and "no pull request" in done.stdout


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_only_a_comment_of_a_bot_with_the_marker_is_replaced() -> None:
    """The expression is given to gh, which reads the language of jq."""
    (expression,) = re.findall(r"--jq '(.+)'", steps()["Comment"]["run"])
    marker = "<!-- bench compare -->"
    comments = [
        {"id": 1, "body": f"{marker}\nx", "user": {"type": "User"}},
        {"id": 2, "body": f"see {marker}", "user": {"type": "Bot"}},
        {"id": 3, "body": f"{marker}\nx", "user": {"type": "Bot"}},
    ]
    done = subprocess.run(
        ["jq", expression],
        input=json.dumps(comments),
        env=os.environ | {"MARKER": marker},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["3"]
