"""Operation counts: the goals set for them, and the command that prints them."""

from __future__ import annotations

import functools
import json

import pytest

import parakin as pk
from parakin.description import library
from parakin.dynamics.count import Count
from parakin.dynamics.count_table import Row, count_table
from tests.commands import command
from tests.robots import twins_later

GOALS = {"mass matrix": Count(394, 444, 6), "inverse dynamics": Count(780, 980, 6)}
"""The most operations that PaLiDA's models may take from position and rotation matrix."""


@functools.cache
def rows(name: str) -> dict[tuple[str, str], Row]:
    return {(row.model, row.form): row for row in count_table(pk.load(name).description)}


@pytest.mark.parametrize("model", GOALS)
def test_palida_meets_its_goals(model: str) -> None:
    count, goal = rows("palida")[model, "virtual-work"].count, GOALS[model]
    assert count.additions <= goal.additions
    assert count.multiplications <= goal.multiplications
    assert count.square_roots <= goal.square_roots
    assert count.trigonometric == 0


MEASURED = {"mass matrix": (351, 413), "inverse dynamics": (541, 725)}
"""Additions and multiplications of PaLiDA from position and rotation matrix, as the documents quote them."""


@pytest.mark.parametrize("model", MEASURED)
def test_palida_takes_what_the_documents_say(model: str) -> None:
    """From nine numbers of a rotation matrix, as the papers count: from a quaternion it would be more."""
    count = rows("palida")[model, "virtual-work"].count
    assert (count.additions, count.multiplications) == MEASURED[model]


@pytest.mark.parametrize("name", twins_later(library()))
def test_every_robot_profits_from_regrouping(name: str) -> None:
    """The textbook's form takes more operations than the default; so does every other, where legs have closed forms."""
    table = rows(name)
    closed = name != "hexa_offset"
    for model in GOALS:
        totals = {
            form: row.count.additions + row.count.multiplications
            for (which, form), row in table.items()
            if which == model and "not exact" not in form
        }
        assert not closed or totals["virtual-work"] == min(totals.values())
        assert totals["virtual-work"] < totals["body-by-body"]


def test_the_command_prints_them_for_programs_too() -> None:
    printed = json.loads(command("count", "five_bar", "--json").stdout)["five_bar"]
    assert {"model": "mass matrix", "form": "virtual-work"}.items() <= printed[0].items()
    assert command("count", "no_such_robot").returncode == 1
