"""A robot with its loops closed by equality constraints, stepped by MuJoCo under given forces."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import rollout

from parakin.robot import Robot
from tests.peers.configuration import Closer
from tests.peers.converter import tree_of
from tests.peers.mjcf import closed_chain

INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
}


def rolled_out(model: mujoco.MjModel, data: mujoco.MjData, tau: np.ndarray, count: int, threads: int) -> np.ndarray:
    """States of `count` copies of where data is, stepped under the forces (steps, actuators)."""
    start = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    copies = [mujoco.MjData(model) for _ in range(threads)]
    states, _ = rollout.rollout(model, copies, np.tile(start, (count, 1)), np.tile(tau, (count, 1, 1)))
    return states


class Stepper:
    """step: of the integrator [s]. The robot has no friction here: MuJoCo's is another."""

    def __init__(self, robot: Robot, pose: np.ndarray, step: float, integrator: str) -> None:
        tree = tree_of(robot.description)
        self.loops = len(tree.loops)
        self.model = mujoco.MjModel.from_xml_string(closed_chain(tree, Closer(tree, robot.description).at(pose)))
        self.model.opt.timestep = step
        self.model.opt.integrator = INTEGRATORS[integrator]
        self.data = mujoco.MjData(self.model)
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)

    def many(self, tau: np.ndarray, count: int, threads: int) -> np.ndarray:
        """Step `count` copies under the forces (steps, actuators); their states."""
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        return rolled_out(self.model, self.data, tau, count, threads)

    def violation(self, tau: np.ndarray) -> float:
        """[m] The largest distance between a leg's tip and the point of the platform that it belongs to."""
        worst = 0.0
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        ends = [(self.data.site(f"tip{k}"), self.data.site(f"attachment{k}")) for k in range(self.loops)]
        for forces in tau:
            self.data.ctrl[:] = forces
            mujoco.mj_step(self.model, self.data)
            mujoco.mj_kinematics(self.model, self.data)
            worst = max(worst, *(float(np.linalg.norm(tip.xpos - end.xpos)) for tip, end in ends))
        return worst
