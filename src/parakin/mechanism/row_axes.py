"""Along which axes the position rows of cut joints are written.

Any three axes say the same where all three rows are imposed, but they do not cost the same. Along the axes of the link
that ends at the cut, the joint that carries this link has constant columns: of a rod between two balls, turns about its
line move nothing, and the other two turns move one row each by the rod's length. The row along the line is then the
row that keeps the distance of the two balls. Along the axes of the base, the travels of a floating link are constant.
Axes that turn with a link keep a pivot large when motors turn a whole chain by a right angle.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parakin.arrays import Array
from parakin.linalg.pivots import Pivots
from parakin.mechanism.numeric import cross
from parakin.mechanism.skeleton import BASE_LINK, Cut, Place, Skeleton, snapped, snapped_rotation


def with_row_axes(tree: Skeleton, pivots: Pivots) -> Skeleton:
    """Return the tree with position rows along the axes that cost least, where all three are imposed."""
    cuts: list[Cut] = []
    row = 0
    for cut in tree.cuts:
        mine = range(row, row + len(cut.joint.position_rows))
        whole = len(mine) == 3 and set(mine) <= set(pivots.rows)
        cuts.append(replace(cut, axes=_axes(tree, cut) if whole else None))
        row += cut.joint.row_count
    return replace(tree, cuts=tuple(cuts))


def _axes(tree: Skeleton, cut: Cut) -> Place:
    """Return the axes of the rod that ends here; else of the base, where a floating link does; else of a link."""
    ends = [end for end in (cut.parent, cut.child) if end.link != BASE_LINK]
    rods = [end for end in ends if tree.links[end.link].joint.type == "spherical"]
    if rods:
        return Place(rods[0].link, rods[0].p, _along(rods[0].p, tree.size))
    if not ends or any(tree.links[end.link].floats for end in ends):
        return Place(BASE_LINK, np.zeros(3), np.eye(3))
    end = max(ends, key=lambda end: len(tree.links[end.link].joint.kind.freedoms))
    return Place(end.link, end.p, np.eye(3))


def _along(r: Array, size: float) -> Array:
    """Return axes of which one is along r: those of the link where one of these is, else with x along r."""
    length = float(np.linalg.norm(r))
    if np.count_nonzero(snapped(r, size)) <= 1:
        return np.eye(3)
    x = r / length
    across = np.eye(3)[int(np.argmin(np.abs(x)))]
    y = cross(x, across)
    y /= np.linalg.norm(y)
    return snapped_rotation(np.column_stack([x, y, cross(x, y)]))
