"""Hostile tables are refused with place and remedy, in bounded time and memory; their valid twins are read."""

from __future__ import annotations

import re
import sys

import pytest

if sys.platform != "linux":
    pytest.skip("limits of processes, pipes and /proc are those of Linux", allow_module_level=True)

from tests.abuse import table_cases
from tests.abuse.confined import MOST_BYTES, MOST_SECONDS, Outcome, outcomes


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, Outcome]]:
    return outcomes(table_cases.__name__)


@pytest.mark.parametrize("case", table_cases.CASES)
def test_hostile_tables_are_refused(case: str, results: dict[str, dict[str, Outcome]]) -> None:
    hostile, twin = results[case]["hostile"], results[case]["twin"]
    assert hostile.error is not None, "was accepted"
    assert hostile.refused, hostile.error
    assert re.search(table_cases.CASES[case].message, hostile.error), hostile.error[:500]
    assert len(hostile.error) < 2000
    assert hostile.seconds < MOST_SECONDS
    assert hostile.bytes < MOST_BYTES
    assert twin.error is None, twin.error
    assert twin.seconds < MOST_SECONDS
    assert twin.bytes < MOST_BYTES
