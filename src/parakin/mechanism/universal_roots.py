"""The universal joints at the roots of a robot's elements, in its graph: whose line can be along whose axis 1."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description import RobotDescription, expanded_legs
from parakin.mechanism.model import MechanismDescription


@frozen_arrays
class UniversalRoot:
    """A universal joint between an element and what carries it."""

    leg: str
    """The leg."""
    element: str
    """The element whose root it is."""
    body: str
    """The element's body in the graph, whose x is along the line."""
    carrier: str
    """The body that carries the joint."""
    axis: Array
    """Axis 1 in the frame of the carrier (3,)."""


def universal_roots(description: RobotDescription, graph: MechanismDescription) -> tuple[UniversalRoot, ...]:
    """Return the universal joints at roots of elements, leg by leg; graph: the same robot as bodies and joints."""
    below = {joint.child: joint for joint in graph.joints}
    found: list[UniversalRoot] = []
    for leg in expanded_legs(description):
        for element in leg.elements:
            body = f"{leg.name}_{element.name}"
            if element.joint.type != "universal" or body not in below:
                continue
            joint, column = below[body], 0
            if joint.type == "revolute":  # a ring with mass is between: its own hinge turns about axis 1
                joint, column = below[joint.parent], 2
            axis = np.array(joint.parent_frame.rotation[:, column])
            found.append(UniversalRoot(leg.name, element.name, body, joint.parent, axis))
    return tuple(found)
