"""A dask cluster of processes for tests, in a process that can be killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from tests.executors.support import LONG_ENOUGH, environment

HOST = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=int(sys.argv[2]), threads_per_worker=1, processes=True, host="127.0.0.1",
        scheduler_port=int(sys.argv[1]), dashboard_address=None, worker_dashboard_address=None,
    )
    print("ready", flush=True)
    time.sleep(600)
"""
"""A scheduler with two workers, each a process with a nanny, in a process that can be killed."""


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def hosted(port: int, folder: Path, workers: int = 2) -> Iterator[subprocess.Popen[str]]:
    """A cluster at this port; it ends with the block."""
    script = folder / "host.py"
    script.write_text(HOST)
    settings = {
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
        "DASK_TEMPORARY_DIRECTORY": str(folder),
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s",
        "DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "1h",  # see cluster.LOST_WORKERS
    }
    command = [sys.executable, str(script), str(port), str(workers)]
    with open(folder / "host.log", "a") as log:
        host = subprocess.Popen(command, env=environment() | settings, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert host.stdout is not None
        assert host.stdout.readline() == "ready\n", (folder / "host.log").read_text()
        yield host
    finally:
        host.kill()
        host.wait()
        assert host.stdout is not None
        host.stdout.close()


def workers_of(address: str) -> list[int]:
    """The processes that compute."""
    from distributed import Client

    with Client(address, set_as_default=False, timeout=LONG_ENOUGH) as client:
        return list(cast("dict[str, int]", client.run(os.getpid)).values())
