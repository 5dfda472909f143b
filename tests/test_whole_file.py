"""Files that are replaced whole: whoever reads sees one text or the other, however many write."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.whole_file import write_whole


def test_writers_in_one_process_do_not_take_each_other_s_draft(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "draft.json"
    texts = [str(number) * 2000 for number in range(10)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: write_whole(path, texts[n % 10]), range(800)))
    assert path.read_text(encoding="utf-8") in texts
    assert list(path.parent.iterdir()) == [path], "nothing half is left"
