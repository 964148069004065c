"""The motors of URDF files: <transmission> of ROS and Drake, of one motor and one joint, and <ros2_control>."""

from __future__ import annotations

from parakin.mechanism.readers.draft import Draft
from parakin.mechanism.readers.urdf_loops import drive_joint
from parakin.mechanism.readers.xml_text import Element

_RATIOS = ("mechanicalReduction", "mechanical_reduction")
"""Elements that hold the ratio of a gear; those of motor and joint are multiplied."""
_OF_DRAKE = {"drake:gear_ratio", "drake:rotor_inertia"}
"""Elements of Drake, each with a value."""
_PLAIN = {
    *("type", "plugin", "hardwareInterface", "role", "offset", "motorTorqueConstant", "pulsesPerRevolution"),
    *("saturationLower", "saturationUpper", "deadBandLower", "deadBandUpper", "compensator", "simulated_reduction"),
}
"""Elements about signals, which change neither motor nor mechanism."""


def add_motors(root: Element, draft: Draft, *, overruled: bool) -> None:
    """Give joints motors that <transmission> or <ros2_control> names.

    overruled: whether the user or a YAML file names the motors, so that transmissions do not matter.
    """
    for element in root.all("transmission"):
        _add_transmission(element, draft, overruled)
    for control in root.all("ros2_control"):
        for joint in control.all("joint"):
            _refuse_following(joint, draft)
            if joint.all("command_interface"):
                drive_joint(draft, joint.need("name"), 1.0, joint.error)
        for element in control.all("transmission"):
            _add_transmission(element, draft, overruled)


def _add_transmission(element: Element, draft: Draft, overruled: bool) -> None:
    joints, actuators = element.all("joint"), element.all("actuator")
    parts = (element, *joints, *actuators)
    known = {"joint", "actuator", *_RATIOS, *_PLAIN, *_OF_DRAKE}
    strange = [child for part in parts for child in part.children if child.tag not in known]
    if len(joints) != 1 or len(actuators) > 1 or strange:
        also = f", and no <{strange[0].tag}>" if strange else ""
        words = f"parakin knows transmissions between one motor and one joint{also}"
        if overruled:
            draft.journal.dropped(element.place, f"{words}; motors are named elsewhere")
        else:
            name = element.attributes.get("name", "transmission")
            draft.journal.refuse(element.place, f"{words}: name the joints that are driven (--drive)", name)
        return
    joint = draft.joint(joints[0].need("name"))
    if joint is not None and joint.type == "weld":
        draft.journal.dropped(element.place, "the motor of a joint that does not move")
        return
    values = {child.tag: child.number("value") for part in parts for child in part.children if child.tag in _OF_DRAKE}
    ratio = values.get("drake:gear_ratio", 1.0)
    if "drake:gear_ratio" not in values:
        for child in (child for part in parts for child in part.children if child.tag in _RATIOS):
            ratio *= child.content(1)[0]
    drive_joint(draft, joints[0].need("name"), ratio, joints[0].error)
    if joint is not None and "drake:rotor_inertia" in values:
        joint.motor["rotor_inertia"] = values["drake:rotor_inertia"]


def _refuse_following(element: Element, draft: Draft) -> None:
    """Refuse a joint that follows another one in <ros2_control> alone."""
    name = element.need("name")
    follows = any(one.attributes.get("name") == "mimic" for one in element.all("param"))
    if follows and not any(terms[0][0] == name for terms, _ in draft.couplings):
        words = "follows another joint in <ros2_control> alone: write <mimic> in its <joint>"
        draft.journal.refuse(element.place, words, name)
