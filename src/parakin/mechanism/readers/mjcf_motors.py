"""The actuators and tendons of an MJCF file, as motors of joints."""

from __future__ import annotations

import math

from parakin.mechanism.readers.draft import Draft, DraftJoint
from parakin.mechanism.readers.mjcf_model import Compiled, MjActuator

_REFUSED = {
    "mjTRN_SITE": "pushes at a site: mechanisms have motors in joints only",
    "mjTRN_SLIDERCRANK": "acts through a slider-crank: write its bodies and joints",
    "mjTRN_TENDON": "pulls a tendon: mechanisms have motors in joints only",
}


def add_motors(draft: Draft, model: Compiled) -> None:
    """Give joints the motors of a model, and tell of every tendon."""
    numbers = model.numbers
    draft.names_motors = bool(numbers.actuators)
    driven: dict[str, list[int]] = {}
    pulled: set[int] = set()
    for k, actuator in enumerate(numbers.actuators):
        if actuator.transmission == model.code("mjTRN_TENDON"):
            pulled.add(actuator.target)
        joint, factor = _joint_of(draft, model, k)
        if joint is not None:
            driven.setdefault(joint.name, []).append(k)
            _drive(draft, model, k, joint, factor)
    for name, which in driven.items():
        if len(which) > 1:
            names = ", ".join(_name(numbers.actuators[k], k) for k in which)
            draft.journal.merged(model.place("joint", name), f"has {len(which)} actuators, {names}: one motor")
    _tell_tendons(draft, model, pulled)
    _tell_armatures(draft, model)


def _name(actuator: MjActuator, k: int) -> str:
    return actuator.name or f"actuator_{k + 1}"


def _place(model: Compiled, k: int) -> str:
    """Return where an actuator stands, whatever it is called there."""
    name = model.numbers.actuators[k].name
    for tag in ("motor", "position", "velocity", "general", "intvelocity", "damper", "cylinder", "muscle", "dcmotor"):
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
        path = model.numbers.tendons[target].joints
        if path is not None and len(path) == 1 and path[0][1]:
            tendon = model.numbers.tendons[target].name
            draft.journal.merged(place, f"pulls tendon '{tendon}' of one joint: its motor is on the joint")
            target, gear, kind = path[0][0], gear * path[0][1], "mjTRN_JOINT"
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
    return joint, gear


def _drive(draft: Draft, model: Compiled, k: int, joint: DraftJoint, gear: float) -> None:
    """Add one actuator to the motor of a joint."""
    actuator = model.numbers.actuators[k]
    j = model.joints.index(joint.name)
    table = next(iter(joint.freedoms.values()))
    if "drive" not in table:
        armature = model.numbers.joints[j].armature
        table["drive"] = joint.motor
        if gear < 0:
            joint.motor["sign"] = -1
        if abs(gear) != 1.0:
            joint.motor["gear_ratio"] = abs(gear)
        if armature:
            joint.motor["rotor_inertia"] = armature / gear**2
    ratio = joint.motor.get("gear_ratio", 1.0)
    if actuator.armature:
        before = joint.motor.get("rotor_inertia", 0.0)
        joint.motor["rotor_inertia"] = before + actuator.armature * (gear / ratio) ** 2
    if actuator.damping:
        numbers = model.numbers.joints[j]
        added = actuator.damping * gear**2
        table["friction"] = {"viscous": numbers.damping + added, "coulomb": numbers.friction}
    force = _force(model, actuator, j, gear)
    if force is not None:
        joint.motor["force"] = joint.motor.get("force", 0.0) + force
    _tell_servo(draft, model, k)


def _force(model: Compiled, actuator: MjActuator, j: int, gear: float) -> float | None:
    """Return the largest force on the joint; where limits differ by direction, the larger."""
    limits: list[float] = []
    if actuator.force_limited:
        limits.append(abs(gear) * max(map(abs, actuator.force_range)))
    direct = actuator.gain_type == model.code("mjGAIN_FIXED") and actuator.bias_type == model.code("mjBIAS_NONE")
    if direct and actuator.control_limited:
        limits.append(abs(gear * actuator.gain[0]) * max(map(abs, actuator.control_range)))
    joint = model.numbers.joints[j]
    if joint.force_limited:
        limits.append(max(map(abs, joint.force_range)))
    largest = min(limits, default=math.inf)
    return largest if 0.0 < largest < math.inf else None


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


def _tell_armatures(draft: Draft, model: Compiled) -> None:
    """Tell of rotor inertias of joints without a motor, for which mechanism files have no place."""
    idle = [
        f"{model.joints[j]} {joint.armature:.6g}"
        for j, joint in enumerate(model.numbers.joints)
        if joint.armature and (made := draft.joint(model.joints[j])) is not None and not made.driven
        if made.type in ("revolute", "prismatic")
    ]
    if idle:
        words = "armature of joints without a motor is left out, for mechanism files have rotors of motors only"
        draft.journal.approximated("joints", f"{words} [kg m^2 or kg]: {', '.join(idle)}")
