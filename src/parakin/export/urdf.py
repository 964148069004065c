"""Write a robot as URDF with the closed-loop YAML of the Gepetto tools beside it.

URDF knows trees of hinges, slides and fixed joints. Joints with several freedoms are chains of these through links
without mass; the YAML says which hinge stands for a ball, which frames close loops, and which joints are driven:

    closed_loop: [['a', 'b'], ...]   type: ['3d' | '6d', ...]   name_mot: [...]   joint_name, joint_type: [...]

What neither has words for (signs, zeros and rotors of motors, springs, gravity, home) is in keys of the YAML that those
tools leave alone.
"""

from __future__ import annotations

import json
from math import atan2, hypot
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from parakin.arrays import Array
from parakin.errors import UnsupportedRobotError
from parakin.export.opened import LinkMass, OpenedRobot, OpenLink, SimpleJoint, opened
from parakin.export.writing import Exported, numbers, xml_text
from parakin.files import write_texts
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import BASE, Frame
from parakin.mechanism.skeleton import BASE_LINK
from parakin.robot import Robot

FAR = 1e6
"""A limit that a file does not give, where URDF asks for one [rad or m, N or N m, rad/s or m/s]."""
UPRIGHT = 1e-12
"""Cosine of the pitch below which roll and yaw are one turn, all of it called roll."""
STANDARD_GRAVITY = (0.0, 0.0, -9.81)
"""What readers of URDF take for granted [m/s^2]."""
THIN = 0.012
"""Radius of bars that are drawn, beside the robot's size."""


def write_urdf(robot: Robot, path: str | Path) -> Exported:
    """Write FILE.urdf, and FILE.yaml beside it, both or neither; return what was written and said in other words.

    Loops are pairs of frames: '3d' holds two points together, '6d' two frames. Viscous friction is damping, Coulomb
    friction friction; limits, largest forces and speeds are those of the file.

    >>> exported = pk.export.write_urdf(robot, "delta.urdf")
    >>> [path.name for path in exported.files]
    ['delta.urdf', 'delta.yaml']
    """
    target = Path(path)
    content = opened(robot)
    texts = {target.name: urdf_text(content), f"{target.stem}.yaml": yaml_text(content)}
    files = write_texts(target.parent, texts)
    return Exported(tuple(files), content.notes + _said_in_yaml(content))


def urdf_text(robot: OpenedRobot) -> str:
    """Return the tree of an opened robot as URDF."""
    root = ElementTree.Element("robot", {"name": robot.name})
    ElementTree.SubElement(root, "link", {"name": BASE})
    names = {BASE_LINK: BASE} | {k: link.name for k, link in enumerate(robot.links)}
    mimics = _mimics(robot)
    for link in robot.links:
        _add_link(root, link, names[link.carrier], (robot.size, mimics))
    for closure in robot.closures:
        for label, place in zip(closure.labels, closure.ends, strict=True):
            _add_fixed(root, label, names[place.link], (place.p, place.R))
    for name, place in (("output_frame", robot.output), *robot.frames):
        _add_fixed(root, name, names[place.link], (place.p, place.R))
    return xml_text(root)


def yaml_text(robot: OpenedRobot) -> str:
    """Return what closes the loops of an opened robot, and drives it, as YAML."""
    joints = [joint for link in robot.links for joint in link.joints]
    balls = [joint.name for joint in joints if joint.move is Move.BALL]
    springs = [(joint.name, joint.freedom.spring) for joint in joints if joint.freedom.spring is not None]
    drives = [joint.freedom.drive for joint in robot.motors if joint.freedom.drive is not None]
    own = [joint for joint in joints if joint.freedom.inertia]
    compensated = [part for link in robot.links for part in link.masses if part.compensation]
    lines = {
        "closed_loop": [list(closure.labels) for closure in robot.closures],
        "type": ["6d" if closure.weld else "3d" for closure in robot.closures],
        "name_mot": [joint.name for joint in robot.motors],
        "joint_name": balls,
        "joint_type": ["SPHERICAL"] * len(balls),
        "motor_sign": [drive.sign for drive in drives],
        "motor_zero": [drive.zero for drive in drives],
        "rotor_inertia": [joint.armature - joint.freedom.inertia for joint in robot.motors],
        "spring_joint": [name for name, _ in springs],
        "spring_stiffness": [spring.stiffness for _, spring in springs],
        "spring_rest": [spring.rest for _, spring in springs],
        "inertia_joint": [joint.name for joint in own],
        "joint_inertia": [joint.freedom.inertia for joint in own],
        "compensated_link": [part.name for part in compensated],
        "gravity_compensation": [part.compensation for part in compensated],
        "gravity": list(robot.gravity),
        "home_joint": [joint.name for joint in joints],
        "home": [list(joint.home) for joint in joints],
    }
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items())


def _said_in_yaml(robot: OpenedRobot) -> tuple[str, ...]:
    """Return what URDF has no words for, in sentences."""
    joints = [joint for link in robot.links for joint in link.joints]
    found: list[str] = []
    if any(joint.move is Move.BALL for joint in joints):
        found.append("balls are hinges in the URDF: joint_type in the YAML says which are balls")
    if any(joint.armature > joint.freedom.inertia for joint in joints):
        found.append("rotor inertia is in the YAML only, under rotor_inertia, as the joint feels it")
    if any(joint.freedom.inertia for joint in joints):
        found.append("inertias of joints are in the YAML only, under inertia_joint and joint_inertia")
    if any(part.compensation for link in robot.links for part in link.masses):
        found.append("compensated weight is in the YAML only, under compensated_link and gravity_compensation")
    if any(joint.freedom.spring is not None for joint in joints):
        found.append("springs are in the YAML only, under spring_joint, spring_stiffness and spring_rest")
    if tuple(robot.gravity) != STANDARD_GRAVITY:
        found.append("gravity is not along -z as readers of URDF take for granted: it is in the YAML, under gravity")
    for joint in robot.motors:
        drive = joint.freedom.drive
        if drive is not None and (drive.sign < 0 or drive.zero != 0.0):
            counted = f"{-drive.zero:+g}".replace("+", "+ ").replace("-", "- ") if drive.zero else ""
            q = f"joint {counted}".strip() if drive.sign > 0 else f"-({f'joint {counted}'.strip()})"
            found.append(
                f"motor {joint.name} counts as its joint does, parakin's q is {q}: "
                "see motor_sign and motor_zero in the YAML"
            )
    if robot.couplings:
        found.append("couplings are mimic joints, which many readers of URDF ignore")
    return tuple(found)


def _origin(p: Array, R: Array) -> dict[str, str]:
    return {"xyz": numbers(p), "rpy": numbers(roll_pitch_yaw(R))}


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Return the angles of R = Rz(yaw) Ry(pitch) Rx(roll), URDF's order [rad]."""
    level = hypot(R[0, 0], R[1, 0])
    pitch = atan2(-R[2, 0], level)
    if level < UPRIGHT:
        return atan2(-R[1, 2], R[1, 1]), pitch, 0.0
    return atan2(R[2, 1], R[2, 2]), pitch, atan2(R[1, 0], R[0, 0])


def _add_fixed(root: ElementTree.Element, name: str, carrier: str, place: tuple[Array, Array]) -> ElementTree.Element:
    """Add a link that is fixed to another one."""
    link = ElementTree.SubElement(root, "link", {"name": name})
    _add_joint(root, (f"{name}__fixed", "fixed"), (carrier, name), place)
    return link


def _add_joint(
    root: ElementTree.Element, named: tuple[str, str], sides: tuple[str, str], place: tuple[Array, Array]
) -> ElementTree.Element:
    name, kind = named
    element = ElementTree.SubElement(root, "joint", {"name": name, "type": kind})
    ElementTree.SubElement(element, "parent", {"link": sides[0]})
    ElementTree.SubElement(element, "child", {"link": sides[1]})
    ElementTree.SubElement(element, "origin", _origin(*place))
    return element


Mimics = dict[str, dict[str, str]]
"""What a mimic joint follows, by its name."""


def _add_link(root: ElementTree.Element, link: OpenLink, carrier: str, drawn: tuple[float, Mimics]) -> None:
    """Add a link with its joints; between two joints there is a link without mass."""
    place, before = (link.p, link.R), carrier
    for n, joint in enumerate(link.joints):
        last = n == len(link.joints) - 1
        after = link.name if last else f"{link.name}__before_{link.joints[n + 1].name}"
        if not last:
            ElementTree.SubElement(root, "link", {"name": after})
        _add_moving(root, joint, (before, after), (place, drawn[1]))
        place, before = (np.zeros(3), np.eye(3)), after
    element = ElementTree.SubElement(root, "link", {"name": link.name})
    if link.masses:
        _add_inertial(element, link.masses[0])
    _add_drawing(element, link, drawn[0])
    for part in link.masses[1:]:
        _add_inertial(_add_fixed(root, part.name, link.name, (np.zeros(3), np.eye(3))), part)


def _add_moving(
    root: ElementTree.Element, joint: SimpleJoint, sides: tuple[str, str], placed: tuple[tuple[Array, Array], Mimics]
) -> None:
    freedom = joint.freedom
    limited = freedom.lower is not None or freedom.upper is not None
    turning = "revolute" if limited else "continuous"
    kind = "prismatic" if joint.move is Move.SLIDE else turning
    element = _add_joint(root, (joint.name, kind), sides, placed[0])
    ElementTree.SubElement(element, "axis", {"xyz": numbers(joint.axis)})
    force, speed = (None, None) if freedom.drive is None else (freedom.drive.force, freedom.drive.speed)
    limit = {"effort": repr(FAR if force is None else force), "velocity": repr(FAR if speed is None else speed)}
    if kind != "continuous":
        limit["lower"] = repr(-FAR if freedom.lower is None else freedom.lower)
        limit["upper"] = repr(FAR if freedom.upper is None else freedom.upper)
    ElementTree.SubElement(element, "limit", limit)
    if freedom.friction.viscous or freedom.friction.coulomb:
        rubs = {"damping": repr(freedom.friction.viscous), "friction": repr(freedom.friction.coulomb)}
        ElementTree.SubElement(element, "dynamics", rubs)
    if joint.name in placed[1]:
        ElementTree.SubElement(element, "mimic", placed[1][joint.name])


def _mimics(robot: OpenedRobot) -> Mimics:
    """Return couplings of two coordinates as mimic joints; URDF cannot couple more."""
    names = {joint.coordinate: joint.name for link in robot.links for joint in link.joints}
    found: Mimics = {}
    for coupling in robot.couplings:
        first, second, *more = coupling.terms
        if more:
            coupled = ", ".join(term.coordinate for term in coupling.terms)
            raise UnsupportedRobotError(robot.name, f"URDF couples two joints at most, not {coupled}: write MJCF")
        follows = {"multiplier": repr(-second.factor / first.factor), "offset": repr(coupling.constant / first.factor)}
        found[names[first.coordinate]] = {"joint": names[second.coordinate]} | follows
    return found


def _add_inertial(link: ElementTree.Element, part: LinkMass) -> None:
    inertial = ElementTree.SubElement(link, "inertial")
    ElementTree.SubElement(inertial, "origin", {"xyz": numbers(part.com), "rpy": "0 0 0"})
    ElementTree.SubElement(inertial, "mass", {"value": repr(float(part.mass))})
    pairs = {f"i{'xyz'[i]}{'xyz'[j]}": repr(float(part.inertia[i, j])) for i in range(3) for j in range(i, 3)}
    ElementTree.SubElement(inertial, "inertia", pairs)


def _add_drawing(link: ElementTree.Element, part: OpenLink, size: float) -> None:
    """Bars from the link's first joint to all its others."""
    first, *others = part.points
    for end in others:
        line = end - first
        length = float(np.linalg.norm(line))
        if length > THIN * size:
            visual = ElementTree.SubElement(link, "visual")
            ElementTree.SubElement(visual, "origin", _origin((first + end) / 2, _along(line / length)))
            shape = ElementTree.SubElement(visual, "geometry")
            ElementTree.SubElement(shape, "cylinder", {"radius": repr(THIN * size), "length": repr(length)})


def _along(z: Array) -> Array:
    """Return axes whose third one is given."""
    return Frame(z=(float(z[0]), float(z[1]), float(z[2]))).rotation
