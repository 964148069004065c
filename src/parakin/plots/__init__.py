"""Figures: one function each, which takes results and returns a matplotlib Figure."""

from parakin.plots.excitation import excitation_figure
from parakin.plots.forces import force_figure
from parakin.plots.robot import robot_figure

__all__ = ["excitation_figure", "force_figure", "robot_figure"]
