"""Everything that a file tells about its robot before it is built or moved, each finding with a remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from parakin.analysis.reached import unreached_limits
from parakin.analysis.singularities import graph_search, rays
from parakin.analysis.singularities.nearest import nearest_singularities
from parakin.analysis.workspaces.capsules import clearance_names, clearances
from parakin.analysis.workspaces.result import Workspace
from parakin.analysis.workspaces.searching import workspace
from parakin.control import law
from parakin.control.tuning.delay import RATE_FILTER
from parakin.description.doubts import Doubt
from parakin.errors import ParakinError
from parakin.kinematics.status import WITH_VALUES
from parakin.robot import Robot
from parakin.robot.remembering import remembered_mobility
from parakin.robot.surveys import LARGEST_CONDITION, survey_legs
from parakin.simulation import Scenario, margins, verdict

Grade = Literal["good", "note", "problem"]
"""Whether a finding is as it should be, worth a thought, or to be mended."""
LOOSEST_CLOSURE = 1.0
"""Loops that stay open by more than this are rounded in the file [um]."""
NEAR_SINGULARITY = 0.25
"""Share of the box's half diagonal within which a singularity is a problem."""
LEVELS = 2
"""Halvings of cells of the workspace: its volume to a few per cent."""
DEFAULT_LAW = "computed_torque"
"""The law whose default gains are judged."""

REMEDIES = {
    "type 1": "end strokes before it, or choose another home",
    "type 2": "end strokes before it, or choose another home",
    "loops": "end strokes before it, or choose another home",
    "constraint": "end strokes before it, choose another home, or other axes of passive joints",
    "universal": "turn axis 1 of the joint away from where the element points, or choose another home",
}
"""What to do about a singularity of a kind that is near."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    topic: str
    """What was looked at."""
    grade: Grade
    """Whether it is as it should be."""
    text: str
    """What was found, with numbers."""
    remedy: str = ""
    """What to do about it; empty where nothing is to be done."""

    def __str__(self) -> str:
        return f"{self.grade:7}  {self.topic}: {self.text}" + (f"\n         -> {self.remedy}" if self.remedy else "")


def thorough(
    robot: Robot, doubts: tuple[Doubt, ...] = (), *, tell: Callable[[str], None] = lambda _: None
) -> tuple[Finding, ...]:
    """Look at everything that can be known of a robot from its file: ten seconds to a minute, most of it compiling.

    doubts: implausible numbers that were told while the file was loaded, as key and reason; tell: is told what is
    looked at.

    >>> findings = pk.analysis.thorough(pk.load("five_bar"))
    >>> [finding.topic for finding in findings if finding.grade == "problem"]
    []
    """
    found: list[Finding] = []
    for topic, look in (
        ("numbers", lambda: _numbers(doubts)),
        ("mobility", lambda: _mobility(robot)),
        ("closure", lambda: _closure(robot)),
        ("branches", lambda: _branches(robot)),
        ("conditioning", lambda: _conditioning(robot)),
        ("nearest singularity", lambda: _nearest(robot)),
        ("clearances", lambda: _clearances(robot)),
        ("workspace", lambda: _workspace(robot)),
        ("limits", lambda: _limits(robot)),
        ("default gains", lambda: _gains(robot)),
    ):
        tell(topic)
        try:
            found += look()
        except ParakinError as error:
            found.append(Finding(topic, "note", f"could not be looked at: {error}", "see the message"))
    return tuple(found)


def _numbers(doubts: tuple[Doubt, ...]) -> Iterator[Finding]:
    if not doubts:
        yield Finding("numbers", "good", "lengths, masses and inertias are of plausible sizes")
    for key, reason in doubts:
        yield Finding("numbers", "problem", f"{key}: {reason}", "correct the unit, or keep it if it is meant")


def _mobility(robot: Robot) -> Iterator[Finding]:
    if not robot.legs:
        plan = robot.graph.plan
        text = f"{robot.degrees_of_freedom} freedoms, {len(robot.actuator_names)} motors"
        fewer = plan.undriven > 0
        remedy = "drive the freedoms that are left, or lock them" if fewer else ""
        yield Finding("mobility", "note" if fewer else "good", text, remedy)
        yield _redundant(plan.redundant)
        return
    moving = remembered_mobility(robot.description)
    for problem in moving.problems:
        yield Finding("mobility", "problem", problem, "see the remedy in the sentence, or change `motion`")
    for warning in moving.warnings:
        yield Finding("mobility", "problem", warning, "choose another home")
    if moving.good:
        yield Finding("mobility", "good", f"{moving.freedoms} freedoms of the platform, {moving.motion}, as claimed")
    yield _redundant(moving.redundant)


def _redundant(count: int) -> Finding:
    if not count:
        return Finding("redundant constraints", "good", "none: any small error of the parts can be assembled")
    remedy = "hold tolerances, or free a joint (a universal joint for a revolute one) if parts jam"
    return Finding("redundant constraints", "note", f"{count}: the parts must fit each other exactly", remedy)


def _closure(robot: Robot) -> Iterator[Finding]:
    plan = robot.graph.plan
    opened = 1e6 * max(plan.assembly.closure.values(), default=0.0)
    worst = max(plan.assembly.closure, key=lambda name: plan.assembly.closure[name], default="")
    if opened <= LOOSEST_CLOSURE:
        yield Finding("closure", "good", f"loops close to {opened:.2g} um at home")
    else:
        remedy = "give lengths and places with more digits"
        yield Finding("closure", "note", f"loops stay open by {opened:.3g} um at home, most at {worst}", remedy)


def _branches(robot: Robot) -> Iterator[Finding]:
    if not robot.legs:
        yield Finding("branches", "good", "the branch is the one that the file's home is assembled on")
        return
    ways = survey_legs(robot, 1).elbows
    for way, legs in ways:
        yield Finding("branches", "good", f"elbows of {', '.join(legs)} point {way}")
    if not ways:
        yield Finding("branches", "good", "legs close in one way only")


def _conditioning(robot: Robot) -> Iterator[Finding]:
    poses = robot.sample(2000)
    status = robot.check(poses)
    there = np.isin(status, WITH_VALUES)
    good = int((status == 0).sum())
    if good < len(poses):
        text = f"{len(poses) - good} of {len(poses)} poses drawn from the box are not good"
        yield Finding("box", "problem", text, "make `workspace.lower` and `upper` smaller: `parakin check` names poses")
    else:
        yield Finding("box", "good", f"all of {len(poses)} poses drawn from it are good")
    if there.any():
        conditions = robot.condition(poses[there])
        worst = poses[there][int(np.argmax(conditions))]
        text = f"the worst of the box is {conditions.max():.3g}, at [{', '.join(f'{x:.3g}' for x in worst)}]"
        bad = not conditions.max() < LARGEST_CONDITION
        remedy = "make the box smaller there, or move it away from the singularity" if bad else ""
        yield Finding("condition number", "problem" if bad else "good", text, remedy)


def _nearest(robot: Robot) -> Iterator[Finding]:
    found = nearest_singularities(robot)
    if not found:
        far, graph = rays.FARTHEST, graph_search.FARTHEST
        text = f"none was found on rays from home, {far:g} lengths of the robot long, {graph:g} of them for constraints"
        yield Finding("nearest singularity", "good", f"{text} and universal joints")
    scale = np.array(robot.motion_type.scale(robot.length))
    half = float(np.linalg.norm(np.maximum(np.abs(robot.box[0]), np.abs(robot.box[1])) * scale))
    for one in found:
        close = one.distance < NEAR_SINGULARITY * half and not one.limit
        text = f"{one} (from home; rotations count at {one.length:g} m)"
        remedy = REMEDIES[one.kind] if close else ""
        yield Finding("nearest singularity", "problem" if close else "good", text, remedy)


def _clearances(robot: Robot) -> Iterator[Finding]:
    names = clearance_names(robot)
    if not names:
        return
    poses = np.concatenate([robot.home[None], robot.sample(2000)])
    apart = np.nan_to_num(clearances(robot, poses), nan=np.inf)
    row, pair = np.unravel_index(int(np.argmin(apart)), apart.shape)
    where = f"at [{', '.join(f'{x:.3g}' for x in poses[row])}]"
    text = f"the least of the box is {1e3 * apart[row, pair]:.3g} mm, between {names[pair]}, {where}"
    touching = bool(apart[row, pair] < 0)
    remedy = (
        "make the box smaller there, or the parts thinner: `parakin workspace` shows what touches" if touching else ""
    )
    yield Finding("clearances", "problem" if touching else "good", text, remedy)


def _workspace(robot: Robot) -> Iterator[Finding]:
    found: Workspace = workspace(robot, levels=min(LEVELS, 1) if robot.degrees_of_freedom > 3 else LEVELS)
    if found.clipped:
        remedy = "give strokes to the actuators that have none"
        yield Finding("workspace", "note", f"it never ends: {', '.join(found.clipped)}", remedy)
    elif found.volume() > 0:
        yield Finding("workspace", "good", str(found))
    else:
        yield Finding("workspace", "problem", "home is not inside it", "correct home, strokes or limits")
    apart = found.volume("all") - found.volume()
    if apart > 3 * found.error("all") + 1e-3 * found.volume("all"):
        text = f"{apart:.3g} {found.unit} cannot be reached from home without leaving it"
        remedy = "keep motions to the part that holds home: `parakin workspace` draws it"
        yield Finding("workspace", "note", text, remedy)


def _limits(robot: Robot) -> Iterator[Finding]:
    idle = unreached_limits(robot)
    for one in idle:
        remedy = "nothing needs mending: a smaller range would do, or another limit ends the workspace first"
        yield Finding("limits", "note", str(one), remedy)
    if not idle:
        yield Finding("limits", "good", "poses were found that come to every stroke and joint limit")


def _gains(robot: Robot) -> Iterator[Finding]:
    made = law(DEFAULT_LAW, robot)
    usual = Scenario(velocity_filter=RATE_FILTER, delay=True)  # the loop that default gains are made for
    found, room = verdict(robot, made, usual), margins(robot, made, usual)
    text = f"{DEFAULT_LAW} every {1e3 * made.period:g} ms: "
    if found.said is None:
        text += f"gain margin {room.gain:.3g}, delay margin {1e3 * room.delay:.3g} ms at home, "
        text += f"with rates filtered at {RATE_FILTER:g} Hz and a tick of delay"
        yield Finding("default gains", "good", text)
    else:
        remedy = "a shorter period, or a smaller bandwidth: `parakin tune`"
        yield Finding("default gains", "problem", text + found.said, remedy)
