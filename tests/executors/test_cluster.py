"""A dask cluster of processes: whatever is lost on the way, the results are those of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from parakin import executors
from parakin.errors import ExecutorError
from parakin.executors import Cluster, RowStatus
from parakin.executors.cluster import _Workers  # pyright: ignore[reportPrivateUsage]
from parakin.executors.crew import Fate
from parakin.executors.job import new_job
from parakin.executors.spans import Span
from parakin.executors.tasks import Task
from tests.executors.hosting import free_port, hosted, workers_of
from tests.executors.support import environment, files, same, wait_for
from tests.executors.works import Marking, counts

ROWS, CHUNK, SEED = 40, 4, 2
PAUSE = 0.1
"""Time that a row takes, so that a job lasts long enough to be disturbed [s]."""
DRIVER = """
import sys
from pathlib import Path
from typing import cast
from parakin import executors
from tests.executors.works import Marking
folder = Path(sys.argv[1])
executors.run(
    Marking(folder / "marks", pause=0.1), 40, folder / "job",
    executor=executors.Cluster(sys.argv[2]), chunk=4, seed=2,
)
"""


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


def alone(tmp_path: Path) -> executors.RowResults:
    """The results of one process."""
    (tmp_path / "alone").mkdir()
    return executors.evaluate(Marking(tmp_path / "alone"), ROWS, seed=SEED)


@pytest.mark.slow
def test_a_worker_is_killed_and_rows_that_kill_are_found(tmp_path: Path, marks: Path, port: int) -> None:
    address = f"tcp://127.0.0.1:{port}"
    killed: list[int] = []

    def kill_one(progress: executors.Progress) -> None:
        if progress.done >= 2 * CHUNK and not killed:
            killed.append(workers_of(address)[0])
            os.kill(killed[0], signal.SIGKILL)

    work, folder = Marking(marks, pause=PAUSE), tmp_path / "job"
    with hosted(port, tmp_path):
        with pytest.raises(ExecutorError, match="column 'rows' must have 2 rows"):
            executors.run(lambda rows, _: {"rows": rows[1:]}, 4, tmp_path / "x", executor=Cluster(address), chunk=2)
        found = executors.run(work, ROWS, folder, executor=Cluster(address), chunk=CHUNK, seed=SEED, progress=kill_one)
        assert killed
        assert same(found.read(), alone(tmp_path))
        assert sum(counts(marks, ROWS)) <= ROWS + 2 * CHUNK
        deadly = Marking(marks, raising=(1,), killing=(6,))
        found = executors.run(deadly, 8, tmp_path / "deadly", executor=Cluster(address), chunk=2, seed=SEED)
        assert found.status.tolist() == [{1: RowStatus.RAISED, 6: RowStatus.KILLED}.get(row, 0) for row in range(8)]
        good = [0, 2, 3, 4, 5, 7]
        expected = executors.evaluate(work, 8, seed=SEED)
        assert all(np.array_equal(found[name][good], expected[name][good]) for name in found.names)


@pytest.mark.slow
def test_a_scheduler_is_killed_and_started_again(tmp_path: Path, marks: Path, port: int) -> None:
    address, work = f"tcp://127.0.0.1:{port}", Marking(marks, pause=PAUSE)
    kept: list[str] = []
    with hosted(port, tmp_path) as first, ExitStack() as later:

        def kill(progress: executors.Progress) -> None:
            if progress.done >= 2 * CHUNK and not kept:
                workers = workers_of(address)
                first.kill()
                wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
                kept.extend(files(tmp_path / "job"))
                later.enter_context(hosted(port, tmp_path))

        found = executors.run(
            work, ROWS, tmp_path / "job", executor=Cluster(address), chunk=CHUNK, seed=SEED, progress=kill
        )
        assert 2 <= len(kept) < ROWS // CHUNK
        assert same(found.read(), alone(tmp_path))
        rows = [row for name in kept for row in range(int(name[5:17]), int(name[18:30]))]
        assert [counts(marks, ROWS)[row] for row in rows] == [1] * len(rows)
        assert sum(counts(marks, ROWS)) <= ROWS + 2 * CHUNK


@pytest.mark.slow
def test_a_scheduler_stays_away_and_the_job_goes_on_elsewhere(tmp_path: Path, marks: Path, port: int) -> None:
    cluster, folder = Cluster(f"tcp://127.0.0.1:{port}", patience=0.5), tmp_path / "job"
    work = Marking(marks, pause=PAUSE)
    with hosted(port, tmp_path) as host:

        def kill(progress: executors.Progress) -> None:
            if progress.done and host.poll() is None:
                workers = workers_of(cluster.address)
                host.kill()
                wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))

        with pytest.raises(ExecutorError, match=r"does not answer .*; start it with `dask scheduler`, or resume later"):
            executors.run(work, ROWS, folder, executor=cluster, chunk=CHUNK, seed=SEED, progress=kill)
    kept = files(folder)
    assert 1 <= len(kept) < ROWS // CHUNK
    found = executors.run(work, ROWS, folder, seed=SEED, resume=True)
    assert same(found.read(), alone(tmp_path))
    rows = [row for name in kept for row in range(int(name[5:17]), int(name[18:30]))]
    assert [counts(marks, ROWS)[row] for row in rows] == [1] * len(rows)


@pytest.mark.slow
def test_a_cluster_without_workers_is_told(tmp_path: Path, marks: Path, port: int) -> None:
    cluster = Cluster(f"tcp://127.0.0.1:{port}", patience=1.5)
    told = r"has had no workers for 1\.5 s; start some with `dask worker`, and resume \(.*lost-worker-timeout"
    with hosted(port, tmp_path, workers=0), pytest.raises(ExecutorError, match=told):
        executors.run(Marking(marks), 4, tmp_path / "job", executor=cluster)


@pytest.mark.slow
def test_a_scheduler_that_is_connected_and_silent_is_told(tmp_path: Path, marks: Path, port: int) -> None:
    cluster = Cluster(f"tcp://127.0.0.1:{port}", patience=1.5)
    with hosted(port, tmp_path, workers=0) as host:

        def stop(_: executors.Progress) -> None:
            host.send_signal(signal.SIGSTOP)

        with pytest.raises(ExecutorError, match=r"is connected and has not answered for 1\.5 s; see whether"):
            executors.run(Marking(marks), 4, tmp_path / "job", executor=cluster, progress=stop)


@pytest.mark.slow
def test_a_driver_is_killed_and_resumed_and_a_file_is_cut_short(tmp_path: Path, marks: Path, port: int) -> None:
    address, folder = f"tcp://127.0.0.1:{port}", tmp_path / "job"
    work = Marking(marks, pause=PAUSE)
    with hosted(port, tmp_path):
        driver = subprocess.Popen([sys.executable, "-c", DRIVER, tmp_path, address], env=environment())
        wait_for(lambda: len(files(folder)) >= 2)
        driver.kill()
        driver.wait()
        kept = files(folder)
        assert len(kept) < ROWS // CHUNK
        found = executors.run(work, ROWS, folder, executor=Cluster(address), seed=SEED, resume=True)
        assert same(found.read(), alone(tmp_path))
        rows = [row for name in kept for row in range(int(name[5:17]), int(name[18:30]))]
        before = counts(marks, ROWS)
        assert [before[row] for row in rows] == [1] * len(rows)
        file = folder / found.spans[3].file_name
        os.truncate(file, file.stat().st_size // 2)
        again = executors.run(work, ROWS, folder, executor=Cluster(address), seed=SEED, resume=True)
        assert same(again.read(), found.read())
        damaged = range(*found.spans[3])
        assert counts(marks, ROWS) == [count + (row in damaged) for row, count in enumerate(before)]


@dataclass(frozen=True, eq=False)
class Closing:
    """The future of a task that came to a worker while it was closing."""

    status: str = "error"

    def exception(self, timeout: float) -> RuntimeError:
        assert timeout > 0
        return RuntimeError("cannot schedule new futures after shutdown")


def test_what_a_closing_worker_refuses_is_given_to_another_once(tmp_path: Path) -> None:
    task = Task(tmp_path, new_job(dict, 4, 2, 0), "")
    crew = _Workers(Cluster("tcp://127.0.0.1:1"), SimpleNamespace(KilledWorker=ChildProcessError), task)
    first, second, span = Closing(), Closing(), Span(0, 2)
    crew.futures = {first: span, second: span}
    assert crew._report(first).fate is Fate.WORKER_ENDED
    with pytest.raises(ExecutorError, match="a worker cannot compute: RuntimeError: cannot schedule new futures"):
        crew._report(second)


def test_a_scheduler_that_is_not_there_is_told(tmp_path: Path, marks: Path, port: int) -> None:
    with pytest.raises(ExecutorError, match=rf"scheduler 127.0.0.1:{port}: does not answer"):
        executors.run(Marking(marks), 4, tmp_path / "job", executor=Cluster(f"127.0.0.1:{port}", first_patience=0.1))
    with pytest.raises(ExecutorError, match="scheduler nonsense://: is no address"):
        executors.run(Marking(marks), 4, tmp_path / "other", executor=Cluster("nonsense://", first_patience=0.1))


@pytest.mark.parametrize("address", ["foo", "tcp://", "nonsense://a:1"])
def test_no_client_is_made_for_what_is_no_address(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A client without a scheduler goes on looking for it, and tells so with a traceback when Python ends."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client was made"))
    with pytest.raises(ExecutorError, match=f"scheduler {address}: is no address"):
        executors.run(Marking(tmp_path), 4, tmp_path / "job", executor=Cluster(address, first_patience=0.1))


def test_a_cluster_needs_its_extra(tmp_path: Path) -> None:
    code = f"""
        import sys
        sys.modules["distributed"] = None
        from parakin import executors
        from tests.executors.works import Marking
        executors.run(Marking(None), 4, {str(tmp_path)!r} + "/job", executor=executors.Cluster("127.0.0.1:1"))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert (
        "ExecutorError: scheduler: a cluster needs dask and distributed: pip install 'parakin[cluster]'" in done.stderr
    )
