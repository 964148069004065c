"""Where the links, joints and frames of an SDF model are: poses that name each other, resolved."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from parakin.arrays import Array
from parakin.description.values import shown
from parakin.mechanism.model import BASE
from parakin.mechanism.numeric import quaternion_matrix
from parakin.mechanism.readers.draft import Placement, placed, turned_by
from parakin.mechanism.readers.xml_text import Element

MODEL = "__model__"
"""The name of a model's own frame."""
LONGEST_CHAIN = 200
"""Frames that may depend on each other."""


@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of a model by their names; those of a nested model begin with its name and two colons."""

    links: dict[str, Element]
    """The links."""
    joints: dict[str, Element]
    """The joints."""
    others: dict[str, Element]
    """Frames of their own, and of models (their names end in `__model__`)."""
    _known: dict[tuple[str, str], Placement] = field(default_factory=dict[tuple[str, str], Placement], repr=False)
    """Poses that were asked for before, by kind and name."""

    # Poses ---------------------------------------------------------------------------------------------------------

    @staticmethod
    def own_pose(element: Element) -> Placement:
        """Return the pose that stands in an element, in whatever frame it is given."""
        pose = element.find("pose")
        if pose is None or not pose.text.strip():
            return placed()
        if pose.attributes.get("rotation_format") == "quat_xyzw":
            *p, x, y, z, w = pose.content(7)
            quaternion = np.array([w, x, y, z])
            if not np.any(quaternion):
                raise pose.error("its quaternion must not be zero")
            return placed(p, quaternion_matrix(quaternion / np.linalg.norm(quaternion)))
        *p, roll, pitch, yaw = pose.content(6)
        unit = math.pi / 180 if pose.attributes.get("degrees", "").lower() in ("true", "1") else 1.0
        return placed(p, turned_by(roll * unit, pitch * unit, yaw * unit))

    def pose_of(self, name: str) -> Placement:
        """Return where a frame, a link before a joint of the same name, is in the world at the drawn pose."""
        return self._pose(name, self._element(name), ())

    def pose_of_joint(self, name: str) -> Placement:
        """Return where a joint is in the world at the drawn pose."""
        return self._pose(name, self.joints[name], ())

    def _pose(self, name: str, element: Element, waiting: tuple[Element, ...]) -> Placement:
        key = (element.tag, name)
        if key in self._known:
            return self._known[key]
        if any(element is one for one in waiting):
            chain = " -> ".join(one.attributes.get("name", one.tag) for one in (*waiting, element))
            raise element.error(f"its pose depends on itself: {chain}")
        if len(waiting) > LONGEST_CHAIN:
            raise element.error(f"its pose depends on more than {LONGEST_CHAIN} others")
        before = self._before(name, element)
        at = self.own_pose(element)
        if before is not None:
            at = self._pose(before, self._element(before), (*waiting, element)) @ at
        self._known[key] = at
        return at

    def pose_of_body(self, body: str) -> Placement:
        """Return where a body is in the world at the drawn pose."""
        return placed() if body == BASE else self.pose_of(body)

    @staticmethod
    def turned(at: Placement, R: Array) -> Placement:
        """Return a frame at the same place, turned."""
        return at @ placed(R=R)

    def _before(self, name: str, element: Element) -> str | None:
        """Return the name of the frame in which a frame's pose is given; None for the world's."""
        scope = self.scope_of(name)
        pose = element.find("pose")
        named = pose.attributes.get("relative_to", "") if pose is not None else ""
        if name.endswith(MODEL):
            return self._outer(scope)
        if named:
            return self._found(scope, named, element)
        if element.tag == "joint":
            return self._found(scope, self._end(element, "child"), element)
        if element.tag == "frame" and element.attributes.get("attached_to"):
            return self._found(scope, element.attributes["attached_to"], element)
        return scope + MODEL

    @staticmethod
    def _outer(scope: str) -> str | None:
        """Return the frame of the model around a nested model; None for the outermost one."""
        if not scope:
            return None
        outer, _, _ = scope.removesuffix("::").rpartition("::")
        return (f"{outer}::" if outer else "") + MODEL

    # Names ---------------------------------------------------------------------------------------------------------

    @staticmethod
    def scope_of(name: str) -> str:
        """Return the part of a name that says in which nested model it is, with its colons."""
        outer, colons, _ = name.rpartition("::")
        return outer + colons

    def _element(self, name: str) -> Element:
        return self.links.get(name) or self.joints.get(name) or self.others[name]

    def _found(self, scope: str, name: str, element: Element) -> str:
        for known in (self.links, self.joints, self.others):
            if scope + name in known:
                return scope + name
        if scope + name + "::" + MODEL in self.others:
            return scope + name + "::" + MODEL
        raise element.error(f"no link, joint or frame {shown(name)}")

    @staticmethod
    def _end(element: Element, side: str) -> str:
        end = element.find(side)
        if end is None or not end.text.strip():
            raise element.error(f"needs <{side}>")
        return end.text.strip()

    def body_of(self, element: Element, side: str) -> str:
        """Return the body on a side of a joint, which may be named by a frame or joint that is attached to it."""
        named = self._end(element, side)
        if named == "world":
            return BASE
        scope = self.scope_of(next(name for name, one in self.joints.items() if one is element))
        name = self._found(scope, named, element)
        for _ in range(LONGEST_CHAIN):
            if name in self.links:
                return name
            if name in self.joints:
                name = self._found(self.scope_of(name), self._end(self.joints[name], "child"), element)
                continue
            attached = self.others[name].attributes.get("attached_to")
            if name.endswith(MODEL) or not attached:
                inside = self.scope_of(name)
                return next((link for link in self.links if link.startswith(inside)), BASE)
            name = self._found(self.scope_of(name), attached, element)
        raise element.error(f"its {side} depends on more than {LONGEST_CHAIN} frames")

    def in_joint(self, element: Element, vector: Array, named: str | None, *, of_model: bool) -> Array:
        """Return a direction in the frame of a joint that is given there, in a named frame or in the model's."""
        name = next(name for name, one in self.joints.items() if one is element)
        if not named and not of_model:
            return vector
        other = self._found(self.scope_of(name), named, element) if named else self.scope_of(name) + MODEL
        return self.pose_of_joint(name).R.T @ self.pose_of(other).R @ vector


def frames_of(model: Element) -> Frames:
    """Return the frames of a model and of those nested in it."""
    frames = Frames({}, {}, {MODEL: model})
    _collect(model, "", frames)
    return frames


def _collect(model: Element, scope: str, frames: Frames) -> None:
    homes = {"link": frames.links, "joint": frames.joints, "frame": frames.others, "model": frames.others}
    for child in model.children:
        if child.tag not in homes:
            continue
        name = scope + child.need("name")
        taken = f"{name}::{MODEL}" if child.tag == "model" else name
        if taken in homes[child.tag]:
            raise child.error(f"the name '{name}' is there twice: give each its own")
        homes[child.tag][taken] = child
        if child.tag == "model":
            _collect(child, f"{name}::", frames)
