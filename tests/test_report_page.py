"""The data embedded in the page: columns, operating points and packed attempts say what the rows say, and hold no markup."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_suites import HOSTILE, LONG, hostile_suite, page_suite, write_page_suite

import bench.report.page.sessions as sessions
from bench.benchmark import Benchmark, examine
from bench.cases.sources import SessionFolders
from bench.report.page.codes import Codes
from bench.report.page.payload import payload, places_of
from bench.report.page.render import page
from bench.report.page.sessions import Packed, pack_attempts
from bench.report.page.thresholds import MOST_POINTS, operating_points


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return examine(write_page_suite(tmp_path_factory.mktemp("page"), page_suite(30)), SessionFolders(()))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return examine(write_page_suite(tmp_path_factory.mktemp("hostile"), hostile_suite()), SessionFolders(()))


def unpacked(packed: Packed) -> list[Any]:
    return [attempt for pack in packed.packs for attempt in json.loads(gzip.decompress(base64.b64decode(pack)))]


def test_the_columns_say_what_the_rows_say(benchmark: Benchmark) -> None:
    told: Any = payload(benchmark)
    places = places_of(benchmark)
    seen = 0
    for judge, (outcome, rows) in zip(told["judges"], benchmark.headline, strict=True):
        assert judge["name"] == outcome.judge.judge.name
        for row in rows:
            at = places[row.case, row.attempt]
            column = judge["verdicts"][row.statement]
            assert told["codes"][column["said"][at]] == ["answer", row.answer]
            assert told["codes"][told["labels"][row.statement][at]] == ["answer", row.label.answer]
            assert column.get("p", [None] * len(places))[at] == (None if row.p is None else round(row.p, 4))
            assert told["attempts"]["case"][at] == row.case
            for name in ("family", "stratum", "split"):
                held = told["attempts"][name]
                assert held["names"][held["at"][at]] == getattr(row, name)
            assert told["attempts"]["place"][at] == f"{row.file}:{row.line}"
            seen += 1
    assert seen == 30 * 2 * 4


def test_operating_points_count_as_one_counts_by_hand(benchmark: Benchmark) -> None:
    curves: Any = operating_points(benchmark)
    assert {curve["side"] for curve in curves} == {"development", "reported"}
    for curve in curves:
        _, rows = benchmark.headline[curve["judge"]]
        splits = ("development",) if curve["side"] == "development" else ("calibration", "test", "all")
        mine = [r for r in rows if r.statement == curve["statement"] and r.split in splits]
        for at, tp, fp in zip(curve["at"], curve["tp"], curve["fp"], strict=True):
            said_yes = [r.label.answer for r in mine if r.p is not None and r.p >= at]
            assert (tp, fp) == (said_yes.count("yes"), said_yes.count("no"))
        assert curve["yes"] + curve["no"] == len(mine)
        assert curve["at"] == sorted(set(curve["at"]), reverse=True)
        assert len(curve["at"]) <= MOST_POINTS


@given(st.lists(st.sampled_from(["yes", "no", "tied", "refused"]), max_size=80))
def test_a_code_stands_for_one_thing(words: list[str]) -> None:
    codes = Codes()
    made = [codes.of("answer", word) for word in words]
    table: Any = codes.table()
    assert [table[code][1] for code in made] == words
    assert all(len(code) == 1 for code in made)


def test_as_many_codes_as_a_suite_may_need() -> None:
    codes = Codes()
    assert len({codes.of("answer", str(level)) for level in range(9_000)}) == 9_000


def test_an_attempt_is_packed_with_votes_and_what_judges_said(benchmark: Benchmark) -> None:
    packed = pack_attempts(benchmark, places_of(benchmark), "inline")
    assert packed.left_out == 0
    attempts = unpacked(packed)
    first = attempts[packed.at[0]]
    assert first["query"] == "Mend the lamp S000."
    assert [event[0] for event in first["events"]] == [1, 2, 3]
    assert first["votes"]["solved"][0][:2] == ["ann", benchmark.labels.label(("S000", "a1", "solved")).answer]
    guess = next(n for n, (o, _) in enumerate(benchmark.headline) if o.judge.judge.name.endswith("Guess"))
    assert first["said"][f"{guess}/solved"][0]["evidence"] == [1]


def test_what_is_most_disputed_is_kept_first_and_the_rest_is_counted(benchmark: Benchmark) -> None:
    places = places_of(benchmark)
    whole = pack_attempts(benchmark, places, "inline")
    part = pack_attempts(benchmark, places, "inline", limit=len(whole.packs[0]))
    assert part.left_out == len(places) - 16
    wrong = dict.fromkeys(range(len(places)), 0)
    for _, rows in benchmark.headline:
        for row in rows:
            if row.split == "test" and row.answer != row.label.answer:
                wrong[places[row.case, row.attempt]] += 10 if row.statement == "solved" else 1
    kept = [wrong[n] for n, at in enumerate(part.at) if at >= 0]
    assert min(kept) >= max(wrong[n] for n, at in enumerate(part.at) if at < 0)


def test_without_sessions_votes_stay_and_the_command_is_named(benchmark: Benchmark) -> None:
    for attempt in unpacked(pack_attempts(benchmark, places_of(benchmark), "none")):
        assert "events" not in attempt
        assert "bench show S" in attempt["why"]
        assert attempt["votes"]["solved"]


def test_the_same_benchmark_gives_the_same_page(benchmark: Benchmark) -> None:
    assert page(benchmark, (), "inline") == page(benchmark, (), "inline")


def test_the_policy_names_the_script_and_style_that_are_there(benchmark: Benchmark) -> None:
    text = page(benchmark, (), "inline")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    for tag, name in (("script", "script-src"), ("style", "style-src")):
        [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.search(r"<[^>]+ style=|<[^>]+ on[a-z]+=", text), "neither inline styles nor handlers"
    assert not re.search(r"""(src|href)=["']?(https?:|//)""", text), "nothing from outside"


def test_hostile_text_is_no_markup_anywhere_in_the_file(hostile: Benchmark) -> None:
    text = page(hostile, (), "inline")
    assert text.count("<script") == 5 == text.count("</script>")  # four blocks of data, and the page's own
    for attack in HOSTILE[:4]:
        assert attack not in text
    packed = pack_attempts(hostile, places_of(hostile), "inline")
    told = json.dumps(unpacked(packed), ensure_ascii=False)
    assert HOSTILE[0] in told, "the words are there, as text"
    assert not set("\u202e\u2066\u200b\x1b\x07") & set(told), "what turns or hides text is written out"


def test_a_line_of_a_megabyte_is_cut_by_the_projection(hostile: Benchmark) -> None:
    attempts = unpacked(pack_attempts(hostile, places_of(hostile), "inline"))
    longest = max(len(text) for a in attempts for e in a["events"] if e[0] for _, text in e[2])
    assert longest < len(LONG) / 10


def test_a_pack_holds_few_attempts(benchmark: Benchmark) -> None:
    sizes = [
        len(json.loads(gzip.decompress(base64.b64decode(p))))
        for p in pack_attempts(benchmark, places_of(benchmark), "inline").packs
    ]
    assert sizes == [16, 14]
    assert sessions.LIMIT < 20_000_000, "a page of 20 MB is no page"
