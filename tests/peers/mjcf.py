"""A tree as MJCF: open, or with its loops closed by equality constraints and its drives as motors."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from tests.peers.configuration import Configuration
from tests.peers.tree import BASE, Mass, Place, Tree

LEAST = 1e-14
"""[kg, kg m^2] MuJoCo refuses moving bodies without mass or inertia: its compiler lifts what is less to this, which
changes the forces of the robots here by less than 1e-11 of the largest."""
STIFF = {"solref": "0.002 1", "solimp": "0.9999 0.9999 0.001"}
"""Loops that give as little as MuJoCo's soft constraints can at a time step of 0.5 ms or less."""


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def _pose(place: Place) -> dict[str, str]:
    return {"pos": _text(place.p), "quat": _text(Rotation.from_matrix(place.R).as_quat(scalar_first=True))}


def _add_mass(link: ElementTree.Element, mass: Mass) -> None:
    """A body of its own without joints, in principal axes: MuJoCo finds these from a full tensor to 1e-12 only."""
    moments, R = np.linalg.eigh(mass.inertia)
    R = R * np.sign(np.linalg.det(R))
    inertial = _pose(Place(mass.link, mass.com, R)) | {"mass": repr(mass.mass)}
    part = ElementTree.SubElement(link, "body")
    ElementTree.SubElement(part, "inertial", inertial | {"diaginertia": _text(np.maximum(moments, 0.0))})


def _root(tree: Tree) -> ElementTree.Element:
    """Links are bodies named by their joints; sites tipK and attachmentK are the ends of loop K."""
    root = ElementTree.Element("mujoco")
    bounds = {"boundmass": repr(LEAST), "boundinertia": repr(LEAST)}
    ElementTree.SubElement(root, "compiler", {"angle": "radian", "autolimits": "false"} | bounds)
    ElementTree.SubElement(root, "option", {"gravity": _text(tree.gravity), "timestep": "0.0005"})
    links = {BASE: ElementTree.SubElement(root, "worldbody")}
    kinds = {"revolute": "hinge", "prismatic": "slide", "ball": "ball"}
    for k, joint in enumerate(tree.joints):
        links[k] = ElementTree.SubElement(links[joint.place.link], "body", {"name": joint.name} | _pose(joint.place))
        ElementTree.SubElement(links[k], "inertial", {"pos": "0 0 0", "mass": "0", "diaginertia": "0 0 0"})
        moving = {"name": joint.name, "type": kinds[joint.kind], "armature": repr(joint.armature)}
        ElementTree.SubElement(
            links[k], "joint", moving if joint.kind == "ball" else moving | {"axis": _text(joint.axis)}
        )
    for mass in tree.masses:
        _add_mass(links[mass.link], mass)
    for k, loop in enumerate(tree.loops):
        for end, place in (("tip", loop.tip), ("attachment", loop.attachment)):
            ElementTree.SubElement(links[place.link], "site", {"name": f"{end}{k}"} | _pose(place))
    return root


def open_tree(tree: Tree) -> str:
    """The tree alone."""
    return ElementTree.tostring(_root(tree), encoding="unicode")


def closed_chain(tree: Tree, start: Configuration) -> str:
    """The whole robot: loops as `connect`, a nacelle's copies as `joint` constraints, motors with q's sign as gear.

    Key 0 is the start.
    """
    root = _root(tree)
    equality = ElementTree.SubElement(root, "equality")
    for k, end in enumerate(_other_ends(tree)):
        ElementTree.SubElement(equality, "connect", {"site1": f"tip{k}", "site2": end} | STIFF)
    for copy in tree.copies:
        assert tree.turn is not None
        names = {"joint1": tree.joints[copy.joint].name, "joint2": tree.joints[tree.turn].name}
        ElementTree.SubElement(equality, "joint", names | {"polycoef": f"0 {copy.ratio} 0 0 0"} | STIFF)
    actuator = ElementTree.SubElement(root, "actuator")
    for drive in tree.drives:
        name = tree.joints[drive.joint].name
        ElementTree.SubElement(actuator, "motor", {"name": name, "joint": name, "gear": str(drive.sign)})
    keyframe = ElementTree.SubElement(root, "keyframe")
    ElementTree.SubElement(keyframe, "key", {"name": "start", "qpos": _text(coordinates(tree, start))})
    return ElementTree.tostring(root, encoding="unicode")


def with_stretching_tips(text: str) -> tuple[str, list[str]]:
    """A closed chain whose legs end in slides along their last elements, and the names of these; without its keyframe.

    What slides has no mass: a bar of which the tip moves along its line is one that stretches.
    """
    root = ElementTree.fromstring(text)
    for keyframe in root.findall("keyframe"):
        root.remove(keyframe)
    names: list[str] = []
    for body in list(root.iter("body")):
        for site in [one for one in body.findall("site") if one.attrib["name"].startswith("tip")]:
            names.append(f"stretch.{site.attrib['name']}")
            body.remove(site)
            place = {key: site.attrib.pop(key) for key in ("pos", "quat")}
            end = ElementTree.SubElement(body, "body", {"name": names[-1]} | place)
            ElementTree.SubElement(end, "inertial", {"pos": "0 0 0", "mass": "0", "diaginertia": "0 0 0"})
            ElementTree.SubElement(end, "joint", {"name": names[-1], "type": "slide", "axis": "1 0 0"})
            end.append(site)
    return ElementTree.tostring(root, encoding="unicode"), names


def _other_ends(tree: Tree) -> list[str]:
    """What each tip is connected to: its attachment.

    Soft constraints are as soft as what they hold is light, so that a platform without mass (of a five-bar) transmits
    nothing: there the tips hold each other, and the platform follows the first.
    """
    if any(mass.link < tree.platform_joints for mass in tree.masses):
        return [f"attachment{k}" for k in range(len(tree.loops))]
    points = np.array([loop.attachment.p for loop in tree.loops])
    assert not np.ptp(points, axis=0).any(), "legs that meet a platform without mass meet in one point"
    return ["attachment0"] + ["tip0"] * (len(tree.loops) - 1)


def coordinates(tree: Tree, configuration: Configuration) -> np.ndarray:
    """qpos: MuJoCo's quaternions begin with w."""
    ball = Rotation.from_matrix(configuration.R_OE).as_quat(scalar_first=True)
    pairs = zip(tree.joints, configuration.value, strict=True)
    return np.concatenate([ball if joint.kind == "ball" else [value] for joint, value in pairs])
