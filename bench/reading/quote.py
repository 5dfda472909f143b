"""Write a value so that strict YAML reads it back as it was meant, whatever it holds."""

from __future__ import annotations

import json


def quoted(value: object) -> str:
    """JSON (a double-quoted YAML scalar, or a flow of them) with every character escaped that YAML reads in its own way.

    A character beyond U+FFFF is escaped as YAML does it, not as JSON's pair of surrogates, which libyaml refuses.
    """
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:  # a lone surrogate is no text in any file
        code = 0xFFFD
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
