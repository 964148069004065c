"""Many runs: what a chunk costs beside its work, scaling over workers, memory from 10^4 to 10^6 rows."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Figure, at_least, at_most, machine_load
from parakin import executors
from parakin.executors import Cluster, Executor, LocalProcesses, Progress, ThisProcess
from parakin.kernels.threads import cores

ROOT = Path(__file__).parents[1]
FEW, MANY = 50, 250
"""Chunks of two jobs: what the longer takes more is the cost of a chunk, without starts and ends."""
ROUNDS = 3
CHUNKS, STEPS = 32, 1_200_000
"""A job for scaling: chunks, and steps of arithmetic in each, some 50 ms: the driver's part is then a few per cent."""
WORKERS = (1, 2, 4)
SCALING_ROUNDS = 7
"""Rounds of jobs on 1, 2 and 4 workers, one after the other; a speed-up is of two jobs of one round."""
EFFICIENCY = 0.8
"""Share of what as many cores could do that workers must do."""
ALONE = 0.9
"""Share of a core that processes must have got for a speed-up to say anything of executors."""
SIZES = (10**4, 10**5, 10**6)
COLUMNS = 10
"""Numbers that come out for a row."""


@dataclass(frozen=True)
class Nothing:
    """A work that takes next to no time."""

    def __call__(self, rows: NDArray[np.int64], _: int, /) -> dict[str, NDArray[np.float64]]:
        return {"number": rows.astype(float)}


@dataclass(frozen=True)
class Arithmetic:
    """A work that keeps one core busy, in caches, and tells how long it took and how much of a core it got."""

    def __call__(self, rows: NDArray[np.int64], _: int, /) -> dict[str, list[float]]:
        wall: list[float] = []
        cpu: list[float] = []
        for row in rows.tolist():
            start, used, number = time.perf_counter(), time.process_time(), row
            for _step in range(STEPS):
                number = (number * 1103515245 + 12345) & 0x7FFFFFFF
            wall.append(time.perf_counter() - start)
            cpu.append(time.process_time() - used)
        return {"wall": wall, "cpu": cpu}


@dataclass(frozen=True)
class Wide:
    """A work whose rows are not in memory, of which much comes out; it tells the peak of its process's memory."""

    def __call__(self, rows: NDArray[np.int64], _: int, /) -> dict[str, NDArray[np.float64]]:
        return {"numbers": np.sin(rows[:, None] + np.arange(COLUMNS)), "peak": np.full(len(rows), peak_memory())}


def peak_memory() -> float:
    """The most memory that this process has had [MB].

    Not ru_maxrss: it is kept through exec, so that a process begins with the peak of the one that started it.
    """
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a scheduler of this machine with one worker, a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = (
        "from distributed import LocalCluster; import sys\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=1, threads_per_worker=1, host='127.0.0.1', dashboard_address=None,\n"
        f"                      worker_dashboard_address=None, scheduler_port={port}):\n"
        "        print('ready', flush=True)\n"
        "        sys.stdin.read()\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "cluster.py")
        script.write_text(code)
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"DASK_TEMPORARY_DIRECTORY": folder, "PYTHONPATH": paths}
        with subprocess.Popen(
            [sys.executable, script],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as host:
            assert host.stdin is not None
            assert host.stdout is not None
            assert host.stdout.readline() == "ready\n"
            yield f"tcp://127.0.0.1:{port}"
            host.stdin.close()


class Timed(NamedTuple):
    """A job that was timed."""

    seconds: float
    """From the first time that progress was told to the last chunk done: with processes that wait, all of the job."""
    cpu: float
    """Processor time of the driver meanwhile [s]."""
    results: executors.RowResults
    """What came out."""

    def total(self, column: str) -> float:
        """The sum of a column."""
        return float(np.sum(self.results[column]))

    @property
    def share(self) -> float:
        """The share of a core that each process got while it computed."""
        return self.total("cpu") / self.total("wall")


def timed(work: executors.Work, rows: int, executor: Executor) -> Timed:
    """Run a job with chunks of one row."""
    times: list[float] = []
    used: list[float] = []

    def told(_: Progress) -> None:
        times.append(time.perf_counter())
        used.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder:
        results = executors.run(work, rows, folder, executor=executor, chunk=1, progress=told).read()
    return Timed(times[-1] - times[0], used[-1] - used[0], results)


def overhead() -> Iterator[Figure]:
    with cluster() as address:
        for name, executor in (
            ("this process", ThisProcess()),
            ("a process of this machine", LocalProcesses(1)),
            ("a dask worker of this machine", Cluster(address)),
        ):
            with executor.lasting() as ready:
                timed(Nothing(), FEW, ready)
                runs = [[timed(Nothing(), count, ready) for count in (FEW, MANY)] for _ in range(ROUNDS)]
            for what in ("seconds", "cpu"):
                few, many = (min(getattr(one, what) for one in each) for each in zip(*runs, strict=True))
                kind = "from chunk to chunk" if what == "seconds" else "processor time of the driver"
                yield Figure(f"overhead of a chunk, {name}: {kind}", 1e3 * (many - few) / (MANY - FEW), "ms")


def scaling_runs() -> dict[int, list[Timed]]:
    """Run one job on 1, 2 and 4 processes in turns. Processes are started before, and wait while others work."""
    runs: dict[int, list[Timed]] = {workers: [] for workers in WORKERS}
    with ExitStack() as open_ones:
        crews = {count: open_ones.enter_context(LocalProcesses(count).lasting()) for count in WORKERS}
        for executor in crews.values():
            timed(Arithmetic(), CHUNKS, executor)
        for _ in range(SCALING_ROUNDS):
            for workers, executor in crews.items():
                runs[workers].append(timed(Arithmetic(), CHUNKS, executor))
    return runs


def scaling() -> Iterator[Figure]:
    """Speed-up is judged only where every process had a core: else it tells what others did meanwhile."""
    runs = scaling_runs()
    yield machine_load()
    yield Figure(f"{CHUNKS} chunks on one process", min(one.seconds for one in runs[1]), "s")
    share = {count: float(np.median([one.share for one in each])) for count, each in runs.items()}
    cpu = {count: min(one.total("cpu") for one in each) for count, each in runs.items()}
    for workers in WORKERS:
        yield Figure(f"{workers} processes: share of a core that each got, median", 100 * share[workers], "%")
    for workers in WORKERS[1:]:
        pairs = zip(runs[1], runs[workers], strict=True)
        speedup = float(np.median([one.seconds / several.seconds for one, several in pairs]))
        useful = min(workers, cores())
        what = f"{workers} processes, times as quick as one ({cores()} cores), median of {SCALING_ROUNDS} rounds"
        if min(share[1], share[workers] * workers / useful) >= ALONE:
            yield at_least(what, speedup, EFFICIENCY * useful)
        else:
            yield Figure(f"{what}; not judged, for others used the machine", speedup, "x")
        yield at_most(f"{workers} processes, processor time of that of one", cpu[workers] / cpu[1], 1.15, "x")


def measure(rows: int) -> None:
    """In a process of its own, so that the peak of memory is its own: prints seconds, and MB of driver and worker."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        results = executors.run(Wide(), rows, folder, executor=LocalProcesses(1))
        worker = max(float(part["peak"].max()) for part in results.parts())
    print(json.dumps({"wall": time.perf_counter() - start, "driver": peak_memory(), "worker": worker}))


def memory() -> Iterator[Figure]:
    first: dict[str, float] = {}
    for rows in SIZES:
        code = f"from benchmarks.executors import measure\nif __name__ == '__main__':\n    measure({rows})"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        found: dict[str, float] = json.loads(run.stdout)
        first = first or found
        what = f"10^{int(np.log10(rows))} rows of {COLUMNS} numbers"
        yield Figure(f"{what}, computed by one process and read part by part", found["wall"], "s")
        for who in ("driver", "worker"):
            peak = f"{what}, peak memory of the {who}"
            yield Figure(peak, found[who], "MB")
            if rows != SIZES[0]:
                yield at_most(f"{peak}, of that with {SIZES[0]:,} rows", found[who] / first[who], 1.1, "x")


def figures() -> Iterator[Figure]:
    yield from overhead()
    yield from scaling()
    yield from memory()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")
