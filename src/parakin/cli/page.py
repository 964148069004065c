"""Live pages with results of analysis in them, beside the files of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.viewer.layers import Shown


def write_page(path: Path, robot: Robot, results: Sequence[Shown]) -> None:
    """Write the live page of a robot with results as layers."""
    from parakin.viewer import view

    path.write_text(view(robot, layers=results).html, encoding="utf-8", newline="\n")
