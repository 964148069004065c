"""Runs hostile input in processes of their own, in bounded time and memory, many cases to a process.

A module lists its cases as `CASES: dict[str, Case]`. The process that runs them says what became of each in a line of
JSON. If it dies, by a crash or because a case hangs, the case that had begun is blamed and the rest goes to another.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parakin.errors import ParakinError

MOST_SECONDS = 3.0
"""Processor time that a refusal may take."""
MOST_BYTES = 2**30
"""Memory that a refusal may take on top of what was there before."""
_ADDRESS_SPACE = 3 * 2**29
"""Address space on top of what is there when the first case begins."""
_HANGS = 40.0
"""Real time after which a case hangs [s]; many tests share the processor."""


@dataclass(frozen=True)
class Case:
    """Input that must be refused, and one like it that must not."""

    message: str
    """Pattern of the refusal."""
    hostile: Callable[[Path], Callable[[], object]]
    """Makes the input in an empty directory, and returns what reads it."""
    twin: Callable[[Path], Callable[[], object]]
    """The same for its valid twin."""


@dataclass(frozen=True)
class Outcome:
    """What came of reading one input."""

    error: str | None
    """What was raised, with its type; None if nothing was."""
    refused: bool
    """Whether that was a ParakinError."""
    seconds: float
    """Processor time."""
    bytes: int
    """Memory on top of what was there before."""


def outcomes(module: str) -> dict[str, dict[str, Outcome]]:
    """Run all cases of a module and return the outcomes of its hostile inputs and of their twins."""
    left = list(importlib.import_module(module).CASES)
    results: dict[str, dict[str, Outcome]] = {}
    while left:
        lines, died = _run(module, left)
        for line in lines:
            case, which, *values = json.loads(line)
            results.setdefault(case, {})[which] = Outcome(*values)
        begun = next((case for case in left if len(results.get(case, {})) < 2), None)
        if begun is None:
            break
        which = "twin" if "hostile" in results.get(begun, {}) else "hostile"
        results.setdefault(begun, {})[which] = Outcome(f"the process died: {died}", False, 0.0, 0)
        results[begun].setdefault("twin", Outcome("was not tried", False, 0.0, 0))
        left = left[left.index(begun) + 1 :]
    return results


def _run(module: str, cases: list[str]) -> tuple[list[str], str]:
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", "-m", "tests.abuse.confined", module]
    done = subprocess.run(
        command,
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    return done.stdout.splitlines(), f"{done.returncode}, {done.stderr[-2000:]}"


def main(module: str, cases: list[str]) -> None:
    """Run cases and print an outcome a line."""
    known: dict[str, Case] = importlib.import_module(module).CASES
    for arm in importlib.import_module(module).WARM:
        arm()
    limit = int(_status("VmSize")) + _ADDRESS_SPACE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for name in cases:
        for which in ("hostile", "twin"):
            make = getattr(known[name], which)
            with tempfile.TemporaryDirectory() as folder:
                outcome = _outcome(make(Path(folder)))
            print(json.dumps([name, which, *outcome.__dict__.values()]), flush=True)


def _outcome(read: Callable[[], Any]) -> Outcome:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before, start = _status("VmRSS"), time.process_time()
    signal.setitimer(signal.ITIMER_REAL, _HANGS)
    error, refused = None, False
    try:
        read()
    except ParakinError as caught:
        error, refused = f"{type(caught).__name__}: {caught}", True
    except Exception:
        error = traceback.format_exc()
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    return Outcome(error, refused, time.process_time() - start, int(_status("VmHWM") - before))


def _status(field: str) -> float:
    """Return a size of this process [bytes]."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


if __name__ == "__main__":
    main(sys.argv[1], json.load(sys.stdin))
