"""Figures: each function takes results and returns a matplotlib Figure; `files.save` writes it."""

from parakin.plots.comparison import comparison_figure, law_forces_figure
from parakin.plots.excitation import excitation_figure
from parakin.plots.forces import force_figure
from parakin.plots.loads import loads_figure
from parakin.plots.tracking import tracking_figure
from parakin.plots.tradeoff import tradeoff_figure

__all__ = [
    "comparison_figure",
    "excitation_figure",
    "force_figure",
    "law_forces_figure",
    "loads_figure",
    "tracking_figure",
    "tradeoff_figure",
]
