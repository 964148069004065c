"""What parakin predicts of a controller is what its C does on a machine that parakin did not simulate."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.arrays import Array
from parakin.control.references import QUANTITIES
from parakin.simulation import Cable, ElasticDrives, Scenario, Stiction
from tests.export import foreign_loop
from tests.export.foreign_loop import Controller, Drives, Machine, follow
from tests.identification import foreign_plant

PREDICTED = 1e-6
"""Difference of the rms distance from the set point, predicted and found, as a share: the issue asks for 1 %."""
FREQUENCY = 250.0
"""Of what a motor drives at home, the motor held [Hz]."""
DAMPING = 0.05
PLAY = 1e-4
"""[rad]"""
JITTER = 2e-5
"""[s]"""
REAL = 0.1
"""The same on the elastic machine, whose friction at rest is a steep curve here and bristles there."""


def told(robot: pk.Robot, ticks: int) -> control.Reference:
    whole = control.reference(robot, trajectory.fourier(robot), foreign_loop.PERIOD)
    return replace(whole, **{name: getattr(whole, name)[:ticks] for name in QUANTITIES})


def sensors(parameters: Array) -> Scenario:
    return Scenario(
        parameters=parameters,
        counts=foreign_loop.COUNTS,
        velocity_filter=foreign_loop.FILTER,
        delay=True,
        smoothing=foreign_plant.STICTION_RATE,
    )


def predicted(robot: pk.Robot, law: control.Law, reference: control.Reference, scenario: Scenario) -> float:
    log = simulation.simulate(robot, control.guarded(law), reference, scenario, substeps=foreign_loop.SUBSTEPS)
    return float(log.summary().distance_rms)


def check(names: list[str], ticks: int, directory: Path) -> None:
    robot = pk.load("delta")
    parameters = foreign_plant.machines(robot, 1, seed=3)[0]
    reference = told(robot, ticks)
    controllers = [Controller(control.law(name, robot), directory) for name in names]
    found = follow(foreign_loop.rigid(robot, parameters, len(names)), controllers, reference)
    assert found.status == [0] * len(names)
    for k, controller in enumerate(controllers):
        expected = predicted(robot, controller.law, reference, sensors(parameters))
        assert found.rms[k] == pytest.approx(expected, rel=PREDICTED), names[k]


def test_a_rigid_machine_does_what_was_predicted(tmp_path: Path) -> None:
    check(["computed_torque"], 60, tmp_path)


@pytest.mark.slow
def test_every_law_does_on_a_rigid_machine_what_was_predicted(tmp_path: Path) -> None:
    check(list(control.LAWS), 600, tmp_path)


def elastic_machine(robot: pk.Robot, parameters: Array, laws: int) -> tuple[Machine, Scenario]:
    """The machine with springs, play, Stribeck's friction and a cable, and what parakin is told of it."""
    rotor, viscous, coulomb = foreign_loop.of_drives(robot, parameters)
    moved = np.diag(robot.mass_matrix(robot.home, space="actuator")) - rotor
    stiffness = (2 * np.pi * FREQUENCY) ** 2 * moved
    damping = 2 * DAMPING * stiffness / (2 * np.pi * FREQUENCY)
    drives = Drives(rotor, stiffness, damping, PLAY, viscous, coulomb)
    machine = foreign_loop.elastic(robot, parameters, laws, drives)
    scenario = replace(
        sensors(parameters),
        elastic=ElasticDrives(stiffness=stiffness, damping=damping, backlash=PLAY),
        stiction=Stiction(breakaway=1.5, stribeck_speed=0.05),
        cable=Cable(anchor=foreign_loop.ANCHOR, stiffness=foreign_loop.PULL, length=foreign_loop.SLACK),
        jitter=JITTER,
    )
    return machine, scenario


def elastic_series(directory: Path, ticks: int) -> dict[str, tuple[float, float, int]]:
    """Of each law: rms distances predicted and found on the elastic machine [m], and the worst status of its guard."""
    robot = pk.load("delta")
    parameters = foreign_plant.machines(robot, 1, seed=3)[0]
    reference = told(robot, ticks)
    controllers = [Controller(control.law(name, robot), directory) for name in control.LAWS]
    machine, scenario = elastic_machine(robot, parameters, len(controllers))
    found = follow(machine, controllers, reference, jitter=JITTER)
    return {
        c.law.name: (predicted(robot, c.law, reference, scenario), float(found.rms[k]), found.status[k])
        for k, c in enumerate(controllers)
    }


@pytest.mark.slow
def test_an_elastic_machine_does_nearly_what_was_predicted(tmp_path: Path) -> None:
    for name, (expected, found, status) in elastic_series(tmp_path, 400).items():
        assert status == 0, name
        assert found == pytest.approx(expected, rel=REAL), name


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name, (expected, found, _) in elastic_series(Path(folder), 2000).items():
            print(f"| `{name}` | {1e6 * expected:.0f} | {1e6 * found:.0f} | {100 * (found / expected - 1):+.1f} % |")
