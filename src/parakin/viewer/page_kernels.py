"""The kernels that a live page needs of a robot, by the names that its machine (`assets/machine.js`) calls them."""

from __future__ import annotations

from parakin.kernels import Kernel
from parakin.kinematics.working_modes import branched_legs
from parakin.robot import Robot


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
