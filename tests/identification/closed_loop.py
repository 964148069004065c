"""The proof of identification: an exciting motion, a law that follows it on another plant, a log, `identify`.

The plant is simulated, with parameters that are not those of the file, Coulomb friction as sharp as the simulation
takes it, encoders with noise and forces that are recorded with noise. What is counted is how often the true base
parameters lie inside their 95 % intervals. `python -m tests.identification.closed_loop tripod_3rps 40` measures it.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

import parakin as pk
from parakin import control, simulation
from parakin.arrays import Array
from parakin.dynamics.parameters import BODY_UNITS
from parakin.errors import ImplausibleValueWarning, ParakinError
from parakin.identification import ExciteOptions, Identification, Question, excite, identify
from parakin.identification.fit.estimate import NORMAL_95
from parakin.identification.fit.linear import LinearModel, base_model
from parakin.identification.identifying import identify as identifying
from parakin.robot import Robot
from parakin.simulation import Log, Scenario

ENCODERS = {
    "tripod_3rps": 1e-6,
    "agile_eye": 2 * np.pi / 2**18,
    "reachy_mini": 2 * np.pi / 2**18,
    "four_bar_leg": 2 * np.pi / 2**18,
}
"""Steps of the encoders of each mechanism [m or rad]: a micrometre, or 18 bits a turn."""
FORCE_NOISE = 0.01
"""Noise of recorded forces, as a part of each actuator's standard deviation of force."""
SPREAD = 0.1
"""How far true parameters are from those of the file, at most."""
SMOOTHING = 1e-4
"""Rate below which the sign in the plant's Coulomb friction is smooth [rad/s or m/s]."""
VELOCITY_FILTER = 200.0
"""Cut-off of the drives' rates [Hz]."""
PERIODS = 3
"""Periods of the exciting motion."""


@dataclass(frozen=True)
class Proof:
    """What came of the logs of one mechanism."""

    inside: Array
    """Whether each true parameter was in its interval, 0 or 1; 0 where it was withheld (logs, parameters)."""
    files: int
    """Logs from which a robot file was made."""
    identified: Array
    """Parameters called identified (logs,)."""

    @property
    def share(self) -> float:
        """Share of true values inside their intervals."""
        return float(np.mean(self.inside))


def plants(robot: Robot, count: int, seed: int) -> Array:
    """Draw true parameters (count, parameters): every body, and every number of a drive or joint, off on its own.

    A body's mass, moments and inertia change by one factor, so that it stays one that can exist.
    """
    owners = [p.owner if p.quantity in BODY_UNITS else p.name for p in robot.parameter_table]
    names = list(dict.fromkeys(owners))
    factors = np.random.default_rng(seed).uniform(1 - SPREAD, 1 + SPREAD, (count, len(names)))
    return robot.parameters * factors[:, [names.index(owner) for owner in owners]]


def logs(robot: Robot, evaluations: int, parameters: Array, seed: int) -> Iterator[Log]:
    """Yield a log of computed torque on each plant, with force noise in what is recorded."""
    motion = excite(robot, ExciteOptions(evaluations=evaluations, periods=PERIODS, rest=0.5)).motion
    law = control.law("computed_torque", robot).with_gains(K_p=10_000.0, K_d=90.0, K_i=0.0)
    reference = control.reference(robot, motion, law.period)
    machine = Scenario(counts=1 / ENCODERS[robot.name], velocity_filter=VELOCITY_FILTER, smoothing=SMOOTHING, seed=seed)
    scenarios = simulation.family(machine, len(parameters), parameters=parameters)
    runs = simulation.simulate_many(robot, law, reference, scenarios, keep=range(len(parameters))).logs
    rng = np.random.default_rng(seed)
    for k in range(len(parameters)):
        log, table = runs[k], runs[k].table.copy()
        forces = [n for n, column in enumerate(log.columns) if column.quantity == "tau"]
        table[:, forces] += FORCE_NOISE * table[:, forces].std(axis=0) * rng.normal(size=(len(table), len(forces)))
        yield Log(log.columns, table)


def prove(name: str, draws: int, evaluations: int = 10, seed: int = 1) -> Proof:
    """Identify a mechanism from so many logs, each of a plant and noise of its own; what is refused is a miss."""
    robot = pk.load(name)
    model, parameters = base_model(robot), plants(robot, draws, seed)
    assert model.base is not None
    inside, identified, files = np.zeros((draws, len(model.names))), np.zeros(draws), 0
    for k, log in enumerate(logs(robot, evaluations, parameters, seed)):
        found = _identified(robot, model, log)
        if found is None:
            continue
        truth = model.base.map @ parameters[k]
        solution = found.estimate.solution  # of the model alone, without cables and offsets that might be there
        inside[k] = np.abs(solution.p - truth) <= NORMAL_95 * np.sqrt(np.diagonal(solution.covariance))
        identified[k] = sum(one.kind == "identified" for one in found.estimate.assessments)
        files += found.identified is not None
    return Proof(inside, files, identified)


def _identified(robot: Robot, model: LinearModel, log: Log) -> Identification | None:
    """What default options say of a log; None if it is refused. The model is built once for all logs."""
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(),
        patch.object(identifying, "base_model", lambda *_, **__: model),
    ):
        warnings.simplefilter("ignore", ImplausibleValueWarning)
        try:
            return identify(robot, simulation.write_log(Path(folder) / "log.npz", log), Question())
        except ParakinError as refusal:
            print(refusal)
            return None


if __name__ == "__main__":
    proof = prove(sys.argv[1], int(sys.argv[2]), evaluations=60)
    print(f"{sys.argv[1]}: {100 * proof.share:.1f} % of {proof.inside.size} true values in their intervals")
    print(f"{proof.files} of {len(proof.inside)} logs gave a robot file")
    print(f"{np.mean(proof.identified):.1f} of {proof.inside.shape[1]} parameters identified on average")
