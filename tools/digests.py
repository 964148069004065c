"""Record what every model of every robot costs and gives, and compare two records.

    python tools/digests.py record before.npz      # at the old commit
    python tools/digests.py record after.npz       # at the new one
    python tools/digests.py compare before.npz after.npz

A record holds, for each robot, model, formulation and freed input, the operation count and the results on 64 states.
A comparison lists counts that rose and results whose bits differ, with the largest difference relative to the output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import numpy as np

import parakin as pk
from parakin.description import library

STATES = 64
KINEMATIC = (
    "inverse_kinematics",
    "actuator_velocity",
    "actuator_acceleration",
    "jacobian",
    "check",
    "jacobian_rate",
    "platform_velocity",
    "platform_acceleration",
    "elements",
    "bodies",
    "points",
    "forward_kinematics",
)
DYNAMIC = (
    "inverse_dynamics",
    "inverse_dynamics_observed",
    "inverse_dynamics_from_encoders",
    "actuator_power",
    "static_forces",
    "mass_matrix",
    "mass_matrix_actuator",
    "bias",
    "bias_actuator",
    "gravity",
    "gravity_actuator",
    "coriolis_matrix",
    "forward_dynamics",
    "linearize",
    "energy",
    "regressor",
    "regressor_reference",
)
FORMULATIONS = (
    "virtual-work",
    "body-by-body",
    "kinematic-elements",
    "subchain-mass",
    "recursive-matrix",
    "simplified",
    "nacelle",
)
FREE = ("parameters", "payload", "wrench", "weights", "smoothing", "gravity", "geometry")


def variants() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every (model, formulation, freed inputs) that is recorded."""
    for model in (*KINEMATIC, *DYNAMIC):
        yield model, "virtual-work", ()
    for formulation in FORMULATIONS[1:]:
        yield "inverse_dynamics", formulation, ()
        yield "actuator_power", formulation, ()
    for free in FREE:
        yield "inverse_dynamics", "virtual-work", (free,)
    yield "inverse_kinematics", "virtual-work", ("geometry",)
    yield "forward_dynamics", "virtual-work", ("parameters", "payload", "wrench", "smoothing")


def states(robot: pk.Robot) -> dict[str, np.ndarray]:
    """What kernels may ask for, by the names of their inputs."""
    rng = np.random.default_rng(1)
    pose, velocity, acceleration = robot.sample_states(STATES)
    elements = robot.kernel("elements")(pose=pose, velocity=velocity, acceleration=acceleration)
    actuators = len(robot.actuator_names)
    payload = np.tile([0.4, 0.004, -0.008, 0.02, 0.011, 1e-4, 2e-4, 0.012, -1e-4, 0.013], (STATES, 1))
    known = {
        "pose": pose,
        "near": pose,
        "velocity": velocity,
        "acceleration": acceleration,
        "reference_velocity": velocity[::-1],
        "q": robot.kernel("inverse_kinematics")(pose=pose)["q"],
        "q_dot": robot.kernel("actuator_velocity")(pose=pose, velocity=velocity)["q_dot"],
        "q_ddot": rng.normal(size=(STATES, actuators)),
        "tau": rng.normal(size=(STATES, actuators)),
        "parameters": robot.parameters * (1 + 0.1 * rng.uniform(size=(STATES, len(robot.parameters)))),
        "payload": payload,
        "wrench": rng.normal(size=velocity.shape),
        "weights": rng.uniform(0.5, 2.0, (STATES, actuators)),
        "smoothing": rng.uniform(0.001, 0.1, STATES),
        "gravity": rng.normal(size=(STATES, 3)),
        "geometry": np.tile(robot.geometry, (STATES, 1)),
    }
    return known | {name: values for name, values in elements.items() if name not in known}


def record(path: str) -> None:
    """Write the record of this version of parakin."""
    counts: dict[str, str] = {}
    arrays: dict[str, np.ndarray] = {}
    for name in library():
        robot = pk.load(name)
        inputs = states(robot)
        for model, formulation, free in variants():
            key = "|".join((name, model, formulation, *free))
            try:
                kernel = robot.kernel(model, formulation=formulation, free=free)
                operations = str(kernel.operations)
                results = kernel(**{socket.name: inputs[socket.name] for socket in kernel.inputs})
            except pk.ParakinError as error:
                counts[key] = f"{type(error).__name__}: {error}"
                continue
            counts[key] = operations
            arrays |= {f"{key}|{output}": values for output, values in results.items()}
        print(f"{name}: {sum(key.startswith(name + '|') for key in counts)} models", file=sys.stderr)
    np.savez_compressed(path, counts=np.array(json.dumps(counts)), **arrays)


def compare(before: str, after: str) -> int:
    """Print what differs; how many things do."""
    old, new = np.load(before), np.load(after)
    counts = [json.loads(str(one["counts"])) for one in (old, new)]
    differences = 0
    for key in sorted(set(counts[0]) | set(counts[1])):
        pair = [each.get(key, "not there") for each in counts]
        if pair[0] != pair[1]:
            differences += 1
            print(f"{key}: {pair[0]} -> {pair[1]}")
    for key in sorted((set(old.files) | set(new.files)) - {"counts"}):
        if key not in old.files or key not in new.files:
            differences += 1
            print(f"{key}: only in one record")
        elif not np.array_equal(old[key], new[key], equal_nan=True):
            differences += 1
            off = np.abs(old[key] - new[key])
            size = np.nanmax(np.abs(old[key])) or 1.0
            print(f"{key}: results differ by {np.nanmax(off) / size:.2g} of the largest")
    print(f"{len(counts[0])} models, {len(old.files) - 1} outputs on {STATES} states: {differences} differences")
    return differences


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", path]:
            record(path)
        case ["compare", before, after]:
            sys.exit(compare(before, after) != 0)
        case _:
            sys.exit(__doc__)
