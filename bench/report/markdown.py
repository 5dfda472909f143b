"""The report as Markdown that reads well on a code host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.benchmark import Benchmark
from bench.measure.call_figures import CallLine
from bench.measure.comparison_figures import claims_sentence
from bench.measure.estimate import Estimate
from bench.measure.figures import Table
from bench.measure.judge_line import JudgeLine
from bench.report.experiments import experiment_sections
from bench.report.slices import slice_sections
from bench.report.standing import noise_sections, ranking_sections, repeat_sections, sensitivity_sections
from bench.report.votes import SAME_LINEAGE, agreement_sections, third_vote_sections, votes_words

_LABEL_WORDS = {
    ("person",): "hand labels",
    ("model",): "labels by model annotators under a written guide",
    (): "no labels yet",
}
TITLES = {
    "precision": "precision",
    "recall": "recall",
    "specificity": "specificity",
    "f1": "F1",
    "mcc": "MCC",
    "paired_accuracy": "paired accuracy",
    "auroc": "AUROC",
}


def label_words(made_by: tuple[str, ...]) -> str:
    """What the labels may be called: "hand labels" only where every vote is a person's."""
    return _LABEL_WORDS.get(made_by, f"labels by {' and '.join(made_by)} annotators under a written guide")


def markdown(benchmark: Benchmark, plots: Sequence[tuple[str, str]]) -> str:
    """The whole report."""
    suite = benchmark.suite.suite
    parts = [
        f"# {_escaped(suite.title)} {_escaped(suite.version)}",
        f"{_escaped(benchmark.sentence)} Exit code {benchmark.exit_code}.",
        *([_escaped(claims)] if (claims := claims_sentence(benchmark.figures.comparisons)) else []),
        f"Figures rest on {label_words(benchmark.labels.provenance)}. Judges are reported on the splits that none of them "
        "was developed on. Square brackets hold 95 % intervals; the family of cases is the unit.",
    ]
    parts += [_escaped(words)] if (words := votes_words(benchmark.figures.votes)) else []
    parts += [f"![{title}](plots/{name}.svg)" for name, title in plots]
    for table in benchmark.figures.tables:
        parts += _table(table, benchmark.figures.same_lineage)
    parts += ranking_sections(benchmark.figures.rankings, _grid)
    parts += _comparisons(benchmark)
    parts += repeat_sections(benchmark.figures.repeats, _grid)
    parts += sensitivity_sections(benchmark.figures.sensitivity, _grid)
    parts += _pass(benchmark)
    parts += agreement_sections(benchmark.figures.agreement, benchmark.labels.provenance, _grid)
    parts += third_vote_sections(benchmark.figures.third_votes, _grid)
    parts += noise_sections(benchmark.figures.noise, _grid)
    parts += slice_sections(benchmark.figures.slices, _grid)
    parts += experiment_sections(benchmark.figures.experiments, _grid, _escaped)
    parts += _calls(benchmark)
    parts += _books(benchmark)
    parts += _checks(benchmark)
    parts += [
        "## Signatures",
        "Each judge's figures carry this signature with its own judge, stratum and statement.",
        f"`{benchmark.signature}`",
    ]
    return "\n\n".join(parts) + "\n"


def shown_metrics(table: Table) -> list[str]:
    """The metrics of a table's columns."""
    if table.stratum.precision_means_something:
        return ["precision", "recall", "f1", "mcc", "auroc"]
    return ["paired_accuracy", "recall", "specificity", "mcc", "auroc"]


def _table(table: Table, same_lineage: Mapping[str, str]) -> list[str]:
    labels = ", ".join(f"{count} {name}" for name, count in table.labels.items())
    head = f"## {table.statement}, {table.stratum.id}"
    about = (
        f"{_escaped(table.stratum.meaning)}. Splits: {', '.join(table.splits)}. Labels: {labels}. {table.families} families. "
        f"Share of yes: {table.prevalence.cell()}."
    )
    if not table.stratum.precision_means_something:
        about += " Prevalence is set by design here, so precision and F1 are not given."
    metrics = shown_metrics(table)
    rows = [["judge", *(TITLES[m] for m in metrics), "coverage", "TP FP FN TN"]]
    rows += [
        [_judge(line, same_lineage), *(_cell(line.metrics[m]) for m in metrics), line.coverage.cell(), _counts(line)]
        for line in table.lines
    ]
    return [head, about, _grid(rows), *_worst(table), *_probabilities(table), *_samples(table)]


def _judge(line: JudgeLine, same_lineage: Mapping[str, str]) -> str:
    return f"{line.judge} ({SAME_LINEAGE})" if line.judge_id in same_lineage else line.judge


def _samples(table: Table) -> list[str]:
    rows = [["judge", "samples", "items", "flip rate", "right at least once", "right every time"]]
    for line in table.lines:
        if line.samples is not None:
            found = line.samples
            rows.append(
                [line.judge, str(found.samples), str(found.items), _cell(found.flip_rate), _cell(found.right_once),
                 _cell(found.right_always)]
            )  # fmt: skip
    return ["Judges that were asked more than once:", _grid(rows)] if len(rows) > 1 else []


def _probabilities(table: Table) -> list[str]:
    lines = [(line.judge, line.probability) for line in table.lines if line.probability is not None]
    if not lines:
        return []
    rows = [["judge", "Brier", "log loss", "calibration error", "of a calibrated judge", "p", "risk over coverage"]]
    for judge, found in lines:
        chance = "n/a" if found.by_chance is None else f"{found.by_chance:.2f}"
        p = "n/a" if found.p_value is None else f"{found.p_value:.3f}"
        rows.append(
            [
                judge,
                _cell(found.brier),
                _cell(found.log_loss),
                _cell(found.calibration),
                chance,
                p,
                _cell(found.risk_area),
            ]
        )
    about = f"Probabilities, at this share of yes only; calibration error is {lines[0][1].definition}:"
    return [about, _grid(rows)]


def _comparisons(benchmark: Benchmark) -> list[str]:
    if not benchmark.figures.comparisons:
        return []
    rows = [["claim", "where", "verdict", "difference", "level", "items", "only one right", "accuracy p"]]
    for line in benchmark.figures.comparisons:
        e, test = line.entry, line.accuracy
        word = "better than" if e.claim == "better" else "not worse than"
        claim = f"{e.candidate} {word} {e.comparator} ({e.metric}, {e.margin:g})"
        split = "n/a" if test is None else f"{test.only_a_right} : {test.only_b_right}"
        p = "n/a" if test is None else f"{test.p_value:.3f} ({test.method})"
        gap = line.missing or "n/a" if line.decided is None else _cell(line.decided.gap)
        level = "n/a" if line.decided is None else f"{line.decided.level:.4g}"
        verdict = "cannot tell" if line.decided is None else line.decided.verdict
        rows.append([claim, f"{e.statement}, {e.stratum}", verdict, gap, level, str(line.items), split, p])
    flips = [f"- {flip}" for line in benchmark.figures.comparisons for flip in line.flips]
    about = "Declared in suite.yaml, decided together (Holm). Positive differences favour the first."
    return ["## Declared comparisons", about, _grid(rows), *(["\n".join(_escaped(f) for f in flips)] if flips else [])]


def _cell(estimate: Estimate) -> str:
    return estimate.cell() if estimate.value is not None else f"n/a ({estimate.undefined})"


def _counts(line: JudgeLine) -> str:
    return " ".join(str(line.counts.get(cell, "-")) for cell in ("tp", "fp", "fn", "tn"))


def _worst(table: Table) -> list[str]:
    lines = []
    for line in table.lines:
        if line.bounds:
            told = ", ".join(
                f"{TITLES.get(name, name)} {_end(b.low)} to {_end(b.high)}"
                for name, b in line.bounds.items()
                if name in TITLES
            )
            share = f"{line.books.expected - line.books.scored} of {line.books.expected} unscored"
            lines.append(f"- {_escaped(line.judge)}: {share}; were they all wrong or all right: {told}")
    return ["\n".join(lines)] if lines else []


def _end(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _pass(benchmark: Benchmark) -> list[str]:
    lines = benchmark.figures.pass_k
    if not lines:
        return []
    rows = [["source", *(figure.estimate.name for figure in lines[0].figures), "cases", "excluded"]]
    for line in lines:
        excluded = "; ".join(f"{f.estimate.name}: {', '.join(f.reasons)}" for f in line.figures if f.reasons) or "none"
        rows.append([line.source, *(f.estimate.cell() for f in line.figures), str(line.figures[0].cases), excluded])
    about = (
        "From the labels, and from each judge's verdicts: the difference is what the judge does to a system's figure."
    )
    return ["## pass@k and pass^k", about, _grid(rows)]


def _calls(benchmark: Benchmark) -> list[str]:
    if not benchmark.figures.calls:
        return []
    rows = [
        [
            "judge",
            "answered by",
            "verdicts",
            "retried",
            "tokens in",
            "tokens out",
            "cost",
            "median time",
            "invented quotes",
        ]
    ]
    for line in benchmark.figures.calls:
        rows.append(
            [line.judge, ", ".join(line.answered_by) or "not said", str(line.verdicts), str(line.retried), _told(line.tokens_in),
             _told(line.tokens_out), cost_words(line), milliseconds(line), _told(line.invented_quotes)]
        )  # fmt: skip
    flags = [
        f"- {line.judge}: {count} verdicts flagged {flag}"
        for line in benchmark.figures.calls
        for flag, count in line.flags.items()
    ]
    about = "Of the stored verdicts that count; a cost that is not known is not zero."
    return [
        "## What model judges took",
        about,
        _grid(rows),
        *(["\n".join(_escaped(f) for f in flags)] if flags else []),
    ]


def cost_words(line: CallLine) -> str:
    """The known cost, and of how many verdicts it is unknown."""
    if line.usd is None:
        return "unknown"
    return f"${line.usd:.4f}" + (f", unknown for {line.cost_unknown}" if line.cost_unknown else "")


def milliseconds(line: CallLine) -> str:
    """The median time for one verdict."""
    return "not known" if line.median_ms is None else f"{line.median_ms:.0f} ms"


def _told(value: int | None) -> str:
    return "not said" if value is None else str(value)


def _books(benchmark: Benchmark) -> list[str]:
    rows = [["judge", "expected", "scored", "unscored", "not run", "labelled", "unlabelled", "unclear"]]
    for outcome, _ in benchmark.headline:
        tally = benchmark.figures.books[outcome.judge.id]
        unscored = ", ".join(f"{count} {reason}" for reason, count in tally.unscored.items()) or "0"
        rows.append(
            [f"`{outcome.judge.id}`", str(tally.expected), str(tally.scored), unscored, str(tally.not_run),
             str(tally.labelled), str(tally.unlabelled), str(tally.unclear)]
        )  # fmt: skip
    return [
        "## Books",
        "Over all splits. expected = scored + unscored + not run; scored = labelled + unlabelled + unclear.",
        _grid(rows),
    ]


def _checks(benchmark: Benchmark) -> list[str]:
    rows = [["check", "status", "found"]]
    rows += [[check.name, check.status, check.found] for check in benchmark.checks]
    details = [f"- {check.name}: {line}" for check in benchmark.checks for line in check.details[:40]]
    return ["## Health", _grid(rows), *(["\n".join(_escaped(line) for line in details)] if details else [])]


def _grid(rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * (lines[0].count(" | ") + 1))
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Text of cases may stand in a message: it may not break the table or become markup."""
    return " ".join(text.translate(_MARKUP).replace("](", "]\\(").split())


_MARKUP = str.maketrans({"\\": "\\\\", "|": "\\|", "<": "&lt;", ">": "&gt;", "!": "\\!"})
