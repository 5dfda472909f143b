"""A page about file formats: every field, its type and default from the records that read it, its meaning from their comments."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from reference_text import code, page, plain, table

from bench.commands.schema import SCHEMAS
from bench.deciding.certificate import Certificate
from bench.judges.beacon_rules import BeaconRule
from bench.judges.head.model import Head
from bench.policies.files import PolicyFile
from bench.schema.base import Record

# Beside those that have a JSON Schema for editors.
FURTHER: dict[str, type[Record]] = {
    "policies": PolicyFile,
    "certificate": Certificate,
    "head": Head,
    "beacon-rule": BeaconRule,
}
PLACES = {
    "case": "cases/SUITE/STRATUM/ID.yaml",
    "suite": "cases/SUITE/suite.yaml",
    "splits": "cases/SUITE/splits.yaml, written by bench split",
    "votes": "labels/SUITE/votes/ANNOTATOR/ID.yaml",
    "checks": "labels/SUITE/checks.yaml",
    "adjudication": "labels/SUITE/adjudicated/ID.yaml",
    "note": "labels/SUITE/notes/ID.yaml",
    "rule": "NAME.rule.yaml",
    "probes": "cases/SUITE/probes.yaml",
    "bench-toml": "bench.toml",
    "policies": "any YAML file, for --policies and --policy",
    "certificate": "NAME.certificate.json, written by bench calibrate",
    "head": "a JSON file, written by bench train",
    "beacon-rule": "NAME.rule.yaml in the dialect of Beacon",
}
_COMMENTED = re.compile(r"^    (\w+): .*?  # (.+)$", re.MULTILINE)


def formats() -> str:
    """Every file format."""
    every = {**SCHEMAS, **FURTHER}
    told = (
        "The files that bench reads and writes. A field that is not listed is an error, named with file and line. "
        "Where a schema for editors is there, it is linked."
    )
    listing = table(("format", "where"), ((f"[{name}](#{name})", PLACES[name]) for name in every))
    seen: dict[type[Record], str] = {}
    return page("File formats", told, [listing, *(_format(name, model, seen) for name, model in every.items())])


def _format(name: str, model: type[Record], seen: dict[type[Record], str]) -> str:
    """A format and the records that it is made of; a record that stood before is not told again."""
    schema = model.model_json_schema(by_alias=True)
    classes = {cls.__name__: cls for cls in _within(model)}
    for cls in classes.values():
        seen.setdefault(cls, f"#{cls.__name__.lower()}-in-{name}")
    links = {cls.__name__: f"[{cls.__name__}]({seen[cls]})" for cls in classes.values()}
    link = f" [Schema](../schemas/{name}.schema.json)." if name in SCHEMAS else ""
    parts = [f"## {name}", f"{_first(model)}{link}", _fields(model, schema, links)]
    for inner, tree in sorted(schema.get("$defs", {}).items()):
        if "properties" in tree and seen[classes[inner]].endswith(f"-in-{name}"):
            parts += [f"### {inner} in {name}", _first(classes[inner]), _fields(classes[inner], tree, links)]
    return "\n\n".join(part for part in parts if part)


def _first(model: type[Record]) -> str:
    return plain((inspect.getdoc(model) or "").split("\n\n")[0])


def _fields(model: type[Record], tree: dict[str, Any], links: Mapping[str, str]) -> str:
    said = _comments(model)
    names = {(field.alias or name): name for name, field in model.model_fields.items()}
    needed = tree.get("required", [])
    rows = (
        (code(name), _type(one, links), "needed" if name in needed else _default(one), plain(said.get(names[name], "")))
        for name, one in tree["properties"].items()
    )
    return table(("field", "type", "default", "meaning"), rows)


def _comments(model: type[Record]) -> dict[str, str]:
    """What stands behind a field in the code, base classes included."""
    sources = [
        inspect.getsource(cls) for cls in reversed(model.__mro__) if issubclass(cls, Record) and cls is not Record
    ]
    return {name: told for source in sources for name, told in _COMMENTED.findall(source)}


def _default(tree: dict[str, Any]) -> str:
    default = tree.get("default")
    if default is None or default in ([], {}) or isinstance(default, dict):
        return ""
    return code(
        {True: "true", False: "false"}.get(default, str(default)) if isinstance(default, bool) else str(default)
    )


def _type(tree: dict[str, Any], links: Mapping[str, str]) -> str:
    """A type in words."""
    if "$ref" in tree:
        name = tree["$ref"].rpartition("/")[2]
        return links.get(name, "any value" if name == "JsonValue" else name)
    if "const" in tree:
        return f"always {code(str(tree['const']))}"
    if "enum" in tree:
        return " or ".join(code(str(one)) for one in tree["enum"])
    for several in ("anyOf", "oneOf"):
        if several in tree:
            kinds = [_type(one, links) for one in tree[several] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if tree.get("type") == "array":
        return f"list of {_type(tree.get('items') or {}, links)}"
    if tree.get("type") == "object":
        inner = tree.get("additionalProperties") or next(iter(tree.get("patternProperties", {}).values()), {})
        return f"map to {_type(inner if isinstance(inner, dict) else {}, links)}"
    return _scalar(tree)


def _scalar(tree: dict[str, Any]) -> str:
    kind = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}.get(
        str(tree.get("type")), "any value"
    )
    if tree.get("format") == "date-time":
        return "moment with its zone"
    bounds = {"minimum": "at least", "exclusiveMinimum": "over", "maximum": "at most", "exclusiveMaximum": "under"}
    told = [f"{word} {tree[key]:g}" for key, word in bounds.items() if key in tree]
    if "pattern" in tree:
        told.append(
            "an id" if tree["pattern"].startswith("^[A-Za-z0-9][A-Za-z0-9._-]") else f"like {code(tree['pattern'])}"
        )
    return ", ".join([kind, *told])


def _within(model: type[Record]) -> Iterator[type[Record]]:
    """The record and every record in its fields."""
    seen: set[type[Record]] = set()
    left: list[Any] = [model]
    while left:
        one = left.pop()
        if isinstance(one, type) and issubclass(one, Record):
            if one not in seen:
                seen.add(one)
                yield one
                left += [field.annotation for field in one.model_fields.values()]
        else:
            left += typing.get_args(one)
