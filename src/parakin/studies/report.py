"""Write what `parakin reproduce` leaves: the figures, and one page that stands alone."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from matplotlib.figure import Figure

import parakin
from parakin.plots.files import data_uri
from parakin.plots.page import Page
from parakin.robot import Robot, load
from parakin.robot.cards import card
from parakin.studies.criteria import Verdict
from parakin.studies.result import Result
from parakin.studies.wording import apparatus_of, decided, judged_in, quoted
from parakin.viewer import draw

HEADER = ("claim", "the paper's words", "parakin", "verdict")
"""Headings of the table of claims: what is tested, what the paper says, what was measured, the verdict."""
LAW = (
    "No verdict is set by hand: a run returns numbers, and the same rules judge them all. A configuration of a closed "
    "loop that is unstable with the correct model is not judged. Of the others, all claims about one apparatus are "
    "judged in the one in which most of them hold, the reading kindest to the paper. A claim holds if it holds in "
    "every configuration, and under conditions if in that one; it is undecided if the interval of what was measured "
    "contains the threshold. Where both sides of a comparison come from parakin, agreement is called self-consistent, "
    "be it in every configuration or in that one, and is no evidence; disagreement is called not reproduced and "
    "refutes nothing, for the authors may have implemented it otherwise. An own count of operations is an upper bound, "
    "and refutes no printed one."
)
"""How verdicts come about, for readers."""
_LOOKS = {Verdict.HOLDS: "good", Verdict.REFUTED: "bad"}


def rows(result: Result) -> list[tuple[str, str, str, str]]:
    """Return one row of texts for each claim, in the columns of `HEADER`."""
    return [
        (claim.says, quoted(claim), finding.measured_in(judgement.configuration), judgement.verdict.value)
        for claim, finding, judgement in result.findings
    ]


def counted(results: Sequence[Result]) -> str:
    """Say how many claims have which verdict."""
    verdicts = [judgement.verdict for result in results for _, _, judgement in result.findings]
    return "; ".join(f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict if verdict in verdicts)


def page_of(results: Sequence[Result], command: str) -> str:
    """Return the text of report.html. command: the call that made it, which the page prints."""
    page = Page("Five papers on parallel robots, re-enacted")
    page.text(f"Each published claim beside what parakin measures. {counted(results)}.")
    page.contents(
        [*((result.title, counted([result])) for result in results), ("Robots", ""), ("How this was made", "")]
    )
    with page.folded("How verdicts are reached"):
        page.text(LAW)
    for result in results:
        _write_study(page, result)
    page.heading("Robots")
    for name in dict.fromkeys(name for result in results for name in result.robots):
        page.heading(name, 3)
        robot = load(name)
        page.image(data_uri(_pictured(robot)), f"{name} at home: driven elements orange, others blue")
        with page.folded(f"Numbers of {name}"):
            for heading, entries in card(robot):
                page.table((heading, ""), entries)
    page.heading("How this was made")
    page.code(command)
    page.table(("what", "version"), versions())
    page.table(("study", "seconds"), [(result.study, f"{result.seconds:.1f}") for result in results], numbers=(1,))
    return page.html()


def _pictured(robot: Robot) -> Figure:
    """Return a figure of a robot at home."""
    figure = Figure(figsize=(5.0, 5.0), layout="constrained")
    draw(robot, ax=figure.add_subplot())  # pyright: ignore[reportUnknownMemberType]
    return figure


def _write_study(page: Page, result: Result) -> None:
    """Write the claims with their verdicts, the figures, and folded what they rest on."""
    page.heading(result.title)
    page.text(f"{result.paper}. {counted([result])}.")
    looks = [_LOOKS.get(judgement.verdict, "open") for _, _, judgement in result.findings]
    keyed = [(claim.key, *row) for (claim, _, _), row in zip(result.findings, rows(result), strict=True)]
    page.table(("", *HEADER), keyed, classes=looks)
    with page.folded("What decided: criteria, thresholds, intervals"):
        judged = [(claim.key, decided(claim, j), finding.remark) for claim, finding, j in result.findings]
        page.table(("claim", "decided by", "remark"), judged)
    with page.folded("Apparatus, and what the paper leaves open"):
        described = [(each.name, each.needs, judged_in(result, each)) for each in apparatus_of(result)]
        page.table(("apparatus", "needs, and what stands for it", "judged in"), described)
        page.table(("reading",), [(gap,) for gap in result.gaps])
    for picture in result.pictures:
        page.picture(picture.png, picture.caption)


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
