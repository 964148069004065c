"""Formulas, Newton's method for what has none, formulas again: the same configurations as by Newton's method alone."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

from parakin.arrays import Array
from parakin.dynamics.graph.models import Options, graph_program
from parakin.kernels import Kernel, Program, stage
from parakin.kinematics.graph.closing import stepped
from parakin.kinematics.graph.searching import closing_steps, searching
from parakin.kinematics.status import Status
from parakin.mechanism import MechanismDescription, numeric, plan_of_json, plan_to_json
from parakin.mechanism.dependence import dependence, first_blocks
from parakin.mechanism.dyads import given_by
from parakin.mechanism.loader import parse_mechanism
from parakin.mechanism.plan import plan
from parakin.robot import Robot
from tests.mechanism.test_singular import description

SAME = 1e-10
"""Largest difference of coordinates [m, rad] and of forces, relative to the largest."""
STATES = 40

Bodies = dict[str, tuple[float, ...]]
"""The ends of rods: x, y, x, y."""
Joints = dict[str, tuple[str, str, str, tuple[float, ...]]]
"""Type, parent, child and place x, y; slides have a direction besides."""


def drawn(bodies: Bodies, joints: Joints, independent: str, more: str = "") -> MechanismDescription:
    """A mechanism in the plane x, y, of rods, by joints where they are in the drawing."""
    text = ['name = "drawn"\ntitle = "drawn"\nsource = "assumed"']
    text.append(f'independent = [{independent}]\n[output]\nbody = "{list(bodies)[-1]}"\n')
    for name, ends in bodies.items():
        a, b = list(ends[:2]), list(ends[2:])
        text.append(f'[[bodies]]\nname = "{name}"\nmass = 0.5\nshape = "rod"\nends = [{[*a, 0.0]}, {[*b, 0.0]}]')
        text.append("radius = 0.01\n")
    for name, (kind, parent, child, (x, y, *way)) in joints.items():
        freedom = {"revolute": "angle", "prismatic": "travel"}[kind]
        z = [*way, 0.0] if way else [0.0, 0.0, 1.0]
        text.append(f'[[joints]]\nname = "{name}"\ntype = "{kind}"\nparent = "{parent}"\nchild = "{child}"')
        text.append(f"parent_frame = {{ position = {[x, y, 0.0]}, z = {z} }}")
        if f'"{name}.{freedom}"' in independent:
            text.append(f"freedoms.{freedom} = {{ drive = {{}} }}")
    return parse_mechanism("\n".join([*text, more]).encode(), "drawn.toml")


@cache
def driven_by_a_four_bar() -> MechanismDescription:
    """A planar platform on three legs, which no formula closes; the first leg is the rocker of a four-bar.

    A fourth leg follows the platform.
    """
    bodies = {"crank": (-0.3, -0.05, -0.3, 0.05), "coupler": (-0.3, 0.05, 0.01, 0.1)}
    at = {1: ((0.0, 0.0), (-0.02, 0.2), (0.15, 0.1)), 2: ((0.6, 0.0), (0.62, 0.2), (0.45, 0.1))}
    at |= {3: ((0.3, 0.6), (0.1, 0.5), (0.3, 0.36)), 4: ((0.3, -0.3), (0.12, -0.1), (0.3, 0.1))}
    joints: Joints = {
        "crank": ("revolute", "world", "crank", (-0.3, -0.05)),
        "pull": ("revolute", "crank", "coupler", (-0.3, 0.05)),
    }
    for k, (base, elbow, wrist) in at.items():
        bodies |= {f"arm{k}": (*base, *elbow), f"forearm{k}": (*elbow, *wrist)}
        joints[f"arm{k}"] = ("revolute", "world", f"arm{k}", base)
        joints[f"elbow{k}"] = ("revolute", f"arm{k}", f"forearm{k}", elbow)
        joints[f"wrist{k}"] = ("revolute", f"forearm{k}", "platform", wrist)
    joints["push"] = ("revolute", "coupler", "arm1", (0.01, 0.1))
    bodies["platform"] = (0.15, 0.1, 0.45, 0.1)
    return drawn(bodies, joints, '"crank.angle", "arm2.angle", "arm3.angle"')


@cache
def geared_four_bar() -> MechanismDescription:
    """A motor that turns the crank of a four-bar by a gear of 1 : 2.5."""
    bodies = {"motor": (-0.1, 0.0, -0.1, 0.02), "crank": (0.0, 0.0, 0.0, 0.1)}
    bodies |= {"coupler": (0.0, 0.1, 0.3, 0.25), "rocker": (0.3, 0.0, 0.3, 0.25)}
    joints: Joints = {
        "motor": ("revolute", "world", "motor", (-0.1, 0.0)),
        "crank": ("revolute", "world", "crank", (0.0, 0.0)),
        "pull": ("revolute", "crank", "coupler", (0.0, 0.1)),
        "push": ("revolute", "coupler", "rocker", (0.3, 0.25)),
        "rocker": ("revolute", "world", "rocker", (0.3, 0.0)),
    }
    terms = '{ coordinate = "motor.angle", factor = 1.0 }, { coordinate = "crank.angle", factor = 2.5 }'
    return drawn(bodies, joints, '"motor.angle"', f"[[couplings]]\nterms = [{terms}]\nconstant = 0.0")


@cache
def scotch_yoke() -> MechanismDescription:
    """A crank whose pin turns in a block that slides in a yoke, which slides in the base."""
    bodies = {"crank": (0.0, 0.0, 0.06, 0.08), "block": (0.05, 0.08, 0.07, 0.08), "yoke": (0.06, -0.1, 0.06, 0.1)}
    joints: Joints = {
        "crank": ("revolute", "world", "crank", (0.0, 0.0)),
        "pin": ("revolute", "crank", "block", (0.06, 0.08)),
        "slot": ("prismatic", "block", "yoke", (0.06, 0.08, 0.3, 1.0)),
        "guide": ("prismatic", "world", "yoke", (0.06, 0.0, 1.0, 0.0)),
    }
    return drawn(bodies, joints, '"crank.angle"')


@cache
def rods_as_distances() -> MechanismDescription:
    """A crank that pushes a slide by a rod without mass, and the slide a rocker by another, all in space."""
    return parse_mechanism(
        b"""
name = "drawn"
title = "A crank, a slide and a rocker in space"
source = "assumed"
independent = ["crank.angle"]
[output]
body = "rocker"
[[bodies]]
name = "crank"
mass = 0.3
shape = "rod"
ends = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.08]]
radius = 0.01
[[bodies]]
name = "slider"
mass = 0.5
[[bodies]]
name = "rocker"
mass = 0.3
shape = "rod"
ends = [[0.6, 0.1, 0.0], [0.6, 0.1, 0.2]]
radius = 0.01
[[joints]]
name = "crank"
type = "revolute"
parent = "world"
child = "crank"
parent_frame = { position = [0.0, 0.0, 0.0], z = [0.1, 1.0, 0.0] }
freedoms.angle = { drive = {} }
[[joints]]
name = "guide"
type = "prismatic"
parent = "world"
child = "slider"
parent_frame = { position = [0.3, 0.05, 0.0], z = [1.0, 0.1, 0.0] }
[[joints]]
name = "rocker"
type = "revolute"
parent = "world"
child = "rocker"
parent_frame = { position = [0.6, 0.1, 0.0], z = [0.2, 1.0, 0.0] }
[[joints]]
name = "rod1"
type = "distance"
parent = "crank"
child = "slider"
parent_frame = { position = [0.0, 0.0, 0.08] }
child_frame = { position = [0.3, 0.05, 0.0] }
length = 0.31
[[joints]]
name = "rod2"
type = "distance"
parent = "slider"
child = "rocker"
parent_frame = { position = [0.3, 0.05, 0.02] }
child_frame = { position = [0.6, 0.1, 0.2] }
length = 0.35
""",
        "drawn.toml",
    )


MADE = {
    "driven by a four-bar": driven_by_a_four_bar,
    "geared four-bar": geared_four_bar,
    "scotch yoke": scotch_yoke,
    "rods as distances": rods_as_distances,
}
COUNTS = {
    "driven by a four-bar": (1, 4, 1),
    "geared four-bar": (2, 0, 0),
    "scotch yoke": (2, 0, 0),
    "rods as distances": (2, 0, 0),
    "library slider_crank": (2, 0, 0),
    "library four_bar_leg": (1, 0, 0),
    "library agile_eye": (0, 2, 2),
    "robotiq_2f85": (3, 0, 0),
    "4rrr_redundant": (0, 4, 1),
    "library tripod_3rps": (0, 6, 3),
    "legs gough_stewart": (0, 6, 6),
    "legs quattro": (0, 10, 0),
}
"""Formulas before the search, rows of the search, formulas after it."""


def described(name: str) -> MechanismDescription:
    return MADE[name]() if name in MADE else description(name)


@pytest.mark.parametrize("name", [*list(COUNTS)[:-1], pytest.param(list(COUNTS)[-1], marks=pytest.mark.slow)])
def test_what_has_a_formula_is_not_searched_for(name: str) -> None:
    planned = plan(described(name))
    order = planned.closing
    assert (len(order.before), len(order.rows), len(order.after)) == COUNTS[name]
    assert len(order.columns) == len(order.rows) == len(order.sizes)
    again = plan_of_json(described(name), plan_to_json(planned))
    assert again.closing.formulas == order.formulas
    assert str(again) == str(planned)


class Pair:
    """A mechanism closed by formulas where there are any, and by Newton's method alone."""

    def __init__(self, name: str) -> None:
        asked = described(name)
        self.mechanism = Robot(asked)
        self.plans = plan(asked), plan(asked, closed_forms=False)

    def found(self, model: str, pose: Array, **motion: Array) -> list[dict[str, Array]]:
        """What both give, from home."""
        near = np.tile(self.mechanism.home_configuration, (len(pose), 1))
        results: list[dict[str, Array]] = []
        for planned in self.plans:
            program = graph_program(model, planned, Options(self.mechanism.payload))
            inputs = {"pose": pose, "near": near} | motion
            if pose.shape[1] == 1:
                inputs |= {key: value[:, 0] for key, value in inputs.items() if key != "near"}
            results.append(dict(Kernel(program, status="status").evaluate(inputs)))
        return results


@cache
def pair(name: str) -> Pair:
    return Pair(name)


def turned_alike(a: Array, b: Array) -> Array:
    """The difference of coordinates but for whole turns, which a spring would count."""
    return np.abs(a - b - 2 * np.pi * np.round((a - b) / (2 * np.pi)))


QUICK = ("driven by a four-bar", "geared four-bar", "scotch yoke", "rods as distances", "library tripod_3prs")
SLOW = ("legs gough_stewart", "legs delta", "legs hexa", "library agile_eye", "4rrr_redundant")
LENGTHS = ("library tripod_3prs", *SLOW[:3])
"""Mechanisms whose poses are lengths, or that are small."""


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_configurations_are_those_of_newton_alone(name: str) -> None:
    one, rng = pair(name), np.random.default_rng(1)
    home = np.atleast_1d(one.mechanism.home)
    pose = home + (0.05 if name in LENGTHS else 0.25) * rng.uniform(-1, 1, (STATES, len(home)))
    mixed, newton = one.found("configuration", pose)
    good = newton["status"] == Status.GOOD
    assert np.mean(good) > 0.8
    assert np.all(mixed["status"][good] == Status.GOOD)
    assert np.max(turned_alike(mixed["configuration_found"], newton["configuration_found"])[good]) < SAME


@pytest.mark.parametrize("name", [pytest.param("driven by a four-bar", marks=pytest.mark.slow), "geared four-bar"])
def test_forces_and_their_models_that_need_the_configuration_agree(name: str) -> None:
    one, rng = pair(name), np.random.default_rng(2)
    home = np.atleast_1d(one.mechanism.home)
    pose = home + rng.uniform(-0.2, 0.2, (STATES, len(home)))
    motion = {key: rng.normal(size=pose.shape) for key in ("velocity", "acceleration")}
    for model, output, given in (("inverse_dynamics", "tau", motion), ("jacobian_rate", "J_qv_dot", motion)):
        asked = given if model == "inverse_dynamics" else {"velocity": given["velocity"]}
        mixed, newton = one.found(model, pose, **asked)
        assert np.all(mixed["status"] == newton["status"])
        largest = np.nanmax(np.abs(newton[output]), initial=1.0)
        assert np.nanmax(np.abs(mixed[output] - newton[output])) < SAME * largest


@pytest.mark.parametrize(
    ("name", "far"), [("driven by a four-bar", 2.5), ("scotch yoke", 0.0), ("rods as distances", 0)]
)
def test_poses_out_of_reach_are_flagged_as_by_newton_alone(name: str, far: float) -> None:
    one, rng = pair(name), np.random.default_rng(3)
    home = np.atleast_1d(one.mechanism.home)
    pose = home + rng.uniform(-np.pi, np.pi, (STATES, len(home)))
    if far:
        pose[:, 0] = home[0] + far  # the crank cannot turn there: the coupler is too short
    mixed, newton = one.found("configuration", pose)
    lost = newton["status"] != Status.GOOD
    assert np.all(lost) if far else not np.any(lost)
    assert np.array_equal(mixed["status"] != Status.GOOD, lost)


def test_formulas_that_follow_a_search_can_be_steps_of_their_own() -> None:
    one = pair("driven by a four-bar").mechanism
    done = ca.SX.sym("done")
    told = stage(ca.Function("told", [done], [1 - done], ["done"], ["residual"]))
    steps = closing_steps(one.plan, surely=False, complete=True)
    kernel = Kernel(Program(*steps, told, outputs=("configuration", "residual"), name="steps"))
    pose = one.home + np.array([0.1, -0.1, 0.1])
    found = kernel(pose=pose, near=one.home_configuration)
    assert np.max(turned_alike(found["configuration"], one.configuration(pose))) < SAME


def test_a_search_goes_on_from_where_it_is_and_not_from_home() -> None:
    one = pair("driven by a four-bar").mechanism
    way = np.linspace(0.0, 1.0, 30)[:, None] * np.array([-0.2, 0.2, 0.1]) + one.home
    along = one.configurations(way)
    at_once = one.configuration(way[-1])
    assert np.max(turned_alike(along[-1], at_once)) < SAME


def test_the_plan_says_which_loops_close_by_what() -> None:
    words = str(plan(driven_by_a_four_bar()))
    first, search, last = (line for line in words.splitlines() if line.startswith("follow by loop closure"))
    assert first.startswith("follow by loop closure, by formulas: ")
    assert first.endswith("(four-bar to push)")
    assert search.startswith("follow by loop closure, by Newton steps: ")
    assert last.endswith("(four-bar to wrist4)")
    assert "coupling 1" in str(plan(geared_four_bar()))
    assert "one row of " in str(plan(scotch_yoke()))


def test_an_angle_that_a_coupling_counts_is_searched_for_unless_limits_tell_its_turns() -> None:
    tables = geared_four_bar().model_dump()
    tables["couplings"] = (
        {"terms": ({"coordinate": "motor.angle", "factor": 1.0}, {"coordinate": "rocker.angle", "factor": 2.5})},
    )
    tables["independent"] = ("crank.angle",)
    geared_rocker = MechanismDescription.model_validate(tables)
    assert plan(geared_rocker).closing.rows
    for joint in tables["joints"]:
        if joint["name"] == "rocker":
            joint["freedoms"] = {"angle": {"lower": -1.0, "upper": 1.0}}
    assert not plan(MechanismDescription.model_validate(tables)).closing.rows


@pytest.mark.parametrize("name", ["library tripod_3prs", "legs gough_stewart"])
def test_rows_without_pivots_are_derived_rightly_also_where_loops_are_open(name: str) -> None:
    planned = plan(described(name))
    moving = searching(planned, surely=False)
    order, skeleton = planned.closing, planned.skeleton
    assert {given for one in order.after for given in given_by(skeleton, one)}.isdisjoint(order.columns)
    step = ca.SX.sym("step", skeleton.velocities)
    values = ca.Function("values", [moving.c], [moving.rows.values[list(order.rows)]])
    derived = ca.substitute(ca.jacobian(values(stepped(skeleton, moving.c, step)), step), step, 0)
    beside = ca.Function("beside", [moving.c], [moving.rows.J[list(order.rows), :] - derived, derived])
    rng = np.random.default_rng(4)
    c = numeric.stepped(skeleton, planned.assembly.configuration, 0.1 * rng.normal(size=skeleton.velocities))
    difference, size = (np.abs(value.full()).max() for value in beside(c))
    assert difference < SAME * size


def test_blocks_depend_on_what_rows_contain_where_loops_are_open() -> None:
    pattern = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=np.bool_)
    assert first_blocks(pattern, [0, 1, 2, 3], [0, 1, 2, 3]) == ({0, 1}, {0, 1})
    assert first_blocks(pattern, [2, 3], [2, 3]) == ({2}, {2})
    planned = plan(description("library reachy_mini"))
    found = dependence(planned.skeleton, planned.assembly.configuration)
    assert np.all(found[np.ix_(planned.pivots.rows, planned.pivots.columns)])  # every rod's length, on all of the neck
