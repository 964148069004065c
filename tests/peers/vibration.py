"""Eigenfrequencies of a closed chain with elastic drives, by MuJoCo: its own motions, masses, forces and springs.

Springs between motors that stand still and their joints hold the chain at rest. With G the rows of MuJoCo's equalities,
the chain moves along N with G N = 0. It is displaced by N u and closed again along the rows by Newton's method; there,
mj_forward gives the acceleration that it would have without the equalities, and what is left of it on what they allow
is a force on u, whose central differences are the stiffness:

    N^T M qacc_smooth = -K u        K phi = w^2 N^T M N phi

Where `solved`, the acceleration is that of MuJoCo's own solver of soft equalities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

DISPLACEMENT = 1e-5
"""Size of u at which forces are asked for [m or rad]: differences are then exact to about its square, and
rounding is 1e-11 of what springs add."""
NEWTON_STEPS = 6
"""Steps in which a displaced chain is closed; the first leaves the square of the displacement."""
CLOSED = 1e-13
"""How far equalities may be open [m or rad]."""
INDEPENDENT = 1e-9
"""Rows of G whose singular value is below this share of the largest say what others say."""


@dataclass(frozen=True)
class Chain:
    """A model of MuJoCo with springs at its motors, at rest where its data are."""

    model: mujoco.MjModel
    data: mujoco.MjData
    rest: np.ndarray
    """qpos at rest."""
    ways: np.ndarray
    """N at rest, of orthonormal columns (nv, n)."""


def sprung(model: mujoco.MjModel, rest: np.ndarray, drives: Mapping[str, float]) -> Chain:
    """Hold a model at rest by springs in the joints of its motors, by name, whose stiffness is given [N/m or N m/rad].

    Rotors, which stand still, have no part in it, nor has friction. A spring that a joint has of its own stays. More
    motors than freedoms share the load so that the sum of its squares is least.
    """
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    data = mujoco.MjData(model)
    data.qpos[:] = rest
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)
    ways = _ways(_rows(model, data))
    joints = [model.joint(name) for name in drives]
    rates = [int(joint.dofadr[0]) for joint in joints]
    holding = np.linalg.lstsq(ways[rates].T, ways.T @ (data.qfrc_bias - data.qfrc_passive))[0]
    for joint, rate, force, stiffness in zip(joints, rates, holding, drives.values(), strict=True):
        place, own = int(joint.qposadr[0]), float(model.jnt_stiffness[joint.id])
        moment = own * model.qpos_spring[place] + stiffness * rest[place] + force
        model.jnt_stiffness[joint.id] = own + stiffness
        model.qpos_spring[place] = moment / (own + stiffness)
        model.dof_armature[rate] = 0.0
    return Chain(model, data, np.array(rest), ways)


def eigenfrequencies(chain: Chain, *, solved: bool = False) -> np.ndarray:
    """All eigenfrequencies of a chain [Hz], lowest first."""
    n = chain.ways.shape[1]
    K = np.zeros((n, n))
    for k, u in enumerate(DISPLACEMENT * np.eye(n)):
        K[:, k] = (_force(chain, -u, solved) - _force(chain, u, solved)) / (2 * DISPLACEMENT)
    mujoco.mj_forward(chain.model, _at_rest(chain))
    mass = chain.ways.T @ _mass(chain) @ chain.ways
    # What yields most has the least error this way, whatever the frequencies of the others are.
    squares = 1 / np.linalg.eigvals(np.linalg.solve(0.5 * (K + K.T), mass)).real
    return np.sqrt(np.sort(squares)) / (2 * np.pi)


def moved(chain: Chain, u: np.ndarray) -> np.ndarray:
    """qpos of the chain that is displaced by u from rest and closed again."""
    model, data = chain.model, chain.data
    data.qpos[:] = chain.rest
    mujoco.mj_integratePos(model, data.qpos, chain.ways @ u, 1.0)
    for _ in range(NEWTON_STEPS):
        mujoco.mj_forward(model, data)
        step = -np.linalg.lstsq(_rows(model, data), data.efc_pos, rcond=INDEPENDENT)[0]
        mujoco.mj_integratePos(model, data.qpos, step, 1.0)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() < CLOSED, "the displaced chain does not close"
    return np.array(data.qpos)


def _force(chain: Chain, u: np.ndarray, solved: bool) -> np.ndarray:
    """What accelerates the chain displaced by u, as force on u: N^T M qacc, with N^T of rest times N the identity."""
    chain.data.qpos[:] = moved(chain, u)
    mujoco.mj_forward(chain.model, chain.data)
    ways = _ways(_rows(chain.model, chain.data))
    along = np.linalg.solve((chain.ways.T @ ways).T, ways.T).T
    mass = _mass(chain)
    if solved:
        return along.T @ mass @ along @ (chain.ways.T @ chain.data.qacc)
    return along.T @ mass @ chain.data.qacc_smooth


def _at_rest(chain: Chain) -> mujoco.MjData:
    chain.data.qpos[:] = chain.rest
    return chain.data


def _mass(chain: Chain) -> np.ndarray:
    mass = np.zeros((chain.model.nv, chain.model.nv))
    mujoco.mj_fullM(chain.model, chain.data, mass)
    return mass


def _rows(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """G: rows of all equalities by rates."""
    assert (data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY).all()
    return np.array(data.efc_J).reshape(data.nefc, model.nv)


def _ways(rows: np.ndarray) -> np.ndarray:
    """N: an orthonormal basis of what rows allow."""
    _, values, right = np.linalg.svd(rows)
    return right[int(np.sum(values > INDEPENDENT * values[0])) :].T
