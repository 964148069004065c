"""Write the table of docs/vision.md: what an observer of a Quattro bears, and what it does not.

python tools/observer_table.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.quaternions import quaternion_from_vector, rotation_matrix
from parakin.vision import Observer, ObserverSettings, ObserverStatus, Rig
from tests.vision.following import SETTLING, Case, Followed, follow
from tests.vision.rigs import quattro

PAGE = Path(__file__).parents[1] / "docs" / "vision.md"
MARKS = "<!-- observer -->", "<!-- /observer -->"
LANES = 20
"""Runs of each row, in half of which the model's acceleration is too large and in half too small."""
COLUMNS = ("", "position [µm]", "angle [mrad]", "velocity [mm/s]", "normalised error", "refused", "doubtful", "lost")


@dataclass(frozen=True, eq=False)
class Row:
    """A line of the table."""

    words: str
    case: Case = field(default_factory=Case)
    settings: ObserverSettings = field(default_factory=ObserverSettings)
    radius_deviation: float | None = None
    moved: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turned: tuple[float, float, float] = (0.0, 0.0, 0.0)
    start: tuple[float, float] = (1e-3, 0.1)


ROWS = (
    Row("as above"),
    Row("first pose 10 mm off along each axis, velocity 1 m/s", start=(1e-2, 1.0)),
    Row("model exact", Case(off=0.0)),
    Row("model 10 % off, and 5 % told", Case(off=0.1)),
    Row("model 20 % off, and 5 % told", Case(off=0.2)),
    Row("model 20 % off and told", Case(off=0.2), ObserverSettings(acceleration_share=0.2)),
    Row("disturbed as observers reckon with by default", Case(disturbance=1.0)),
    Row("disturbed three times as much", Case(disturbance=3.0)),
    Row("edges three times as noisy as told", Case(noise=0.12)),
    Row("30 % of the regions dropped", Case(dropped=0.3)),
    Row("80 % of the regions dropped", Case(dropped=0.8)),
    Row("nothing seen for 10 ms", Case(blackout=0.01)),
    Row("nothing seen for 30 ms", Case(blackout=0.03)),
    Row("one contour 3 px astray in 20 % of the regions", Case(outliers=0.2)),
    Row("one contour 0.05 px astray in 20 % of the regions", Case(outliers=0.2, astray=0.05)),
    Row("one contour 3 px astray in 40 % of the regions", Case(outliers=0.4)),
    Row("time stamps off by 2 µs, not told", Case(jitter=2e-6)),
    Row("time stamps off by 10 µs, not told", Case(jitter=1e-5)),
    Row("time stamps off by 10 µs, told", Case(jitter=1e-5), ObserverSettings(time_deviation=1e-5)),
    Row("radii off by 0.2 mm and trusted", radius_deviation=1e-9),
    Row("camera 0.1 mm higher than known", moved=(0.0, 0.0, 1e-4)),
    Row("camera 0.1 mm aside of where it is known", moved=(1e-4, 0.0, 0.0)),
    Row("camera turned by 0.1 mrad about x", turned=(1e-4, 0.0, 0.0)),
)


def followed(row: Row) -> Followed:
    """Run the observer of a row."""
    rig = quattro()
    camera = rig.cameras[0]
    turn = rotation_matrix(quaternion_from_vector(row.turned))
    true = Rig(rig.robot, (camera.placed(camera.p_OK + np.array(row.moved), turn @ camera.R_OK),), rig.rods)
    if row.radius_deviation is not None:
        rods = tuple(replace(rod, radius_deviation=row.radius_deviation) for rod in rig.rods)
        rig = Rig(rig.robot, rig.cameras, rods)
    return follow(Observer(rig, row.settings), row.case, lanes=LANES, truth=true, start=row.start)


def lines() -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * len(COLUMNS)}"
    for row in ROWS:
        made = followed(row)
        position, angle, velocity = made.rms()
        tracked = made.tracked
        refused = mean(tracked.refused[:, -1] / (tracked.refused + tracked.accepted)[:, -1])
        statuses = tracked.statuses[:, SETTLING:]
        doubtful, lost = (mean(statuses == status) for status in (ObserverStatus.DOUBTFUL, ObserverStatus.LOST))
        errors = (1e6 * position, 1e3 * angle, 1e3 * velocity, mean(made.normalised[:, SETTLING:]))
        cells = [row.words, *map(rounded, errors), share(refused), share(doubtful), share(lost)]
        print(*cells, sep=" | ", flush=True)
        yield f"| {' | '.join(cells)} |"


def mean(values: Array | np.ndarray) -> float:
    """Return the mean of all numbers."""
    return float(np.mean(values))


def rounded(value: float) -> str:
    """Return a number with two or three digits that count, without powers of ten."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.{1 if value >= 10 else 2 if value >= 1 else 3}f}"


def share(value: float) -> str:
    """Return a share in per cent."""
    return "0" if value == 0 else f"{100 * value:.0f} %" if value > 0.1 else f"{100 * value:.2g} %"


if __name__ == "__main__":
    table = "\n".join(lines())
    before, rest = PAGE.read_text().split(MARKS[0])
    _, after = rest.split(MARKS[1])
    PAGE.write_text("".join([before, MARKS[0], "\n", table, "\n", MARKS[1], after]))
