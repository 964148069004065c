"""What methods of `Robot` need of a machine: their errors and the table in docs/capabilities.md are made of this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parakin.errors.robots import CapabilityError

THE_METHOD = "the method of that name"
"""What takes the place of a model that every machine has as a method."""


@dataclass(frozen=True, eq=False)
class Capability:
    """What some machines have and others lack."""

    needs: str
    """What a feature needs, in words."""
    lacking: str
    """Why a machine does not have it, in words that follow its name."""
    features: Mapping[str, str]
    """Names of methods, properties and models that need it, and what to use in their place; empty for nothing."""
    why: str
    """Why not every machine can have it."""

    def error(self, robot: str, feature: str, instead: str = "", lacking: str = "") -> CapabilityError:
        """Return the error of a machine for a feature.

        instead: what to use, where the table has no word for it; lacking: why this machine lacks it, in more detail.
        """
        instead = instead or self.features.get(feature, "")
        reason = f"{lacking or self.lacking}, and {feature} needs {self.needs}"
        return CapabilityError(robot, f"{reason}: use {instead}" if instead else reason)


LEGS = Capability(
    "legs and a platform",
    "is described by bodies and joints",
    {
        "assembly_modes": "some_assembly_modes, which searches from many starts",
        "check": THE_METHOD,
        "compare": "'virtual-work', the body-oriented one",
        "description": "graph_description for what its file says",
        "direction_names": "graph_description",
        "directions": "graph_description",
        "elements": "joints, bodies or body_frames",
        "forward_kinematics": THE_METHOD,
        "geometry": "graph_description",
        "geometry_names": "graph_description",
        "geometry_table": "graph_description",
        "inverse_dynamics_from_encoders": "forward_kinematics, and then inverse_dynamics",
        "inverse_dynamics_observed": "inverse_dynamics",
        "joint_table": "joint_names and joint_limits",
        "points": "body_frames",
    },
    "a mechanism has any chains, so that none of its joints is that of a leg, and no dimension has a leg's name",
)
"""What robots of legs have."""
BODIES_AND_JOINTS = Capability(
    "bodies and joints",
    "is described by legs and a platform",
    {
        "body_frames": "bodies, or graph.body_frames",
        "configuration": THE_METHOD,
        "joint_wrenches": THE_METHOD,
        "named_frames": "platform_frame",
        "plan": "graph.plan",
        "pose": "pose_of",
    },
    "legs follow from the pose by formulas of their own; the same robot as bodies and joints is robot.graph",
)
"""What mechanisms have."""
RATES = Capability(
    "velocities that are rates of coordinates",
    "its pose has turns of spherical joints",
    {"coriolis_matrix": "bias, which is C v"},
    "Christoffel symbols are those of coordinates, and an angular velocity is the rate of none",
)
"""What machines lack whose pose has an angular velocity."""
ONE_MOTOR_A_FREEDOM = Capability(
    "as many motors as freedoms",
    "has more or fewer motors",
    {"by_motors": "", "forward_kinematics": "", "poses_with": "", "some_assembly_modes": ""},
    "positions of more motors than freedoms contradict each other, and fewer leave the pose open",
)
"""What machines lack that are driven redundantly, or not wholly."""
CLOSED_FORM = Capability(
    "legs that close in closed form",
    "its legs have no closed form",
    {"casadi": "graph.casadi, whose pose are positions of the motors"},
    "a search is no expression; a solver takes the configuration of robot.graph as a variable instead",
)
"""What robots of legs lack whose legs are searched for."""
TWO_ARMS = Capability(
    "two arms in a plane whose bars meet",
    "has other legs",
    {"inverse_dynamics_from_encoders": "forward_kinematics, and then inverse_dynamics"},
    "elsewhere the directions of passive bars are no formulas of the encoders alone",
)
"""What a five-bar has: [Ozgur2013]."""
CAPABILITIES = (LEGS, BODIES_AND_JOINTS, RATES, ONE_MOTOR_A_FREEDOM, CLOSED_FORM, TWO_ARMS)
"""All of them."""
