"""bench scan: kind and place, never the secret; exit codes; what it looks through."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from planted import ALNUM, planted
from printed import flat
from running_suites import case_tree, suite_tree, write

from bench.cli import main
from bench.leaks.scan import leaks_in, scan
from bench.verify.checks import nothing_leaks

SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zaB3dE6gH"
ROOT = Path(__file__).parent.parent


def test_a_clean_folder_is_exit_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text("nothing here\n")
    assert main(["scan", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 file, 0.0 million characters: nothing found\n"


def test_a_secret_is_told_by_kind_and_line_and_three_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text(f"one\ntwo\nit is {SECRET} here\n")
    assert main(["scan", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"{tmp_path.as_posix()}/deep/a.md:3: github-token (ghp...)\n" in out
    assert SECRET[4:8] not in out


def test_json_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"a": 1}}\n{{"token": "{SECRET}"}}\n')
    assert main(["scan", str(tmp_path), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["exit_code"] == 1
    assert [(leak["line"], leak["kind"], leak["starts"]) for leak in told["found"]] == [(2, "github-token", "ghp")]
    assert SECRET[4:8] not in json.dumps(told)


def test_no_output_holds_more_than_three_characters_of_any_planted_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [p.text for p in planted(rounds=1)]
    (tmp_path / "all.txt").write_text("\n\n".join(texts))
    assert main(["scan", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.count("(") >= len(texts)
    assert [p.kind for p in planted(rounds=1) if p.core[3:9] in out and len(p.core) > 8] == []


def test_lines_stay_right_behind_a_key_of_many_lines() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + f"{ALNUM}+/\n" * 5 + "-----END RSA PRIVATE KEY-----\n"
    assert [(line, kind) for line, kind, _ in leaks_in(f"a\n{key}b\n{SECRET}\n")] == [
        (2, "private-key"),
        (10, "github-token"),
    ]


def test_a_page_is_read_without_its_escapes(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>password = &quot;aB3dE6gH9jK2mN5p&quot;</p>")
    assert [leak.kind for leak in scan([tmp_path]).leaks] == ["named-secret"]


def test_a_table_is_told_by_row_and_column(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"n": [1, 2], "text": ["fine", f"see {SECRET}"], "bytes": [SECRET.encode(), b""], "list": [[], [SECRET]]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    found = {(leak.line, leak.column, leak.kind) for leak in scan([tmp_path]).leaks}
    assert found == {(2, "text", "github-token"), (1, "bytes", "github-token"), (2, "list", "github-token")}


def test_planted_fakes_are_told_and_not_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fake.yaml").write_text(SECRET)
    assert main(["scan", str(tmp_path), "--planted", "*/fake.yaml"]) == 0
    out = capsys.readouterr().out
    assert "github-token (ghp...), planted" in out
    assert "nothing found, 1 planted" in out


def test_personal_data_are_told_on_demand(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("by miriam.k@firma.de in /home/miriam\n")
    assert scan([tmp_path]).leaks == ()
    assert [leak.kind for leak in scan([tmp_path], personal=True).leaks] == ["e-mail", "home-folder"]


def test_what_holds_no_text_is_counted_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00" + SECRET.encode())
    assert main(["scan", str(tmp_path)]) == 0
    assert "no text and not looked into: 1 file" in flat(capsys.readouterr().out)


@pytest.mark.parametrize("name", ["missing", "broken.parquet"])
def test_what_cannot_be_read_is_exit_3(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    assert main(["scan", str(tmp_path / name)]) == 3
    assert "to mend" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_exit_3(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "a").chmod(0)
    assert main(["scan", str(tmp_path)]) == 3


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_text(SECRET)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "outside" / "a")
    assert scan([tmp_path / "in"]).leaks == ()


def test_what_is_shipped_holds_no_secret() -> None:
    """All but the authored cases, whose planted fakes are announced (bench lint), and tests."""
    paths = [ROOT / name for name in ("labels", "reports", "docs", "cases/lessons/natural", "README.md", "bench")]
    assert [str(leak) for leak in scan(paths).leaks] == []


def test_the_second_opinion_adds_what_it_alone_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def seen(text: str) -> list[SimpleNamespace]:
        lines = [number for number, line in enumerate(text.splitlines(), 1) if "odd" in line or "ghp" in line]
        return [
            SimpleNamespace(visible=True, rule_id="odd", secret="oddity-that-is-long", location={"line": n})
            for n in lines
        ]

    library = SimpleNamespace(Scanner=lambda *_, **__: SimpleNamespace(scan=seen), Rules=lambda **_: None)
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", library)
    (tmp_path / "a.txt").write_text(f"{SECRET}\nan oddity\n")
    assert main(["scan", str(tmp_path), "--second"]) == 1
    out = capsys.readouterr().out
    assert "a.txt:1: github-token (ghp...)" in out
    assert "a.txt:2: kingfisher:odd (odd...)" in out
    assert out.count("a.txt:1") == 1


def test_the_second_opinion_must_be_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    assert main(["scan", str(tmp_path), "--second"]) == 3
    assert "lessonbench[scan]" in capsys.readouterr().err


def test_the_library_itself_finds_a_github_token(tmp_path: Path) -> None:
    pytest.importorskip("kingfisher_sdk")
    (tmp_path / "a.txt").write_text("sk_" + "live_aB3dE6gH9jK2mN5pQ8sT1vW4\n")
    assert main(["scan", str(tmp_path), "--second"]) == 1


def test_verify_names_a_secret_among_labels_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = write(tmp_path, suite_tree([{"judge": "always-yes", "answers": ["polite"]}]), [case_tree("S001")])
    assert nothing_leaks(layout).status == "met"
    (layout.labels / "notes" / "S001.yaml").write_text(
        f"# {SECRET}\n" + (layout.labels / "notes" / "S001.yaml").read_text()
    )
    check = nothing_leaks(layout)
    assert (check.status, check.found) == (
        "not met",
        "1 found, the first: labels/support/notes/S001.yaml:1: github-token (ghp...)",
    )
    assert main(["verify", "--suite", str(layout.suite)]) == 1
    told = capsys.readouterr().out
    assert "labels/support/notes/S001.yaml:1" in told
    assert SECRET[4:8] not in told


def test_of_a_short_secret_less_is_told() -> None:
    assert leaks_in("curl -u a:xyz https://example.org") == [(1, "curl-password", "")]
