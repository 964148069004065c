"""The run of the study of [Vivas2003]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from parakin.control import Law, Reference
from parakin.robot import Robot
from parakin.simulation import Ending, Log, simulate
from parakin.studies.common import verdict_over
from parakin.studies.definition import Finding, Outcome, Progress, Verdict
from parakin.studies.vivas.criteria import (
    ANGLE_OFF,
    CAUSED,
    FOLLOWS,
    HALF_AS_HEAVY,
    PRINTED_ANGLE,
    RECOVERED,
    SIMILAR,
)
from parakin.studies.vivas.figures import elastic_figure, load_figure, mismatch_figure, pair_figure
from parakin.studies.vivas.flexible import FREQUENCIES
from parakin.studies.vivas.identifying import identified
from parakin.studies.vivas.laws import CTC, PFC, PRINTED, laws
from parakin.studies.vivas.machine import CELL, controller_model, plant
from parakin.studies.vivas.mismatch import BITS, FILTERS
from parakin.studies.vivas.robustness import margin_findings, mismatch_findings
from parakin.studies.vivas.runs import CUTTING, LOAD_TIME, RIPPLE, TEETH, circled, errors, lag, lifted, loaded, machined
from parakin.trajectory.limits import limits_of


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
    robot, model = plant(), controller_model()
    known = laws(model)
    progress("identification")
    findings = _identification(robot, model, known[CTC])
    progress("tracking")
    followed = lifted(robot)
    logs = {name: simulate(robot, law, followed, CELL) for name, law in known.items()}
    findings |= _tracking(robot, followed, logs)
    progress("load")
    load_findings, load = _load(robot, known)
    progress("mismatch")
    wrong_findings, maps = mismatch_findings(robot, known, followed)
    progress("elastic drives")
    bearing_findings, curves = margin_findings(robot, known)
    progress("circle and slot")
    findings |= load_findings | wrong_findings | bearing_findings | _further(robot, known)
    pairs = {name: (1e3 * errors(logs[name]), logs[name]["tau"]) for name in (CTC, PFC)}
    figures = {
        "tracking": (
            pair_figure(followed.t, pairs, robot.actuator_names),
            "The 0.1 m motion along z: joint errors and torques of both laws (Fig. 7 to 10 of the paper).",
        ),
        "load": (load, "4 kg put on the nacelle at the dotted line (Fig. 11 to 18 of the paper)."),
        "mismatch": (
            mismatch_figure(maps, [_rates(value) for value in FILTERS], [_encoder(bits) for bits in BITS]),
            "Where the drives saturate on the 0.1 m motion, by what is assumed of sensors and delay.",
        ),
        "elastic": (
            elastic_figure(FREQUENCIES, curves, HALF_AS_HEAVY),
            "The gain that each law bears, by the frequency of an elastic mode between motors and arms.",
        ),
    }
    return Outcome(findings, figures)


def _rates(hertz: float | None) -> str:
    return "none" if hertz is None else f"{hertz:g} Hz"


def _encoder(bits: int | None) -> str:
    return "exact" if bits is None else f"$2^{{{bits}}}$"


def _identification(robot: Robot, model: Robot, law: Law) -> dict[str, Finding]:
    paper, real = identified(model, law), identified(robot, law)
    worst = float(np.abs(paper.errors).max())
    motors, nacelle = real.errors[:4], real.errors[4]
    return {
        "table": Finding(
            f"all six within {worst:.1f} %",
            Verdict.HOLDS if worst <= RECOVERED else Verdict.REFUTED,
            "From encoders and torques of a simulated robot that is what eq. (13) says; rates by local cubics.",
        ),
        "rods": Finding(
            f"M_nac {nacelle:+.0f} %, I_mot {motors.min():+.0f} to {motors.max():+.0f} %",
            Verdict.ADDED,
            "The H4 of the library has rods of 0.1 kg a leg and arms of 0.3 kg, both assumed: their weight goes into "
            "M_nac, and I_mot makes up for it. Forces fit better than parameters mean.",
        ),
    }


def _tracking(robot: Robot, followed: Reference, logs: dict[str, Log]) -> dict[str, Finding]:
    bottom = float(np.ptp(followed.q, axis=0).max())
    up = robot.home + 0.1 * np.eye(4)[2]
    home = float(np.abs(robot.inverse_kinematics(up) - robot.inverse_kinematics(robot.home)).max())
    angles = [abs(angle / PRINTED_ANGLE - 1) <= ANGLE_OFF for angle in (bottom, home)]
    late = {name: lag(logs[name]) for name in (PRINTED, PFC)}
    peaks = {name: 1e3 * float(np.abs(errors(log)).max()) for name, log in logs.items()}
    readings = [name for name in peaks if name not in (CTC, PRINTED)]
    alike = [name for name in readings if 1 / SIMILAR <= peaks[name] / peaks[CTC] <= SIMILAR]
    force = max(float(np.abs(logs[name]["tau"]).max()) for name in (CTC, PFC))
    limit = float(limits_of(robot).force.min())
    return {
        "angle": Finding(
            f"{bottom:.2f} rad from the bottom of the workspace, {home:.2f} rad from home",
            verdict_over(angles),
            "Lengths are assumed.",
        ),
        "future": Finding(
            f"{1e3 * late[PRINTED]:.1f} ms late, {peaks[PRINTED]:.0f} mrad; mended {1e3 * abs(late[PFC]):.2f} ms",
            Verdict.HOLDS if abs(late[PRINTED]) < FOLLOWS else Verdict.REFUTED,
        ),
        "tracking": Finding(
            f"peaks {peaks[CTC]:.1f} mrad computed torque, {peaks[PFC]:.1f} mrad predictive",
            verdict_over([name in alike for name in readings]),
            f"Within a factor of two: {'; '.join(alike) or 'no reading'}. Computed torque leaves the friction and "
            "weight that its model lacks to a feedback without integral.",
        ),
        "torques": Finding(
            f"at most {force:.1f} of {limit:.0f} N m",
            Verdict.HOLDS if force < limit else Verdict.REFUTED,
            "Limit assumed.",
        ),
    }


def _load(robot: Robot, known: dict[str, Law]) -> tuple[dict[str, Finding], Figure]:
    rejections = {name: loaded(robot, law) for name, law in known.items() if name != PRINTED}
    both, smooth = {name: rejections[name] for name in (CTC, PFC)}, loaded(robot, known[CTC], friction=False)
    sound = [one.log.status == Ending.COMPLETED and not one.log["saturated"].any() for one in both.values()]
    times = {name: 1e3 * one.settled for name, one in rejections.items()}
    alike = [name for name in times if name != CTC and 1 / SIMILAR <= times[name] / times[CTC] <= SIMILAR]
    without = smooth.left / rejections[CTC].left
    curves = {name: (1e3 * errors(one.log), one.log["tau"]) for name, one in both.items()}
    findings = {
        "load": Finding(
            f"peaks {1e3 * rejections[CTC].peak:.0f} mrad computed torque, "
            f"{1e3 * rejections[PFC].peak:.0f} mrad predictive",
            verdict_over(sound),
            "Neither saturates." if all(sound) else "",
        ),
        "rejection": Finding(
            f"{times[CTC]:.0f} ms computed torque, {times[PFC]:.0f} ms predictive",
            verdict_over([name in alike for name in times if name != CTC]),
            "Until the error stays within a tenth of its peak about where it ends. "
            f"Within a factor of two: {'; '.join(alike) or 'no reading'}.",
        ),
        "static": Finding(
            f"computed torque keeps {1e3 * rejections[CTC].left:.1f} mrad, without friction {100 * without:.0f} % of "
            f"that; predictive {1e3 * rejections[PFC].left:.2f} mrad",
            Verdict.HOLDS if 1 - without > CAUSED else Verdict.REFUTED,
            "A feedback without integral holds a load by an error: 4 kg over K_p. Backlash was not simulated.",
        ),
    }
    return findings, load_figure(rejections[CTC].log.t, curves, robot.actuator_names, LOAD_TIME)


def _further(robot: Robot, known: dict[str, Law]) -> dict[str, Finding]:
    circle, slot = ({name: job(robot, known[name]) for name in (CTC, PFC)} for job in (circled, machined))

    def text(distances: dict[str, tuple[float, float]]) -> str:
        return "; ".join(
            f"{name} {1e6 * rms:.0f} µm rms, {1e6 * peak:.0f} µm peak" for name, (rms, peak) in distances.items()
        )

    return {
        "circle": Finding(text(circle), Verdict.ADDED, "Diameter 0.1 m, 0.5 m/s, horizontal; distance of the nacelle."),
        "machining": Finding(
            text(slot),
            Verdict.ADDED,
            f"0.1 m in 2 s against {np.linalg.norm(CUTTING):.0f} N of cutting force, {100 * RIPPLE:.0f} % of it ripple "
            f"at {TEETH:.0f} Hz; all assumed.",
        ),
    }
