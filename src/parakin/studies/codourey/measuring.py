"""The run: a finding for each claim of [Codourey1997], and the figures."""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from parakin.dynamics.parameters import parameters_of
from parakin.robot import Robot, load
from parakin.studies.codourey import adapting, lumping
from parakin.studies.codourey.figures import adaptation_figure, loss_figure, robots_figure
from parakin.studies.common import judged, relative, same_within, without_friction, workspace_states
from parakin.studies.study import Finding, Outcome, Progress, Verdict

LITTLE = 5.0
"""[% of the rms torque] An rms error that is not too much."""
NOTHING = 1e-12
"""A column with no larger entry is zero."""
FORGOTTEN = 0.1
"""Adaptation that works leaves less than this share of errors in the path, and of those in the parameters."""
TRANSPUTER = 1e-3
"""[s]"""
CALLS = 20_000
FRICTION = ("viscous", "coulomb")


def run(progress: Progress) -> Outcome:
    delta = load("delta")
    smooth = without_friction(delta)
    form = lumping.lumped(smooth)
    progress("structure of Psi")
    findings = _structure(smooth, form)
    progress("what lumping costs over the workspace")
    losses = {
        "workspace, at rest": lumping.workspace_losses(smooth, moving=False),
        "workspace, moving": lumping.workspace_losses(smooth, moving=True),
        "pick-and-place": lumping.cycle_losses(smooth),
    }
    findings |= {"workspace": _workspace(losses), "cycle": _cycle(losses["pick-and-place"])}
    masses = np.array(lumping.HEAVIER), lumping.forearm_losses(smooth)
    progress("what it costs other robots")
    robots = lumping.robot_losses()
    findings |= {"robots": _robots(robots), "thirds": _thirds(smooth, form)}
    progress("adaptive control, exact model")
    exact = adapting.exact_adaptation(delta)
    progress("adaptive control, eq. (45)")
    lumped = _lumped_adaptation(smooth, form)
    findings |= {"adaptive": _adapted(exact), "lumped_adaptive": _adapted(lumped)}
    findings |= {"share": _share(delta), "time": _jacobian_time(delta)}
    curves = {name: (found.acceleration, found.rms, found.largest) for name, found in losses.items()}
    figures = {
        "lumping": (
            loss_figure(curves, masses),
            "What the forearms as two points cost on the Delta, without friction. Right: at 1 m/s and 10 m/s².",
        ),
        "robots": (
            robots_figure(robots, LITTLE, "rms torque error at 1 m/s and 10 m/s² [%]"),
            "The same lumping on every library robot whose legs end in bars; dashed: what is called little here.",
        ),
        "adaptive": (_figure(exact, "exact model, eight base parameters"), "Adaptive control with base parameters."),
        "lumped_adaptive": (_figure(lumped, "eq. (45), seven parameters"), "Adaptive control with eq. (45)."),
    }
    return Outcome(findings, figures)


def _structure(robot: Robot, form: lumping.LumpedDelta) -> dict[str, Finding]:
    state = workspace_states(robot, lumping.STATES, *lumping.TYPICAL)
    Psi, written = form.Psi(state), lumping.eq_45(robot, state)
    rows, columns = Psi.shape[1:]
    apart = relative(Psi, written)
    full = int(np.count_nonzero(np.abs(Psi).max(axis=0) > NOTHING))
    shape = f"{rows} x {columns}, {full} entries not zero; {same_within(apart)}"
    good = (rows, columns, full) == (3, 7, 9) and apart < NOTHING
    tau = robot.inverse_dynamics(*state, formulation="simplified")
    off = relative(Psi @ form.p, tau)
    plus, minus = (relative(Psi[..., :6:2], sign * written[..., :6:2]) < NOTHING for sign in (1, -1))
    return {
        "structure": Finding(shape, judged(good), "Against g cos q, q_ddot and J^T (x_ddot - G) written out."),
        "columns": _columns(robot, Psi.reshape(-1, columns)),
        "equal": Finding(same_within(off), judged(off < NOTHING), "Against virtual work on the lumped bodies."),
        "sign": Finding(
            "plus: +g cos q_i" if plus else "minus: -g cos q_i" if minus else "neither +g cos q_i nor -g cos q_i",
            judged(minus),
            "By eq. (41) positive q lifts the arm, so gravity asks for +m r g cos q. The printed sign goes with q that "
            "counts downwards.",
        ),
    }


def _columns(robot: Robot, stacked: np.ndarray) -> Finding:
    """Of the exact Delta without friction, and of the lumped one."""
    names = np.array([parameter.name for parameter in parameters_of(robot.description)])
    inertial = np.array([not name.endswith(FRICTION) for name in names])
    state = workspace_states(robot, lumping.STATES, *lumping.TYPICAL)
    zero = np.abs(robot.regressor(*state)).max(axis=(0, 1)) < NOTHING
    base = [own for own in robot.base_parameters().representatives if not own.name.endswith(FRICTION)]
    rank = int(np.linalg.matrix_rank(stacked / np.linalg.norm(stacked, axis=0)))
    return Finding(
        f"exact: {inertial.sum()} columns, {(inertial & zero).sum()} zero, {len(base)} independent; "
        f"lumped: rank {rank}",
        judged(rank == stacked.shape[1] == 7 and len(base) < (inertial & ~zero).sum()),
        "The exact Delta keeps an inertia for each forearm, and m r_y of each arm, which lumping and arms with their "
        "centre of mass on their line leave out.",
    )


def _workspace(losses: dict[str, lumping.Losses]) -> Finding:
    both = [losses["workspace, at rest"], losses["workspace, moving"]]
    worst = max(float(found.rms.max()) for found in both)
    largest = max(float(found.largest.max()) for found in both)
    return Finding(
        f"rms {both[0].rms.min():.1f} to {worst:.1f} %, single torques up to {largest:.0f} %",
        judged(worst < LITTLE),
        "Of the rms torque, 0.3 to 300 m/s^2. Shares settle where gravity no longer counts.",
    )


def _cycle(found: lumping.Losses) -> Finding:
    fast = lumping.CYCLES.index(lumping.FAST)
    return Finding(
        f"rms {found.rms[fast]:.1f} %, single torques up to {found.largest[fast]:.0f} %",
        judged(float(found.rms.max()) < LITTLE),
        f"In {lumping.FAST} s, {found.acceleration[fast]:.0f} m/s^2; at most {found.rms.max():.1f} % rms for any time "
        f"between {lumping.CYCLES[0]:g} and {lumping.CYCLES[-1]:g} s.",
    )


def _robots(losses: dict[str, float]) -> Finding:
    small = [name for name, loss in losses.items() if loss < LITTLE]
    beyond = ", ".join(f"{name} {loss:.1f} %" for name, loss in losses.items() if name not in small)
    measured = f"rms below {LITTLE:g} % on {len(small)} of {len(losses)} robots"
    return Finding(measured, judged(2 * len(small) > len(losses)), f"Not on {beyond}." if beyond else "")


def _thirds(robot: Robot, form: lumping.LumpedDelta) -> Finding:
    thirds, fitted = lumping.fitted_loss(robot, form)
    remark = "At 1 m/s and 10 m/s^2: identified parameters take up some of what thirds leave out."
    return Finding(f"rms {thirds:.1f} % with thirds, {fitted:.1f} % fitted", Verdict.ADDED, remark)


def _lumped_adaptation(robot: Robot, form: lumping.LumpedDelta) -> adapting.Adaptation:
    state = adapting.excitation_states(robot)
    Psi, tau = form.Psi(state), robot.inverse_dynamics(*state)
    return adapting.lumped_adaptation(robot, form.p, Psi, lumping.fitted(Psi, tau))


def _adapted(found: adapting.Adaptation) -> Finding:
    left, adapted = float(found.held[-1]), float(found.error[-1])
    good = adapted < FORGOTTEN * left and found.end < FORGOTTEN * found.beginning
    return Finding(
        f"parameters from {found.beginning:.0f} to {found.end:.1f} % of rms torque; path from {left:.2f} to "
        f"{adapted:.2g} mm rms",
        judged(good),
        f"Converged: less than {100 * FORGOTTEN:g} % of both is left in the last period. Path: against that with the "
        "wrong parameters kept.",
    )


def _figure(found: adapting.Adaptation, title: str) -> Figure:
    return adaptation_figure(found.names, found.t, found.wrong, (found.error, found.held), title)


def _share(robot: Robot) -> Finding:
    jacobian, whole = lumping.jacobian_share(robot)
    remark = "Of Psi from pose, q_ddot and x_ddot; J with its legs and its inverse."
    return Finding(f"{jacobian} of {whole} operations", judged(2 * jacobian > whole), remark)


def _jacobian_time(robot: Robot) -> Finding:
    """One state at a time, as a control loop asks."""
    bound = robot.kernel("jacobian").bind()
    bound.inputs["pose"][...] = robot.home
    call, best = bound.run, np.inf
    for _ in range(5):
        begun = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, (time.perf_counter() - begun) / CALLS)
    poses = robot.sample(100_000)
    begun = time.perf_counter()
    robot.jacobian(poses)
    many = (time.perf_counter() - begun) / len(poses)
    measured = f"{1e6 * best:.2f} us a call, {1e9 * many:.0f} ns a pose among many"
    remark = "One core, called from Python, legs solved in closed form on the way."
    return Finding(measured, judged(best < TRANSPUTER), remark, timed=True)
