"""Everything that a live page knows of a robot, as plain data ready for JSON, with the kernels that it calls."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from parakin.arrays import Array
from parakin.dynamics.payload import Payload
from parakin.errors import CapabilityError, ParakinError
from parakin.kernels import Kernel
from parakin.kernels.wasm import module
from parakin.kinematics.status import Status
from parakin.kinematics.working_modes import branched_legs
from parakin.motions.offsets import offset_between
from parakin.robot import Robot
from parakin.viewer.layer import Layer
from parakin.viewer.layer_data import layer_data
from parakin.viewer.packing import packed
from parakin.viewer.placing import frames_at, linkage_of, scene_of
from parakin.viewer.recording import Recording, recording_data
from parakin.viewer.roles import COLOURS, Role
from parakin.viewer.scene import Scene


def page_kernels(robot: Robot) -> dict[str, Kernel]:
    """Return the kernels of a page by name: without shortcuts, which gain a page nothing and make it a third larger."""
    kernels = _of_search(robot) if robot.searches_from_near else _of_closed_form(robot)
    return {name: kernel.surely() for name, kernel in kernels.items()}


def _of_closed_form(robot: Robot) -> dict[str, Kernel]:
    """Kernels that take the working mode as an input, for legs that can close in two ways."""
    free = ("branches",) if branched_legs(robot.description) else ()
    kernels = {
        name: robot.kernel(name, free=free)
        for name in ("frames", "inverse_kinematics", "jacobian", "forward_kinematics")
    }
    kernels["inverse_dynamics"] = robot.kernel("inverse_dynamics", free=("payload", *free))
    if robot.joint_limits.any:
        kernels["joints"] = robot.kernel("joint_coordinates", free=free)
    return kernels


def _of_search(robot: Robot) -> dict[str, Kernel]:
    """Kernels that take `near`, the configuration from which loops are closed, and give the next one."""
    kernels = {name: robot.kernel(name) for name in ("frames", "inverse_kinematics", "jacobian", "configuration")}
    kernels["inverse_dynamics"] = robot.kernel("inverse_dynamics", free=("payload",))
    if robot.joint_limits.any:
        kernels["joints"] = robot.kernel("joint_coordinates")
    if len(robot.actuator_names) == robot.degrees_of_freedom:
        kernels["by_motors"] = robot.by_motors.kernel("configuration")
        kernels["pose"] = robot.kernel("pose", configuration=True)
    return kernels


SAMPLES = 500
"""Poses of the box from which the ends of sliders are taken where there are no strokes."""
LARGEST_PAYLOAD = 2.0
"""End of the payload's slider, in masses of everything that moves."""
MOST_MODES = 40
"""Assembly modes that a page has at most: more ghosts show nothing. A Gough-Stewart platform has up to 40."""
SAME_POSITION = 1e-6
"""Motor positions [m or rad] that differ by less are the same: assembly modes are found to 1e-9 or better."""
LOADED = frozenset({Role.ARM, Role.MOTOR, Role.CYLINDER, Role.CARRIAGE})
"""Roles of the parts that show the force of their motor as a colour."""


def page_data(
    robot: Robot,
    recording: Recording | None = None,
    live: dict[str, str] | None = None,
    layers: Sequence[Layer] = (),
) -> dict[str, object]:
    """Return the data of a page.

    recording: what it plays; live: addresses of the program that it listens to; layers: what it shows in the scene.
    """
    frames, _ = frames_at(robot, robot.home)
    linkage = linkage_of(robot, frames)
    masses = [
        {"frame": number, "mass": one.mass, "p": np.asarray(one.com).tolist()}
        for number, body in enumerate(linkage.bodies)
        for one in body.masses
    ]
    scene = scene_of(robot)
    moved = sum(one.mass for body in linkage.bodies for one in body.masses)
    modes, note = _modes(robot)
    drawn = _widened(scene, layers).to_data() | {
        "colours": {role.value: colours for role, colours in COLOURS.items()},
        "actuators": _actuators_of_parts(robot, scene),
        "masses": masses,
    }
    return {
        "name": robot.name,
        "title": robot.title or robot.name,
        "kernels": packed(module(page_kernels(robot))),
        "pose": _pose(robot),
        "machine": _machine(robot),
        "scene": packed(json.dumps(drawn, separators=(",", ":")).encode()),
        "payload": {"mass": robot.payload.mass, "largest": _round_up(max(LARGEST_PAYLOAD * moved, robot.payload.mass))},
        "modes": modes,
        "modesNote": note,
        "recording": None if recording is None else recording_data(recording),
        "live": live,
        "layers": [layer_data(layer) for layer in layers],
    }


def _widened(scene: Scene, layers: Sequence[Layer]) -> Scene:
    """The scene with bounds around all layers too."""
    boxes = [layer.bounds for layer in layers]
    lower = np.fmin.reduce([scene.lower, *(low for low, _ in boxes)])
    return replace(scene, lower=lower, upper=np.fmax.reduce([scene.upper, *(high for _, high in boxes)]))


def _pose(robot: Robot) -> dict[str, object]:
    """How poses are made of numbers, for `assets/pose_space.js`."""
    lower, upper = (np.asarray(side).tolist() for side in robot.box)
    common: dict[str, object] = {"home": np.asarray(robot.home).tolist(), "lower": lower, "upper": upper}
    kind = robot.coordinates
    if kind.of_joints:
        names = list(robot.pose_names)
        return common | {
            "names": names,
            "offsetNames": names,
            "offsetUnits": list(robot.pose_units),
            "linear": None,
            "angular": [],
        }
    return common | {
        "names": list(kind.coordinates),
        "offsetNames": list(kind.offset_names),
        "offsetUnits": [axis.position for axis in kind.axes],
        "linear": list(kind.linear),
        "angular": list(kind.angular),
    }


def _machine(robot: Robot) -> dict[str, object]:
    """What `assets/machine.js` knows beside the kernels."""
    common: dict[str, object] = {"actuators": _actuators(robot), "payload": _one_kilogram(robot)}
    limited = robot.joint_limits.limited()
    common["joints"] = [
        {"name": name, "unit": unit, "lower": _finite(lower), "upper": _finite(upper)}
        for name, unit, lower, upper in zip(limited.names, limited.units, limited.lower, limited.upper, strict=True)
    ]
    legs = branched_legs(robot.description) if robot.legs else ()
    searched = robot.searches_from_near
    return common | {
        "jointPlaces": [robot.coordinate_names.index(name) for name in limited.names],
        "legs": [leg.name for leg in robot.legs],
        "branches": [leg.branch for leg in legs],
        "branchLegs": [leg.name for leg in legs],
        "configuration": np.asarray(robot.home_configuration).tolist() if searched else None,
        "scaling": None if robot.coordinates.of_joints else robot.motion_type.scale(1 / robot.length),
        "drives": [{"sign": motor.sign, "zero": motor.zero} for motor in robot.actuators] if searched else [],
    }


def _actuators(robot: Robot) -> list[dict[str, object]]:
    """Name, units, stroke, largest force and the ends of a slider, for each motor."""
    q = robot.evaluate("inverse_kinematics", pose=robot.sample(SAMPLES))["q"]
    least, most = np.nanmin(q, axis=0), np.nanmax(q, axis=0)
    rows: list[dict[str, object]] = []
    for k, (name, force_unit) in enumerate(zip(robot.actuator_names, robot.actuator_units, strict=True)):
        lower, upper = _finite(robot.strokes.lower[k]), _finite(robot.strokes.upper[k])
        margin = 0.25 * float(most[k] - least[k])
        ends = (
            float(least[k]) - margin if lower is None else lower,
            float(most[k]) + margin if upper is None else upper,
        )
        rows.append(
            {
                "name": name,
                "unit": "m" if force_unit == "N" else "rad",
                "forceUnit": force_unit,
                "lower": lower,
                "upper": upper,
                "force": robot.actuators[k].force,
                "range": ends,
            }
        )
    return rows


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _one_kilogram(robot: Robot) -> list[float]:
    """What 1 kg of payload is: what the robot carries already, else a point at the tool, else at E."""
    if robot.payload.mass > 0:
        return (np.asarray(robot.payload.about_E) / robot.payload.mass).tolist()
    centre = (0.0, 0.0, 0.0) if robot.tool is None else robot.tool.position
    return np.asarray(Payload(mass=1.0, centre=centre).about_E).tolist()


def _actuators_of_parts(robot: Robot, scene: Scene) -> list[int | None]:
    """For each part the motor that moves it; None where none does, or it is not told which."""
    if not robot.legs:
        motors = {name.rpartition(".")[0]: k for k, name in enumerate(robot.actuator_names)}
        frames = {joint.b.frame: motors[joint.name] for joint in scene.joints if joint.name in motors}
        return [frames.get(part.frame) for part in scene.parts]
    legs = {name: number for number, name in enumerate(leg.name for leg in robot.legs)}
    motors_of_legs: dict[int, list[int]] = {}
    for k, name in enumerate(robot.actuator_names):
        motors_of_legs.setdefault(legs[name.rpartition(".")[0]], []).append(k)
    return [
        motors_of_legs[part.leg][0]
        if part.leg is not None and part.role in LOADED and len(motors_of_legs.get(part.leg, [])) == 1
        else None
        for part in scene.parts
    ]


def _modes(robot: Robot) -> tuple[list[dict[str, object]], str]:
    """The poses with the motor positions of home that are nearest to it, each with its working mode, and a sentence:
    how many there are, or why there is no list.
    """
    try:
        q = robot.evaluate("inverse_kinematics", pose=robot.home)["q"]
        found = robot.assembly_modes(q)
    except CapabilityError:
        return [], ""
    except ParakinError as error:
        return [], str(error)
    poses = found.poses[: int(found.count)]
    modes = [(pose, _branches_at(robot, pose, q)) for pose in _nearest_first(robot, poses)]
    listed: list[dict[str, object]] = [
        {"pose": pose.tolist(), "branches": signs} for pose, signs in modes if signs is not None
    ]
    counted = f"{len(listed)} {'pose has' if len(listed) == 1 else 'poses have'} the motor positions of home"
    rest = f"; the {MOST_MODES} nearest to it are listed" if len(listed) > MOST_MODES else ""
    return listed[:MOST_MODES], f"{counted}{rest}."


def _nearest_first(robot: Robot, poses: Array) -> Array:
    """Poses in the order of their distance from home, an angle counting as a way at the robot's length."""
    kind = robot.motion_type
    scale = np.asarray(kind.scale(1 / robot.length))
    away = [np.linalg.norm(offset_between(kind, robot.home, pose) * scale) for pose in poses]
    return poses[np.argsort(away, kind="stable")]


def _branches_at(robot: Robot, pose: Array, q: Array) -> list[int] | None:
    """The working mode in which a pose has these motor positions; None if none has, as at a leg's singularity."""
    legs = branched_legs(robot.description)
    if not legs:
        return []
    choices = np.array(list(product((1, -1), repeat=len(legs))), float)
    kernel = robot.kernel("inverse_kinematics", free=("branches",))
    out = kernel(pose=np.broadcast_to(pose, (len(choices), len(pose))), branches=choices)
    away = np.abs(_wrapped(robot, out["q"] - q)).max(axis=-1)
    away[(out["status"] != int(Status.GOOD)) | np.isnan(away)] = np.inf
    best = int(np.argmin(away))
    return choices[best].astype(int).tolist() if away[best] < SAME_POSITION else None


def _wrapped(robot: Robot, difference: Array) -> Array:
    """Differences of motor positions, angles the short way round."""
    turns = np.array([unit == "rad" for unit in robot.strokes.units])
    return np.where(turns, (difference + np.pi) % (2 * np.pi) - np.pi, difference)


def _round_up(value: float) -> float:
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-3)))
    steps: Sequence[float] = (1, 2, 5, 10)
    return next(step * power for step in steps if step * power >= value * (1 - 1e-9))
