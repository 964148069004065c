"""The run of the study of [Codourey1997]: it measures something about each claim, and draws the figures."""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from parakin.robot import Robot, load
from parakin.studies.codourey import adapting, lumping
from parakin.studies.codourey.claims import EXACT, LITTLE
from parakin.studies.codourey.figures import adaptation_figure, loss_figure, robots_figure
from parakin.studies.common import (
    ROUNDING,
    proportion_interval,
    relative,
    same_within,
    without_friction,
    workspace_states,
)
from parakin.studies.criteria import Measured, NominalLoop, spread
from parakin.studies.definition import AS_PRINTED, Finding, Outcome, Progress, single

CALLS = 20_000
"""Calls of the Jacobian that are timed together."""


def run(progress: Progress) -> Outcome:
    """Measure something about each claim, and draw the figures."""
    delta = load("delta")
    smooth = without_friction(delta)
    form = lumping.lumped(smooth)
    progress("structure of Psi")
    findings = _structure(smooth, form) | _arm() | {"tilde": _tilde(), "six": _six()}
    progress("what lumping costs over the workspace")
    losses = {name: _losses(lumping.with_forearms(smooth, factor)) for name, factor in lumping.FOREARMS.items()}
    findings |= {"workspace": _workspace(losses), "cycle": _cycle(losses)}
    progress("what it costs other robots")
    robots = lumping.robot_losses()
    findings |= {"robots": _robots(robots), "thirds": _thirds(smooth, form)}
    progress("adaptive control, exact model")
    exact_loop, exact = adapting.exact_adaptations(delta)
    progress("adaptive control, eq. (45)")
    lumped_loop, lumped = _lumped_adaptations(smooth, form)
    findings |= {"adaptive": _adapted(exact), "lumped_adaptive": _adapted(lumped)}
    findings |= {"share": _share(delta), "time": _jacobian_time(delta)}
    return Outcome(findings, _figures(losses, robots, exact, lumped), {AS_PRINTED: (exact_loop, lumped_loop)})


Losses = dict[str, lumping.Losses]
"""Way through the states -> torque errors of the lumped model by acceleration."""
REST, MOVING, CYCLE = "workspace, at rest", "workspace, moving", "pick-and-place"
"""The ways: all over the box without and with speed, and along the pick-and-place."""


def _losses(robot: Robot) -> Losses:
    return {
        REST: lumping.workspace_losses(robot, moving=False),
        MOVING: lumping.workspace_losses(robot, moving=True),
        CYCLE: lumping.cycle_losses(robot),
    }


def _figures(
    losses: dict[str, Losses],
    robots: dict[str, float],
    exact: list[adapting.Adaptation],
    lumped: list[adapting.Adaptation],
) -> dict[str, tuple[Figure, str]]:
    curves = {name: (loss.acceleration, loss.rms, loss.largest) for name, loss in _assumed(losses).items()}
    by_mass = sorted(lumping.FOREARMS.items(), key=lambda item: item[1])
    masses = np.array([[factor, _worst(losses[name])] for name, factor in by_mass]).T
    errors = [_figure(each, title) for each, title in ((exact, "exact model, base parameters"), (lumped, "eq. (45)"))]
    return {
        "lumping": (
            loss_figure(curves, (masses[0], masses[1]), LITTLE),
            (
                "What the forearms as two points cost on the Delta, without friction: (a) by acceleration, (b) the "
                "largest rms error by the mass of the forearms. Dashed in (b): what is called little here."
            ),
        ),
        "robots": (
            robots_figure(robots, LITTLE, "rms torque error at 1 m/s and 10 m/s² [%]"),
            "Legs as points on every library robot that can be lumped; dashed: what is called little here.",
        ),
        "adaptive": (
            errors[0],
            (
                "Adaptive control with base parameters, the blends from and to rest left out: (a) errors of the "
                "parameters for the first seed, (b) of the path for three seeds."
            ),
        ),
        "lumped_adaptive": (
            errors[1],
            (
                "Adaptive control with eq. (45), the blends left out: (a) errors of the parameters for the first seed, "
                "(b) of the path for three seeds."
            ),
        ),
    }


def _assumed(losses: dict[str, Losses]) -> Losses:
    return losses[next(iter(lumping.FOREARMS))]


def _worst(losses: Losses) -> float:
    return max(float(loss.rms.max()) for loss in losses.values())


def _structure(robot: Robot, form: lumping.LumpedDelta) -> dict[str, Finding]:
    state = workspace_states(robot, lumping.STATES, *lumping.TYPICAL)
    Psi, written = form.Psi(state), lumping.eq_45(robot, state)
    rows, columns = Psi.shape[1:]
    apart = relative(Psi, written)
    full = int(np.count_nonzero(np.abs(Psi).max(axis=0) > ROUNDING))
    shape = f"{rows} x {columns}, {full} entries not zero; {same_within(apart)}"
    one_sided = int(np.count_nonzero((np.abs(Psi) > ROUNDING).any(axis=0) != (np.abs(written) > ROUNDING).any(axis=0)))
    tau = robot.inverse_dynamics(*state, formulation="simplified")
    off = relative(Psi @ form.p, tau)
    return {
        "structure": Finding(
            shape, single(apart, one_sided), "Derived from the bodies, against g cos q, q_ddot and J^T (x_ddot - G)."
        ),
        "columns": _columns(robot, Psi.reshape(-1, columns)),
        "equal": Finding(same_within(off), single(off), "Against virtual work on the lumped bodies, on the same legs."),
    }


def _arm() -> dict[str, Finding]:
    """Compare the arm's equations with each other: angular velocity, rotation and the column of gravity."""
    angles = np.linspace(-1.5, 1.5, 31)
    turned = np.array([lumping.rate_of(lumping.eq_41, q) for q in angles])
    rates = np.tile([0.0, 1.0, 0.0], (len(angles), 1))
    lowered = np.array([lumping.gravity_column(lambda q: lumping.eq_41(q).T, q) for q in angles])
    off, slipped = relative(lowered, -np.cos(angles)), relative(turned, rates)
    return {
        "sign": Finding(
            f"-g cos q_i: {same_within(off)}",
            single(off),
            "A frame with the angular velocity [0, q_dot, 0] turns its x downwards, and gravity helps: -m r g cos q. "
            "The library's Delta counts q upwards, and has +g cos q.",
        ),
        "rotation": Finding(
            f"[0, {np.mean(turned[:, 1]):+.0f}, 0] times q_dot",
            single(slipped),
            "Eq. (41) is transposed: it turns x upwards with positive q, against eqs. (38), (39) and (43), which agree "
            "with each other.",
        ),
    }


def _six() -> Finding:
    differences = lumping.six_dof_differences()
    largest = max(differences.values())
    return Finding(
        f"{len(differences)} robots: " + (f"equal to {EXACT:g}" if largest < EXACT else f"{largest:.1e} apart"),
        single(largest),
        f"Psi p against virtual work on {', '.join(differences)}, legs and their inertia included. How easily it is "
        "applied is not measured.",
    )


def _columns(robot: Robot, stacked: np.ndarray) -> Finding:
    """Compare the columns of the exact Delta without friction with those of the lumped one."""
    inertial = np.array([not parameter.quantity.is_friction for parameter in robot.parameter_table])
    state = workspace_states(robot, lumping.STATES, *lumping.TYPICAL)
    zero = np.abs(robot.regressor(*state)).max(axis=(0, 1)) < ROUNDING
    representatives = robot.base_parameters().representatives
    base = [parameter for parameter in representatives if not parameter.quantity.is_friction]
    rank = int(np.linalg.matrix_rank(stacked / np.linalg.norm(stacked, axis=0)))
    zeros, dependent = int((inertial & zero).sum()), int((inertial & ~zero).sum()) - len(base)
    return Finding(
        f"exact: {inertial.sum()} columns, {zeros} zero, {len(base)} independent; lumped: rank {rank}",
        single(rank, zeros, dependent),
        "The exact Delta keeps an inertia for each forearm, and m r_y of each arm, which lumping and arms with their "
        "centre of mass on their line leave out.",
    )


def _tilde() -> Finding:
    """Compare the matrix that eq. (31) prints with what it stands for."""
    rng = np.random.default_rng(0)
    omega, inertia = rng.normal(size=(50, 3)), rng.normal(size=(50, 3, 3))
    inertia = inertia + np.swapaxes(inertia, 1, 2)
    I_p = inertia[:, [0, 0, 0, 1, 2, 2], [0, 1, 2, 1, 1, 2]]
    product = np.einsum("nij,nj->ni", inertia, omega)
    printed = np.einsum("nij,nj->ni", lumping.omega_tilde(omega), I_p)
    rows = [str(k + 1) for k in range(3) if relative(printed[:, k], product[:, k]) > ROUNDING]
    return Finding(
        f"row {', '.join(rows)} differs from I omega" if rows else "equal to I omega",
        single(relative(printed, product)),
        "Row 2 should read 0, omega_x, 0, omega_y, omega_z, 0. A misprint, or a slip in the extracted text; nothing "
        "else in the paper depends on it.",
    )


def _workspace(losses: dict[str, Losses]) -> Finding:
    def numbers(each: Losses) -> Measured:
        values = np.concatenate([each[REST].rms, each[MOVING].rms])
        return Measured(float(values.max()))

    def text(each: Losses) -> str:
        rms, largest = (np.array([getattr(each[way], what) for way in (REST, MOVING)]) for what in ("rms", "largest"))
        return f"rms {rms.min():.1f} to {rms.max():.1f} %, single torques up to {largest.max():.0f} %"

    return Finding(
        {name: text(each) for name, each in losses.items()},
        {name: (numbers(each),) for name, each in losses.items()},
        f"Of the rms torque, the worst of 32 speeds and accelerations, 0.3 to 300 m/s^2. {_by_forearms(losses)}",
    )


def _cycle(losses: dict[str, Losses]) -> Finding:
    assumed, fast = _assumed(losses)[CYCLE], lumping.CYCLES.index(lumping.FAST)

    def text(cycle: lumping.Losses) -> str:
        return f"rms {cycle.rms.min():.1f} to {cycle.rms.max():.1f} %, single torques up to {cycle.largest.max():.0f} %"

    return Finding(
        {name: text(each[CYCLE]) for name, each in losses.items()},
        {name: (Measured(float(each[CYCLE].rms.max())),) for name, each in losses.items()},
        f"Judged by the worst time between {lumping.CYCLES[0]:g} and {lumping.CYCLES[-1]:g} s. With forearms as in the "
        f"library {assumed.rms[fast]:.1f} % in {lumping.FAST} s, {assumed.acceleration[fast]:.0f} m/s^2.",
    )


def _by_forearms(losses: dict[str, Losses]) -> str:
    each = sorted((factor, _worst(losses[name])) for name, factor in lumping.FOREARMS.items())
    return "By the mass of the forearms: " + ", ".join(f"{loss:.1f} % at {factor:g}" for factor, loss in each) + "."


def _robots(losses: dict[str, float]) -> Finding:
    small = [name for name, loss in losses.items() if loss <= LITTLE]
    beyond = ", ".join(f"{name} {loss:.1f} %" for name, loss in losses.items() if name not in small)
    low, high = proportion_interval(len(small), len(losses))
    share = Measured(100 * len(small) / len(losses), 100 * low, 100 * high, f"{len(losses)} robots")
    return Finding(
        f"rms of at most {LITTLE:g} % on {len(small)} of {len(losses)} robots",
        single(share),
        f"Not on {beyond or 'none'}. The interval (95 %) takes the library for a random sample; the robots of the "
        "thesis are not named.",
    )


def _thirds(robot: Robot, form: lumping.LumpedDelta) -> Finding:
    thirds, fitted = lumping.fitted_loss(robot, form)
    remark = "At 1 m/s and 10 m/s^2: identified parameters take up some of what thirds leave out."
    return Finding(f"rms {thirds:.1f} % with thirds, {fitted:.1f} % fitted", remark=remark)


def _lumped_adaptations(robot: Robot, form: lumping.LumpedDelta) -> tuple[NominalLoop, list[adapting.Adaptation]]:
    state = adapting.excitation_states(robot)
    Psi, tau = form.Psi(state), robot.inverse_dynamics(*state)
    return adapting.lumped_adaptations(robot, form.p, Psi, lumping.fitted(Psi, tau))


def _adapted(adaptations: list[adapting.Adaptation]) -> Finding:
    first, over = adaptations[0], f"{len(adaptations)} seeds"
    path, parameters = np.array([each.left for each in adaptations]).T
    return Finding(
        f"path from {first.held[-1]:.2f} to {first.error[-1]:.2g} mm rms; {path.min():.1f} to {path.max():.1f} % of it "
        f"left, and {parameters.min():.1f} to {parameters.max():.1f} % of the worst parameter's error",
        single(*(spread(float(np.median(left)), left, over) for left in (path, parameters))),
        "In the last undisturbed period, against the same signs of the errors kept; the stop that follows is left out.",
    )


def _figure(adaptations: list[adapting.Adaptation], title: str) -> Figure:
    first = adaptations[0]
    paths = [(each.error, each.held) for each in adaptations]
    return adaptation_figure(first.names, first.t, first.wrong, paths, title)


def _share(robot: Robot) -> Finding:
    jacobian, whole = lumping.jacobian_share(robot)
    remark = "Of Psi from pose, q_ddot and x_ddot; J with its legs and its inverse. The paper's J is another program's."
    return Finding(f"{jacobian} of {whole} operations", single(100 * jacobian / whole), remark)


def _jacobian_time(robot: Robot) -> Finding:
    """Time the Jacobian of one state at a time, as a control loop asks for it."""
    bound = robot.kernel("jacobian").bind()
    bound.inputs["pose"][...] = robot.home
    call, best = bound.run, np.inf
    for _ in range(5):
        begun = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, (time.perf_counter() - begun) / CALLS)
    jacobian, _ = lumping.jacobian_share(robot)
    remark = f"Needs a T800: today's processors cannot fail. {jacobian} operations, called from Python."
    return Finding(f"{1e6 * best:.2f} us a call", remark=remark, timed=True)
