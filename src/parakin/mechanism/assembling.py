"""Assemble a mechanism: close its loops from the rough values of a file, and tell how well, or why they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import DescriptionError
from parakin.mechanism import numeric
from parakin.mechanism.model import BASE, Joint, MechanismDescription
from parakin.mechanism.skeleton import BASE_LINK, Cut, Skeleton, skeleton

MOST_STEPS = 100
"""Steps of Gauss and Newton at most."""
LONGEST_STEP = 0.3
"""Size of the longest step [rad, and lengths in sizes of the mechanism]; longer ones are cut."""
SMALLEST_STEP = 1e-14
"""Size of a step below which the loops are as closed as they can be."""
OPEN_LOOP = 1e-4
"""Largest row, in sizes of the mechanism or radians, with which loops count as closed but for the file's rounding."""
WEAKEST = (1e-3, 1e-6, 1e-9)
"""Singular values of the rows, beside the largest, that a step does not divide by: coarse first, then finer."""
MOST_DESCENTS = 300
"""Steps of Levenberg and Marquardt at most, where those of Gauss and Newton do not close the loops."""
FIRST_DAMPING = 1e-2
"""Damping of the first of these, beside squares of rows that are free of units."""
LEAST_DAMPING, MOST_DAMPING = 1e-9, 1e8
"""Damping at least, and that at which no step makes the rows less."""
LESS_DAMPING, MORE_DAMPING = 5.0, 4.0
"""What damping is divided by after a step that makes the rows less, and multiplied by after one that does not."""
PATIENCE = 8
"""Steps in which loops may fail to close further before one of many trials is given up."""
FALLS = 0.95
"""A step that leaves less than this part of the rows' least norm so far closes loops further."""
FAR_OPEN = 0.1
"""Largest row after a coarse assembly above which one of many trials is given up, without finer ones."""
SUSPECT_WORK = 1500
"""Joints that are tried times links of the mechanism, at most: a trial takes some 2 ms for each link."""
SUSPECTS_SHOWN = 3
"""How many joints that may be at fault are named."""
SHORT_WAY = 0.05
"""How far a finer assembly may lead from the coarse one [rad, and lengths in sizes]; rounded rows lead far away."""


@frozen_arrays
class Assembly:
    """A configuration with closed loops."""

    configuration: Array
    """Coordinates of the tree's joints."""
    closure: dict[str, float]
    """How far each loop is from closing, by the joint that is cut [m; rad times the size for turns]."""
    error: float
    """The largest of these, in sizes of the mechanism."""


def scales(tree: Skeleton) -> tuple[Array, Array]:
    """Return what makes rows and columns of the loops' Jacobian free of units: lengths count in sizes."""
    rows: list[float] = []
    for cut in tree.cuts:
        lengths = len(cut.joint.position_rows) + cut.joint.kind.distance_row
        rows += [1.0 / tree.size] * lengths + [1.0] * len(cut.joint.kind.orientation_rows)
    columns = [
        tree.size if freedom.units.position == "m" else 1.0
        for link in tree.links
        for freedom in link.joint.kind.freedoms
    ]
    for coupling in tree.description.couplings:
        first = columns[tree.velocity_names.index(coupling.terms[0].coordinate)]
        rows.append(1.0 / (first * abs(coupling.terms[0].factor or 1.0)))
    return np.array(rows), np.array(columns)


def scaled_rows(tree: Skeleton, configuration: Array) -> tuple[Array, Array]:
    """Return the rows that close the loops and their Jacobian, both free of units."""
    return _scaled(tree, numeric.loop_rows(tree, configuration))


def closing_rows(tree: Skeleton, configuration: Array) -> tuple[Array, Array]:
    """Return the same with rotation vectors in place of sines: zero only where every joint is the right way round."""
    return _scaled(tree, numeric.loop_rows(tree, configuration, numeric.closing_cut_rows))


def _scaled(tree: Skeleton, rows: tuple[Array, Array]) -> tuple[Array, Array]:
    (values, J), (of_rows, of_columns) = rows, scales(tree)
    return of_rows * values, of_rows[:, None] * J * of_columns


def null_space(J: Array, tolerance: float) -> Array:
    """Return an orthonormal basis (columns, freedoms) of what the rows leave free."""
    if not len(J):
        return np.eye(J.shape[1])
    _, sizes, V = np.linalg.svd(J)
    return V[int(np.sum(sizes > tolerance)) :].T


Rows = Callable[[Skeleton, Array], tuple[Array, Array]]
"""What gives rows and their Jacobian, free of units, at a configuration."""


def closed(
    tree: Skeleton, configuration: Array, weakest: float, patience: int = MOST_STEPS, rows: Rows = closing_rows
) -> tuple[Array, float]:
    """Return the nearest configuration with closed loops, and the largest row that is left there.

    Steps are the shortest ones of least squares, so that redundant rows and singular poses do no harm. weakest: the
    singular value, beside the largest, below which a combination of rows is left as it is. patience: how many steps
    in a row may fail to close the loops further.
    """
    _, of_columns = scales(tree)
    least, failed = np.inf, 0
    for _ in range(MOST_STEPS):
        values, J = rows(tree, configuration)
        if not len(values):
            break
        left = float(np.linalg.norm(values))
        failed = 0 if left < FALLS * least else failed + 1
        least = min(least, left)
        if failed >= patience:
            break
        step = -np.linalg.lstsq(J, values, rcond=weakest)[0]
        size = float(np.linalg.norm(step))
        step *= min(1.0, LONGEST_STEP / size) if size > 0 else 1.0
        configuration = numeric.stepped(tree, configuration, step * of_columns)
        if size <= SMALLEST_STEP:
            break
    values, _ = rows(tree, configuration)
    return configuration, float(np.max(np.abs(values), initial=0.0))


def assemble(tree: Skeleton, start: Array | None = None) -> Assembly:
    """Close all loops from the file's rough values; loops that stay open are an error that tells where to look.

    start: a configuration in place of the file's values.
    """
    if not tree.links:
        raise DescriptionError(tree.description.name, (("joints", "none lets a body move: is it the right file?"),))
    start = numeric.start(tree) if start is None else start
    configuration, error = _closed_finely(tree, start)
    if error > OPEN_LOOP:
        configuration, error = _closed_finely(tree, _descended(tree, start))
    closure = _closures(tree, configuration)
    if error > OPEN_LOOP:
        backwards = _closed_backwards(tree, start)
        reason = _backwards_words(backwards) if backwards else _open_loops(tree, closure)
        raise DescriptionError(tree.description.name, (("joints", reason),))
    return Assembly(configuration, closure, error)


def _closed_finely(tree: Skeleton, start: Array, patience: int = MOST_STEPS) -> tuple[Array, float]:
    """Return the configuration in which all loops close best, coarsely first, and the largest row there.

    patience: fewer steps than MOST_STEPS make it one of many trials, which ends where loops are far open.
    """
    configuration, error = closed(tree, start, WEAKEST[0], patience)
    for weakest in WEAKEST[1:] if patience == MOST_STEPS or error < FAR_OPEN else ():
        finer, left = closed(tree, configuration, weakest, patience)
        if left < 0.1 * error and float(np.max(np.abs(finer - configuration), initial=0.0)) < SHORT_WAY:
            configuration, error = finer, left
    return configuration, error


def _descended(tree: Skeleton, configuration: Array) -> Array:
    """Return where the rows' sum of squares is least, by steps of Levenberg and Marquardt, each of which makes it less.

    It is slower than `closed` and finds its way from starts that are far from closing.
    """
    _, of_columns = scales(tree)
    damping = FIRST_DAMPING
    rows = closing_rows(tree, configuration)
    for _ in range(MOST_DESCENTS):
        values, J = rows
        if damping > MOST_DAMPING or float(np.max(np.abs(values), initial=0.0)) < OPEN_LOOP:
            break
        step = -np.linalg.solve(J.T @ J + damping * np.eye(J.shape[1]), J.T @ values)
        step *= min(1.0, LONGEST_STEP / max(float(np.linalg.norm(step)), SMALLEST_STEP))
        there = numeric.stepped(tree, configuration, step * of_columns)
        rows_there = closing_rows(tree, there)
        if rows_there[0] @ rows_there[0] < values @ values:
            configuration, rows = there, rows_there
            damping = max(damping / LESS_DAMPING, LEAST_DAMPING)
        else:
            damping *= MORE_DAMPING
    return configuration


def _closed_backwards(tree: Skeleton, start: Array) -> list[str]:
    """Return the cut joints that close only where they are put in backwards; none where loops stay open even so."""
    configuration, error = closed(tree, start, WEAKEST[0], rows=scaled_rows)
    if error > OPEN_LOOP:
        return []
    return [name for name, gap in _closures(tree, configuration).items() if gap > tree.size]


def _backwards_words(joints: list[str]) -> str:
    names = ", ".join(f"'{name}'" for name in joints)
    return (
        f"loops close only with joint {names} put in backwards, the axes of its two frames along one line but pointing "
        "against each other: turn one of these frames by half a turn about x, or give better home values"
    )


def _closures(tree: Skeleton, configuration: Array) -> dict[str, float]:
    """Return how far each loop is from closing, by the joint that is cut [m; rad times the size for turns]."""
    values, _ = closing_rows(tree, configuration)
    names = [cut.joint.name for cut in tree.cuts for _ in range(cut.joint.row_count)]
    names += [f"coupling {k + 1}" for k in range(len(tree.description.couplings))]
    closure: dict[str, float] = {}
    for name, value in zip(names, values, strict=True):
        closure[name] = max(closure.get(name, 0.0), abs(float(value)) * tree.size)
    return closure


def _open_loops(tree: Skeleton, closure: dict[str, float]) -> str:
    """Return in words which loops stay open by how much, and which joints, taken out, would let all others close."""
    left_open = {name: gap for name, gap in closure.items() if gap > OPEN_LOOP * tree.size}
    gaps = [f"that of joint '{name}' by {gap * 1e3:.4g} mm" for name, gap in left_open.items()]
    text = f"loops stay open: {', '.join(gaps)}"
    concerned = _joints_of_loops(tree, set(left_open))
    tried = concerned[: max(SUSPECTS_SHOWN, SUSPECT_WORK // len(tree.links))]
    found = sorted(_suspects(tree.description, tried).items(), key=lambda entry: entry[1])
    if not found:
        whole = len(tried) == len(concerned)
        which = "no single joint" if whole else f"none of the {len(tried)} joints, of {len(concerned)}, that were tried"
        return f"{text}; {which} is at fault: check frames and home values, or start from home values nearby"
    told = [f"'{name}', its two frames then {gap * 1e3:.4g} mm apart" for name, gap in found[:SUSPECTS_SHOWN]]
    more = ", or another of its loop" if len(found) > SUSPECTS_SHOWN else ""
    reason = f"{text}; all others close without joint {', or '.join(told)}{more}"
    return f"{reason}: check the frames there, or give better home values"


def _joints_of_loops(tree: Skeleton, left_open: set[str]) -> list[Joint]:
    """Return the joints on the loops that stay open, those on most of them first: others cannot be at fault alone.

    A loop is a cut joint with the ways of its two sides to the link that carries both. A weld is on it where the link
    is that the weld is part of. Loops of couplings have all joints.
    """
    loops = [_links_of_loop(tree, cut) for cut in tree.cuts if cut.joint.name in left_open]
    of_body = {body.name: place.link for body, place in zip(tree.description.bodies, tree.bodies, strict=True)}
    of_joint = {link.joint.name: k for k, link in enumerate(tree.links)}
    if len(loops) < len(left_open):
        return list(tree.description.joints)
    counts: dict[str, int] = {}
    for joint in tree.description.joints:
        if joint.type == "weld":
            link = of_body.get(joint.child, BASE_LINK)
            counts[joint.name] = sum(link in links or link in carriers for links, carriers in loops)
        elif joint.name in of_joint:
            counts[joint.name] = sum(of_joint[joint.name] in links for links, _ in loops)
        else:
            counts[joint.name] = int(joint.name in left_open)
    return sorted(
        (joint for joint in tree.description.joints if counts[joint.name]), key=lambda joint: -counts[joint.name]
    )


def _links_of_loop(tree: Skeleton, cut: Cut) -> tuple[set[int], set[int]]:
    """Return the links whose joints a loop passes, and the link that carries both of its ways."""
    ways: list[list[int]] = []
    for end in (cut.parent, cut.child):
        way = [end.link]
        while way[-1] != BASE_LINK:
            way.append(tree.links[way[-1]].inner.link)
        ways.append(way)
    shared = set(ways[0]) & set(ways[1])
    return set(ways[0]) ^ set(ways[1]), {next(link for link in ways[0] if link in shared)}


def _suspects(description: MechanismDescription, tried: Sequence[Joint]) -> dict[str, float]:
    """Return the joints without any one of which all loops close, with the size of its own gap then [m].

    A gap counts displacements and turns, these times the mechanism's size. Joints whose freedoms are coupled or
    independent, and those that alone hold a body, cannot be taken out.
    """
    suspects: dict[str, float] = {}
    for joint in tried:
        others = tuple(other for other in description.joints if other is not joint)
        try:
            tree = skeleton(description.model_copy(update={"joints": others, "independent": None, "couplings": ()}))
        except DescriptionError:
            continue
        configuration, error = _closed_finely(tree, numeric.start(tree), PATIENCE)
        if error <= OPEN_LOOP:
            suspects[joint.name] = _gap(tree, configuration, joint)
    return suspects


def _gap(tree: Skeleton, configuration: Array, joint: Joint) -> float:
    """Return how far a joint that was taken out is open, beyond what its freedoms allow [m]."""
    at = numeric.posture(tree, configuration)
    names = [body.name for body in tree.description.bodies]
    frames = [
        (np.zeros(3), np.eye(3)) if body == BASE else at.frame(tree.bodies[names.index(body)])
        for body in (joint.parent, joint.child)
    ]
    (p_P, R_P), (p_C, R_C) = (
        (p + R @ np.array(frame.position), R @ frame.rotation)
        for (p, R), frame in zip(frames, (joint.parent_frame, joint.frame_on_child), strict=True)
    )
    d, D = R_P.T @ (p_C - p_P), R_P.T @ R_C
    rows = [d[i] for i in joint.position_rows] + [tree.size * D[i, j] for i, j in joint.kind.orientation_rows]
    if joint.length is not None:
        rows.append(np.linalg.norm(d) - joint.length)
    return float(np.max(np.abs(rows), initial=0.0))
