"""Figures show what they are given."""

from __future__ import annotations

import numpy as np

from parakin.plots import force_figure
from parakin.plots.files import png, svg
from parakin.plots.page import Page


def test_figures_have_the_same_bytes_twice() -> None:
    figure = force_figure(np.arange(9.0), np.ones((9, 2)), ("a", "b"), "N")
    again = force_figure(np.arange(9.0), np.ones((9, 2)), ("a", "b"), "N")
    assert png(figure) == png(again)
    assert svg(figure) == svg(again)


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
