"""The verdict store: torn lines, two writers, keys, and rows that read back as they were written."""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue
from running_suites import case_tree, run_rows, suite_tree, without_timing, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.judges.contract import Item, Part, Question, Verdict
from bench.problems import BrokenInput
from bench.running.run import ask_questions
from bench.running.store import Asking, Manifest, RunFile, StoredVerdict, line_of, stored
from bench.running.views import Views


def row(item: str = "k1", sample: int = 0, answer: str | None = "yes", **more: object) -> StoredVerdict:
    outcome = {"answer": answer} if answer is not None else {"unscored": "timeout"}
    return StoredVerdict.model_validate({"item": item, "sample": sample, **outcome, **more})


def run_file(folder: Path) -> RunFile:
    return RunFile(folder, "judge-000000000000")


# --- torn and malformed lines ---


@pytest.mark.parametrize("lost", [1, 2, 20])
def test_a_torn_last_line_is_dropped_and_never_appended_to(tmp_path: Path, lost: int) -> None:
    rows = [row("k1"), row("k2", reason="naïve"), row("k3")]
    run_file(tmp_path).append(rows)
    path = run_file(tmp_path).path
    whole = path.read_bytes()
    path.write_bytes(whole[:-lost])
    assert set(run_file(tmp_path).rows()) == {("k1", 0), ("k2", 0)}
    assert path.read_bytes() == whole[:-lost], "reading changes nothing"
    assert run_file(tmp_path).append([row("k3")]) == 1
    assert path.read_bytes() == whole


def test_a_file_that_is_one_torn_line_starts_anew(tmp_path: Path) -> None:
    path = run_file(tmp_path).path
    path.write_bytes(b'{"item":"k1","sam')
    assert run_file(tmp_path).rows() == {}
    run_file(tmp_path).append([row("k1")])
    assert path.read_bytes() == line_of(row("k1"))


def test_a_torn_line_longer_than_the_blocks_it_is_looked_for_in(tmp_path: Path) -> None:
    run_file(tmp_path).append([row("k1")])
    path = run_file(tmp_path).path
    path.write_bytes(path.read_bytes() + b"x" * 200_000)
    run_file(tmp_path).append([row("k2")])
    assert path.read_bytes() == line_of(row("k1")) + line_of(row("k2"))


def test_a_torn_line_is_judged_again_by_the_next_run(tmp_path: Path) -> None:
    layout = _suite(tmp_path)
    assert main(["run", "--suite", str(layout.suite)]) == 0
    before = run_rows(layout)
    (path,) = layout.runs.glob("prompts-*.jsonl")
    path.write_bytes(path.read_bytes()[:-30])
    assert main(["run", "--suite", str(layout.suite)]) == 0
    assert {j: list(map(without_timing, rows)) for j, rows in run_rows(layout).items()} == {
        j: list(map(without_timing, rows)) for j, rows in before.items()
    }


MALFORMED = {
    "no JSON": b"{'item': 1}",
    "an empty line": b"",
    "an unknown field": b'{"item":"k","sample":0,"answer":"yes","mood":1}',
    "a sample that is text": b'{"item":"k","sample":"0","answer":"yes"}',
    "an unknown reason": b'{"item":"k","sample":0,"unscored":"bored"}',
    "no outcome": b'{"item":"k","sample":0}',
    "two outcomes": b'{"item":"k","sample":0,"answer":"yes","unscored":"timeout"}',
    "NaN": b'{"item":"k","sample":0,"answer":"yes","p":NaN}',
    "1e999": b'{"item":"k","sample":0,"answer":"yes","score":1e999}',
    "a probability over 1": b'{"item":"k","sample":0,"answer":"yes","p":1.5}',
    "two rows in one line": line_of(row("k1"))[:-1] + line_of(row("k2"))[:-1],
    "bytes that are not UTF-8": b'{"item":"\xff","sample":0,"answer":"yes"}',
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_whole_line_names_file_and_line(tmp_path: Path, kind: str) -> None:
    path = run_file(tmp_path).path
    path.write_bytes(line_of(row("k1")) + line_of(row("k2")) + MALFORMED[kind] + b"\n" + line_of(row("k3")))
    with pytest.raises(BrokenInput) as caught:
        run_file(tmp_path).rows()
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (path.as_posix(), 3)
    assert "version control" in problem.fix


def test_the_line_is_right_also_when_the_file_is_read_in_steps(tmp_path: Path) -> None:
    file = run_file(tmp_path)
    file.append([row("k1"), row("k2")])
    file.rows()
    run_file(tmp_path).append([row("k3")])
    file.rows()
    file.path.write_bytes(file.path.read_bytes() + b"oops\n")
    with pytest.raises(BrokenInput) as caught:
        file.rows()
    assert caught.value.problems[0].line == 4


def test_a_malformed_line_of_a_run_is_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = _suite(tmp_path)
    main(["run", "--suite", str(layout.suite)])
    (path,) = layout.runs.glob("prompts-*.jsonl")
    path.write_bytes(b"oops\n" + path.read_bytes())
    assert main(["run", "--suite", str(layout.suite)]) == 3
    assert f"{path.as_posix()}:1" in capsys.readouterr().err


def test_a_broken_index_of_projections_names_file_and_line(tmp_path: Path) -> None:
    layout = _suite(tmp_path)
    main(["run", "--suite", str(layout.suite)])
    index = layout.runs / "projections.jsonl"
    index.write_bytes(index.read_bytes()[:-10])
    with pytest.raises(BrokenInput) as caught:
        Views(index, folders=None)  # type: ignore[arg-type]
    assert caught.value.problems[0].line == index.read_bytes().count(b"\n") + 1


# --- two writers ---

KEYS = 200


def _write_all(folder: str, seed: int, together: Barrier) -> None:
    """A writer: every key in its own order, in batches of one to five, re-opening the file now and then."""
    generator = random.Random(seed)
    together.wait(30)
    order = list(range(KEYS))
    generator.shuffle(order)
    file = run_file(Path(folder))
    while order:
        size = generator.randint(1, 5)
        batch, order = order[:size], order[size:]
        time.sleep(generator.uniform(0, 0.004))  # a waiting writer looks for the lock every 50 ms
        file.append(row(f"k{n}", reason=f"writer {seed} " + "x" * (n * 37 % 900)) for n in batch)
        if generator.random() < 0.1:
            file = run_file(Path(folder))


def test_two_processes_lose_double_and_corrupt_nothing(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    together = spawn.Barrier(2)
    writers = [spawn.Process(target=_write_all, args=(str(tmp_path), seed, together)) for seed in (1, 2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(30)
    assert [writer.exitcode for writer in writers] == [0, 0]
    lines = run_file(tmp_path).path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    held = [StoredVerdict.model_validate_json(line, strict=True) for line in lines]
    assert sorted(r.item for r in held) == sorted(f"k{n}" for n in range(KEYS))
    assert len({str(r.reason)[:8] for r in held}) == 2, "both wrote"


def test_each_writer_sees_what_the_other_wrote(tmp_path: Path) -> None:
    one, two = run_file(tmp_path), run_file(tmp_path)
    one.append([row("k1")])
    assert two.append([row("k1", answer="no"), row("k2")]) == 1
    assert one.append([row("k2", answer="no")]) == 0
    assert one.rows() == two.rows() == {("k1", 0): row("k1"), ("k2", 0): row("k2")}


def test_a_key_twice_in_one_batch_is_written_once(tmp_path: Path) -> None:
    assert run_file(tmp_path).append([row("k1"), row("k1")]) == 1
    assert run_file(tmp_path).path.read_bytes() == line_of(row("k1"))


def test_two_indexes_of_projections_are_joined(tmp_path: Path) -> None:
    layout = _suite(tmp_path)
    main(["run", "--suite", str(layout.suite), "--case", "S001"])
    index = layout.runs / "projections.jsonl"
    first = index.read_bytes()
    main(["run", "--suite", str(layout.suite)])
    both = index.read_bytes()
    index.write_bytes(first)
    main(["run", "--suite", str(layout.suite)])
    assert index.read_bytes() == both


# --- keys ---


def test_another_sample_or_another_item_is_another_row(tmp_path: Path) -> None:
    rows = [row("k1", 0), row("k1", 1, "no"), row("k2", 0), row("k2", 1)]
    assert run_file(tmp_path).append(rows) == 4
    assert list(run_file(tmp_path).rows()) == [("k1", 0), ("k1", 1), ("k2", 0), ("k2", 1)]


def test_a_scored_row_stays_and_an_unscored_one_gives_way_to_a_scored_one(tmp_path: Path) -> None:
    file = run_file(tmp_path)
    assert file.append([row("k1"), row("k2", answer=None)]) == 2
    assert file.append([row("k1", answer="no"), row("k2", answer=None, detail="again")]) == 0
    assert file.append([row("k2", answer="no")]) == 1
    assert file.append([row("k2", answer=None)]) == 0
    wanted = {("k1", 0): row("k1"), ("k2", 0): row("k2", answer="no")}
    assert file.rows() == run_file(tmp_path).rows() == wanted


def test_unscored_rows_are_redone_on_request_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = _suite(tmp_path, judge="running_suites:Moody")
    command = ["run", "--suite", str(layout.suite)]
    monkeypatch.setenv("MOOD", "abstained")
    assert main(command) == 0, "an unscored verdict is stored, so nothing is missing"
    monkeypatch.setenv("MOOD", "yes")
    assert main(command) == 0
    assert _answers(layout) == {None: 4}
    assert main([*command, "--redo-unscored"]) == 0
    assert _answers(layout) == {"yes": 4}
    monkeypatch.setenv("MOOD", "no")
    assert main([*command, "--redo-unscored"]) == 0
    assert _answers(layout) == {"yes": 4}, "a scored verdict is never redone"


def test_a_redone_verdict_that_is_unscored_again_adds_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = _suite(tmp_path, judge="running_suites:Moody")
    monkeypatch.setenv("MOOD", "abstained")
    main(["run", "--suite", str(layout.suite)])
    before = run_rows(layout)
    monkeypatch.setenv("MOOD", "timeout")
    main(["run", "--suite", str(layout.suite), "--redo-unscored"])
    assert run_rows(layout) == before


def _suite(root: Path, judge: str = "prompts") -> Layout:
    entry = {"judge": judge, "answers": ["polite", "solved"]}
    if judge == "prompts":
        entry["parameters"] = {"at_least": "1"}
    return write(root, suite_tree([entry]), [case_tree("S001"), case_tree("S002")])


def _answers(layout: Layout) -> dict[str | None, int]:
    """The last answer of every key, counted."""
    ((_, rows),) = run_rows(layout).items()
    last = {(r["item"], r["sample"]): r.get("answer") for r in rows}
    return {answer: list(last.values()).count(answer) for answer in last.values()}


# --- bytes ---

anything = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(
    ["\u2028", "\u2029", "\x85", "\x00", "\r\n", "\n", "\ud800", "\udfff\ud800", "\\ud800", "\ufeff", '"\\', "🜁"]
)
finite = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@given(
    answer=st.none() | st.sampled_from(["yes", "no", "5", "nowhere"]),
    texts=st.tuples(anything, anything),
    numbers=st.tuples(st.none() | st.floats(0, 1), finite, finite),
    counts=st.tuples(st.none() | st.integers(0, 10**12), st.lists(st.integers(1, 10**6), max_size=4)),
    sample=st.integers(0, 99),
)
@settings(max_examples=150, deadline=None)
def test_a_row_reads_back_as_it_was_written(answer, texts, numbers, counts, sample) -> None:  # type: ignore[no-untyped-def]
    verdict = Verdict(
        answer=answer,
        unscored=None if answer is not None else "refused",
        detail=texts[0],
        reason=texts[1],
        p=numbers[0],
        score=numbers[1],
        cost_usd=numbers[2],
        tokens_in=counts[0],
        evidence=tuple(counts[1]),
    )
    written = stored(verdict, "k1", sample, Asking(0.1, "2026-05-04T09:00:00+00:00", "S001/a1/x"))
    line = line_of(written)
    assert line.endswith(b"\n") and line.count(b"\n") == 1 and b"\r" not in line
    assert StoredVerdict.model_validate_json(line, strict=True) == written
    assert line_of(StoredVerdict.model_validate_json(line, strict=True)) == line
    for text, kept in zip(texts, (written.detail, written.reason), strict=True):
        assert kept == "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def test_odd_line_ends_in_a_text_do_not_end_a_row(tmp_path: Path) -> None:
    odd = "a\u2028b\u2029c\x85d\x00e\x0bf\x0cg\x1ch"
    run_file(tmp_path).append([row("k1", reason=odd), row("k2")])
    assert run_file(tmp_path).rows()["k1", 0].reason == odd


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    rows = [row(f"k{n}", n % 3, reason="ü", p=n / 19) for n in range(20)]
    for name, batches in (("a", [rows]), ("b", [[r] for r in rows])):
        for batch in batches:
            run_file(tmp_path / name).append(batch)
    assert run_file(tmp_path / "a").path.read_bytes() == run_file(tmp_path / "b").path.read_bytes()


def test_a_row_without_a_clock_has_no_clock() -> None:
    assert line_of(row("k1", evidence=(3,))) == b'{"item":"k1","sample":0,"answer":"yes","evidence":[3]}\n'


def test_the_manifest_is_the_same_each_time_and_mended_where_it_is_torn(tmp_path: Path) -> None:
    file = run_file(tmp_path)
    manifest = Manifest("judge-000000000000", "judgé", "events@1", {"b": 1, "a": [2]})
    file.write_manifest(manifest)
    whole = file.manifest_path.read_bytes()
    assert json.loads(whole) == {**manifest.__dict__}
    file.manifest_path.write_bytes(whole[: whole.index(b"\xc3") + 1])
    file.write_manifest(manifest)
    assert file.manifest_path.read_bytes() == whole
    assert [p.name for p in tmp_path.iterdir()] == [file.manifest_path.name]


# --- faults of a judge are verdicts without an answer ---

FAULTY = {
    "abstained": "abstained",
    "raises": "error",
    "exits": "error",
    "text": "unparsed",
    "other answer": "out_of_range",
    "p over 1": "out_of_range",
    "p nan": "out_of_range",
    "p text": "error",
    "score infinite": "out_of_range",
    "cost nan": "error",
    "unknown reason": "error",
    "reason no text": "error",
    "surrogate": None,
}


class Faulty:
    """A judge of ours that fails as it likes: the runner guards every judge, not only those of users."""

    name, receives = "faulty", frozenset[Part]()

    def __init__(self, does: Callable[[], Sequence[Verdict]]) -> None:
        self.does = does

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        return self.does()


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        (lambda: sys.exit(0), "error"),
        (lambda: 1 / 0, "error"),
        (lambda: None, "error"),
        (lambda: [], "missing_answer"),
        (lambda: [Verdict("yes")], "missing_answer"),
        (lambda: [Verdict("yes")] * 3, "missing_answer"),
        (lambda: [Verdict("Yes")] * 2, "out_of_range"),
    ],
)
def test_the_runner_guards_every_judge(does: Callable[[], Sequence[Verdict]], reason: str) -> None:
    question = Question("yes_no", "Is it so?", (("yes", "It is."), ("no", "It is not.")))
    assert [v.unscored for v in ask_questions(Faulty(does), Item(), [question] * 2, 0)] == [reason] * 2


@pytest.mark.parametrize("mood", FAULTY)
def test_a_fault_of_the_judge_is_a_reason_and_never_the_end_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mood: str
) -> None:
    layout = _suite(tmp_path, judge="running_suites:Moody")
    monkeypatch.setenv("MOOD", mood)
    assert main(["run", "--suite", str(layout.suite)]) == 0
    ((_, rows),) = run_rows(layout).items()
    assert {r.get("unscored") for r in rows} == {FAULTY[mood]}
    assert len(rows) == 4
    assert all("answer" in r or r.get("detail") for r in rows), "a reason comes with what happened"
