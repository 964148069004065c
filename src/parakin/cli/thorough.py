"""What `parakin check --thorough` does: every finding about a robot or mechanism, with its remedy."""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict

import typer

from parakin.cli.mechanisms import fail_check
from parakin.cli.outputs import working
from parakin.errors import ImplausibleValueWarning, ParakinError
from parakin.files import printable


def check_thoroughly(file: str, as_json: bool) -> None:
    """Print all findings about a file; if any of them is a problem, end with exit code 1."""
    try:
        with working(f"{file}: loading") as tell:
            from parakin.analysis import thorough
            from parakin.robot import load_unchecked

            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ImplausibleValueWarning)
                robot = load_unchecked(file)
            told = [entry.message for entry in caught if isinstance(entry.message, ImplausibleValueWarning)]
            doubts = tuple((doubt.key, doubt.reason) for doubt in told)
            findings = thorough(robot, doubts, tell=lambda topic: tell(f"{file}: {topic}"))
    except ParakinError as error:
        fail_check(error, as_json)
    good = not any(finding.grade == "problem" for finding in findings)
    if as_json:
        table = {"good": good, "findings": [asdict(finding) for finding in findings]}
        typer.echo(json.dumps(table, indent=1))
    else:
        typer.echo(f"{file}: {printable(robot.title)}")
        typer.echo("\n".join(printable(line) for finding in findings for line in str(finding).split("\n")))
        typer.echo("nothing to mend" if good else "to be mended: what is called a problem above")
    if not good:
        raise typer.Exit(1)
