"""The whole of `bench compare`: both sides, every judge, one outcome."""

from __future__ import annotations

from dataclasses import dataclass

from bench.comparing.compare import JudgeComparison, Table, compare_runs, run_of
from bench.comparing.config import Config
from bench.comparing.items import contents
from bench.comparing.metric_lines import Chance
from bench.comparing.scope import Asked, table_of
from bench.comparing.sides import Paired, Sides, pair_judges
from bench.comparing.slices import case_facts

_WORDS = {0: "met", 1: "not met", 2: "cannot decide"}


@dataclass(frozen=True)
class Comparison:
    """Base against head, and what follows."""

    sides: Sides
    table: Table
    config: Config
    config_file: str | None
    judges: tuple[JudgeComparison, ...]
    paired: Paired

    @property
    def exit_code(self) -> int:
        """Worse or a red line not met (1) before cannot tell (2) before the rest (0)."""
        codes = {judge.exit_code for judge in self.judges}
        return 1 if 1 in codes else 2 if 2 in codes else 0

    @property
    def outcome(self) -> str:
        """The word for the exit code."""
        return _WORDS[self.exit_code]

    @property
    def sentence(self) -> str:
        """What happened, in one sentence that agrees with the exit code."""
        if len(self.judges) == 1:
            return f"{judge_sentence(self.judges[0])}."
        if self.exit_code == 0:
            words = ("no change", "not worse", "better")
            counts = [(word, sum(judge.verdict == word for judge in self.judges)) for word in words]
            told = ", ".join(f"{count} {word}" for word, count in counts if count)
            return f"Of {len(self.judges)} judges none is worse: {told}."
        names = [judge.head.name for judge in self.judges if judge.exit_code == self.exit_code]
        word = "worse or under a red line" if self.exit_code == 1 else "cannot be told"
        return f"{len(names)} of {len(self.judges)} judges {word}: {', '.join(names)}."


def judge_sentence(judge: JudgeComparison) -> str:
    """One judge's outcome: the comparison's verdict, then the red lines that are not met or cannot be decided."""
    names = dict.fromkeys((judge.base.name, judge.head.name))
    who = judge.head.name if len(names) == 1 else f"{judge.head.name} against {judge.base.name}"
    lines = [f"red line {r.decision}" for r in judge.red_lines if r.decision.status != "met"]
    met = f"every red line met ({len(judge.red_lines)})" if judge.red_lines and not lines else ""
    return "; ".join(part for part in (f"{who}: {judge.verdict} ({'; '.join(judge.reasons)})", *lines, met) if part)


def compare(sides: Sides, asked: Asked, judges: tuple[str, ...]) -> Comparison:
    """Compare what was opened. Raises BrokenInput and CannotDecide."""
    suite = sides.head.suite
    table = table_of(suite, asked)
    paired = pair_judges(sides, table.statement, judges or asked.config.compare.judges)
    chance = Chance(suite.suite.seed, suite.suite.resamples)
    head = contents(suite)
    both = (head if sides.kind == "runs" else contents(sides.base.suite), head)
    facts = case_facts(suite)
    found = tuple(
        compare_runs(
            run_of(*sides.base.judged[one]), run_of(*sides.head.judged[two]), table, asked.config, both, facts, chance
        )
        for one, two in paired.pairs
    )
    return Comparison(sides, table, asked.config, asked.document.file if asked.document else None, found, paired)
