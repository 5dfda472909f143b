"""Plain-text tables: the name under which reports know them."""

from __future__ import annotations

from bench.terminal.table import columns as columns
