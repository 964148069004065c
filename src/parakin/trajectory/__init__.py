"""Motions of the platform: make them, check them against a robot, make them slower or faster, keep them in files.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
>>> motion = pk.trajectory.motion("pick_and_place", robot)
>>> pk.trajectory.check(motion, robot).good
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.trajectory.check_result import Excess, MotionCheck, Peak, Trouble
    from parakin.trajectory.checking import check
    from parakin.trajectory.fastest.time_optimal import Fastest, time_optimal
    from parakin.trajectory.files import read_csv, read_motion, write_csv
    from parakin.trajectory.following import Followed, follow
    from parakin.trajectory.loads import ActuatorLoads, actuator_loads
    from parakin.trajectory.motions.circle import circle
    from parakin.trajectory.motions.cosine import cosine, cosine_turn, cosine_x, cosine_z
    from parakin.trajectory.motions.fourier import Series, drawn_series, fourier
    from parakin.trajectory.motions.lift import lift
    from parakin.trajectory.motions.pick_and_place import pick_and_place
    from parakin.trajectory.motions.point_to_point import actuator_point_to_point, point_to_point
    from parakin.trajectory.motions.spline import via_points
    from parakin.trajectory.motions.table import MOTIONS, motion
    from parakin.trajectory.states import Motion, Samples, State
    from parakin.trajectory.stretch import Slowed, within_limits

__getattr__ = importer(
    __name__,
    {
        "parakin.trajectory.check_result": "Excess MotionCheck Peak Trouble",
        "parakin.trajectory.checking": "check",
        "parakin.trajectory.fastest.time_optimal": "Fastest time_optimal",
        "parakin.trajectory.files": "read_csv read_motion write_csv",
        "parakin.trajectory.following": "Followed follow",
        "parakin.trajectory.loads": "ActuatorLoads actuator_loads",
        "parakin.trajectory.motions.circle": "circle",
        "parakin.trajectory.motions.cosine": "cosine cosine_turn cosine_x cosine_z",
        "parakin.trajectory.motions.fourier": "Series drawn_series fourier",
        "parakin.trajectory.motions.lift": "lift",
        "parakin.trajectory.motions.pick_and_place": "pick_and_place",
        "parakin.trajectory.motions.point_to_point": "actuator_point_to_point point_to_point",
        "parakin.trajectory.motions.spline": "via_points",
        "parakin.trajectory.motions.table": "MOTIONS motion",
        "parakin.trajectory.states": "Motion Samples State",
        "parakin.trajectory.stretch": "Slowed within_limits",
    },
)

__all__ = [
    "MOTIONS",
    "ActuatorLoads",
    "Excess",
    "Fastest",
    "Followed",
    "Motion",
    "MotionCheck",
    "Peak",
    "Samples",
    "Series",
    "Slowed",
    "State",
    "Trouble",
    "actuator_loads",
    "actuator_point_to_point",
    "check",
    "circle",
    "cosine",
    "cosine_turn",
    "cosine_x",
    "cosine_z",
    "drawn_series",
    "follow",
    "fourier",
    "lift",
    "motion",
    "pick_and_place",
    "point_to_point",
    "read_csv",
    "read_motion",
    "time_optimal",
    "via_points",
    "within_limits",
    "write_csv",
]
