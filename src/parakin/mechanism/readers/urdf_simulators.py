"""What URDF files say to a simulator, in <gazebo> and <mujoco>: dropped, but for what changes the mechanism there."""

from __future__ import annotations

from collections.abc import Iterator

from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.xml_text import Element

_PLAIN = {
    *("material", "visual", "collision", "sensor", "plugin", "light", "projector", "laserRetro", "canonicalBody"),
    *("mu", "mu1", "mu2", "fdir1", "kp", "kd", "maxVel", "minDepth", "maxContacts", "max_contacts", "bounce", "ode"),
    *("selfCollide", "self_collide", "stopKp", "stopKd", "stopCfm", "stopErp", "cfmDamping", "fudgeFactor"),
    *("implicitSpringDamper", "provideFeedback", "disableFixedJointLumping", "preserveFixedJoint", "springReference"),
    *("initial_joint_position", "enable_wind", "allow_auto_disable", "genTexCoord", "velocity_decay", "dampingFactor"),
    *("springStiffness", "turnGravityOff", "gravity", "static", "kinematic", "joint"),
}
"""Elements of <gazebo> that are known; those that may change the mechanism are in `_changes`."""
_PLAIN_PREFIXES = ("sensor:", "controller:", "interface:", "visual:", "rendering:")
"""What elements of old Gazebo begin with that are pictures, sensors and controllers."""
_ACTING = ("mimic", "spring", "underactuated", "buoyancy", "hydrodynamic", "lift_drag", "liftdrag", "detachable")
"""What the name of a plugin contains that ties joints or bodies, or acts on them, by itself."""
_OF_MUJOCO = {"gravity", "density", "viscosity", "boundmass", "boundinertia", "settotalmass", "inertiafromgeom"}
"""Attributes of what <mujoco> holds by which MuJoCo makes another mechanism of the file."""


def refuse_simulators(root: Element, journal: Journal) -> set[int]:
    """Refuse what <gazebo> and <mujoco> hold that changes the mechanism there; return the ids of these elements."""
    following = {joint.attributes.get("name") for joint in root.all("joint") if joint.all("mimic")}
    refused: set[int] = set()
    for gazebo in root.all("gazebo"):
        for one in gazebo.children:
            words = _gazebo_words(one, following)
            if words is not None:
                refused.add(id(gazebo))
                if one.tag == "joint":
                    journal.refuse(gazebo.place, words, one.attributes.get("name", "gazebo"))
                else:
                    journal.refuse(f"{gazebo.place}: <{one.tag}>", words, one.tag)
    for mujoco in root.all("mujoco"):
        for place, name in _mujoco_changes(mujoco):
            refused.add(id(mujoco))
            words = "changes the mechanism in MuJoCo alone: remove it, or import an MJCF file"
            journal.refuse(f"{mujoco.place}: {place}", words, name)
    return refused


def acts(plugin: Element) -> bool:
    """Tell whether a plugin, by its name, ties joints or bodies, or acts on them, by itself."""
    named = f"{plugin.attributes.get('name', '')} {plugin.attributes.get('filename', '')}".lower()
    return any(word in named.replace("-", "_") for word in _ACTING)


def _gazebo_words(element: Element, following: set[str | None]) -> str | None:
    """Return what is wrong with an element inside <gazebo>; None where the mechanism is the same without it.

    following: joints that have <mimic>, which a plugin may do for Gazebo.
    """
    if element.tag == "joint":
        return "<gazebo> holds a joint, which closes a loop: close it in a YAML file, or use the SDF file"
    if element.tag not in _PLAIN and not element.tag.startswith(_PLAIN_PREFIXES):
        return "parakin does not know this element: remove it"
    follower = element.find("mimicJoint")
    if follower is not None and follower.text.strip() in following:
        return None
    return "changes the mechanism in Gazebo alone: say it in the URDF or SDF file" if _changes(element) else None


def _changes(element: Element) -> bool:
    """Tell whether an element inside <gazebo> changes the mechanism, by its value."""
    text = element.text.strip().lower()
    match element.tag:
        case "plugin":
            return acts(element)
        case "turnGravityOff" | "static" | "kinematic":
            return text in ("true", "1")
        case "gravity":
            return text in ("false", "0")
        case "springStiffness" | "dampingFactor":
            return element.content(1)[0] != 0.0
        case "velocity_decay":
            return any(one.content(1)[0] for one in element.children)
        case _:
            return False


def _mujoco_changes(mujoco: Element) -> Iterator[tuple[str, str]]:
    """Yield place and name of what makes another mechanism."""
    for one in mujoco.walk():
        if one is not mujoco and one.tag not in ("compiler", "option", "size"):
            yield f"<{one.tag}>", one.tag
        for key in one.attributes:
            if key in _OF_MUJOCO:
                yield f"{key} of <{one.tag}>", key
