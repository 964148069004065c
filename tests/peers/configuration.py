"""Joint values of the tree at a pose of the platform: each leg closed by Newton on the tree's own positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from parakin.description import Leg, RobotDescription, expanded_legs
from tests.peers.tree import BASE, Joint, Loop, Place, Tree

CLOSED = 1e-9
"""[m] One more step of Newton squares it."""
NEWTON_STEPS = 60
STARTS = 300
ROUGHLY = 0.95
"""Cosine between a direction of the file and the element at home."""
STEPS_FROM_HOME = 8
"""Each leg follows the platform from home in steps this fine, so that it stays on its working mode."""


@dataclass(frozen=True)
class Configuration:
    """value: of every joint (0 for a ball); R_OE: orientation of the platform, which is that of the ball."""

    value: np.ndarray
    R_OE: np.ndarray


@dataclass(frozen=True)
class Frames:
    """p_OL and R_OL of every link."""

    p: list[np.ndarray]
    R: list[np.ndarray]

    def position(self, place: Place) -> np.ndarray:
        """p_OF = p_OL + R_OL p_LF."""
        if place.link == BASE:
            return place.p
        return self.p[place.link] + self.R[place.link] @ place.p

    def orientation(self, place: Place) -> np.ndarray:
        """R_OF = R_OL R_LF."""
        return place.R if place.link == BASE else self.R[place.link] @ place.R


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """R v = cos v + sin axis × v + (1 - cos) axis (axis·v)."""
    a, b, c = axis
    cross = np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


def frames_of(tree: Tree, configuration: Configuration, joints: range, known: Frames | None = None) -> Frames:
    """Position and orientation of the links of some joints, whose parents are the base, known or among them."""
    p = list(known.p) if known else [np.zeros(3)] * len(tree.joints)
    R = list(known.R) if known else [np.eye(3)] * len(tree.joints)
    for k in joints:
        joint = tree.joints[k]
        place, value = joint.place, configuration.value[k]
        R_parent = np.eye(3) if place.link == BASE else R[place.link]
        p[k] = place.p if place.link == BASE else p[place.link] + R_parent @ place.p
        R[k] = R_parent @ place.R
        if joint.kind == "prismatic":
            p[k] = p[k] + value * (R[k] @ joint.axis)
        elif joint.kind == "ball":
            R[k] = R[k] @ configuration.R_OE
        else:
            R[k] = R[k] @ turned(joint.axis, value)
    return Frames(p, R)


def platform_configuration(tree: Tree, motion: str, pose: np.ndarray) -> Configuration:
    """Values of the joints of the platform; the legs still at 0."""
    value = np.zeros(len(tree.joints))
    value[: tree.slides] = pose[: tree.slides]
    if motion == "spatial":
        return Configuration(value, Rotation.from_quat(pose[3:], scalar_first=True).as_matrix())
    if tree.turn is None:
        return Configuration(value, np.eye(3))
    angle = pose[-1]
    value[tree.turn] = angle
    for copy in tree.copies:
        value[copy.joint] = copy.ratio * angle
    return Configuration(value, turned(np.array([0.0, 0.0, 1.0]), angle))


@dataclass(frozen=True)
class LegOfTree:
    """One leg of a tree, from the base to its open tip, beside a platform that stands still."""

    tree: Tree
    loop: Loop
    platform: Frames

    @property
    def p_OC(self) -> np.ndarray:
        return self.platform.position(self.loop.attachment)

    @property
    def joints(self) -> tuple[Joint, ...]:
        return self.tree.joints[self.loop.joints]

    def frames(self, values: np.ndarray) -> Frames:
        """Links of the leg from the values of its joints."""
        everything = np.zeros(len(self.tree.joints))
        everything[self.loop.joints] = values
        joints = range(self.loop.joints.start, self.loop.joints.stop)
        return frames_of(self.tree, Configuration(everything, np.eye(3)), joints, self.platform)

    def jacobian(self, frames: Frames, p_tip: np.ndarray) -> np.ndarray:
        """Velocity of the tip; columns axis × (p_tip - p_joint), or the axis of a slide."""
        columns: list[np.ndarray] = []
        for k, joint in enumerate(self.joints, start=self.loop.joints.start):
            axis = frames.R[k] @ joint.axis
            columns.append(axis if joint.kind == "prismatic" else np.cross(axis, p_tip - frames.p[k]))
        return np.column_stack(columns)

    def close(self, start: np.ndarray) -> np.ndarray | None:
        """Newton for p_tip(values) = p_OC; None where it does not converge."""
        values, p_OC = start, self.p_OC
        for _ in range(NEWTON_STEPS):
            frames = self.frames(values)
            p_tip = frames.position(self.loop.tip)
            step = np.linalg.lstsq(self.jacobian(frames, p_tip), p_OC - p_tip)[0]
            values = values + step * min(1.0, 0.5 / max(float(np.linalg.norm(step)), 0.5))
            if np.linalg.norm(p_OC - p_tip) < CLOSED:
                return values
        return None

    def as_described(self, table: Leg, values: np.ndarray) -> bool:
        """Is this the working mode of the file, near its directions, with rings and struts the right way round?

        Two angles put the line of a universal joint in one place; axis 2 along x × axis 1 is the one that counts.
        """
        frames = self.frames(values)
        x = [frames.orientation(place)[:, 0] for place in self.loop.elements]
        for element, place, x_k in zip(table.elements, self.loop.elements, x, strict=True):
            two_axes = element.joint.type not in ("fixed", "revolute")
            if two_axes and np.cos(values[place.link - self.loop.joints.start]) < 0:
                return False
            if element.direction is not None and x_k @ np.array(element.direction) < ROUGHLY:
                return False
        return on_working_mode(table, x, self.p_OC - np.array(table.root))

    def close_as_described(self, table: Leg) -> np.ndarray:
        """From random starts until the leg is as its table says."""
        rng = np.random.default_rng(0)
        turns = np.array([joint.kind == "revolute" for joint in self.joints])
        for _ in range(STARTS):
            start = np.where(turns, rng.uniform(-np.pi, np.pi, len(turns)), rng.uniform(0, 2, len(turns)))
            values = self.close(start)
            if values is not None and self.as_described(table, values):
                return np.where(turns, np.arctan2(np.sin(values), np.cos(values)), values)
        raise AssertionError(f"{table.name} does not close at home")


def on_working_mode(leg: Leg, x: list[np.ndarray], r: np.ndarray) -> bool:
    """The sign that a file calls branch, and a strut with its tip ahead; r: from the leg's root to its attachment."""
    first = leg.elements[0]
    if len(x) == 1:
        return bool(x[0] @ r > 0)
    if len(x) > 2:
        return True
    if first.joint.type == "fixed":
        return bool((x[0] @ x[1]) * leg.branch > 0)
    axis = np.array(first.joint.axis)
    normal = axis if first.joint.type == "revolute" else np.cross(r, axis)
    return bool((np.cross(x[0], x[1]) @ normal) * leg.branch > 0)


class Closer:
    """Finds the joint values of a robot's tree; legs are solved at home once and followed from there."""

    def __init__(self, tree: Tree, description: RobotDescription) -> None:
        self.tree = tree
        self.motion = description.motion
        self.home_pose = np.array(description.workspace.home)
        tables, legs = expanded_legs(description), self.legs(self.home_pose)
        self.home = [leg.close_as_described(table) for leg, table in zip(legs, tables, strict=True)]

    def legs(self, pose: np.ndarray) -> list[LegOfTree]:
        """Beside the platform at a pose."""
        configuration = platform_configuration(self.tree, self.motion, pose)
        platform = frames_of(self.tree, configuration, range(self.tree.platform_joints))
        return [LegOfTree(self.tree, loop, platform) for loop in self.tree.loops]

    def path_from_home(self, pose: np.ndarray) -> list[np.ndarray]:
        """Poses on the way: straight, and turning about one axis."""
        parts = np.linspace(0, 1, STEPS_FROM_HOME + 1)[1:]
        if self.motion != "spatial":
            return [(1 - s) * self.home_pose + s * pose for s in parts[:-1]] + [pose]
        R_home = Rotation.from_quat(self.home_pose[3:], scalar_first=True)
        turn = (Rotation.from_quat(pose[3:], scalar_first=True) * R_home.inv()).as_rotvec()
        way: list[np.ndarray] = []
        for s in parts[:-1]:
            quaternion = (Rotation.from_rotvec(s * turn) * R_home).as_quat(scalar_first=True)
            way.append(np.concatenate([(1 - s) * self.home_pose[:3] + s * pose[:3], quaternion]))
        return [*way, pose]

    def at(self, pose: np.ndarray) -> Configuration:
        """All joint values."""
        configuration = platform_configuration(self.tree, self.motion, pose)
        values = self.home
        for waypoint in self.path_from_home(pose):
            found = [leg.close(start) for leg, start in zip(self.legs(waypoint), values, strict=True)]
            values = [each for each in found if each is not None]
            assert len(values) == len(found), f"a leg does not reach {waypoint}"
        for loop, each in zip(self.tree.loops, values, strict=True):
            configuration.value[loop.joints] = each
        return configuration
