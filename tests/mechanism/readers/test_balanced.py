"""Bodies whose inertia no body has: refused with the option that goes on, and balanced as MuJoCo balances them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from parakin.cli import app
from parakin.errors import DescriptionError
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.readers import Choices, EntryKind, import_robot

MEAN = 0.04
"""Mean of the moments 0.01, 0.02 and 0.09, of which the last is above the sum of the others [kg m^2]."""
REAL = (0.03, 0.04, 0.05)

URDF = """<robot name="arm"><link name="base"/>
  <link name="first"><inertial><origin xyz="0.1 0 0" rpy="0.3 0.2 0.1"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.09"/></inertial></link>
  <link name="second"><inertial><mass value="2"/><inertia ixx="0.03" iyy="0.04" izz="0.05"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="first"/><axis xyz="0 0 1"/></joint>
  <joint name="k" type="continuous"><parent link="first"/><child link="second"/><axis xyz="0 0 1"/></joint>
</robot>"""
SDF = """<sdf version="1.9"><model name="arm">
  <link name="first"><inertial><mass>2</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.09</izz></inertia>
  </inertial></link>
  <link name="second"><inertial><mass>2</mass><inertia><ixx>0.03</ixx><iyy>0.04</iyy><izz>0.05</izz></inertia>
  </inertial></link>
  <joint name="j" type="revolute"><parent>world</parent><child>first</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="k" type="revolute"><parent>first</parent><child>second</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""
MJCF = """<mujoco><worldbody>
  <body name="first"><joint name="j"/><inertial pos="0.1 0 0" mass="2" {moments}/>
    <body name="second"><joint name="k"/><inertial pos="0 0 0" mass="2" diaginertia="0.03 0.04 0.05"/></body>
  </body></worldbody><actuator><motor joint="j"/></actuator></mujoco>"""
FILES = {
    "arm.urdf": URDF,
    "arm.sdf": SDF,
    "principal.xml": MJCF.format(moments='diaginertia="0.01 0.02 0.09"'),
    "full.xml": MJCF.format(moments='fullinertia="0.05 0.05 0.02 0.04 0 0"'),  # moments 0.01, 0.02 and 0.09
}


@pytest.fixture(params=sorted(FILES))
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param.endswith(".xml"):
        pytest.importorskip("mujoco", reason="install parakin[mjcf]: mujoco is missing")
    path = tmp_path / str(request.param)
    path.write_text(FILES[path.name])
    return path


def test_an_impossible_body_is_refused_with_the_option_that_goes_on(path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"first.*--balance-inertia"):
        import_robot(path)


def test_its_moments_become_their_mean_and_nothing_else_changes(path: Path) -> None:
    imported = import_robot(path, Choices(balance_inertia=True))
    assert isinstance(imported.description, MechanismDescription)
    first, second = imported.description.bodies[-2:]
    assert np.array(first.inertia) == pytest.approx(MEAN * np.eye(3), abs=1e-15)
    assert np.linalg.eigvalsh(second.inertia) == pytest.approx(REAL)
    assert (first.mass, second.source) == (2.0, None)
    assert first.source == f"principal moments replaced by their mean when {path.name} was imported"
    (entry,) = imported.report.of(EntryKind.APPROXIMATED)
    assert "first" in entry.place
    assert entry.words.endswith("all three are 0.04 kg m^2, their mean, as asked")


@pytest.mark.parametrize("mass", ["0", "1e-3"])
@pytest.mark.parametrize("suffix", [".urdf", ".sdf"])
def test_moments_that_are_rounding_are_zero_and_told(suffix: str, mass: str, tmp_path: Path) -> None:
    """CAD programs write -2e-35 where they mean 0."""
    text = FILES[f"arm{suffix}"]
    ours = {".urdf": ('<mass value="2"/>', f'<mass value="{mass}"/>'), ".sdf": ("<mass>2", f"<mass>{mass}")}[suffix]
    path = tmp_path / f"arm{suffix}"
    path.write_text(text.replace(*ours, 1).replace("0.01", "-2e-35", 1).replace("0.02", "0", 1).replace("0.09", "0", 1))
    imported = import_robot(path)
    assert isinstance(imported.description, MechanismDescription)
    first, second = imported.description.bodies[-2:]
    assert not np.any(first.inertia)
    assert np.linalg.eigvalsh(second.inertia) == pytest.approx(REAL)
    (entry,) = imported.report.of(EntryKind.APPROXIMATED)
    assert ("first" in entry.place, "rounding" in entry.words) == (True, True)


def test_the_command_says_it_loudly(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    refused = CliRunner().invoke(app, ["import", str(tmp_path / "arm.urdf")])
    assert refused.exit_code == 1
    assert "--balance-inertia puts their mean in place" in refused.stderr
    told = CliRunner().invoke(app, ["import", str(tmp_path / "arm.urdf"), "--balance-inertia"])
    assert told.exit_code == 0
    assert "warning: principal moments replaced by their mean, a guess that forces depend on: first" in told.stderr
