"""Clearances of mechanisms: against the same robots as legs, MuJoCo's capsules, a minimisation, and in a workspace."""

from __future__ import annotations

import warnings
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.optimize import lsq_linear

import parakin as pk
from parakin.analysis import Demands, Reason, causes_of, clearance_names, clearances, judge_of, thorough, workspace
from parakin.analysis.singularities.measures import configurations
from parakin.arrays import Array
from parakin.errors import DescriptionError, ImplausibleValueWarning
from parakin.mechanism import describe_mechanism, parse_mechanism
from parakin.mechanism.bars import segments_of
from tests.analysis.test_clearances import with_radii

SAME_ROBOT = 1e-12
"""Largest difference of clearances of a robot as legs and as a graph [m]: both close loops to rounding."""
SEARCHED = 1e-9
"""Largest difference from the nearest points that a bounded least-squares search finds [m]."""
CAPSULES = 1e-9
"""Largest difference from MuJoCo's distance of two capsules [m]."""
THIN = [{"body": body, "radius": 0.012} for body in ("crank", "coupler", "rocker")]
"""Bars of a four-bar."""


def four_bar(bars: list[dict[str, Any]], name: str = "four_bar") -> pk.Robot:
    tables = pk.load(name).graph_description.model_dump(exclude_defaults=True)
    return pk.Robot(describe_mechanism(tables | {"bars": bars}, "linkage.toml"))


def by_name(names: tuple[str, ...], values: Array) -> dict[frozenset[str], Array]:
    """Clearances (N, pairs) by the two bars, named as a graph names them."""
    return {frozenset(name.replace(".", "_").split(" and ")): values[:, k] for k, name in enumerate(names)}


@pytest.mark.parametrize(
    "name",
    ["five_bar", "planar_3rrr", *(pytest.param(n, marks=pytest.mark.slow) for n in ("delta", "h4", "hexaglide"))],
)
def test_a_robot_has_the_same_clearances_as_legs_and_as_a_graph(name: str) -> None:
    """Parallelograms, rails, telescopes, a nacelle that turns and a pin: the same pairs, the same distances."""
    robot = with_radii(name, 0.004, 0.003)
    poses = robot.sample(20)
    there = configurations(robot, poses)
    legs = by_name(clearance_names(robot), clearances(robot, poses))
    graph = by_name(clearance_names(robot.graph), clearances(robot.graph, robot.graph.pose_of(there), near=there))
    assert legs.keys() == graph.keys()
    assert max(float(np.max(np.abs(legs[pair] - graph[pair]))) for pair in legs) < SAME_ROBOT


def searched(first: Array, second: Array) -> float:
    """The distance of two segments (2, 3) by least squares with bounds: |p + s u - q - t v|, s and t in [0, 1]."""
    along = np.column_stack([first[1] - first[0], second[0] - second[1]])
    found: Any = lsq_linear(along, second[0] - first[0], (0.0, 1.0), tol=1e-15)
    return float(np.sqrt(2.0 * found.cost))


def of_capsules(first: Array, second: Array, radii: tuple[float, float]) -> float:
    """MuJoCo's distance of two capsules with given middle lines (2, 3)."""
    geoms = [
        f'<geom type="capsule" fromto="{" ".join(map(repr, ends.ravel().tolist()))}" size="{radius!r}"/>'
        for ends, radius in zip((first, second), radii, strict=True)
    ]
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{''.join(geoms)}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return float(mujoco.mj_geomDistance(model, data, 0, 1, 10.0, np.zeros(6)))


@pytest.mark.parametrize(
    ("name", "bars"), [("four_bar", THIN), pytest.param("dymo_3uru", None, marks=pytest.mark.slow)]
)
def test_clearances_are_those_of_mujocos_capsules_and_of_a_search(name: str, bars: list[dict[str, Any]] | None) -> None:
    """Ends are placed here from the frames of the bodies, as `body_frames` gives them."""
    graph = pk.load(name).graph_description
    robot = four_bar(bars or [{"body": body.name, "radius": 0.02} for body in graph.bodies], name)
    poses = robot.sample(12)
    frames, found = robot.body_frames(poses), clearances(robot, poses)
    segments = {one.name: one for one in segments_of(robot.graph_description)}

    def ends(name: str, row: int) -> Array:
        places: list[Array] = []
        for body, place in segments[name].ends:
            k = robot.body_names.index(body)
            places.append(frames.p[row, k] + frames.R[row, k] @ np.array(place))
        return np.array(places)

    assert clearance_names(robot)
    for k, pair in enumerate(clearance_names(robot)):
        one, other = pair.split(" and ")
        radii = segments[one].radius, segments[other].radius
        for row in range(len(poses)):
            a, b = ends(one, row), ends(other, row)
            assert found[row, k] == pytest.approx(searched(a, b) - sum(radii), abs=SEARCHED)
            assert found[row, k] == pytest.approx(of_capsules(a, b, radii), abs=CAPSULES)


def test_bars_that_meet_at_a_joint_or_slide_in_each_other_are_not_compared() -> None:
    assert clearance_names(four_bar(THIN)) == ("crank and rocker",)
    crossing = {
        "name": "arm",
        "radius": 0.01,
        "ends": [{"body": "coupler"}, {"body": "coupler", "position": [0, 0, 1]}],
    }
    assert clearance_names(four_bar([*THIN, crossing])) == ("crank and rocker", "crank and arm", "rocker and arm")
    slider = pk.load("slider_crank").graph_description.model_dump(exclude_defaults=True)
    rail = {"name": "rail", "radius": 0.01, "ends": [{"body": "world"}, {"body": "world", "position": [1, 0, 0]}]}
    sliding = next(joint for joint in slider["joints"] if joint["type"] == "prismatic")
    carriage = {"name": "carriage", "radius": 0.02, "ends": [{"body": sliding["child"]}]}
    carriage["ends"].append({"body": sliding["child"], "position": [0.0, 0.0, 0.1]})
    mechanism = pk.Robot(describe_mechanism(slider | {"bars": [rail, carriage]}, "slider.toml"))
    assert clearance_names(mechanism) == ()


def test_a_body_with_joints_at_three_places_is_a_star() -> None:
    head = pk.load("tricept").replace(bars=[{"body": "head", "radius": 0.01}])
    arms = segments_of(head.graph_description)
    assert [arm.name for arm in arms] == ["head.flange", "head.ball1", "head.ball2", "head.ball3"]
    assert {arm.ends[0] for arm in arms} == {arms[0].ends[0]}
    assert clearance_names(head) == ()


def test_a_bar_from_one_body_to_another_is_as_long_as_they_are_apart() -> None:
    """A telescope from its universal joint in the base to its ball on the head; a column stands beside it."""
    tricept = pk.load("tricept")
    joints = {joint.name: joint for joint in tricept.graph_description.joints}
    root, ball = joints["cross1"].parent_frame.position, joints["ball1"].parent_frame.position
    along = [{"body": "cylinder1", "position": root}, {"body": "piston1", "position": ball}]
    x, y, z = root
    foot = [{"body": "world", "position": [x + 0.1, y - 1.0, z]}, {"body": "world", "position": [x + 0.1, y + 1.0, z]}]
    beam = {"name": "beam", "radius": 0.02, "ends": foot}
    robot = tricept.replace(bars=[{"name": "leg1", "radius": 0.03, "ends": along}, beam]).graph
    poses = robot.sample(8)
    frames = robot.body_frames(poses)
    ends = [
        frames.p[:, k] + frames.R[:, k] @ np.array(place)
        for k, place in ((robot.body_names.index("cylinder1"), root), (robot.body_names.index("piston1"), ball))
    ]
    assert np.ptp(np.linalg.norm(ends[1] - ends[0], axis=1)) > 0.01
    for row, found in enumerate(clearances(robot, poses)[:, 0]):
        bar, beside = np.array([ends[0][row], ends[1][row]]), np.array([end["position"] for end in foot])
        assert found == pytest.approx(searched(bar, beside) - 0.05, abs=SEARCHED)


def test_the_rod_of_a_distance_is_a_bar() -> None:
    reachy = pk.load("reachy_mini")
    rods = [joint.name for joint in reachy.graph_description.joints if joint.type == "distance"]
    thick = reachy.replace(bars=[{"body": rod, "radius": 0.003} for rod in rods])
    assert len(clearance_names(thick)) == 15
    assert (clearances(thick, thick.home) > 0).all()


def test_thick_bars_end_a_workspace_and_are_named() -> None:
    """The crank of a four-bar turns towards its rocker until the two touch."""
    thick = four_bar([{"body": "crank", "radius": 0.11}, {"body": "rocker", "radius": 0.11}])
    codes = causes_of(thick)
    touching = next(k for k, cause in enumerate(codes) if cause.reason is Reason.CLEARANCE)
    assert str(codes[touching]) == "clearance: crank and rocker"
    poses = np.linspace(-3.0, 3.0, 61)[:, None]
    said, apart = judge_of(thick)(poses), clearances(thick, poses)[:, 0]
    assert ((said == touching) == (apart < 0)).all()
    assert (said == touching).any()
    wider = judge_of(thick, Demands(clearance=0.02))(poses)
    assert ((wider == touching) == (apart < 0.02)).all()
    found = workspace(thick, levels=1)
    assert any(cause.name == "crank and rocker" for cause in found.causes_outside())
    assert found.volume() < workspace(four_bar([]), levels=1).volume()


def test_thorough_tells_the_least_clearance() -> None:
    told = {one.topic: one for one in thorough(four_bar(THIN))}
    assert told["clearances"].grade == "good"
    assert "crank and rocker" in told["clearances"].text


def test_bars_are_written_and_read_back_and_change_no_force() -> None:
    thick, plain = four_bar(THIN), four_bar([])
    again = parse_mechanism(thick.to_toml().encode(), "again.toml")
    assert again == thick.graph_description
    state = plain.sample_states(5)
    assert np.array_equal(thick.inverse_dynamics(*state), plain.inverse_dynamics(*state))


@pytest.mark.parametrize(
    ("bar", "message"),
    [
        ({"body": "crnak", "radius": 0.01}, r"bars\[0\].body: no body or rod 'crnak', did you mean 'crank'\?"),
        ({"radius": 0.01}, r"bars\[0\]: a bar has either a body, between whose joints it reaches, or two ends"),
        ({"body": "crank", "radius": -1.0}, r"bars\[0\].radius: must be > 0"),
        (
            {"radius": 0.01, "ends": [{"body": "nobody"}, {"body": "crank"}]},
            r"bars\[0\].ends\[0\].body: no body 'nobody'",
        ),
        ({"radius": 0.01, "ends": [{"body": "crank"}, {"body": "crank"}]}, "its ends must be two places"),
    ],
)
def test_bars_that_cannot_be_are_told(bar: dict[str, Any], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        four_bar([bar])


def test_a_bar_between_joints_at_one_place_and_two_of_a_name_are_told() -> None:
    with pytest.raises(DescriptionError, match=r"are at one place: give the bar its two ends instead"):
        four_bar([{"body": "slider", "radius": 0.01}], "slider_crank")
    with pytest.raises(DescriptionError, match="bars: 2 are called 'crank': give each a name of its own"):
        four_bar([{"body": "crank", "radius": 0.01}] * 2)


def test_a_radius_in_millimetres_is_doubted() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        four_bar([{"body": "crank", "radius": 12.0}])
    told = [str(entry.message) for entry in caught if issubclass(entry.category, ImplausibleValueWarning)]
    assert "bars[0].radius: 12 m" in told[0]
