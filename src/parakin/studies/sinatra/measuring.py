"""The run of the study of [Sinatra2009]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.dynamics.count_table import count_table
from parakin.dynamics.formulations import FORMULATIONS
from parakin.robot import Robot, load
from parakin.studies.common import ROUNDING, percent, relative, same_within, without_friction
from parakin.studies.criteria import Measured, spread
from parakin.studies.definition import Finding, Outcome, Progress, single
from parakin.studies.sinatra import identities, legs, printed
from parakin.studies.sinatra.figures import actuators_figure, parts_figure, shares_figure
from parakin.studies.sinatra.legs import TENSORS, Forces, forces_of
from parakin.trajectory import Motion, cosine
from parakin.trajectory import motion as named_motion

MOTIONS = {"vertical": "cosine_z", "rectilinear": "cosine_x", "rotation": "cosine_turn"}
"""The paper's three motions, by their names in `parakin.trajectory.MOTIONS`."""
OVER = f"{len(MOTIONS)} motions"
"""What intervals go over."""
IDLE = 1e-9
"""Power below which an actuator counts as idle, because rounding explains it [W]."""
QUICK = 0.3
"""Duration that is taken for high speed, a tenth of the paper's [s]."""

ByTensor = dict[str, dict[str, Forces]]
"""Tensor of a leg -> motion -> forces along it."""


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
    robot = without_friction(load("hexapod_sliding"))
    motions = {name: named_motion(key, robot) for name, key in MOTIONS.items()}
    progress("forces and powers of three motions")
    forces: ByTensor = {
        tensor: {name: forces_of(robot, motion, make(robot)) for name, motion in motions.items()}
        for tensor, make in TENSORS.items()
    }
    shown, make_shown = next(iter(TENSORS.items()))
    as_shown = forces[shown]
    turn = np.array([0.0] * 5 + [-np.pi / 12])
    reverse = forces_of(robot, cosine(robot, turn, name="reverse"), make_shown(robot))
    findings = (
        _printed()
        | _identities()
        | {
            "tensor": _tensor(robot),
            "method": _method(robot, motions),
            "operations": _operations(robot),
            "efficient": Finding(
                "not measured",
                remark="The formalisms of Lagrange and of Newton and Euler are named and not given.",
            ),
            "levels": _levels(forces),
            "vertical": _vertical(forces),
            "rising": _rising(forces),
            "rotation": _rotation(forces),
            "slow": _slow(as_shown),
            "pairs": _pairs(as_shown["rectilinear"]),
            "reverse": Finding(_listed(active(reverse)), remark="The guides come in mirrored pairs: roles change."),
        }
    )
    progress("what legs ask for, faster and faster")
    shares = {
        tensor: {name: legs.faster(robot, motion, make(robot)) for name, motion in motions.items()}
        for tensor, make in TENSORS.items()
    }
    findings |= {"inertia": _inertia(shares), "dominance": _dominance(robot, motions, forces)}
    series = {name: (f.t, f.tau, f.power) for name, f in as_shown.items()}
    parts = {
        name: (f.t, f.tau[:, 0], f.platform[:, 0], f.weight[:, 0], f.inertia[:, 0]) for name, f in as_shown.items()
    }
    figures = {
        "motions": (
            actuators_figure(series, printed.LEGS),
            (
                "Input forces (a to c) and powers (d to f) of the six actuators, as in Fig. 3 to 8. Actuators whose "
                "curves are equal share one line and are named together. Printed tensor, possible centre of mass."
            ),
        ),
        "parts": (
            parts_figure(parts, "A"),
            (
                "What the force of actuator A is for, in (a) the vertical, (b) the rectilinear and (c) the rotating "
                "motion."
            ),
        ),
        "shares": (
            shares_figure(legs.TIMES, shares[shown], shares[legs.UNIFORM]),
            (
                "Share of (a) the legs' inertia and (b) the legs altogether in the forces, as the paper's motions are "
                "made faster. Printed tensor with a possible centre of mass, and uniform rods."
            ),
        ),
    }
    return Outcome(findings, figures)


def _printed() -> dict[str, Finding]:
    gap, mended = printed.loop_gap(transposed=True), printed.loop_gap(transposed=False)
    return {
        "loop": Finding(
            f"open by {gap:.2f} m",
            single(gap),
            f"Without the transpose on a_2alpha it is {'closed' if mended < ROUNDING else 'open too'}.",
        ),
    }


def _tensor(robot: Robot) -> Finding:
    """Compare the moment of each machine's legs with what their centre of mass allows."""
    measured: dict[str, str] = {}
    cases: dict[str, tuple[Measured, ...]] = {}
    for name, make in TENSORS.items():
        centre, moment = legs.leg_numbers(robot, make(robot))
        largest = printed.largest_leg_inertia(centre)
        measured[name] = f"{moment:.4f} kg m^2 of at most {largest:.4f} with the centre at {centre:.3f} m"
        cases[name] = (Measured(moment / largest), Measured(abs(moment - printed.LEG_INERTIA)))
    return Finding(
        measured,
        cases,
        f"The centre of mass is not printed: the tensor is possible if it is {printed.nearest_centre():.3f} m or more "
        f"from the joint. In the middle at most {printed.largest_leg_inertia(printed.l_3 / 2):.4f} kg m^2 are "
        f"possible; a uniform rod has {printed.LEG_MASS * printed.l_3**2 / 3:.4f}.",
    )


def _identities() -> dict[str, Finding]:
    """Compare equations as printed with what they stand for."""
    force, moment = identities.wrench_differences()
    derivatives = {
        "velocities": identities.leg_difference(1),
        "angular": identities.platform_difference(1),
        "accelerations": identities.leg_difference(2),
        "square": identities.platform_difference(2),
    }
    remark = f"{identities.DRAWS} random states; products of rotations differentiated factor by factor."
    return {key: Finding(same_within(apart), single(apart), remark) for key, apart in derivatives.items()} | {
        "force": Finding(same_within(force), single(force), "Against six points of a rigid body."),
        "moment": Finding(
            same_within(moment),
            single(moment),
            "The tensor is an integral over the mass already, by the definition below eq. (20): the factor belongs to "
            "the first term alone.",
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
    remark = "All of them stand on the same kinematics. Other engines are compared in tests/peers, not in this run."
    return Finding(f"{len(others)} other formulations: {same_within(apart)}", single(apart), remark)


def _operations(robot: Robot) -> Finding:
    rows = count_table(robot.description)
    totals = {row.form: row.count.total for row in rows if row.model == "inverse dynamics"}
    recursive, bodies = totals["recursive-matrix"], totals["body-by-body"]
    return Finding(
        f"{recursive:,} operations; body by body {bodies:,}, kinematic elements {totals['kinematic-elements']:,}",
        single(recursive / bodies),
        f"Regrouped virtual work takes {totals['virtual-work']:,}. Both are written here, as are the kinematics below: "
        "an implementation of the paper's own may take fewer. Tsai's method, which sec. 3 compares with, is not "
        "implemented.",
    )


def _levels(forces: ByTensor) -> Finding:
    first = next(iter(forces.values()))
    peaks = ", ".join(
        f"{name} {np.abs(f.tau).max():.1f} N and {np.abs(f.power).max():.2f} W" for name, f in first.items()
    )
    others = ", ".join(f"{np.abs(each['vertical'].tau).max():.2f} N with {tensor}" for tensor, each in forces.items())
    return Finding(
        f"peaks: {peaks}",
        remark=f"The text gives no number to compare with; the figures are lost. In vertical motion {others}.",
    )


def _vertical(forces: ByTensor) -> Finding:
    def apart(each: Forces) -> float:
        return max(relative(values, values[:, :1] + 0 * values) for values in (each.tau, each.power))

    cases = {tensor: (Measured(apart(each["vertical"])),) for tensor, each in forces.items()}
    largest = max(value.value for (value,) in cases.values())
    return Finding(f"six forces and powers {same_within(largest)}", cases, "The machine has this symmetry.")


def _rising(forces: ByTensor) -> Finding:
    """Measure whether forces grow; those that only hold the platform tell geometry from acceleration."""

    def numbers(each: Forces) -> tuple[Measured, ...]:
        moved, held = np.abs(each.tau[:, 0]), np.abs(each.held[:, 0])
        steps = float(np.diff(moved).min()), float(np.diff(held).min()), float(np.diff(each.steepness).max())
        return tuple(Measured(step) for step in steps)

    def text(each: Forces) -> str:
        moved, held, steep = np.abs(each.tau[[0, -1], 0]), np.abs(each.held[[0, -1], 0]), each.steepness[[0, -1]]
        return (
            f"{moved[0]:.1f} to {moved[1]:.1f} N, holding alone {held[0]:.1f} to {held[1]:.1f} N; "
            f"legs {steep[0]:.0f} to {steep[1]:.0f} deg steep"
        )

    return Finding(
        {tensor: text(each["vertical"]) for tensor, each in forces.items()},
        {tensor: numbers(each["vertical"]) for tensor, each in forces.items()},
    )


def _rotation(forces: ByTensor) -> Finding:
    def text(each: Forces) -> str:
        k, size = printed.LEGS.index("B"), np.abs(each.tau)
        return (
            f"{_listed(active(each))}: B {size[0, k]:.1f} to {size[-1, k]:.1f} N, up to {each.power.max():.2f} W; the "
            f"others give back up to {-each.power.min():.2f} W"
        )

    return Finding(
        {tensor: text(each["rotation"]) for tensor, each in forces.items()},
        {tensor: rotation_numbers(each["rotation"]) for tensor, each in forces.items()},
    )


def rotation_numbers(forces: Forces) -> tuple[Measured, Measured]:
    """Return how many actuators are active or idle against the text, and the smallest growth of B, D, F [N]."""
    wanted = [printed.LEGS.index(leg) for leg in "BDF"]
    wrong = set(active(forces)).symmetric_difference(wanted)
    size = np.abs(forces.tau)
    return Measured(float(len(wrong))), Measured(float((size[-1, wanted] - size[0, wanted]).min()))


def _pairs(forces: Forces) -> Finding:
    mirrored = [printed.LEGS.index(leg) for leg in "FEDCBA"]
    apart = relative(forces.tau[:, mirrored], forces.tau)
    measured = f"A = F, B = E, C = D: {same_within(apart)}; never negative: {_listed(active(forces))}"
    return Finding(measured, remark="The motion lies in a plane of symmetry.")


def active(forces: Forces) -> list[int]:
    """Return the actuators whose power is never negative and becomes positive."""
    return [k for k in range(6) if forces.power[:, k].min() > -IDLE and forces.power[:, k].max() > IDLE]


def _listed(actuators: list[int]) -> str:
    return ", ".join(printed.LEGS[k] for k in actuators) or "none"


def _inertia(shares: dict[str, dict[str, Array]]) -> Finding:
    def numbers(each: dict[str, Array]) -> tuple[Measured, ...]:
        values = [float(share[_at(QUICK), 0]) for share in each.values()]
        return (spread(float(np.median(values)), values, OVER),)

    slow = _each(next(iter(shares.values())), legs.TIMES[0])
    return Finding(
        {tensor: f"{_each(each, QUICK)} in {QUICK:g} s with {tensor}" for tensor, each in shares.items()},
        {tensor: numbers(each) for tensor, each in shares.items()},
        f"Vertical, rectilinear, rotation. In the paper's {legs.TIMES[0]:g} s: {slow}.",
    )


def _dominance(robot: Robot, motions: dict[str, Motion], forces: ByTensor) -> Finding:
    """Compare inertial with gravitational forces in the paper's time and in a tenth of it: speed decides."""

    def ratio(each: Forces) -> float:
        return percent(each.tau - each.held, each.held)

    slow = {tensor: [ratio(one) for one in each.values()] for tensor, each in forces.items()}
    fast = {
        tensor: [ratio(forces_of(robot, m.stretched(QUICK / m.duration), make(robot))) for m in motions.values()]
        for tensor, make in TENSORS.items()
    }
    return Finding(
        {name: f"{_range(slow[name])} of gravity's forces; in {QUICK:g} s {_range(fast[name])}" for name in TENSORS},
        {name: (dominance(slow[name], fast[name]),) for name in TENSORS},
        "Which forces dominate is a question of speed: in the paper's own motions gravity's do, by far; ten times as "
        "fast it depends on the motion.",
    )


def dominance(slow: list[float], fast: list[float]) -> Measured:
    """Return the median ratio over all motions and both speeds, with the interval over them [%]."""
    both = [*slow, *fast]
    return spread(float(np.median(both)), both, f"{OVER} at two speeds")


def _range(values: list[float]) -> str:
    return f"{min(values):.2g} to {max(values):.3g} %"


def _slow(forces: dict[str, Forces]) -> Finding:
    inertia, weight = ([percent(getattr(f, part), f.tau) for f in forces.values()] for part in ("inertia", "weight"))
    return Finding(
        f"weight {min(weight):.0f} to {max(weight):.0f} %, inertia {min(inertia):.1f} to {max(inertia):.1f} % of the "
        "forces",
        remark="In 3 s: who leaves the legs out loses their weight. Their inertia is negligible at this speed.",
    )


def _each(shares: dict[str, Array], time: float) -> str:
    return ", ".join(f"{values[_at(time), 0]:.2g}" for values in shares.values()) + " %"


def _at(time: float) -> int:
    return int(np.argmin(np.abs(legs.TIMES - time)))
