"""The payload that a robot carries, estimated from the wrench that its disturbance observer sees.

A payload's momentum, and what changes it, are linear in its parameters m, m c. Led through the filter of the observer
they give the wrench that the payload makes there, in motion as at rest, without any acceleration:

    r = -Y (m, m c_x, m c_y, m c_z),        Y' = Y + (1 - e^-KT) ((P' - P)/T - (B' + B)/2 - Y)
    P = d(M v)/d(m, m c),    B = d(C^T v - g)/d(m, m c)

A Kalman filter of parameters that may walk then weighs them, row by row, with the root of its covariance in the state.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.control.definition import Gain, Given, Law, StatePart, Update
from parakin.control.estimators.residual import Driven, next_residual
from parakin.control.estimators.square_root import drifted, measured, packed, unpacked
from parakin.control.model import drive_sign, momentum_of
from parakin.control.parts.observing import LABEL as OBSERVER
from parakin.control.parts.seeing import sight_of
from parakin.control.parts.wearing import Answer, Part, label_of, wear
from parakin.control.units import listed
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameters import BODY_UNITS
from parakin.dynamics.payload import Payload
from parakin.errors import ControlError
from parakin.robot import Robot

WEIGHED = 4
"""How many of a payload's parameters are estimated: its mass and its first moments."""
UNITS = "kg, kg m, kg m, kg m"
"""Units of the estimated parameters."""


def with_payload_estimate(
    law: Law, drift: ArrayLike = (0.02, 0.01, 0.01, 0.01), noise: ArrayLike = 1.0, doubt: ArrayLike = 0.0
) -> Law:
    """Return a law that weighs what the robot carries beyond what the law's robot carries already.

    The law must wear a disturbance observer. `drift` says by how much mass [kg] and first moments [kg m] may walk in a
    second, `noise` how far the observed wrench may be wrong [N, N m], one number or one for each degree of freedom, and
    `doubt` by how much the robot may carry something else than nothing in the beginning. The estimate is `payload` in
    the state: mass, and mass times centre in the platform's axes; `payload_of` makes a Payload of it. What the robot's
    motion does not show stays 0: the centre where a platform does not turn.

    >>> watched = pk.control.with_disturbance_observer(law, bandwidth=40.0)
    >>> scale = pk.control.with_payload_estimate(watched)
    >>> carrying = pk.simulation.Scenario(payload=pk.Payload(mass=0.3), payload_time=0.2)
    >>> log = pk.simulation.simulate(robot, scale, set_points, carrying, record_state=True)
    >>> round(pk.control.payload_of(log["state.payload"][-1]).mass, 2)
    0.3
    """
    label = label_of(law, "payload")
    if OBSERVER not in law.worn:
        raise ControlError(law.name, label, "the law wears no disturbance observer: with_disturbance_observer first")
    if label != "payload":
        raise ControlError(law.name, label, "the law weighs its payload already")
    size, freedom = WEIGHED * (WEIGHED + 1) // 2, law.robot.degrees_of_freedom
    gains = (
        _gain(law, "payload_drift", drift, WEIGHED, "how far each parameter may walk in a second"),
        _gain(law, "payload_noise", noise, freedom, "how far the observed wrench may be wrong"),
        _gain(law, "payload_doubt", doubt, WEIGHED, "how far each parameter may be from 0 at first"),
    )
    sight = sight_of(law, label, OBSERVER)
    columns = _columns(law.robot)

    def flat(values: ca.SX) -> ca.SX:
        return ca.vec(ca.densify(values))

    def start(given: Given) -> Mapping[str, ca.SX]:
        P, B = columns(sight.first_place(given), ca.SX.zeros(freedom))
        S = [[ca.SX(0) for _ in range(WEIGHED - j)] for j in range(WEIGHED)]
        for j in range(WEIGHED):
            S[j][0] = given["payload_doubt"][j]
        return {
            "payload": ca.SX.zeros(WEIGHED),
            "payload_root": packed(S),
            "payload_rows": flat(-B),
            "payload_momentum": flat(P),
            "payload_driven": flat(B),
        }

    def tick(given: Given, answer: Answer) -> Update:
        Y, P, B = (ca.reshape(given[f"payload_{name}"], freedom, WEIGHED) for name in ("rows", "momentum", "driven"))
        S, x = unpacked(given["payload_root"], WEIGHED), given["payload"]
        drifted(S, [given["payload_drift"][k] * np.sqrt(law.period) for k in range(WEIGHED)])
        for j in range(freedom):  # rows and wrench of the tick before, which belong to each other
            h = [-Y[j, k] for k in range(WEIGHED)]
            missing = given[f"{OBSERVER}_wrench"][j] - ca.dot(ca.vertcat(*h), x)
            x = x + measured(S, h, given["payload_noise"][j]) * missing
        tau = answer({})
        now = Driven(*columns(*sight.found(given)))
        rows = next_residual(Y, given[f"{OBSERVER}_bandwidth"], law.period, Driven(P, B), now)
        return Update(
            {
                "payload": x,
                "payload_root": packed(S),
                "payload_rows": flat(rows),
                "payload_momentum": flat(now.p),
                "payload_driven": flat(now.force),
            },
            tau,
        )

    many = WEIGHED * freedom
    parts = (
        StatePart("payload", WEIGHED, UNITS, "mass and first moments that the robot carries", ("m", "mx", "my", "mz")),
        StatePart("payload_root", size, "kg or kg m", "root of their covariance, by columns from their diagonals"),
        StatePart("payload_rows", many, "m/s^2 or 1/s^2", "wrench by parameter, filtered as the observer filters"),
        StatePart("payload_momentum", many, "m/s or 1/s", "momentum by parameter at the last tick"),
        StatePart("payload_driven", many, "m/s^2 or 1/s^2", "what changed it there, by parameter"),
    )
    return wear(law, Part("payload", gains, parts, start, tick, reference=sight.reference, acts=False))


def payload_of(values: ArrayLike) -> Payload:
    """Return the payload of estimated mass [kg] and first moments [kg m]; its inertia is that of a point.

    >>> pk.control.payload_of([0.5, 0.0, 0.01, 0.05]).centre
    (0.0, 0.02, 0.1)
    """
    mass, *moments = np.asarray(values, float).tolist()
    if mass <= 0.0:
        return Payload()
    x, y, z = (moment / mass for moment in moments)
    return Payload(mass=mass, centre=(x, y, z))


def _columns(robot: Robot) -> ca.Function:
    """Return the momentum of a payload and what changes it, by its parameters: place, v -> P, B (freedoms, 4)."""
    carried = ca.SX.sym("carried", len(BODY_UNITS))
    own = ca.SX(ca.DM(robot.with_payload(0.0).parameters))
    placed = robot.placed(Acting(sign=drive_sign), own, carried)
    p, force = (ca.jacobian(each, carried)[:, :WEIGHED] for each in momentum_of(placed))
    return ca.Function("payload", [placed.place, placed.velocity], [ca.densify(p), ca.densify(force)])


def _forces(law: Law) -> str:
    return listed([axis.force for axis in law.robot.motion_type.axes])


def _gain(law: Law, name: str, value: ArrayLike, size: int, meaning: str) -> Gain:
    unit = _forces(law) if name == "payload_noise" else UNITS
    values: Array = np.asarray(value, float)
    if values.shape not in ((), (1,), (size,)) or not (np.isfinite(values).all() and (values >= 0.0).all()):
        reason = f"must be finite and >= 0 {unit}, one number or {size}, got {values.tolist()}"
        raise ControlError(law.name, name, reason)
    return Gain(name, unit, tuple(np.broadcast_to(values, (size,)).tolist()), meaning)
