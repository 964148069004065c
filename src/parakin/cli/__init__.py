"""The command `parakin`. Commands import what they need when they run, so that --help answers at once."""

try:
    from parakin.cli import (
        cache,
        count,
        demo,
        design,
        draw,
        excite,
        export_c,
        export_models,
        forces,
        identify,
        importing,
        maps,
        motion,
        observe,
        reproduce,
        robots,
        simulate,
        tune,
        view,
        workspace,
    )
    from parakin.cli.application import app
except KeyboardInterrupt:  # Ctrl-C before there is a command that could end
    raise SystemExit(130) from None

__all__ = [
    "app",
    "cache",
    "count",
    "demo",
    "design",
    "draw",
    "excite",
    "export_c",
    "export_models",
    "forces",
    "identify",
    "importing",
    "maps",
    "motion",
    "observe",
    "reproduce",
    "robots",
    "simulate",
    "tune",
    "view",
    "workspace",
]
