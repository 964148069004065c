"""Motions of the platform: made, checked against a robot, stretched in time, kept in files."""

from parakin.trajectory.check import check
from parakin.trajectory.circle import circle
from parakin.trajectory.cosine import cosine, cosine_turn, cosine_x, cosine_z
from parakin.trajectory.csv_files import read_csv, write_csv
from parakin.trajectory.fourier import Series, drawn_series, fourier
from parakin.trajectory.lift import lift
from parakin.trajectory.motion import Motion, Samples, State
from parakin.trajectory.motions import MOTIONS, motion
from parakin.trajectory.pick_and_place import pick_and_place
from parakin.trajectory.point_to_point import actuator_point_to_point, point_to_point
from parakin.trajectory.spline import via_points
from parakin.trajectory.stretch import Slowed, within_limits
from parakin.trajectory.verdict import Excess, Peak, Trouble, Verdict

__all__ = [
    "MOTIONS",
    "Excess",
    "Motion",
    "Peak",
    "Samples",
    "Series",
    "Slowed",
    "State",
    "Trouble",
    "Verdict",
    "actuator_point_to_point",
    "check",
    "circle",
    "cosine",
    "cosine_turn",
    "cosine_x",
    "cosine_z",
    "drawn_series",
    "fourier",
    "lift",
    "motion",
    "pick_and_place",
    "point_to_point",
    "read_csv",
    "via_points",
    "within_limits",
    "write_csv",
]
