"""What URDF has no words for and `parakin export-urdf` writes beside it: rotors, springs, gravity and home."""

from __future__ import annotations

from parakin.errors import DescriptionError
from parakin.mechanism.kinds import KINDS
from parakin.mechanism.readers.draft import Draft, DraftJoint
from parakin.mechanism.readers.loops_yaml import Loops


def add_what_urdf_cannot_say(loops: Loops, draft: Draft) -> None:
    """Give joints the rotors, springs and coordinates at home that a YAML file has for them, and bodies its gravity."""
    added = loops.additions
    for name, inertia in added.rotor_inertia.items():
        if inertia:
            gear = float(_joint(loops, draft, "name_mot", name).motor.get("gear_ratio", 1.0))
            _joint(loops, draft, "name_mot", name).motor["rotor_inertia"] = inertia / gear**2
    for name, (stiffness, rest) in added.springs.items():
        joint = _joint(loops, draft, "spring_joint", name)
        if not joint.freedoms:
            reason = f"'{name}' must be a joint that turns or slides"
            raise DescriptionError(loops.file, (("spring_joint", reason),))
        next(iter(joint.freedoms.values()))["spring"] = {"stiffness": stiffness, "rest": rest}
    for name, values in added.home.items():
        joint = _joint(loops, draft, "home_joint", name)
        if len(values) != len(KINDS[joint.type].home):
            reason = f"{joint.type} '{name}' has {len(KINDS[joint.type].home)} coordinates, got {len(values)}"
            raise DescriptionError(loops.file, (("home", reason),))
        joint.home = values
    if added.gravity is not None:
        draft.gravity = added.gravity


def _joint(loops: Loops, draft: Draft, key: str, name: str) -> DraftJoint:
    joint = draft.joint(name)
    if joint is None:
        raise DescriptionError(loops.file, ((key, f"no joint '{name}' in {draft.journal.file}"),))
    return joint
