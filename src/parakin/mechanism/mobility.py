"""Whether the joints of a robot of legs let its platform move as the file claims: exactly so, and nothing else.

The robot is written out as a graph (`graph_of`). At home and at poses of its box, the twists of the platform that all
joints together allow must be those of `motion`, and there must be none left while the motors are locked. What a twist
may be is said in base axes at E.
"""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description import RobotDescription, expanded_legs
from parakin.errors import DescriptionError
from parakin.mechanism import numeric
from parakin.mechanism.assembling import (
    LONGEST_STEP,
    OPEN_LOOP,
    assemble,
    closing_rows,
    null_space,
    scaled_rows,
    scales,
)
from parakin.mechanism.expansion import graph_of, idle_spins
from parakin.mechanism.mobility_result import Mobility
from parakin.mechanism.plan import driven
from parakin.mechanism.platform_parts import is_pin
from parakin.mechanism.skeleton import Skeleton, skeleton
from parakin.mechanism.twists import claimed_twists, joined, legs_in_words, motion_that_fits, outside, twist_words
from parakin.motions.offsets import displaced, frame_at

POSES = 5
"""Poses of the box, besides home, at which the platform's freedoms are looked at."""
NEARBY = 0.02
"""Share of the box in which poses are looked for if it has none that can be reached: a box may be too large."""
WAYPOINTS = 5
"""Steps in which the platform is taken from home to such a pose."""
MOST_STEPS = 25
"""Steps of Newton at most for each of these."""
CLOSED = 1e-13
"""Largest row, in sizes of the robot or radians, with which no further step is made."""
STRONG = 1e-3
"""Singular values of rows, beside the largest, that a step divides by; rounded dimensions make smaller ones."""
COUNTS = 1e-8
"""Smallest singular value of rows or twists, free of units, that counts where the loops close exactly."""
CLOSURE_FACTOR = 100.0
"""Where they do not, what counts is so many times the largest row that stays open: axes that a file rounds are parallel
but for that, and what they hold or free by it is no more than the play of a joint."""


@frozen_arrays
class Look:
    """What was seen at one pose; twists are columns, lengths in sizes of the robot."""

    rank: int
    """How many conditions that close the loops are independent."""
    allowed: Array
    """An orthonormal basis of the platform's twists (6, freedoms); (3, freedoms) of a pin."""
    loose: Array
    """An orthonormal basis of those that are left while all motors are locked."""
    idle: Array
    """A basis (velocities, freedoms) of what moves neither motors nor platform."""


def mobility_of(description: RobotDescription) -> Mobility:
    """Find out what the joints of a robot of legs let its platform do, at home and at poses of its box.

    >>> mobility = pk.mechanism.mobility_of(pk.load("delta").description)
    >>> mobility.good, mobility.freedoms, mobility.redundant
    (True, 3, 0)
    """
    legs = expanded_legs(description)
    pin = is_pin(description, legs)
    try:
        tree = skeleton(graph_of(description))
    except DescriptionError as error:
        reasons = tuple(f"the joints do not fit each other at home: {key}: {reason}" for key, reason in error.problems)
        return Mobility(description.motion, 0, 0, (), idle_spins(description), (), pin, reasons)
    home, open_by, open_joint = _at_home(tree, description, pin)
    if open_joint is not None:
        remedy = "axis and leg_axis of attachment.joint must be across each other there"
        problem = f"the joints do not fit each other at home: {open_joint} stays open; {remedy}"
        return Mobility(description.motion, 0, 0, (), idle_spins(description), (), pin, (problem,))
    found = _elsewhere(tree, home, description, pin) or _elsewhere(tree, home, description, pin, NEARBY)
    others = [configuration for configuration, _ in found]
    counts = max(COUNTS, CLOSURE_FACTOR * max((open_by, *(error for _, error in found))))
    looks = [_look(tree, configuration, pin, counts) for configuration in (home, *others)]
    claimed = claimed_twists(description.motion_type)[: 3 if pin else 6]
    full = max(look.rank for look in looks)
    regular = [look for look in looks if look.rank == full]
    _, J = scaled_rows(tree, others[-1] if others else home)
    problems, warnings = _problems(description, looks, claimed, counts, stuck=not others)
    redundant = null_space(J.T, counts) if len(J) else np.zeros((0, 0))
    names = [cut.joint.name for cut in tree.cuts for _ in range(cut.joint.row_count)]
    involved = np.any(np.abs(redundant) > counts, axis=1) if redundant.size else np.zeros(len(names), bool)
    return Mobility(
        description.motion,
        min(look.allowed.shape[1] for look in regular),
        len(J) - full,
        tuple(dict.fromkeys(name for name, there in zip(names, involved, strict=True) if there)),
        idle_spins(description),
        _moved_by(tree, looks[-1].idle, counts),
        pin,
        tuple(problems),
        tuple(warnings),
    )


def platform_twists(tree: Skeleton, configuration: Array) -> Array:
    """Return an orthonormal basis (6, freedoms) of the output's twists, at its origin, lengths in sizes."""
    return _look(tree, configuration, False, COUNTS).allowed


# Where the robot stands ----------------------------------------------------------------------------------------------


def _at_home(tree: Skeleton, description: RobotDescription, pin: bool) -> tuple[Array, float, str | None]:
    """Return the robot's configuration at home, its largest row, and a joint that does not fit, if there is one."""
    goal = frame_at(description.motion_type, np.array(description.workspace.home))
    configuration, error = _taken(tree, numeric.start(tree), goal, pin)
    if error <= OPEN_LOOP:
        return configuration, error, None
    values, _ = closing_rows(tree, configuration)
    names = [cut.joint.name for cut in tree.cuts for _ in range(cut.joint.row_count)]
    return configuration, error, names[int(np.argmax(np.abs(values)))]


def _elsewhere(
    tree: Skeleton, home: Array, description: RobotDescription, pin: bool, of_box: float = 1.0
) -> list[tuple[Array, float]]:
    """Return configurations at those poses of the box, of a few drawn, to which joints let it go, with largest rows."""
    motion, space = description.motion_type, description.workspace
    shape = (POSES, motion.degrees_of_freedom)
    offsets = of_box * np.random.default_rng(0).uniform(space.lower, space.upper, shape)
    found: list[tuple[Array, float]] = []
    for offset in offsets:
        here, error = home, 0.0
        for share in np.linspace(0.0, 1.0, WAYPOINTS + 1)[1:]:
            pose = displaced(motion, np.array(space.home), share * offset)
            here, error = _taken(tree, here, frame_at(motion, pose), pin)
        if error <= OPEN_LOOP:
            found.append((here, error))
    return found


def _taken(tree: Skeleton, configuration: Array, goal: tuple[Array, Array], pin: bool) -> tuple[Array, float]:
    """Return the configuration with the output at a goal, loops closed, and the largest row that is left."""
    _, of_columns = scales(tree)
    error = np.inf
    for _ in range(MOST_STEPS):
        values, J = closing_rows(tree, configuration)
        missing, T = _to_goal(tree, configuration, goal)
        kept = slice(3) if pin else slice(6)
        off = np.concatenate([values, -missing[kept]])
        error = float(np.max(np.abs(off)))
        if error <= CLOSED:
            break
        step = -np.linalg.lstsq(np.vstack([J, T[kept]]), off, rcond=STRONG)[0]
        size = float(np.linalg.norm(step))
        if size <= STRONG * error:  # what stays open is the file's rounding, or far away
            break
        step *= min(1.0, LONGEST_STEP / size) if size > 0.0 else 1.0
        configuration = numeric.stepped(tree, configuration, step * of_columns)
    return configuration, error


def _to_goal(tree: Skeleton, configuration: Array, goal: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the small twist from the output to a goal, and the twists of the output for scaled velocities (6, n)."""
    at = numeric.posture(tree, configuration)
    p, R = at.frame(tree.output)
    turn = goal[1] @ R.T
    small = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    twist = at.twist(tree.output)
    _, of_columns = scales(tree)
    T = np.vstack([(twist[:3] + np.cross(twist[3:].T, p).T) / tree.size, twist[3:]]) * of_columns
    return np.concatenate([(goal[0] - p) / tree.size, small]), T


def _look(tree: Skeleton, configuration: Array, pin: bool, counts: float) -> Look:
    """Return what the joints allow at a configuration; counts: the smallest singular value that does."""
    _, J = scaled_rows(tree, configuration)
    _, twists = _to_goal(tree, configuration, (np.zeros(3), np.eye(3)))
    T = twists[: 3 if pin else 6]
    free = null_space(J, counts)
    locked = np.vstack([J, np.eye(tree.velocities)[list(driven(tree))]])
    held = null_space(locked, counts)
    idle = null_space(np.vstack([locked, T]), counts)
    return Look(tree.velocities - free.shape[1], _range(T @ free, counts), _range(T @ held, counts), idle)


def _range(A: Array, counts: float) -> Array:
    """Return an orthonormal basis of the columns of a matrix."""
    if not A.shape[1]:
        return A
    U, sizes, _ = np.linalg.svd(A, full_matrices=False)
    return U[:, sizes > counts]


def _moved_by(tree: Skeleton, idle: Array, counts: float) -> tuple[str, ...]:
    """Return the names of the velocities that take part in idle freedoms."""
    if not idle.shape[1]:
        return ()
    return tuple(name for name, row in zip(tree.velocity_names, idle, strict=True) if np.any(np.abs(row) > counts))


# What is wrong -------------------------------------------------------------------------------------------------------


def _problems(
    description: RobotDescription, looks: list[Look], claimed: Array, counts: float, *, stuck: bool
) -> tuple[list[str], list[str]]:
    """Return in words where the platform's twists, at home first, are not the claimed ones; and what home alone has."""
    although = f"although motion = '{description.motion}'"
    at_home, rest = looks[0], looks[1:]
    worst = max(looks, key=lambda look: outside(claimed, look.allowed, counts).shape[1])
    locked, found, warned = outside(claimed, worst.allowed, counts), list[str](), list[str]()
    if locked.shape[1]:
        holding = joined(_legs_that_hold(description, locked)) or "the legs together"
        remedy = f"free a joint there or change its axes{motion_that_fits(worst.allowed)}"
        found.append(f"the platform cannot {twist_words(locked)} {although}: held by {holding}; {remedy}")
    elif stuck:
        found.append(
            f"the platform cannot leave home {although}: its joints fit each other there, but at no pose of the box "
            "that was tried; correct their axes, or make the box smaller if it is out of reach"
        )
    widest = max(looks, key=lambda look: outside(look.allowed, claimed, counts).shape[1])
    extra = outside(widest.allowed, claimed, counts)
    if rest and at_home.rank < max(look.rank for look in rest) and widest is at_home:
        warned.append(
            f"home is a constraint singularity: there the platform can also {twist_words(extra)} {although}; choose "
            "another home, or other axes"
        )
    elif extra.shape[1]:
        holds = "let a joint hold it: attachment.joint of type universal or revolute, or parallelograms"
        legs = f"no leg holds it, {legs_in_words(description)}"
        found.append(
            f"the platform can {twist_words(extra)} {although}: {legs}; {holds}{motion_that_fits(widest.allowed)}"
        )
    loose = max((look.loose for look in rest or looks), key=lambda basis: basis.shape[1])
    if loose.shape[1] and not found:
        found.append(
            f"with all motors locked the platform can still {twist_words(loose)}: drive another joint, or keep home "
            "and box away from this singularity"
        )
    elif at_home.loose.shape[1] and not found and not warned:
        warned.append(
            f"home is singular: there, with all motors locked, the platform can {twist_words(at_home.loose)}; choose "
            "another home"
        )
    return found, warned


def _legs_that_hold(description: RobotDescription, twists: Array) -> tuple[str, ...]:
    """Return the legs that, at home and alone, do not allow some of these twists."""
    holding: list[str] = []
    for leg in expanded_legs(description):
        alone = description.model_copy(update={"legs": (leg,), "symmetries": {}})
        tree = skeleton(graph_of(alone))
        allowed = platform_twists(tree, assemble(tree).configuration)[: len(twists)]
        if outside(twists, _range(allowed, COUNTS)).shape[1]:
            holding.append(leg.name)
    return tuple(holding)
