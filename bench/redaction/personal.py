"""Personal data: who is behind a session. Taken where a session becomes a case to publish, and told by the leak scan.

Not taken where judges read: addresses, home folders and hosts are facts of the work there (whose file, which remote, which
machine), and a judge that loses them loses more than a reader of its reason gains.
"""

from __future__ import annotations

import re2

from bench.redaction.redact import Note

_MAIL = re2.compile(r"\b[A-Za-z0-9][A-Za-z0-9._%+-]*@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}\b")
_HOME = re2.compile(r"((?:/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4}))([A-Za-z0-9][A-Za-z0-9._-]*)")
# International form with signs between its groups only: without a plus sign, any id or time looks like a number to call.
_PHONE = re2.compile(r"\+[1-9][0-9]{0,2}[ .-]\(?[0-9]{1,4}\)?(?:[ .-][0-9]{2,4}){2,4}\b")

_NOBODY = (
    "git",
    "noreply",
    "no-reply",
    "donotreply",
    "user",
    "username",
    "you",
    "your",
    "me",
    "someone",
    "name",
    "foo",
    "bar",
)
_NO_DOMAIN = ("example", "test", "invalid", "localhost", "noreply", "acme", "domain", "email", "company", "yourdomain")
_NO_HOME = frozenset(
    {
        "user", "username", "users", "runner", "root", "ubuntu", "vscode", "node", "app", "admin", "dev", "developer", "agent",
        "coder", "codespace", "gitpod", "jovyan", "circleci", "vagrant", "ec2-user", "debian", "linuxbrew", "runneradmin",
        "public", "shared", "default", "me", "you", "name", "your", "yourname", "sandbox", "swe", "claude", "computeruse",
    }
)  # fmt: skip


def replace_personal(text: str, note: Note) -> str:
    """The text with mail addresses, home folders' names and telephone numbers replaced by what ``note`` says."""
    if "@" in text:
        text = str(_MAIL.sub(lambda match, now=text: _mail(match, now, note), text))
    low = text.lower()
    if "/home/" in low or "users" in low:
        text = str(_HOME.sub(lambda match, now=text: _home(match, now, note), text))
    if "+" in text:
        text = str(_PHONE.sub(lambda match, now=text: note("phone", str(match.group(0)), now, match.start()), text))
    return text


def redact_personal(text: str) -> tuple[str, int]:
    """The text without personal data, and how many were replaced; a home folder is called ``user``, so that paths still read."""
    found = 0

    def note(kind: str, secret: str, now: str, start: int) -> str:
        nonlocal found
        found += 1
        return "user" if kind == "home-folder" else f"[redacted:{kind}]"

    return replace_personal(text, note), found


def _mail(match: re2._Match, now: str, note: Note) -> str:
    address = str(match.group(0))
    name, _, host = address.lower().partition("@")
    remote = now[match.end() : match.end() + 1] in (":", "/") and name in ("git", "hg", "svn", "ssh")  # a clone address
    nobody = name in _NOBODY or "noreply" in host or any(part in _NO_DOMAIN for part in host.split("."))
    return address if remote or nobody else note("e-mail", address, now, match.start())


def _home(match: re2._Match, now: str, note: Note) -> str:
    lead, name = str(match.group(1)), str(match.group(2))
    return lead + (name if name.lower() in _NO_HOME else note("home-folder", name, now, match.start(2)))
