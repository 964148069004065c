"""The run of the study of [Sinatra2009]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.dynamics.formulations import FORMULATIONS
from parakin.robot import Robot, load
from parakin.studies.common import ROUNDING, relative, same_within, verdict_if, without_friction
from parakin.studies.definition import Finding, Outcome, Progress, Verdict
from parakin.studies.sinatra import legs, printed
from parakin.studies.sinatra.figures import actuators_figure, parts_figure, shares_figure
from parakin.studies.sinatra.legs import Forces, forces_of
from parakin.trajectory import Motion, cosine
from parakin.trajectory import motion as named_motion

MOTIONS = {"vertical": "cosine_z", "rectilinear": "cosine_x", "rotation": "cosine_turn"}
"""The paper's three motions, by their names in `parakin.trajectory.MOTIONS`."""
OPEN_LOOP = 1e-6
"""Distance from which on a loop counts as open [m]."""
COUNTS = 5.0
"""Share of the forces above which a part cannot be left out [%]."""
IDLE = 1e-9
"""Power below which an actuator counts as idle, because rounding explains it [W]."""
FAST = 0.3
"""Duration that is taken for high speed, a tenth of the paper's [s]."""


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
    robot = without_friction(load("hexapod_sliding"))
    motions = {name: named_motion(key, robot) for name, key in MOTIONS.items()}
    progress("forces and powers of three motions")
    forces = {name: forces_of(robot, motion) for name, motion in motions.items()}
    turn = np.array([0.0] * 5 + [-np.pi / 12])
    reverse = forces_of(robot, cosine(robot, turn, name="reverse"))
    findings = _printed() | {
        "method": _method(robot, motions),
        "levels": _levels(forces),
        "vertical": _vertical(forces["vertical"]),
        "rising": _rising(robot, motions["vertical"]),
        "pairs": _pairs(forces["rectilinear"]),
        "rotation": _rotation(forces["rotation"]),
        "reverse": Finding(
            _listed(_active(reverse)), Verdict.ADDED, "The guides come in mirrored pairs: roles change."
        ),
    }
    progress("what legs ask for, faster and faster")
    shares = {name: legs.faster(robot, motion) for name, motion in motions.items()}
    rods = legs.uniform_legs(robot)
    uniform = {name: legs.faster(robot, motion, rods) for name, motion in motions.items()}
    findings |= {"inertia": _inertia(shares), "slow": _slow(forces), "uniform": _uniform(uniform)}
    series = {name: (f.t, f.tau, f.power) for name, f in forces.items()}
    parts = {name: (f.t, f.tau[:, 0], f.platform[:, 0], f.weight[:, 0], f.inertia[:, 0]) for name, f in forces.items()}
    figures = {
        "motions": (
            actuators_figure(series, printed.LEGS),
            "Input forces and powers of the six actuators, as in Fig. 3 to 8. Equal curves lie on each other.",
        ),
        "parts": (parts_figure(parts, "A"), "What the force of actuator A is for."),
        "shares": (
            shares_figure(legs.TIMES, shares, uniform),
            "Share of the legs in the forces as the paper's motions are made faster. Printed tensor, and uniform rods.",
        ),
    }
    return Outcome(findings, figures)


def _printed() -> dict[str, Finding]:
    gap, mended = printed.loop_gap(transposed=True), printed.loop_gap(transposed=False)
    most = printed.largest_leg_inertia()
    return {
        "loop": Finding(
            f"open by {gap:.2f} m",
            verdict_if(gap < OPEN_LOOP),
            f"Without the transpose on a_2alpha it is {'closed' if mended < OPEN_LOOP else 'open too'}.",
        ),
        "tensor": Finding(
            f"at most {most:.4f} kg m^2",
            verdict_if(most >= printed.LEG_INERTIA),
            "About an end, however the mass is spread along the leg with its centre in the middle; a uniform rod has "
            f"{printed.LEG_MASS * printed.l_3**2 / 3:.4f} kg m^2. About the centre it would be even less.",
        ),
    }


def _method(robot: Robot, motions: dict[str, Motion]) -> Finding:
    """Compare the recursive matrix method with every other exact formulation, along all three motions."""
    apart = 0.0
    others = [name for name, row in FORMULATIONS.items() if row.exact and name != "recursive-matrix"]
    for motion in motions.values():
        samples = motion.sampled(20.0)
        state = samples.pose, samples.velocity, samples.acceleration
        tau = robot.inverse_dynamics(*state, formulation="recursive-matrix")
        apart = max([apart, *(relative(robot.inverse_dynamics(*state, formulation=name), tau) for name in others)])
    return Finding(f"{len(others)} other formulations: {same_within(apart)}", verdict_if(apart < ROUNDING))


def _levels(forces: dict[str, Forces]) -> Finding:
    peaks = ", ".join(
        f"{name} {np.abs(f.tau).max():.1f} N and {np.abs(f.power).max():.2f} W" for name, f in forces.items()
    )
    return Finding(f"peaks: {peaks}", Verdict.OPEN, "The text gives no number to compare with; the figures are lost.")


def _vertical(forces: Forces) -> Finding:
    apart = max(relative(values, values[:, :1] + 0 * values) for values in (forces.tau, forces.power))
    return Finding(f"six forces and powers {same_within(apart)}", verdict_if(apart < ROUNDING))


def _rising(robot: Robot, motion: Motion) -> Finding:
    """Measure whether forces grow; those that only hold the platform tell geometry from acceleration."""
    samples = motion.sampled(20.0)
    moved = np.abs(robot.inverse_dynamics(samples.pose, samples.velocity, samples.acceleration)[:, 0])
    held = np.abs(robot.static_forces(samples.pose)[:, 0])
    x = robot.elements(samples.pose, samples.velocity, samples.acceleration).x[:, 1]
    steep = np.degrees(np.arcsin(np.abs(x[:, 2])))
    good = bool(np.all(np.diff(moved) > 0) and np.all(np.diff(held) > 0) and np.all(np.diff(steep) < 0))
    return Finding(
        f"{moved[0]:.1f} to {moved[-1]:.1f} N; legs {steep[0]:.0f} to {steep[-1]:.0f} deg steep",
        verdict_if(good),
        f"Holding alone takes {held[0]:.1f} to {held[-1]:.1f} N.",
    )


def _pairs(forces: Forces) -> Finding:
    mirrored = [printed.LEGS.index(leg) for leg in "FEDCBA"]
    apart = relative(forces.tau[:, mirrored], forces.tau)
    active = _listed(_active(forces))
    return Finding(
        f"A = F, B = E, C = D: {same_within(apart)}; never negative: {active}",
        Verdict.ADDED,
        "The motion lies in a plane of symmetry.",
    )


def _rotation(forces: Forces) -> Finding:
    active, size = _active(forces), np.abs(forces.tau)
    growing = [k for k in active if size[-1, k] > size[0, k]]
    good = _listed(active) == "B, D, F" and growing == active
    first = active[0] if active else 0
    return Finding(
        f"{_listed(active)}: {size[0, first]:.1f} to {size[-1, first]:.1f} N, up to {forces.power.max():.2f} W",
        verdict_if(good),
        f"The others give power back, up to {-forces.power.min():.2f} W.",
    )


def _active(forces: Forces) -> list[int]:
    """Return the actuators whose power is never negative and becomes positive."""
    return [k for k in range(6) if forces.power[:, k].min() > -IDLE and forces.power[:, k].max() > IDLE]


def _listed(actuators: list[int]) -> str:
    return ", ".join(printed.LEGS[k] for k in actuators) or "none"


def _inertia(shares: dict[str, Array]) -> Finding:
    slow, fast = _each(shares, legs.TIMES[0]), _each(shares, FAST)
    least = min(float(values[_at(FAST), 0]) for values in shares.values())
    return Finding(
        f"in {FAST:g} s: {fast}; in {legs.TIMES[0]:g} s: {slow}",
        verdict_if(least > COUNTS),
        f"Rms, in the order vertical, rectilinear, rotation. Counts: more than {COUNTS:g} % in each motion.",
    )


def _slow(forces: dict[str, Forces]) -> Finding:
    shares = [f.shares[1] for f in forces.values()]
    return Finding(
        f"{', '.join(f'{share:.0f}' for share in shares)} % of the forces",
        verdict_if(min(shares) > COUNTS),
        "In 3 s, weight and inertia of the legs together.",
    )


def _uniform(shares: dict[str, Array]) -> Finding:
    return Finding(f"in {FAST:g} s: {_each(shares, FAST)}", Verdict.ADDED, "With m l^2/3 about A3.")


def _each(shares: dict[str, Array], time: float) -> str:
    return ", ".join(f"{values[_at(time), 0]:.2g}" for values in shares.values()) + " %"


def _at(time: float) -> int:
    return int(np.argmin(np.abs(legs.TIMES - time)))
