"""Tests the residual of an estimate for forces that the model leaves out, and names them.

An omission gives one more column e of forces, and its coefficient c follows by least squares together with p:

    tau = Psi p + e c,      std(c) from the scores of groups of rows, s = sum over the rows of a group of [Psi, e]^T w r

Rows of a group may depend on each other in any way: without a period a group is a stretch of time, longer than noise
is correlated; with one it is a stretch of the period in all periods, so that errors which repeat with the motion do not
count as many times as there are periods. What the model's own columns can stand for is no evidence, as p takes it up.
An omission is reported where its coefficient is beyond chance and where it moves parameters beyond their intervals.

That nothing is reported does not mean that nothing is there: a cable acts much like the weight of an arm, and a
parameter that is hardly told from it is wrong by many deviations before the cable shows. So what nearly every machine
may have, and what is doubtful, is estimated together with p. With the columns E, less what Psi can stand for of them,

    p_allowed = p - P c,      C_allowed = C + P Cov(c) P^T,      P = (Psi^T w Psi)^-1 Psi^T w E
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.blas import one_blas_thread
from parakin.identification.fit.assessment import IDENTIFIED_DEVIATION, IMPOSSIBLE_BEYOND, Assessment
from parakin.identification.fit.averages import finite_rows
from parakin.identification.fit.estimate import Estimate
from parakin.identification.fit.linear import LinearModel
from parakin.identification.states import States

GROUPS = 24
"""Groups of rows: of a log of some seconds each is longer than one cycle of the low-pass."""
BEYOND_CHANCE = 4.0
"""Standard deviations from which a coefficient is beyond chance: 24 groups know their deviation to 15 %."""
COMMON_BEYOND_CHANCE = 3.0
"""The same of what nearly every machine has, so that less evidence is enough."""
NOTICED_SHIFT = 0.5
"""Standard deviations by which an omission must move a parameter to be reported."""
DOUBTFUL = 2.0
"""Standard deviations from which parameters are estimated beside a coefficient, though it may be chance."""
SLOWER_BEYOND = 1.3
"""Ratio of the variance of scores of stretches of time to that which the estimate has allowed for, beyond chance."""
LEAST_SUPPORT = 4.0
"""Groups, in effect, in which a column must be seen."""
COLLINEAR = 1e-6
"""Part of a column's square length that must be left beside the model's columns, and beside other such columns: the
torque constants of all drives together are the scale of all parameters."""
ALIKE = 0.8
"""Part of what the best column explains from which another one explains as much: of these the first row is named."""
CLOCK_SPREAD = 0.02
"""Standard deviation of the length of a recorder's second, or half of that of gravity: moments of inertia go with its
square, so that a log which does not tell would leave none of them identified, were it any larger."""
ZERO_SPREAD = 0.03
"""Standard deviation of the zero of an encoder on a drive that turns [rad]: arms are often set by eye. With coarse
encoders an offset leaves no evidence, and moves parameters all the same. Rails have a switch or a stop."""
MOSTLY = 0.4
"""Part of the residual's square sum that an omission must explain to be named before lines in the spectrum."""
SINGULAR = 1e-12
"""Eigenvalue of the sums with columns at unit length below which the data do not determine a direction."""
STEP = 1e-3
"""Step of derivatives by an encoder's offset, as a part of the drive's travel, and by the length of a second."""
TESTED_STATES = 10_000
"""States that are tested at most, in pieces from all over the log."""
PIECE = 1000
"""States in such a piece."""


class _Drives(NamedTuple):
    """What the drives do in some states, each (N, actuators), and the size of their motion in the log (actuators,).

    elapsed: time from -1 at the beginning of the log to 1 at its end (N, 1).
    """

    q: Array
    q_dot: Array
    q_ddot: Array
    predicted: Array
    middle: Array
    half_travel: Array
    usual_rate: Array
    elapsed: Array

    @property
    def deflection(self) -> Array:
        """Positions between -1 and 1."""
        return (self.q - self.middle) / self.half_travel

    @property
    def relative_rate(self) -> Array:
        """Rates relative to the root mean square."""
        return self.q_dot / self.usual_rate


@dataclass(frozen=True)
class _OfDrives:
    """A force in every drive that models of rigid bodies with Coulomb and viscous friction do not have."""

    force: Callable[[_Drives], Array]
    """The force with coefficient 1 (N, actuators)."""
    words: str
    """What it is; {value} is its largest force in the log, {size} that without its sign, {percent} its coefficient."""
    name: str
    """What it is, to be put before the name of the drive."""
    usual: bool = False
    """Whether so many machines have it that parameters are always estimated beside it."""
    common: bool = False
    """Whether nearly every machine has it, with a positive coefficient."""

    @property
    def by_peak(self) -> bool:
        """Whether the words take the largest force, not the coefficient."""
        return "{percent}" not in self.words

    def reported(self, drive: str, unit: str, value: float) -> str:
        """Return the words for a drive, and its largest force or its coefficient."""
        larger = "larger (Stribeck)" if value > 0.0 else "smaller"
        amounts = {
            "value": f"{value:.3g} {unit}",
            "size": f"{abs(value):.3g} {unit}",
            "percent": f"{100 * value:.3g} %",
        }
        return self.words.format(drive=drive, larger=larger, **amounts)


def _falling(part: float) -> Callable[[_Drives], Array]:
    """Friction that has fallen to 1/e at this part of the usual rate."""
    return lambda d: np.sign(d.q_dot) * np.exp(-((d.relative_rate / part) ** 2))


_LOW_SPEED = "friction of {drive} is up to {size} {larger} at low speed: it is not Coulomb plus viscous friction"
_STRIBECK = "friction that falls with the speed of"
OF_DRIVES = (
    _OfDrives(
        lambda d: np.ones_like(d.q),
        "the forces of {drive} have a constant of {value} that the robot has not: an offset of the measurement, a "
        "counterweight, or Coulomb friction that differs by direction",
        "a constant force on",
        usual=True,
    ),
    _OfDrives(
        lambda d: d.deflection,
        "a force on {drive} grows by {value} from the middle of its travel to the end: a cable, a hose or a spring",
        "a cable on",
        usual=True,
    ),
    _OfDrives(
        lambda d: d.deflection**2,
        "a force on {drive} grows by {value} from the middle of its travel to both ends: a cable, a hose or a spring",
        "a cable on",
    ),
    _OfDrives(_falling(0.03), _LOW_SPEED, _STRIBECK, usual=True, common=True),
    _OfDrives(_falling(0.1), _LOW_SPEED, _STRIBECK, usual=True, common=True),
    _OfDrives(_falling(0.3), _LOW_SPEED, _STRIBECK, usual=True, common=True),
    _OfDrives(
        lambda d: d.relative_rate * np.abs(d.relative_rate),
        "friction of {drive} has a part of up to {value} that grows with the square of its rate: air, or oil",
        "friction that grows with the square of the rate of",
    ),
    _OfDrives(
        lambda d: d.predicted,
        "the forces of {drive} are {percent} larger than the robot's beside those of the others: its torque constant",
        "the torque constant of",
    ),
    _OfDrives(
        lambda d: d.elapsed * np.ones_like(d.q),
        "the forces of {drive} drift by {value} from the middle of the log to its end: the zero of the measurement",
        "a drift of the forces of",
    ),
    _OfDrives(
        lambda d: d.elapsed * np.sign(d.q_dot),
        "Coulomb friction of {drive} changes by {value} from the middle of the log to its end: let the drive warm up",
        "a drift of the friction of",
    ),
    _OfDrives(
        lambda d: np.sign(d.q_dot) * np.abs(d.predicted),
        "friction of {drive} grows with its load, by {percent} of that: a gear",
        "friction that grows with the load of",
    ),
)
"""Forces of single drives, the simplest first; a new one is a row."""


@dataclass(frozen=True)
class Omission:
    """Something that acts on the machine or its log, and that the model does not have."""

    words: str
    """What it is, with its size."""
    deviations: float
    """Size of its coefficient, in standard deviations."""
    shift: float
    """How far it moves the parameter that it moves most, in standard deviations of that."""
    gain: float
    """Part of the residual's square sum that it explains."""

    def __str__(self) -> str:
        return f"{self.words} ({self.deviations:.2g} standard deviations; it moves parameters by {self.shift:.2g})"


@dataclass(frozen=True)
class Sampling:
    """How the states of an estimate are to be read."""

    average: float
    """Time over which rows were averaged [s]."""
    period: float | None
    """Period of the motion [s]; None if it has none."""
    counted: float = 1.0
    """Part of the states whose errors average out, as the estimate took it."""
    measured_poses: bool = False
    """Whether poses do not come from the encoders, so that their offsets do not show."""


@dataclass(frozen=True, eq=False)
class Examination:
    """What a residual says of forces that the model leaves out."""

    omissions: tuple[Omission, ...]
    """Those that are there, first what explains about the most."""
    allowed: Estimate
    """The estimate beside those that may be there."""

    @property
    def explained(self) -> bool:
        """Whether the first omission explains so much of the residual that it is the cause of lines in it."""
        return bool(self.omissions) and self.omissions[0].gain > MOSTLY


def examine(estimated: Estimate, data: Iterable[States], sampling: Sampling) -> Examination:
    """Test an estimate's residual for what the model leaves out, and estimate p beside what cannot be ruled out.

    data: the states that were estimated from.
    """
    model = estimated.model
    p = np.where(np.isfinite(estimated.values), estimated.values, model.values)
    states = list(_pieces(data, estimated.states))
    size = _size(model, states)
    begin, end = float(states[0].t[0]), float(states[-1].t[-1])
    length = sampling.period or (end - begin) * (1 + np.finfo(float).eps) or 1.0
    rows, groups, tests = list[Array](), list[NDArray[np.int64]](), list[_Tested]()
    with one_blas_thread():
        for piece in states:
            columns, tests = _columns(model, piece, p, (size, (begin, end)), sampling.measured_poses)
            a = model.rows(piece)
            window = max(1, round(sampling.average / float(np.median(np.diff(piece.t))))) if len(piece) > 1 else 1
            whole = np.concatenate([a[..., :-1], columns, a[..., -1:]], axis=-1)
            count = len(whole) // window * window
            means = whole[:count].reshape(-1, window, *whole.shape[1:]).mean(axis=1)
            weight = np.ones(count) if piece.weight is None else piece.weight[:count]
            means *= np.sqrt(weight.reshape(-1, window).min(axis=1))[:, None, None]
            good = finite_rows(means)
            rows.append(means[good])
            phase = (piece.t[:count:window][good] - begin) / length
            time = (piece.t[:count:window][good] - begin) / ((end - begin) * (1 + np.finfo(float).eps) or 1.0)
            groups.append((GROUPS * np.stack([phase % 1.0, time])).astype(np.int64))
        return _examined(estimated, np.concatenate(rows), np.concatenate(groups, axis=1), tests, sampling.counted)


class _Tested(NamedTuple):
    """How an omission is reported, given its coefficient or its largest force; its name; which of both it is given;
    whether it is usual, and common; standard deviation of the coefficients that machines and logs have."""

    words: Callable[[float], str]
    name: str
    by_peak: bool = False
    usual: bool = False
    common: bool = False
    spread: float = np.inf


def _pieces(data: Iterable[States], total: int) -> Iterator[States]:
    """Pieces from all over the states, TESTED_STATES in all at most."""
    every, number = -(-total // TESTED_STATES), 0
    for states in data:
        for first in range(0, len(states), PIECE):
            if number % every == 0:
                yield states.chosen(slice(first, first + PIECE))
            number += 1


def _motion(model: LinearModel, states: States) -> tuple[Array, Array, Array]:
    """Positions, rates and accelerations of the drives, each (N, actuators)."""
    robot, near = model.robot, states.configuration
    q = robot.inverse_kinematics(states.pose, near=near)
    q_dot = robot.actuator_velocity(states.pose, states.velocity, near=near)
    return q, q_dot, robot.actuator_acceleration(states.pose, states.velocity, states.acceleration, near=near)


def _size(model: LinearModel, pieces: Sequence[States]) -> tuple[Array, Array, Array]:
    """Middle and half of the drives' travel, and the root mean square of their rates (actuators,)."""
    motion = [_motion(model, piece) for piece in pieces]
    q, q_dot = (np.concatenate([part[k] for part in motion]) for k in (0, 1))
    highest, lowest = np.nanmax(q, axis=0), np.nanmin(q, axis=0)
    rate = np.sqrt(np.nanmean(q_dot**2, axis=0))
    return (highest + lowest) / 2, _not_zero((highest - lowest) / 2), _not_zero(rate)


def _not_zero(values: Array) -> Array:
    return np.where(values > 0.0, values, 1.0)


def _columns(
    model: LinearModel,
    states: States,
    p: Array,
    of: tuple[tuple[Array, Array, Array], tuple[float, float]],
    measured_poses: bool,
) -> tuple[Array, list[_Tested]]:
    """Forces (N, actuators, omissions) of every omission with coefficient 1, and how each is reported.

    of: the size of the motion, see `_size`, and the times at which the log begins and ends [s].
    """
    size, (begin, end) = of
    elapsed = np.interp(states.t, (begin, end), (-1.0, 1.0))[:, None]
    robot = model.robot
    q, q_dot, q_ddot = _motion(model, states)
    drives = _Drives(q, q_dot, q_ddot, states.tau - model.residuals(states, p), *size, elapsed)
    forces, words = list[Array](), list[_Tested]()
    for omission in OF_DRIVES:
        force = omission.force(drives)
        for k, (name, unit) in enumerate(zip(robot.actuator_names, robot.actuator_units, strict=True)):
            forces.append(force * (np.arange(len(robot.actuator_names)) == k))
            said = partial(omission.reported, name, unit)
            words.append(_Tested(said, f"{omission.name} {name}", omission.by_peak, omission.usual, omission.common))
    if not measured_poses:
        for k, name in enumerate(robot.actuator_names):
            step = STEP * drives.half_travel * (np.arange(len(robot.actuator_names)) == k)
            ahead, behind = (_predicted(model, states, p, (q + side * step, q_dot, q_ddot)) for side in (1, -1))
            forces.append((ahead - behind) / (2 * step[k]))
            turns = robot.actuator_units[k] != "N"
            said = partial(_offset, name, "rad" if turns else "m")
            spread = ZERO_SPREAD if turns else np.inf
            words.append(_Tested(said, f"an offset of the encoder of {name}", usual=turns, spread=spread))
    slow, fast = (
        replace(states, velocity=scale * states.velocity, acceleration=scale**2 * states.acceleration)
        for scale in (1 - STEP, 1 + STEP)
    )
    forces.append((model.residuals(slow, p) - model.residuals(fast, p)) / (2 * STEP))
    words.append(_Tested(_clock, "an error of the log's clock", usual=True, spread=CLOCK_SPREAD))
    return np.stack(forces, axis=-1), words


def _predicted(model: LinearModel, states: States, p: Array, motion: tuple[Array, Array, Array]) -> Array:
    """Forces (N, actuators) that the model predicts for another motion of the drives near the states."""
    robot, (q, q_dot, q_ddot) = model.robot, motion
    near = states.pose if states.configuration is None else states.configuration
    configuration, pose, _ = robot.poses_with(q, near)
    velocity = robot.platform_velocity(pose, q_dot, near=configuration)
    acceleration = robot.platform_acceleration(pose, velocity, q_ddot, near=configuration)
    known = None if states.configuration is None else configuration
    moved = replace(states, pose=pose, velocity=velocity, acceleration=acceleration, configuration=known)
    return states.tau - model.residuals(moved, p)


def _offset(drive: str, unit: str, value: float) -> str:
    return f"positions of {drive} fit the forces better with {value:+.3g} {unit}: its encoder's zero is off"


def _clock(value: float) -> str:
    wrong = "the log's clock, or gravity as the file has it, is off"
    return f"rates fit the forces better {100 * value:+.3g} % larger: {wrong}"


def _examined(
    estimated: Estimate, rows: Array, groups: NDArray[np.int64], tests: Sequence[_Tested], counted: float
) -> Examination:
    """Test every omission beside the model's columns.

    rows: [Psi, omissions, tau] (N, actuators, columns); groups: of each row, by phase of the motion and by time (2, N).
    """
    k = len(estimated.values)
    peaks = np.max(np.abs(rows[..., k:-1]), axis=(0, 1))
    rows = rows * np.sqrt(estimated.solution.weights)[:, None]
    size = _not_zero(np.sqrt(np.sum(rows**2, axis=(0, 1))))
    flat = rows / size
    by_phase, by_time = (_sums(flat, each) for each in groups)
    S = by_phase.sum(axis=0)
    inverse: Array = np.asarray(np.linalg.pinv(S[:k, :k], rcond=SINGULAR, hermitian=True), np.float64)
    projected = inverse @ S[:k]  # of every column, and of the forces, on the model's
    left = S[-1, -1] - S[:k, -1] @ projected[:, -1]
    freedom = max(rows.shape[0] * rows.shape[1] - k - 1, 1)
    identified = np.array([one.kind == "identified" for one in estimated.assessments])
    found, beside = list[Omission](), list[int]()
    for j, (test, peak) in enumerate(zip(tests, peaks.tolist(), strict=True), k):
        e = np.zeros(len(S))
        e[j], e[:k] = 1.0, -projected[:, j]  # the part of the column that the model's cannot stand for
        squares = np.einsum("i,gij,j->g", e, by_phase, e)
        total = float(squares.sum())
        if total < COLLINEAR or total**2 < LEAST_SUPPORT * float(squares @ squares):
            continue
        c = float(e @ S[:, -1]) / total
        r = np.append(np.zeros(len(S) - 1), 1.0)
        r[:k] -= projected[:, -1]
        by_groups = 0.0
        for G in (by_phase, by_time):
            scores = np.einsum("i,gij,j->g", e, G, r - c * e)
            by_groups = max(by_groups, float(np.sqrt(scores @ scores * GROUPS / (GROUPS - 1))))
        by_rows = float(np.sqrt(max(left - c**2 * total, 0.0) / freedom * total))
        deviations = abs(c) * total * np.sqrt(counted) / max(by_groups, by_rows, np.finfo(float).tiny)
        if test.usual or deviations > DOUBTFUL:
            beside.append(j)
        with np.errstate(invalid="ignore"):
            moved = np.abs(c * projected[:, j] / size[:k] * size[-1] / estimated.std)
        shift = float(np.nanmax(moved[identified], initial=0.0))
        beyond = deviations > (COMMON_BEYOND_CHANCE if test.common and c > 0.0 else BEYOND_CHANCE)
        if beyond and shift > NOTICED_SHIFT:
            value = c * size[-1] / size[j] * (peak if test.by_peak else 1.0)
            found.append(Omission(test.words(value), deviations, shift, c**2 * total / left))
    most = max((one.gain for one in found), default=0.0)
    sorted_found = tuple(sorted(found, key=lambda one: one.gain < ALIKE * most))
    sums = _Projected((by_phase, by_time), S, inverse, projected, size, freedom, len(rows), counted)
    allowed = _beside(estimated, sums, beside, [tests[j - k] for j in beside]) if beside else estimated
    return Examination(sorted_found, allowed)


class _Projected(NamedTuple):
    """Sums of [Psi, omissions, tau] with columns divided by `size`."""

    groups: tuple[Array, Array]
    """Of each stretch of the period, and of each stretch of time (groups, columns, columns)."""
    S: Array
    """Of all rows (columns, columns)."""
    inverse: Array
    """Inverse of the sums of the model's own columns."""
    projected: Array
    """What the model's columns can stand for of every column."""
    size: Array
    freedom: int
    """Degrees of freedom of a residual."""
    rows: int
    """Averaged rows of each actuator."""
    counted: float
    """Part of them whose errors average out."""


def _beside(estimated: Estimate, sums: _Projected, beside: Sequence[int], tests: Sequence[_Tested]) -> Estimate:
    """The estimate beside some of the columns; what is known of their coefficients counts as one more measurement."""
    S, projected, size = sums.S, sums.projected, sums.size
    k = len(estimated.values)
    E = np.zeros((len(S), len(beside)))  # what the model's columns cannot stand for
    E[:k], E[beside, range(len(beside))] = -projected[:, beside], 1.0
    r = np.append(np.zeros(len(S) - 1), 1.0)
    r[:k] -= projected[:, -1]
    spreads = np.array([one.spread for one in tests]) * size[beside] / size[-1]
    T = E.T @ S @ E + np.diag(float(r @ S @ r) / sums.freedom / spreads**2)
    scale = 1 / np.sqrt(np.diagonal(T))
    scale = np.outer(scale, scale)
    inner: Array = scale * np.asarray(np.linalg.pinv(T * scale, rcond=COLLINEAR, hermitian=True), np.float64)
    c = inner @ (E.T @ S @ r)
    left = r - E @ c
    variance = max(float(left @ S @ left), 0.0) / sums.freedom
    P = projected[:, beside] / size[:k, None] * size[-1]
    colour = _colour(estimated, sums, variance)
    slower = max(_slow(sums, groups, left, variance) for groups in sums.groups) / (colour * sums.counted)
    slower = slower if slower > SLOWER_BEYOND else 1.0
    spread = P @ _root(slower * colour * variance * inner)
    allowed = replace(
        estimated, values=estimated.values - P @ c, covariance=slower * estimated.covariance + spread @ spread.T
    )
    relative, said = allowed.relative_std, list(estimated.assessments)
    for j, one in enumerate(said):
        beyond = allowed.values[j] < -IMPOSSIBLE_BEYOND * allowed.std[j]
        doubtful = {"identified": not relative[j] <= IDENTIFIED_DEVIATION, "impossible": not beyond}
        if doubtful.get(one.kind, False):
            other = tests[int(np.argmax(np.abs(spread[j])))].name
            said[j] = Assessment(
                "weak", f"known to {100 * relative[j]:.2g} %: hardly told from {other}, if there is one"
            )
    return replace(allowed, assessments=tuple(said))


def _sums(flat: Array, groups: NDArray[np.int64]) -> Array:
    """Sums of products of columns by group (groups, columns, columns)."""
    parts = (flat[groups == g] for g in range(GROUPS))
    return np.stack([np.tensordot(part, part, ((0, 1), (0, 1))) for part in parts])


def _slow(sums: _Projected, groups: Array, left: Array, variance: float) -> float:
    """Variance of parameters as scores s of groups of rows have it, relative to that for white noise.

    Of white noise the sum of s^T S^-1 s is (k - sum of tr((S^-1 G)^2)) variance on average, G the sums of a group.
    Rounding of encoders repeats with the motion, so that it does not average out over periods.
    """
    k = len(sums.inverse)
    scores = groups[:, :k] @ left
    own = sums.inverse @ groups[:, :k, :k]
    expected = np.linalg.matrix_rank(sums.inverse, hermitian=True) - float(np.einsum("gij,gji->", own, own))
    found = float(np.einsum("gi,ij,gj->", scores, sums.inverse, scores))
    return found / (expected * variance) if expected > 0.0 and variance > 0.0 else 1.0


def _root(matrix: Array) -> Array:
    """A root of a covariance (coefficients, coefficients)."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), np.float64) @ vectors.T


def _colour(estimated: Estimate, sums: _Projected, variance: float) -> float:
    """Variance of parameters, as the estimate has it for noise that is not white, relative to that for white noise."""
    k, solution = len(estimated.values), estimated.solution
    stated = np.diagonal(solution.covariance) - solution.shifts**2
    white = np.diagonal(sums.inverse) * variance * (sums.size[-1] / sums.size[:k]) ** 2
    white = white * sums.rows / max(estimated.rows, 1)
    known = solution.determined & (white > 0.0)
    return max(float(np.median(stated[known] / white[known])), 1.0) if known.any() else 1.0
