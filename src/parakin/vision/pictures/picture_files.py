"""Pictures in folders: one file a picture and a folder a camera, in the order of their names.

A rig of one camera has its pictures in the folder itself, one of several in folders named like the cameras. Numbers in
names count as numbers: picture9 comes before picture10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parakin.errors import PictureFileError
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.rig import Rig

if TYPE_CHECKING:
    from PIL import Image

ENDINGS = (".png", ".pgm", ".bmp", ".tif", ".tiff", ".jpg", ".jpeg")
"""Endings of files that are taken for pictures."""
MOST_PIXELS = 2**28
"""Pixels of the largest picture that is opened: 16 thousand columns and rows."""

Picture = NDArray[np.uint8]
"""Grey levels (rows, columns)."""


@dataclass(frozen=True)
class PictureFolder:
    """Where the pictures of a rig's cameras are.

    >>> folder = pk.vision.write_pictures("pictures", rig, [[picture], [picture]])
    >>> len(folder), folder.read(0)[0].shape
    (2, (1024, 1024))
    """

    rig: Rig
    """The rig whose cameras took them."""
    files: tuple[tuple[Path, ...], ...]
    """For each instant the file of each camera."""

    def __len__(self) -> int:
        return len(self.files)

    def read(self, number: int) -> list[Picture]:
        """Return the pictures of all cameras at one instant; PictureFileError where one cannot be read.

        >>> pk.vision.write_pictures("pictures", rig, [[picture]]).read(0)[0].dtype
        dtype('uint8')
        """
        return [_read(path, camera) for path, camera in zip(self.files[number], self.rig.cameras, strict=True)]


def picture_folder(rig: Rig, folder: str | Path) -> PictureFolder:
    """Find the pictures of a rig's cameras in a folder.

    >>> len(pk.vision.picture_folder(rig, pk.vision.write_pictures("pictures", rig, [[picture]]).files[0][0].parent))
    1
    """
    place = Path(folder)
    places = [place] if len(rig.cameras) == 1 else [place / camera.name for camera in rig.cameras]
    lists = [_pictures(one) for one in places]
    counts = {len(files) for files in lists}
    if len(counts) > 1:
        told = ", ".join(f"{len(files)} in {one.name}" for files, one in zip(lists, places, strict=True))
        raise PictureFileError(str(folder), f"must have as many pictures of every camera, got {told}")
    return PictureFolder(rig, tuple(zip(*lists, strict=True)))


def write_pictures(folder: str | Path, rig: Rig, pictures: Iterable[Sequence[Picture]]) -> PictureFolder:
    """Write pictures, for each instant that of every camera, as PNG files 0000.png and so on.

    >>> pk.vision.write_pictures("pictures", rig, [[picture]]).files[0][0].name
    '0000.png'
    """
    from PIL import Image

    place = Path(folder)
    written: list[tuple[Path, ...]] = []
    try:
        for number, instant in enumerate(pictures):
            paths: list[Path] = []
            for camera, picture in zip(rig.cameras, instant, strict=True):
                of_camera = place if len(rig.cameras) == 1 else place / camera.name
                of_camera.mkdir(parents=True, exist_ok=True)
                paths.append(of_camera / f"{number:04d}.png")
                Image.fromarray(picture).save(paths[-1])
            written.append(tuple(paths))
    except OSError as error:
        raise PictureFileError(str(folder), f"cannot be written: {error.strerror or error}") from error
    return PictureFolder(rig, tuple(written))


def _pictures(folder: Path) -> list[Path]:
    """Return the pictures in a folder, in the order of their names."""
    if not folder.is_dir():
        raise PictureFileError(str(folder), "is not a folder: name the one that holds the camera's pictures")
    found = [path for path in folder.iterdir() if path.suffix.lower() in ENDINGS and path.is_file()]
    if not found:
        raise PictureFileError(str(folder), f"holds no pictures; they end in {', '.join(ENDINGS)}")
    return sorted(found, key=lambda path: list(_natural(path.name)))


def _natural(name: str) -> Iterator[tuple[int, int, str]]:
    """Cut a name into texts and numbers, which compare as such."""
    for part in re.findall(r"\d+|\D+", name):
        yield (0, int(part), "") if part.isdecimal() else (1, 0, part)


def _read(path: Path, camera: Camera) -> Picture:
    """Return the grey levels of a picture of a camera's size."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise PictureFileError(str(path), f"has {opened.width} x {opened.height} pixels, too many to be opened")
            if opened.size != camera.size:
                has, takes = (f"{columns} x {rows}" for columns, rows in (opened.size, camera.size))
                raise PictureFileError(str(path), f"has {has} pixels, and camera {camera.name} of the rig {takes}")
            return _grey(opened)
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, SyntaxError, ValueError) as error:
        if isinstance(error, PictureFileError):
            raise
        raise PictureFileError(str(path), f"cannot be read as a picture: {error}") from error


def _grey(opened: Image.Image) -> Picture:
    """Return a picture as 8-bit grey levels; those of more bits are halved until the brightest fits.

    So 10, 12 and 16 bits keep their contrast, whichever of them a camera puts into files of 16. Fractions up to 1 are
    shares of white.
    """
    if not (opened.mode.startswith("I") or opened.mode == "F"):
        return np.asarray(opened.convert("L"), np.uint8)
    wide = np.asarray(opened, np.float64)
    if not np.isfinite(wide).all():
        raise ValueError("it holds numbers that are not finite")
    brightest = float(wide.max(initial=0.0))
    if opened.mode == "F" and brightest <= 1.0:
        return np.clip(np.rint(255 * wide), 0, 255).astype(np.uint8)
    halvings = math.ceil(math.log2((brightest + 1) / 256)) if brightest > 255 else 0
    return np.clip(np.rint(wide / 2**halvings), 0, 255).astype(np.uint8)
