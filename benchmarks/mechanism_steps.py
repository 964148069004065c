"""A mechanism with its loops closed by equality constraints, stepped by MuJoCo under given forces."""

from __future__ import annotations

import casadi as ca
import mujoco
import numpy as np

from benchmarks.mujoco_steps import INTEGRATORS, rolled_out
from parakin.arrays import Array
from parakin.dynamics.graph.forces import link_inertias
from parakin.dynamics.graph.parameters import given_out, graph_parameters
from parakin.dynamics.parameter_symbols import values_of
from parakin.mechanism.skeleton import BASE_LINK, Place
from parakin.robot import Robot

JOINTS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball", "free": "free"}
"""Joints of the tree that these mechanisms have."""


def _numbers(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(np.asarray(values, float)))


def _placed(place: Place) -> str:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(place.R).ravel())
    return f'pos="{_numbers(place.p)}" quat="{_numbers(quaternion)}"'


def mjcf(robot: Robot) -> str:
    """The tree of a mechanism whose cut joints are balls, which become equality constraints."""
    skeleton, description = robot.plan.skeleton, robot.graph_description
    skeleton, description = robot.plan.skeleton, robot.graph_description
    parameters = given_out(skeleton, values_of(graph_parameters(description, None)), None)
    inertias = link_inertias(skeleton, parameters.bodies)
    texts: dict[int, str] = {}
    for k in range(len(skeleton.links) - 1, -1, -1):
        link, inertia = skeleton.links[k], inertias[k]
        inside = "".join(texts[m] for m, other in enumerate(skeleton.links) if other.inner.link == k)
        mass = ""
        if inertia is not None:
            m, h, about = float(ca.DM(inertia.m).full()[0, 0]), ca.DM(inertia.h).full().ravel(), ca.DM(inertia.I).full()
            com = h / m
            tensor = about - m * (com @ com * np.eye(3) - np.outer(com, com))
            full = _numbers([tensor[a, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
            mass = f'<inertial pos="{_numbers(com)}" mass="{m!r}" fullinertia="{full}"/>'
        sites = "".join(
            f'<site name="{end}{n}" pos="{_numbers(place.p)}"/>'
            for n, cut in enumerate(skeleton.cuts)
            for end, place in (("parent", cut.parent), ("child", cut.child))
            if place.link == k
        )
        kind = JOINTS[link.joint.type]
        joint = f'<joint name="{link.joint.name}" type="{kind}" axis="0 0 1"/>'
        texts[k] = f'<body name="link{k}" {_placed(link.inner)}>{joint}{mass}{sites}{inside}</body>'
    roots = "".join(texts[k] for k, link in enumerate(skeleton.links) if link.inner.link == BASE_LINK)
    loops = "".join(f'<connect site1="parent{n}" site2="child{n}"/>' for n in range(len(skeleton.cuts)))
    motors = "".join(f'<motor joint="{name.partition(".")[0]}"/>' for name in robot.actuator_names)
    return (
        f'<mujoco><option gravity="{_numbers(description.gravity)}"/><worldbody>{roots}</worldbody>'
        f"<equality>{loops}</equality><actuator>{motors}</actuator></mujoco>"
    )


class MechanismStepper:
    """step: of the integrator [s]. Friction is left out: MuJoCo's is another."""

    def __init__(self, robot: Robot, pose: Array, step: float, integrator: str) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf(robot))
        self.model.opt.timestep = step
        self.model.opt.integrator = INTEGRATORS[integrator]
        self.data = mujoco.MjData(self.model)
        self.loops = len(robot.plan.skeleton.cuts)
        configuration = robot.configuration(pose)
        for link in robot.plan.skeleton.links:
            size = len(link.joint.kind.home)
            self.data.joint(link.joint.name).qpos[:] = configuration[link.coordinate : link.coordinate + size]
        self.start = np.array(self.data.qpos)

    def _begin(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.start
        mujoco.mj_forward(self.model, self.data)

    def many(self, tau: Array, count: int, threads: int) -> np.ndarray:
        """Step `count` copies under the forces (steps, motors); their states."""
        self._begin()
        return rolled_out(self.model, self.data, tau, count, threads)

    def violation(self, tau: Array) -> float:
        """[m] The largest distance between the two sides of a cut ball."""
        worst = 0.0
        self._begin()
        ends = [(self.data.site(f"parent{n}"), self.data.site(f"child{n}")) for n in range(self.loops)]
        for forces in tau:
            self.data.ctrl[:] = forces
            mujoco.mj_step(self.model, self.data)
            mujoco.mj_kinematics(self.model, self.data)
            worst = max(worst, *(float(np.linalg.norm(a.xpos - b.xpos)) for a, b in ends))
        return worst
