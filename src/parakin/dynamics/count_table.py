"""What a robot's models cost in operations, the textbook way and ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import casadi as ca

from parakin.description import RobotDescription
from parakin.dynamics.body_by_body import required_by_bodies
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.count import PAPER, Count, five_bar_counts, paper_count
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.mechanics import Mechanics, frictionless, mechanics, weightless
from parakin.dynamics.subchain_mass import mass_matrix as subchain_mass_matrix
from parakin.dynamics.virtual_work.required import mass_matrix
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.robot_motion import robot_motion
from parakin.motions import PLANAR_TRANSLATION

POSITION_AND_ROTATION = 12
"""Numbers of a spatial pose in these counts: position and rotation matrix, as the papers start from."""

MASS_OF_PALIDA = Count(699, 761)
"""What [Abdellatif2005] Table 1 prints for the mass matrix of PaLiDA."""


@dataclass(frozen=True)
class Row:
    """What one model of a robot costs."""

    model: str
    """What is computed."""
    form: str
    """How: the formulation, or where the state comes from."""
    count: Count
    """What that costs."""
    published: Count | None = None
    """What a paper printed for it."""


def count_table(description: RobotDescription) -> Iterator[Row]:
    """Yield the costs of a robot's models row by row, for each takes a moment.

    Friction is left out, statuses are not counted.
    """
    subject = frictionless(mechanics(description, None))
    if description.motion_type.quaternion is not None:
        subject = replace(subject, moving=robot_motion(description, ca.SX.sym("pose", POSITION_AND_ROTATION)))
    moving = subject.moving
    published = MASS_OF_PALIDA if description.name == "palida" else None
    forms = {DEFAULT: mass_matrix(subject), "subchain-mass": subchain_mass_matrix(subject)}
    forms["body-by-body"] = mass_by_bodies(subject)
    for form, M in forms.items():
        yield Row("mass matrix", form, _counted(subject, ca.triu(M)), published)
    for name, row in FORMULATIONS.items():
        try:
            tau = row.tau(subject).tau
        except UnsupportedRobotError:
            continue
        yield Row("inverse dynamics", name if row.exact else f"{name} (not exact)", _counted(subject, tau))
    if description.motion_type is PLANAR_TRANSLATION and moving.q.shape[0] == 2:
        for state, count in five_bar_counts(description).items():
            source = "encoders" if state == "encoders" else "observed"
            yield Row("inverse dynamics, friction included, from", state, count, PAPER[source])


def mass_by_bodies(mechanics: Mechanics) -> ca.SX:
    """Return the mass matrix as textbooks do: the derivative of the force that all bodies and rotors require."""
    needed = required_by_bodies(weightless(frictionless(mechanics)))
    moving = mechanics.moving
    return ca.jacobian(needed.f + moving.J_qv.T @ needed.drive_force, moving.acceleration)


def _counted(mechanics: Mechanics, expression: ca.SX) -> Count:
    moving = mechanics.moving
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration, "z": moving.z}
    function = ca.Function("counted", list(inputs.values()), [expression], list(inputs), ["out"], {"cse": True})
    return paper_count(function)
