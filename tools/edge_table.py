"""Measure how well edges are found in rendered pictures, and write the tables of docs/vision.md.

`python -m tools.edge_table` takes a minute or two.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import parakin as pk
from parakin.vision import (
    Appearance,
    Camera,
    PictureRegion,
    Rig,
    find_edges,
    looking_at,
    offsets_at,
    picture_region,
    render,
    rig_of,
)
from parakin.vision.edges.regions import Slot, regions_at
from tests.vision.long_rods import POINT_DEVIATION, direction_bound, direction_errors

PAGE = Path(__file__).parents[1] / "docs" / "vision.md"
POSES = 12
ANGLES_DEG = (0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0)
PLAIN = Appearance(noise=2.0)
FOCAL = 640.0
LONG_ANGLES_DEG = (0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0)
LONG_SEEDS = 6


@dataclass(frozen=True)
class Glossy(Appearance):
    """Rods whose bright line is elsewhere, and has another width."""

    place: float = 0.4
    """Where it is: sin phi."""
    wide: float = 0.1
    """How wide it is, in halves of the rod's width."""

    def light(self, s: np.ndarray) -> np.ndarray:
        across = np.clip(s, -1.0, 1.0)
        lobe = np.exp(-0.5 * ((across - self.place) / self.wide) ** 2)
        return replace(self, highlight=0.0).matt(across) + self.highlight * lobe

    def matt(self, s: np.ndarray) -> np.ndarray:
        return super().light(s)


LOOKS = {
    "blur 0.7 px, contrast 120, noise 2": PLAIN,
    "blur 0.5 px": replace(PLAIN, blur=0.5),
    "blur 1 px": replace(PLAIN, blur=1.0),
    "blur 1.5 px": replace(PLAIN, blur=1.5),
    "contrast 60": replace(PLAIN, rod=130.0),
    "contrast 30": replace(PLAIN, rod=100.0),
    "contrast 15": replace(PLAIN, rod=85.0),
    "rods darker by 120": replace(PLAIN, rod=70.0, background=190.0),
    "noise 5": replace(PLAIN, noise=5.0),
    "noise 10": replace(PLAIN, noise=10.0),
    "matt rods, 60 darker at the contours": replace(PLAIN, shading=60.0),
    "light from one side, 40 each way": replace(PLAIN, slant=40.0),
    "highlight of 60": replace(PLAIN, highlight=60.0),
    "matt by 40 and a highlight of 40": replace(PLAIN, shading=40.0, highlight=40.0),
    "highlight of 8": replace(PLAIN, highlight=8.0),
    "matt by 10": replace(PLAIN, shading=10.0),
    "matt by 60 and a highlight of 20": replace(PLAIN, shading=60.0, highlight=20.0),
    "matt by 20 and a highlight of 60": replace(PLAIN, shading=20.0, highlight=60.0),
    "matt by 30, 30 from one side and a highlight of 40": replace(PLAIN, shading=30.0, slant=30.0, highlight=40.0),
    "matt by 40 and a highlight of 40 in the middle": Glossy(noise=2.0, shading=40.0, highlight=40.0, place=0.0),
    "matt by 40 and a highlight of 40 at -0.55": Glossy(noise=2.0, shading=40.0, highlight=40.0, place=-0.55),
    "matt by 40 and a highlight of 40 at 0.7": Glossy(noise=2.0, shading=40.0, highlight=40.0, place=0.7),
    "matt by 40 and a highlight of 40, twice as wide": Glossy(noise=2.0, shading=40.0, highlight=40.0, wide=0.2),
    "matt by 60 and a highlight of 15 at 0.5": Glossy(noise=2.0, shading=60.0, highlight=15.0, place=0.5),
    "matt by 80 and a highlight of 15 at 0.5": Glossy(noise=2.0, shading=80.0, highlight=15.0, place=0.5),
    "matt by 40 and a highlight of 30 at 0.85": Glossy(noise=2.0, shading=40.0, highlight=30.0, place=0.85),
    "rods of 285 before 105, clipped at 255": replace(PLAIN, rod=285.0, background=105.0),
    "rods of 400 before 70, clipped at 255": replace(PLAIN, rod=400.0),
    "rods of 70 before -60, clipped at 0": replace(PLAIN, rod=70.0, background=-60.0),
    "rods of 253 before 105: noise that is clipped at 255": replace(PLAIN, rod=253.0, background=105.0),
    "highlight of 120, clipped at 255": replace(PLAIN, highlight=120.0),
    "matt by 40 and a highlight of 120, clipped at 255": replace(PLAIN, rod=200.0, shading=40.0, highlight=120.0),
    "matt rods of 270, 60 darker at the contours, clipped at 255": replace(PLAIN, rod=270.0, shading=60.0),
    "rods of 220, 60 each way from one side, clipped at 255": replace(PLAIN, rod=220.0, slant=60.0),
    "clutter of 5 behind": replace(PLAIN, clutter=5.0),
    "clutter of 20 behind": replace(PLAIN, clutter=20.0),
}
"""What is varied, one thing at a time."""


@dataclass(frozen=True)
class Score:
    """How well edges were found."""

    edges: int
    refused: int
    bias: float
    """Mean distance inside the true contour [px]."""
    rms: float
    """Root of the mean square of that distance [px]."""
    claim: float
    """The same in deviations that were claimed: 1 where they are honest."""

    @property
    def row(self) -> str:
        if self.refused == self.edges:
            return f"| {self.refused} of {self.edges} | | | |"
        return f"| {self.refused} of {self.edges} | {self.bias:+.3f} | {self.rms:.3f} | {self.claim:.1f} |"


def camera(angle_deg: float = 0.0) -> Camera:
    a = np.radians(angle_deg)
    down = looking_at([0, 0, 0], [0, 0, -1], [np.cos(a), np.sin(a), 0])
    return Camera("top", (1024, 1024), (FOCAL, FOCAL), np.zeros(3), down)


def quattro(angle_deg: float = 0.0) -> Rig:
    return rig_of(pk.load("quattro"), camera(angle_deg), "*.forearm", radius=0.008)


def poses(rig: Rig, count: int = POSES) -> np.ndarray:
    size = np.array([0.03, 0.03, 0.03, 0.1])
    return rig.robot.home + np.random.default_rng(1).uniform(-1, 1, (count, 4)) * size


def score(
    rig: Rig,
    cases: Iterator[tuple[np.ndarray, list[PictureRegion]]],
    look: Appearance,
    motion: float = 0.0,
    looks: int = 3,
) -> Score:
    distance, claimed, edges, refused = [], [], 0, 0
    for k, (pose, regions) in enumerate(cases):
        exposure = pose + motion * np.linspace(-0.5, 0.5, 9)[:, None] * np.eye(len(pose))[0]
        patches = [
            render(rig, exposure if motion else pose, 0, look, region.window, seed=100 * k + i)
            for i, region in enumerate(regions)
        ]
        found = find_edges(rig, regions, patches, looks=looks)
        off = FOCAL * offsets_at(rig, pose, found.seen).distance
        distance.append(off)
        claimed.append(off / (FOCAL * found.seen.deviation))
        edges += len(found.reports)
        refused += len(found.refused)
    all_off = np.concatenate(distance)
    if not len(all_off):
        return Score(edges, refused, np.nan, np.nan, np.nan)
    claim = float(np.sqrt(np.mean(np.concatenate(claimed) ** 2)))
    return Score(edges, refused, float(all_off.mean()), float(np.sqrt(np.mean(all_off**2))), claim)


def clear(rig: Rig) -> Iterator[tuple[np.ndarray, list[PictureRegion]]]:
    for pose in poses(rig):
        yield pose, regions_at(rig, pose, per_rod=2)


def at_ends(rig: Rig) -> Iterator[tuple[np.ndarray, list[PictureRegion]]]:
    for pose in poses(rig):
        found = [picture_region(rig, pose, Slot(0, rod, (0.97, 1.0))) for rod in range(len(rig.rods))]
        yield pose, [region for region in found if region is not None]


def crossed() -> tuple[Rig, Iterator[tuple[np.ndarray, list[PictureRegion]]]]:
    """Legs of a Gough-Stewart from the side, in regions that another leg crosses."""
    robot, place = pk.load("gough_stewart"), [1.2, 0.1, 0.4]
    eye = Camera("side", (1024, 1024), (FOCAL, FOCAL), np.array(place), looking_at(place, [0, 0, 0.45], [0, 1, 0]))
    rig = rig_of(robot, eye, "*", radius=0.008)

    def cases() -> Iterator[tuple[np.ndarray, list[PictureRegion]]]:
        for pose in robot.sample(POSES, seed=3):
            slots = [Slot(0, rod, (k / 20, (k + 1) / 20)) for rod in range(6) for k in range(2, 18)]
            found = [picture_region(rig, pose, slot) for slot in slots]
            yield pose, [region for region in found if region is not None and region.clearance < 12]

    return rig, cases()


def robustness() -> Iterator[str]:
    yield "| what | edges refused | bias [px] | rms [px] | error in claimed deviations |"
    yield "|---|---|---|---|---|"
    rig = quattro()
    for name, look in LOOKS.items():
        print(name, file=sys.stderr)
        yield f"| {name} {score(rig, clear(rig), look).row}"
    for name in ("blur 0.7 px, contrast 120, noise 2", "matt rods, 60 darker at the contours"):
        yield f"| {name}, two looks {score(rig, clear(rig), LOOKS[name], looks=2).row}"
    yield f"| the platform moves by 5 mm along x in the exposure {score(rig, clear(rig), PLAIN, motion=0.005).row}"
    yield f"| a rod's end inside the region {score(rig, at_ends(rig), PLAIN).row}"
    other, cases = crossed()
    yield f"| another rod within 12 px of the region's middle {score(other, cases, PLAIN).row}"


def biases() -> Iterator[str]:
    """Bias without noise over angles of the rods, for blurs and contrasts."""
    yield "| blur [px] | contrast | largest mean bias over angles [px] | rms [px] |"
    yield "|---|---|---|---|"
    for blur in (0.5, 0.7, 1.0, 1.5):
        for contrast in (30.0, 120.0):
            print(f"bias: blur {blur}, contrast {contrast}", file=sys.stderr)
            look = Appearance(rod=70.0 + contrast, blur=blur)
            found = []
            for angle in ANGLES_DEG:
                rig = quattro(angle)
                cases = ((pose, regions_at(rig, pose)) for pose in poses(rig, 2))
                found.append(score(rig, cases, look))
            worst = max(found, key=lambda one: abs(one.bias))
            rms = np.sqrt(np.mean([one.rms**2 for one in found]))
            yield f"| {blur} | {contrast:.0f} | {worst.bias:+.4f} | {rms:.4f} |"


def direction(m: np.ndarray) -> np.ndarray:
    """Direction of a rod from two points of each of its contours (2, 2, 2)."""
    rays = np.concatenate([m, np.ones((2, 2, 1))], axis=-1)
    x = np.cross(np.cross(rays[0, 0], rays[0, 1]), np.cross(rays[1, 0], rays[1, 1]))
    return x / np.linalg.norm(x)


def bound_ratio() -> float:
    """Errors of directions in deviations of the Cramer-Rao bound, of edges with known blur between known levels."""
    rig, ratios = quattro(), []
    for k, (pose, regions) in enumerate(clear(rig)):
        lines = pk.vision.rod_lines(rig, pose)
        for i, region in enumerate(regions):
            found = find_edges(rig, region, render(rig, pose, 0, PLAIN, region.window, seed=100 * k + i))
            points = np.stack([found.seen.m[found.seen.side == side] for side in (0, 1)])
            count = {report.side: report.lines for report in found.reports}
            x = lines.x[region.rod] @ rig.cameras[0].R_OK
            basis = np.linalg.svd(x[None])[2][1:]
            slopes, sizes = [], []
            for side in (0, 1):
                along = points[side, 1] - points[side, 0]
                across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
                angle_deg = float(np.degrees(np.arctan2(across[1], across[0])))
                bound = scan_line_bound(angle_deg) * np.sqrt(2 / count[side]) / FOCAL
                for end in (0, 1):
                    step = np.zeros((2, 2, 2))
                    step[side, end] = 1e-6 * across
                    sign = np.sign(direction(points) @ x)
                    slopes.append(basis @ (direction(points + step) - direction(points - step)) * sign / 2e-6)
                    sizes.append(bound)
            J = np.array(slopes).T * sizes
            error = basis @ (direction(points) * np.sign(direction(points) @ x))
            ratios.append(error @ np.linalg.solve(J @ J.T, error) / 2)
    return float(np.sqrt(np.mean(ratios)))


def scan_line_bound(angle_deg: float) -> float:
    """Cramer and Rao's bound on an edge's position in one scan line, across the edge, at noise 2 [px].

        noise/contrast sqrt(2 sqrt(pi) blur cosine)

    of an edge with known blur between known levels; cosine: of the angle between scan line and normal of the edge.
    """
    cosine = max(abs(np.cos(np.radians(angle_deg))), abs(np.sin(np.radians(angle_deg))))
    blur = np.hypot(PLAIN.blur, 12**-0.5)
    return PLAIN.noise / (PLAIN.rod - PLAIN.background) * float(np.sqrt(2 * np.sqrt(np.pi) * blur * cosine))


def long_rod() -> str:
    """Errors of the direction of a rod that is seen over 580 px, beside bounds, over angles and seeds."""
    found: list[tuple[float, float]] = []
    goals: list[tuple[float, float]] = []
    bounds: list[tuple[float, float]] = []
    for angle in LONG_ANGLES_DEG:
        goal, share = direction_bound(angle), scan_line_bound(angle) / POINT_DEVIATION
        goals.append((goal.picture, goal.depth))
        bounds.append((share * goal.picture, share * goal.depth))
        for seed in range(LONG_SEEDS):
            error = direction_errors(angle, PLAIN, seed)
            found.append((error.picture, error.depth))
    rms, goal, least = (np.sqrt(np.mean(np.square(values), axis=0)) for values in (found, goals, bounds))
    rows: list[str] = []
    for k, (name, size, digits, unit) in enumerate((("in the picture", 1e6, 1, "µrad"), ("in depth", 1e3, 2, "mrad"))):
        numbers = (f"{size * value[k]:.{digits}f} {unit}" for value in (rms, least))
        rows.append(
            f"| {name} | {' | '.join(numbers)} | {rms[k] / least[k]:.2f} | {size * goal[k]:.{digits}f} {unit} |"
        )
    what = (
        "A rod of 8 mm radius in a plane 0.6 m before the camera, seen over 580 px in regions along all of it: rms of "
        f"its direction over {len(LONG_ANGLES_DEG)} angles and {LONG_SEEDS} seeds. The bound is for this noise of 2, "
        f"known blur and known levels, {scan_line_bound(45.0):.3f} to {scan_line_bound(0.0):.3f} px in a scan line; "
        "beside it what points of 0.04 px, one a scan line, would give."
    )
    head = f"| | found | Cramér–Rao bound | of the bound | points of {POINT_DEVIATION:g} px |"
    return "\n".join([what, "", head, "|---|---|---|---|---|", *rows])


def write(name: str, text: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(f"<!-- {name} -->")
    after = rest.split(f"<!-- /{name} -->")[1]
    PAGE.write_text(f"{before}<!-- {name} -->\n{text}\n<!-- /{name} -->{after}", encoding="utf-8")


def main() -> None:
    write("robustness", "\n".join(robustness()))
    write("biases", "\n".join(biases()))
    text = f"Directions from the two contours in one region: {bound_ratio():.2f} of the Cramér–Rao bound."
    write("bound", f"{text}\n\n{long_rod()}")


if __name__ == "__main__":
    main()
