"""`parakin reproduce` re-enacts the papers."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli.application import app, fail
from parakin.cli.outputs import check_room, staged, working
from parakin.errors import ParakinError

if TYPE_CHECKING:
    from parakin.studies.result import Result


@app.command()
def reproduce(
    studies: Annotated[
        list[str] | None, typer.Argument(help="Some of codourey, ozgur, abdellatif, vivas, sinatra; all by default.")
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for the report and its figures.")] = Path(
        "out"
    ),
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Studies that run at a time; by default one for each core.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print claims, measurements and verdicts as JSON, for programs.")
    ] = False,
) -> None:
    """Re-enact five papers: each published claim, what parakin measures, and a verdict.

    Writes report.html and the figures as PNG and SVG. Exit code 3 if a verdict is not the recorded one: that is news.

    Example: parakin reproduce vivas -o out
    """
    with working("studies"):
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        from parakin.kernels.threads import cores
        from parakin.studies import STUDIES
        from parakin.studies.report import write
        from parakin.studies.run import run

    names = list(STUDIES) if studies in (None, ["all"]) else list(dict.fromkeys(studies))
    columns = SpinnerColumn(), TextColumn("{task.fields[study]:10} {task.description}"), TimeElapsedColumn()
    check_room(output)
    try:
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            tasks = {name: progress.add_task("waiting", study=name, total=None) for name in names}
            results = run(
                names,
                jobs=jobs or cores(),
                progress=lambda name, text: progress.update(tasks[name], description=text),
            )
    except ParakinError as error:
        fail(error)
    with working("writing the report"), staged(output) as place:
        write(results, place, shlex.join(["parakin", *sys.argv[1:]]))
    if as_json:
        typer.echo(json.dumps(_as_data(results), indent=1))
    else:
        _show(results)
        typer.echo(f"written: {output / 'report.html'} and its figures")
    news = [f"{result.study}: {claim.key}" for result in results for claim in result.news]
    if news:
        typer.echo(f"news: the verdict on {', '.join(news)} is not the recorded one", err=True)
        raise typer.Exit(3)


def _as_data(results: list[Result]) -> list[dict[str, object]]:
    from parakin.studies.wording import decided

    return [
        {
            "study": result.study,
            "paper": result.paper,
            "seconds": result.seconds,
            "claims": [
                {
                    "key": claim.key,
                    "where": claim.where,
                    "quote": claim.quote,
                    "claim": claim.says,
                    "apparatus": claim.apparatus.name,
                    "evidence": claim.evidence.value,
                    "parakin": finding.measured_in(judgement.configuration),
                    "decided_by": decided(claim, judgement),
                    "verdict": judgement.verdict.value,
                    "recorded": claim.recorded.value,
                    "remark": finding.remark,
                }
                for claim, finding, judgement in result.findings
            ],
        }
        for result in results
    ]


def _show(results: list[Result]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from parakin.studies.report import HEADER, rows

    for result in results:
        table = Table(title=result.title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
        for column in HEADER:
            table.add_column(column, overflow="fold")
        for row in rows(result):
            table.add_row(*row)
        Console().print(table)
