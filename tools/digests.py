"""Records what every model of every library machine costs and gives, and compares two records.

    python -m tools.digests record before.npz                  # at the old commit
    python -m tools.digests record after.npz                   # at the new one
    python -m tools.digests compare before.npz after.npz       # the same bits?
    python -m tools.digests compare before.npz after.npz --tolerance 1e-12 --renamed renamed.json

A record holds, for each machine, model, formulation and freed input, the operation count and the results on 64 states,
of mechanisms also with the configuration given; and for each machine its names, its parameters, its base parameters
and its joint wrenches on 8 states. A comparison lists counts that rose or fell, and results that differ by more than
the tolerance relative to the largest entry of the output. renamed.json maps the beginning of a key in the old record
to that in the new one, such as {"delta|joints|coordinate": "delta|joints|angles"}.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import parakin as pk
from parakin.description import library
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.graph.models import MODELS as GRAPH_MODELS
from parakin.dynamics.leg_models import MODELS as LEG_MODELS
from parakin.kinematics.working_modes import branched_legs
from parakin.mechanism import mechanism_library
from parakin.robot import Robot

STATES, WRENCH_STATES = 64, 8
"""States of a record, and those of joint wrenches, which legs compute through their graph."""
VALUES, COUNTS = "values", "counts"
"""Names of the two parts of a record that are no results of models."""
PLAIN = tuple(dict.fromkeys((*LEG_MODELS, "forward_kinematics", *GRAPH_MODELS)))
"""Every model of any machine; of one that a machine refuses the error is recorded."""
OTHER_FORMULATIONS = (*(name for name in FORMULATIONS if name != "virtual-work"), "nacelle")
FREE = ("parameters", "payload", "wrench", "weights", "smoothing", "gravity", "geometry", "directions", "branches")
"""Inputs that are freed one at a time."""

Numbers = NDArray[Any]
"""An array of numbers or names."""
Variant = tuple[str, str, tuple[str, ...], bool]
"""A model, its formulation, what is freed, and whether the configuration is given."""


def variants(of_bodies: bool) -> Iterator[Variant]:
    """Yield every variant of a model that is recorded; of_bodies: whether the machine is one of bodies and joints."""
    for at in (False, True) if of_bodies else (False,):
        for model in PLAIN:
            yield model, "virtual-work", (), at
        for free in FREE:
            yield "inverse_dynamics", "virtual-work", (free,), at
            yield "inverse_kinematics", "virtual-work", (free,), at
        yield "forward_dynamics", "virtual-work", ("parameters", "payload", "wrench", "smoothing"), at
    for formulation in OTHER_FORMULATIONS:
        yield "inverse_dynamics", formulation, (), False
        yield "actuator_power", formulation, (), False


def states(robot: Robot, of_bodies: bool) -> dict[str, Numbers]:
    """Return what kernels may ask for, by the names of their inputs."""
    rng = np.random.default_rng(1)
    pose, velocity, acceleration = robot.sample_states(STATES)
    actuators = len(robot.actuator_names)
    known = {
        "pose": pose,
        "velocity": velocity,
        "acceleration": acceleration,
        "reference_velocity": velocity[::-1],
        "q": robot.inverse_kinematics(pose),
        "q_dot": robot.actuator_velocity(pose, velocity),
        "q_ddot": rng.normal(size=(STATES, actuators)),
        "tau": rng.normal(size=(STATES, actuators)),
        "parameters": robot.parameters * (1 + 0.1 * rng.uniform(size=(STATES, len(robot.parameters)))),
        "p": robot.parameters * (1 + 0.1 * rng.uniform(size=(STATES, len(robot.parameters)))),
        "payload": np.tile([0.4, 0.004, -0.008, 0.02, 0.011, 1e-4, 2e-4, 0.012, -1e-4, 0.013], (STATES, 1)),
        "wrench": rng.normal(size=(STATES, 6) if of_bodies else velocity.shape),
        "weights": rng.uniform(0.5, 2.0, (STATES, actuators)),
        "smoothing": rng.uniform(0.001, 0.1, STATES),
        "gravity": rng.normal(size=(STATES, 3)),
    }
    if of_bodies:
        home = np.asarray(robot.configuration(robot.home), np.float64)
        return known | {"near": np.tile(home, (STATES, 1)), "configuration": robot.configurations(pose)}
    elements = robot.kernel("elements")(pose=pose, velocity=velocity, acceleration=acceleration)
    known |= {"near": pose, "geometry": np.tile(robot.geometry, (STATES, 1))}
    known["directions"] = np.tile(robot.directions, (STATES, 1))
    known["branches"] = np.tile([float(leg.branch or 1) for leg in branched_legs(robot.description)], (STATES, 1))
    return known | {name: values for name, values in elements.items() if name not in known}


def record(path: Path, names: Sequence[str]) -> None:
    """Write the record of this version of parakin."""
    counts: dict[str, str] = {}
    arrays: dict[str, Numbers] = {}
    bodies = mechanism_library()
    for name in names or (*library(), *bodies):
        robot = pk.load(name)
        inputs = states(robot, name in bodies)
        for model, formulation, free, at in variants(name in bodies):
            key = "|".join((name, model, *(() if formulation == "virtual-work" else (formulation,)), *free))
            key += "|at" * at
            try:
                kernel = robot.kernel(model, formulation=formulation, free=free, configuration=at)
                given = {socket.name: inputs[socket.name] for socket in kernel.inputs}
                results = kernel.evaluate(given)
            except pk.ParakinError as error:
                counts[key] = type(error).__name__
                continue
            counts[key] = str(kernel.operations)
            arrays |= {f"{key}|{output}": np.asarray(values) for output, values in results.items()}
        arrays |= {f"{name}|{VALUES}|{what}": values for what, values in _values(robot).items()}
        print(f"{name}: {sum(key.startswith(f'{name}|') for key in counts)} models", file=sys.stderr)
    arrays[COUNTS] = np.array(json.dumps(counts))
    np.savez_compressed(path, **arrays)  # pyright: ignore[reportArgumentType]  (no array is called allow_pickle)


def _values(robot: Robot) -> dict[str, Numbers]:
    """Return what identified files depend on, and the joint wrenches."""
    base = robot.base_parameters()
    wrenches = robot.joint_wrenches(*robot.sample_states(WRENCH_STATES))
    return {
        "parameters": np.asarray(robot.parameters),
        "parameter_names": np.array([one.name for one in robot.parameter_table]),
        "base_parameters": np.asarray(base.map),
        "base_names": np.array(base.names),
        "pose_names": np.array(robot.pose_names),
        "joint_names": np.array(robot.joint_names),
        "joint_wrenches": np.where(wrenches.unique[..., None], wrenches.wrench, np.nan),
    }


def compare(before: Path, after: Path, tolerance: float, renamed: Mapping[str, str]) -> int:
    """Print what differs; return how many things do."""
    old, new = np.load(before), np.load(after)
    counts = [json.loads(str(one[COUNTS])) for one in (old, new)]
    counts[0] = {_renamed(key, renamed): value for key, value in counts[0].items()}
    results = {_renamed(key, renamed): key for key in old.files}
    differences = 0
    for key in sorted(set(counts[0]) | set(counts[1])):
        pair = [each.get(key, "not there") for each in counts]
        if pair[0] != pair[1]:
            differences += 1
            print(f"{key}: {pair[0]} -> {pair[1]}")
    for key in sorted((set(results) | set(new.files)) - {COUNTS}):
        if key not in results or key not in new.files:
            differences += 1
            print(f"{key}: only in the {'new' if key not in results else 'old'} record")
            continue
        difference = _difference(old[results[key]], new[key])
        if difference > tolerance:
            differences += 1
            print(f"{key}: results differ by {difference:.2g} of the largest")
    print(f"{len(counts[0])} models, {len(results) - 1} results: {differences} differences")
    return differences


def _renamed(key: str, renamed: Mapping[str, str]) -> str:
    beginning = max((one for one in renamed if key.startswith(one)), key=len, default="")
    return renamed[beginning] + key[len(beginning) :] if beginning else key


def _difference(old: Numbers, new: Numbers) -> float:
    """Return the largest difference relative to the largest entry; infinite where shapes, names or NaNs differ."""
    if old.shape != new.shape or old.dtype.kind != new.dtype.kind:
        return np.inf
    if old.dtype.kind in "US":
        return 0.0 if np.array_equal(old, new) else np.inf
    if np.array_equal(old, new, equal_nan=True):
        return 0.0
    if not np.array_equal(np.isnan(old), np.isnan(new)):
        return np.inf
    return float(np.nanmax(np.abs(old - new)) / (np.nanmax(np.abs(old)) or 1.0))


def main() -> int:
    """Run what the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="write a record of this version")
    recording.add_argument("path", type=Path)
    recording.add_argument("machines", nargs="*", help="all of the library where none is named")
    comparing = commands.add_parser("compare", help="compare two records; exit status 1 where they differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--tolerance", type=float, default=0.0, help="relative; 0 compares bits (default)")
    comparing.add_argument("--renamed", type=Path, help="JSON: beginning of an old key -> that of the new one")
    given = parser.parse_args()
    if given.command == "record":
        record(given.path, given.machines)
        return 0
    renamed = json.loads(given.renamed.read_text()) if given.renamed else {}
    return int(compare(given.before, given.after, given.tolerance, renamed) > 0)


if __name__ == "__main__":
    sys.exit(main())
