"""The main job, in one line: load -> project -> judge -> store -> pair with labels -> measure -> verify. Telling comes after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.audits.audits import audit_checks
from bench.audits.lint import lint
from bench.audits.material import Material
from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite
from bench.cases.sources import SessionFolders
from bench.labels.load import Labels
from bench.labels.notes import load_notes
from bench.measure.development_figures import DevelopmentLine, development_lines
from bench.measure.figures import Figures, measure
from bench.measure.items import REPORTED_SPLITS, JudgedRows, headline
from bench.measure.rows import Row, pair
from bench.measure.signature import Signature, sign
from bench.running.outcome import Outcome
from bench.running.suite import LIVE_SECONDS, Telling, judge_suite
from bench.running.views import Views
from bench.verify import checks
from bench.verify.baseline import figures_are_as_accepted, flatten, read_baseline
from bench.verify.checks import Check
from bench.workspace import EVERYTHING, Selection, load, select, views_of


@dataclass(frozen=True)
class Benchmark:
    """Everything that was found out about one suite."""

    suite: LoadedSuite
    labels: Labels
    judged: Sequence[tuple[Outcome, Sequence[Row]]]
    figures: Figures
    signature: Signature
    checks: tuple[Check, ...]
    views: Views  # of the attempts, for reports that show sessions

    @property
    def headline(self) -> Sequence[tuple[Outcome, Sequence[Row]]]:
        """Without the seats of experiments."""
        return headline(self.judged)

    @property
    def exit_code(self) -> int:
        return checks.exit_code(self.checks)

    @property
    def sentence(self) -> str:
        return checks.sentence(self.suite, self.checks, len(self.judged))


def examine(
    layout: Layout,
    folders: SessionFolders,
    *,
    selection: Selection = EVERYTHING,
    live_seconds: float | None = LIVE_SECONDS,
    redo_unscored: bool = False,
    budget_usd: float | None = None,
    telling: Telling | None = None,
) -> Benchmark:
    """The whole line for one suite. Raises BrokenInput with every problem of its files."""
    suite, labels = load(layout)
    accepted = read_baseline(layout.reports / "baseline.json", suite.suite.id)
    views = views_of(layout, folders)
    chosen = select(suite, selection)
    meant = {loaded.case.id for loaded in chosen.cases}
    findings = [p for p in lint(suite, labels, views) if selection.is_everything or p.case in meant]
    outcomes = judge_suite(
        chosen,
        views,
        live_seconds=live_seconds,
        redo_unscored=redo_unscored,
        budget_usd=budget_usd,
        telling=telling,
    )
    judged = [(outcome, pair(chosen, outcome, labels)) for outcome in outcomes]
    signature = sign(chosen, labels, _splits(chosen))
    figures = measure(chosen, judged, labels, signature)
    found = [
        checks.data_is_clean(findings),
        checks.nothing_leaks(layout),
        checks.there_is_something_to_measure(suite, figures, judged),
        *checks.labels_are_whole(chosen, figures),
        checks.runs_are_complete(judged, whole=selection.is_everything),
        checks.books_are_balanced(dict(figures.books)),
        checks.coverage_holds(judged),
        checks.one_model_answered(figures),
        *checks.judges_repeat(figures),
        *(_audited(chosen, labels, judged, views) if selection.is_everything else ()),
        figures_are_as_accepted(accepted, flatten(figures), not selection.is_everything),
    ]
    return Benchmark(chosen, labels, judged, figures, signature, tuple(found), views)


def stored_rows(layout: Layout, folders: SessionFolders) -> tuple[LoadedSuite, Labels, JudgedRows]:
    """Every seat with its rows, from stored verdicts alone. Raises BrokenInput."""
    suite, labels = load(layout)
    outcomes = judge_suite(suite, views_of(layout, folders), live_seconds=0)
    return suite, labels, [(outcome, pair(suite, outcome, labels)) for outcome in outcomes]


@dataclass(frozen=True)
class Replayed:
    """A suite and the rows of some stored runs on it. Nobody was asked, and nothing was written."""

    suite: LoadedSuite
    judged: JudgedRows
    signature: Signature


def replayed_rows(
    layout: Layout, folders: SessionFolders, runs: Callable[[LoadedSuite, Views], Sequence[Outcome]]
) -> Replayed:
    """The rows of whatever ``runs`` finds stored for the suite, in its order. Raises BrokenInput."""
    suite, labels = load(layout)
    outcomes = runs(suite, views_of(layout, folders))
    judged = [(outcome, pair(suite, outcome, labels)) for outcome in outcomes]
    return Replayed(suite, judged, sign(suite, labels, _splits(suite)))


def development(layout: Layout, folders: SessionFolders, metric: str) -> tuple[DevelopmentLine, ...]:
    """Every judge by a metric on the development split, from stored verdicts alone. Raises BrokenInput."""
    suite, _, judged = stored_rows(layout, folders)
    return development_lines(suite, headline(judged), metric)


def _audited(
    suite: LoadedSuite, labels: Labels, judged: Sequence[tuple[Outcome, Sequence[Row]]], views: Views
) -> list[Check]:
    return audit_checks(Material(suite, labels, headline(judged), views, load_notes(suite)[0]))


def _splits(suite: LoadedSuite) -> tuple[str, ...]:
    return tuple(s for s in REPORTED_SPLITS if (s == "all") == (suite.splits is None))
