"""The published page of a certificate from end to end is what the commands give today, to the byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILES = (
    "synthetic.md",
    "synthetic.csv",
    "synthetic.certificate.json",
    "synthetic-live.jsonl",
    "synthetic-shifted.jsonl",
)


def test_the_page_is_made_again_to_the_byte(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tests" / "synthetic_certificate.py", tmp_path], check=True, cwd=ROOT)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (ROOT / "reports" / "certificates" / name).read_bytes(), name


def test_it_is_marked_as_invented_wherever_one_looks() -> None:
    folder = ROOT / "reports" / "certificates"
    assert (folder / "synthetic.md").read_text(encoding="utf-8").startswith("# SYNTHETIC")
    assert '"synthetic": true' in (folder / "synthetic.certificate.json").read_text(encoding="utf-8")
    rows = (folder / "synthetic.csv").read_text(encoding="utf-8").splitlines()
    assert all(row.endswith(",invented") for row in rows[1:])
