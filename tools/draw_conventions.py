"""Draw docs/conventions.svg: frames O, E and T, a leg with its elements, and the letters between them.

python tools/draw_conventions.py [OUTPUT]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

BLUE, RED, GREY = "#0072B2", "#D55E00", "#666666"


def arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str, style: str = "-|>") -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": style, "color": color, "lw": 1.6, "shrinkA": 0, "shrinkB": 0})


def frame(ax: Axes, at: tuple[float, float], name: str, angle: float, label: tuple[float, float]) -> None:
    for turn, axis in ((angle, "x"), (angle + 90, "z")):
        d = 0.55 * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
        arrow(ax, at, (at[0] + d[0], at[1] + d[1]), GREY)
        ax.text(at[0] + 1.25 * d[0], at[1] + 1.25 * d[1], axis, color=GREY, ha="center", va="center", fontsize=9)
    ax.text(at[0] + label[0], at[1] + label[1], name, fontsize=13, fontweight="bold", ha="center", va="center")


def draw(path: Path) -> None:
    fig, ax = plt.subplots(figsize=(7.2, 4.3))
    base, E, T = (0.0, 0.0), (4.6, 3.1), (6.0, 1.5)
    A, elbow, C = (1.7, 0.25), (1.15, 1.95), (3.7, 3.35)
    ax.plot([-0.6, 2.6], [-0.25, -0.25], color=GREY, lw=5, solid_capstyle="round", alpha=0.35)
    ax.plot([3.55, 5.6], [3.42, 2.82], color=GREY, lw=7, solid_capstyle="round", alpha=0.35)
    frame(ax, base, "O", 0, (-0.25, -0.02))
    frame(ax, E, "E", -16, (0.28, 0.3))
    frame(ax, T, "T", -16, (-0.28, -0.12))
    for start, end in ((A, elbow), (elbow, C)):
        ax.plot(*zip(start, end, strict=True), color=BLUE, lw=4, solid_capstyle="round")
    for point in (A, elbow, C):
        ax.plot(*point, "o", color="white", markeredgecolor=BLUE, markersize=9, markeredgewidth=2)
    ax.text(1.25, 1.05, "element 1: $x_1$, $d_1$", color=BLUE, fontsize=10, ha="right")
    ax.text(2.35, 2.85, "element 2: $x_2$, $d_2$", color=BLUE, fontsize=10, ha="right")
    ax.text(A[0] + 0.22, A[1] - 0.05, "A  root", fontsize=10)
    ax.text(elbow[0] - 0.15, elbow[1] + 0.1, "B of 1 = A of 2", fontsize=10, ha="right")
    ax.text(C[0] - 0.12, C[1] + 0.2, "C  attachment", fontsize=10, ha="right")
    arrow(ax, base, E, RED)
    ax.text(2.95, 1.62, "$p_{OE}$", color=RED, fontsize=12)
    arrow(ax, E, C, RED)
    ax.text(4.18, 3.48, "$R_{OE}\\,b + c$", color=RED, fontsize=10, ha="center")
    arrow(ax, E, T, RED)
    ax.text(5.1, 2.15, "$R_{OE}\\,p_{ET}$", color=RED, fontsize=10, ha="right")
    ax.text(-0.55, -0.62, "base", color=GREY, fontsize=10)
    ax.text(5.72, 2.72, "platform", color=GREY, fontsize=10)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_xlim(-0.9, 6.9)
    ax.set_ylim(-0.85, 4.15)
    fig.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None, dpi=130)
    plt.close(fig)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "conventions.svg")
