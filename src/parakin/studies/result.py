"""A study that was run, in the form that crosses processes: texts and rendered figures."""

from __future__ import annotations

import time
from dataclasses import dataclass

from parakin.plots.files import png, svg
from parakin.studies.study import Claim, Finding, Progress, Study


@dataclass(frozen=True)
class Picture:
    name: str
    caption: str
    png: bytes
    svg: bytes


@dataclass(frozen=True)
class Result:
    """findings: (claim, finding) in the order of the study; seconds: what the run took."""

    study: str
    title: str
    paper: str
    robots: tuple[str, ...]
    gaps: tuple[str, ...]
    findings: tuple[tuple[Claim, Finding], ...]
    pictures: tuple[Picture, ...]
    seconds: float

    @property
    def news(self) -> tuple[Claim, ...]:
        """Claims whose verdict is not the recorded one."""
        return tuple(claim for claim, finding in self.findings if finding.verdict != claim.recorded)


def result_of(study: Study, progress: Progress) -> Result:
    """Run a study."""
    begun = time.perf_counter()
    outcome = study.run(progress)
    findings = tuple((claim, outcome.findings[claim.key]) for claim in study.claims)
    pictures = tuple(
        Picture(f"{study.key}_{name}", caption, png(figure), svg(figure))
        for name, (figure, caption) in outcome.figures.items()
    )
    seconds = time.perf_counter() - begun
    return Result(study.key, study.title, study.paper, study.robots, study.gaps, findings, pictures, seconds)
