"""The look of figures: labels that do not touch, curves that do not hide each other, legends beside the curves."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from parakin.plots import force_figure
from parakin.plots.files import DOTS_PER_INCH, png
from parakin.plots.identification import smoothed
from parakin.plots.style import COLOURS, DASH, legend_below, lines_of, readable_powers


@pytest.mark.parametrize("ends", [(3.68, 3.72), (0.9, 2.1), (0.03, 0.4), (1e-3, 7.0), (1e-9, 1e3)])
def test_labels_of_logarithmic_axes_are_there_and_do_not_touch(ends: tuple[float, float]) -> None:
    figure = Figure(figsize=(7.0, 4.6))
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    for axis in (axes.xaxis, axes.yaxis):
        readable_powers(axis)
    canvas.draw()
    for axis, side in ((axes.xaxis, 0), (axes.yaxis, 1)):
        low, high = axis.get_view_interval()
        shown = [t.label1 for t in axis.get_major_ticks() if low <= t.get_loc() <= high and t.label1.get_text()]
        assert len(shown) >= 2
        boxes = sorted(label.get_window_extent().get_points()[:, side].tolist() for label in shown)
        assert all(before[1] < after[0] for before, after in pairwise(boxes))


def test_equal_curves_take_turns() -> None:
    t = np.linspace(0, 1, 50)
    styles = lines_of(np.column_stack([t, np.sin(9 * t), t + 1e-4, t]))
    assert "linestyle" not in styles[1]
    assert [styles[k].get("linestyle") for k in (0, 2, 3)] == [(DASH * k, (DASH, 2 * DASH)) for k in range(3)]
    assert [style.get("color") for style in styles] == list(COLOURS[:4])
    assert len(lines_of(np.full((5, 2), np.nan))) == 2


def test_legends_stand_outside_of_the_panels() -> None:
    t = np.linspace(0, 1, 50)
    tau = np.column_stack([t, 1 - t])
    figure = force_figure(t, tau, ("a", "b"), "N", others={"simplified": tau + 0.1})
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (legend,) = figure.legends
    top = legend.get_window_extent().get_points()[1, 1]
    assert all(top <= axes.get_window_extent().get_points()[0, 1] for axes in figure.axes)
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "error of simplified"]
    empty = Figure()
    legend_below(empty, [empty.add_subplot()])
    assert not empty.legends


def test_a_smoothed_white_spectrum_is_flat_and_keeps_its_mean() -> None:
    frequency = np.arange(1.0, 2001.0)
    density = np.random.default_rng(0).exponential(size=2000)
    f, d = smoothed(frequency, density)
    assert (np.diff(f) > 0).all()
    assert len(f) < 60
    assert d[f > 300] == pytest.approx(1.0, abs=0.5)


def test_a_png_that_is_drawn_once_is_that_of_savefig_and_leaves_the_figure_as_it_was() -> None:
    t = np.linspace(0.0, 1.0, 50)
    figure = force_figure(t, np.column_stack([np.sin(t), np.cos(t)]), ["a", "b"], "N", title="forces")
    before = figure.canvas, figure.dpi
    drawn = png(figure)
    assert (figure.canvas, figure.dpi) == before
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    assert drawn == stream.getvalue()
