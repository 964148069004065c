"""Processes of this machine: results as in one process, whatever becomes of workers and of the driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from parakin import executors
from parakin.errors import ExecutorError
from parakin.executors import LocalProcesses, RowStatus
from tests.executors.support import LONG_ENOUGH, environment, files, same, wait_for
from tests.executors.works import Marking, counts

ROWS = 24
PAUSE = 0.1
"""Time that a row takes, so that a job lasts long enough to be disturbed [s]."""


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


def alone(tmp_path: Path, work: Marking) -> executors.RowResults:
    """The results of one process."""
    (tmp_path / "alone").mkdir()
    return executors.evaluate(Marking(tmp_path / "alone", work.raising), ROWS, seed=2)


def test_processes_give_the_bits_of_one_and_find_rows_that_kill(tmp_path: Path, marks: Path) -> None:
    work = Marking(marks, raising=(3,), killing=(13,))
    expected = alone(tmp_path, work)
    found = executors.run(work, ROWS, tmp_path / "job", executor=LocalProcesses(2), chunk=2, seed=2)
    assert found.status.tolist() == [{3: RowStatus.RAISED, 13: RowStatus.KILLED}.get(row, 0) for row in range(ROWS)]
    assert np.isnan(found["drawn"][13]).all()
    others = np.arange(ROWS) != 13
    for name in found.names:
        assert found[name][others].tobytes() == expected[name][others].tobytes()
    assert counts(marks, ROWS) == [int(row not in (3, 13)) for row in range(ROWS)]
    assert "ended, more than once" in found.reasons[13]
    again = executors.run(work, ROWS, tmp_path / "job", executor=LocalProcesses(2), seed=2, resume=True)
    assert same(again.read(), found.read())


def test_a_worker_killed_from_outside_costs_its_chunk_alone(tmp_path: Path, marks: Path) -> None:
    work = Marking(marks, pause=PAUSE)
    killed: list[int] = []

    def kill_one(progress: executors.Progress) -> None:
        if progress.done and not killed:
            victims = _children(os.getpid())
            os.kill(victims[0], signal.SIGKILL)
            killed.append(progress.done)

    found = executors.run(work, ROWS, tmp_path / "job", executor=LocalProcesses(2), chunk=4, seed=2, progress=kill_one)
    assert killed
    assert same(found.read(), alone(tmp_path, work))
    assert max(counts(marks, ROWS)) <= 2
    assert sum(counts(marks, ROWS)) <= ROWS + 4


DRIVER = """
import signal
import sys
from pathlib import Path
from parakin import executors
from tests.executors.works import Marking
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs of a shell are begun with Ctrl-C ignored
    folder = Path(sys.argv[1])
    work = Marking(folder / "marks", pause=0.1)
    executors.run(work, 24, folder / "job", executor=executors.LocalProcesses(2), chunk=4, seed=2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_killed_is_resumed(tmp_path: Path, marks: Path, end: signal.Signals) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    driver = subprocess.Popen([sys.executable, script, tmp_path], env=environment(), stderr=subprocess.DEVNULL)
    wait_for(lambda: len(files(tmp_path / "job")) >= 2)
    workers = _children(driver.pid)
    driver.send_signal(end)
    assert driver.wait(LONG_ENOUGH) != 0
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    before = files(tmp_path / "job")
    assert 2 <= len(before) < 6
    work = Marking(marks, pause=PAUSE)
    counted = counts(marks, ROWS)
    found = executors.run(work, ROWS, tmp_path / "job", executor=LocalProcesses(2), seed=2, resume=True)
    assert same(found.read(), alone(tmp_path, work))
    kept = [row for name in before for row in range(int(name[5:17]), int(name[18:30]))]
    assert [counts(marks, ROWS)[row] for row in kept] == [counted[row] for row in kept] == [1] * len(kept)
    assert not list((tmp_path / "job").glob(".*"))


@pytest.mark.slow
@pytest.mark.usefixtures("marks")
def test_a_row_that_hangs_is_timed_out_and_the_others_are_computed(tmp_path: Path, marks: Path) -> None:
    work = Marking(marks, hanging=(5,))
    found = executors.run(work, 8, tmp_path / "job", executor=LocalProcesses(2, row_time=2.0), chunk=4).read()
    assert found.status.tolist() == [RowStatus.COMPUTED] * 5 + [RowStatus.TIMED_OUT] + [RowStatus.COMPUTED] * 2
    assert found.reasons == {5: "this row alone took longer than a row may"}
    with pytest.raises(ExecutorError, match="row_time: must be > 0 s"):
        LocalProcesses(2, row_time=0.0)


@pytest.mark.parametrize("locking", [False, True])
def test_a_worker_that_hangs_ends_with_a_driver_that_is_killed(locking: bool, tmp_path: Path, marks: Path) -> None:
    """Where it hangs in C code that keeps Python's lock, no thread of Python can end it."""
    script = tmp_path / "script.py"
    script.write_text(HANGING.format(marks=str(marks), folder=str(tmp_path / "job"), locking=locking))
    driver = subprocess.Popen([sys.executable, str(script)], env=environment())
    wait_for(lambda: (marks / "pid").exists() and bool((marks / "pid").read_text()))
    worker = int((marks / "pid").read_text())
    os.kill(worker, 0)
    driver.kill()
    driver.wait(LONG_ENOUGH)
    try:
        wait_for(lambda: not alive(worker))
    finally:
        if alive(worker):
            os.kill(worker, signal.SIGKILL)


HANGING = """
from pathlib import Path
from parakin import executors
from tests.executors.works import Marking
if __name__ == "__main__":
    work = Marking(Path({marks!r}), hanging=(0,), locking={locking})
    executors.run(work, 1, {folder!r}, executor=executors.LocalProcesses(1))
"""


def alive(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_scripts_without_a_guard_are_told(tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER.replace('if __name__ == "__main__":', "if True:"))
    done = subprocess.run(
        [sys.executable, script, tmp_path], env=environment(), capture_output=True, text=True, check=False
    )
    assert "ExecutorError: workers: new processes end before they are ready (exit code 1): a script must" in done.stderr


def test_mistakes_of_the_work_come_back(tmp_path: Path) -> None:
    with pytest.raises(ExecutorError, match="column 'rows' must have 4 rows"):
        executors.run(shorter, 8, tmp_path / "job", executor=LocalProcesses(1), chunk=4)


def shorter(rows: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """A work that forgets a row."""
    return {"rows": rows[seed + 1 :]}


def _children(process: int) -> list[int]:
    """Workers of a process, by what the kernel says of its children."""
    texts = [task.read_text() for task in Path(f"/proc/{process}/task").glob("*/children")]
    children = [int(child) for text in texts for child in text.split()]
    return [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
