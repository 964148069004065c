"""A platform on a ball that three telescopic legs turn: a mechanism whose pose may be the turns of its ball."""

from __future__ import annotations

from typing import Literal

import numpy as np

from parakin.mechanism import describe_mechanism
from parakin.robot import Robot

RADIUS, HEIGHT, TOP = 0.12, 0.25, 0.1
"""Where legs begin around the base, how high the ball is and how far from it they end [m]."""


def ball_platform(pose: Literal["ball", "motors"] = "ball", *, bare: bool = False) -> Robot:
    """The mechanism with its ball or with its motors as independent coordinates; bare without rotors and friction."""
    bodies: list[dict[str, object]] = [_body("top", 0.8, [0.01, -0.02, 0.05], [3e-3, 4e-3, 5e-3])]
    ball_at = {"parent_frame": {"position": [0.0, 0.0, HEIGHT]}, "child_frame": {}}
    joints: list[dict[str, object]] = [
        {"name": "ball", "type": "spherical", "parent": "world", "child": "top", **ball_at}
    ]
    for k, angle in enumerate((0.0, 2.1, 4.0)):
        around = np.array([np.cos(angle), np.sin(angle), 0.0])
        # Legs that lean to one side hold the turn about z as well.
        foot = RADIUS * np.array([np.cos(angle + 0.9), np.sin(angle + 0.9), 0.0])
        end = TOP * around
        way = end + np.array([0.0, 0.0, HEIGHT]) - foot
        length, z = float(np.linalg.norm(way)), way / np.linalg.norm(way)
        x = np.cross([0.0, 1.0, 0.0], z)
        x /= np.linalg.norm(x)
        bodies += [
            _body(f"tube{k}", 0.2, [0.0, 0.0, 0.08], [2e-4, 2e-4, 2e-5]),
            _body(f"rod{k}", 0.1, [0.0, 0.0, -0.05], [1e-4, 1e-4, 1e-5]),
        ]
        motor: dict[str, object] = {"drive": {"force": 200.0}}
        if not bare:
            motor = {"drive": {"force": 200.0, "rotor_inertia": 0.3}, "friction": {"viscous": 2.0}}
        names = {"parent": f"tube{k}", "child": f"rod{k}"}
        joints += [
            {
                "name": f"foot{k}",
                "type": "universal",
                "parent": "world",
                "child": f"tube{k}",
                "parent_frame": {"position": foot.tolist(), "x": x.tolist(), "z": z.tolist()},
                "child_frame": {},
            },
            {"name": f"leg{k}", "type": "prismatic", **names, "freedoms": {"travel": motor}, "home": [length]},
            {
                "name": f"end{k}",
                "type": "spherical",
                "parent": f"rod{k}",
                "child": "top",
                "child_frame": {"position": end.tolist()},
            },
        ]
    chosen = [f"ball.w{axis}" for axis in "xyz"] if pose == "ball" else [f"leg{k}.travel" for k in range(3)]
    file = {"name": "ball_platform", "title": "A platform on a ball", "source": "assumed", "output": {"body": "top"}}
    tables = file | {"independent": chosen, "bodies": bodies, "joints": joints}
    return Robot(describe_mechanism(tables, "ball_platform"))


def _body(name: str, mass: float, com: list[float], inertia: list[float]) -> dict[str, object]:
    return {"name": name, "mass": mass, "com": com, "inertia": np.diag(inertia).tolist()}
