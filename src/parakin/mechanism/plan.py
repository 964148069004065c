"""The plan of a mechanism: which velocities are independent, which rows close the loops, what the motors can do.

The Jacobian of the rows is eliminated at several configurations with one common order of pivots. Velocities with a
pivot follow from the others; rows without one are redundant. What the plan finds is said in words by `print(plan)`.
"""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_numpy_thread
from parakin.errors import DescriptionError
from parakin.linalg.pivots import Pivots, common_pivots, pivot_sizes
from parakin.mechanism import numeric, plan_words
from parakin.mechanism.assembling import Assembly, assemble, null_space, scaled_rows, scales
from parakin.mechanism.closing_order import ClosingOrder, closing_order, searched
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.openings import box_of, opened_rows
from parakin.mechanism.reducing import reduced
from parakin.mechanism.rods import ALIGNED, RodChoice, ball_rods, rod_choices, side_of
from parakin.mechanism.row_axes import with_row_axes
from parakin.mechanism.sampling import RANK_TOLERANCE, rank_tolerance
from parakin.mechanism.sampling import samples as samples_of
from parakin.mechanism.skeleton import Skeleton, skeleton
from parakin.motions import MotionType, joints

Asked = tuple[str, ...] | None
"""The coordinates that are to be independent, if anybody asked for any."""


@frozen_arrays
class Plan:
    """How a mechanism is computed, and what its joints allow.

    >>> linkage.plan.independent_names, linkage.plan.rank, linkage.plan.redundant
    (('crank.angle',), 17, 3)
    """

    skeleton: Skeleton
    """The tree with its cut joints."""
    assembly: Assembly
    """The assembled home configuration."""
    pivots: Pivots
    """Rows that are imposed and the velocities that they determine."""
    pivot_sizes: Array
    """The median size of each pivot over the samples, in SI units: what a pivot is compared with."""
    smallest_singular_value: float
    """The median, over the samples, of the smallest singular value of the pivots' rows and columns, free of units."""
    independent: tuple[int, ...]
    """The velocities that make up a motion, in the order of a pose."""
    actuators: tuple[int, ...]
    """The velocities that are driven."""
    idle: int
    """Freedoms that move neither a motor nor the output, such as the spin of a rod between two balls."""
    loose: int
    """Freedoms that move the output although all motors are locked."""
    undriven: int
    """Freedoms that move no motor, idle or loose, at all samples: at home the motors may have lost hold of more."""
    tolerance: float
    """What counted as zero, free of units."""
    openings: dict[str, float]
    """By how much redundant rows open over the workspace [m], each row in words; empty where they do not."""
    closing: ClosingOrder
    """Which loops close by which formula, and which by Newton's method."""
    singular_home: bool
    """Whether fewer rows are independent at home than elsewhere: other motions branch off there."""
    rods: tuple[RodChoice, ...]
    """Rods between two spherical joints, one perhaps universal: which are distances with mass, and why others are not.
    """

    @property
    def independent_names(self) -> tuple[str, ...]:
        """The independent velocities by name."""
        return tuple(self.skeleton.velocity_names[k] for k in self.independent)

    @property
    def motion(self) -> MotionType:
        """The type of motion of a pose."""
        units = {
            f"{link.joint.name}.{freedom.name}": freedom.units
            for link in self.skeleton.links
            for freedom in link.joint.kind.freedoms
        }
        return joints(self.independent_names, tuple(units[name] for name in self.independent_names))

    @property
    def loose_turns(self) -> tuple[str, ...]:
        """Numbers of a pose that turn a ball of which other components follow, or a body that floats.

        Their rates depend on the whole configuration, so that no motion can be given in them.
        """
        of_balls = {k for start in self.motion.balls for k in range(start, start + 3)}
        turning = {
            link.velocity + n: link.floats
            for link in self.skeleton.links
            for n, freedom in enumerate(link.joint.kind.freedoms)
            if freedom.move is Move.BALL
        }
        loose = [n for n, k in enumerate(self.independent) if k in turning and (n not in of_balls or turning[k])]
        return tuple(self.independent_names[n] for n in loose)

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """The driven velocities by name."""
        return tuple(self.skeleton.velocity_names[k] for k in self.actuators)

    @property
    def rows(self) -> int:
        """Rows of all joints and couplings of the file, those of the tree included."""
        file = self.skeleton.file
        return sum(joint.row_count for joint in file.joints) + len(file.couplings)

    @property
    def rank(self) -> int:
        """How many of these rows are independent; a rod that is a distance may have a spin that they leave free."""
        tree = self.skeleton
        spinning = sum(rod.turned is None for rod in tree.rods)
        return 6 * len(tree.file.bodies) - spinning - len(self.independent)

    @property
    def redundant(self) -> int:
        """How many rows repeat what others say."""
        return self.rows - self.rank

    def __str__(self) -> str:
        return "\n".join(plan_words.lines(self))


@one_numpy_thread()  # on matrices of this size threads that wait for each other take a thousand times as long
def plan(
    description: MechanismDescription,
    chosen: tuple[str, ...] | None = None,
    *,
    closed_forms: bool = True,
    distances: bool = True,
) -> Plan:
    """Assemble a mechanism, sample it, and find which velocities are independent and what the motors can do.

    chosen: independent coordinates in place of the file's; the tree, and so the configuration, stays the same, but for
    rods whose spin they ask for.
    closed_forms: whether loops are closed by formulas where there are any, or always by Newton's method.
    distances: whether round rods between two balls are distances with mass, or stay bodies that may spin.
    """
    tree = skeleton(description)
    asked = description.independent if chosen is None else chosen
    _refuse_needed_cuts(tree, asked)
    assembly = assemble(tree)
    refused = _aligned(tree, assembly.configuration)
    if not distances:
        refused = {rod.body: "distances were not allowed" for rod in ball_rods(description)}
    rods = rod_choices(description, chosen or (), refused=refused)
    found = _planned(tree, assembly, rods, chosen, closed_forms=closed_forms)
    turned = {rod.body: "the motors do not determine its pose" for rod in found.skeleton.rods if rod.turned}
    if turned and asked is None and not set(found.independent) <= set(found.actuators):
        # With the rods as bodies their angles may be among the coordinates of a pose, which must not depend on this.
        rods = rod_choices(description, chosen or (), refused=refused | turned)
        found = _planned(tree, assembly, rods, chosen, closed_forms=closed_forms)
    return found


def _planned(
    tree: Skeleton, assembly: Assembly, rods: tuple[RodChoice, ...], chosen: Asked, *, closed_forms: bool
) -> Plan:
    """Return the plan of an assembled mechanism with some of its rods as distances."""
    asked = tree.file.independent if chosen is None else chosen
    taken = {rod.body for rod in rods if not rod.kept}
    if taken:
        tree, start = reduced(tree, assembly.configuration, taken)
        assembly = assemble(tree, start)
    tolerance = rank_tolerance(tree, assembly)
    actuators = driven(tree)
    samples, singular_home = samples_of(tree, assembly.configuration, tolerance)
    classes = _classes(tree, actuators, asked)
    jacobians = np.array([scaled_rows(tree, sample)[1] for sample in samples])
    pivots = common_pivots(jacobians, classes, tolerance)
    tree = with_row_axes(tree, pivots)
    jacobians = np.array([scaled_rows(tree, sample)[1] for sample in samples])
    pivots = common_pivots(jacobians, classes, tolerance)
    _refuse_blocked(tree, pivots, asked)
    _refuse_locked(tree, pivots)
    independent = _independent(tree, pivots, actuators, asked)
    idle, loose = _uncontrolled(tree, assembly.configuration if not singular_home else samples[-1], pivots, actuators)
    of_rows, of_columns = scales(tree)
    openings = _openings(tree, [assembly.configuration, *samples], pivots, independent, chosen)
    sizes = pivot_sizes(jacobians, pivots) / (of_columns[list(pivots.columns)] * of_rows[list(pivots.rows)])
    formulas = closed_forms and not openings
    return Plan(
        tree,
        assembly,
        pivots,
        sizes,
        _smallest_singular_value(jacobians, pivots),
        independent,
        actuators,
        idle,
        loose,
        _undriven(tree, samples, pivots, actuators),
        tolerance,
        openings,
        closing_order(tree, assembly, samples, pivots, tolerance) if formulas else searched(pivots, sizes),
        singular_home,
        rods,
    )


def driven(tree: Skeleton) -> tuple[int, ...]:
    """Return the driven velocities in the order of the file's joints."""
    found: list[int] = []
    for joint in tree.description.joints:
        for freedom in joint.kind.freedoms:
            if joint.freedoms.get(freedom.name) and joint.freedoms[freedom.name].drive:
                found.append(tree.velocity_names.index(f"{joint.name}.{freedom.name}"))
    return tuple(found)


def _aligned(tree: Skeleton, configuration: Array) -> dict[str, str]:
    """Return why rods must stay bodies whose line is along axis 1 of their universal joint at home."""
    return {
        rod.body: f"home is the singularity of {rod.ends[rod.turned].joints[0]}"
        for rod in ball_rods(tree.file)
        if rod.turned is not None and not rod.kept and abs(side_of(tree, configuration, rod)) < ALIGNED
    }


def _classes(tree: Skeleton, actuators: tuple[int, ...], asked: Asked) -> list[int]:
    """Passive velocities follow first, driven ones if need be, those that are asked for never."""
    if asked is not None:
        return [2 if name in asked else 0 for name in tree.velocity_names]
    return [1 if k in actuators else 0 for k in range(tree.velocities)]


def _refuse_needed_cuts(tree: Skeleton, asked: Asked) -> None:
    """Refuse loops that could be opened only at joints whose coordinates are needed."""
    coupled = {term.coordinate for coupling in tree.description.couplings for term in coupling.terms}
    for cut in tree.cuts:
        for k, freedom in enumerate(cut.joint.kind.freedoms):
            name = f"{cut.joint.name}.{freedom.name}"
            if cut.joint.freedom(k).drive or name in coupled or name in (asked or ()):
                reason = "every joint of its loop is driven, coupled or independent, so that none can be cut: free one"
                raise DescriptionError(tree.description.name, ((f"joint {cut.joint.name}", reason),))


def _refuse_locked(tree: Skeleton, pivots: Pivots) -> None:
    if not pivots.remaining:
        reason = (
            "leave the mechanism no freedom: make axes parallel or meet where they should, or take joints with more "
            "freedoms"
        )
        raise DescriptionError(tree.description.name, (("joints", reason),))


def _refuse_blocked(tree: Skeleton, pivots: Pivots, asked: Asked) -> None:
    if not pivots.blocked and (asked is None or len(pivots.remaining) == len(asked)):
        return
    asked = asked or ()
    names = [tree.velocity_names[k] for k in pivots.remaining]
    if pivots.blocked and not asked:
        reason = (
            "close their loops by other velocities at some configurations near home than at others, so that none are "
            "independent at all of them: start from another home"
        )
        raise DescriptionError(tree.description.name, (("joints", reason),))
    if pivots.blocked:
        tied = f"cannot all be chosen: the loops tie {', '.join(asked)} to each other"
        reason = f"{tied}; leave {len(pivots.blocked)} of them out"
    else:
        more = [name for name in names if name not in asked]
        reason = f"do not determine the mechanism: add {len(more)}, such as {', '.join(more)}"
    raise DescriptionError(tree.description.name, (("independent", reason),))


def _independent(tree: Skeleton, pivots: Pivots, actuators: tuple[int, ...], asked: Asked) -> tuple[int, ...]:
    """Return the independent velocities: in the order in which they were asked for, or motors first."""
    if asked is not None:
        return tuple(tree.velocity_names.index(name) for name in asked)
    motors = [k for k in actuators if k in pivots.remaining]
    return (*motors, *(k for k in pivots.remaining if k not in motors))


def _smallest_singular_value(jacobians: Array, pivots: Pivots) -> float:
    """Return the median over the samples; 1 without loops."""
    if not pivots.rows:
        return 1.0
    parts = jacobians[:, list(pivots.rows)][:, :, list(pivots.columns)]
    return float(np.median(np.linalg.svd(parts, compute_uv=False)[:, -1]))


def _uncontrolled(tree: Skeleton, configuration: Array, pivots: Pivots, actuators: tuple[int, ...]) -> tuple[int, int]:
    """Return how many freedoms are idle, and how many move the output with the motors locked."""
    _, J = scaled_rows(tree, configuration)
    kept = J[list(pivots.rows)]
    _, of_columns = scales(tree)
    locked = np.eye(tree.velocities)[list(actuators)]
    at = numeric.posture(tree, configuration)
    p, _ = at.frame(tree.output)
    twist = at.twist(tree.output)
    moving = np.vstack([(twist[:3] + np.cross(twist[3:].T, p).T) / tree.size, twist[3:]]) * of_columns
    held = null_space(np.vstack([kept, locked]), RANK_TOLERANCE).shape[1]
    idle = null_space(np.vstack([kept, locked, moving]), RANK_TOLERANCE).shape[1]
    return idle, held - idle


def _undriven(tree: Skeleton, samples: list[Array], pivots: Pivots, actuators: tuple[int, ...]) -> int:
    """Return how many freedoms move no motor, the least over the samples: freedoms less the rank of motors' rates."""
    least, locked = tree.velocities, np.eye(tree.velocities)[list(actuators)]
    for sample in samples:
        kept = scaled_rows(tree, sample)[1][list(pivots.rows)]
        least = min(least, null_space(np.vstack([kept, locked]), RANK_TOLERANCE).shape[1])
        if least == max(0, len(pivots.remaining) - len(actuators)):
            break
    return least


def _openings(
    tree: Skeleton, samples: list[Array], pivots: Pivots, independent: tuple[int, ...], chosen: Asked
) -> dict[str, float]:
    """Return how far rows that were left out open over the workspace, in words; home is the first of the samples."""
    units = [freedom.units.position for link in tree.links for freedom in link.joint.kind.freedoms]
    box = box_of(tree.description, [units[k] for k in independent], tree.size, chosen=chosen is not None)
    opened = opened_rows(tree, samples, pivots, independent, box)
    names = [plan_words.row_words(cut, row) for cut in tree.cuts for row in range(cut.joint.row_count)]
    return {names[row]: size for row, size in opened.items()}
