"""Replace secrets by their kind, before anything is cut or shown. Linear time on hostile text (RE2).

Patterns follow the public token formats of the providers named; a generic rule covers ``password = value`` forms.
"""

from __future__ import annotations

import re2

VERSION = "redact@1"

_KINDS: tuple[tuple[str, str], ...] = (
    (
        "private-key",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\\nr\s:,-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
    ),
    ("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github-token", r"\bgh[pousr]_[A-Za-z0-9]{30,255}\b|\bgithub_pat_[A-Za-z0-9_]{22,255}\b"),
    ("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{30,}\b"),
    ("pypi-token", r"\bpypi-[A-Za-z0-9_-]{32,}"),
    ("slack-token", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"),
    ("stripe-key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai-key", r"\bsk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}\b"),
    ("sendgrid-key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("bearer", r"(?i:\bbearer)\s+[A-Za-z0-9._~+/=-]{20,}"),
    ("url-password", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]+:[^\s/@\"'<>$]{3,200}@"),
)
_NAMED = (
    r"(?i)([\"']?\b[a-z0-9_.-]{0,40}(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?token)"
    r"[\"']?\s{0,3}(?:=|:|=>)\s{0,3}[\"']?)([A-Za-z0-9_+/=.~!@#%^*-]{12,200})"
)

_KNOWN = re2.compile("|".join(f"(?P<k{i}>{pattern})" for i, (_, pattern) in enumerate(_KINDS)))
_GENERIC = re2.compile(_NAMED)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by ``[redacted:KIND]``, and how many were replaced."""
    found = 0

    def known(match: re2._Match) -> str:
        nonlocal found
        found += 1
        index = next(i for i in range(len(_KINDS)) if match.group(f"k{i}") is not None)
        return f"[redacted:{_KINDS[index][0]}]"

    def named(match: re2._Match) -> str:
        nonlocal found
        if not _looks_secret(match.group(2)):
            return str(match.group(0))
        found += 1
        return f"{match.group(1)}[redacted:named-secret]"

    return _GENERIC.sub(named, _KNOWN.sub(known, text)), found


def _looks_secret(value: str) -> bool:
    """Mixed letters and digits: rules out ``password: validatePassword`` and the like."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and "redacted" not in value
