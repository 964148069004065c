"""A tree in MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

from tests.peers.configuration import Configuration
from tests.peers.mjcf import coordinates, open_tree
from tests.peers.projection import TreeTerms
from tests.peers.tree import Tree


class MujocoTree:
    """M and bias by mj_forward on the open tree: mj_inverse on the closed one gives other forces than the motors'."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.model = mujoco.MjModel.from_xml_string(open_tree(tree))
        self.data = mujoco.MjData(self.model)
        names = [self.model.joint(k).name for k in range(self.model.njnt)]
        assert names == [joint.name for joint in tree.joints], "depth first, as MuJoCo numbers its joints"

    def terms(self, configuration: Configuration, rates: np.ndarray) -> TreeTerms:
        model, data = self.model, self.data
        data.qpos[:] = coordinates(self.tree, configuration)
        data.qvel[:] = rates
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        ends = [(data.site(f"tip{k}"), data.site(f"attachment{k}")) for k in range(len(self.tree.loops))]
        return TreeTerms(
            mass,
            data.qfrc_bias.copy(),
            np.concatenate([tip.xpos - end.xpos for tip, end in ends]),
            np.vstack([self.jacobian(tip.id) - self.jacobian(end.id) for tip, end in ends]),
            np.concatenate([self.jacobian_rate(tip.id) - self.jacobian_rate(end.id) for tip, end in ends]) @ rates,
        )

    def jacobian(self, site: int) -> np.ndarray:
        """Velocity of a site in base axes."""
        J = np.zeros((3, self.model.nv))
        mujoco.mj_jacSite(self.model, self.data, J, None, site)
        return J

    def jacobian_rate(self, site: int) -> np.ndarray:
        """dJ/dt along the rates the data hold."""
        J_dot = np.zeros((3, self.model.nv))
        body = int(self.model.site_bodyid[site])
        mujoco.mj_jacDot(self.model, self.data, J_dot, None, self.data.site_xpos[site], body)
        return J_dot
