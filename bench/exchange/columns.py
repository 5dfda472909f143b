"""The columns of the exported tables, with what each holds: one table a config, one file a split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "integer", "truth", "bytes", "texts", "integers"]
UNSPLIT = "unsplit"  # the one file's name where families have no split


@dataclass(frozen=True)
class Column:
    """One column; any may be null."""

    name: str
    kind: Kind
    meaning: str


def _texts(**meanings: str) -> tuple[Column, ...]:
    return tuple(Column(name, "text", meaning) for name, meaning in meanings.items())


_PLACE = _texts(
    case="opaque id",
    attempt="id within the case",
    family="cases of one origin",
    stratum="never pooled",
    split="of the family",
)
ITEMS = (
    *_PLACE,
    *_texts(query="what was asked of the agent", statement="id of the statement", type="yes_no, score or choice"),
    *_texts(text="the statement's words"),
    Column("answers", "texts", "the answers there are"),
    Column("criteria", "texts", "what each answer means, in the same order"),
)
ITEM_LABELS = (
    *_texts(
        label="the settled answer; null where unclear or unlabelled",
        label_status="labelled, unclear or unlabelled",
        label_how="unanimous, single_vote, adjudicated, no_votes or votes_differ",
    ),
    Column("drawn_for_check", "truth", "whether the case was drawn for a third vote; null: no draw on record"),
    *_texts(
        ruling="the answer of the ruling where votes differed",
        ruling_reason="why",
        adjudicator="who ruled",
        ruling_made_by="person, model_assisted or model",
        ruling_lineage="the model's lineage",
        ruling_guide="version of the guide",
        ruling_at="when",
    ),
)
ATTEMPTS = (
    *_PLACE,
    *_texts(
        query="what was asked of the agent",
        harness="which recorded it",
        model="if known",
        answer="final answer, if apart",
    ),
    *_texts(
        judgment="statements asked (JSON)",
        trajectory_anchors="code-checkable facts (JSON)",
        world_state="reference time, snapshot, facts (JSON)",
        events="the events (JSON list); null where the session is elsewhere",
    ),
    Column("events_count", "integer", "how many events"),
    *_texts(
        session_repository="of a referenced session: OWNER/NAME",
        session_commit="its commit",
        session_path="its path",
        session_format="how it is read",
        session_sha256="digest of the text that was read and judged",
        session_sha256_upstream="digest of the published text, where it differs",
        session_file="name of a session that is held beside its case",
    ),
    Column("session_bytes", "bytes", "its bytes"),
    *_texts(source="origin", capability="what it tests", difficulty="kind of case", language="of the code"),
    Column("tags", "texts", "from the suite's vocabulary"),
    Column("version", "integer", "of the case"),
)
VOTES = (
    *_texts(case="opaque id", attempt="id within the case", statement="id of the statement", split="of the family"),
    *_texts(
        annotator="who",
        purpose="label, or check (enters no label)",
        made_by="person, model_assisted or model",
        lineage="the model's lineage",
        guide="version of the guide",
        preset="the projection that was read",
        at="when",
        answer="yes, no or unclear; or a level or option",
        rationale="why",
    ),
    Column("evidence", "integers", "event numbers, from 1"),
    *_texts(also="what the statement's ask_also wants (JSON)", error_category="if given", severity="if given"),
)
NOTES = (
    *_texts(
        case="opaque id",
        split="of the family",
        author="who",
        made_by="person, model_assisted or model",
        lineage="of the model",
    ),
    *_texts(intention="what the case is meant to show", deciding_line="which event decides"),
    Column("deciding_events", "integers", "event numbers, from 1"),
    *_texts(intended="attempt/statement to answer (JSON)"),
    Column("phenomena", "texts", "from the suite's vocabulary"),
)
SUITE = (
    *_texts(
        id="of the suite", version="of the data", title="in words", licence="of the data", canary="to find the data by"
    ),
    *_texts(record="the suite file (JSON)"),
    Column("splits_seed", "integer", "of the split's draw; null without splits"),
)
SUITE_LABELS = (
    *_texts(guide="the guide that annotators read (Markdown)", checks_drawn="how cases were drawn for a third vote"),
    Column("checks_seed", "integer", "of that draw"),
)
