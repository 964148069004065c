"""A tree in Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of pyright's sight
from scipy.spatial.transform import Rotation

from tests.peers.configuration import Configuration
from tests.peers.projection import TreeTerms
from tests.peers.tree import Place, Tree


def _placement(place: Place) -> pin.SE3:
    return pin.SE3(place.R, place.p)


class PinocchioTree:
    """M by CRBA, bias by nonLinearEffects, loops by frames at the leg's tip and at its attachment."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.model = model = pin.Model()
        model.gravity.linear = tree.gravity
        for joint in tree.joints:
            kinds = {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}
            moving = pin.JointModelSpherical() if joint.kind == "ball" else kinds[joint.kind](joint.axis)
            model.addJoint(joint.place.link + 1, moving, _placement(joint.place), joint.name)
        model.armature = np.concatenate(
            [np.full(3 if joint.kind == "ball" else 1, joint.armature) for joint in tree.joints]
        )
        for mass in tree.masses:
            model.appendBodyToJoint(mass.link + 1, pin.Inertia(mass.mass, mass.com, mass.inertia), pin.SE3.Identity())
        self.ends = [
            (self.frame(f"tip{k}", loop.tip), self.frame(f"attachment{k}", loop.attachment))
            for k, loop in enumerate(tree.loops)
        ]
        self.data = model.createData()

    def frame(self, name: str, place: Place) -> int:
        joint = place.link + 1
        return self.model.addFrame(pin.Frame(name, joint, _placement(place), pin.FrameType.OP_FRAME))

    def coordinates(self, configuration: Configuration) -> np.ndarray:
        """Pinocchio's quaternions end in w."""
        ball = Rotation.from_matrix(configuration.R_OE).as_quat()
        pairs = zip(self.tree.joints, configuration.value, strict=True)
        return np.concatenate([ball if joint.kind == "ball" else [value] for joint, value in pairs])

    def terms(self, configuration: Configuration, rates: np.ndarray) -> TreeTerms:
        model, data, z = self.model, self.data, self.coordinates(configuration)
        upper = np.triu(pin.crba(model, data, z))
        mass = upper + np.triu(upper, 1).T
        bias = np.array(pin.nonLinearEffects(model, data, z, rates))
        pin.computeJointJacobians(model, data, z)
        pin.forwardKinematics(model, data, z, rates, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        ends = self.ends
        return TreeTerms(
            mass,
            bias,
            np.concatenate([data.oMf[tip].translation - data.oMf[end].translation for tip, end in ends]),
            np.vstack([self.jacobian(tip) - self.jacobian(end) for tip, end in ends]),
            np.concatenate([self.acceleration(tip) - self.acceleration(end) for tip, end in ends]),
        )

    def jacobian(self, frame: int) -> np.ndarray:
        """Velocity of a frame's origin in base axes."""
        return pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[:3]

    def acceleration(self, frame: int) -> np.ndarray:
        """Of a frame's origin in base axes, while all joint accelerations are zero."""
        return pin.getFrameClassicalAcceleration(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED).linear
