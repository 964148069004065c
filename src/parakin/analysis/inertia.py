"""The inertia that an actuator feels: with all others held, or with all others free."""

from __future__ import annotations

import numpy as np

from parakin.analysis.options import Options
from parakin.analysis.quantity import Found, GoodPoses
from parakin.arrays import Array
from parakin.errors import UnknownNameError
from parakin.robot import Robot


def inertia_unit(robot: Robot, options: Options) -> str:
    """Return the unit of an actuator's inertia, kg or kg m^2."""
    return robot.actuators[_chosen(robot, options)[0]].units.inertia


def one_unit(robot: Robot, options: Options) -> str | None:
    """Return why actuators cannot be compared: their inertias have two units."""
    if options.actuator is None and len({actuator.units.inertia for actuator in robot.actuators}) > 1:
        return "its actuators have inertias in kg and in kg m^2: choose one with `actuator`"
    return None


def as_many_motors(robot: Robot, options: Options) -> str | None:
    """Return why inertia with the others held cannot be had of a robot."""
    motors, freedoms = len(robot.actuators), robot.degrees_of_freedom
    if motors == freedoms:
        return one_unit(robot, options)
    return f"{motors} motors and {freedoms} freedoms: no motor moves alone while all others are held; use inertia_free"


def inertia(poses: GoodPoses) -> Found:
    """Return what an actuator must accelerate while all others stand still [kg or kg m^2], rotors included.

    The diagonal of M_q = J_qv^-T M_v J_qv^-1, the "effective inertia" of [Abdellatif2005]; the largest of all actuators
    unless one is chosen.
    """
    diagonal = np.diagonal(poses.ask("mass_matrix_actuator", "M"), axis1=1, axis2=2)
    return _largest(poses, diagonal)


def inertia_free(poses: GoodPoses) -> Found:
    """Return what an actuator must accelerate while all others let go [kg or kg m^2], of redundant robots too.

        1 / (J_i M_v^-1 J_i^T)

    It is at most that with the others held.
    """
    J_qv = poses.jacobian
    mobility = np.einsum("kin,kni->ki", J_qv, np.linalg.solve(poses.mass, np.swapaxes(J_qv, 1, 2)))
    with np.errstate(divide="ignore"):
        return _largest(poses, 1 / mobility)


def _largest(poses: GoodPoses, values: Array) -> Found:
    return poses.good(values[:, _chosen(poses.robot, poses.options)].max(axis=1))


def _chosen(robot: Robot, options: Options) -> list[int]:
    """Return which actuators are looked at."""
    names = robot.actuator_names
    if options.actuator is None:
        return list(range(len(names)))
    if options.actuator not in names:
        raise UnknownNameError("actuator", options.actuator, names)
    return [names.index(options.actuator)]
