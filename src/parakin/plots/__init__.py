"""Figures: each function takes results and returns a matplotlib Figure; `files.save` writes it.

>>> import numpy as np
>>> import parakin as pk
>>> robot = pk.load("delta")
>>> quattro = pk.load("quattro")
>>> DOWN = pk.vision.looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0])
>>> camera = pk.vision.Camera("top", size=(1024, 1024), focal=(640.0, 640.0), p_OK=[0, 0, 0], R_OK=DOWN)
>>> rig = pk.vision.rig_of(quattro, camera, "*.forearm", radius=0.008)
>>> picture = pk.vision.render(rig, quattro.home)
>>> motion = pk.trajectory.motion("pick_and_place", robot)
>>> samples = motion.sampled(1000.0)
>>> reference = pk.control.reference(robot, motion, 1e-3)
>>> laws = [pk.control.law(name, robot) for name in ("pid", "computed_torque")]
>>> logs = {law.name: pk.simulation.simulate(robot, law, reference) for law in laws}
>>> study = pk.design.Study(
...     name="arms",
...     title="Arms of a Delta",
...     robot="delta",
...     parameters={"arm": {"lower": 0.22, "upper": 0.26, "key": "legs[leg].elements[arm].length"}},
...     sampling={"method": "grid"},
...     objectives={"condition": {"of": "condition"}, "mass": {"of": "mass"}},
... )
>>> work = pk.design.work_of(study, ".")
>>> found = pk.design.gather(work, pk.design.run_study(work, "designs", resume=True))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.plots.comparison import comparison_figure, law_forces_figure, tradeoff_figure
    from parakin.plots.design import design_tradeoff_figure, parallel_figure
    from parakin.plots.excitation import excitation_figure
    from parakin.plots.loads import force_figure, loads_figure
    from parakin.plots.maps import map_figure
    from parakin.plots.observing import drawn_in, observation_figure
    from parakin.plots.singularities import locus_figure, singularity_figure
    from parakin.plots.tracking import tracking_figure
    from parakin.plots.vision import calibration_figure, estimates_figure, visibility_figure
    from parakin.plots.workspace import workspace_figure

__getattr__ = importer(
    __name__,
    {
        "parakin.plots.comparison": "comparison_figure law_forces_figure tradeoff_figure",
        "parakin.plots.design": "design_tradeoff_figure parallel_figure",
        "parakin.plots.excitation": "excitation_figure",
        "parakin.plots.loads": "force_figure loads_figure",
        "parakin.plots.maps": "map_figure",
        "parakin.plots.observing": "drawn_in observation_figure",
        "parakin.plots.singularities": "locus_figure singularity_figure",
        "parakin.plots.tracking": "tracking_figure",
        "parakin.plots.vision": "calibration_figure estimates_figure visibility_figure",
        "parakin.plots.workspace": "workspace_figure",
    },
)

__all__ = [
    "calibration_figure",
    "comparison_figure",
    "design_tradeoff_figure",
    "drawn_in",
    "estimates_figure",
    "excitation_figure",
    "force_figure",
    "law_forces_figure",
    "loads_figure",
    "locus_figure",
    "map_figure",
    "observation_figure",
    "parallel_figure",
    "singularity_figure",
    "tracking_figure",
    "tradeoff_figure",
    "visibility_figure",
    "workspace_figure",
]
