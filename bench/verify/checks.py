"""The benchmark's health: what `make bench` promises, each check with what was found. A judge at chance is no failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite
from bench.leaks.scan import scan
from bench.measure.figures import Figures
from bench.measure.rows import Books, Row
from bench.problems import Problem
from bench.running.outcome import Outcome

Status = Literal["met", "not met", "cannot decide", "not asked"]
EXIT = {"met": 0, "not met": 1, "cannot decide": 2, "not asked": 0}


@dataclass(frozen=True)
class Check:
    """One promise, and whether it holds."""

    name: str
    status: Status
    found: str
    fix: str | None = None
    details: tuple[str, ...] = ()


def exit_code(checks: Sequence[Check]) -> int:
    """Not met (1) before cannot decide (2) before met (0)."""
    codes = {EXIT[check.status] for check in checks}
    return 1 if 1 in codes else 2 if 2 in codes else 0


def sentence(suite: LoadedSuite, checks: Sequence[Check], judges: int) -> str:
    """The one plain sentence that agrees with the exit code."""
    code = exit_code(checks)
    asked = [check for check in checks if check.status != "not asked"]
    size = f"{len(suite.cases)} cases, {sum(1 for _ in suite.attempts())} attempts, {judges} judges"
    if code == 0:
        return f"The benchmark {suite.suite.id} is healthy: {size}, {len(asked)} of {len(asked)} checks met."
    status = "not met" if code == 1 else "cannot decide"
    failed = [check for check in checks if check.status == status]
    told = "; ".join(f"{check.name} ({check.found})" for check in failed)
    verb = "is not healthy" if code == 1 else "cannot be decided"
    return f"The benchmark {suite.suite.id} {verb}: {told}."


def data_is_clean(problems: Sequence[Problem]) -> Check:
    """Lint found nothing."""
    if not problems:
        return Check("data lint-clean", "met", "no findings")
    first = str(problems[0]).splitlines()[0]
    found = f"{len(problems)} findings, the first: {first}"
    return Check("data lint-clean", "not met", found, "mend what bench lint names", tuple(str(p) for p in problems))


def nothing_leaks(layout: Layout) -> Check:
    """No secret in what is published beside the cases: votes, notes and stored verdicts."""
    found = scan([folder for folder in (layout.labels, layout.runs) if folder.is_dir()], shown=layout.shown)
    if not found.leaks:
        return Check("no secrets", "met", f"nothing found in {found.files} files of labels and runs")
    told = tuple(map(str, found.leaks))
    fix = "remove them (bench scan names all), and make them invalid where they were issued"
    return Check("no secrets", "not met", f"{len(told)} found, the first: {told[0]}", fix, told)


def there_is_something_to_measure(
    suite: LoadedSuite, figures: Figures, judged: Sequence[tuple[Outcome, Sequence[Row]]]
) -> Check:
    """Labels of both classes in the primary strata, and something scored."""
    name = "something to measure"
    if not suite.cases:
        return Check(name, "cannot decide", "there is no case", "add cases: bench new, bench import SESSION")
    if not figures.tables:
        return Check(name, "cannot decide", "the selection is empty", "select cases, strata and judges that there are")
    tables = [table for table in figures.tables if table.stratum.primary] or list(figures.tables)
    scored = sum(row.answer is not None for _, rows in judged for row in rows)
    if not scored:
        fix = "judge the missing items (--judge-missing), or see the reasons in the books"
        return Check(name, "cannot decide", "no judge scored anything", fix)
    classes = {name for table in tables for name in ("yes", "no") if table.labels[name] > 0}
    if len(classes) < 2:
        found = f"only one class is labelled ({', '.join(classes)})" if classes else "nothing is labelled"
        return Check(name, "cannot decide", found, "label cases of both classes (bench label)")
    return Check(name, "met", f"{scored} verdicts, labels of both classes")


def runs_are_complete(judged: Sequence[tuple[Outcome, Sequence[Row]]], *, whole: bool) -> Check:
    """Every verdict that the present data expects is stored. Only of a ``whole`` suite can rows be called stale."""
    missing = [(outcome, outcome.missing) for outcome, _ in judged if outcome.missing]
    if not missing:
        stale = f"; {sum(outcome.stale for outcome, _ in judged)} stale rows are not counted" if whole else ""
        return Check("runs complete", "met", f"every expected verdict is stored{stale}")
    details = tuple(_missing_line(outcome, len(owed)) for outcome, owed in missing)
    count = sum(len(owed) for _, owed in missing)
    fix = "run bench run --judge-missing; referenced sessions need --sessions FOLDER"
    return Check("runs complete", "cannot decide", f"{count} verdicts missing", fix, details)


def _missing_line(outcome: Outcome, count: int) -> str:
    reasons = []
    if outcome.without_text:
        reasons.append(f"{outcome.without_text} need a session that is not at hand")
    if outcome.out_of_time:
        reasons.append(f"{outcome.out_of_time} were left when the time was over")
    if outcome.out_of_budget:
        reasons.append(f"{outcome.out_of_budget} were left when the money was spent")
    if outcome.unavailable:
        reasons.append(f"{outcome.unavailable} cannot be asked here: {outcome.why_unavailable}")
    return f"{outcome.judge.judge.name}: {count} missing" + (f" ({', '.join(reasons)})" if reasons else "")


def books_are_balanced(books: dict[str, Books]) -> Check:
    """No item is lost between expected and labelled."""
    off = [judge for judge, tally in books.items() if not tally.balanced]
    if off:
        return Check("books balanced", "not met", f"off for {', '.join(off)}", "report this as a bug of bench")
    return Check("books balanced", "met", f"{sum(t.expected for t in books.values())} items accounted for")


def coverage_holds(judged: Sequence[tuple[Outcome, Sequence[Row]]]) -> Check:
    """Each judge scores at least the share it promised. Compared in fractions, so no tie is lost to rounding."""
    low = []
    for outcome, rows in judged:
        scored, floor = sum(row.answer is not None for row in rows), outcome.judge.entry.coverage_floor
        if scored < Fraction(repr(floor)) * len(rows):
            low.append(f"{outcome.judge.judge.name}: {scored} of {len(rows)}, promised {floor:g}")
    if low:
        fix = "see the reasons in the books; lower the floor in suite.yaml only with a reason"
        return Check("coverage", "cannot decide", f"{len(low)} judges under their floor", fix, tuple(low))
    return Check("coverage", "met", "every judge over its declared floor")


def one_model_answered(figures: Figures) -> Check:
    """All verdicts of a judge_id come from one model: an alias that moved is another judge."""
    name = "one model a judge"
    moved = [line for line in figures.calls if len(line.answered_by) > 1]
    if not moved:
        return Check(name, "met", f"{len(figures.calls)} judges that call models")
    details = tuple(f"{line.judge_id}: {', '.join(line.answered_by)}" for line in moved)
    fix = "pin the model's version in suite.yaml, and judge anew under the new identity"
    return Check(name, "not met", f"{len(moved)} judges were answered by more than one model", fix, details)


def judges_repeat(figures: Figures) -> Iterator[Check]:
    """Stochastic judges against themselves: no test finds a difference, and where a claim rests on one, it is as good as none."""
    if not figures.repeats:
        return
    name = "stochastic judges repeat"
    details = tuple(
        f"{line.judge} on {line.statement}, {line.stratum}: {line.repeat.verdict} ({line.repeat.reason})"
        for line in figures.repeats
    )
    moved = [line for line in figures.repeats if line.test.rejected]
    wide = [line for line in figures.repeats if line.declared and line.repeat.verdict != "equivalent"]
    if moved:
        fix = "find out what changed between the samples; one judge_id must be one judge"
        yield Check(name, "not met", f"{len(moved)} judges differ from themselves (Holm at .01)", fix, details)
    elif wide:
        fix = "label more cases or take more samples; or claim with a wider margin"
        found = f"{len(wide)} judges under a declared comparison cannot be told to repeat within half its margin"
        yield Check(name, "cannot decide", found, fix, details)
    else:
        yield Check(name, "met", f"{len(figures.repeats)} repeats, none differs (Holm at .01)", None, details)


def labels_are_whole(suite: LoadedSuite, figures: Figures) -> Iterator[Check]:
    """No item without a label, where the suite forbids it."""
    open_items = sum(table.labels["unlabelled"] for table in figures.tables)
    if suite.suite.rules.unlabelled == "forbidden":
        if open_items:
            fix = "bench adjudicate settles differing votes; bench label adds missing ones (bench lint names them)"
            yield Check("labels whole", "not met", f"{open_items} reported items have no label", fix)
        else:
            yield Check("labels whole", "met", "every reported item is labelled or unclear")
