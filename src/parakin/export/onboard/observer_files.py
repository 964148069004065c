"""An observer is written as C99: source, header, self-test, Makefile and page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.errors import CExportError
from parakin.export.makefile import makefile_text
from parakin.export.onboard.block import Block, run
from parakin.export.onboard.observer import ObserverBlock
from parakin.export.onboard.page import block_page
from parakin.export.onboard.recording import Recorded
from parakin.export.onboard.selftest import selftest_text
from parakin.export.onboard.source import header_text, source_text
from parakin.export.onboard.writing import OnboardFiles
from parakin.kernels.c_files import written
from parakin.kernels.c_source import check_c_name
from parakin.trajectory import fourier
from parakin.vision import Observer, region_at

REGIONS = 400
"""Regions that the self-test replays."""
PLACES = (0.35, 0.8)
"""Where on each rod they are, as a share of its length."""
BEGINS_ANEW = 330
"""Region at which the recorded run begins anew."""
ENCODER_DEVIATION = 1e-5
"""Standard deviation of recorded positions [m or rad], which come every eighth region."""
LATENCY = 2e-3
"""Latency of the recorded run [s]."""


def export_observer(
    observer: Observer,
    directory: str | Path,
    name: str | None = None,
    *,
    period: float = 2.5e-4,
    latency_steps: int = 2,
) -> OnboardFiles:
    """Write an observer as `name.c`, `name.h`, `name_selftest.c`, `name.md` and a `Makefile`, all or nothing.

    A step takes a region of interest, positions of the encoders if there are any, and forces; it does the same work
    whatever these are. period: about how often regions come [s]; latency_steps: how many forces, one after the other,
    act in the latency that a step predicts over. The self-test replays 400 regions of a Fourier motion, some of them
    missing and some of something else. `name` is `<robot>_observer` by default.

    >>> files = pk.export.export_observer(pk.vision.Observer(rig), "observer")
    >>> files.header.name, files.selftest.name
    ('quattro_observer.h', 'quattro_observer_selftest.c')
    """
    label = name or f"{observer.rig.robot.name}_observer"
    check_c_name(label, label)
    if not 0.0 < period < float("inf"):
        raise CExportError(label, f"period must be finite and > 0 s, got {period:g}")
    if latency_steps < 1:
        raise CExportError(label, f"latency_steps must be at least 1, got {latency_steps}")
    block = ObserverBlock(observer, period, latency_steps).block()
    recorded = recorded_observer(block, observer, latency_steps)
    texts = {
        f"{label}.c": source_text(block, label),
        f"{label}.h": header_text(block, label),
        f"{label}_selftest.c": selftest_text(block, label, recorded.told, recorded.ticked),
        "Makefile": makefile_text(),
        f"{label}.md": block_page(block, label, REGIONS, loop=_LOOP.format(name=label, period=period), about=_ABOUT),
    }
    return OnboardFiles(*written(label, Path(directory), texts))


def recorded_observer(block: Block, observer: Observer, latency_steps: int) -> Recorded:
    """Record what an observer says of a Fourier motion; regions are dropped, go astray, and come with encoders."""
    rig, robot = observer.rig, observer.rig.robot
    rng = np.random.default_rng(5)
    motion = fourier(robot).sampled(1 / block.period)
    turn = np.arange(REGIONS) % len(motion.pose)
    pose, velocity = motion.pose[turn], motion.velocity[turn]
    tau = robot.inverse_dynamics(pose, velocity, motion.acceleration[turn])
    q = np.asarray(robot.inverse_kinematics(pose), np.float64)
    told: list[dict[str, Array]] = []

    def inputs(tick: int, _: Mapping[str, Array]) -> dict[str, Array]:
        rod = tick % len(rig.rods)
        place = PLACES[tick // len(rig.rods) % len(PLACES)]
        astray = 300.0 if tick % 29 == 7 else 1.0
        region = region_at(rig, pose[tick], rod=rod, place=place, noise=astray * rng.normal(size=4))
        seen, found = 0.0 if tick % 13 == 5 else 1.0, np.nan if tick % 17 == 9 else 1.0
        read = float(tick % 8 == 3)
        one = np.ones(1)
        values: dict[str, Array] = {
            "begin": float(tick in (0, BEGINS_ANEW)) * one,
            "first_pose": pose[tick],
            "first_velocity": velocity[tick],
            "dt": block.period * (1 + 0.01 * rng.normal()) * one,
            "tau": tau[tick],
            "camera": 0.0 * one,
            "rod": float(rod) * one,
            "m": found * region.m.ravel(),
            "deviation": seen * region.deviation,
            "q": q[tick],
            "q_deviation": np.full(len(q[tick]), read * ENCODER_DEVIATION),
            "latency": LATENCY * one,
            "latency_tau": np.tile(tau[tick], latency_steps),
        }
        told.append(values)
        return values

    ticked = run(block, inputs, REGIONS)
    return Recorded({key: np.stack([each[key] for each in told]) for key in told[0]}, ticked)


_LOOP = """\
{name}_state state = {name}_initial_state;
{name}_input input = {{0}};
{name}_output output;
for (;;) {{ /* about every {period:g} s */
    next_region(&input.camera, &input.rod, input.m, input.deviation, &input.dt);
    read_forces(input.tau, input.latency_tau, &input.latency);
    {name}_step(&state, &{name}_default_settings, &input, &output);
    if (output.status == 0.0) use(output.pose_now, output.velocity_now);
}}"""
_ABOUT = """\
- A region shows both contours of one rod, each as two points that are as good as all points of its edge: one standard
  deviation of these points on either side of their middle. Points are in the normalised picture of the camera, with its
  distortion taken out (docs/vision.md).
- `begin` takes `first_pose` and `first_velocity` for the truth within the deviations of a search; without it the
  observer begins at home. It begins lost, and is found when its covariance has settled.
- Use what it says while `status` is 0. At 1 it follows something that does not fit what it was told of edges, camera,
  radii or robot, and may be off by many of its deviations; at 2 it searches.
- `excess` and `disturbance` are what the model does not know: masses that are not quite right, friction, loads.
- Encoders are weighed in the same filter. Where there are none, leave `q_deviation` at 0.
- `pose_now` and `velocity_now` are what the model makes of the estimate in the latency, the time since the region was
  seen.
"""
