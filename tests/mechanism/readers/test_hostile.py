"""Damaged and hostile files are refused in bounded time, with place, value and remedy."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from parakin.errors import DescriptionError
from parakin.mechanism.readers import import_robot
from parakin.mechanism.readers.xml_text import LARGEST_XML
from tests.mechanism.readers import texts

LONGEST = 5.0
"""Processor time that a refusal may take [s]."""

LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(20)
)
HOSTILE = {
    "laughs.urdf": (f'{LAUGHS}]><robot name="&u;"/>', "line 1: has a document type declaration"),
    "outside.xml": (
        '<!DOCTYPE m SYSTEM "file:///etc/passwd"><mujoco/>',
        "line 1: has a document type declaration",
    ),
    "deep.sdf": ("<sdf>" + "<a>" * 100_000, "more than 200 deep"),
    "wide.urdf": (f"<robot>{'<link/>' * 300_000}</robot>", "more than 200000 elements"),
    "cut.urdf": (texts.URDF[: len(texts.URDF) // 2], "is not XML"),
    "empty.sdf": ("", "is not XML: no element found"),
    "other.xml": ("<html><body/></html>", "root element must be one of <mujoco>, <robot>, <sdf>, got <html>"),
    "nan.urdf": (
        texts.URDF.replace('value="0.6"', 'value="nan"'),
        "'value' must be finite numbers.*got 'nan'",
    ),
    "huge.urdf": (texts.URDF.replace('value="0.6"', 'value="1e300"'), "'value' must be finite"),
    "words.urdf": (texts.URDF.replace('xyz="0.12 0 0.05"', 'xyz="0.12 0"'), "'xyz' must be 3 numbers, got '0.12 0'"),
    "minus.urdf": (texts.URDF.replace('value="0.6"', 'value="-0.6"'), "<link name='crank'> in line 4: mass"),
    "axis.urdf": (texts.URDF.replace('<axis xyz="0 1 0"/><limit', '<axis xyz="0 0 0"/><limit'), "must not be zero"),
    "nobody.urdf": (texts.URDF.replace('<child link="crank"/>', '<child link="crunk"/>'), "no link 'crunk'"),
    "macro.urdf": ('<robot xmlns:xacro="x"><xacro:include filename="y"/></robot>', "has macros"),
    "nan.xml": (
        texts.FOUR_BAR_BODIES.replace('pos="0.12 0 0.05"', 'pos="nan 0 0.05"'),
        "'pos' must be finite",
    ),
    "lost.xml": ('<mujoco><include file="nowhere.xml"/></mujoco>', "no file 'nowhere.xml' beside lost.xml"),
    "self.xml": ('<mujoco><include file="self.xml"/></mujoco>', "include each other without end: self.xml -> self.xml"),
    "flex.xml": ("<mujoco><worldbody><flexcomp/></worldbody></mujoco>", "MuJoCo refuses it"),
    "bad.xml": (texts.FOUR_BAR_BODIES.replace('joint="crank"', 'joint="krank"'), "MuJoCo refuses it.*krank"),
    "none.xml": ("<mujoco/>", "has no body that could move"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_refused_with_place_and_value(name: str, tmp_path: Path) -> None:
    text, words = HOSTILE[name]
    path = tmp_path / name
    path.write_text(text)
    started = time.process_time()
    with pytest.raises(DescriptionError, match=words):
        import_robot(path)
    assert time.process_time() - started < LONGEST


def test_mujoco_leaves_no_log_where_the_user_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to MUJOCO_LOG.TXT in the working directory."""
    monkeypatch.setattr("parakin.mechanism.readers.mjcf_audit._refuse_numbers", lambda _whole: None)
    warned = texts.FOUR_BAR_BODIES.replace("<worldbody>", '<visual><map znear="nan"/></visual><worldbody>', 1)
    assert "znear" in warned
    (tmp_path / "warned.xml").write_text(warned)
    monkeypatch.chdir(tmp_path)
    import_robot(Path("warned.xml"))
    assert [path.name for path in tmp_path.iterdir()] == ["warned.xml"]


def test_files_that_are_none(tmp_path: Path) -> None:
    for name, data, words in (
        ("large.xml", b" " * (LARGEST_XML + 1), "is too large"),
        ("bytes.urdf", b"\xff\xfe\x00<", "is not"),
        ("encoded.urdf", b'<?xml version="1.0" encoding="klingon"?><robot/>', "is not"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DescriptionError, match=words):
            import_robot(tmp_path / name)
    with pytest.raises(DescriptionError, match="cannot be read"):
        import_robot(tmp_path / "nobody.xml")
    with pytest.raises(DescriptionError, match="directory"):
        import_robot(tmp_path)


def test_includes_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "b.xml").write_text('<mujocoinclude><include file="a.xml"/></mujocoinclude>')
    with pytest.raises(DescriptionError, match=r"a\.xml -> b\.xml -> a\.xml"):
        import_robot(tmp_path / "a.xml")


def test_includes_that_double(tmp_path: Path) -> None:
    """Twenty files of which each includes the next one twice would be a million."""
    for k in range(20):
        (tmp_path / f"f{k}.xml").write_text(f"<mujoco>{f'<include file={chr(34)}f{k + 1}.xml{chr(34)}/>' * 2}</mujoco>")
    (tmp_path / "f20.xml").write_text("<mujoco/>")
    with pytest.raises(DescriptionError, match="more than 100 files are included"):
        import_robot(tmp_path / "f0.xml")
