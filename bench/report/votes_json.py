"""Votes, their agreement and third votes as JSON material."""

from __future__ import annotations

from bench.measure.agreement_figures import AgreementLine
from bench.measure.latent_figures import LatentLine
from bench.measure.provenance_figures import VoteGroup
from bench.report.jsonable import Json, estimate_json


def group_json(group: VoteGroup) -> Json:
    """Votes of one origin."""
    return {
        "purpose": group.purpose,
        "made_by": group.made_by,
        "lineage": group.lineage,
        "guide": group.guide,
        "present_guide": group.present,
        "votes": group.votes,
    }


def agreement_json(line: AgreementLine) -> Json:
    """How far the blind votes agree."""
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "items": line.items,
        "votes": line.votes,
        "adjudicated": line.adjudicated,
        "raw": estimate_json(line.raw),
        "alpha": estimate_json(line.alpha),
        "alpha_without_unclear": estimate_json(line.alpha_without_unclear),
    }


def third_vote_json(line: LatentLine) -> Json:
    """What third votes say of the labels."""
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "items": line.items,
        "agrees": estimate_json(line.agrees),
        "left_out": line.left_out,
        "lineages": list(line.lineages),
        "yes_among_three": list(line.rates.counts),
        "true_yes": estimate_json(line.rates.true_yes),
        "wrong_on_a_true_yes": estimate_json(line.rates.miss),
        "wrong_on_a_true_no": estimate_json(line.rates.false_yes),
        "wrong_where_two_agree": estimate_json(line.rates.agreed_wrong),
    }
