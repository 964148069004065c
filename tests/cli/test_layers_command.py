"""`--page` of `parakin map` and `workspace`, and `parakin view --layer`: pages, and refusals that leave nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from parakin.cli import app


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_saved_map_makes_the_page_of_the_map(tmp_path: Path) -> None:
    done = run("map", "five_bar", "--of", "dexterity", "--grid", "7", "--page", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "map.html" in done.output
    done = run("view", "five_bar", "--layer", tmp_path / "out" / "map.npz", "--no-open", "-o", tmp_path / "again.html")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "out" / "map.html").read_bytes()


@pytest.mark.slow
def test_a_saved_workspace_with_its_curves_makes_the_page_of_the_workspace(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("workspace", "five_bar", "--levels", "2", "--singular", "--page", "-o", out)
    assert done.exit_code == 0, done.output
    assert sorted(file.name for file in out.iterdir()) == [
        *("singular_poses.npz", "singular_poses.png", "singularity.png", "singularity_type_2.png"),
        *("workspace.html", "workspace.npz", "workspace.png"),
    ]
    layers = ("--layer", out / "workspace.npz", "--layer", out / "singular_poses.npz")
    done = run("view", "five_bar", *layers, "--no-open", "-o", tmp_path / "again.html")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "again.html").read_bytes() == (out / "workspace.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("map", "planar_3rpr", "--of", "condition", "--axes", "x,phi"),
            "x, phi: the output of planar_3rpr does not move",
        ),
        (("workspace", "planar_3rpr", "--axes", "phi"), "vary positions, such as x, y, and hold the rest"),
    ],
)
def test_what_a_page_cannot_show_is_refused_before_it_is_computed(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = run(*arguments, "--page", "-o", tmp_path / "out")
    assert done.exit_code == 1
    assert said in done.output
    assert not (tmp_path / "out").exists()


def test_a_layer_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    done = run("view", "five_bar", "--layer", tmp_path / "nobody.npz", "--no-open", "-o", tmp_path / "page.html")
    assert done.exit_code == 1
    assert "nobody.npz: cannot be read: No such file or directory" in done.output
    assert not (tmp_path / "page.html").exists()
