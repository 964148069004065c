"""Hinges that rows of sines close with their axes against each other: closed properly, or refused, never accepted.

The loop of seven hinges is checked against forward kinematics and potential energies written here, by products of
matrices and differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from parakin.errors import DescriptionError, LoopClosureError
from parakin.kinematics.status import Status
from parakin.mechanism import describe_mechanism
from parakin.mechanism.assembling import closed, scaled_rows
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.numeric import start
from parakin.mechanism.plan import plan
from parakin.robot import Robot
from tests.mechanism.test_open_loops import four_bars

Array = np.ndarray
GRAVITY = 9.81
ROUGH = 1.7
"""How far each passive hinge of the rough home is from where the loop was closed [rad]."""
CLOSED = 1e-9
"""Largest misfit of the closing hinge [m and rad], far above rounding."""
SLOPE = 1e-5
"""Relative error of a central difference of potential energies over 1e-5 rad; 8e-7 near a singularity, at seed 3."""


def _turned(rng: np.random.Generator) -> Array:
    return Rotation.from_quat(rng.normal(size=4)).as_matrix()


class SevenHinges:
    """A loop of seven hinges about axes z of random frames, closed at `angles`; the first is driven."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.angles = rng.uniform(-1.5, 1.5, 6)
        self.frames = [(rng.uniform(-0.3, 0.3, 3), _turned(rng)) for _ in range(6)]
        self.masses, self.coms = rng.uniform(0.2, 1.0, 6), rng.uniform(-0.1, 0.1, (6, 3))
        p, R = self.placed(self.angles)[-1]
        self.tip = rng.uniform(-0.3, 0.3, 3), _turned(rng)
        self.ground = p + R @ self.tip[0], R @ self.tip[1] @ Rotation.from_rotvec([0, 0, 0.4]).as_matrix().T
        signs = rng.choice([-1.0, 1.0], 5)
        self.rough = self.angles + np.concatenate([[0.0], ROUGH * signs])

    def placed(self, angles: Array) -> list[tuple[Array, Array]]:
        p, R, places = np.zeros(3), np.eye(3), list[tuple[Array, Array]]()
        for (r, turn), angle in zip(self.frames, angles, strict=True):
            p, R = p + R @ r, R @ turn @ Rotation.from_rotvec([0, 0, angle]).as_matrix()
            places.append((p, R))
        return places

    def misfit(self, angles: Array) -> Array:
        """Distance of the closing hinge's origins, and the angle between its axes along their common perpendicular."""
        p, R = self.placed(angles)[-1]
        z, axis = (R @ self.tip[1])[:, 2], self.ground[1][:, 2]
        across = np.cross(axis, z)
        angle = np.arctan2(np.linalg.norm(across), axis @ z)
        return np.concatenate(
            [p + R @ self.tip[0] - self.ground[0], across * (angle / max(np.linalg.norm(across), 1e-300))]
        )

    def energy(self, angles: Array) -> float:
        return sum(
            GRAVITY * float(m * (p + R @ c)[2])
            for m, c, (p, R) in zip(self.masses, self.coms, self.placed(angles), strict=True)
        )

    def holding_torque(self, angles: Array) -> float:
        """dV/dq_1 along the loop."""

        def energy(first: float) -> float:
            found = least_squares(
                lambda x: self.misfit(np.array([first, *x])), angles[1:], xtol=1e-15, ftol=1e-15, gtol=1e-15
            )
            return self.energy(np.array([first, *found.x]))

        h = 1e-5
        return (energy(angles[0] + h) - energy(angles[0] - h)) / (2 * h)

    def tables(self) -> dict[str, Any]:
        chain = ["world", *(f"link{k}" for k in range(6))]

        def frame(place: tuple[Array, Array]) -> dict[str, Any]:
            return {"position": place[0].tolist(), "x": place[1][:, 0].tolist(), "z": place[1][:, 2].tolist()}

        joints: list[dict[str, Any]] = [
            {"name": f"hinge{k}", "type": "revolute", "parent": chain[k], "child": chain[k + 1], "child_frame": {}}
            | {"parent_frame": frame(self.frames[k]), "home": [float(self.rough[k])]}
            for k in range(6)
        ]
        joints[0]["freedoms"] = {"angle": {"drive": {}}}
        last = {"name": "closing", "type": "revolute", "parent": "world", "child": chain[-1]}
        joints.append(last | {"parent_frame": frame(self.ground), "child_frame": frame(self.tip)})
        bodies = [
            {"name": name, "mass": m, "com": c.tolist(), "inertia": (1e-3 * np.eye(3)).tolist()}
            for name, m, c in zip(chain[1:], self.masses.tolist(), self.coms, strict=True)
        ]
        file = {"name": "seven", "title": "Seven hinges", "source": "assumed", "output": {"body": "link2"}}
        return file | {"bodies": bodies, "joints": joints, "independent": ["hinge0.angle"]}


def seven(seed: int) -> tuple[SevenHinges, Robot]:
    loop = SevenHinges(seed)
    assert np.max(np.abs(loop.misfit(loop.angles))) < CLOSED
    return loop, Robot(describe_mechanism(loop.tables(), "seven"))


def in_order(mechanism: Robot, configuration: Array) -> Array:
    names = [link.joint.name for link in mechanism.plan.skeleton.links]
    return np.array([configuration[names.index(f"hinge{k}")] for k in range(6)])


def put_in_backwards(mechanism: Robot) -> Array:
    """The configuration in which the rows of sines close, from the file's rough values."""
    tree = mechanism.plan.skeleton
    found, error = closed(tree, start(tree), 1e-3, rows=scaled_rows)
    assert error < CLOSED
    return found


@pytest.mark.parametrize("seed", [2, 3, 6, 9])
def test_a_loop_with_a_rough_home_closes_with_its_hinge_the_right_way_round(seed: int) -> None:
    """Rows of sines close 3 and 6 backwards, and leave 2 and 9 open."""
    loop, mechanism = seven(seed)
    angles = in_order(mechanism, mechanism.home_configuration)
    assert np.max(np.abs(loop.misfit(angles))) < CLOSED
    assert mechanism.static_forces(mechanism.home) == pytest.approx(loop.holding_torque(angles), rel=SLOPE)


@pytest.mark.parametrize("seed", [3, 6])
def test_a_configuration_with_a_hinge_put_in_backwards_is_not_good(seed: int) -> None:
    loop, mechanism = seven(seed)
    backwards = put_in_backwards(mechanism)
    assert np.max(np.abs(loop.misfit(in_order(mechanism, backwards)))) > 1.0
    pose = in_order(mechanism, backwards)[:1]
    still = {"pose": pose, "velocity": np.zeros(1), "acceleration": np.zeros(1)}
    assert mechanism.evaluate("inverse_dynamics", near=backwards, **still).status == Status.NOT_CONVERGED
    for ask in (lambda: mechanism.static_forces(pose, near=backwards), lambda: mechanism.pose_of(backwards)):
        with pytest.raises(LoopClosureError, match="put in backwards"):
            ask()


def test_a_loop_that_closes_only_backwards_is_refused() -> None:
    """A hinge of a planar four-bar whose axis points up on one side and down on the other."""
    tables = four_bars(1, short=0.0).model_dump(exclude_defaults=True)
    joint = next(joint for joint in tables["joints"] if joint["name"] == "last0")
    joint["child_frame"] = {"position": [0.25, 0.0, 0.0], "z": [0.0, 0.0, -1.0]}
    with pytest.raises(DescriptionError, match="close only with joint 'last0' put in backwards"):
        plan(MechanismDescription.model_validate(tables))
