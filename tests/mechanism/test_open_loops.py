"""Loops that cannot close: which joints are asked, and how many at most."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.errors import DescriptionError
from parakin.mechanism import assembling
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.plan import plan
from parakin.mechanism.readers.draft import Draft, DraftBody, DraftJoint
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.skeleton import Skeleton


def four_bars(count: int, *, short: float) -> MechanismDescription:
    """Four-bars side by side, the last with a coupler between ground and rocker that is too short by a length [m]."""
    bodies: list[dict[str, object]] = []
    joints: list[dict[str, object]] = []
    for k in range(count):
        coupler = 0.4 - (short if k == count - 1 else 0.0)
        ends = {"crank": 0.1, "coupler": coupler, "rocker": 0.25}
        bodies += [{"name": f"{name}{k}", "mass": 0.1} for name in ends]
        chain = ["world", f"crank{k}", f"coupler{k}", f"rocker{k}"]
        for n, (parent, child) in enumerate(pairwise(chain)):
            at = {"position": [list(ends.values())[n - 1], 0.0, 0.0]} if n else {"position": [0.0, float(k), 0.0]}
            joints.append(
                {"name": f"j{n}_{k}", "type": "revolute", "parent": parent, "child": child, "parent_frame": at}
                | {"child_frame": {}, "home": [(1.0, -0.6, -1.4)[n]]}
            )
        ground = {"position": [0.4, float(k), 0.0]}
        far = {"position": [0.25, 0.0, 0.0]}
        last: dict[str, object] = {"name": f"last{k}", "type": "revolute", "parent": "world", "child": f"rocker{k}"}
        joints.append(last | {"parent_frame": ground, "child_frame": far})
    file = {"name": "bars", "title": "Bars", "source": "assumed", "output": {"body": "crank0"}}
    return MechanismDescription.model_validate(file | {"bodies": bodies, "joints": joints})


def test_only_joints_of_open_loops_are_asked() -> None:
    with pytest.raises(DescriptionError) as refused:
        plan(four_bars(3, short=0.39))
    text = str(refused.value)
    assert "stay open: that of joint" in text
    assert "all others close without joint" in text
    blamed = text.partition("without joint")[2]
    assert "_2'" in blamed or "last2'" in blamed
    assert "_0'" not in blamed
    assert "_1'" not in blamed


def test_a_refusal_of_a_large_mechanism_says_how_many_joints_were_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def counted(_description: MechanismDescription, joints: list[object]) -> dict[str, float]:
        tried.append(len(joints))
        return {}

    monkeypatch.setattr(assembling, "_suspects", counted)
    with pytest.raises(DescriptionError, match="no single joint is at fault"):
        plan(four_bars(1, short=0.39))
    monkeypatch.setattr(assembling, "SUSPECT_WORK", 0)
    with pytest.raises(DescriptionError, match="none of the 3 joints, of 4, that were tried is at fault"):
        plan(four_bars(1, short=0.39))
    assert tried == [4, 3]


def test_one_of_many_trials_ends_where_loops_are_far_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coupler of 2.4 m stays open coarsely, and finer assemblies are for files that nearly close."""
    closed, tree = assembling.closed, assembling.skeleton(four_bars(1, short=-2.0))
    weakest: list[float] = []

    def counted(tree: Skeleton, start: Array, tolerance: float, patience: int) -> tuple[Array, float]:
        weakest.append(tolerance)
        return closed(tree, start, tolerance, patience)

    monkeypatch.setattr(assembling, "closed", counted)
    assert assembling._closed_finely(tree, assembling.numeric.start(tree), assembling.PATIENCE)[1] > assembling.FAR_OPEN
    assert weakest == [assembling.WEAKEST[0]]
    assembling._closed_finely(tree, assembling.numeric.start(tree))
    assert weakest[1:] == [*assembling.WEAKEST]


def test_impatience_changes_nothing_for_loops_that_close() -> None:
    tree = plan(four_bars(2, short=0.0)).skeleton
    start = assembling.numeric.start(tree)
    patient, hasty = (assembling.closed(tree, start, 1e-6, patience) for patience in (100, assembling.PATIENCE))
    assert patient[1] < 1e-12
    assert hasty[1] < 1e-12
    assert np.max(np.abs(patient[0] - hasty[0])) < 1e-12


def test_names_of_a_draft_are_found_whatever_was_done_to_its_lists() -> None:
    draft = Draft(Journal("file", "URDF"), "robot")
    assert draft.body("a") is None
    draft.bodies.append(DraftBody("a", "here"))
    draft.bodies.append(DraftBody("a", "there"))
    found = draft.body("a")
    assert found is not None
    assert found.place == "here"
    draft.joints.append(DraftJoint("j", "here", "weld", "a", "b"))
    assert draft.joint("j") is draft.joints[0]
    draft.joints.insert(0, DraftJoint("root", "here", "weld", "world", "a"))
    assert draft.joint("root") is draft.joints[0]
    draft.joints = draft.joints[:1]
    assert draft.joint("j") is None
    draft.bodies.append(DraftBody("b", "there"))
    draft.joints.append(DraftJoint("j", "here", "weld", "a", "b"))
    assert draft.groups() == {"world": "world", "a": "world", "b": "world"}
