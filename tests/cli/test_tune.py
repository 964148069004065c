"""What `parakin tune` says of a sweep."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from parakin.cli.tune import _data, _show, values_of
from parakin.errors import SimulationError
from parakin.simulation import Setting, Sweep


class Judged:
    """Three runs, of which one left a stroke."""

    excess = np.array([[0.0], [0.1], [0.0]])
    platform_unit = "m"

    def __len__(self) -> int:
        return 3

    def beyond(self) -> tuple[str, ...]:
        return ("leg1.arm",)


def sweep(best: int | None) -> Sweep:
    made: Any = SimpleNamespace(
        settings=[Setting({"bandwidth": float(k)}, {}) for k in (10, 20, 30, 40)],
        cost=np.array([3.0, 1.0, 2.0, np.nan]),
        cost_name="force noise",
        unit="N m",
        front=np.array([True, True, False, False]),
        completed=np.array([True, True, False, False]),
        error=np.array([[0.001, 0.002, 0.003, 1.0], [0.002, 0.003, 0.004, 1.0], [0.003, 0.004, 0.005, 1.0]]),
        gain_margin=np.array([2.5, 3.5, 1.5, 1.0]),
        delay_margin=np.array([0.004, 0.005, 0.006, 0.0]),
        sound=np.array([True, True, False, False]),
        best=best,
        summary=Judged(),
    )
    return cast(Sweep, made)


def test_the_front_is_printed_from_the_cheapest_on_in_millimetres(capsys: pytest.CaptureFixture[str]) -> None:
    _show(sweep(None))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "settings that no other beats:"
    assert [line.split() for line in lines[2:4]] == [
        ["20", "3", "2", "4", "1", "3.5", "5"],
        ["10", "2", "1", "3", "3", "2.5", "4"],
    ]
    assert lines[4] == "2 of 4 left out: unstable at home, or a plant stopped early"
    assert lines[5] == "unstable at home: bandwidth 40"
    assert lines[6].endswith("delay margin below 1.5 ticks): bandwidth 30 (1.5, 6 ms)")
    assert lines[7] == "1 of 3 runs leave a stroke or joint limit (runs.csv tells which): leg1.arm"
    assert lines[8].startswith("none that is sound brings every plant to its end")


def test_programs_get_the_front_and_the_recommendation() -> None:
    data = _data(sweep(1))
    assert data["cost"] == "force noise [N m]"
    assert data["recommended"] == {"bandwidth": 20.0}
    assert data["left_out"] == 2
    assert data["unstable"] == [{"bandwidth": 40.0}]
    assert data["thin"] == [{"bandwidth": 30.0, "gain_margin": 1.5, "delay_margin": 6e-3}]
    assert data["beyond"] == ("leg1.arm",)
    assert [entry["bandwidth"] for entry in cast(list[dict[str, float]], data["front"])] == [20.0, 10.0]


@pytest.mark.parametrize("text", ["0:200:8", "200:20:8", "20:200:1", "20:inf:3", "20:20:3", "a,b", ""])
def test_ranges_must_rise_from_above_zero_in_at_least_two(text: str) -> None:
    with pytest.raises(SimulationError, match="must read like 20:200:8"):
        values_of(text)
