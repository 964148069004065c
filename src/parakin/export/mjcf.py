"""Write a robot as MJCF, MuJoCo's format: bodies, joints, loops as equality constraints, motors, home as a keyframe."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from parakin.arrays import Array
from parakin.export.opened import LinkMass, OpenedRobot, OpenLink, SimpleJoint, opened
from parakin.export.writing import Exported, numbers, xml_text
from parakin.files import write_texts
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import Coupling
from parakin.mechanism.numeric import matrix_quaternion
from parakin.mechanism.skeleton import BASE_LINK
from parakin.robot import Robot

LEAST_INERTIA = 1e-14
"""Mass [kg] and moment of inertia [kg m^2] of what has none: MuJoCo refuses moving bodies without."""
STIFF = {"solref": "0.001 1", "solimp": "0.9999 0.9999 0.001 0.5 2"}
"""Loops come back with a time constant of 1 ms, the shortest at this time step, and give as little as MuJoCo's soft
constraints can: 1 - 0.9999 of the acceleration that they prevent."""
OPTIONS = {
    "timestep": "0.0005",
    "integrator": "implicitfast",
    "solver": "Newton",
    "iterations": "100",
    "tolerance": "1e-10",
}
"""Half a millisecond, with damping taken implicitly."""
FAR = 1e6
"""Where a limit on one side only ends on the other [rad or m]."""
THICK, THIN = 0.03, 0.012
"""Radius of joints and of bars that are drawn, beside the robot's size."""
TYPES = {Move.TURN: "hinge", Move.SLIDE: "slide", Move.BALL: "ball"}
"""What MJCF calls simple joints."""


def write_mjcf(robot: Robot, path: str | Path) -> Exported:
    """Write a robot as one MJCF file, whole or not at all, and return what was written and said in other words.

    Loops are `connect` and `weld` equalities between sites named after joints; armature is the joint's inertia with its
    rotor's, damping viscous and frictionloss Coulomb friction. Motors take parakin's tau as their control, and
    the keyframe "home" is home. Bars are drawn between joints and touch nothing.

    >>> exported = pk.export.write_mjcf(robot, "delta.xml")
    >>> [path.name for path in exported.files]
    ['delta.xml']
    """
    target, content = Path(path), opened(robot)
    write_texts(target.parent, {target.name: mjcf_text(content)})
    return Exported((target,), content.notes + _massless(content) + _motor_notes(content))


def mjcf_text(robot: OpenedRobot) -> str:
    """Return an opened robot as MJCF."""
    root = ElementTree.Element("mujoco", {"model": robot.name})
    bounds = {"boundmass": repr(LEAST_INERTIA), "boundinertia": repr(LEAST_INERTIA)}
    ElementTree.SubElement(root, "compiler", {"angle": "radian", "autolimits": "true"} | bounds)
    ElementTree.SubElement(root, "option", {"gravity": numbers(robot.gravity)} | OPTIONS)
    world = ElementTree.SubElement(root, "worldbody")
    elements = {BASE_LINK: world}
    for k, link in enumerate(robot.links):
        elements[k] = _add_link(elements[link.carrier], link, robot.size)
    for closure in robot.closures:
        for label, place in zip(closure.labels, closure.ends, strict=True):
            ElementTree.SubElement(elements[place.link], "site", {"name": label} | _placed(place.p, place.R))
    ElementTree.SubElement(
        elements[robot.output.link], "site", {"name": "output_frame"} | _placed(robot.output.p, robot.output.R)
    )
    for name, place in robot.frames:
        ElementTree.SubElement(elements[place.link], "site", {"name": name} | _placed(place.p, place.R))
    _add_constraints(root, robot)
    _add_motors(root, robot)
    keyframe = ElementTree.SubElement(root, "keyframe")
    ElementTree.SubElement(keyframe, "key", {"name": "home", "qpos": numbers(home_coordinates(robot))})
    return xml_text(root)


def home_coordinates(robot: OpenedRobot) -> list[float]:
    """Return the coordinates at home in MuJoCo's order: a body, then all that it carries."""
    order: list[int] = []

    def visit(k: int) -> None:
        order.append(k)
        for other, link in enumerate(robot.links):
            if link.carrier == k:
                visit(other)

    for k, link in enumerate(robot.links):
        if link.carrier == BASE_LINK:
            visit(k)
    return [value for k in order for joint in robot.links[k].joints for value in joint.home]


def _placed(p: Array, R: Array) -> dict[str, str]:
    return {"pos": numbers(p), "quat": numbers(matrix_quaternion(R))}


def _inertial(part: LinkMass) -> dict[str, str]:
    """Principal moments and axes: MuJoCo finds these from a full tensor to 1e-12 only."""
    moments, axes = np.linalg.eigh(part.inertia)
    return _placed(part.com, axes * np.sign(np.linalg.det(axes))) | {
        "mass": repr(float(part.mass)),
        "diaginertia": numbers(np.maximum(moments, 0.0)),
    }


def _add_link(carrier: ElementTree.Element, link: OpenLink, size: float) -> ElementTree.Element:
    nothing = LinkMass(link.name, 0.0, np.zeros(3), np.zeros((3, 3)))
    first, *others = link.masses or (nothing,)
    body = ElementTree.SubElement(carrier, "body", _named(link.name, first) | _placed(link.p, link.R))
    ElementTree.SubElement(body, "inertial", _inertial(first))
    for joint in link.joints:
        ElementTree.SubElement(body, "joint", _joint(joint))
    _add_drawing(body, link, size)
    for part in others:
        held = ElementTree.SubElement(body, "body", _named(part.name, part))
        ElementTree.SubElement(held, "inertial", _inertial(part))
    return body


def _named(name: str, part: LinkMass) -> dict[str, str]:
    return {"name": name} | ({"gravcomp": repr(part.compensation)} if part.compensation else {})


def _joint(joint: SimpleJoint) -> dict[str, str]:
    found = {"name": joint.name, "type": TYPES[joint.move]}
    if joint.move is not Move.BALL:
        found["axis"] = numbers(joint.axis)
    freedom = joint.freedom
    if joint.armature:
        found["armature"] = repr(joint.armature)
    if freedom.friction.viscous:
        found["damping"] = repr(freedom.friction.viscous)
    if freedom.friction.coulomb:
        found["frictionloss"] = repr(freedom.friction.coulomb)
    if freedom.spring is not None:
        found |= {"stiffness": repr(freedom.spring.stiffness), "springref": repr(freedom.spring.rest)}
    if freedom.lower is not None or freedom.upper is not None:
        lower, upper = (
            -FAR if freedom.lower is None else freedom.lower,
            FAR if freedom.upper is None else freedom.upper,
        )
        found["range"] = numbers((lower, upper))
    return found


def _add_drawing(body: ElementTree.Element, link: OpenLink, size: float) -> None:
    """Bars from the link's first joint to all its others; they touch nothing and weigh nothing."""
    loose = {"contype": "0", "conaffinity": "0", "mass": "0"}
    ends = [p for p in link.points if np.linalg.norm(p - link.points[0]) > THIN * size]
    if not ends:
        centre = link.masses[0].com if link.masses else link.points[0]
        ends = [centre] if np.linalg.norm(centre - link.points[0]) > THIN * size else []
    ElementTree.SubElement(
        body, "geom", {"type": "sphere", "size": repr(THICK * size), "pos": numbers(link.points[0])} | loose
    )
    for end in ends:
        line = {"type": "capsule", "size": repr(THIN * size), "fromto": numbers((*link.points[0], *end))}
        ElementTree.SubElement(body, "geom", line | loose)


def _add_constraints(root: ElementTree.Element, robot: OpenedRobot) -> None:
    equality = ElementTree.SubElement(root, "equality")
    for closure in robot.closures:
        sites = dict(zip(("site1", "site2"), closure.labels, strict=True))
        ElementTree.SubElement(equality, "weld" if closure.weld else "connect", {"name": closure.name} | sites | STIFF)
    names = {joint.coordinate: joint.name for link in robot.links for joint in link.joints}
    for k, coupling in enumerate(robot.couplings):
        _add_coupling(root, equality, (f"coupling_{k + 1}", coupling), names)


def _add_coupling(
    root: ElementTree.Element, equality: ElementTree.Element, named: tuple[str, Coupling], names: dict[str, str]
) -> None:
    """Two coordinates are coupled by a joint equality, more by a fixed tendon whose length is held."""
    name, coupling = named
    first, second, *more = coupling.terms
    if not more:
        pair = {"joint1": names[first.coordinate], "joint2": names[second.coordinate]}
        ratio = (coupling.constant / first.factor, -second.factor / first.factor, 0.0, 0.0, 0.0)
        ElementTree.SubElement(equality, "joint", {"name": name} | pair | {"polycoef": numbers(ratio)} | STIFF)
        return
    tendons = root.find("tendon")
    fixed = ElementTree.SubElement(
        ElementTree.SubElement(root, "tendon") if tendons is None else tendons, "fixed", {"name": name}
    )
    for term in coupling.terms:
        ElementTree.SubElement(fixed, "joint", {"joint": names[term.coordinate], "coef": repr(float(term.factor))})
    held = {"name": name, "tendon1": name, "polycoef": numbers((coupling.constant, 0.0, 0.0, 0.0, 0.0))}
    ElementTree.SubElement(equality, "tendon", held | STIFF)


def _add_motors(root: ElementTree.Element, robot: OpenedRobot) -> None:
    actuator = ElementTree.SubElement(root, "actuator")
    for joint in robot.motors:
        drive = joint.freedom.drive
        assert drive is not None
        motor = {"name": joint.name, "joint": joint.name, "gear": repr(float(drive.sign))}
        if drive.force is not None:
            motor |= {
                "ctrlrange": numbers((-drive.force, drive.force)),
                "forcerange": numbers((-drive.force, drive.force)),
            }
        ElementTree.SubElement(actuator, "motor", motor)


def _motor_notes(robot: OpenedRobot) -> tuple[str, ...]:
    """Return what MJCF has no words for, of motors."""
    drives = [(joint.name, joint.freedom.drive) for joint in robot.motors if joint.freedom.drive is not None]
    found = [
        f"motor {name} counts as its joint does, parakin's q is {drive.sign} (joint - {drive.zero:g})"
        for name, drive in drives
        if drive.zero != 0.0
    ]
    fast = [f"{name} {drive.speed:g}" for name, drive in drives if drive.speed is not None]
    return (*found, *([f"MJCF has no largest speeds of motors: {', '.join(fast)}"] if fast else []))


def _massless(robot: OpenedRobot) -> tuple[str, ...]:
    return tuple(
        f"{link.name} has no mass: MuJoCo gives it {LEAST_INERTIA:g} kg, and what it alone holds is held softly"
        for link in robot.links
        if not any(part.mass for part in link.masses)
    )
