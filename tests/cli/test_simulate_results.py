"""Results of `parakin simulate`: units of what is printed, names of what is written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from matplotlib.figure import Figure

from parakin.cli.simulate_results import Result, _show
from parakin.simulation import Comparison


def test_comparisons_are_printed_in_small_units(capsys: pytest.CaptureFixture[str]) -> None:
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
    _show(cast(Comparison, SimpleNamespace(said="laws alike", rows=lambda: [row], left_out={})))
    said, units, head, line = capsys.readouterr().out.splitlines()
    assert said == "laws alike."
    assert units == "Worst actuator, mrad or mm; platform, mm; forces, N or N m; delay margin, ms."
    assert line.split() == ["pid", "1", "2", "3", "4", "5", "6", "7", "8", "completed"]
    assert head.split()[0] == "law"
    assert head.split()[-1] == "ending"


def test_figures_are_written_under_their_names(tmp_path: Path) -> None:
    logs: dict[str, Any] = {}
    result = Result(logs, {"forces": Figure(figsize=(1, 1))}, {}, lambda: None)
    assert result.write(tmp_path, "csv") == ["forces.png"]
    assert (tmp_path / "forces.png").read_bytes().startswith(b"\x89PNG")
