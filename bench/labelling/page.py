"""The page: one document with its style and script inside, so that it asks for nothing else."""

from __future__ import annotations

import secrets
from functools import cache
from importlib.resources import files

_SCRIPTS = ("server.js", "guide.js", "session.js", "search.js", "question.js", "votes.js", "keys.js", "sitting.js")


def page() -> tuple[str, str]:
    """The document, and the policy that lets its own style and script run and nothing else."""
    nonce = secrets.token_urlsafe(16)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return _document().replace("@NONCE@", nonce), policy


@cache
def _document() -> str:
    scripts = "\n".join(_asset(name) for name in _SCRIPTS)
    return _asset("page.html").replace("@STYLE@", _asset("page.css")).replace("@SCRIPT@", scripts)


def _asset(name: str) -> str:
    return files("bench.labelling").joinpath("assets", name).read_text(encoding="utf-8")
