"""A disturbance observer that any law can wear: it estimates the wrench on the platform and works against it.

    r:  residual of the momentum (estimators/residual.py), follows an unknown wrench with the rate K
    tau = tau_law - share J_qv^+T r

The estimate is a contact wrench as well as a disturbance; with share 0 it is only looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.definition import Gain, Given, Law, StatePart, Update
from parakin.control.estimators.residual import Driven, next_residual
from parakin.control.parts.seeing import sight_of
from parakin.control.parts.wearing import WATCHING, Answer, Part, label_of, values_for, wear
from parakin.control.units import listed, unit_of
from parakin.dynamics.mechanics import actuator_forces
from parakin.errors import ControlError

LABEL = WATCHING
"""What the part is called."""


def with_disturbance_observer(law: Law, bandwidth: float, share: float = 1.0, *, delay: bool = False) -> Law:
    """Return a law that estimates the wrench on the platform and works against it.

    `bandwidth` is the rate K with which the estimate follows [rad/s], and `share` the part of it that the drives work
    against, from 0 for an estimate alone. Both are gains. With `delay` the forces act one tick after they were asked
    for. The estimate is `observer_wrench` in the law's state, conjugate to the platform's velocity, at E in base axes;
    it contains all that the law's model does not: a payload, contact, friction that differs, and in a drive that stands
    still the part of its weight that dry friction carries.

    >>> watched = pk.control.with_disturbance_observer(law, bandwidth=40.0)
    >>> push = pk.simulation.Scenario(wrench=[0.0, 0.0, -2.0])
    >>> log = pk.simulation.simulate(robot, watched, set_points, push, record_state=True)
    >>> round(float(log["state.observer_wrench"][-1, 2]), 2)
    -2.0
    """
    label = label_of(law, LABEL)
    if label != LABEL:
        raise ControlError(law.name, LABEL, "the law wears one already, which would see the other's force as its own")
    gains = (
        _one(law, f"{LABEL}_bandwidth", "rad/s", bandwidth, "rate with which the estimate follows"),
        _one(law, f"{LABEL}_share", "", share, "part of the estimate that the drives work against"),
    )
    sight = sight_of(law, LABEL, LABEL)
    model, late = sight.carried.model, 2 if delay else 1
    count = len(law.robot.actuator_names)
    wrench, momentum, driven, force = (f"{LABEL}_{name}" for name in ("wrench", "momentum", "driven", "force"))

    def at_rest(given: Given) -> tuple[ca.SX, ca.SX]:
        """The wrench against which the drives have held the robot, and the forces of the drives against it."""
        place = sight.first_place(given)
        still = ca.SX.zeros(law.robot.degrees_of_freedom)
        J_qv = model.jacobian(place)
        r = -(model.momentum(place, still)[1] + J_qv.T @ given["holding"])
        return r, _against(J_qv, r)

    def holding(given: Given) -> ca.SX:
        return given["holding"] + given[f"{LABEL}_share"] * at_rest(given)[1]

    def start(given: Given) -> Mapping[str, ca.SX]:
        r, _ = at_rest(given)
        still = ca.SX.zeros(r.shape[0])
        forces = ca.repmat(given["holding"], late)
        return sight.first(given) | {wrench: r, momentum: still, driven: -r, force: forces}

    def tick(given: Given, answer: Answer) -> Update:
        place, velocity = sight.found(given)
        J_qv = model.jacobian(place)
        p, own = model.momentum(place, velocity)
        acted = given[force][:count]
        before = Driven(given[momentum], given[driven])
        now = Driven(p, own + J_qv.T @ acted)
        r = next_residual(given[wrench], given[f"{LABEL}_bandwidth"], law.period, before, now)
        tau = model.saturated(answer({}) - given[f"{LABEL}_share"] * _against(J_qv, r))
        forces = ca.vertcat(given[force][count:], tau)
        state = {wrench: r, momentum: p, driven: own + J_qv.T @ forces[:count], force: forces}
        return Update(state | dict(sight.following(place, law.period * velocity)), tau)

    size, robot = law.robot.degrees_of_freedom, law.robot
    axes = robot.motion_type.axes
    parts = (
        StatePart(wrench, size, listed([axis.force for axis in axes]), "estimate of what acts on the platform"),
        StatePart(momentum, size, "kg m/s or kg m^2/s", "momentum of the platform at the last tick"),
        StatePart(driven, size, listed([axis.force for axis in axes]), "what the model says changed it there"),
        StatePart(force, late * count, unit_of(robot, "tau") if late == 1 else "N or N m", "forces on their way"),
        *sight.parts,
    )
    return wear(law, Part(LABEL, gains, parts, start, tick, holding, sight.reference))


def _against(J_qv: ca.SX, r: ca.SX) -> ca.SX:
    """Return the forces of the drives that act on the platform as a wrench does: J_qv^T tau = r."""
    return actuator_forces(J_qv, r, ca.SX.zeros(J_qv.shape[0])).tau


def _one(law: Law, name: str, unit: str, value: float, meaning: str) -> Gain:
    return Gain(name, unit, values_for(law, name, value, "one number >= 0", lambda one: one >= 0.0)[:1], meaning)
