"""The page report.html that `parakin identify` writes."""

from __future__ import annotations

from collections.abc import Mapping

from parakin.identification.identifying.identification import HEADER, Identification
from parakin.plots.page import Page

_LOOKS = {"identified": "good", "weak": "open", "impossible": "bad", "not identifiable": "bad"}


def report_of(identification: Identification, pictures: Mapping[str, tuple[bytes, str]], robot: bytes) -> str:
    """Return a page that stands alone; pictures: name -> (PNG, caption); robot: a PNG of it."""
    page = Page(f"{identification.robot.name}: parameters identified from a log")
    page.text(_sentence(identification.headline))
    page.picture(robot, f"{identification.robot.name} at home")
    page.heading("The log")
    page.code(str(identification.report))
    for note in identification.notes:
        page.text(_sentence(note))
    page.heading("What can be said")
    estimate = identification.estimate
    method = f"{estimate.method} least squares over {estimate.rows} states"
    page.text(_sentence(f"{method}; condition number {estimate.condition:.4g}. {identification.counts}"))
    if estimate.biased:
        page.text(f"Not to be trusted: {estimate.biased}.")
    page.text(f"{identification.made}.")
    page.heading("Forces")
    page.text(f"Predicted and measured {identification.validated}.")
    v = identification.validation
    forces = [
        (name, unit, f"{force:.4g}", f"{rms:.4g}", f"{percent:.3f}", word)
        for name, unit, force, rms, percent, word in zip(
            v.actuators, v.units, v.force, v.rms, v.percent, v.words, strict=True
        )
    ]
    header = ("actuator", "unit", "force, rms", "residual, rms", "%", "residual")
    page.table(header, forces, numbers=(2, 3, 4))
    page.text(_sentence(v.residual))
    for content, caption in pictures.values():
        page.picture(content, caption)
    page.heading("Parameters")
    rows = [(*row[:5], row[6], row[5]) for row in identification.rows()]
    header = (*HEADER[:5], HEADER[6], HEADER[5])
    page.table(header, rows, numbers=(2, 3, 4), classes=[_LOOKS[row[5]] for row in identification.rows()])
    return page.html()


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
