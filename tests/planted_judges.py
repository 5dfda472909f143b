"""Judges that tell what they should not know: every planted secret, in every field of a verdict."""

from __future__ import annotations

from planted import planted

from bench.judges.contract import Item, Question, Verdict

WORDS = "\n".join(p.text for p in planted(rounds=1))


class Leaky:
    """Answers with the secrets in all its words."""

    def judge(self, item: Item, question: Question) -> Verdict:
        return Verdict("yes", reason=WORDS, raw=WORDS, quotes=(WORDS,), detail=WORDS, answered_by=WORDS, flags=(WORDS,))


class Unsure:
    """Gives no verdict, and the secrets as the reason."""

    def judge(self, item: Item, question: Question) -> Verdict:
        return Verdict(unscored="abstained", detail=WORDS)


class Crashing:
    """Fails with a secret that lies across the place where messages are cut."""

    def judge(self, item: Item, question: Question) -> Verdict:
        raise RuntimeError("x" * 180 + " ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zaB3dE6gH")
