"""Claims that a benchmark could make, held against its labels: which are supported, and how many more labels they need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bench.measure.estimand import BOOTSTRAP_FAMILIES, FEW_ITEMS
from bench.measure.label_supply import AttemptSupply, LabelSlice, Supply, VoteSupply
from bench.measure.power import families_for_half_width, items_for_difference, least_discordant

THIRD_VOTES = 5  # one item in so many needs a third vote before label errors can be modelled


@dataclass(frozen=True)
class Plan:
    """What the labels are held against. Shares of items; a certificate's judge is assumed this good."""

    within: float = 0.1  # an interval may reach so far to each side
    difference: float = 0.1  # two judges this far apart are to be told apart
    discordance: float = 0.2  # on so many items exactly one of them is right
    selection: float = 0.5  # the judge decides so many by itself
    wrong: float = 0.02  # and is wrong in so many of these

    def __post_init__(self) -> None:
        if not 0 < self.within < 0.5:
            raise ValueError(f"within {self.within}: wanted more than 0 and less than 0.5")
        if not 0 < self.difference <= self.discordance <= 1:
            raise ValueError(
                f"difference {self.difference}, discordance {self.discordance}: wanted 0 < difference <= discordance <= 1"
            )
        if not (0 < self.selection <= 1 and 0 <= self.wrong < 1):
            raise ValueError(f"selection {self.selection}, wrong {self.wrong}: wanted shares of items")


@dataclass(frozen=True)
class Certificate:
    """What a certificate at one target asks for, in labelled calibration families."""

    target: float
    families: int
    least: int  # with no error, every family decided
    probably: int | None  # with the planned judge, four times in five

    @property
    def possible(self) -> bool:
        return self.families >= self.least


@dataclass(frozen=True)
class Differences:
    """The smallest paired accuracy differences that a slice shows, families counted as one item each."""

    planned: float | None  # at the planned discordance
    at_best: float | None  # if the worse judge is never right alone


@dataclass(frozen=True)
class Claim:
    """A claim, whether the labels carry it, and the command that would show this verdict to be false.

    ``more`` of ``unit`` would turn the verdict; None where it holds already or no number of labels helps.
    """

    kind: str
    stratum: str | None
    statement: str | None
    sentence: str
    supported: bool
    found: str
    more: int | None
    unit: str
    command: str
    false_if: str


class Claims:
    """Puts verdicts into sentences. A sentence is the same for all statements of a stratum, so that they can be told together."""

    def __init__(self, suite: str, plan: Plan, strata: Sequence[str] = ()) -> None:
        self.plan = plan
        self.suite = f"bench report --suite {suite}"
        self.report = " ".join([self.suite, *(f"--stratum {stratum}" for stratum in strata)])

    def of_slice(
        self, one: LabelSlice, differences: Differences, certificates: tuple[Certificate, ...]
    ) -> Iterator[Claim]:
        yield self._width(one, "accuracy", "the accuracy of any judge", one.labelled, "labelled families")
        if one.yes_no:
            yield self._width(one, "recall", "the recall of any judge", one.yes, "families with a yes")
            yield self._width(one, "specificity", "the specificity of any judge", one.no, "families with a no")
            yield self._precision(one)
        yield self._better_than_commonest(one)
        yield self._difference(one, differences)
        yield from (self._certificate(one, certificate) for certificate in certificates)

    def _claim(
        self, one: LabelSlice, kind: str, sentence: str, found: str, more: int | None, unit: str, false_if: str
    ) -> Claim:
        """A claim about a slice; it is supported when no more labels are wanted."""
        command = f"{self.suite} --stratum {one.stratum.id}"
        wanted = more if more is None or more > 0 else None
        return Claim(
            kind, one.stratum.id, one.statement, sentence, more == 0, found, wanted, unit, command, false_if
        )  # fmt: skip

    def _width(self, one: LabelSlice, kind: str, subject: str, held: Supply, unit: str) -> Claim:
        needed = families_for_half_width(self.plan.within)
        fits = held.half_width is not None and held.half_width <= self.plan.within and not held.too_few
        return self._claim(
            one,
            kind,
            f"{subject} can be told to within {_points(self.plan.within)}",
            f"{_counted(held)}, {_reach(held)}",
            0 if fits else max(needed - held.families, 1),
            unit,
            f"an interval of {kind} there is longer than {_points(2 * self.plan.within)}"
            if fits
            else f"its table rests on {needed} {unit} or more",
        )

    def _precision(self, one: LabelSlice) -> Claim:
        if one.stratum.precision_means_something:
            subject = "the precision of a judge that says yes as often as the labels"
            return self._width(one, "precision", subject, one.yes, "families with a yes")
        found = "the share of yes is set by design"
        sentence = "precision says something about a judge"
        return self._claim(one, "precision", sentence, found, None, "", "its tables have a column for precision")

    def _better_than_commonest(self, one: LabelSlice) -> Claim:
        single = one.labelled.items == one.labelled.families
        needed = least_discordant() + (0 if single else 1)  # McNemar mid-p 2^-m; families in families' signs 2^(1-m)
        sentence = "a judge that is always right would be shown to beat one that always gives the commonest answer"
        false_if = (
            f"its table heads fewer than {needed} labels other than the commonest"
            if one.beaten
            else f"its labels other than the commonest come from {needed} families or more"
        )
        return self._claim(
            one, "better_than_commonest", sentence, f"{one.other_families} families with another label",
            0 if one.beaten else max(needed - one.other_families, 1), "families with another label", false_if,
        )  # fmt: skip

    def _difference(self, one: LabelSlice, shown: Differences) -> Claim:
        plan = self.plan
        needed = items_for_difference(plan.difference, plan.discordance)
        fits = shown.planned is not None and shown.planned <= plan.difference
        sentence = (
            f"two judges whose accuracies lie {_points(plan.difference)} apart would be told apart four times in five "
            f"(exactly one of them right on {_percent(plan.discordance)} of the items)"
        )
        more = None if needed is None else 0 if fits else max(needed - one.labelled.families, 1)
        return self._claim(
            one, "difference", sentence, _shown(one, shown), more, "labelled families",
            f"its table rests on {'fewer than ' if fits else ''}{needed} labelled families{'' if fits else ' or more'}",
        )  # fmt: skip

    def _certificate(self, one: LabelSlice, asked: Certificate) -> Claim:
        about = "" if one.stratum.design == "random_sample" else ", about this benchmark only: no random sample"
        limit = f'"at most {_percent(asked.target)} wrong"'
        sentence = f"a certificate {limit} (95 % confidence{about}) could be issued at all"
        probably = (
            "never for a judge wrong that often" if asked.probably is None else f"{asked.probably} would probably do"
        )
        found = f"{asked.families} calibration families; {asked.least} is the least, {probably}"
        side = f"fewer than {asked.least}" if asked.possible else f"{asked.least} or more"
        claim = self._claim(
            one, f"certificate_{round(asked.target * 100)}", sentence, found,
            max(asked.least - asked.families, 0), "calibration families",
            f"it counts {side} calibration families",
        )  # fmt: skip
        asking = f"--stratum {one.stratum.id} --statement {one.statement} --promote {asked.target:g}"
        return replace(claim, command=self.suite.replace("bench report", "bench calibrate") + f" {asking}")

    def pass_k(self, held: AttemptSupply) -> Claim:
        short = max(BOOTSTRAP_FAMILIES - held.families, FEW_ITEMS - held.cases, 0)
        return Claim(
            "pass_k", "+".join(held.strata), held.statement,
            f"pass@{held.k} from the labels has more than the words \"too few\" and a carried interval", short == 0,
            f"{held.cases} cases in {held.families} families with {held.k} labelled attempts", short or None,
            "such families", self.report,
            f"its pass@k table {'rests on fewer' if short == 0 else 'rests on ' + str(BOOTSTRAP_FAMILIES) + ' families or more'}",
        )  # fmt: skip

    def people(self, votes: VoteSupply) -> Claim:
        short = max(FEW_ITEMS - votes.two_persons, 0)
        return Claim(
            "human_agreement", None, None, "agreement between people is known", short == 0,
            f"{votes.two_persons} of {votes.items} items have two votes of persons", short or None,
            "items with two votes of persons", self.report,
            f"its report.md {'calls' if short == 0 else 'does not call'} them votes of models",
        )  # fmt: skip

    def label_errors(self, votes: VoteSupply) -> Claim:
        needed = math.ceil(votes.items / THIRD_VOTES)
        short = max(needed - votes.third, 0)
        return Claim(
            "label_errors", None, None, "errors in the labels can be modelled (third votes on a random fifth)",
            short == 0, f"{votes.third} of {votes.items} items have a third vote", short or None, "third votes",
            self.report,
            f"its tables of third votes count {'fewer' if short == 0 else 'no fewer'} than {needed} votes",
        )  # fmt: skip


def _shown(one: LabelSlice, shown: Differences) -> str:
    start = f"{one.labelled.families} labelled families"
    if shown.planned is not None:
        return f"{start} show {_points(shown.planned)}"
    if shown.at_best is not None:
        return f"{start} show {_points(shown.at_best)} at the best, and only where the worse judge is never right alone"
    return f"{start} show none"


def _counted(held: Supply) -> str:
    return f"{held.items} items in {held.families} families"


def _reach(held: Supply) -> str:
    if held.half_width is None:
        return "no interval"
    return f"±{_points(held.half_width)} at the worst{', too few' if held.too_few else ''}"


def _points(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"
