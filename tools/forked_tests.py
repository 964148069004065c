"""Run chosen tests in forks of one process that has imported the heavy libraries already; for tools/mutants.py.

    python tools/forked_tests.py      in the folder of the tree; one request a line, one answer a line, as JSON

A request is {"tests": [names], "seconds": time allowed, "log": file}; tests run in this order until one fails. The
answer is {"state": "passed" | "failed" | "too long", "failed": name of the test that failed}. parakin and its tests
are imported by each fork, so that it sees the tree as it is then.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import hypothesis
import pytest

HEAVY = (
    *("numpy", "scipy.optimize", "scipy.signal", "scipy.linalg", "scipy.interpolate", "scipy.spatial.transform"),
    *("casadi", "llvmlite.binding", "pydantic", "typer", "rich", "mpmath", "pyarrow", "cvxpy", "clarabel"),
    *("mujoco", "pinocchio", "matplotlib.figure"),
)


class FirstFailure:
    """A pytest plugin that writes down which test failed, and spares hypothesis what only helps people."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def pytest_configure(self) -> None:
        """Let hypothesis try the same examples every time, and not shrink the one that fails."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        patient = [hypothesis.HealthCheck.too_slow]
        known = hypothesis.settings.get_profile("parakin")
        hypothesis.settings.register_profile(
            "mutants", known, phases=phases, database=None, derandomize=True, suppress_health_check=patient
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a module that cannot be imported."""
        if report.failed:
            self.place.write_text(f"import of {report.nodeid}", encoding="utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that fails."""
        if report.failed:
            self.place.write_text(report.nodeid, encoding="utf-8")


def run(tests: list[str], place: Path) -> int:
    """Run tests in this process, and return pytest's exit code."""
    log = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--assert=plain", "--tb=short", "-m", "not slow"]
    return int(pytest.main([*options, *tests], plugins=[FirstFailure(place.with_suffix(".failed"))]))


def answer(tests: list[str], seconds: float, place: Path) -> dict[str, str]:
    """Run tests in a fork, and end it and all it started when it takes too long."""
    failed = place.with_suffix(".failed")
    failed.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            os._exit(run(tests, place))
        finally:
            os._exit(70)
    until = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return {"state": "too long", "failed": ""}
        time.sleep(0.05)
    if status == 0:
        return {"state": "passed", "failed": ""}
    if not failed.exists() and not os.WIFSIGNALED(status):
        raise RuntimeError(f"pytest ended with exit code {os.waitstatus_to_exitcode(status)}: see {place}")
    name = failed.read_text(encoding="utf-8") if failed.exists() else f"ended by signal {os.WTERMSIG(status)}"
    return {"state": "failed", "failed": name}


def main() -> None:
    """Answer requests until the input ends."""
    for name in HEAVY:
        importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(answer(request["tests"], request["seconds"], Path(request["log"]))), flush=True)


if __name__ == "__main__":
    main()
