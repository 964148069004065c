"""Workspaces, measured: poses judged a second, against what a good user would write with numpy and with Pinocchio.

All three tell of a Gough-Stewart platform's pose whether every strut is within its stroke and the platform on home's
side of its singularities, and agree on every pose. numpy may take its poses all at once or in blocks that stay in
caches: the better counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of pyright's sight

import parakin as pk
from benchmarks.timing import Figure, at_least, best_of, machine_load
from parakin.analysis import judge_of, nearest_singularity, workspace
from parakin.poses import matrix_from_quaternion

STATES = 400_000
BLOCK = 4_096
"""Poses of a block for numpy."""
LOOPED = 2_000
ROUNDS = 5


def _spread(robot: pk.Robot, count: int) -> np.ndarray:
    """Poses of which about half are within limits: three times the box, at orientations of the box."""
    poses = np.array(robot.sample(count))
    poses[:, :3] = robot.home[:3] + 3 * (poses[:, :3] - robot.home[:3])
    return poses


class ByHand:
    """Geometry of the struts, and the sign of the determinant at home."""

    def __init__(self, robot: pk.Robot) -> None:
        self.p_OA = np.array([leg.root for leg in robot.legs])
        self.p_EC = np.array([leg.attachment.b for leg in robot.legs])
        zeros = np.array([actuator.zero for actuator in robot.actuators])
        self.least, self.most = robot.strokes.lower + zeros, robot.strokes.upper + zeros
        self.sign = float(np.sign(np.linalg.det(robot.jacobian(robot.home))))

    def numpy(self, poses: np.ndarray) -> np.ndarray:
        """Which poses (N, 7) are inside, vectorised."""
        R_OE = matrix_from_quaternion(poses[:, 3:])
        arms = np.einsum("nij,kj->nki", R_OE, self.p_EC)
        p_AC = poses[:, None, :3] + arms - self.p_OA
        lengths = np.linalg.norm(p_AC, axis=-1)
        inside = ((lengths >= self.least) & (lengths <= self.most)).all(axis=1)
        u = p_AC[inside] / lengths[inside, :, None]
        rows = np.concatenate([u, np.cross(arms[inside], u)], axis=-1)
        inside[inside] = np.linalg.det(rows) * self.sign > 0
        return inside

    def in_blocks(self, poses: np.ndarray) -> np.ndarray:
        """The same, block by block."""
        return np.concatenate([self.numpy(poses[k : k + BLOCK]) for k in range(0, len(poses), BLOCK)])


class ByPinocchio(ByHand):
    """A floating platform with a frame at every ball, placed pose by pose."""

    def __init__(self, robot: pk.Robot) -> None:
        super().__init__(robot)
        self.model = pin.Model()
        joint = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform")
        for k, b in enumerate(self.p_EC):
            place = pin.SE3(np.eye(3), np.array(b))
            self.model.addFrame(pin.Frame(f"ball{k}", joint, place, pin.FrameType.OP_FRAME))
        self.data = self.model.createData()
        self.balls = [self.model.getFrameId(f"ball{k}") for k in range(len(self.p_EC))]

    def one(self, pose: np.ndarray) -> bool:
        """Whether a pose (7,) is inside."""
        q = np.concatenate([pose[:3], pose[4:], pose[3:4]])
        pin.forwardKinematics(self.model, self.data, q)  # pyright: ignore[reportCallIssue] the stub has one overload
        pin.updateFramePlacements(self.model, self.data)
        C = np.array([self.data.oMf[ball].translation for ball in self.balls])
        p_AC = C - self.p_OA
        lengths = np.sqrt(np.einsum("ki,ki->k", p_AC, p_AC))
        if not ((lengths >= self.least) & (lengths <= self.most)).all():
            return False
        u = p_AC / lengths[:, None]
        rows = np.concatenate([u, np.cross(C - pose[:3], u)], axis=1)
        return bool(np.linalg.det(rows) * self.sign > 0)


def judged() -> Iterator[Figure]:
    robot = pk.load("gough_stewart")
    judge, hand, peer = judge_of(robot), ByHand(robot), ByPinocchio(robot)
    poses = _spread(robot, STATES)
    inside = judge(poses) == 0
    assert 0.1 < inside.mean() < 0.9
    assert (inside == hand.numpy(poses)).all()
    assert [peer.one(pose) for pose in poses[:LOOPED]] == inside[:LOOPED].tolist()
    seconds = best_of(
        {
            "parakin": lambda: judge(poses),
            "one thread": lambda: judge.kernel(pose=poses, threads=1),  # type: ignore[attr-defined]
            "numpy at once": lambda: hand.numpy(poses),
            "numpy in blocks": lambda: hand.in_blocks(poses),
            "pinocchio": lambda: [peer.one(pose) for pose in poses[:LOOPED]],
        },
        rounds=ROUNDS,
    )
    each = {name: time / (LOOPED if name == "pinocchio" else STATES) for name, time in seconds.items()}
    each["numpy"] = min(each["numpy at once"], each["numpy in blocks"])
    yield machine_load()
    yield Figure("gough_stewart: poses judged, all cores", 1e-6 / each["parakin"], "million/s")
    yield Figure("gough_stewart: poses judged, one thread", 1e-6 / each["one thread"], "million/s")
    yield at_least("gough_stewart: poses judged against vectorised numpy", each["numpy"] / each["parakin"], 20)
    yield Figure("gough_stewart: the same on one thread", each["numpy"] / each["one thread"], "x")
    yield Figure("gough_stewart: vectorised numpy", 1e-6 / each["numpy"], "million/s")
    yield Figure("gough_stewart: Pinocchio, pose by pose", 1e-6 / each["pinocchio"], "million/s")
    yield Figure("gough_stewart: poses judged against Pinocchio", each["pinocchio"] / each["parakin"], "x")


def whole() -> Iterator[Figure]:
    """What a user waits for, kernels being in the cache."""
    delta, five_bar = pk.load("delta"), pk.load("five_bar")
    seconds = best_of(
        {
            "delta": lambda: workspace(delta),
            "grid": lambda: workspace(delta, grid=True),
            "five_bar": lambda: workspace(five_bar),
            "nearest": lambda: nearest_singularity(delta),
        },
        rounds=3,
    )
    yield Figure("delta: workspace of 64 x 64 x 64 cells refined at its boundary", seconds["delta"], "s")
    yield Figure("delta: the same with every vertex judged", seconds["grid"], "s")
    yield Figure("five_bar: workspace of 512 x 512 cells refined at its boundary", seconds["five_bar"], "s")
    yield Figure("delta: nearest singularity from home", seconds["nearest"], "s")


def figures() -> Iterator[Figure]:
    yield from judged()
    yield from whole()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")
