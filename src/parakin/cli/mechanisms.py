"""What the commands do with a mechanism."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import NoReturn

import typer

from parakin.cli.application import fail
from parakin.cli.outputs import finite, working
from parakin.errors import DescriptionError, ParakinError
from parakin.files import printable


def check_mechanism(file: str, as_json: bool) -> None:
    """Print the plan of a mechanism and whether its box is good; if anything is wrong, end with exit code 1."""
    try:
        with working(file):
            from parakin.robot import load, survey_mechanism

            mechanism = load(file).graph
            surveyed = survey_mechanism(mechanism)
    except ParakinError as error:
        fail_check(error, as_json)
    plan = mechanism.plan
    good = surveyed.good and not plan.singular_home
    if as_json:
        facts = asdict(surveyed) | {"home": surveyed.home.name.lower()}
        planned = {
            "independent": plan.independent_names,
            "motors": plan.actuator_names,
            "cut": [cut.joint.name for cut in plan.skeleton.cuts],
            "closure": plan.assembly.closure,
            "rods": [asdict(rod) for rod in plan.rods],
            "rows": plan.rows,
            "redundant": plan.redundant,
            "idle": plan.idle,
            "loose": plan.loose,
            "openings": plan.openings,
            "singular_home": plan.singular_home,
        }
        typer.echo(json.dumps({"good": good, "problems": []} | finite({"plan": planned} | facts), indent=1))
    else:
        bodies, joints = len(mechanism.body_names), len(mechanism.graph_description.joints)
        typer.echo(f"{file}: {printable(mechanism.title)}: {bodies} bodies, {joints} joints")
        typer.echo(f"{plan}\n{surveyed}")
    if not good:
        raise typer.Exit(1)


def fail_check(error: ParakinError, as_json: bool) -> NoReturn:
    """End a check with exit code 1: with the problems of a file as JSON if that is asked for, else in words."""
    if as_json and isinstance(error, DescriptionError):
        problems = [{"key": key, "problem": reason} for key, reason in error.problems]
        typer.echo(json.dumps({"good": False, "problems": problems}, indent=1))
        raise typer.Exit(1) from None
    fail(error)
