"""The kinds of joints as data: what each lets its child do, and which rows hold it where it is cut.

A joint has a frame P on its parent and a frame C on its child. Its motion takes P to C by a few moves, one after the
other, each in the frame that the moves before it have reached:

    T_PC = move_1(q_1) move_2(q_2) ...        a turn about, or a slide along, x, y or z; a ball; a screw about z

Where the joint is cut, the same is said by rows that vanish. With d the place of C in P and D = R_PC they are

    position row i:  d_i = 0          orientation row (i, j):  D_ij = 0, axis i of P is across axis j of C
    distance row:  (|d|^2 - length^2)/(2 length) = 0

A new kind of joint is a row in KINDS.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parakin.units import ANGLE, LENGTH, CoordinateUnits

X, Y, Z = range(3)


class Move(StrEnum):
    """What one elementary move of a joint does."""

    TURN = "turn"
    """Turn about an axis by an angle [rad]."""
    SLIDE = "slide"
    """Slide along an axis by a length [m]."""
    BALL = "ball"
    """Turn by a unit quaternion (w, x, y, z); its velocity is the angular velocity in the frame that it reaches."""
    SCREW = "screw"
    """Turn about z by an angle and slide along z by pitch/(2 pi) times that angle."""


@dataclass(frozen=True)
class Freedom:
    """One velocity of a joint."""

    name: str
    """How files and messages call it."""
    units: CoordinateUnits
    """Units of its coordinate and of everything that belongs to it."""
    move: Move
    """The move that it belongs to."""
    axis: int
    """Its axis: of the frame that the moves before have reached; of a ball, of the frame that the ball reaches."""


@dataclass(frozen=True)
class JointKind:
    """What a kind of joint lets its child do."""

    freedoms: tuple[Freedom, ...]
    """Its velocities, in order."""
    position_rows: tuple[int, ...]
    """Axes of P along which C may not leave the origin of P."""
    orientation_rows: tuple[tuple[int, int], ...]
    """Pairs (axis of P, axis of C) that stay at right angles."""
    distance_row: bool = False
    """Whether the origins of P and C keep their distance."""

    @property
    def home(self) -> tuple[float, ...]:
        """Coordinates at which C is P; a ball has four."""
        return tuple(v for move, _ in self.moves for v in ((1.0, 0.0, 0.0, 0.0) if move is Move.BALL else (0.0,)))

    @property
    def moves(self) -> tuple[tuple[Move, int], ...]:
        """The moves with their axes, in order; the three freedoms of a ball are one move."""
        return tuple((one.move, one.axis) for one in self.freedoms if one.move is not Move.BALL or one.axis == X)


def _turn(name: str, axis: int = Z) -> Freedom:
    return Freedom(name, ANGLE, Move.TURN, axis)


def _slide(name: str, axis: int = Z) -> Freedom:
    return Freedom(name, LENGTH, Move.SLIDE, axis)


_BALL = tuple(Freedom(name, ANGLE, Move.BALL, axis) for axis, name in enumerate(("wx", "wy", "wz")))
_ALONG_Z = ((X, Z), (Y, Z))
_NO_TURN = ((X, Y), (X, Z), (Y, Z))

KINDS: dict[str, JointKind] = {
    "revolute": JointKind((_turn("angle"),), (X, Y, Z), _ALONG_Z),
    "prismatic": JointKind((_slide("travel"),), (X, Y), _NO_TURN),
    "screw": JointKind((Freedom("angle", ANGLE, Move.SCREW, Z),), (X, Y, Z), _ALONG_Z),
    "cylindrical": JointKind((_turn("angle"), _slide("travel")), (X, Y), _ALONG_Z),
    "universal": JointKind((_turn("first", X), _turn("second", Y)), (X, Y, Z), ((X, Y),)),
    "planar": JointKind((_slide("x", X), _slide("y", Y), _turn("angle")), (Z,), _ALONG_Z),
    "spherical": JointKind(_BALL, (X, Y, Z), ()),
    "free": JointKind((_slide("x", X), _slide("y", Y), _slide("z", Z), *_BALL), (), ()),
    "weld": JointKind((), (X, Y, Z), _NO_TURN),
    "distance": JointKind((), (), (), distance_row=True),
}
"""Every kind of joint by its name in files. A cut screw would not know its turns: plans keep screws in the tree."""

NEVER_CUT = ("screw", "free")
"""Kinds that rows cannot say all of: the turns of a screw. A plan that would have to cut one is refused."""
ALWAYS_CUT = ("distance",)
"""Kinds that have rows and no motion of their own: the rod they stand for is no body."""
