"""Frames of interest of an imported file: sites, and bodies that are nothing else."""

from __future__ import annotations

from parakin.mechanism.readers.choosing import OUTPUT_FRAME
from parakin.mechanism.readers.draft import Draft, DraftFrame, DraftJoint

MOST_FRAMES = 200
"""Frames that a mechanism file has at most."""


def fold_frames(draft: Draft) -> None:
    """Make a frame of every body without mass that is fixed to one other body and carries nothing: tool0, camera.

    What is fixed to such a body counts as carried until it is a frame itself, so that chains of them are folded too.
    """
    while (leaf := _leaf(draft)) is not None:
        body = draft.body(leaf.child)
        assert body is not None, "joints connect bodies that there are"
        at = leaf.at_parent @ leaf.at_child.inverse
        draft.journal.merged(body.place, f"has no mass and carries nothing: a frame on '{leaf.parent}'")
        draft.joints.remove(leaf)
        draft.bodies.remove(body)
        draft.frames = [
            DraftFrame(frame.name, frame.place, leaf.parent, at @ frame.at) if frame.body == leaf.child else frame
            for frame in draft.frames
        ]
        taken = any(frame.name == body.name for frame in draft.frames)
        draft.frames.append(DraftFrame(f"{body.name}_body" if taken else body.name, body.place, leaf.parent, at))


def _leaf(draft: Draft) -> DraftJoint | None:
    """Return a weld that alone holds a body without mass."""
    held: dict[str, int] = {}
    for joint in draft.joints:
        for end in (joint.parent, joint.child):
            held[end] = held.get(end, 0) + 1
    light = {body.name for body in draft.bodies if body.mass == 0.0}
    return next(
        (joint for joint in draft.joints if joint.type == "weld" and joint.child in light and held[joint.child] == 1),
        None,
    )


def frames_beside(draft: Draft, output: DraftFrame) -> list[DraftFrame]:
    """Return the frames beside the output, as many as a mechanism file takes; others are told."""
    beside = [frame for frame in draft.frames if frame is not output or frame.name != OUTPUT_FRAME]
    for frame in beside[MOST_FRAMES:]:
        draft.journal.dropped(frame.place, f"a frame beyond the {MOST_FRAMES} that a mechanism file takes")
    return beside[:MOST_FRAMES]
