"""Rows to Parquet and back. The same rows give the same bytes under one version of pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.exchange.columns import Column, Kind
from bench.exchange.rows import Row
from bench.problems import BrokenInput, Problem, shorten


def write_rows(path: Path, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """Write rows as one Parquet file; a cell that a row lacks is null."""
    import pyarrow.parquet  # heavy, of the extra `data`

    types: dict[Kind, Any] = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "truth": pyarrow.bool_(),
        "bytes": pyarrow.binary(),
        "texts": pyarrow.list_(pyarrow.string()),
        "integers": pyarrow.list_(pyarrow.int64()),
    }
    schema = pyarrow.schema([(column.name, types[column.kind]) for column in columns])
    cells = {column.name: [row.get(column.name) for row in rows] for column in columns}
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table(cells, schema=schema), path, compression="zstd")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of one Parquet file. Raises BrokenInput."""
    import pyarrow.parquet  # heavy, of the extra `data`

    try:
        rows: list[dict[str, Any]] = pyarrow.parquet.ParquetFile(path).read().to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        found = f"no Parquet: {shorten(str(error))}"
        raise BrokenInput([Problem(str(path), None, None, None, found, "export the data again")]) from None
    return rows
