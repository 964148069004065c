"""What a mechanism file says beside bodies and joints, and what the graph of a robot keeps of its leg file."""

from __future__ import annotations

import pytest

from parakin.description import library
from parakin.mechanism import graph_of, mechanism_to_toml, parse_mechanism
from tests.robots import robot_named


@pytest.mark.parametrize("name", library())
def test_graphs_are_written_and_read_back(name: str) -> None:
    graph = graph_of(robot_named(name).description)
    assert parse_mechanism(mechanism_to_toml(graph).encode(), f"{name}.toml") == graph
    assert graph.length == robot_named(name).length


@pytest.mark.parametrize("name", ["delta", "gough_stewart", "h4"])
def test_graphs_have_the_condition_numbers_of_their_robots(name: str) -> None:
    robot = robot_named(name)
    assert robot.graph.condition(robot.graph.home) == pytest.approx(robot.condition(robot.home), rel=1e-9)


def test_the_length_of_a_file_takes_the_place_of_the_size() -> None:
    tripod = robot_named("tripod_3rps")
    longer = tripod.replace(length=2.0 * tripod.length)
    assert longer.length == 2.0 * tripod.length
    assert longer.condition(tripod.home) != pytest.approx(tripod.condition(tripod.home), rel=0.1)
