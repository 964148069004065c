"""Figures show what they are given."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.description import library
from parakin.plots import robot_figure
from parakin.plots.files import png, svg
from parakin.plots.page import Page


@pytest.mark.parametrize("name", library())
def test_a_robot_is_drawn_within_the_span_of_its_points(name: str) -> None:
    robot = pk.load(name)
    points = robot.points(robot.home)
    ends = np.concatenate([points.root, points.tip])
    (axes,) = robot_figure([robot]).axes
    drawn = np.concatenate([np.transpose(line.get_data_3d()) for line in axes.lines])  # type: ignore[attr-defined]
    spacing = max((e.joint.spacing or 0.0 for leg in robot.legs for e in leg.elements), default=0.0)
    assert (drawn.min(axis=0) >= ends.min(axis=0) - spacing).all()
    assert (drawn.max(axis=0) <= ends.max(axis=0) + spacing).all()
    for end in ends if not spacing else points.root[:1]:
        assert np.min(np.linalg.norm(drawn - end, axis=1)) < 1e-12


def test_figures_have_the_same_bytes_twice() -> None:
    robot = pk.load("five_bar")
    assert png(robot_figure([robot])) == png(robot_figure([robot]))
    assert svg(robot_figure([robot])) == svg(robot_figure([robot]))


def test_pages_escape_what_they_are_given() -> None:
    page = Page("a <b>")
    page.text("<script>alert(1)</script>")
    page.table(("x",), [("1 < 2",)], numbers=(0,))
    page.image("data:,", 'say "hi"')
    page.contents([("Five & six", "<i>words</i>")])
    page.heading("Five & six")
    with page.folded("<b>more</b>"):
        page.text("inside")
    html = page.html()
    assert "<script>" not in html
    assert '<a href="#five-six">Five &amp; six</a>: &lt;i&gt;words&lt;/i&gt;' in html
    assert '<h2 id="five-six">' in html
    assert "<details><summary>&lt;b&gt;more&lt;/b&gt;</summary>\n<p>inside</p>\n</details>" in html
    assert "a &lt;b&gt;" in html
    assert "<td class=n>1 &lt; 2</td>" in html
    assert 'alt="say &quot;hi&quot;"' in html
