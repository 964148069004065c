"""A rig in a file: TOML beside a robot file, with cameras and the elements they look at.

robot = "quattro"
source = "assumed"

[[cameras]]
name = "top"
size = [1024, 1024]             # px
focal = [640.0, 640.0]          # px
position = [0.0, 0.0, 0.0]      # m, base frame
target = [0.0, 0.0, -1.0]       # looks there; or `rotation`, the quaternion (w, x, y, z) of R_OK
right = [1.0, 0.0, 0.0]         # what points to the right of its picture

[[elements]]
name = "*.forearm"
radius = 0.008                  # m
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from pydantic import Field, ValidationError, model_validator

from parakin.arrays import Array
from parakin.description import problems_of
from parakin.description.text import NotTomlError, tables_of
from parakin.description.values import Direction, NonNegative, Number, Positive, Source, Table, Vector
from parakin.description.writer import tables_to_toml
from parakin.errors import RigFileError, UnknownNameError, VisionError
from parakin.files import open_regular, replacing
from parakin.poses import matrix_from_quaternion, quaternion_from_matrix
from parakin.robot import Robot
from parakin.vision.rigs.camera import Camera, looking_at
from parakin.vision.rigs.rig import PAIR, RADIUS_DEVIATION, Rig, Rod, chosen_elements, part_names, rods_of

LARGEST_FILE = 2**20
"""Largest size of a rig file [bytes]."""
UNIT_QUATERNION = 1e-6
"""How far a quaternion in a file may be from unit length, as in poses."""

Pixels = Annotated[int, Field(ge=1, le=2**16, strict=True)]
"""A number of pixels."""


class CameraTable(Table):
    """A camera of a rig file."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=64)]
    """What it is called."""
    size: tuple[Pixels, Pixels]
    """Columns and rows [px]."""
    focal: tuple[Positive, Positive]
    """Focal lengths along columns and rows [px]."""
    centre: tuple[Number, Number] | None = None
    """Where the optical axis meets the picture [px], from the middle of the first pixel; the middle by default."""
    distortion: tuple[Number, Number, Number, Number, Number] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """k1, k2, p1, p2, k3 of [Brown1971]."""
    position: Vector
    """Centre of the camera in the base frame [m]."""
    rotation: tuple[Number, Number, Number, Number] | None = None
    """Unit quaternion (w, x, y, z) of R_OK, whose columns are right, down and forwards in base axes."""
    target: Vector | None = None
    """A point that it looks at, in place of `rotation` [m]."""
    right: Direction | None = None
    """What points to the right of its picture, beside `target`."""
    exposure: NonNegative = 0.0
    """How long it collects light [s]."""

    @model_validator(mode="after")
    def _oriented(self) -> Self:
        if (self.rotation is None) == (self.target is None or self.right is None):
            raise ValueError("needs either a rotation, or a target and what points right")
        if self.rotation is not None and abs(np.linalg.norm(self.rotation) - 1) > UNIT_QUATERNION:
            raise ValueError(
                f"rotation must be a unit quaternion, got one of length {np.linalg.norm(self.rotation):.6g}"
            )
        return self

    def camera(self) -> Camera:
        """Return the camera of this table."""
        return Camera(
            self.name,
            self.size,
            self.focal,
            np.array(self.position),
            self._orientation(),
            self.centre,
            self.distortion,
            self.exposure,
        )

    def _orientation(self) -> Array:
        if self.rotation is not None:
            return matrix_from_quaternion(self.rotation)
        assert self.target is not None
        assert self.right is not None
        return looking_at(self.position, self.target, self.right)


class ElementTable(Table):
    """Elements that cameras look at, of a rig file."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    """Name of an element or of a mechanism's bar, or a pattern of names such as *.forearm; what fits none of them names
    rods of pairs, such as first1.forearm.a or *.forearm.b."""
    radius: Positive | None = None
    """Radius of its rod [m]; that of the robot file by default."""
    radius_deviation: NonNegative = RADIUS_DEVIATION
    """Standard deviation with which it is known [m]."""
    start: NonNegative = 0.0
    """Where the visible rod begins, from the element's root [m]."""
    end: NonNegative = 0.0
    """Where it ends, before the element's tip [m]."""
    twin: bool = False
    """Whether a parallelogram shows its two rods."""


class RigTable(Table):
    """A whole rig file."""

    robot: Annotated[str, Field(min_length=1, max_length=200)]
    """Name of the robot that it is made for."""
    source: Source
    """Where the numbers come from."""
    cameras: Annotated[tuple[CameraTable, ...], Field(min_length=1, max_length=64)]
    """The cameras."""
    elements: Annotated[tuple[ElementTable, ...], Field(min_length=1, max_length=1000)]
    """What they look at."""


def read_rig(path: str | Path, robot: Robot) -> Rig:
    """Read the rig of a robot from a TOML file.

    >>> pk.vision.read_rig(pk.vision.write_rig("rig.toml", rig), robot).rod_names == rig.rod_names
    True
    """
    try:
        with open_regular(Path(path)) as opened:
            data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise RigFileError(str(path), (("", f"cannot be read: {error.strerror or error}"),)) from error
    return _rig_in(data, str(path), robot)


def _rig_in(data: bytes, file: str, robot: Robot) -> Rig:
    """Return the rig in the bytes of a file."""
    try:
        table = RigTable.model_validate(tables_of(data, LARGEST_FILE))
    except NotTomlError as error:
        raise RigFileError(file, (("", str(error)),)) from error
    except ValidationError as error:
        raise RigFileError(file, problems_of(error)) from error
    if table.robot != robot.name:
        reason = f"the rig is that of {table.robot}, not of {robot.name}: choose another file, or change its robot"
        raise RigFileError(file, (("robot", reason),))
    rods: list[Rod] = []
    for k, entry in enumerate(table.elements):
        try:
            rods += _rods(robot, entry)
        except (UnknownNameError, VisionError) as error:
            raise RigFileError(file, ((f"elements[{k}]", str(error)),)) from error
    try:
        return Rig(robot, tuple(entry.camera() for entry in table.cameras), tuple(rods))
    except VisionError as error:
        raise RigFileError(file, ((error.name, error.reason),)) from error


def _rods(robot: Robot, entry: ElementTable) -> list[Rod]:
    """Return the rods of the elements that an entry names, or else those of pairs that it names themselves."""
    names = part_names(robot)
    if any(fnmatchcase(name, entry.name) for name in names):
        return list(_rods_of_elements(robot, entry, chosen_elements(robot, [entry.name]), twin=entry.twin))
    near = [name for name in names if any(fnmatchcase(f"{name}.{letter}", entry.name) for letter in PAIR)]
    rods = [rod for rod in _rods_of_elements(robot, entry, near, twin=True) if fnmatchcase(rod.name, entry.name)]
    if not rods:
        raise UnknownNameError("element or bar", entry.name, names)
    return rods


def _rods_of_elements(robot: Robot, entry: ElementTable, names: list[str], *, twin: bool) -> Iterator[Rod]:
    for name in names:
        yield from rods_of(
            robot,
            part_names(robot).index(name),
            entry.radius,
            twin=twin,
            start=entry.start,
            end=entry.end,
            radius_deviation=entry.radius_deviation,
        )


def write_rig(path: str | Path, rig: Rig, source: str = "written by parakin") -> Path:
    """Write a rig as a TOML file, whole or not at all; a rig that would not come back from its file is refused.

    Every rod has an entry of its own, so that each of a pair keeps its radius.

    >>> pk.vision.write_rig("rig.toml", rig, source="calibrated").name
    'rig.toml'
    """
    file, target = str(path), Path(path)
    try:
        data = tables_to_toml(_tables(rig, source)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RigFileError(file, (("", f"cannot be written as UTF-8: {error.object!r:.200}"),)) from error
    for k, (rod, again) in enumerate(zip(rig.rods, _rig_in(data, file, rig.robot).rods, strict=True)):
        if again != rod:
            reason = f"a file has no such rod of {rig.robot.name}: it would come back as {again}, not as {rod}"
            raise RigFileError(file, ((f"elements[{k}]", reason),))
    try:
        with replacing(target) as partial:
            partial.write_bytes(data)
    except OSError as error:
        raise RigFileError(file, (("", f"cannot be written: {error.strerror or error}"),)) from error
    return target


def _tables(rig: Rig, source: str) -> dict[str, object]:
    """Return a rig as the tables of its file."""
    cameras = [
        {
            "name": camera.name,
            "size": list(camera.size),
            "focal": list(map(float, camera.focal)),
            "centre": list(map(float, camera.middle)),
            "distortion": list(map(float, camera.distortion)),
            "position": camera.p_OK.tolist(),
            "rotation": quaternion_from_matrix(camera.R_OK).tolist(),
            "exposure": float(camera.exposure),
        }
        for camera in rig.cameras
    ]
    numbers = ("radius", "radius_deviation", "start", "end")
    rods = [{"name": rod.name} | {key: float(getattr(rod, key)) for key in numbers} for rod in rig.rods]
    return {"robot": rig.robot.name, "source": source, "cameras": cameras, "elements": rods}
