"""The actuators and tendons of an MJCF file, as motors of joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from parakin.mechanism.readers.draft import Draft, DraftJoint
from parakin.mechanism.readers.mjcf_audit import ACTUATORS
from parakin.mechanism.readers.mjcf_model import Compiled, MjActuator

_REFUSED = {
    "mjTRN_SITE": "pushes at a site: mechanisms have motors in joints only",
    "mjTRN_SLIDERCRANK": "acts through a slider-crank: write its bodies and joints",
    "mjTRN_TENDON": "pulls a tendon: mechanisms have motors in joints only (--drive names one)",
    "mjTRN_SO3": "turns a spherical joint or a site about three axes: make them three hinges with a motor each",
}

TIED = 1e-9
"""What is left of a tendon's coefficients, beside the largest, where couplings tie its joints to each other."""
_FRICTION = (0, 3, 4)
"""Where the feedback of a DC motor has the amplitude of its cogging and the forces of its LuGre friction."""


def add_motors(draft: Draft, model: Compiled) -> None:
    """Give joints the motors of a model, and tell of every tendon."""
    numbers = model.numbers
    draft.names_motors = bool(numbers.actuators)
    driven: dict[str, dict[int, float]] = {}
    pulled: set[int] = set()
    for k, actuator in enumerate(numbers.actuators):
        if actuator.transmission == model.code("mjTRN_TENDON"):
            pulled.add(actuator.target)
        joint, gear = _joint_of(draft, model, k)
        if joint is not None:
            driven.setdefault(joint.name, {})[k] = gear
            _drive(draft, model, k, joint, gear)
    for name, gears in driven.items():
        joint = draft.joint(name)
        assert joint is not None, "it was given a motor"
        force = _force(model, model.joints.index(name), gears)
        if force is not None:
            joint.motor["force"] = force
        damping = sum(numbers.actuators[k].damping * gear**2 for k, gear in gears.items())
        if damping:
            own = numbers.joints[model.joints.index(name)]
            friction = {"viscous": own.damping + damping, "coulomb": own.friction}
            next(iter(joint.freedoms.values()))["friction"] = friction
        if len(gears) > 1:
            names = ", ".join(_name(numbers.actuators[k], k) for k in gears)
            draft.journal.merged(model.place("joint", name), f"has {len(gears)} actuators, {names}: one motor")
    _tell_tendons(draft, model, pulled)


def _name(actuator: MjActuator, k: int) -> str:
    return actuator.name or f"actuator_{k + 1}"


def _place(model: Compiled, k: int) -> str:
    """Return where an actuator stands, whatever it is called there."""
    name = model.numbers.actuators[k].name
    for tag in ACTUATORS:
        if (tag, name) in model.lines:
            return model.place(tag, name)
    return f"actuator {k + 1}{f' ({name!r})' if name else ''}"


def _joint_of(draft: Draft, model: Compiled, k: int) -> tuple[DraftJoint | None, float]:
    """Return the joint that an actuator drives and how much faster it goes than the joint."""
    actuator = model.numbers.actuators[k]
    place, name, gear = _place(model, k), _name(actuator, k), actuator.gear[0]
    kind = {model.code(code): code for code in (*_REFUSED, "mjTRN_JOINT", "mjTRN_JOINTINPARENT", "mjTRN_BODY")}.get(
        actuator.transmission, "other"
    )
    if kind == "mjTRN_BODY":
        draft.journal.dropped(place, "holds by contact, and mechanisms have no contacts")
        return None, 0.0
    target = actuator.target
    if kind == "mjTRN_TENDON":
        tendon = model.numbers.tendons[target]
        ratio = _pull(draft, model, tendon.joints or ())
        if ratio:
            assert tendon.joints, "something is pulled"
            target, gear, kind = tendon.joints[0][0], gear * ratio, "mjTRN_JOINT"
            tied = "of one joint" if len(tendon.joints) == 1 else "of joints that move as one"
            words = f"its motor is on joint '{model.joints[target]}', which moves it {ratio:.6g} times as far"
            draft.journal.merged(place, f"pulls tendon '{tendon.name}' {tied}: {words}")
            if len(tendon.joints) > 1 and (actuator.armature or actuator.damping):
                words = "has armature or damping, and pulls a tendon of several joints: give it to these joints"
                draft.journal.refuse(place, words, name)
    if kind not in ("mjTRN_JOINT", "mjTRN_JOINTINPARENT"):
        draft.journal.refuse(place, _REFUSED.get(kind, "drives no joint"), name)
        return None, 0.0
    joint = draft.joint(model.joints[target])
    if joint is None or joint.type not in ("revolute", "prismatic"):
        kinds = "no joint" if joint is None else f"joint '{joint.name}' of type {joint.type}"
        draft.journal.refuse(place, f"drives {kinds}, and motors turn or slide: split the joint", name)
        return None, 0.0
    if gear == 0.0:
        draft.journal.dropped(place, "its gear is 0: it does nothing")
        return None, 0.0
    fixed = actuator.gain_type == model.code("mjGAIN_FIXED") and actuator.gain[0] == 0.0
    if fixed or not actuator.signals:
        words = "no signal moves it, so that it is a spring, a damper or friction"
        draft.journal.refuse(place, f"{words}: give the joint stiffness, damping or frictionloss", name)
        return None, 0.0
    if actuator.curved:
        draft.journal.refuse(place, "its damping is not linear: give the linear part alone", name)
    if actuator.bias_type == model.code("mjBIAS_DCMOTOR") and any(actuator.bias[index] for index in _FRICTION):
        draft.journal.refuse(place, "has cogging or LuGre friction: give the joint frictionloss in their place", name)
    return joint, gear


def _pull(draft: Draft, model: Compiled, path: Sequence[tuple[int, float]]) -> float:
    """Return how far a fixed tendon goes with its first joint; 0 where couplings do not tie its other joints to that.

    Its rate is c^T v, and couplings say K v = 0: it is r times the first of v where c = K^T x + r e_1.
    """
    if not path:
        return 0.0
    couplings = [{joint: factor for joint, _, factor in terms} for terms, _ in draft.couplings]
    pulled = [model.joints[joint] for joint, _ in path]
    names = list(dict.fromkeys([*pulled, *(name for one in couplings for name in one)]))
    c = np.zeros(len(names))
    for name, (_, factor) in zip(pulled, path, strict=True):
        c[names.index(name)] += factor
    ways = np.array([[one.get(name, 0.0) for name in names] for one in couplings] + [np.eye(len(names))[0].tolist()]).T
    x = np.linalg.lstsq(ways, c, rcond=None)[0]
    return float(x[-1]) if np.max(np.abs(ways @ x - c)) < TIED * np.max(np.abs(c)) else 0.0


def _drive(draft: Draft, model: Compiled, k: int, joint: DraftJoint, gear: float) -> None:
    """Add one actuator to the motor of a joint."""
    actuator = model.numbers.actuators[k]
    table = next(iter(joint.freedoms.values()))
    if "drive" not in table:
        if gear < 0:
            joint.motor["sign"] = -1
        if abs(gear) != 1.0:
            joint.motor["gear_ratio"] = abs(gear)
        joint.motorise()
    ratio = joint.motor.get("gear_ratio", 1.0)
    if actuator.armature:
        before = joint.motor.get("rotor_inertia", 0.0)
        joint.motor["rotor_inertia"] = before + actuator.armature * (gear / ratio) ** 2
    _tell_servo(draft, model, k)


def _force(model: Compiled, j: int, gears: dict[int, float]) -> float | None:
    """Return the largest force of all motors of a joint; where limits differ by direction, the larger."""
    joint, most = model.numbers.joints[j], 0.0
    for k, gear in gears.items():
        actuator = model.numbers.actuators[k]
        limits = [math.inf]
        if actuator.force_limited:
            limits.append(abs(gear) * max(map(abs, actuator.force_range)))
        direct = actuator.gain_type == model.code("mjGAIN_FIXED") and actuator.bias_type == model.code("mjBIAS_NONE")
        if direct and actuator.control_limited:
            limits.append(abs(gear * actuator.gain[0]) * max(map(abs, actuator.control_range)))
        if actuator.transmission == model.code("mjTRN_TENDON"):
            tendon = model.numbers.tendons[actuator.target]
            factor = abs(gear / actuator.gear[0])
            limits += [factor * max(map(abs, tendon.force_range))] if tendon.force_limited else []
        most += min(limits)
    if joint.force_limited:
        most = min(most, max(map(abs, joint.force_range)))
    return most if 0.0 < most < math.inf else None


def _tell_servo(draft: Draft, model: Compiled, k: int) -> None:
    """Tell what of an actuator is control, not mechanics."""
    actuator, place = model.numbers.actuators[k], _place(model, k)
    if actuator.bias_type != model.code("mjBIAS_NONE"):
        gains = ", ".join(f"{value:.6g}" for value in (actuator.gain[0], *actuator.bias[1:3]))
        draft.journal.dropped(place, f"its servo, gain and feedback {gains}: the motor is there, control is yours")
    elif actuator.gain_type == model.code("mjGAIN_FIXED") and actuator.gain[0] != 1.0:
        draft.journal.dropped(place, f"its gain {actuator.gain[0]:.6g}: tau is the force, not a control signal")
    elif actuator.gain_type != model.code("mjGAIN_FIXED"):
        draft.journal.dropped(place, "its gain depends on length or speed (a muscle): tau is the force itself")
    if actuator.delay:
        draft.journal.dropped(place, f"its signals come {actuator.delay:g} s late: delays belong to control")
    if actuator.dynamics != model.code("mjDYN_NONE"):
        draft.journal.dropped(place, "its activation dynamics: tau acts at once")
    low, high = actuator.force_range
    if actuator.force_limited and low != -high:
        draft.journal.approximated(place, f"forces from {low:g} to {high:g}: the larger counts both ways")


def _tell_tendons(draft: Draft, model: Compiled, pulled: set[int]) -> None:
    tied = {
        end
        for entry in model.numbers.equalities
        if entry.type == model.code("mjEQ_TENDON") and entry.active
        for end in entry.ends
    }
    for k, tendon in enumerate(model.numbers.tendons):
        name = tendon.name or f"tendon_{k + 1}"
        place = model.place("fixed" if tendon.joints is not None else "spatial", name)
        if tendon.acts:
            words = "a tendon with stiffness, damping, friction or inertia, which mechanisms have no place for"
            draft.journal.refuse(place, f"{words}: give it to joints", name)
        elif tendon.limited and tendon.joints is not None:
            draft.journal.dropped(place, "limits of a sum of coordinates: mechanisms have limits of single ones")
        elif tendon.limited:
            words = "a tendon whose length is limited: a rope that can hold the mechanism"
            draft.journal.refuse(place, f"{words}: give joints limits", name)
        elif k not in pulled and k not in tied:
            draft.journal.dropped(place, "a tendon without force, motor or limit: it does nothing")
