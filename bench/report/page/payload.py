"""The embedded data of the page: who said what about which item, in columns over the attempts.

The page's script filters and counts these columns; it gets no other source. Ten thousand cases stay a few megabytes, since
a column of answers is one text with a character an attempt.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.benchmark import Benchmark
from bench.judges.contract import question_of
from bench.measure.items import statements_of
from bench.measure.rows import NOT_RUN, WITHOUT_SPLIT, Row
from bench.report.jsonable import Json
from bench.report.kinds import callers, kind_of
from bench.report.page.codes import Codes

FORMAT = 1
_DIGITS = 4  # of a probability as the page shows it; operating points are counted on whole numbers, elsewhere

Places = dict[tuple[str, str], int]  # (case, attempt) -> position in every column


def places_of(benchmark: Benchmark) -> Places:
    """Where each attempt stands in the columns: the suite's order."""
    return {(loaded.case.id, attempt.id): n for n, (loaded, attempt) in enumerate(benchmark.suite.attempts())}


def payload(benchmark: Benchmark) -> Json:
    """Columns over the attempts: labels by statement, verdicts by judge and statement."""
    codes, places, called = Codes(), places_of(benchmark), callers(benchmark)
    return {
        "format": FORMAT,
        "attempts": _attempts(benchmark),
        "statements": _statements(benchmark),
        "labels": {name: _labels(benchmark, name, codes) for name in statements_of(benchmark.suite)},
        "judges": [
            {
                "name": outcome.judge.judge.name,
                "kind": kind_of(outcome.judge.judge.name, outcome.judge.id in called),
                "verdicts": _verdicts(rows, places, codes),
            }
            for outcome, rows in benchmark.headline
        ],
        "codes": codes.table(),
    }


def _attempts(benchmark: Benchmark) -> Json:
    suite = benchmark.suite
    splits = suite.splits.families if suite.splits else {}
    found = [(loaded, n, attempt) for loaded in suite.cases for n, attempt in enumerate(loaded.case.attempts)]
    return {
        "case": [loaded.case.id for loaded, _, _ in found],
        "attempt": [attempt.id for _, _, attempt in found],
        "family": _numbered([loaded.case.family for loaded, _, _ in found]),
        "stratum": _numbered([loaded.case.stratum for loaded, _, _ in found]),
        "split": _numbered([splits.get(loaded.case.family, WITHOUT_SPLIT) for loaded, _, _ in found]),
        "place": [f"{loaded.document.file}:{loaded.line('attempts', n) or 1}" for loaded, n, _ in found],
    }


def _numbered(values: Sequence[str]) -> Json:
    names = list(dict.fromkeys(values))
    number = {name: n for n, name in enumerate(names)}
    return {"names": list(names), "at": [number[value] for value in values]}


def _statements(benchmark: Benchmark) -> Json:
    """Text and criteria by statement; where cases write a statement out for themselves, those of the first."""
    asked = {s.id: s for loaded in reversed(benchmark.suite.cases) for s in loaded.statements}
    questions = {name: question_of(asked[name]) for name in statements_of(benchmark.suite) if name in asked}
    return {name: {"text": q.text, "criteria": [list(c) for c in q.criteria]} for name, q in questions.items()}


def _labels(benchmark: Benchmark, statement: str, codes: Codes) -> str:
    asked = {loaded.case.id: {s.id for s in loaded.statements} for loaded in benchmark.suite.cases}
    column = []
    for loaded, attempt in benchmark.suite.attempts():
        if statement not in asked[loaded.case.id]:
            column.append(codes.of("not asked", ""))
            continue
        label = benchmark.labels.label((loaded.case.id, attempt.id, statement))
        if label.answer is not None:
            column.append(codes.of("answer", label.answer))
        else:
            column.append(codes.of("unclear", "") if label.status == "unclear" else codes.of("unlabelled", ""))
    return "".join(column)


def _verdicts(rows: Sequence[Row], places: Places, codes: Codes) -> Json:
    """By statement: a column of answers, and one of probabilities where the judge gives any."""
    found: dict[str, tuple[list[str], list[float | None]]] = {}
    nothing = codes.of("not asked", "")
    for row in rows:
        if row.statement not in found:
            found[row.statement] = [nothing] * len(places), [None] * len(places)
        answers, stated = found[row.statement]
        place = places[row.case, row.attempt]
        answers[place] = _code(row, codes)
        stated[place] = None if row.p is None else round(row.p, _DIGITS)
    return {
        statement: {"said": "".join(answers)} | ({"p": list(stated)} if any(p is not None for p in stated) else {})
        for statement, (answers, stated) in found.items()
    }


def _code(row: Row, codes: Codes) -> str:
    if row.answer is not None:
        return codes.of("answer", row.answer)
    return codes.of("not run", "") if row.unscored == NOT_RUN else codes.of("unscored", str(row.unscored))
