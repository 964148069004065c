"""Write what `parakin reproduce` leaves: the figures, and one page that stands alone."""

from __future__ import annotations

import base64
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import parakin
from parakin.plots.files import data_uri
from parakin.plots.page import Page
from parakin.plots.robot import robot_figure
from parakin.robot import load
from parakin.robot.cards import card
from parakin.studies.definition import Verdict
from parakin.studies.result import Result

HEADER = ("claim", "paper", "parakin", "verdict")
"""Headings of the table of claims: what is claimed, what is published, what was measured, the verdict."""
_LOOKS = {Verdict.HOLDS: "good", Verdict.REFUTED: "bad"}


def rows(result: Result) -> list[tuple[str, str, str, str]]:
    """Return one row of texts for each claim, in the columns of `HEADER`."""
    return [
        (f"{claim.where}: {claim.says}", claim.published, finding.measured, finding.verdict.value)
        for claim, finding in result.findings
    ]


def page_of(results: Sequence[Result], command: str) -> str:
    """Return the text of report.html. command: the call that made it, which the page prints."""
    page = Page("Five papers on parallel robots, re-enacted")
    page.text("Each published claim beside what parakin measures. Verdicts are computed by the run, not set by hand.")
    verdicts = [finding.verdict for result in results for _, finding in result.findings]
    counts = [f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict if verdict in verdicts]
    page.text("; ".join(counts) + ".")
    for result in results:
        page.heading(result.title)
        page.text(result.paper)
        looks = [_LOOKS.get(finding.verdict, "open") for _, finding in result.findings]
        keyed = [(claim.key, *row) for (claim, _), row in zip(result.findings, rows(result), strict=True)]
        page.table(("", *HEADER), keyed, classes=looks)
        remarks = [(claim.key, finding.remark) for claim, finding in result.findings if finding.remark]
        if remarks:
            page.heading("Remarks", 3)
            page.table(("claim", "remark"), remarks)
        if result.gaps:
            page.heading("What the paper leaves open, and how it was read", 3)
            page.table(("reading",), [(gap,) for gap in result.gaps])
        for picture in result.pictures:
            page.image(f"data:image/png;base64,{base64.b64encode(picture.png).decode()}", picture.caption)
    page.heading("Robots")
    for name in dict.fromkeys(name for result in results for name in result.robots):
        page.heading(name, 3)
        robot = load(name)
        page.image(data_uri(robot_figure([robot])), f"{name} at home: driven elements orange, others blue")
        for heading, entries in card(robot):
            page.table((heading, ""), entries)
    page.heading("How this was made")
    page.code(command)
    page.table(("what", "version"), versions())
    page.table(("study", "seconds"), [(result.study, f"{result.seconds:.1f}") for result in results], numbers=(1,))
    return page.html()


def versions() -> list[tuple[str, str]]:
    """Return (name, version) of parakin, Python and the libraries that results depend on."""
    libraries = [(name, version(name)) for name in ("casadi", "llvmlite", "numpy", "scipy", "matplotlib")]
    return [("parakin", parakin.__version__), ("Python", platform.python_version()), *libraries]


def write(results: Sequence[Result], directory: Path, command: str) -> None:
    """Write the figures as PNG and SVG, and report.html, into a directory that exists."""
    for result in results:
        for picture in result.pictures:
            (directory / f"{picture.name}.png").write_bytes(picture.png)
            (directory / f"{picture.name}.svg").write_bytes(picture.svg)
    (directory / "report.html").write_text(page_of(results, command), encoding="utf-8")
