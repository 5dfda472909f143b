"""Replace secrets by their kind, before anything is cut or shown. Linear time on hostile text (RE2).

Patterns follow the public token formats of the providers named; a generic rule covers ``password = value`` forms. Formats
with a telling prefix are found inside a word as well: escaped line ends (``\\nghp_...``) and colour codes stand right
before many a real one.
"""

from __future__ import annotations

import re2

VERSION = "redact@1"

_START = r"(?:\b|\\[nrt]|\x1b\[[0-9;]*m)"  # of a word, where the prefix alone says too little
_KINDS: tuple[tuple[str, str], ...] = (
    # The second form is torn off before its end: header lines, then lines of base64, then a part of one.
    (
        "private-key",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?:\s|\\[nr])+(?:[A-Za-z-]+: [A-Za-z0-9,-]+|[A-Za-z0-9+/=]{24,}))*"
        r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]+)?",
    ),
    ("aws-key", _START + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github-token", r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab-token", r"glpat-[A-Za-z0-9_-]{20,}"),
    ("npm-token", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-token", _START + r"pypi-[A-Za-z0-9_-]{32,}"),
    ("slack-token", r"xox[abeprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"),
    ("stripe-key", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("anthropic-key", _START + r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai-key", _START + r"sk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    ("google-key", r"AIza[A-Za-z0-9_-]{35}"),
    ("huggingface-token", r"hf_[A-Za-z0-9]{30,}"),
    ("sendgrid-key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("bearer", r"(?i:bearer)\s+[A-Za-z0-9._~+/=-]{20,}"),
    ("url-password", r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]+:[^\s/@\"'<>$]{3,200}@"),
)
_NEEDS_DIGITS = ("openai-key", "bearer", "pypi-token")  # words strung together by dashes look the same but for digits
_NAMES = r"(?:password|passwd|secret|(?:api|access)[_-]?key|(?:api|auth|access|refresh|private|session|bot)[_-]?token)"
_VALUE = r"[A-Za-z0-9_+/=.~!@#%^*-]{12,200}"
_NAMED = rf"(?i)({_NAMES}\\?[\"']?\s{{0,3}}(?:=|:|=>)\s{{0,3}}\\?[\"']?)({_VALUE})"

# Room for the automaton of all kinds at once, so that a text of many different words does not throw it back to the slow
# way; where it still does, the result is the same and the library's note about it would only worry a reader.
_ROOMY = re2.Options()
_ROOMY.max_mem = 64 << 20
_ROOMY.log_errors = False

_EACH = tuple((kind, re2.compile(pattern)) for kind, pattern in _KINDS)
_WHOLE_KEY = re2.compile(r"(?s)-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?-----END [A-Z ]{0,30}PRIVATE KEY-----")
_KNOWN = re2.compile("|".join(pattern for _, pattern in _KINDS), _ROOMY)
_GENERIC = re2.compile(_NAMED, _ROOMY)
_NAME = re2.compile(rf"(?i)[a-z0-9_.-]*{_NAMES}")
_BARE = re2.compile(_VALUE)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by ``[redacted:KIND]``, and how many were replaced."""
    found = 0

    def replaced(kind: str) -> str:
        nonlocal found
        found += 1
        return f"[redacted:{kind}]"

    def known(match: re2._Match) -> str:
        secret = str(match.group(0))
        kind = next(kind for kind, pattern in _EACH if pattern.match(secret))
        return secret if kind in _NEEDS_DIGITS and not _mixed(secret) else replaced(kind)

    def named(match: re2._Match) -> str:
        called = text[match.end() : match.end() + 1] == "("
        secret = _looks_secret(match.group(2)) and not called
        return f"{match.group(1)}{replaced('named-secret')}" if secret else str(match.group(0))

    text = _WHOLE_KEY.sub(lambda _: replaced("private-key"), text)
    text = _KNOWN.sub(known, text)
    return _GENERIC.sub(named, text), found


def redact_field(name: str, text: str) -> tuple[str, int]:
    """As ``redact``, for the value of a named field: the name says that a bare value is a secret."""
    if _NAME.fullmatch(name) and _BARE.fullmatch(text) and _looks_secret(text):
        return "[redacted:named-secret]", 1
    return redact(text)


def _looks_secret(value: str) -> bool:
    """Mixed letters and digits: rules out ``password: validatePassword`` and the like."""
    return _mixed(value) and "redacted" not in value


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
