"""A study that was run, in the form that crosses processes: texts and rendered figures."""

from __future__ import annotations

import time
from dataclasses import dataclass

from parakin.plots.files import png, svg
from parakin.studies.criteria import NominalLoop
from parakin.studies.definition import Claim, Finding, Progress, Study
from parakin.studies.judging import Judgement, judgements


@dataclass(frozen=True)
class Picture:
    """A figure of a study as files."""

    name: str
    """<study>_<figure>, the name of the files without suffix."""
    caption: str
    """The text below the picture."""
    png: bytes
    """The PNG file."""
    svg: bytes
    """The SVG file; empty if none was asked for."""


@dataclass(frozen=True)
class Result:
    """Everything that reports need to know about a study that was run."""

    study: str
    """Key of the study."""
    title: str
    """The heading in reports."""
    paper: str
    """Authors, title and place of publication."""
    robots: tuple[str, ...]
    """Names of the library robots that the study uses."""
    gaps: tuple[str, ...]
    """What the paper leaves open, and how it was read."""
    findings: tuple[tuple[Claim, Finding, Judgement], ...]
    """Each claim with what was measured and how it was judged, in the order of the study."""
    loops: tuple[tuple[str, tuple[NominalLoop, ...]], ...]
    """Each configuration with its loops while the controller's model is correct; empty for studies without control."""
    pictures: tuple[Picture, ...]
    """The figures, rendered."""
    seconds: float
    """Wall time of the run, rendering included [s]."""

    @property
    def news(self) -> tuple[Claim, ...]:
        """The claims whose verdict is not the recorded one."""
        return tuple(claim for claim, _, judgement in self.findings if judgement.verdict != claim.recorded)


def result_of(study: Study, progress: Progress, *, vector: bool = True) -> Result:
    """Run a study and render its figures, as SVG only if `vector`."""
    begun = time.perf_counter()
    outcome = study.run(progress)
    judged = judgements(study.claims, outcome)
    findings = tuple(
        (claim, outcome.findings[claim.key], each) for claim, each in zip(study.claims, judged, strict=True)
    )
    pictures = tuple(
        Picture(f"{study.key}_{name}", caption, png(figure), svg(figure) if vector else b"")
        for name, (figure, caption) in outcome.figures.items()
    )
    seconds = time.perf_counter() - begun
    about = (study.key, study.title, study.paper, study.robots, study.gaps)
    return Result(*about, findings, tuple(outcome.loops.items()), pictures, seconds)
