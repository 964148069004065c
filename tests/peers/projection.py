"""Dynamics of the closed chain from any engine's dynamics of the open tree, by projection on what the loops allow.

With z the tree's coordinates, v the platform's velocity, u the loops' relative velocities:

    u = G z_dot = 0    =>    z_dot = N v          z_ddot = N a + n,    G n = -G_dot z_dot
    M_v = N^T M N      c_v = N^T (M n + c)        g_v = N^T g
    J_qv^T tau = M_v a + c_v + g_v,   J_qv the driven rows of N
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tests.peers.configuration import Closer, Configuration
from tests.peers.tree import Tree


@dataclass(frozen=True)
class TreeTerms:
    """M, M z_ddot + bias = force; gap, G and G_dot z_dot of the loops: tip minus attachment in base axes."""

    mass: np.ndarray
    bias: np.ndarray
    gap: np.ndarray
    G: np.ndarray
    drift: np.ndarray


class Engine(Protocol):
    """A multibody engine that holds a tree."""

    def terms(self, configuration: Configuration, rates: np.ndarray) -> TreeTerms: ...


@dataclass(frozen=True)
class Witness:
    """What an engine says about a state, in parakin's coordinates. gap: by how much its loops are open [m]."""

    q: np.ndarray
    q_dot: np.ndarray
    q_ddot: np.ndarray
    J_qv: np.ndarray
    mass: np.ndarray
    coriolis: np.ndarray
    gravity: np.ndarray
    tau: np.ndarray
    gap: float


class Peer:
    """A robot in an engine."""

    def __init__(self, closer: Closer, engine: Callable[[Tree], Engine]) -> None:
        self.closer = closer
        self.tree = closer.tree
        self.engine = engine(closer.tree)

    def at(self, pose: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> Witness:
        """Everything about one state."""
        tree = self.tree
        configuration = self.closer.at(pose)
        S = platform_map(tree, configuration)
        first_leg = S.shape[0]
        size = tree.rates(len(tree.joints) - 1).stop

        resting = self.engine.terms(configuration, np.zeros(size))
        G_legs = resting.G[:, first_leg:]
        N = np.vstack([S, -np.linalg.lstsq(G_legs, resting.G[:, :first_leg] @ S)[0]])
        moving = self.engine.terms(configuration, N @ velocity)
        n = np.concatenate([np.zeros(first_leg), -np.linalg.lstsq(G_legs, moving.drift)[0]])

        driven = [tree.rates(drive.joint).start for drive in tree.drives]
        sign = np.array([drive.sign for drive in tree.drives])
        J_qv = sign[:, None] * N[driven]
        mass = N.T @ resting.mass @ N
        gravity = N.T @ resting.bias
        coriolis = N.T @ (resting.mass @ n + moving.bias - resting.bias)
        tau = np.linalg.lstsq(J_qv.T, mass @ acceleration + coriolis + gravity)[0]
        values = np.array([configuration.value[drive.joint] - drive.zero for drive in tree.drives])
        return Witness(
            sign * values,
            J_qv @ velocity,
            J_qv @ acceleration + sign * n[driven],
            J_qv,
            mass,
            coriolis,
            gravity,
            tau,
            float(np.max(np.abs(resting.gap))),
        )


def platform_map(tree: Tree, configuration: Configuration) -> np.ndarray:
    """S: rates of the platform's joints = S velocity. Its columns only turn with the ball, whose rates are R_OE^T w_E;
    R_OE_dot^T w_E = 0, so that S_dot velocity = 0.
    """
    count = tree.rates(tree.platform_joints - 1).stop
    turn = tree.rates(tree.turn) if tree.turn is not None else slice(0, 0)
    S = np.zeros((count, tree.slides + turn.stop - turn.start))
    S[: tree.slides, : tree.slides] = np.eye(tree.slides)
    if turn.stop - turn.start == 3:
        S[turn, tree.slides :] = configuration.R_OE.T
    elif tree.turn is not None:
        S[turn, tree.slides] = 1.0
        for copy in tree.copies:
            S[tree.rates(copy.joint), tree.slides] = copy.ratio
    return S
