"""A summary holds the figures of merit of a run, or of many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.motions import MotionType
from parakin.robot.limits import Bounds
from parakin.simulation.sensors import Ending


@frozen_arrays
class Summary:
    """Tracking errors, forces and saturation of a run, or of each of many runs.

    Errors are those of the true position against the set point. A run that stopped counts until then.
    """

    actuators: tuple[str, ...]
    """Names of the actuators."""
    error_rms: Array
    """Root mean square of each actuator's position error (..., actuators) [rad or m]."""
    error_peak: Array
    """Largest position error of each actuator (..., actuators) [rad or m]."""
    distance_rms: Array
    """Root mean square of the platform's distance from its set point (...,) [m]; of a mechanism, of all lengths of its
    pose together, and NaN where it has none."""
    distance_peak: Array
    """Largest distance of the platform from its set point (...,) [m], or NaN."""
    angle_rms: Array
    """Root mean square of the platform's angle from its set point (...,) [rad]; NaN where it does not turn. Of a
    mechanism, of all angles of its pose together."""
    angle_peak: Array
    """Largest angle of the platform from its set point (...,) [rad]; NaN where it does not turn."""
    force_rms: Array
    """Root mean square of each actuator's force (..., actuators) [N or N m]."""
    force_peak: Array
    """Largest magnitude of each actuator's force (..., actuators) [N or N m]."""
    saturation: Array
    """Share of the ticks at which each actuator was at its limit (..., actuators), from 0 to 1."""
    status: NDArray[np.int32]
    """How each run ended (...,): numbers of `Ending`."""
    stopped_at: Array
    """When each run stopped (...,) [s]; NaN where it completed."""
    limits: Bounds
    """What has a stroke or a joint limit: actuators, then passive joints; none for logs read from files."""
    excess: Array
    """How far each of `limits` was left (..., limits) [m or rad]; 0 where it was kept."""

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, index: object) -> Summary:
        """Return the summary of one or of some of many scenarios, chosen as entries of an array are."""
        return replace(self, **{name: vars(self)[name][index] for name in self.arrays()})

    def arrays(self) -> dict[str, Array]:
        """Return the figures of merit by name, each with one entry for each run in its first axis.

        >>> sorted(log.summary().arrays())[:4]
        ['angle_peak', 'angle_rms', 'distance_peak', 'distance_rms']
        """
        return {name: value for name, value in vars(self).items() if name not in ("actuators", "limits")}

    @property
    def platform_rms(self) -> Array:
        """Root mean square of the platform's error (...,), in `platform_unit`."""
        return self.distance_rms if self.platform_unit == "m" else self.angle_rms

    @property
    def platform_peak(self) -> Array:
        """Largest error of the platform (...,), in `platform_unit`."""
        return self.distance_peak if self.platform_unit == "m" else self.angle_peak

    @property
    def platform_unit(self) -> str:
        """The unit by which one number tells how far the platform is off: m, and rad where nothing slides."""
        return "rad" if np.isnan(self.distance_peak).all() and np.isfinite(self.angle_peak).any() else "m"

    def beyond(self, index: int | None = None) -> tuple[str, ...]:
        """Return the actuators that left their strokes and the passive joints that left their limits, by name.

        Of many runs, those that any run left, or those of the run with this number.

        >>> log.summary().beyond()
        ()
        """
        excess = self.excess if index is None else self.excess[index]
        furthest = np.max(excess, axis=tuple(range(excess.ndim - 1)), initial=0.0)
        return tuple(self.limits.names[k] for k in np.flatnonzero(furthest).tolist())

    def __str__(self) -> str:
        if np.ndim(self.status):
            return self._of_many()
        lines = [] if self.status == Ending.COMPLETED else [f"{self.failure}; what follows counts until then"]
        lines.append(f"{'':24}{'error rms':>12}{'peak':>12}{'force rms':>12}{'peak':>12}{'saturated':>12}")
        for k, name in enumerate(self.actuators):
            values = (self.error_rms[k], self.error_peak[k], self.force_rms[k], self.force_peak[k])
            lines.append(f"{name:24}" + "".join(f"{value:12.4g}" for value in values) + f"{self.saturation[k]:12.1%}")
        if np.isfinite(self.distance_peak):
            lines.append(f"{'platform, m':24}{self.distance_rms:12.4g}{self.distance_peak:12.4g}")
        if np.isfinite(self.angle_peak):
            lines.append(f"{'platform, rad':24}{self.angle_rms:12.4g}{self.angle_peak:12.4g}")
        return "\n".join([*lines, *self._limits_left()])

    @property
    def failure(self) -> str:
        """How a run failed and when, in words; empty for a run that completed. Of many runs, how many failed."""
        if np.ndim(self.status):
            stopped = np.count_nonzero(self.status != Ending.COMPLETED)
            return f"FAILED: {stopped} of {len(self)} scenarios stopped early" if stopped else ""
        if self.status == Ending.COMPLETED:
            return ""
        ending = Ending(int(self.status))
        return f"FAILED at {self.stopped_at:.6g} s: {ending.name.lower()} ({ending.words})"

    def _limits_left(self) -> list[str]:
        """A line for each limit that was left, with how far at most and, of many runs, by how many."""
        lines: list[str] = []
        for name, unit, far in zip(self.limits.names, self.limits.units, self.excess.T, strict=True):
            count = np.count_nonzero(far > 0.0)
            if count:
                runs = (
                    f": {count} of {len(self)} scenarios, the first number {np.argmax(far > 0.0)}," if far.ndim else ""
                )
                lines.append(f"{name}{runs} went {far.max():.4g} {unit} beyond its limit{' at most' if runs else ''}")
        return lines

    def _of_many(self) -> str:
        """Write percentiles over the scenarios."""
        rows = (
            ("error rms, worst actuator", self.error_rms.max(axis=-1)),
            ("error peak, worst actuator", self.error_peak.max(axis=-1)),
            (f"platform rms, {self.platform_unit}", self.platform_rms),
            (f"platform peak, {self.platform_unit}", self.platform_peak),
            ("force peak, worst actuator", self.force_peak.max(axis=-1)),
            ("saturated, worst actuator", self.saturation.max(axis=-1)),
        )
        lines = [self.failure] if self.failure else []
        lines.append(f"{len(self)} scenarios".ljust(30) + "".join(f"{what:>12}" for what in ("5 %", "median", "95 %")))
        for name, values in rows:
            lines.append(name.ljust(30) + "".join(f"{v:12.4g}" for v in np.nanpercentile(values, (5, 50, 95))))
        lines += [] if self.failure else ["all completed"]
        return "\n".join([*lines, *self._limits_left()])


def summary_of_sums(
    actuators: tuple[str, ...], kind: MotionType, period: float, sums: dict[str, Array], limits: Bounds
) -> Summary:
    """Make a summary of what the loop gathered, by name (..., size); kind is the type of platform motion."""
    ticks = np.maximum(sums["ticks_run"], 1.0)
    share = 1 / ticks[..., None]
    platform_rms, platform_peak = np.sqrt(sums["platform_sum"] * share), np.sqrt(sums["platform_peak"])
    none = np.full(ticks.shape, np.nan)
    status = np.asarray(sums["status"]).astype(np.int32)
    excess = sums.get("excess", np.zeros((*ticks.shape, 0)))
    stopped = np.where(status == Ending.COMPLETED, np.nan, period * sums["ticks_run"])
    return Summary(
        actuators,
        np.sqrt(sums["error_sum"] * share),
        sums["error_peak"],
        platform_rms[..., 0] if kind.slides else none,
        platform_peak[..., 0] if kind.slides else none,
        platform_rms[..., 1] if kind.turns else none,
        platform_peak[..., 1] if kind.turns else none,
        np.sqrt(sums["force_sum"] * share),
        sums["force_peak"],
        sums["saturated"] * share,
        status,
        stopped,
        limits,
        np.where(excess > limits.slack, excess, 0.0),
    )
