"""The run of the study of [Codourey1997]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from parakin.robot import Robot, load
from parakin.studies.codourey import adapting, lumping
from parakin.studies.codourey.figures import adaptation_figure, loss_figure, robots_figure
from parakin.studies.common import relative, same_within, verdict_if, without_friction, workspace_states
from parakin.studies.definition import Finding, Outcome, Progress, Verdict

LITTLE = 5.0
"""Rms error [% of the rms torque] below which "not too much loss" is taken to hold."""
NOTHING = 1e-12
"""A column of Psi with no larger entry counts as zero, and a smaller relative difference as none."""
FORGOTTEN = 0.1
"""Adaptation that works leaves less than this share of the path's errors, and of the parameters' errors."""
TRANSPUTER = 1e-3
"""Time that the Jacobian took on the paper's T800 transputer [s]."""
CALLS = 20_000
"""Calls of the Jacobian that are timed together."""


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
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
    curves = {name: (loss.acceleration, loss.rms, loss.largest) for name, loss in losses.items()}
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
        "structure": Finding(shape, verdict_if(good), "Against g cos q, q_ddot and J^T (x_ddot - G) written out."),
        "columns": _columns(robot, Psi.reshape(-1, columns)),
        "equal": Finding(same_within(off), verdict_if(off < NOTHING), "Against virtual work on the lumped bodies."),
        "sign": Finding(
            "plus: +g cos q_i" if plus else "minus: -g cos q_i" if minus else "neither +g cos q_i nor -g cos q_i",
            verdict_if(minus),
            "By eq. (41) positive q lifts the arm, so gravity asks for +m r g cos q. The printed sign goes with q that "
            "counts downwards.",
        ),
    }


def _columns(robot: Robot, stacked: np.ndarray) -> Finding:
    """Compare the columns of the exact Delta without friction with those of the lumped one."""
    inertial = np.array([not parameter.quantity.is_friction for parameter in robot.parameter_table])
    state = workspace_states(robot, lumping.STATES, *lumping.TYPICAL)
    zero = np.abs(robot.regressor(*state)).max(axis=(0, 1)) < NOTHING
    representatives = robot.base_parameters().representatives
    base = [parameter for parameter in representatives if not parameter.quantity.is_friction]
    rank = int(np.linalg.matrix_rank(stacked / np.linalg.norm(stacked, axis=0)))
    return Finding(
        f"exact: {inertial.sum()} columns, {(inertial & zero).sum()} zero, {len(base)} independent; "
        f"lumped: rank {rank}",
        verdict_if(rank == stacked.shape[1] == 7 and len(base) < (inertial & ~zero).sum()),
        "The exact Delta keeps an inertia for each forearm, and m r_y of each arm, which lumping and arms with their "
        "centre of mass on their line leave out.",
    )


def _workspace(losses: dict[str, lumping.Losses]) -> Finding:
    both = [losses["workspace, at rest"], losses["workspace, moving"]]
    worst = max(float(loss.rms.max()) for loss in both)
    largest = max(float(loss.largest.max()) for loss in both)
    return Finding(
        f"rms {both[0].rms.min():.1f} to {worst:.1f} %, single torques up to {largest:.0f} %",
        verdict_if(worst < LITTLE),
        "Of the rms torque, 0.3 to 300 m/s^2. Shares settle where gravity no longer counts.",
    )


def _cycle(losses: lumping.Losses) -> Finding:
    fast, worst = lumping.CYCLES.index(lumping.FAST), float(losses.rms.max())
    return Finding(
        f"rms {losses.rms[fast]:.1f} %, single torques up to {losses.largest[fast]:.0f} %",
        verdict_if(worst < LITTLE),
        f"In {lumping.FAST} s, {losses.acceleration[fast]:.0f} m/s^2; at most {worst:.1f} % rms for any time "
        f"between {lumping.CYCLES[0]:g} and {lumping.CYCLES[-1]:g} s.",
    )


def _robots(losses: dict[str, float]) -> Finding:
    small = [name for name, loss in losses.items() if loss < LITTLE]
    beyond = ", ".join(f"{name} {loss:.1f} %" for name, loss in losses.items() if name not in small)
    measured = f"rms below {LITTLE:g} % on {len(small)} of {len(losses)} robots"
    return Finding(measured, verdict_if(2 * len(small) > len(losses)), f"Not on {beyond}." if beyond else "")


def _thirds(robot: Robot, form: lumping.LumpedDelta) -> Finding:
    thirds, fitted = lumping.fitted_loss(robot, form)
    remark = "At 1 m/s and 10 m/s^2: identified parameters take up some of what thirds leave out."
    return Finding(f"rms {thirds:.1f} % with thirds, {fitted:.1f} % fitted", Verdict.ADDED, remark)


def _lumped_adaptation(robot: Robot, form: lumping.LumpedDelta) -> adapting.Adaptation:
    state = adapting.excitation_states(robot)
    Psi, tau = form.Psi(state), robot.inverse_dynamics(*state)
    return adapting.lumped_adaptation(robot, form.p, Psi, lumping.fitted(Psi, tau))


def _adapted(adaptation: adapting.Adaptation) -> Finding:
    held, adapted = float(adaptation.held[-1]), float(adaptation.error[-1])
    good = adapted < FORGOTTEN * held and adaptation.end < FORGOTTEN * adaptation.beginning
    return Finding(
        f"parameters from {adaptation.beginning:.0f} to {adaptation.end:.1f} % of rms torque; path from {held:.2f} to "
        f"{adapted:.2g} mm rms",
        verdict_if(good),
        f"Converged: less than {100 * FORGOTTEN:g} % of both is left in the last period. Path: against that with the "
        "wrong parameters kept.",
    )


def _figure(adaptation: adapting.Adaptation, title: str) -> Figure:
    errors = adaptation.error, adaptation.held
    return adaptation_figure(adaptation.names, adaptation.t, adaptation.wrong, errors, title)


def _share(robot: Robot) -> Finding:
    jacobian, whole = lumping.jacobian_share(robot)
    remark = "Of Psi from pose, q_ddot and x_ddot; J with its legs and its inverse."
    return Finding(f"{jacobian} of {whole} operations", verdict_if(2 * jacobian > whole), remark)


def _jacobian_time(robot: Robot) -> Finding:
    """Time the Jacobian of one state at a time, as a control loop asks for it, and of many at once."""
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
    return Finding(measured, verdict_if(best < TRANSPUTER), remark, timed=True)
