"""Pictures in folders: found in their order, read as grey levels, refused with the file and the reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import parakin as pk
from parakin.errors import PictureFileError
from parakin.vision import Camera, Rig, picture_folder, rig_of, write_pictures
from tests.vision.rigs import DOWN

SIZE = (32, 24)


def _rig(*names: str) -> Rig:
    cameras = [Camera(name, SIZE, (20.0, 20.0), np.zeros(3), DOWN) for name in names]
    return rig_of(pk.load("quattro"), cameras, "*.forearm", radius=0.008)


def _picture(level: int) -> np.ndarray:
    return np.full(SIZE[::-1], level, np.uint8)


def test_pictures_come_back_in_their_order(tmp_path: Path) -> None:
    rig = _rig("left", "right")
    write_pictures(tmp_path, rig, [[_picture(k), _picture(100 + k)] for k in range(12)])
    folder = picture_folder(rig, tmp_path)
    assert [[int(picture[0, 0]) for picture in folder.read(k)] for k in (0, 11)] == [[0, 100], [11, 111]]


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 100):
        Image.fromarray(_picture(number)).save(tmp_path / f"shot{number}.png")
    (tmp_path / "notes.txt").write_text("no picture")
    folder = picture_folder(_rig("top"), tmp_path)
    assert [path.name for (path,) in folder.files] == ["shot9.png", "shot10.png", "shot100.png"]


def test_digits_that_are_no_numbers_are_letters(tmp_path: Path) -> None:
    for name in ("²3", "²10", "٣", "9"):
        Image.fromarray(_picture(1)).save(tmp_path / f"{name}.png")
    folder = picture_folder(_rig("top"), tmp_path)
    assert [path.stem for (path,) in folder.files] == ["٣", "9", "²3", "²10"]


@pytest.mark.parametrize("bits", [9, 10, 12, 14, 16])
def test_pictures_of_any_depth_keep_their_contrast(tmp_path: Path, bits: int) -> None:
    steps = np.linspace(0, 2**bits - 1, SIZE[0] * SIZE[1]).reshape(SIZE[::-1])
    Image.fromarray(steps.astype(np.uint16)).save(tmp_path / "a.png")
    Image.fromarray((steps / steps.max()).astype(np.float32)).save(tmp_path / "b.tif")
    for number in (0, 1):
        (picture,) = picture_folder(_rig("top"), tmp_path).read(number)
        np.testing.assert_allclose(picture, steps * 255 / steps.max(), atol=1.6)  # 256 or 255 parts, rounded
    Image.fromarray(np.full(SIZE[::-1], np.nan, np.float32)).save(tmp_path / "c.tif")
    with pytest.raises(PictureFileError, match="it holds numbers that are not finite"):
        picture_folder(_rig("top"), tmp_path).read(2)


@pytest.mark.parametrize("mode", ["RGB", "I;16", "L", "1"])
def test_colours_and_deep_levels_become_grey(tmp_path: Path, mode: str) -> None:
    if mode == "I;16":
        Image.fromarray(np.full(SIZE[::-1], 200 * 256, np.uint16)).save(tmp_path / "a.png")
    else:
        Image.fromarray(_picture(200)).convert(mode).save(tmp_path / "a.png")
    (picture,) = picture_folder(_rig("top"), tmp_path).read(0)
    assert picture.dtype == np.uint8
    assert picture.shape == SIZE[::-1]
    assert int(np.max(picture)) == (255 if mode == "1" else 200)


def test_what_holds_no_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PictureFileError, match="nowhere: is not a folder"):
        picture_folder(_rig("top"), tmp_path / "nowhere")
    with pytest.raises(PictureFileError, match=r"holds no pictures; they end in \.png"):
        picture_folder(_rig("top"), tmp_path)
    rig = _rig("left", "right")
    write_pictures(tmp_path, rig, [[_picture(1), _picture(2)]])
    Image.fromarray(_picture(3)).save(tmp_path / "left" / "more.png")
    with pytest.raises(PictureFileError, match="as many pictures of every camera, got 2 in left, 1 in right"):
        picture_folder(rig, tmp_path)


def test_a_file_that_is_no_picture_of_the_camera_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG but not really")
    Image.fromarray(np.zeros((7, 9), np.uint8)).save(tmp_path / "b.png")
    folder = picture_folder(_rig("top"), tmp_path)
    with pytest.raises(PictureFileError, match=r"a\.png: cannot be read as a picture"):
        folder.read(0)
    with pytest.raises(PictureFileError, match=r"b\.png: has 9 x 7 pixels, and camera top of the rig 32 x 24"):
        folder.read(1)
    whole = tmp_path / "c.png"
    Image.fromarray(np.random.default_rng(1).integers(0, 256, SIZE[::-1], np.uint8)).save(whole)
    whole.write_bytes(whole.read_bytes()[:300])
    with pytest.raises(PictureFileError, match=r"c\.png: cannot be read as a picture"):
        picture_folder(_rig("top"), tmp_path).read(2)
