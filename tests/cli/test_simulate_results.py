"""Results of `parakin simulate`: units of what is printed, names of what is written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from matplotlib.figure import Figure

from parakin.cli.simulate_results import Result, told
from parakin.simulation import Comparison
from tests.robots import robot_named


def test_comparisons_are_told_in_small_units() -> None:
    row = {
        "law": "pid",
        "error_rms": 0.001,
        "error_peak": 0.002,
        "distance_rms": 0.003,
        "distance_peak": 0.004,
        "force_rms": 5.0,
        "force_noise": 6.0,
        "gain_margin": 7.0,
        "delay_margin": 0.008,
        "ending": "completed",
    }
    text = told(cast(Comparison, SimpleNamespace(said="laws alike", rows=lambda: [row], left_out={})))
    said, units, head, line = text.splitlines()
    assert said == "laws alike."
    assert units == "Worst actuator, mrad or mm; platform, mm; forces, N or N m; delay margin, ms."
    assert line.split() == ["pid", "1", "2", "3", "4", "5", "6", "7", "8", "completed"]
    assert head.split()[0] == "law"
    assert head.split()[-1] == "ending"


def test_figures_are_written_under_their_names(tmp_path: Path) -> None:
    logs: dict[str, Any] = {}
    result = Result(logs, {"forces": Figure(figsize=(1, 1))}, {}, "a < b")
    assert result.write(tmp_path, "csv", robot_named("five_bar"), "five_bar, lift") == ["forces.png", "report.html"]
    assert (tmp_path / "forces.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.index("five_bar at home") < page.index("a &lt; b") < page.index("Forces of the actuators")
