"""Workspaces on processes and on a dask cluster: those of one process to the last bit, also if a worker is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from parakin import executors
from parakin.analysis import Workspace, workspace
from parakin.analysis.workspaces.surveying import LEAST_CHUNK
from parakin.executors import Cluster, LocalProcesses, Placement
from tests.executors.hosting import free_port, hosted, workers_of
from tests.robots import robot_named

pytestmark = pytest.mark.slow
FEW = 4
"""Chunks of the step in which a worker is killed, at least: some are then still handed out."""


def bits(found: Workspace) -> list[object]:
    """Everything that a workspace tells, as bytes and texts."""
    arrays = [values.tobytes() for values in found.to_arrays().values()]
    return [*arrays, found.outline.tobytes(), found.levels, found.bracket, found.home_bracket, found.clipped]


@pytest.mark.parametrize("name", ["delta", "four_bar"])
def test_processes_find_the_same_workspace(name: str) -> None:
    robot = robot_named(name)
    there = workspace(robot, levels=1, placement=Placement(LocalProcesses(2)))
    assert bits(there) == bits(workspace(robot, levels=1))


def test_a_worker_of_a_cluster_is_killed_and_the_workspace_is_the_same(tmp_path: Path) -> None:
    robot, port = robot_named("delta"), free_port()
    address, killed = f"tcp://127.0.0.1:{port}", list[int]()

    def kill_one(job: executors.Progress) -> None:
        if not killed and job.rows > FEW * LEAST_CHUNK and 0 < job.done < job.rows:
            killed.append(workers_of(address)[0])
            os.kill(killed[0], signal.SIGKILL)

    with hosted(port, tmp_path):
        there = workspace(robot, levels=2, placement=Placement(Cluster(address), tmp_path / "job", progress=kill_one))
    assert killed
    assert bits(there) == bits(workspace(robot, levels=2))
