"""What `parakin forces --joints` prints and writes: loads and ways of every joint."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

from parakin.cli.outputs import aligned

if TYPE_CHECKING:
    from parakin.analysis import JointLoads

SAMPLES, PEAKS = "joints.csv", "joint_loads.csv"
"""Names of the tables: every sample, and peaks and root mean squares."""
WRENCH = ("Fx [N]", "Fy [N]", "Fz [N]", "Mx [N m]", "My [N m]", "Mz [N m]")
"""Components of a wrench, in the joint's axes."""


def joint_rows(loads: JointLoads) -> list[dict[str, object]]:
    """Return peaks and root mean squares of the wrench of each joint, by name of the quantity."""
    values = {
        "force_peak": loads.force.max(axis=0),
        "force_rms": loads.rms(loads.force),
        "axial_peak": loads.axial.max(axis=0),
        "radial_peak": loads.radial.max(axis=0),
        "moment_peak": loads.moment.max(axis=0),
        "moment_rms": loads.rms(loads.moment),
        "tilting_peak": loads.tilting.max(axis=0),
    }
    rows: list[dict[str, object]] = []
    for k, (name, kind) in enumerate(zip(loads.joints, loads.kinds, strict=True)):
        row: dict[str, object] = {"joint": name, "kind": kind, "determined": bool(loads.unique[k])}
        rows.append(row | {key: float(value[k]) for key, value in values.items()})
    return rows


def freedom_rows(loads: JointLoads) -> list[dict[str, object]]:
    """Return range, speed and travel of each freedom, by name of the quantity."""
    peak, rms, travel = abs(loads.rate).max(axis=0), loads.rms(loads.rate), loads.travel
    low, high = loads.coordinate.min(axis=0), loads.coordinate.max(axis=0)
    return [
        {
            "freedom": name,
            "unit": unit.position,
            "from": float(low[k]),
            "to": float(high[k]),
            "speed_unit": unit.velocity,
            "speed_peak": float(peak[k]),
            "speed_rms": float(rms[k]),
            "travel": float(travel[k]),
        }
        for k, (name, unit) in enumerate(zip(loads.freedoms, loads.units, strict=True))
    ]


def joints_text(loads: JointLoads) -> str:
    """Return two tables, of wrenches and of motion, and what of them rigid bodies do not determine."""
    heads = ["joint", "kind", "force, N", "rms", "axial", "radial", "moment, N m", "rms", "tilting"]
    keys = ("force_peak", "force_rms", "axial_peak", "radial_peak", "moment_peak", "moment_rms", "tilting_peak")
    lines = [
        [f"{row['joint']}{'' if row['determined'] else ' *'}", str(row["kind"]), *(_cell(row[key]) for key in keys)]
        for row in joint_rows(loads)
    ]
    text = aligned(heads, lines)
    if not loads.unique.all():
        text += "\n* redundant constraints can strain against each other: these are the least loads that would do"
    heads = ["freedom", "from", "to", "", "speed", "rms", "", "travel"]
    keys = ("from", "to", "unit", "speed_peak", "speed_rms", "speed_unit", "travel")
    moved = [[str(row["freedom"]), *(_cell(row[key]) for key in keys)] for row in freedom_rows(loads)]
    return f"{text}\n{aligned(heads, moved)}"


def write_joints(loads: JointLoads, place: Path) -> None:
    """Write every sample to joints.csv, and peaks to joint_loads.csv."""
    import numpy as np

    from parakin.tables import write_table

    names = ["t [s]", *(f"{name}.{part}" for name in loads.joints for part in WRENCH)]
    names += [f"{name} [{unit.position}]" for name, unit in zip(loads.freedoms, loads.units, strict=True)]
    names += [f"{name} rate [{unit.velocity}]" for name, unit in zip(loads.freedoms, loads.units, strict=True)]
    wrench = loads.wrench.reshape(len(loads.t), -1)
    write_table(place / SAMPLES, names, np.column_stack([loads.t, wrench, loads.coordinate, loads.rate]))
    rows, text = joint_rows(loads), io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    (place / PEAKS).write_text(text.getvalue(), encoding="utf-8")


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return "-" if math.isnan(value) else f"{value:.4g}"
