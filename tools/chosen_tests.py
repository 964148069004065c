"""Which tests notice a change of a line soonest, from the record that tools/executed_lines.py made."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Statement:
    """The innermost statement around a line."""

    lines: range
    """Its lines; of a statement with a body only its head."""
    on_import: bool
    """Whether it is executed when the file is imported, and not when a function is called."""


def statement_at(text: str, line: int) -> Statement:
    """Find the statement that a line belongs to."""
    statement = Statement(range(line, line + 1), True)
    called = False
    for node in ast.walk(ast.parse(text)):  # outer statements come before inner ones
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1 if body else node.end_lineno or node.lineno)
            if line <= last:
                statement = Statement(range(node.lineno, last + 1), not called)
            elif isinstance(node, ast.FunctionDef):
                called = True
    return statement


class Record:
    """Which tests execute which lines, and how long each takes, as tools/executed_lines.py wrote it down."""

    def __init__(self, folder: Path) -> None:
        self.durations: dict[str, float] = {}
        """Processor time of each test [s]."""
        self._data: list[CoverageData] = []
        self._lines: dict[str, dict[int, set[str]]] = {}
        for durations in sorted(folder.glob("*.json")):
            self.durations |= json.loads(durations.read_text(encoding="utf-8"))
            data = CoverageData(str(durations.with_suffix(".coverage")))
            data.read()
            self._data.append(data)

    def tests_by_line(self, file: str) -> dict[int, set[str]]:
        """Return the tests that execute each line of a file after its import."""
        if file not in self._lines:
            lines = self._lines.setdefault(file, {})
            for data in self._data:
                for number, contexts in data.contexts_by_lineno(str(ROOT / file)).items():
                    lines.setdefault(number, set()).update(self.durations.keys() & set(contexts))
        return self._lines[file]

    def quickest_first(self, tests: Iterable[str]) -> list[str]:
        """Order tests by time, each further case of the same function counting as so many times longer."""
        seen: Counter[str] = Counter()
        cost: dict[str, float] = {}
        for test in sorted(tests, key=lambda name: (self.durations[name], name)):
            function = test.partition("[")[0]
            seen[function] += 1
            cost[test] = self.durations[test] * seen[function]
        return sorted(cost, key=lambda name: cost[name])

    def chosen(self, file: str, line: int, budget: float) -> list[str]:
        """Return the tests for a change of one line, in order and within a time [s]; none if no test executes it.

        Tests that execute the line itself come first, the quickest at the head; then those that execute another line
        of the statement; then the other tests of the same files, for what one test builds may be kept for the next. A
        line that is executed on import is tried on all tests that execute anything of its file.
        """
        by_line = self.tests_by_line(file)
        statement = statement_at((ROOT / file).read_text(encoding="utf-8"), line)
        lines = by_line if statement.on_import else statement.lines
        groups = [by_line.get(line, set()), set[str]().union(*(by_line.get(one, ()) for one in lines))]
        files = {test.partition("::")[0] for group in groups for test in group}
        groups.append({test for test in self.durations if test.partition("::")[0] in files})
        order = list(dict.fromkeys(test for group in groups for test in self.quickest_first(group)))
        spent, chosen = 0.0, []
        for test in order:
            spent += self.durations[test]
            if spent > budget and chosen:
                break
            chosen.append(test)
        return chosen
