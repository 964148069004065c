"""Many runs: results are the same to the last bit however they are computed, and nothing is computed twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parakin import executors
from parakin.errors import ExecutorError
from parakin.executors import LocalProcesses, RowStatus
from tests.executors.support import same
from tests.executors.works import Marking, counts, polynomial

ROWS = 40


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


@pytest.mark.parametrize("chunk", [1, 7, 40, 1000])
def test_results_do_not_depend_on_chunks(marks: Path, tmp_path: Path, chunk: int) -> None:
    alone = executors.evaluate(Marking(marks), ROWS, seed=5)
    results = executors.run(Marking(marks), ROWS, tmp_path / "job", chunk=chunk, seed=5)
    assert results.finished
    assert same(results.read(), alone)
    assert [part.span for part in results.parts()] == list(results.spans)
    assert counts(marks, ROWS) == [2] * ROWS


def test_seeds_and_rows_differ(marks: Path) -> None:
    one, other = (executors.evaluate(Marking(marks), ROWS, seed=seed)["drawn"] for seed in (0, 1))
    assert len(np.unique(np.concatenate([one, other]))) == 2 * 3 * ROWS


def test_rows_that_raise_stand_alone(marks: Path, tmp_path: Path) -> None:
    good = executors.evaluate(Marking(marks), ROWS)
    (tmp_path / "again").mkdir()
    results = executors.run(Marking(tmp_path / "again", raising=(3, 17)), ROWS, tmp_path / "job", chunk=16)
    bad = np.isin(np.arange(ROWS), (3, 17))
    assert np.array_equal(results.status, np.where(bad, RowStatus.RAISED, RowStatus.COMPUTED))
    assert np.isnan(results["drawn"][bad]).all()
    assert np.array_equal(results["drawn"][~bad], good["drawn"][~bad])
    assert results.reasons == {row: f"ArithmeticError: cannot compute [{row}]" for row in (3, 17)}


def test_a_work_that_never_succeeds_is_an_error(marks: Path, tmp_path: Path) -> None:
    work = Marking(marks, raising=tuple(range(4)))
    for folder in (None, tmp_path / "job"):
        with pytest.raises(ExecutorError, match=r"not a single row could be computed; row 0: ArithmeticError: cannot"):
            executors.evaluate(work, 4, folder=folder)


def test_a_job_goes_on_where_it_was_interrupted(marks: Path, tmp_path: Path) -> None:
    whole = executors.evaluate(Marking(marks), ROWS)

    def interrupt(progress: executors.Progress) -> None:
        if progress.done >= 20:
            raise KeyboardInterrupt

    (tmp_path / "again").mkdir()
    work, folder = Marking(tmp_path / "again"), tmp_path / "job"
    with pytest.raises(KeyboardInterrupt):
        executors.run(work, ROWS, folder, chunk=5, progress=interrupt)
    half = executors.read_results(folder)
    assert not half.finished
    assert np.array_equal(half.status, np.repeat([RowStatus.COMPUTED, RowStatus.MISSING], 20))
    assert np.isnan(half["norm"][20:]).all()
    told: list[executors.Progress] = []
    results = executors.run(work, ROWS, folder, chunk=8, resume=True, progress=told.append)
    assert same(results.read(), whole)
    assert counts(tmp_path / "again", ROWS) == [1] * ROWS
    assert [(each.done, each.rows) for each in (told[0], told[-1])] == [(20, ROWS), (ROWS, ROWS)]


DAMAGE = {
    "cut short": lambda content: content[: len(content) // 2],
    "empty": lambda _: b"",
    "a flipped bit in a number": lambda content: content[:-900] + bytes([content[-900] ^ 1]) + content[-899:],
    "another file": lambda _: b"PK\x05\x06" + 18 * b"\0",
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_only_a_damaged_file_is_computed_again(marks: Path, tmp_path: Path, kind: str) -> None:
    whole = executors.run(Marking(marks), ROWS, tmp_path / "job", chunk=8)
    before = whole.read()
    file = tmp_path / "job" / whole.spans[2].file_name
    file.write_bytes(DAMAGE[kind](file.read_bytes()))
    with pytest.raises(ExecutorError, match=r"rows-000000000016-000000000024\.npz has been damaged or removed: resume"):
        whole.read()
    again = executors.run(Marking(marks), ROWS, tmp_path / "job", resume=True)
    assert same(again.read(), before)
    assert counts(marks, ROWS) == [1 + (16 <= row < 24) for row in range(ROWS)]


def test_every_flipped_bit_is_noticed_or_harmless(tmp_path: Path) -> None:
    results = executors.run(executors.OnRows(polynomial, np.ones((4, 2))), 4, tmp_path, chunk=4)
    before, file = results.read(), tmp_path / results.spans[0].file_name
    content = file.read_bytes()
    noticed = 0
    for place in range(0, len(content), 3):
        file.write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        try:
            assert same(results.read(), before)
        except ExecutorError:
            noticed += 1
    assert noticed > len(content) // 6


@pytest.mark.parametrize(
    ("asked", "raising", "words"),
    [
        ((ROWS, 0), (), "holds this job already: resume it"),
        ((ROWS + 1, 0), (), "holds another job: it has 40 as rows, not 41; give another folder"),
        ((ROWS, 1), (), "holds another job: it has 0 as seed, not 1"),
        ((ROWS, 0), (3,), "holds another job: its work, or data of its work, differ"),
    ],
)
def test_a_folder_holds_one_job(
    marks: Path, tmp_path: Path, asked: tuple[int, int], raising: tuple[int, ...], words: str
) -> None:
    executors.run(Marking(marks), ROWS, tmp_path / "job")
    with pytest.raises(ExecutorError, match=words):
        executors.run(Marking(marks, raising), asked[0], tmp_path / "job", seed=asked[1], resume="another" in words)


def test_code_of_another_version_is_refused(marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executors.run(Marking(marks), ROWS, tmp_path / "job")
    monkeypatch.setattr("parakin.executors.job.code_digest", lambda: "other")
    with pytest.raises(ExecutorError, match="begun by another version of parakin's code"):
        executors.run(Marking(marks), ROWS, tmp_path / "job", resume=True)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda rows, _: rows, "must give quantities by name, got ndarray"),
        (lambda rows, _: {"a": rows[1:]}, r"column 'a' must have 4 rows in its first axis, got shape \(3,\)"),
        (lambda _, __: {"a": ["x"] * 4}, "column 'a' must hold numbers or truth values, got <U1"),
        (lambda rows, _: {"a/b": rows}, "'a/b' cannot be the name of a column"),
        (
            lambda rows, _: {"a": rows} if rows[0] else {"b": rows},
            "rows 4 to 7 gave other columns than rows before: a, b",
        ),
    ],
)
def test_a_work_that_gives_no_columns_is_refused(given: executors.Work, words: str) -> None:
    with pytest.raises(ExecutorError, match=words):
        executors.evaluate(given, 8, chunk=4)


@pytest.mark.parametrize(("rows", "chunk", "words"), [(0, 1, "rows: must be"), (1, -1, "chunk: must be")])
def test_numbers_must_make_sense(rows: int, chunk: int, words: str, tmp_path: Path) -> None:
    for folder in (None, tmp_path / "job"):
        with pytest.raises(ExecutorError, match=f"{words} at least 1, got {min(rows, chunk)}"):
            executors.evaluate(executors.OnRows(polynomial, np.zeros((1, 1))), rows, chunk=chunk, folder=folder)


def test_places_that_cannot_hold_a_job_are_refused(tmp_path: Path) -> None:
    work = executors.OnRows(polynomial, np.zeros((1, 1)))
    (tmp_path / "file").write_text("")
    with pytest.raises(ExecutorError, match="cannot be written: File exists"):
        executors.run(work, 1, tmp_path / "file")
    (tmp_path / "job.json").write_text("{}")
    with pytest.raises(ExecutorError, match="is not a job of this version of parakin"):
        executors.run(work, 1, tmp_path)
    with pytest.raises(ExecutorError, match="holds no job"):
        executors.read_results(tmp_path / "nowhere")
    with pytest.raises(ExecutorError, match="resume: needs the folder"):
        executors.evaluate(work, 1, resume=True)
    with pytest.raises(ExecutorError, match="workers of a cluster answer by files: give a folder"):
        executors.evaluate(work, 1, executor=executors.Cluster("tcp://127.0.0.1:1"))


def test_what_cannot_leave_this_process_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ExecutorError, match=r"cannot be sent to other processes: .*; make it a function of a module"):
        executors.run(lambda rows, _: {"a": rows}, 4, tmp_path / "job", executor=LocalProcesses(1))
    with pytest.raises(ExecutorError, match="workers: must be at least 1, got 0"):
        LocalProcesses(0)
    with pytest.raises(ExecutorError, match="workers: at most 1024 processes of one machine, got 1000000"):
        LocalProcesses(10**6)
