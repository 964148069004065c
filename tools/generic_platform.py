"""Make src/parakin/assembly/data/generic_platform.npz: a random complex platform and its 40 solutions.

    python tools/generic_platform.py

By monodromy: one solution is chosen first, and a platform through it (lengths follow linearly); then the platform is
taken round random closed triangles, which permutes its solutions, until no new ones appear. A general platform has 40
[Raghavan1993].
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from parakin.assembly.closure import Spheres
from parakin.assembly.dual_quaternions import displacement, dual_quaternion, platform_parameters
from parakin.assembly.result import Complex
from parakin.assembly.sphere_system import spheres
from parakin.assembly.tracker import track

TARGET = Path(__file__).parents[1] / "src/parakin/assembly/data/generic_platform.npz"
SOLUTIONS = 40
CAREFUL = 1e-6
SAME = 1e-8
QUIET = 6


def draw(rng: np.random.Generator, *shape: int) -> Complex:
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)


def random_platform(rng: np.random.Generator) -> Complex:
    """theta with entries of size 1."""
    return platform_parameters(Spheres(draw(rng, 6, 3), draw(rng, 6), draw(rng, 6, 3)))


def through_a_solution(rng: np.random.Generator) -> tuple[Complex, Complex]:
    """A platform and one of its solutions: squared lengths are those of a random complex displacement."""
    b, u, w, x = draw(rng, 6, 3), draw(rng, 6, 3), draw(rng, 3), draw(rng, 4)
    x = x / np.sqrt(np.sum(x * x))
    R = rotation(x)
    p = w + u[0] - R @ b[0]
    return platform_parameters(Spheres(u, np.sum((p + b @ R.T - u) ** 2, axis=-1), b)), dual_quaternion(w, x)


def rotation(x: Complex) -> Complex:
    """R of a complex quaternion with x·x = 1."""
    w, v = x[0], x[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew


def distinct(y: Complex) -> Complex:
    """Each solution once, told apart by its displacement."""
    kept: list[Complex] = []
    marks: list[Complex] = []
    for solution in y:
        w, x = displacement(solution)
        mark = np.concatenate([w, np.outer(x, x).ravel()])
        if all(np.max(np.abs(mark - other)) > SAME * np.max(np.abs(mark)) for other in marks):
            kept.append(solution)
            marks.append(mark)
    return np.array(kept)


def all_solutions(rng: np.random.Generator) -> tuple[Complex, Complex]:
    """Until QUIET loops in a row brought nothing new."""
    theta, first = through_a_solution(rng)
    found, quiet = first[None], 0
    while quiet < QUIET:
        corners = [theta, random_platform(rng), random_platform(rng), theta]
        moved = found
        for start, end in pairwise(corners):
            paths = track(spheres, moved, start, end, CAREFUL)
            moved = paths.y[paths.arrived]
        before = len(found)
        found = distinct(np.concatenate([found, moved]))
        quiet = quiet + 1 if len(found) == before else 0
        print(f"{len(found)} solutions")
    return theta, found


def main() -> None:
    theta, y = all_solutions(np.random.default_rng(2026))
    if len(y) != SOLUTIONS:
        raise SystemExit(f"found {len(y)} solutions, expected {SOLUTIONS}")
    TARGET.parent.mkdir(exist_ok=True)
    np.savez(TARGET, theta=theta, y=y)


if __name__ == "__main__":
    main()
