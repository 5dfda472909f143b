"""A vote enters its file, and leaves it again: the one way for terminal and page."""

from __future__ import annotations

from datetime import UTC, datetime

from bench.labelling.hand import Hand
from bench.labelling.locks import locked
from bench.labels.write import merged_votes, vote_text
from bench.problems import BrokenInput, Problem
from bench.schema.vote import Vote, VoteFile
from bench.whole_file import write_whole


class AlreadyCast(Exception):
    """The item has another vote of this annotator, which stays."""

    def __init__(self, there: Vote) -> None:
        super().__init__(f"there is a vote already: {there.answer}")
        self.there = there


def cast(hand: Hand, case: str, vote: Vote, guide: str, preset: str) -> None:
    """Put the vote on disk. Casting the same vote again changes nothing. Raises AlreadyCast, BrokenInput."""
    with locked(hand.layout, hand.path(case)):
        held = hand.held(case)
        if held is not None:
            hand.check_same(held)
            _same_purpose(hand, held)
            there = vote_on(held, vote.attempt, vote.statement)
            if there == vote:
                return
            if there is not None:
                raise AlreadyCast(there)
        file = VoteFile(
            schema="1",
            case=case,
            annotator=hand.annotator,
            purpose=hand.purpose,
            made_by=hand.made_by,
            lineage=hand.lineage,
            guide=guide,
            preset=preset,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            votes=merged_votes(held.votes if held else (), (vote,)),
        )
        write_whole(hand.path(case), vote_text(file))


def take_back(hand: Hand, case: str, attempt: str, statement: str) -> Vote | None:
    """Take the vote out of its file, and the file away with its last vote; the vote, or None where there is none."""
    with locked(hand.layout, hand.path(case)):
        held = hand.held(case)
        vote = vote_on(held, attempt, statement)
        if held is None or vote is None:
            return None
        hand.check_same(held)
        _same_purpose(hand, held)
        rest = tuple(other for other in held.votes if other is not vote)
        if rest:
            write_whole(hand.path(case), vote_text(held.model_copy(update={"votes": rest})))
        else:
            hand.path(case).unlink()
        return vote


def vote_on(held: VoteFile | None, attempt: str, statement: str) -> Vote | None:
    """The vote of a file on one statement about one attempt."""
    votes = held.votes if held else ()
    return next((vote for vote in votes if (vote.attempt, vote.statement) == (attempt, statement)), None)


def _same_purpose(hand: Hand, held: VoteFile) -> None:
    if held.purpose != hand.purpose:
        found, fix = f"a {held.purpose} vote", f"nobody gives a {hand.purpose} vote on a case that has the other kind"
        raise BrokenInput([Problem(hand.layout.shown(hand.path(held.case)), None, held.case, "purpose", found, fix)])
