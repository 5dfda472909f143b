"""Comparisons, pass@k, costs, books and health, as Markdown. Each section is a heading and its parts, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from bench.benchmark import Benchmark
from bench.deciding.certificate import Certificate
from bench.report.certificates import CERTIFICATE_NOTE, NONE_GIVEN, certificate_rows
from bench.report.judge_rows import book_rows
from bench.report.markdown.grid import escaped, grid
from bench.report.words import cost_words, milliseconds

_DETAILS = 40  # of a check


def comparison_section(benchmark: Benchmark) -> list[str]:
    """The claims that the suite declares."""
    if not benchmark.figures.comparisons:
        return []
    rows = [["claim", "where", "verdict", "difference", "level", "items", "only one right", "accuracy p"]]
    for line in benchmark.figures.comparisons:
        e, test = line.entry, line.accuracy
        word = "better than" if e.claim == "better" else "not worse than"
        claim = f"{e.candidate} {word} {e.comparator} ({e.metric}, {e.margin:g})"
        split = "n/a" if test is None else f"{test.only_a_right} : {test.only_b_right}"
        p = "n/a" if test is None else f"{test.p_value:.3f} ({test.method})"
        gap = line.missing or "n/a" if line.decided is None else line.decided.gap.cell()
        level = "n/a" if line.decided is None else f"{line.decided.level:.4g}"
        verdict = "cannot tell" if line.decided is None else line.decided.verdict
        rows.append([claim, f"{e.statement}, {e.stratum}", verdict, gap, level, str(line.items), split, p])
    flips = [f"- {flip}" for line in benchmark.figures.comparisons for flip in line.flips]
    about = "Declared in suite.yaml, decided together (Holm). Positive differences favour the first."
    return ["## Declared comparisons", about, grid(rows), *_listed("Items on which the two differ", flips)]


def _listed(title: str, lines: list[str]) -> list[str]:
    return [f"{title}:", "\n".join(escaped(line) for line in lines)] if lines else []


def pass_section(benchmark: Benchmark) -> list[str]:
    """pass@k and pass^k."""
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
    return ["## pass@k and pass^k", about, grid(rows)]


def call_section(benchmark: Benchmark) -> list[str]:
    """What judges took that call models."""
    if not benchmark.figures.calls:
        return []
    rows = [
        ["judge", "answered by", "verdicts", "retried", "tokens in", "tokens out", "cost", "median time",
         "invented quotes"]
    ]  # fmt: skip
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
    return ["## What model judges took", about, grid(rows), *_listed("Flags", flags)]


def _told(value: int | None) -> str:
    return "not said" if value is None else str(value)


def certificate_section(benchmark: Benchmark, certificates: Sequence[Certificate]) -> list[str]:
    """What was proved about a judge, or that nothing was given."""
    rows = certificate_rows(benchmark, certificates)
    return ["## Certificates", *([CERTIFICATE_NOTE, grid(rows)] if rows else [NONE_GIVEN])]


def book_section(benchmark: Benchmark) -> list[str]:
    """Where every item went."""
    about = "Over all splits. expected = scored + unscored + not run; scored = labelled + unlabelled + unclear."
    return ["## Books", about, grid(book_rows(benchmark.figures.books))]


def check_section(benchmark: Benchmark) -> list[str]:
    """The health checks, with what was found."""
    rows = [["check", "status", "found"]]
    rows += [[check.name, check.status, check.found] for check in benchmark.checks]
    details = [f"- {check.name}: {line}" for check in benchmark.checks for line in check.details[:_DETAILS]]
    return ["## Health", grid(rows), *_listed("Details", details)]


def signature_section(benchmark: Benchmark) -> list[str]:
    """What one must know to get the figures again."""
    about = "Each judge's figures carry this signature with its own judge, stratum and statement."
    return ["## Signatures", about, f"`{benchmark.signature}`"]
