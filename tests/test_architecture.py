"""The shape of the code: imports run one way, judges cannot see labels, light commands stay light, modules stay small."""

from __future__ import annotations

import ast
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "bench"

# From the ground up: a part may import parts before it, and itself.
LAYERS = (
    ("redaction", "terminal"),
    ("problems", "whole_file"),
    ("repository",),
    ("annotations",),
    ("leaks",),
    ("reading",),
    ("tables",),
    ("schema",),
    ("deciding",),
    ("traces",),
    ("cases",),
    ("projection",),
    ("judges",),
    ("running",),
    ("gate",),
    ("labels",),
    ("workspace",),
    ("measure",),
    ("labelling",),
    ("metrics",),
    ("exchange",),
    ("verify",),
    ("audits",),
    ("benchmark", "doctor"),
    ("policies", "training", "monitoring", "probing", "census", "triage"),
    ("certifying", "comparing", "estimating"),
    ("report",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
MAY_IMPORT = {  # where a part is held to less than its layer allows
    "labels": {"problems", "reading", "schema", "cases", "whole_file"},
    "labelling": {"problems", "reading", "schema", "cases", "whole_file", "projection", "judges", "labels", "measure"},
    "report": {
        "terminal",
        "problems",
        "repository",
        "annotations",
        "census",
        "benchmark",
        "comparing",
        "measure",
        "policies",
        "verify",
        "cases",
        "schema",
        "projection",
        "judges",
        "deciding",
    },
    "cli": {"terminal", "problems", "annotations"},
}
LEFT = ("judges", "projection", "traces", "running", "cases", "deciding", "gate")
RIGHT = (
    "labels", "labelling", "measure", "exchange", "verify", "audits", "benchmark", "doctor", "policies", "training",
    "monitoring", "probing", "census", "triage",
    "certifying", "comparing", "estimating", "report", "commands", "cli",
)  # fmt: skip
BOTH_SIDES = {  # modules that import labels and running: rows pairs them, the others put whole rows together
    "bench.measure.rows",
    "bench.workspace",
    "bench.audits.authored",
    "bench.audits.lint",
    "bench.audits.material",
    "bench.audits.note_findings",
    "bench.benchmark",
}
PURE = (  # arithmetic: knows neither cases nor judges nor files
    "agreement", "binning", "calibration", "calibration_null", "categories", "certificate_power", "compare", "counts",
    "declared", "estimand", "estimate", "factor_levels", "holm", "inputs", "intervals", "label_noise", "labels", "latent",
    "means", "metrics", "passk", "power", "probability", "properties", "proportions", "ranking", "ranks",
    "repeatability", "resampling", "risk_coverage", "variance", "variance_shares",
)  # fmt: skip
LAZY = {  # imports inside a function: heavy libraries, and what a gate does not wait for
    ("bench.problems", "without_secrets", "bench.redaction.redact"),  # `bench --help` waits for no pattern
    ("bench.cli", "_print_problems", "bench.annotations"),
    ("bench.leaks.scan", "_cells", "pyarrow.parquet"),
    ("bench.leaks.second", "second_opinion", "kingfisher_sdk"),
    ("bench.judges.registry", "_llm", "bench.judges.llm.judge"),
    ("bench.judges.registry", "_decision", "bench.judges.decision.make"),
    ("bench.commands.gate", "_texts", "bench.schema.suite"),
    ("bench.commands.label", "run", "bench.commands.label_web"),  # needs starlette and uvicorn, of the extra `web`
    ("bench.commands.adjudicate", "run", "bench.commands.label_web"),
    ("bench.commands.label_web", "_agreement", "bench.labelling.pilot_agreement"),  # measures: numpy
    ("bench.traces.detect", "_others", "bench.traces.formats"),
    ("bench.commands.options", "_bar", "tqdm"),
    ("bench.judges.llm.embedded", "_loaded", "xllamacpp"),
    ("bench.judges.llm.framing", "_frame", "instructor"),
    ("bench.judges.llm.judge", "judge", "bench.judges.llm.calling"),  # needs httpx2, of the extra `models`
    ("bench.judges.decision.connection", "_new_client", "bench.judges.http"),
    ("bench.judges.decision.connection", "post", "bench.judges.http"),
    ("bench.judges.decision.sparrow", "_loaded", "sparrow_decider"),
    ("bench.traces.inspect_archive", "_zstandard", "compression"),  # for archives that are packed so
    ("bench.traces.inspect_archive", "_zstandard", "zstandard"),
    ("bench.tables", "_parquet", "pyarrow.parquet"),
    ("bench.exchange.parquet", "write_rows", "pyarrow.parquet"),
    ("bench.exchange.parquet", "read_rows", "pyarrow.parquet"),
    ("bench.report.plots.style", "look", "matplotlib"),
    ("bench.report.plots.canvas", "sheet", "matplotlib.figure"),
}
LONGEST_MODULE, LONGEST_FUNCTION = 300, 60  # lines
LONG_MODULES: dict[str, int] = {}
LONG_FUNCTIONS: dict[str, int] = {}
HEAVY = {
    "numpy", "pandas", "scipy", "sklearn", "statsmodels", "matplotlib", "datasets", "instructor", "jinja2", "krippendorff",
    "pyarrow", "starlette", "uvicorn",
}  # fmt: skip


@cache
def modules() -> dict[str, ast.Module]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imported(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Every module that is imported anywhere in the tree, as written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (whole if whole in modules() else str(node.module)), node


@cache
def graph() -> dict[str, frozenset[str]]:
    """Module -> modules of bench that it imports."""
    return {
        name: frozenset(target for target, _ in imported(tree) if target in modules() and target != "bench")
        for name, tree in modules().items()
    }


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def reachable(module: str) -> set[str]:
    found: set[str] = set()
    open_ends = [module]
    while open_ends:
        for target in graph()[open_ends.pop()]:
            if target not in found:
                found.add(target)
                open_ends.append(target)
    return found


def test_the_import_graph_has_no_cycle() -> None:
    assert [module for module in graph() if module in reachable(module)] == []


def test_every_part_has_its_layer() -> None:
    known = {part for layer in LAYERS for part in layer}
    assert {part_of(module) for module in modules() if module != "bench"} == known


@pytest.mark.parametrize("part", [part for layer in LAYERS for part in layer])
def test_a_part_imports_downwards_only(part: str) -> None:
    height = {name: index for index, layer in enumerate(LAYERS) for name in layer}
    edges = [(m, t) for m, targets in graph().items() if part_of(m) == part for t in targets if part_of(t) != part]
    allowed = MAY_IMPORT.get(part, {name for name in height if height[name] < height[part]})
    assert [(module, target) for module, target in edges if part_of(target) not in allowed] == []


@pytest.mark.parametrize("part", LEFT)
def test_nothing_on_the_left_reaches_the_right_by_any_path(part: str) -> None:
    paths = [(m, t) for m in graph() if part_of(m) == part for t in reachable(m) if part_of(t) in RIGHT]
    assert paths == []


def test_labels_reach_no_judge_and_no_run() -> None:
    paths = {t for m in graph() if part_of(m) == "labels" for t in reachable(m)}
    assert {part_of(t) for t in paths} & {"judges", "running", "measure", "verify", "report"} == set()


def test_the_modules_that_know_both_sides_are_named() -> None:
    both = {
        module
        for module, targets in graph().items()
        if {"labels", "running"} <= {part_of(target) for target in targets} and part_of(module) != "commands"
    }
    assert both == BOTH_SIDES


def test_no_command_and_no_report_joins_labels_and_runs_by_itself() -> None:
    joined = {
        module
        for module, targets in graph().items()
        if part_of(module) in ("commands", "report") and {"labels", "running"} <= {part_of(t) for t in targets}
    }
    assert joined == set()


def test_only_rows_pairs_verdicts_with_labels() -> None:
    users = {
        module
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "bench.measure.rows"
        if {alias.name for alias in node.names} & {"pair", "decide"}
    }
    # A file of live verdicts has no labels: only its samples are made one decision.
    assert users == {"bench.benchmark", "bench.estimating.runs", "bench.triage.session_pool"}


@pytest.mark.parametrize("name", PURE)
def test_arithmetic_knows_nothing_of_the_rest(name: str) -> None:
    assert {part_of(target) for target in reachable(f"bench.measure.{name}")} <= {"measure"}


def test_no_import_inside_a_function_but_the_named_ones() -> None:
    found = {
        (module, function.name, target)
        for module, tree in modules().items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for target, _ in imported(function)
    }
    assert found == LAZY


def test_importlib_is_used_by_the_command_line_and_for_judges_of_the_user_only() -> None:
    users = {
        m
        for m, tree in modules().items()
        for target, _ in imported(tree)
        if target.startswith("importlib")
        and not target.startswith("importlib.resources")  # files of the package itself
    }
    assert users == {"bench.cli", "bench.judges.own"}


def test_packages_are_no_import_hubs() -> None:
    packages = [path for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE]
    assert [str(p) for p in packages if p.read_text(encoding="utf-8").strip()] == []
    assert list(imported(modules()["bench"])) == []


def test_no_module_is_long() -> None:
    sizes = {
        name: (PACKAGE.parent / Path(*name.split("."))).with_suffix(".py").read_text(encoding="utf-8").count("\n")
        for name in modules()
        if (PACKAGE.parent / Path(*name.split("."))).with_suffix(".py").is_file()
    }
    assert {n: s for n, s in sizes.items() if s > LONG_MODULES.get(n, LONGEST_MODULE)} == {}


def test_no_function_is_long() -> None:
    sizes = {
        f"{module}.{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {n: s for n, s in sizes.items() if s > LONG_FUNCTIONS.get(n, LONGEST_FUNCTION)} == {}


# --- what is loaded when ---

_SPY = """
import json, sys
from bench.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("\\n" + json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""


def loaded_by(*words: str) -> set[str]:
    """The top-level packages in memory after a command."""
    done = subprocess.run([sys.executable, "-c", _SPY, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["nonsense"]])
def test_help_loads_no_library(words: list[str]) -> None:
    assert loaded_by(*words) & (HEAVY | {"pydantic", "yaml", "re2", "cel_expr_python", "tqdm", "filelock"}) == set()


@pytest.mark.parametrize("words", [["judges"], ["schema", "--help"], ["new", "--help"]])
def test_light_commands_load_no_analysis(words: list[str]) -> None:
    assert loaded_by(*words) & HEAVY == set()


@pytest.mark.parametrize(
    "command", ["judge", "run", "lint", "label", "adjudicate", "show", "split", "import", "fetch", "export", "diff"]
)
def test_commands_that_measure_nothing_load_no_analysis(command: str) -> None:
    assert loaded_by(command, "--help") & HEAVY == set()


@pytest.mark.parametrize("command", ["all", "report", "verify", "accept"])
def test_measuring_loads_no_model_library_and_no_plots_before_they_are_drawn(command: str) -> None:
    assert (
        loaded_by(command, "--help") & {"pandas", "sklearn", "statsmodels", "matplotlib", "datasets", "instructor"}
        == set()
    )


def test_help_answers_at_once() -> None:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "bench", "--help"], cwd=ROOT, capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    assert statistics.median(times) < 0.3
