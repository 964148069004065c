"""Closed loops: an H4, a 3-RPS and a Reachy under computed torque, 1 kHz, four RK4 steps a tick; MuJoCo beside them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.mechanism_steps import MechanismStepper
from benchmarks.mujoco_steps import Stepper
from benchmarks.timing import Figure, at_least, best_of, machine_load
from parakin import control, simulation, trajectory
from parakin.control import Law, Reference
from parakin.robot import Robot, load
from parakin.simulation import Scenario
from parakin.simulation.run import SUBSTEPS
from tests.mechanisms import described, reachy
from tests.variants import frictionless

PERIOD = 1e-3
MANY = 4096
ROUNDS = 8
REAL = Scenario(counts=2**17 / (2 * np.pi), velocity_filter=200.0, delay=True)
SPREAD = 0.2
"""Of the plants' parameters about those of the controller."""
MECHANISMS = 256
"""Plants of a mechanism that run together."""
PEERS, PEER_TICKS = 8, 150
"""Copies that MuJoCo steps, and for how many ticks: it is slower."""


def _plants(robot: Robot) -> tuple[Scenario, ...]:
    factors = np.random.default_rng(0).uniform(1 - SPREAD, 1 + SPREAD, (MANY, len(robot.parameters)))
    return simulation.family(REAL, MANY, parameters=robot.parameters * factors)


def own(robot: Robot, law: Law, reference: Reference) -> Iterator[Figure]:
    """Wall time, and time of the processors, which a busy machine changes less."""
    seconds, cores = reference.ticks * PERIOD, os.cpu_count() or 1
    plants = _plants(robot)
    spent: list[float] = []

    def many() -> None:
        before = time.process_time()
        simulation.simulate_many(robot, law, reference, plants)
        spent.append(time.process_time() - before)

    best = best_of(
        {
            "one": lambda: simulation.simulate(robot, law, reference, REAL),
            "many": many,
        },
        ROUNDS,
    )
    total = MANY * seconds
    yield machine_load()
    yield at_least("h4, computed torque: one scenario with its log, times real time", seconds / best["one"], 100)
    yield at_least(
        f"h4, computed torque: {MANY:,} plants, {cores} cores, scenario-seconds a second",
        total / best["many"],
        2000,
        "",
    )
    yield Figure("the same, a second of one core", total / min(spent), "")


def peers(robot: Robot, reference: Reference) -> Iterator[Figure]:
    """MuJoCo under the forces that our loop gave, without a controller."""
    law, cores = control.law("computed_torque", robot), os.cpu_count() or 1
    driven = simulation.simulate(robot, law, reference)
    tau = np.repeat(driven["tau"][:PEER_TICKS], SUBSTEPS, axis=0)
    steppers = {name: Stepper(robot, reference.pose[0], PERIOD / SUBSTEPS, name) for name in ("Euler", "RK4")}
    beside = simulation.family(Scenario(), 256)
    best = best_of(
        {
            "ours": lambda: simulation.simulate_many(robot, law, reference, beside),
            **{name: (lambda peer=peer: peer.many(tau, PEERS, cores)) for name, peer in steppers.items()},
        },
        ROUNDS,
    )
    ours = len(beside) * reference.ticks * PERIOD / best["ours"]
    for name, peer in steppers.items():
        theirs = PEERS * PEER_TICKS * PERIOD / best[name]
        yield Figure(f"MuJoCo, {name}, same step, no controller: {cores} cores, scenario-seconds a second", theirs, "")
        yield Figure(f"our loop against MuJoCo, {name}", ours / theirs, "x")
        yield Figure(f"MuJoCo, {name}: largest gap in a loop", peer.violation(tau), "m")
    yield Figure("our loop: largest gap in a loop", _gap(robot, driven["pose"]), "m")


def _gap(robot: Robot, pose: np.ndarray) -> float:
    """[m] Of loops closed by elbow and attachment: their distance less the length of the bar between."""
    points = robot.points(pose)
    bars = np.linalg.norm(points.tip - points.root, axis=-1)[:, 1::2]
    lengths = np.array([leg.elements[-1].length for leg in robot.legs], float)
    return float(np.abs(bars - lengths).max())


def mechanisms() -> Iterator[Figure]:
    """A 3-RPS and a Reachy under computed torque; MuJoCo under the same forces, without a controller.

    Our Reachy has its rods, round to thousandths, as distances; MuJoCo's has them as bodies that spin.
    """
    whole, cores = Robot(described("reachy_mini")), os.cpu_count() or 1
    rps = Robot(described("3rps"))
    for name, robot, other in (("3-RPS", rps, rps), ("Reachy", reachy(), whole)):
        law = control.law("computed_torque", robot)
        reference = control.reference(robot, trajectory.fourier(robot), PERIOD)
        driven = simulation.simulate(robot, law, reference)
        tau = np.repeat(driven["tau"][:PEER_TICKS], SUBSTEPS, axis=0)
        home = np.concatenate([reference.pose[0], other.home[len(reference.pose[0]) :]])
        steppers = {kind: MechanismStepper(other, home, PERIOD / SUBSTEPS, kind) for kind in ("Euler", "RK4")}
        beside = simulation.family(Scenario(), MECHANISMS)
        best = best_of(
            {
                "one": lambda: simulation.simulate(robot, law, reference),  # noqa: B023
                "many": lambda: simulation.simulate_many(robot, law, reference, beside),  # noqa: B023
                **{kind: (lambda peer=peer: peer.many(tau, PEERS, cores)) for kind, peer in steppers.items()},  # noqa: B023
            },
            ROUNDS,
        )
        seconds = reference.ticks * PERIOD
        ours = MECHANISMS * seconds / best["many"]
        yield Figure(f"{name}, computed torque: one scenario with its log, times real time", seconds / best["one"], "")
        yield Figure(f"{name}, computed torque: {cores} cores, scenario-seconds a second", ours, "")
        yield Figure(f"{name}: largest sum of what its loops are open by", float(driven["residual"].max()), "m")
        for kind, peer in steppers.items():
            theirs = PEERS * PEER_TICKS * PERIOD / best[kind]
            yield Figure(f"{name}, MuJoCo, {kind}, same step, no controller: scenario-seconds a second", theirs, "")
            yield Figure(f"{name}, our loop against MuJoCo, {kind}", ours / theirs, "x")
            yield Figure(f"{name}, MuJoCo, {kind}: largest gap in a loop", peer.violation(tau), "m")


def figures() -> Iterator[Figure]:
    robot = load("h4")
    reference = control.reference(robot, trajectory.lift(robot), PERIOD)
    yield from own(robot, control.law("computed_torque", robot), reference)
    yield from peers(frictionless(robot), reference)
    yield from mechanisms()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.4g} {figure.unit} {figure.goal}")
