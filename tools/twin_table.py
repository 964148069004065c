"""Measure poses from one picture with twin rods, with arms and rods in the way, and write the table of docs/vision.md.

python -m tools.twin_table [POSES]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import parakin as pk
from parakin.arrays import Array
from parakin.motions.offsets import displaced, offset_between
from parakin.vision import Appearance, Camera, Rig, Rod, estimate, find_edges, looking_at, regions_at, render, rig_of
from parakin.vision.rigs.rig import rods_of

PAGE = Path(__file__).parents[1] / "docs" / "vision.md"
MARKS = ("<!-- twins -->\n", "<!-- /twins -->")
ARM_RADIUS = 0.03
"""Radius of the arms that are in the way [m]."""
AWAY = np.array([0.003, -0.003, 0.003, 0.01])
"""How far from the truth regions are predicted [m, rad]."""


def cases() -> dict[str, tuple[Rig, tuple[Rod, ...]]]:
    """Return what is looked at, by name: a rig, and rods that are in the way."""
    robot = pk.load("quattro")
    down, aside = looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0]), [0.5, 0.1, -0.1]
    top = Camera("top", (1024, 1024), (640.0, 640.0), np.zeros(3), down)
    side = Camera("side", (1024, 1024), (640.0, 640.0), np.array(aside), looking_at(aside, [0, 0, -0.7], [0, 1, 0]))
    arms = tuple(
        rod
        for number, name in enumerate(robot.element_names)
        if name.endswith(".arm")
        for rod in rods_of(robot, number, ARM_RADIUS)
    )
    single, twin = (
        {camera.name: rig_of(robot, camera, "*.forearm", radius=0.008, twin=pair, end=0.01) for camera in (top, side)}
        for pair in (False, True)
    )
    return {
        "single rods, from the base's origin": (single["top"], ()),
        "twin rods, from the base's origin": (twin["top"], ()),
        "twin rods and arms, from the base's origin": (twin["top"], arms),
        "single rods, from beside": (single["side"], ()),
        "twin rods and arms, from beside": (twin["side"], arms),
    }


def row(name: str, rig: Rig, others: tuple[Rod, ...], poses: Array) -> str:
    """Return the row of a case: how many poses were found, edges refused, errors, and errors beside deviations."""
    motion, errors, shares = rig.robot.motion_type, [], []
    refused = looked = good = 0
    for k, pose in enumerate(poses):
        near = displaced(motion, pose, AWAY)
        regions = regions_at(rig, near, per_rod=2, others=others)
        look = Appearance(noise=2.0)
        patches = [
            render(rig, pose, appearance=look, region=region.window, others=others, seed=k) for region in regions
        ]
        edges = find_edges(rig, regions, patches)
        refused, looked = refused + len(edges.refused), looked + len(edges.reports)
        found = estimate(rig, edges.seen, near)
        if found.status != 0:
            continue
        good += 1
        error = offset_between(motion, pose, found.pose)
        errors.append(error)
        shares.append(error @ np.linalg.solve(found.covariance, error) / len(error))
    if not errors:
        return f"| {name} | 0 of {len(poses)} | {refused} of {looked} | | | |"
    sizes = np.sqrt(np.mean(np.square(errors), axis=0))
    place, turn = 1e6 * float(np.linalg.norm(sizes[:3])), 1e3 * float(sizes[3])
    cells = (
        f"{good} of {len(poses)}",
        f"{refused} of {looked}",
        f"{place:.0f}",
        f"{turn:.3f}",
        f"{np.mean(shares):.2g}",
    )
    return f"| {name} | {' | '.join(cells)} |"


def main(count: int) -> None:
    heads = ("what is seen", "poses found", "edges refused", "position [µm]", "angle [mrad]", "normalised error")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    poses = pk.load("quattro").sample(count, seed=3)
    for name, (rig, others) in cases().items():
        lines.append(row(name, rig, others, poses))
        print(lines[-1], flush=True)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    PAGE.write_text(before + MARKS[0] + "\n".join(lines) + "\n" + MARKS[1] + after, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 24)
