"""The JSON Schemas for editors are those of the code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.cli import main
from bench.commands.schema import SCHEMAS, schema_texts

FOLDER = Path(__file__).parent.parent / "docs" / "schemas"


@pytest.mark.parametrize("name", SCHEMAS)
def test_is_up_to_date(name: str) -> None:
    assert (FOLDER / f"{name}.schema.json").read_text(encoding="utf-8") == schema_texts()[name], "run bench schema"


def test_no_schema_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.schema.json" for name in SCHEMAS}


@pytest.mark.parametrize("name", SCHEMAS)
def test_is_closed_and_names_its_version(name: str) -> None:
    schema = json.loads(schema_texts()[name])
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    if name not in ("rule", "bench-toml"):  # these carry no version
        # unquoted in the files, where an editor's parser sees a number
        assert schema["properties"]["schema"]["const"] == 1
    records = [schema, *schema.get("$defs", {}).values()]
    assert all(r["additionalProperties"] is False for r in records if r.get("type") == "object" and "properties" in r)


def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--out", str(tmp_path / "deep" / "out")]) == 0
    assert {p.name: p.read_text(encoding="utf-8") for p in (tmp_path / "deep" / "out").iterdir()} == {
        f"{name}.schema.json": text for name, text in schema_texts().items()
    }
    assert f"{len(SCHEMAS)} schemas" in capsys.readouterr().out
