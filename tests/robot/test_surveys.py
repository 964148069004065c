"""A survey of a box names the poses that fail, and why."""

from __future__ import annotations

import numpy as np

import parakin as pk
from parakin.kinematics.status import Status
from parakin.robot.surveys import WORST_SHOWN, survey


def test_a_good_box_has_no_failed_poses() -> None:
    found = survey(pk.load("delta"), 200)
    assert found.good
    assert found.failed == ()
    assert "fail" not in str(found)


def test_the_worst_poses_of_each_kind_are_told_with_what_is_missing() -> None:
    delta = pk.load("delta")
    space = {"home": delta.home.tolist(), "lower": [-0.55, -0.55, -0.3], "upper": [0.5, 0.5, 0.1]}
    robot = delta.replace(workspace=delta.description.workspace.model_dump() | space)
    found = survey(robot)
    assert not found.good
    far = [pose for pose in found.failed if "cannot close" in pose.reason]
    assert len(far) == WORST_SHOWN
    missing = robot.evaluate("inverse_kinematics", pose=np.array([pose.pose for pose in far])).excess.max(axis=1)
    assert (np.diff(missing) <= 0).all()
    assert far[0].reason.endswith(f"{1e3 * missing[0]:.3g} mm missing")
    assert sum("beyond its stroke" in pose.reason for pose in found.failed) == WORST_SHOWN
    for pose in found.failed:
        if "condition number" in pose.reason:
            assert robot.condition(np.array(pose.pose)) > 50
    assert f"  {found.failed[0]}" in str(found).splitlines()


def test_a_box_without_one_good_pose_is_told() -> None:
    delta = pk.load("delta")
    with_far_box = {"home": delta.home.tolist(), "lower": [-0.7, -0.7, -0.7], "upper": [1e-9, 1e-9, 1e-9]}
    found = survey(delta.replace(workspace=delta.description.workspace.model_dump() | with_far_box), 20)
    assert found.home == Status.GOOD
    assert found.good_poses < 20
    assert found.failed[0].reason.endswith("mm missing")
