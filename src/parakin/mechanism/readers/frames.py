"""Frames of interest of an imported file: sites, and bodies that are nothing else."""

from __future__ import annotations

from collections import Counter

from parakin.mechanism.readers.choosing import OUTPUT_FRAME
from parakin.mechanism.readers.draft import Draft, DraftFrame, DraftJoint, Placement, placed

MOST_FRAMES = 200
"""Frames that a mechanism file has at most."""


def fold_frames(draft: Draft) -> None:
    """Make a frame of every body without mass that is fixed to one other body and carries nothing: tool0, camera.

    What is fixed to such a body counts as carried until it is a frame itself, so that chains of them are folded too.
    """
    folded = _folded(draft)
    places: dict[str, tuple[str, Placement]] = {}
    for weld in reversed(folded):  # what carries a frame is folded after it
        step = weld.at_parent @ weld.at_child.inverse
        carrier, at = places.get(weld.parent, (weld.parent, placed()))
        places[weld.child] = carrier, at @ step
    carried = [_moved(frame, *places[frame.body]) if frame.body in places else frame for frame in draft.frames]
    taken = {frame.name for frame in carried}
    for body in draft.bodies:
        if body.name in places:
            carrier, at = places[body.name]
            name = body.name
            while name in taken:
                name = f"{name}_body"
            taken.add(name)
            draft.journal.merged(body.place, f"has no mass and carries nothing: a frame on '{carrier}'")
            carried.append(DraftFrame(name, body.place, carrier, at))
    draft.frames = carried
    draft.bodies = [body for body in draft.bodies if body.name not in places]
    welds = {id(weld) for weld in folded}
    draft.joints = [joint for joint in draft.joints if id(joint) not in welds]


def _moved(frame: DraftFrame, carrier: str, at: Placement) -> DraftFrame:
    return DraftFrame(frame.name, frame.place, carrier, at @ frame.at)


def _folded(draft: Draft) -> list[DraftJoint]:
    """Return the welds that alone hold a body without mass, from the ends of chains inwards."""
    held = Counter(end for joint in draft.joints for end in (joint.parent, joint.child))
    light = {body.name for body in draft.bodies if body.mass == 0.0}
    welds = {joint.child: joint for joint in draft.joints if joint.type == "weld" and joint.child in light}
    waiting = [weld for name, weld in welds.items() if held[name] == 1]
    found: list[DraftJoint] = []
    while waiting:
        weld = waiting.pop()
        found.append(weld)
        held[weld.parent] -= 1
        inner = welds.get(weld.parent)
        if inner is not None and held[weld.parent] == 1:
            waiting.append(inner)
    return found


def frames_beside(draft: Draft, output: DraftFrame) -> list[DraftFrame]:
    """Return the frames beside the output, as many as a mechanism file takes; others are told."""
    beside = [frame for frame in draft.frames if frame is not output or frame.name != OUTPUT_FRAME]
    for frame in beside[MOST_FRAMES:]:
        draft.journal.dropped(frame.place, f"a frame beyond the {MOST_FRAMES} that a mechanism file takes")
    return beside[:MOST_FRAMES]
