"""The command `parakin`. Commands import what they need when they run, so that --help answers at once."""

from parakin.cli import (
    cache,
    count,
    demo,
    draw,
    excite,
    export_c,
    export_fmu,
    export_models,
    forces,
    identify,
    importing,
    motion,
    reproduce,
    robots,
    simulate,
    tune,
    view,
)
from parakin.cli.application import app

__all__ = [
    "app",
    "cache",
    "count",
    "demo",
    "draw",
    "excite",
    "export_c",
    "export_fmu",
    "export_models",
    "forces",
    "identify",
    "importing",
    "motion",
    "reproduce",
    "robots",
    "simulate",
    "tune",
    "view",
]
