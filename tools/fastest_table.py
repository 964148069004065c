"""Write the table of docs/trajectories.md: cycle times of fastest motions beside stretched quintics, robot by robot.

python tools/fastest_table.py
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import parakin as pk
from parakin import trajectory
from parakin.arrays import Array
from parakin.trajectory.fastest import scan

PAGE = Path(__file__).parents[1] / "docs" / "trajectories.md"
MARKS = "<!-- fastest -->", "<!-- /fastest -->"
FAST = 1e-3
"""Part of a motion's time that no robot keeps up with: stretching starts there."""
REPEATS = 200
"""Scans of which the quickest counts."""


def rows() -> Iterator[str]:
    """Yield the lines of the table."""
    columns = (
        "robot",
        "motion",
        "stretched quintic [s]",
        "fastest [s]",
        "saved",
        "last stretch",
        "scans",
        "held back by",
    )
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for name in pk.library():
        robot = pk.load(name)
        motion = trajectory.motion("point_to_point" if robot.motion_type.of_joints else "pick_and_place", robot)
        quintic = trajectory.within_limits(motion.stretched(FAST), robot).motion.duration
        found = trajectory.time_optimal(robot, motion)
        cells = (
            name,
            motion.name,
            f"{quintic:.4f}",
            f"{found.duration:.4f}",
            f"{100 * (1 - found.duration / quintic):.0f} %",
            f"{100 * (found.stretched - 1):.3f} %",
            str(found.iterations),
            ", ".join(f"{quantity} {100 * part:.0f} %" for quantity, part in quantities(found).items()),
        )
        print(*cells, flush=True)
        yield f"| {' | '.join(cells)} |"


def quantities(found: trajectory.Fastest) -> dict[str, float]:
    """Return for which part of the time forces, and speeds, hold a motion back."""
    total: dict[str, float] = {}
    for name, part in found.held_back.items():
        total[name.split()[0]] = total.get(name.split()[0], 0.0) + part
    return total


def scan_time() -> str:
    """Return the line on what scans of a thousand nodes take, in processor time."""
    calls: list[tuple[scan.Rows, Array]] = []
    original = scan.largest_pace
    from parakin.trajectory.fastest import profile

    def recorded(given: scan.Rows, fastest: Array) -> Array:
        calls.append((given, fastest))
        return original(given, fastest)

    lines = list[str]()
    for name in ("delta", "gough_stewart"):
        robot = pk.load(name)
        calls.clear()
        profile.largest_pace = recorded
        trajectory.time_optimal(robot, trajectory.pick_and_place(robot))
        profile.largest_pace = original
        best = float("inf")
        for _ in range(REPEATS):
            begin = time.process_time()
            original(*calls[-1])
            best = min(best, time.process_time() - begin)
        lines.append(f"{1e3 * best:.2f} ms ({name}, {len(calls[-1][1])} nodes, {calls[-1][0].slope.shape[1]} rows)")
    return "One scan there and back takes " + " and ".join(lines) + f" of processor time, the best of {REPEATS}."


if __name__ == "__main__":
    table = "\n".join([scan_time(), "", *rows()])
    before, rest = PAGE.read_text().split(MARKS[0])
    _, after = rest.split(MARKS[1])
    PAGE.write_text("".join([before, MARKS[0], "\n", table, "\n", MARKS[1], after]))
