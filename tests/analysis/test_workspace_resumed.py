"""A workspace that is kept step by step: interrupted, resumed, made finer, and points that cannot be judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parakin.analysis import Demands, workspace
from parakin.analysis.workspaces import judging
from parakin.analysis.workspaces.boundary import boundary_of
from parakin.analysis.workspaces.lattice import coarse
from parakin.analysis.workspaces.surveying import Survey
from parakin.arrays import Array
from parakin.errors import ExecutorError
from parakin.executors import Placement
from tests.robots import robot_named

UNUSABLE = 7
"""A code that nothing else gives."""


class Judged:
    """Counts the poses that are judged."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, call = 0, judging.LegJudge.__call__

        def counted(judge: judging.LegJudge, poses: Array, /) -> judging.Codes:
            self.count += len(poses)
            return call(judge, poses)

        monkeypatch.setattr(judging.LegJudge, "__call__", counted)

    def new(self) -> int:
        """How many poses were judged since this was asked last."""
        count, self.count = self.count, 0
        return count


def test_what_is_finished_is_never_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, judged = robot_named("five_bar"), Judged(monkeypatch)
    here = workspace(robot, levels=3)
    whole = judged.new()
    assert whole == here.levels[-1].evaluations

    def end_at_level_2(text: str) -> None:
        if text.startswith("level 2"):
            raise KeyboardInterrupt

    kept, again = Placement(folder=tmp_path / "kept"), Placement(folder=tmp_path / "kept", resume=True)
    with pytest.raises(KeyboardInterrupt):
        workspace(robot, levels=3, placement=kept, tell=end_at_level_2)
    before = judged.new()
    assert 0 < before < whole
    with pytest.raises(ExecutorError, match="holds this job already: resume it"):
        workspace(robot, levels=3, placement=kept)
    with pytest.raises(ExecutorError, match="holds another job: its work, or data of its work, differ"):
        workspace(robot, levels=3, demands=Demands(one_aspect=False), placement=again)
    resumed = workspace(robot, levels=3, placement=again)
    assert before + judged.new() == whole
    assert resumed.levels == here.levels
    np.testing.assert_array_equal(resumed.lattice.codes, here.lattice.codes)
    np.testing.assert_array_equal(resumed.boundary, here.boundary)
    finer = workspace(robot, levels=4, placement=again)
    assert finer.levels[:4] == here.levels
    assert judged.new() == finer.levels[-1].evaluations - whole


def disc(points: Array) -> judging.Codes:
    """Inside a disc of radius 0.9, and an error at one of the vertices inside."""
    if (np.abs(points - [0.5, 0.0]).max(axis=1) < 1e-9).any():
        raise ArithmeticError("nobody can be here")
    return np.where(np.linalg.norm(points, axis=1) < 0.9, 0, 3).astype(np.int16)


def test_a_point_that_cannot_be_judged_does_not_count() -> None:
    survey = Survey(disc, UNUSABLE, Placement())
    lattice = coarse(survey, "level-0", np.full(2, -1.0), np.full(2, 1.0), (8, 8))
    assert np.argwhere(lattice.codes == UNUSABLE).tolist() == [[6, 4]]
    assert set(np.unique(lattice.codes)) == {0, 3, UNUSABLE}
    border = boundary_of(survey, "boundary-0", lattice)
    radius = np.linalg.norm(border.points, axis=1)
    around = np.abs(border.points - [0.5, 0.0]).max(axis=1) < 0.26
    assert np.abs(radius[~around] - 0.9).max() < 1e-3
    with pytest.raises(ArithmeticError, match="nobody can be here"):
        coarse(Survey(disc), "level-0", np.full(2, -1.0), np.full(2, 1.0), (8, 8))
