"""The kernels that a live page needs of a robot, by the names that its machine (`assets/machine.js`) calls them."""

from __future__ import annotations

from parakin.kernels import Kernel
from parakin.kinematics.working_modes import branched_legs
from parakin.robot import Mechanism, Robot


def page_kernels(robot: Robot) -> dict[str, Kernel]:
    """Return the kernels of a page by name: without shortcuts, which gain a page nothing and make it a third larger."""
    kernels = _of_mechanism(robot) if isinstance(robot, Mechanism) else _of_legs(robot)
    return {name: kernel.surely() for name, kernel in kernels.items()}


def _of_legs(robot: Robot) -> dict[str, Kernel]:
    """Kernels that take the working mode as an input, for legs that can close in two ways."""
    free = ("branches",) if branched_legs(robot.description) else ()
    kernels = {
        name: robot.kernel(name, free=free)
        for name in ("frames", "inverse_kinematics", "jacobian", "forward_kinematics")
    }
    kernels["inverse_dynamics"] = robot.kernel("inverse_dynamics", free=("payload", *free))
    if robot.joint_limits.any:
        kernels["joints"] = robot.kernel("joint_angles", free=free)
    return kernels


def _of_mechanism(mechanism: Mechanism) -> dict[str, Kernel]:
    """Kernels that take `near`, the configuration from which loops are closed, and give the next one."""
    kernels = {name: mechanism.kernel(name) for name in ("frames", "inverse_kinematics", "jacobian", "configuration")}
    kernels["inverse_dynamics"] = mechanism.kernel("inverse_dynamics", free=("payload",))
    if mechanism.joint_limits.any:
        kernels["joints"] = mechanism.kernel("joint_coordinates")
    if len(mechanism.actuator_names) == mechanism.degrees_of_freedom:
        kernels["by_motors"] = mechanism.by_motors.kernel("configuration")
        kernels["pose"] = mechanism.kernel("pose", configuration=True)
    return kernels
