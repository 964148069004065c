"""Why a motion shows a parameter poorly: every reason, and the thresholds between them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.identification.excitation.quality import Quality, Scaling
from parakin.identification.excitation.weak import NAMED_OTHERS, Weak, hidden_parameters, weak_parameters
from parakin.identification.fit.triangles import triangle

SAMPLES = 100.0
NEARLY = 1e-3
"""Angle between two columns that look alike [rad]."""


def weak(
    names: Sequence[str],
    columns: Array,
    *,
    still: Array | None = None,
    shares: dict[str, float] | None = None,
    values: Sequence[float] | None = None,
) -> tuple[Weak, ...]:
    """Of parameters whose columns of A these are; still: their lengths at standstill."""
    count = len(names)
    base: Any = SimpleNamespace(
        representatives=[SimpleNamespace(name=name, within_part=name.partition(".")[2]) for name in names],
        units=["kg"] * count,
        values=np.ones(count) if values is None else np.array(values),
        columns=lambda Psi: Psi,
    )
    lengths = np.zeros(count) if still is None else still
    robot: Any = SimpleNamespace(regressor=lambda *_: lengths[None, None, :], legs=("leg1",))
    R = triangle(columns)
    quality = Quality(R, np.asarray(np.linalg.svd(R, compute_uv=False), float), 1.0)
    state: Any = SimpleNamespace(pose=np.zeros((1, 2)), velocity=np.zeros((1, 2)))
    scaling = Scaling(base, np.ones(1), np.ones(count))
    return weak_parameters(robot, scaling, quality, samples=SAMPLES, state=state, shares=shares or {})


def alike(count: int = 2) -> Array:
    """Columns of length 10 that point the same way, almost."""
    columns = np.eye(count + 1)[:, :count] * NEARLY
    columns[count] = 1.0
    return 10 * columns / np.linalg.norm(columns[:, 0])


@pytest.mark.parametrize(
    ("names", "still", "kind", "reason"),
    [
        (("leg1.arm.mx", "leg2.arm.mx"), 0.0, "symmetry", "symmetry: legs move alike, it looks like {other}"),
        (("leg1.arm.mx", "leg2.arm.mx"), 10.0, "symmetry", "symmetry: legs move alike, it looks like {other}"),
        (("leg1.arm.mx", "platform.m"), 10.0, "gravity", "gravity pulls one way only: as weight it looks like {other}"),
        (("leg1.arm.mx", "platform.m"), 9.4, "dependent", "its force looks like that of {other} along this motion"),
        (("leg1.arm.mx", "leg1.arm.rotor"), 0.0, "dependent", "its force looks like that of {other} along this motion"),
    ],
)
def test_parameters_that_look_alike_are_told_apart_by_why(
    names: tuple[str, str], still: float, kind: str, reason: str
) -> None:
    found = weak(names, alike(), still=np.full(2, still))
    assert {one.name for one in found} == set(names)
    for one in found:
        other = names[1 - names.index(one.name)]
        assert (one.kind, one.reason) == (kind, reason.format(other=other))
        assert one.widening > 100
        assert one.alone == pytest.approx(0.01, rel=1e-3)


def test_weight_must_be_all_of_every_column_to_blame_gravity() -> None:
    found = weak(("leg1.arm.mx", "platform.m"), alike(), still=np.array([10.0, 1.0]))
    assert [one.kind for one in found] == ["dependent", "dependent"]


def test_a_short_column_is_a_small_force() -> None:
    columns = np.diag([10.0, 0.5, 0.2])
    found = weak(("a.m", "b.m", "c.m"), columns, values=(1.0, 2.0, 0.0))
    assert [(one.name, one.kind) for one in found] == [("c.m", "small"), ("b.m", "small")]
    assert found[0].reason == "small force, 0.2 times the noise counted at the least size that matters"
    assert found[1].reason == "small force, 0.5 times the noise at its prior value"
    assert (found[1].value, found[1].deviation, found[1].widening) == (2.0, pytest.approx(0.2), pytest.approx(1.0))


def test_ten_percent_is_not_weak() -> None:
    assert [one.name for one in weak(("a.m", "b.m"), np.diag([1.001, 0.999]))] == ["b.m"]


def test_limits_that_are_reached_are_named() -> None:
    columns = np.diag([10.0, 0.5])
    (one,) = weak(("a.m", "b.m"), columns, shares={"speed": 0.98, "box": 0.5, "force": 1.0, "reach": 0.97})
    assert one.reason.endswith("; no more motion within speed and force")
    (one,) = weak(("a.m", "b.m"), columns, shares={"speed": 0.9})
    assert "no more motion" not in one.reason
    assert str(one) == "b.m: ± 20 %: small force, 0.5 times the noise at its prior value"


def test_at_most_three_others_are_named() -> None:
    found = weak([f"leg{k}.arm.mx" for k in range(6)], alike(6))
    assert len(found) == 6
    assert all(one.reason.count("arm.mx") <= NAMED_OTHERS for one in found)


def test_what_gravity_hides_comes_before_what_no_motion_shows() -> None:
    asked: list[dict[str, object]] = []

    def general(**options: object) -> Any:
        asked.append(options)
        return SimpleNamespace(zero=("a.mx", "c.mx"))

    robot: Any = SimpleNamespace(base_parameters=general)
    base: Any = SimpleNamespace(zero=("a.mx", "b.mx", "c.mx"))
    found = hidden_parameters(robot, base, shared=True)
    assert [(one.name, one.kind) for one in found] == [("b.mx", "gravity"), ("a.mx", "motion"), ("c.mx", "motion")]
    assert asked == [{"shared": True, "gravity": "general"}]
    nothing: Any = SimpleNamespace(zero=())
    assert hidden_parameters(robot, nothing, shared=True) == ()
