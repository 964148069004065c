"""Small studies that tests share, of robots whose kernels are quick to make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from parakin.design import Evaluator, Study, work_of
from parakin.design.evaluating import evaluator_of

FIVE_BAR: dict[str, Any] = {
    "name": "five_bar_links",
    "title": "Links of a five-bar",
    "robot": "five_bar",
    "parameters": {
        "arm": {"lower": 0.22, "upper": 0.28, "unit": "m", "points": 3},
        "forearm": {"lower": 0.3, "upper": 0.36, "unit": "m", "points": 4},
    },
    "keys": {
        "legs[side].elements[arm].length": "arm",
        "legs[side].elements[arm].bodies[link].mass": "2.4 * arm",
        "legs[side].elements[arm].bodies[link].com[0]": "0.44 * arm",
        "legs[side].elements[forearm].length": "forearm",
        "legs[side].elements[forearm].bodies[link].mass": "0.3 * forearm / 0.32",
        "legs[side].elements[forearm].bodies[link].com[0]": "forearm / 2",
    },
    "sampling": {"method": "sobol", "count": 32, "seed": 3},
    "region": {"lower": [-0.05, -0.05], "upper": [0.05, 0.05], "points": [3, 3]},
    "volume": {"lower": [-0.5, -0.5], "upper": [0.5, 0.5], "points": [20, 20]},
    "cycle": {"motion": "pick_and_place", "rate": 40.0},
    "objectives": {"force": {"of": "cycle_force"}, "mass": {"of": "mass"}, "reach": {"of": "volume"}},
    "constraints": {"condition": {"of": "condition", "most": 6.0}},
}
"""Arm and forearm of the library's five-bar."""


def changed(**changes: Any) -> Study:
    """Return the study of the five-bar with other tables; None leaves one out."""
    tables = {key: value for key, value in (FIVE_BAR | changes).items() if value is not None}
    return Study.model_validate(tables)


def evaluator(study: Study, folder: Path = Path()) -> Evaluator:
    """Return what evaluates the designs of a study."""
    return evaluator_of(work_of(study, folder))
