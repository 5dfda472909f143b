"""Replace secrets by their kind, before anything is cut, shown or stored. Linear time on hostile text (RE2).

One function finds them (``replace``), two use it: ``redact`` writes ``[redacted:KIND]``, the leak scan counts. Secrets
without a form of their own and away from any telling place are not found: nobody can tell them from other text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import re2

from bench.redaction.forms import BARE_NAME, BARE_VALUE, COOKIE, CRUMB, FORMS, Form, is_crumb, mixed
from bench.redaction.numbers import NUMBERS, number_kind
from bench.redaction.tokens import KINDS, NEED_DIGITS, WHOLE_KEY

VERSION = "redact@2"

# kind, the secret, the text as it is by now, where in it -> what stands there instead
Note = Callable[[str, str, str, int], str]

# Room for the automaton of all kinds at once, so that a text of many different words does not throw it back to the slow
# way; where it still does, the result is the same and the library's note about it would only worry a reader.
_ROOMY = re2.Options()
_ROOMY.max_mem = 128 << 20
_ROOMY.log_errors = False

_EACH = re2.Set.MatchSet()  # tells which of the kinds it was
for _, _pattern in KINDS:
    _EACH.Add(_pattern)
_EACH.Compile()
_KNOWN = re2.compile("|".join(pattern for _, pattern in KINDS), _ROOMY)
_WHOLE_KEY = re2.compile(WHOLE_KEY)
_NUMBERS = re2.compile(NUMBERS, _ROOMY)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by ``[redacted:KIND]``, and how many were replaced."""
    found = 0

    def note(kind: str, secret: str, now: str, start: int) -> str:
        nonlocal found
        found += 1
        return f"[redacted:{kind}]"

    return replace(text, note), found


def redact_field(name: str, text: str) -> tuple[str, int]:
    """As ``redact``, for the value of a named field: the name says that a bare value is a secret."""
    if mixed(text) and text.isascii() and name.isascii() and BARE_NAME.fullmatch(name) and BARE_VALUE.fullmatch(text):
        return "[redacted:named-secret]", 1
    return redact(text)


def replace(text: str, note: Note) -> str:
    """The text with each secret replaced by what ``note`` says, from the surest kinds to the ones that a name tells.

    Lone surrogates, which UTF-8 has no bytes for, come back as escapes.
    """
    try:
        return _replaced(text, note)
    except UnicodeEncodeError:  # raised by the first pattern, before anything is noted
        return _replaced(text.encode("utf-8", "backslashreplace").decode(), note)


def _replaced(text: str, note: Note) -> str:
    if "PRIVATE KEY" in text:
        text = _each(_WHOLE_KEY, text, lambda match, now: note("private-key", str(match.group(0)), now, match.start()))
    text = _each(_KNOWN, text, lambda match, now: _known(match, now, note))
    low = text.lower()
    if "cookie" in low or "curl" in low:
        text = _each(COOKIE, text, lambda match, now: _cookie(match, now, note))
    for form in FORMS:
        if any(word in low for word in form.words):
            text = _each(form.pattern, text, partial(_placed, form, note))
    return _each(_NUMBERS, text, lambda match, now: _number(match, now, note))


def _each(pattern: re2._Regexp, text: str, told: Callable[[re2._Match, str], str]) -> str:
    return str(pattern.sub(lambda match: told(match, text), text))


def _known(match: re2._Match, now: str, note: Note) -> str:
    secret = str(match.group(0))
    kind = KINDS[min(_EACH.Match(secret))][0]
    return secret if kind in NEED_DIGITS and not mixed(secret) else note(kind, secret, now, match.start())


def _placed(form: Form, note: Note, match: re2._Match, now: str) -> str:
    lead, secret = str(match.group(1)), str(match.group(2))
    called = now[match.end() : match.end() + 1] == "("
    if called or not form.proof(lead, secret):
        return lead + secret
    return lead + note(form.kind, secret, now, match.start(2))


def _cookie(match: re2._Match, now: str, note: Note) -> str:
    lead, jar, place = str(match.group(1)), str(match.group(2)), match.start(2)

    def crumb(found: re2._Match) -> str:
        name, value = str(found.group(1)), str(found.group(2))
        return name + (note("cookie", value, now, place + found.start(2)) if is_crumb(name, value) else value)

    return lead + str(CRUMB.sub(crumb, jar))


def _number(match: re2._Match, now: str, note: Note) -> str:
    found = str(match.group(0))
    lead = 0 if found[0].isalnum() else 1  # what stands before it
    kind = number_kind(found[lead:])
    after = now[match.end() : match.end() + 2]
    goes_on = after[:1] in ("-", "_", "/") or (after[:1] in (".", ",") and after[1:].isdigit())
    return found if kind is None or goes_on else found[:lead] + note(kind, found[lead:], now, match.start() + lead)
