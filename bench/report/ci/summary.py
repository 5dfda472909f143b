"""The benchmark on one screen, as Markdown: for a job's summary. The report beside it has everything."""

from __future__ import annotations

from bench.benchmark import Benchmark
from bench.report.ci.refusal import exit_words, outcome_words
from bench.report.markdown.grid import quiet, quiet_grid
from bench.report.markdown.tables import headline_grid
from bench.report.opening import opening
from bench.report.terminal import headline_of, headline_tables
from bench.verify.checks import Check

_DETAILS = 5  # of a check


def summary(benchmark: Benchmark, command: str, folder: str | None) -> str:
    """The outcome, the conclusions, the headline tables, the checks that do not hold, and what was written."""
    parts = [
        f"### {command}: {outcome_words(benchmark.exit_code)}",
        f"**{quiet(benchmark.sentence)}** {exit_words(benchmark.exit_code)}",
        "\n".join(f"- {quiet(line)}" for line in opening(benchmark)),
    ]
    for check in benchmark.checks:
        if check.status in ("not met", "cannot decide"):
            parts.append(_check(check))
    for table in headline_tables(benchmark):
        parts += [f"**{quiet(headline_of(table))}**", quiet_grid(headline_grid(table))]
    if folder is not None:
        parts.append(f"Written to `{folder}`: report.md, report.html, report.json, junit.xml.")
    parts.append(f"Signature: `{benchmark.signature}`")
    return "\n\n".join(parts) + "\n"


def _check(check: Check) -> str:
    lines = [f"**{check.status}: {quiet(check.name)}**: {quiet(check.found)}"]
    lines += [f"  - {quiet(detail)}" for detail in check.details[:_DETAILS]]
    if len(check.details) > _DETAILS:
        lines.append(f"  - and {len(check.details) - _DETAILS} more in the report")
    if check.fix:
        lines.append(f"  - to mend: {quiet(check.fix)}")
    return "\n".join(f"- {line}" if number == 0 else line for number, line in enumerate(lines))
