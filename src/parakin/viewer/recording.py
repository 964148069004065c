"""A motion, a simulation or a log as pages and films play it: poses over time, and what else is known of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.trajectory import Motion, Samples
from parakin.viewer.packing import packed

if TYPE_CHECKING:
    from parakin.simulation import Log

DRAWN_ROWS = 2500
"""Most rows of a recording in a page; longer ones are thinned."""
MOTION_RATE = 500.0
"""Rate at which a motion is sampled for a page [Hz]."""


@frozen_arrays
class Recording:
    """Poses of a robot over time, with what was recorded beside them."""

    name: str
    """What it is called in the page."""
    t: Array
    """Times (N,) [s]."""
    pose: Array
    """Poses (N, coordinates); NaN where a row has none."""
    velocity: Array | None = None
    """Velocities (N, n) [m/s, rad/s], where they are known."""
    acceleration: Array | None = None
    """Accelerations (N, n) [m/s^2, rad/s^2], where they are known."""
    desired: Array | None = None
    """Desired poses (N, coordinates), where there were any."""
    tau: Array | None = None
    """Forces of the motors (N, m) [N or N m]; without them the page computes those that the motion needs."""

    @property
    def quantities(self) -> dict[str, Array]:
        """What is known, by name."""
        every = {name: getattr(self, name) for name in ("t", "pose", "velocity", "acceleration", "desired", "tau")}
        return {name: values for name, values in every.items() if values is not None}

    def pictures(self, rate: float, speed: float = 1.0) -> float:
        """Return the number of pictures of a film at a rate [1/s], at so many times the speed."""
        return max(1.0, np.rint(float(self.t[-1] - self.t[0]) * rate / speed) + 1.0)

    def sampled(self, rate: float, speed: float = 1.0) -> Recording:
        """Return the poses of the rows nearest to the times of a film at a rate [1/s], at so many times the speed."""
        times = self.t[0] + np.arange(self.pictures(rate, speed)) * speed / rate
        middles = (self.t[1:] + self.t[:-1]) / 2
        return Recording(self.name, times, self.pose[np.asarray(np.searchsorted(middles, times), np.intp)])


def recording_of_motion(motion: Motion | Samples, name: str | None = None) -> Recording:
    """Return a motion as a recording, whose forces the page computes."""
    samples = motion.sampled(MOTION_RATE) if isinstance(motion, Motion) else motion
    title = name or (str(motion) if isinstance(motion, Motion) else "motion")
    return Recording(title, samples.t, samples.pose, samples.velocity, samples.acceleration)


def recording_of_log(log: Log, name: str = "simulation") -> Recording:
    """Return a log of a simulation as a recording, up to where the run stopped."""
    ran = max(log.ran, 1)
    if log.ran < len(log):
        name = f"{name} (stopped at {log.t[ran - 1]:.4g} s: {log.status.name.lower().replace('_', ' ')})"
    columns = {"pose": "pose", "velocity": "velocity", "desired": "desired_pose", "tau": "tau"}
    known = {column.quantity for column in log.columns}
    values = {name: log[column][:ran] for name, column in columns.items() if column in known}
    return Recording(name, log.t[:ran], **values)


def thinned(recording: Recording, rows: int = DRAWN_ROWS) -> tuple[Recording, int]:
    """Return every k-th row of a recording, the last one always, so that at most `rows` are left; and k."""
    count = len(recording.t)
    every = max(1, -(-count // rows))
    if every == 1:
        return recording, 1
    kept = np.unique(np.append(np.arange(0, count, every), count - 1))
    return replace(recording, **{name: values[kept] for name, values in recording.quantities.items()}), every


def recording_data(recording: Recording) -> dict[str, object]:
    """Return a recording for the page: thinned, numbers of 32 bits column by column, times of 64."""
    short, every = thinned(recording)
    quantities = {
        name: {
            "columns": 1 if values.ndim == 1 else values.shape[1],
            "data": packed(values.astype("<f8" if name == "t" else "<f4").tobytes("F")),
        }
        for name, values in short.quantities.items()
    }
    return {"name": short.name, "rows": len(short.t), "every": every, "quantities": quantities}
