"""Secrets that only their place gives away: behind a name, in a header, a URL or a command. The place stays, the value goes.

Every form has two groups: what stays, and the secret. A form is tried only on texts that hold one of its words, which
keeps most texts cheap. ``proof`` looks at a value before it is taken.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass

import re2

from bench.redaction.tokens import START

_QUOTE = r"\\*[\"']?"  # escaped as often as the text was
_SIGN = rf"{_QUOTE}\s{{0,3}}(?:=|:|=>)\s{{0,3}}{_QUOTE}"
_VALUE = r"[A-Za-z0-9_+/=.~!@#%^*-]"
NAMES = (
    r"(?:password|passwd|secret|secret[_-]?key|passphrase|(?:api|access|app|application|account|signing|encryption|master)[_-]?key"
    r"|(?:api|auth|access|refresh|private|session|bot)[_-]?token)"
)
_ENV = r"(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?|_PASS|_PWD)"
_BLANK = r"(?:\s|\\[nrt])+"


@dataclass(frozen=True)
class Form:
    """A place where a secret stands."""

    kind: str
    words: tuple[str, ...]  # of the text in lower case: without one of them the form cannot be there
    pattern: re2._Regexp
    proof: Callable[[str, str], bool]  # of what stays and of the value: is it a secret?


def mixed(value: str) -> bool:
    """Letters and digits: rules out ``password: validatePassword`` and the like."""
    return "redacted" not in value and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _any(lead: str, value: str) -> bool:
    return mixed(value)


def _given(lead: str, value: str) -> bool:
    """A value itself, not the name of where it comes from."""
    return value[0] not in "$%{<*[(" and "redacted" not in value and set(value) > {value[0]}


def _password(lead: str, value: str) -> bool:
    """Behind ``-p``: no port, no mapping of ports."""
    return _given(lead, value) and not value.replace(":", "").isdigit()


def _by_chance(lead: str, value: str) -> bool:
    """Letters and digits, but no path, no ``module.name``, no ``words-with-a-v2``, and the name means a secret itself."""
    if (
        not (mixed(value) and _given(lead, value))
        or _PATH.match(value)
        or _DOTTED.fullmatch(value)
        or _ABOUT.search(lead)
    ):
        return False
    return not (_WORDS.fullmatch(value) and sum(c.isdigit() for c in value) < 3)


_PATH = re2.compile(r"[/~.]|[a-z]+=|[A-Za-z]:\\\\")
_DOTTED = re2.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+")
_WORDS = re2.compile(r"(?i:[a-z]+[0-9]*(?:[-_.][a-z0-9]+)+)|[A-Z]?[a-z]{7,}[0-9]")
_ABOUT = re2.compile(
    r"(?i)_(?:path|file|url|uri|name|id|arn|dir|host|ttl|type|limit|count|budget|header|env|len|length|size)[^a-z]*$"
)


def _user_and_password(lead: str, value: str) -> bool:
    """Base64 of ``user:password``, also where its end was cut."""
    whole = value.rstrip("=")
    try:
        found = base64.b64decode(whole[: len(whole) // 4 * 4], validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in found and all(32 <= byte < 127 for byte in found)


def _scheme_or_token(lead: str, value: str) -> bool:
    return _user_and_password(lead, value) or (mixed(value) and len(value) >= 16)


def _form(kind: str, words: str, pattern: str, proof: Callable[[str, str], bool]) -> Form:
    options = re2.Options()
    options.max_mem = 16 << 20
    options.log_errors = False
    return Form(kind, tuple(words.split()), re2.compile(pattern, options), proof)


FORMS: tuple[Form, ...] = (
    _form("telegram-token", ":aa", "(" + START + r")([0-9]{8,10}:AA[A-Za-z0-9_-]{32,34})", _any),
    _form("mailgun-key", "mailgun", r"(\b|_)([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b", _any),
    _form("mailchimp-key", "-us", "(" + START + r")([0-9a-f]{32}-us[0-9]{1,2})\b", _any),
    _form("azure-secret", "q~", r"()([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})", _any),
    _form("terraform-token", ".atlasv1.", r"()([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,})", _any),
    _form("newrelic-key", "nral", r"()([0-9a-f]{36}NRAL)", _any),
    _form("asana-token", "asana", "(" + START + r")([0-9]/[0-9]{16}:[0-9a-f]{32})\b", _any),
    _form(
        "authorization", "authorization",
        rf"(?i)(authorization{_SIGN}(?:(?:basic|bearer|token|api-?key|bot|key|digest|negotiate)\s+)?)"
        r"([A-Za-z0-9_+/=.~:-]{8,})",
        _scheme_or_token,
    ),
    _form(
        "docker-auth", "auth\" auth\\",
        r"(?i)(\"auth\\*\"\s{0,3}:\s{0,3}\\*\")([A-Za-z0-9+/]{8,}={0,2})", _user_and_password,
    ),
    _form(
        "google-key", "private_key_id",
        rf"(private_key_id{_SIGN})([0-9a-f]{{40}})", _any,
    ),
    _form(
        "curl-password", "curl",
        rf"({START}curl\b(?:[^\n]|\\\n)*?\s(?:-u|-U|--user|--proxy-user)[\s=]{{0,2}}\\*[\"']?[^\s:\"'\\]{{1,100}}:)"
        r"([^\s\"'\\]{3,})",
        _given,
    ),
    _form(
        "command-password", "pass token secret key",
        r"(\s--?(?:[a-z]+-)?(?:password|passwd|pass|token|api-?key|secret)(?:=|\s{1,2})\\*[\"']?|"
        + START + r"sshpass\s+-p\s?\\*[\"']?"
        r"|\s-pass(?:in|out)\s+pass:)"
        r"([^\s\"'\\;|&()<>`]{8,})",
        _by_chance,
    ),
    _form(
        "command-password", "mysql mariadb",
        rf"({START}(?:mysql|mariadb)(?:dump|admin)?\b(?:[^\n;|&]|\\\n)*?\s-p\\*[\"']?)"
        r"([^\s\"'\\;|&()<>`=-][^\s\"'\\;|&()<>`]{3,})",
        _password,
    ),
    _form(
        "netrc", "machine",
        rf"(?i)({START}machine{_BLANK}\S+?{_BLANK}login{_BLANK}\S+?{_BLANK}(?:account{_BLANK}\S+?{_BLANK})?password{_BLANK})"
        r"([^\s\\\"']{3,})",
        _given,
    ),
    _form(
        "connection-string", "pwd= password=",
        r"(?i)((?:server|data source|host|database|initial catalog|uid|user id|username|user)\s?=[^;\n\"']*;[^\n\"']*?"
        r"(?:password|pwd)\s?=\s?)([^;\s\"'\\]{3,})",
        _given,
    ),
    _form("azure-key", "accountkey= sharedaccesskey=", r"(?i)((?:account|sharedaccess)key=)([a-z0-9+/]{20,}={0,2})", _any),
    _form(
        "signed-url", "sig",
        r"(?i)((?:[?&]|\\u0026|&amp;)(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=)"
        r"([a-z0-9%+/_-]{20,}={0,2})",
        _any,
    ),
    _form(
        "url-token", "key= token= secret= auth=",
        rf"(?i)((?:[?&]|\\u0026|&amp;)(?:key|token|auth|secret|client_secret|sas)=)({_VALUE}{{16,}})", _by_chance,
    ),
    _form(
        "named-secret", "passw secret passphrase key token",
        rf"(?i)({NAMES}{_SIGN})({_VALUE}{{12,}})", _any,
    ),
    _form(
        "named-secret", "token",
        rf"(?i)({START}(?:[a-z]+[_-])?token{_SIGN})({_VALUE}{{20,}})", _by_chance,
    ),
    _form(
        "env-secret", "secret token passw passphrase api_key apikey access_key private_key credential _pass _pwd",
        rf"([A-Z0-9_]*{_ENV}[A-Z0-9_]*{_SIGN})({_VALUE}{{8,}})", _by_chance,
    ),
)  # fmt: skip

COOKIE = re2.compile(
    rf"(?i)(cookie\\*[\"']?\s{{0,3}}[:=]\s{{0,3}}\\*[\"']?|{START}curl\b(?:[^\n]|\\\n)*?\s(?:-b|--cookie)[\s=]{{0,2}}\\*[\"']?)"
    r"([^\n\"'\\]{8,})"
)
CRUMB = re2.compile(r"([A-Za-z0-9_.-]*=)([^;,\s&]{8,})")
_SESSION = ("sess", "sid", "auth", "token", "csrf", "xsrf", "jwt", "remember")

BARE_NAME = re2.compile(rf"(?i)[a-z0-9_.-]*{NAMES}")
BARE_VALUE = re2.compile(rf"{_VALUE}{{12,}}")


def is_crumb(name: str, value: str) -> bool:
    """Of a cookie: a long random value, or a shorter one under a name that tells."""
    telling = any(word in name.lower() for word in _SESSION)
    return mixed(value) and (telling or len(value) >= 16)
