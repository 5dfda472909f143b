"""Words and columns that the Markdown report and the page share."""

from __future__ import annotations

from bench.measure.call_figures import CallLine
from bench.measure.figures import Table

_LABEL_WORDS = {
    ("person",): "hand labels",
    ("model",): "labels by model annotators under a written guide",
    (): "no labels yet",
}
TITLES = {
    "precision": "precision",
    "recall": "recall",
    "specificity": "specificity",
    "f1": "F1",
    "mcc": "MCC",
    "paired_accuracy": "paired accuracy",
    "auroc": "AUROC",
}


def label_words(made_by: tuple[str, ...]) -> str:
    """What the labels may be called: "hand labels" only where every vote is a person's."""
    return _LABEL_WORDS.get(made_by, f"labels by {' and '.join(made_by)} annotators under a written guide")


def shown_metrics(table: Table) -> list[str]:
    """The metrics of a table's columns."""
    if table.stratum.precision_means_something:
        return ["precision", "recall", "f1", "mcc", "auroc"]
    return ["paired_accuracy", "recall", "specificity", "mcc", "auroc"]


def cost_words(line: CallLine) -> str:
    """The known cost, and of how many verdicts it is unknown."""
    if line.usd is None:
        return "unknown"
    return f"${line.usd:.4f}" + (f", unknown for {line.cost_unknown}" if line.cost_unknown else "")


def milliseconds(line: CallLine) -> str:
    """The median time for one verdict."""
    return "not known" if line.median_ms is None else f"{line.median_ms:.0f} ms"
