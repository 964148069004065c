"""A closed loop is recorded for the self-test of a controller in C: what the law was told, and what it answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control import GuardCause, Law, Reference
from parakin.control import reference as reference_along
from parakin.control.references import QUANTITIES
from parakin.errors import CExportError
from parakin.simulation import Ending, Log, Scenario, simulate
from parakin.simulation.scenario import constants_of, file_parameters
from parakin.simulation.start import initial_signals
from parakin.simulation.summary import Summary
from parakin.trajectory import fourier

TICKS = 2000
"""How many ticks are recorded where no reference is given: two seconds at 1 kHz."""
MISMATCH = 0.1
"""By what share the plant's parameters exceed the law's, so that integrals and adaptation have something to do."""
RESOLUTION = 1e-6
"""Step of the encoders, and standard deviation of the noise before them [rad, m]."""
FILTER = 200.0
"""Cutoff of the filter of rates [Hz]."""
SENSED = Scenario(
    counts=1 / RESOLUTION,
    noise=RESOLUTION,
    pose_noise=RESOLUTION / 10,
    velocity_filter=FILTER,
    delay=True,
    seed=1,
)
"""What the law sees in the recording, and how late its forces act."""


@frozen_arrays
class Recording:
    """What a law was told in a closed loop, by the names of its inputs, and what it answered."""

    first: Mapping[str, Array]
    """What `start` was told."""
    told: Mapping[str, Array]
    """What `step` was told at each tick (ticks, ...)."""
    command: Array
    """Forces that `step` gave at each tick (ticks, actuators) [N or N m]."""
    summary: Summary
    """How the robot followed."""


def recorded_run(law: Law, reference: Reference | None = None) -> Recording:
    """Run a law on a robot that is not quite its model, seen through encoders, and record what it is told and answers.

    It follows a Fourier motion by default. Numbers are rounded as in C99: the memory of predictive control has a double
    pole at 1, along which differences of rounding grow, in 2,000 ticks, to 2e-12 of the forces.
    """
    robot = law.robot
    along = _excitation(law) if reference is None else reference
    scenario = replace(SENSED, parameters=(1 + MISMATCH) * file_parameters(robot))
    log = simulate(robot, law, along, scenario, contraction=False, record_state=law.guard is not None)
    if law.guard is not None:
        _check_guard(law, log)
    if log.status != Ending.COMPLETED:
        stopped = log.t[np.argmax(log["status"] != Ending.COMPLETED)]
        reason = f"the closed loop that the self-test is to replay ended {log.status.name} at {stopped:.3g} s"
        raise CExportError(law.name, f"{reason}: choose other gains, or a reference the robot can follow")
    constants = constants_of(robot, law, (scenario,))
    signals = initial_signals(robot, law, along, (scenario,), constants, contraction=False)
    true = {"q": signals["q"], "q_dot": signals["rate"], "pose": along.pose[:1], "velocity": signals["velocity"]}
    desired = {w.port: along.ahead(w.quantity, w.ahead) for w in law.interface.reference}
    measured = {f"measured_{what}": log[f"measured_{what}"] for what in law.interface.measurement}
    first = {name: values[0] for name, values in desired.items()} | {"holding": signals["pending"][0]}
    first |= {f"measured_{what}": true[what][0] for what in law.interface.measurement}
    return Recording(first, desired | measured, log["command"], log.summary())


def _check_guard(law: Law, log: Log) -> None:
    """Refuse a recording in which the guard found something: on the machine it would find it too."""
    cause = log["state.guard_cause"].ravel()
    if cause.any():
        first = int(np.argmax(cause != 0))
        words = GuardCause(int(cause[first])).words
        reason = f"the guard stops the closed loop that the self-test is to replay: {words}"
        remedy = "choose other gains, a reference within the limits of the robot file, or another guard"
        raise CExportError(law.name, f"{reason} at {log.t[first]:.3g} s: {remedy}")


def _excitation(law: Law) -> Reference:
    """Return the first ticks of a Fourier motion; a short one is held at its end."""
    motion = fourier(law.robot)
    missing = max(0.0, (TICKS + 1) * law.period - motion.duration)
    whole = reference_along(law.robot, motion, law.period, settle=missing)
    return replace(whole, **{name: getattr(whole, name)[:TICKS] for name in QUANTITIES})
