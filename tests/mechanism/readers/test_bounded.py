"""Readers stay in the folder of the model, in their time, and in the limits of the shell that they run in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from parakin.errors import DescriptionError
from parakin.mechanism.readers import Choices, import_robot, mjcf
from tests.mechanism.readers import texts
from tests.mechanism.readers.witnesses import described

SPHERE = '<mujoco><worldbody><body name="a"><joint/>{}</body></worldbody></mujoco>'


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def _outside(folder: Path) -> tuple[Path, Path]:
    """Return a model in a folder of its own, and a file beside that folder."""
    inside = folder / "model"
    inside.mkdir()
    return inside / "robot.xml", folder / "other.xml"


@pytest.mark.parametrize("linked", [False, True])
def test_includes_stay_in_the_folder(linked: bool, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path, other = _outside(tmp_path)
    other.write_text('<mujoco><option gravity="0 0 -9.8"/></mujoco>')
    name = "link.xml" if linked else "../other.xml"
    if linked:
        (path.parent / name).symlink_to(other)
    path.write_text(texts.FOUR_BAR_BODIES.replace("<worldbody>", f'<include file="{name}"/><worldbody>'))
    with pytest.raises(DescriptionError, match=r"is outside the folder of the model.*--folder"):
        import_robot(path)
    gravity = described(path, Choices(folder=str(tmp_path))).gravity
    assert gravity == (0.0, 0.0, -9.8)


def _mesh(path: Path, file: str) -> None:
    asset = f'<asset><mesh name="m" file="{file}"/></asset>'
    path.write_text(SPHERE.format('<geom type="mesh" mesh="m"/>').replace("<worldbody>", f"{asset}<worldbody>"))


def test_meshes_stay_in_the_folder(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path, other = _outside(tmp_path)
    other.with_suffix(".obj").write_text(TETRAHEDRON)
    _mesh(path, "../other.obj")
    with pytest.raises(DescriptionError, match=r"mesh '../other.obj' is outside.*--folder"):
        import_robot(path)
    (body,) = described(path, Choices(folder=str(tmp_path))).bodies
    assert body.mass == pytest.approx(1000 / 6)  # a tetrahedron with the density of water


def test_a_mesh_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    os.mkfifo(tmp_path / "pipe.obj")
    _mesh(tmp_path / "robot.xml", "pipe.obj")
    with pytest.raises(DescriptionError, match=r"mesh 'pipe.obj' is no regular file"):
        import_robot(tmp_path / "robot.xml")


SEARCHED = {
    "strippath": ("away/part.obj", '<compiler strippath="true"/>', "part.obj", "no regular file"),
    "meshdir of an attached model": ("part.obj", '<compiler meshdir=".."/>', "../part.obj", "is outside"),
}
"""What a file calls a mesh, with which setting, where MuJoCo then finds it, and what is wrong there."""


@pytest.mark.parametrize("case", SEARCHED)
def test_meshes_are_looked_for_where_mujoco_finds_them(case: str, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    name, compiler, found, words = SEARCHED[case]
    path, _ = _outside(tmp_path)
    if words == "is outside":
        (path.parent / found).write_text(TETRAHEDRON)
    else:
        os.mkfifo(path.parent / found)
    part = path.with_name("part.xml")
    _mesh(part, name)
    part.write_text(part.read_text().replace("<asset>", f"{compiler}<asset>"))
    attached = '<asset><model name="part" file="part.xml"/></asset>'
    path.write_text(f'<mujoco>{attached}<worldbody><attach model="part" body="a" prefix="p"/></worldbody></mujoco>')
    for file in (path,) if case != "strippath" else (path, part):
        with pytest.raises(DescriptionError, match=words):
            import_robot(file)


def test_flexible_bodies_left_out_leave_no_points_behind(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "robot.xml"
    flexible = '<flexcomp name="cloth" type="grid" count="{}" dim="2" spacing=".1 .1 .1"{}/>'
    path.write_text(SPHERE.format('<geom size="1"/>' + flexible.format("3 2 1", "")))
    assert [body.name for body in described(path, Choices(without=("cloth",))).bodies] == ["a"]
    path.write_text(SPHERE.format('<geom size="1"/>' + flexible.format("1000 1000 1", "")))
    with pytest.raises(DescriptionError, match="has 1000001 bodies"):
        import_robot(path)
    path.write_text(SPHERE.format('<geom size="1"/>' + flexible.format("3 2 1", ' file="pipe.obj"')))
    with pytest.raises(DescriptionError, match="a flexible body from a file"):
        import_robot(path, Choices(without=("cloth",)))


MANY = {
    "many.urdf": "<robot name='r'>" + "".join(f"<link name='l{k}'/>" for k in range(10_000)) + "</robot>",
    "many.xml": f"<mujoco><worldbody>{'<body/>' * 10_000}</worldbody></mujoco>",
    "replicated.xml": '<mujoco><worldbody><replicate count="3000"><body><geom size="1"/></body></replicate>'
    "</worldbody></mujoco>",
}


@pytest.mark.parametrize("name", MANY)
def test_many_bodies_are_counted_first(name: str, tmp_path: Path) -> None:
    if name.endswith(".xml"):
        pytest.importorskip("mujoco")
    (tmp_path / name).write_text(MANY[name])
    with pytest.raises(DescriptionError, match=r"has \d+ bodies: a mechanism has at most 200"):
        import_robot(tmp_path / name)


COPIED = {
    "copies of bodies": ('<replicate count="100"><replicate count="100"><body/></replicate></replicate>', "bodies"),
    "copies of shapes": ('<body><replicate count="100000000"><geom size="1"/></replicate></body>', "all copies"),
    "sites": (f"<body>{'<site/>' * 10_001}</body>", "more than 10000 elements <site>"),
}


@pytest.mark.parametrize("case", COPIED)
def test_copies_are_counted_before_mujoco_makes_them(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, words = COPIED[case]
    monkeypatch.setattr(mjcf, "_told", pytest.fail)
    (tmp_path / "robot.xml").write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    with pytest.raises(DescriptionError, match=words):
        import_robot(tmp_path / "robot.xml")


@pytest.mark.parametrize("dialect", ["urdf", "sdf"])
def test_many_joints_are_counted_first(dialect: str, tmp_path: Path) -> None:
    inside = "<link name='a'/>" + "<joint/>" * 2001
    whole = {"urdf": f"<robot>{inside}</robot>", "sdf": f"<sdf><model name='m'>{inside}</model></sdf>"}[dialect]
    (tmp_path / f"robot.{dialect}").write_text(whole)
    with pytest.raises(DescriptionError, match="has 2001 joints"):
        import_robot(tmp_path / f"robot.{dialect}")


def test_time_grows_with_the_length_of_a_text(tmp_path: Path) -> None:
    """Each takes minutes where the work grows with the square of the length, and a second where it does not."""
    path = tmp_path / "text.urdf"
    path.write_text(f"<robot>{'x' * 90}{('<a/>' + 'x' * 90) * 150_000}</robot>")
    with pytest.raises(DescriptionError, match="no body"):
        import_robot(path)
    path = tmp_path / "Configuration.h"
    escaped = '\\"' * 500_000
    path.write_text(f'#define DELTA\n#define NAME "{escaped}\n')
    with pytest.raises(DescriptionError, match="DELTA_RADIUS: is not there"):
        import_robot(path)


@pytest.mark.parametrize("encoding", ["gb2312", "utf-7", "shift_jis", "nonsense"])
def test_encodings_that_expat_cannot_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><robot name="r"/>')
    with pytest.raises(DescriptionError, match="is not"):
        import_robot(path)


@pytest.mark.parametrize("sign", ["0", "3", "0.5"])
def test_signs_of_motors_are_one_or_minus_one(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "bar.urdf"
    path.write_text(texts.URDF)
    path.with_suffix(".yaml").write_text(f"{texts.URDF_LOOPS}motor_sign: [{sign}]\n")
    with pytest.raises(DescriptionError, match=f"motor_sign: must be 1 or -1 for each motor, got {sign}"):
        import_robot(path)


LIMITED = {
    "seconds": ("RLIMIT_CPU", 50),
    "memory": ("RLIMIT_AS", 3 * 2**30),
}


@pytest.mark.parametrize("name", LIMITED)
def test_limits_of_the_shell(name: str, tmp_path: Path) -> None:
    """The process of MuJoCo lives with lower limits than its own."""
    assert "imported" in _read_with_a_limit(*LIMITED[name], tmp_path)


def test_limits_that_are_too_low_are_named(tmp_path: Path) -> None:
    """Loading the library, numpy or the model fails for want of memory, each in its own way; where depends on both."""
    told = {size: _read_with_a_limit("RLIMIT_AS", size * 2**20, tmp_path) for size in (40, 70, 100, 130, 150, 200)}
    failed = {size: words for size, words in told.items() if "imported" not in words}
    assert 40 in failed
    for size, words in failed.items():
        assert re.search(f"limited to {size} MiB of memory .ulimit -v.: raise that", words), words[-500:]


def _read_with_a_limit(kind: str, value: int, folder: Path) -> str:
    """Return what a process with a limit prints that reads a four-bar."""
    pytest.importorskip("mujoco")
    path = folder / "bar.xml"
    path.write_text(texts.FOUR_BAR_BODIES)
    program = (
        "import resource, sys\n"
        "from pathlib import Path\nfrom parakin.mechanism.readers import mjcf\n"
        f"resource.setrlimit(resource.{kind}, ({value}, {value}))\n"
        f"path = Path({str(path)!r})\nmjcf._told(path, path.parent)\nprint('imported')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


ENDINGS = {
    "spin": ("while True: pass", 2, "its processor time is used up"),
    "kill": ("os.kill(os.getpid(), 9)", 50, "killed, as by a system whose memory runs out"),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_used_up_time_is_told_from_a_kill(name: str) -> None:
    """A process that the system kills for its memory is not said to have used up its processor time."""
    pytest.importorskip("resource")
    ends, seconds, words = ENDINGS[name]
    program = (
        "import os\nfrom parakin.mechanism.readers import mjcf_child\n"
        f"mjcf_child.PROCESSOR_TIME = {seconds}\nmjcf_child._bound()\n{ends}"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert words in mjcf._ending(done.returncode)
