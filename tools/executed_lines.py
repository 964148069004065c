"""A pytest plugin for tools/mutants.py: which test executes which line, and how much time each takes.

    PARAKIN_RECORD=folder PARAKIN_RECORD_SECONDS=15 pytest -n 0 -p tools.executed_lines tests/control/test_model.py

Lines are recorded by coverage.py with one context for each test, which covers its fixtures too as far as it is the
first to ask for them; durations go to a file of JSON beside. What is executed on import has the empty context. Tests
that are in the folder already are left out, so that a second run goes on where the time allowed to the first was over.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import coverage  # pyright: ignore[reportMissingImports]
import pytest

ALLOWED = float(os.environ["PARAKIN_RECORD_SECONDS"])
"""Processor time after which no further test of a file is begun [s]; each is tried on its small robots first."""
LARGE = re.compile("hexa|palida|quattro|orthoglide|shaft|uru|general|6pus|gough|h4")
"""Names of tests that take a large robot."""
SOURCE = Path(__file__).parents[1] / "src" / "parakin"


class Recorder:
    """Tells coverage.py which test is running, and takes its time."""

    def __init__(self, folder: Path) -> None:
        self.durations: dict[str, float] = {}
        """Processor time of every test that passed, with its fixtures [s]."""
        self._output = folder / f"{os.getpid()}.json"
        self._lines = coverage.Coverage(data_file=folder / f"{os.getpid()}.coverage", source=[str(SOURCE)])
        self._passed = True
        self._known = {name for file in folder.glob("*.json") for name in json.loads(file.read_text(encoding="utf-8"))}
        self._lines.start()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put small robots before large ones, and the first case of every test before the second of any."""
        items[:] = [item for item in items if item.nodeid not in self._known]
        items.sort(key=lambda item: LARGE.search(item.nodeid) is not None)
        seen: Counter[str] = Counter()
        turn: dict[str, int] = {}
        for item in items:
            function = item.nodeid.partition("[")[0]
            turn[item.nodeid] = seen[function]
            seen[function] += 1
        items.sort(key=lambda item: turn[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record one test with its fixtures."""
        self._passed = True
        self._lines.switch_context(item.nodeid)
        begun = time.process_time()
        result = yield
        if self._passed:
            self.durations[item.nodeid] = time.process_time() - begun
        self._lines.switch_context("")
        if time.process_time() > ALLOWED:
            item.session.shouldstop = "the time allowed is over"
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out tests that failed, were skipped, or fail as expected."""
        self._passed &= report.passed

    def pytest_sessionfinish(self) -> None:
        """Write both files."""
        self._lines.stop()
        self._lines.save()
        self._output.write_text(json.dumps(self.durations), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to record before any module of parakin is imported."""
    config.pluginmanager.register(Recorder(Path(os.environ["PARAKIN_RECORD"])))
