"""What a person is to answer: the open items of an annotator, or the items whose votes differ."""

from __future__ import annotations

from collections.abc import Callable

from bench.cases.layout import Layout
from bench.cases.load import LoadedCase, LoadedSuite
from bench.labelling.books import RulingBook, Task, VoteBook
from bench.labelling.desk import Desk, Guide, Show
from bench.labelling.drafts import Drafts
from bench.labelling.guide_view import guide_blocks
from bench.labelling.hand import Hand
from bench.labelling.order import order_of
from bench.labelling.ruling import Chair, differing
from bench.labels.guide import NO_GUIDE, guide_path, guide_version
from bench.labels.load import Labels
from bench.schema.case import Attempt

AtHand = Callable[[LoadedCase, Attempt], bool]


def label_desk(suite: LoadedSuite, hand: Hand, cases: frozenset[str], show: Show, at_hand: AtHand) -> Desk:
    """An annotator's sitting, in their order. Raises BrokenInput where votes cannot be read, or are another hand's."""
    book = VoteBook(hand, guide_version(suite.layout))
    tasks: list[Task] = []
    passed_over = 0
    for loaded, attempt in order_of(suite, hand.annotator, cases):
        if book.is_other_purpose(loaded.case.id) or not at_hand(loaded, attempt):
            passed_over += 1
            continue
        book.check_same(loaded.case.id)
        tasks += [Task(loaded, attempt, statement) for statement in loaded.statements]
    drafts = Drafts.of(suite.layout, hand.annotator, book.work)
    return Desk(suite.suite.title, book, tasks, drafts, show, guide_of(suite.layout), passed_over)


def ruling_desk(suite: LoadedSuite, labels: Labels, chair: Chair, show: Show, at_hand: AtHand) -> Desk:
    """An adjudicator's sitting, over every item whose votes differ."""
    book = RulingBook(chair, labels, guide_version(suite.layout))
    attempts = {(loaded.case.id, attempt.id): (loaded, attempt) for loaded, attempt in suite.attempts()}
    tasks: list[Task] = []
    passed_over = 0
    for case, attempt_id, statement_id in differing(labels):
        loaded, attempt = attempts[case, attempt_id]
        if not at_hand(loaded, attempt):
            passed_over += 1
            continue
        tasks += [Task(loaded, attempt, statement) for statement in loaded.statements if statement.id == statement_id]
    drafts = Drafts.of(suite.layout, chair.adjudicator, book.work)
    return Desk(suite.suite.title, book, tasks, drafts, show, guide_of(suite.layout), passed_over)


def guide_of(layout: Layout) -> Guide:
    """The guide that people vote by. Raises BrokenInput where it declares no version."""
    version = guide_version(layout)
    if version == NO_GUIDE:
        return Guide(None)
    return Guide(version, guide_blocks(guide_path(layout).read_text(encoding="utf-8", errors="replace")))
