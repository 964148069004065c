"""Observers in C: they say what observers in Python say, and take the same instructions for every region."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from parakin.errors import CExportError
from parakin.export import export_observer
from parakin.export.makefile import FLAGS
from parakin.export.onboard.observer import SETTINGS, ObserverBlock
from parakin.export.onboard.observer_files import BEGINS_ANEW, LATENCY, recorded_observer
from parakin.vision import Observer, ObserverSettings, Region
from parakin.vision.observers.settings import SETTING_NAMES
from tests.vision.rigs import RIGS, quattro

ROUNDING = 1e-9
"""Differences, in standard deviations, of kernels with and without fused products after some hundred regions."""


def test_every_setting_has_a_unit_in_c() -> None:
    assert tuple(SETTINGS) == SETTING_NAMES


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    observer = Observer(quattro())
    with pytest.raises(CExportError, match="period must be finite and > 0 s"):
        export_observer(observer, tmp_path, period=0.0)
    with pytest.raises(CExportError, match="latency_steps must be at least 1"):
        export_observer(observer, tmp_path, latency_steps=0)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_block_says_what_the_observer_says() -> None:
    """Regions, encoders, a new beginning and the latency, step by step with the methods of `Observer`."""
    observer = Observer(quattro(), ObserverSettings(time_deviation=1e-6))
    steps = 3
    recorded = recorded_observer(ObserverBlock(observer, 2.5e-4, steps).block(), observer, steps)
    told, said = recorded.told, recorded.ticked.output
    settings, time = observer.settings, 0.0
    tracked = observer.first(quattro().robot.home)
    for k in range(len(told["dt"])):
        if told["begin"][k, 0]:
            deviations = {
                "position_deviation": settings.search_deviation,
                "velocity_deviation": settings.search_velocity,
            }
            tracked = observer.first(told["first_pose"][k], told["first_velocity"][k], **deviations, time=time)
        time += told["dt"][k, 0]
        region = Region(told["camera"][k, 0], told["rod"][k, 0], told["m"][k].reshape(4, 2), told["deviation"][k])
        tracked = observer.step(tracked, region, told["tau"][k], time)
        tracked = observer.read(tracked, told["q"][k], told["q_deviation"][k], told["tau"][k], time)
        assert tracked.status == said["status"][k, 0]
    assert recorded.ticked.state["health"][-1, 3:].tolist() == tracked.health[3:].tolist()
    assert 0 < BEGINS_ANEW < len(told["dt"])
    deviations = {name: getattr(tracked, f"{name}_deviation") for name in ("pose", "velocity", "disturbance", "excess")}
    assert np.allclose(said["radii"][-1], tracked.radii, rtol=0, atol=ROUNDING * tracked.radius_deviation.min())
    for name, deviation in deviations.items():
        assert (np.abs(said[name][-1] - getattr(tracked, name)) < ROUNDING * deviation).all()
    for name in ("pose", "velocity"):
        assert np.allclose(said[f"{name}_deviation"][-1], deviations[name], rtol=ROUNDING)
    pose, velocity = observer.ahead(tracked, told["latency_tau"][-1].reshape(steps, 4), LATENCY)
    assert (np.abs(said["pose_now"][-1] - pose) < ROUNDING * deviations["pose"]).all()
    assert (np.abs(said["velocity_now"][-1] - velocity) < ROUNDING * deviations["velocity"]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "optimised"), [("delta", "-O2"), ("quattro", "-O2"), ("gough_stewart", "-O0")]
)  # gcc takes a minute to optimise the last
def test_c_replays_what_python_said(name: str, optimised: str, tmp_path: Path) -> None:
    export_observer(Observer(RIGS[name]()), tmp_path, "own")
    flags = " ".join(optimised if flag == "-O2" else flag for flag in FLAGS)
    command = ["make", "-s", "-C", str(tmp_path), f"CFLAGS={flags}", "check"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "400 ticks, 0 values differ" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="apt-get install valgrind")
def test_every_region_takes_the_same_instructions(tmp_path: Path) -> None:
    """Whichever rod it shows, whether it is missing, refused or no number, lost or not."""
    export_observer(Observer(quattro()), tmp_path, "own")
    subprocess.run(["make", "-s", "-C", str(tmp_path), "own_selftest"], check=True)
    (tmp_path / "counted").mkdir()
    command = ["valgrind", "-q", "--tool=callgrind", "--toggle-collect=own_step", "--dump-after=own_step"]
    command += [f"--callgrind-out-file={tmp_path / 'counted' / 'tick'}", str(tmp_path / "own_selftest")]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"LD_BIND_NOW": "1"})
    dumps = (path.read_text() for path in (tmp_path / "counted").glob("tick.*"))
    totals = [re.search(r"^totals: (\d+)$", dump, re.MULTILINE) for dump in dumps]
    counts = {int(found[1]) for found in totals if found and int(found[1])}
    assert len(counts) == 1, counts
    assert counts.pop() > 10_000
