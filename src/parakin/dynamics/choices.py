"""What is chosen of a dynamic model unless asked otherwise, and what can be asked of it."""

from __future__ import annotations

DEFAULT = "virtual-work"
"""The formulation that is used unless another is asked for: it takes the fewest operations."""
FREE: dict[str, str] = {
    "parameters": "p in the order of Robot.parameters",
    "payload": "m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz of what is carried, about E in its axes",
    "wrench": "external force on the platform, conjugate to its velocity [N, N m]",
    "weights": "weights of a redundant robot's actuators, whose forces minimise the sum of weight tau^2",
    "smoothing": "the rate in `friction.smooth_sign`, which takes the place of sign(rate) in Coulomb friction",
    "gravity": "acceleration of free fall in base axes [m/s^2]",
    "geometry": "dimensions in the order of Robot.geometry",
    "directions": "directions of axes, rails and references in the order of Robot.directions, of any length",
    "branches": "working mode: 1 or -1 for each leg that can close in two ways, in the order of the legs",
}
"""What can be inputs of a kernel instead of numbers baked into it, and what each of them is."""
