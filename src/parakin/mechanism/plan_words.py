"""A plan in words: what `print(mechanism.plan)` and `parakin check` say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array
from parakin.mechanism import numeric
from parakin.mechanism.assembling import Assembly, null_space, scaled_rows, scales
from parakin.mechanism.dyads import formula_words, given_by
from parakin.mechanism.skeleton import BASE_LINK, FLOATS, Cut, Skeleton
from parakin.mechanism.twists import SAME, twist_words

if TYPE_CHECKING:
    from parakin.mechanism.plan import Plan

EXACT = 1e-10
"""A loop that is open by less [m] is called exactly closed: the computer's rounding."""


def lines(plan: Plan) -> Iterator[str]:
    """Yield the lines of a plan, what concerns most readers first."""
    tree = plan.skeleton
    yield f"pose: {_count(len(plan.independent), 'coordinate')}, {_listed(plan.independent_names)}"
    yield f"motors: {len(plan.actuators)}, {_listed(plan.actuator_names)}" if plan.actuators else "motors: none"
    yield from _bodies(tree)
    yield from _loops(plan)
    yield from _following(plan)
    yield from _rods(plan)
    yield from _constraints(plan)
    if plan.idle:
        moves = "moves" if plan.idle == 1 else "move"
        yield f"idle: {_count(plan.idle, 'freedom')} {moves} neither a motor nor the output"
    if plan.loose:
        moves = "moves" if plan.loose == 1 else "move"
        yield f"not held: {_count(plan.loose, 'freedom')} {moves} the output although every motor is locked"
    if plan.singular_home:
        yield _branching(plan)


def _following(plan: Plan) -> Iterator[str]:
    """Which coordinates follow by which formulas and which by Newton's method, in their order."""
    tree, order = plan.skeleton, plan.closing
    for formulas, searched in ((order.before, order.columns), (order.after, ())):
        if formulas:
            names = tuple(tree.velocity_names[k] for formula in formulas for k in sorted(given_by(tree, formula)))
            words = _listed(tuple(formula_words(tree, formula) for formula in formulas))
            yield f"follow by loop closure, by formulas: {_listed(names)} ({words})"
        if searched:
            names = tuple(tree.velocity_names[k] for k in sorted(searched))
            yield f"follow by loop closure, by Newton steps: {_listed(names)}"


def _rods(plan: Plan) -> Iterator[str]:
    """How rods between two balls, or a universal joint and a ball, were taken, and how round they are."""
    joints = plan.skeleton.file.joints
    for rod in plan.rods:
        balls = sum(joint.type == "spherical" and rod.body in (joint.parent, joint.child) for joint in joints)
        ends, body = ("two balls", "a body that may spin") if balls == 2 else ("a universal joint and a ball", "a body")
        taken = f"{body}, for {rod.kept}" if rod.kept else "a distance with mass, without coordinates"
        yield f"rod {rod.body} between {ends}: round to {rod.unround:.1e}, {taken}"
    for joint in plan.skeleton.file.joints:
        if joint.rod is not None:
            yield f"rod {joint.name} between two balls: taken as round, a distance with mass"


def _bodies(tree: Skeleton) -> Iterator[str]:
    """How bodies became the links of a tree, and which constants between them cost nothing."""
    welded: dict[int, list[str]] = {}
    for body, place in zip(tree.description.bodies, tree.bodies, strict=True):
        welded.setdefault(place.link, []).append(body.name)
    base = welded.pop(BASE_LINK, [])
    links = f"{_count(len(tree.file.bodies), 'body', 'bodies')} make {_count(len(tree.links), 'moving link')}"
    links += f" and {_count(len(tree.rods), 'distance')}" if tree.rods else ""
    yield f"tree: {links}, from the base outwards {_listed(_chain(tree))}"
    for names in welded.values():
        if len(names) > 1:
            yield f"welded into one link: {_listed(tuple(names))}"
    if base:
        yield f"welded to the base: {_listed(tuple(base))}"
    floating = [link.joint.child for link in tree.links if link.joint.name.endswith(FLOATS)]
    if floating:
        yield f"float freely, all their balls cut: {_listed(tuple(floating))}"
    numbers = np.concatenate([np.concatenate([link.inner.p, link.inner.R.ravel()]) for link in tree.links])
    plain = int(np.isin(numbers, (0.0, 1.0, -1.0)).sum())
    yield f"constants between joints: {plain} of {len(numbers)} are 0 or 1 and cost nothing"


def _chain(tree: Skeleton) -> tuple[str, ...]:
    """The joints of the tree in its order, each by its name and type."""
    return tuple(f"{link.joint.name} ({link.joint.type})" for link in tree.links)


def _loops(plan: Plan) -> Iterator[str]:
    """Which joints are cut, and how well each loop closes at home."""
    cuts, assembly = plan.skeleton.cuts, plan.assembly
    if not cuts:
        yield "loops: none"
    for cut in cuts:
        way = f"{cut.joint.type} between {cut.joint.parent} and {cut.joint.child}"
        yield f"loop cut at {cut.joint.name} ({way}): {_closure(assembly, cut.joint.name)}"
    for name in assembly.closure:
        if name.startswith("coupling "):
            yield f"{name}: {_closure(assembly, name)}"


def _closure(assembly: Assembly, name: str) -> str:
    opened = assembly.closure[name]
    return "closes exactly at home" if opened < EXACT else f"stays open by {opened * 1e6:.3g} um at home"


def _constraints(plan: Plan) -> Iterator[str]:
    """Rows of all joints, those that others repeat, and those that were left out because numbers are rounded."""
    if not plan.redundant:
        yield f"constraints: {plan.rows} of all joints, none of them redundant"
    else:
        are = "is redundant: others hold that" if plan.redundant == 1 else "are redundant: others hold these"
        yield f"constraints: {plan.rows} of all joints, of which {plan.redundant} {are} already"
    for row, opening in plan.openings.items():
        way = f"{row}; it opens by up to {opening * 1e6:.3g} um over the workspace"
        yield f"left out, for others hold it up to rounding: {way}"


def row_words(cut: Cut, row: int) -> str:
    """Return in words what a row of a cut joint holds, by its number among the joint's rows, in the file's axes."""
    joint = cut.joint
    if row < len(joint.position_rows):
        return f"joint {joint.name} along {'xyz'[joint.position_rows[row]]} of its frame on {joint.parent}"
    turn = row - len(joint.position_rows)
    if turn < len(joint.kind.orientation_rows):
        i, j = joint.kind.orientation_rows[turn]
        held = f"{'xyz'[i]} of its frame on {joint.parent} across {'xyz'[j]} of that on {joint.child}"
        return f"joint {joint.name}, {held} (as a displacement at the mechanism's size)"
    return f"joint {joint.name} along its rod"


def _branching(plan: Plan) -> str:
    """What a singular home means: how many freedoms it has beyond those elsewhere, and what the output can do there."""
    tree, home = plan.skeleton, plan.assembly.configuration
    _, J = scaled_rows(tree, home)
    free = null_space(J, plan.tolerance)
    more = int(free.shape[1]) - len(plan.independent)
    # Motions with which no independent velocity goes along, so that the pose does not account for them.
    _, sizes, V = np.linalg.svd(free[list(plan.independent)])
    extra = _output_twists(tree, home, free @ V[int(np.sum(sizes > plan.tolerance)) :].T)
    text = f"home is a singular configuration, where motions of different kinds cross: it has {_count(more, 'freedom')}"
    text += f" more than poses around it ({len(plan.independent)})"
    if extra.shape[1]:
        text += f"; there the output can {twist_words(extra)} while the pose stands still"
    return f"{text}; choose another home, away from the crossing"


def _output_twists(tree: Skeleton, configuration: Array, free: Array) -> Array:
    """Return an orthonormal basis (6, n) of the output's twists at its origin, lengths in sizes of the mechanism."""
    _, of_columns = scales(tree)
    at = numeric.posture(tree, configuration)
    p, _ = at.frame(tree.output)
    twist = at.twist(tree.output)
    moving = np.vstack([(twist[:3] + np.cross(twist[3:].T, p).T) / tree.size, twist[3:]]) * of_columns
    U, sizes, _ = np.linalg.svd(moving @ free, full_matrices=False)
    return U[:, sizes > SAME]


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
