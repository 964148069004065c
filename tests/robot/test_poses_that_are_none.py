"""What is no array of real numbers is refused as a pose, of mechanisms as of robots of legs."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.errors import CapabilityError, KernelInputError

HIDDEN = [[True], [False]]
NUMBERS = ("pose", "velocity", "acceleration", "tau", "q", "q_dot", "q_ddot", "configuration", "configurations")
"""Arguments of public methods that are arrays of real numbers; methods that take or make a kernel are left out."""
METHODS = ("check", "inverse_kinematics", "configuration", "configurations", "condition", "mass_matrix", "places")


@pytest.mark.parametrize("name", ["four_bar", "five_bar"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["complex", "masked", "text", "objects", "ragged"])
def test_only_real_numbers_are_poses(name: str, method: str, kind: str) -> None:
    robot = pk.load(name)
    poses = np.stack([robot.home, robot.home])
    given: dict[str, Any] = {
        "complex": poses + 0.1j,
        "masked": np.ma.masked_array(poses, mask=np.broadcast_to(HIDDEN, poses.shape)),
        "text": [[str(value) for value in row] for row in poses],
        "objects": poses.astype(object),
        "ragged": [poses[0].tolist(), [*poses[1].tolist(), 0.0]],
    }
    with pytest.raises(KernelInputError, match="pose"):
        getattr(robot, method)(given[kind])


@pytest.mark.parametrize("name", ["four_bar", "five_bar"])
def test_every_public_method_refuses_what_is_not_real(name: str) -> None:
    """Methods are found by the names of their arguments, so that new ones are among them."""
    robot = pk.load(name)
    n, motors = robot.degrees_of_freedom, len(robot.actuator_names)
    of_motion = dict.fromkeys(("velocity", "acceleration"), n) | dict.fromkeys(("tau", "q_dot", "q_ddot"), motors)
    given: dict[str, Any] = {argument: np.zeros((4, size)) for argument, size in of_motion.items()}
    given |= {"pose": np.tile(robot.home, (4, 1)), "name": "output", "formulation": "recursive-matrix"}
    given["q"] = robot.inverse_kinematics(given["pose"])
    given["configuration"] = given["configurations"] = given["near"] = robot.configuration(given["pose"])
    walked = 0
    for method in dir(robot):
        call = getattr(type(robot), method, None)
        if method.startswith("_") or method in ("kernel", "run_at") or not callable(call):
            continue
        wanted = [one for one in list(inspect.signature(call).parameters.values())[1:] if one.default is one.empty]
        for one in (one.name for one in wanted if one.name in NUMBERS):
            for spoilt in (given[one] + 0.1j, np.ma.masked_array(given[one], mask=given[one] == given[one][0, 0])):
                told = {each.name: given[each.name] for each in wanted if each.name in given} | {one: spoilt}
                with suppress(CapabilityError), pytest.raises(KernelInputError, match=one):
                    getattr(robot, method)(**told)
                walked += 1
    assert walked > 100


@pytest.mark.parametrize("method", ["inverse_kinematics", "mass_matrix", "configuration"])
def test_a_start_of_a_mechanism_is_of_real_numbers_too(method: str) -> None:
    linkage = pk.load("four_bar")
    near: Any = linkage.home_configuration + 0.1j
    with pytest.raises(KernelInputError, match="near"):
        getattr(linkage, method)(linkage.home, near=near)


@pytest.mark.parametrize("kind", ["complex", "masked", "text"])
def test_other_arrays_are_of_real_numbers_too(kind: str) -> None:
    """Imaginary parts were dropped with a warning, masks without one, and text was read."""
    robot = pk.load("five_bar")

    def spoilt(values: Any) -> Any:
        array = np.array(values, float)
        return {
            "complex": array + 0.1j,
            "masked": np.ma.masked_array(array, mask=np.arange(array.size).reshape(array.shape) == 0),
            "text": array.astype(str),
        }[kind]

    law = pk.control.law("computed_torque", robot)
    home, still = robot.home, np.zeros(2)
    states = (np.tile(home, (4, 1)), np.zeros((4, 2)), np.zeros((4, 2)))
    calls = {
        "parameters": lambda: robot.with_parameters(spoilt(robot.parameters), "a test"),
        "tau": lambda: robot.regressor_triangle(*states, spoilt(np.zeros((4, 2)))),
        "velocity": lambda: robot.output(home, spoilt(still), still),
        "acceleration": lambda: robot.joint_wrenches(home, still, spoilt(still)),
        "wrench": lambda: robot.joint_wrenches(home, still, still, wrench=spoilt(still)),
        "centre": lambda: robot.with_payload(0.5, centre=spoilt(np.zeros(3))),
        "inertia": lambda: robot.with_payload(0.5, inertia=spoilt(np.eye(3))),
    }
    poses = {
        "hold": lambda: pk.control.hold(robot, spoilt(home), 0.1, 1e-3),
        "gains_for": lambda: pk.control.gains_for(law, 60.0, pose=spoilt(home)),
        "linearize": lambda: pk.simulation.linearize(robot, pose=spoilt(home)),
        "margins": lambda: pk.simulation.margins(robot, law, pose=spoilt(home)),
    }
    for name, call in calls.items():
        with pytest.raises(KernelInputError, match=name):
            call()
    for call in poses.values():
        with pytest.raises(KernelInputError, match="pose"):
            call()


@pytest.mark.parametrize("name", ["four_bar", "redundant_4rrr", "delta", "gough_stewart"])
def test_poses_of_another_shape_are_refused_with_theirs(name: str) -> None:
    """`check` of a mechanism, and what searches along paths, ended in IndexError or ValueError of numpy."""
    robot = pk.load(name)
    width, still = len(robot.pose_names), np.zeros(robot.degrees_of_freedom)
    for poses in (1.0, [], np.zeros((2, width + 1))):
        for ask in (robot.check, robot.led_from_home, lambda pose: robot.joint_wrenches(pose, still, still)):
            with pytest.raises(KernelInputError, match=rf"poses?: expected shape .*, {width}\), got shape"):
                ask(poses)
    with pytest.raises(KernelInputError, match=rf"expected shape \(N, {width}\), got shape"):
        robot.led_from_home(np.zeros((2, 3, width)))


@pytest.mark.parametrize("name", ["tricept", "delta"])
def test_what_is_found_from_motors_or_is_a_pose_itself_has_its_width(name: str) -> None:
    """One number was taken for all motors of a mechanism, others ended in numpy's ValueError; legs took any pose."""
    robot = pk.load(name)
    for q in (0.1, [0.1], np.zeros((2, len(robot.actuator_names) + 1))):
        for ask in (
            robot.forward_kinematics,
            robot.some_assembly_modes,
            lambda q: robot.evaluate("forward_kinematics", q=q),
        ):
            with pytest.raises(KernelInputError, match=r"q: expected shape \(\.\.\., 3\), got shape"):
                ask(q)
    long = np.zeros((2, len(robot.home_configuration) + 1))
    for ask in (robot.configuration, robot.configurations, robot.pose_of):
        with pytest.raises(KernelInputError, match="expected shape"):
            ask(long)


@pytest.mark.parametrize("name", ["four_bar", "delta"])
def test_no_poses_have_no_statuses(name: str) -> None:
    robot = pk.load(name)
    assert robot.check(np.zeros((0, 3, len(robot.pose_names)))).shape == (0, 3)
    assert robot.led_from_home(np.zeros((0, len(robot.pose_names)))).status.shape == (0,)
