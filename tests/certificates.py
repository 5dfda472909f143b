"""A certificate as it would be issued, written by hand, and a session to decide on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench import __version__
from bench.deciding.certificate import Certificate, write_certificate
from bench.judges.contract import question_of
from bench.judges.registry import make_judge
from bench.projection.project import preset_named
from bench.running.identity import judge_id
from bench.schema.statement import YesNo

LESSON = YesNo(id="lesson", text="The session holds a lesson.", true="One can say it.", false="Nothing was learned.")
RULE = "rule:prompt-after-call"


def certificate_tree(of: str = RULE, parameters: dict[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    """What a certificate file holds, its seal aside."""
    preset = preset_named("events").label
    made = make_judge(of, parameters or {}, Path())
    return {
        "format": "lessonbench-certificate/1",
        "bench": __version__,
        "judge": {
            "id": judge_id(made, preset), "name": made.name, "made_from": of, "parameters": parameters or {},
            "preset": preset, "scales": {"lesson": "answer"},
        },
        "statements": [
            {"id": "lesson", "text": LESSON.text, "criteria": [list(pair) for pair in question_of(LESSON).criteria]}
        ],
        "policy": {"statements": ["lesson"], "right_when": ["lesson"], "promote_at": 1.0},
        "population": {"name": "sessions of this test", "sample": "random_sample_of_stream", "source": "written by hand"},
        "labels": {"votes": {"person": 80}, "human": True},
        "data": {"digest": "0" * 64, "rows": 40, "families": 40, "unlabelled": 0, "unscored": 0, "seed": 0},
        "bands": [
            {
                "band": "promote", "target": 0.1, "delta": 0.05, "method": "one item per family",
                "claim": "family-weighted", "finite_sample": True, "threshold": 1.0, "selected": 30, "families": 30,
                "wrong": 0, "upper": 0.095,
            }
        ],
        "review_share": {"value": 0.25, "low": 0.14, "high": 0.4},
        "issued": "2026-01-01T00:00:00+00:00",
        "expires": "2999-01-01T00:00:00+00:00",
        "reference": {"values": {"lesson": [0.0] * 10 + [1.0] * 30}, "decisions": {"promote": 30, "review": 10}},
        **changes,
    }  # fmt: skip


def write_tree(path: Path, **changes: Any) -> Path:
    """A sealed certificate file."""
    write_certificate(Certificate.model_validate(certificate_tree(**changes)), path)
    return path


def session_lines(*, corrected: bool) -> str:
    """A recorded session of three steps; in a corrected one a person types again after a call."""

    def record(number: int, kind: str, content: Any) -> dict[str, Any]:
        return {
            "type": kind, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "s",
            "timestamp": f"2026-01-01T00:00:{number:02d}Z", "version": "2.0.0", "cwd": "/home/p", "userType": "external",
            "message": {"role": kind, "content": content},
        }  # fmt: skip

    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm install"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done", "is_error": False}
    records = [
        record(0, "user", "Add the package."),
        record(1, "assistant", [call]),
        record(2, "user", [result]),
        record(3, "assistant", [{"type": "text", "text": "Done."}]),
    ]
    if corrected:
        records += [
            record(4, "user", "No, we use pnpm here."),
            record(5, "assistant", [{"type": "text", "text": "I see."}]),
        ]
    return "".join(json.dumps(one) + "\n" for one in records)


def write_session(path: Path, *, corrected: bool) -> Path:
    path.write_text(session_lines(corrected=corrected), encoding="utf-8")
    return path
