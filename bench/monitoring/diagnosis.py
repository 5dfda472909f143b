"""What anchors and the live stream say together: the judge changed, the world changed, or neither was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bench.monitoring.anchors import AnchorVerdict

Changed = Literal["judge", "world", "judge or world", "nothing seen", "cannot decide"]
Stream = Literal["alarm", "quiet", "undecided"]
SEEN_NOTHING, DRIFT, UNDECIDED = 0, 1, 2


@dataclass(frozen=True)
class Diagnosis:
    """What changed, in a sentence, and the exit code."""

    changed: Changed
    sentence: str
    exit_code: int


def diagnose(anchors: AnchorVerdict | None, stream: Stream, *, strangers: bool = False) -> Diagnosis:
    """The diagnosis; ``anchors`` is None where none were asked again, ``strangers`` other models that answered.

    A judge that changed explains any stream, so it comes first; the stream then cannot speak of the world.
    """
    if strangers:
        return Diagnosis("judge", "The judge changed: another model than the certified one answered", DRIFT)
    if anchors == "changed":
        return Diagnosis("judge", "The judge changed: it answers its anchors otherwise than at certification", DRIFT)
    if stream == "alarm" and anchors == "same":
        sentence = "The world changed: the live stream is not calibration's, and the anchors are answered as before"
        return Diagnosis("world", sentence, DRIFT)
    if stream == "alarm":
        why = "no anchor was asked again" if anchors is None else "the anchors do not tell"
        sentence = f"The live stream is not calibration's; one cannot tell whether judge or world changed: {why}"
        return Diagnosis("judge or world", sentence, DRIFT)
    if stream == "undecided":
        return Diagnosis("cannot decide", "Cannot decide whether anything changed", UNDECIDED)
    rest = "and the anchors are answered as before" if anchors == "same" else "and no anchor speaks for the judge"
    return Diagnosis("nothing seen", f"No drift seen: no test of the live stream rang, {rest}", SEEN_NOTHING)
