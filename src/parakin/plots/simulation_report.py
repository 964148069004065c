"""The page report.html that `parakin simulate` writes."""

from __future__ import annotations

from collections.abc import Mapping

from parakin.plots.page import Page

CAPTIONS = {
    "errors": "Errors of actuators and platform over time",
    "forces": "Forces of the actuators over time",
}
"""Captions of the figures, by name."""


def report_of(title: str, robot: tuple[bytes, str], summary: str, pictures: Mapping[str, bytes]) -> str:
    """Return a page that stands alone. robot: a PNG of the robot and its caption; pictures: PNG files by name."""
    page = Page(title)
    page.picture(*robot)
    page.heading("Summary")
    page.code(summary)
    page.heading("Figures")
    for name, content in pictures.items():
        page.picture(content, CAPTIONS.get(name, name))
    return page.html()
