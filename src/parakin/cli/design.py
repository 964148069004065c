"""`parakin design` runs a design study: many designs, their front, and the chosen one as a robot file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from parakin.cli.application import app, fail
from parakin.cli.outputs import aligned, check_room, finite, staged, working
from parakin.errors import ExecutorError, ParakinError

if TYPE_CHECKING:
    from parakin.arrays import Array
    from parakin.design import Evaluator, Found, Improved, StudyWork
    from parakin.executors import Executor, Results

PARTS = "parts"
"""Folder inside the output where the results of all chunks are, from which --resume goes on."""
SHOWN = 12
"""Designs of the front that are printed at most."""


@app.command()
def design(
    study: Annotated[Path, typer.Argument(help="A study file: docs/design.md.")],
    *,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Evaluate in so many processes of this machine; by default in this one.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Evaluate on the dask cluster whose scheduler is here; it sees --output."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a study that was interrupted; finished chunks stay.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON, for programs.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for all files.")] = Path("out"),
) -> None:
    """Vary keys of a robot file, and find the designs that no other beats.

    Every design is evaluated at all poses of the study, in lanes of kernels that are compiled once. Writes
    designs.parquet (designs.npz without pyarrow), front.csv, tradeoff.png, parallel.png and chosen.toml, the robot file
    of the chosen design with the study as its source; parts/ keeps the results of chunks for --resume. A design that
    cannot reach its home, cycle or region has a status. Exit code 1 if no design is good.

    Example: parakin design examples/delta_design.toml -o out
    """
    try:
        with working(str(study)):
            from parakin.design import gather, improve, load_study, work_of
            from parakin.design.evaluating import evaluator_of

            read = load_study(study)
            work = work_of(read, study.parent)
            evaluator = evaluator_of(work)
        check_room(output)
        if evaluator.subject.slow:
            typer.echo(f"slow: a robot is made for each design, for {evaluator.subject.slow}", err=True)
        results = _run(work, output, _executor(workers, scheduler), resume=resume)
        with working(f"{read.title}: gathering") as tell:
            found = gather(work, results)
            improved = improve(evaluator, found, tell)
            chosen, origin = _chosen(found, improved)
            written = _write(output, results, evaluator, found, _Picked(improved, chosen, origin))
    except ParakinError as error:
        fail(error)
    if as_json:
        typer.echo(json.dumps(finite(_data(found, improved, chosen, origin)), indent=1))
    else:
        _show(found, improved, chosen, origin)
        typer.echo(f"written: {', '.join(str(output / name) for name in written)}")
    if chosen is None:
        raise typer.Exit(1)


def _executor(workers: int | None, scheduler: str | None) -> Executor:
    from parakin.executors import Cluster, LocalProcesses, ThisProcess

    if workers is not None and scheduler is not None:
        raise ExecutorError("--workers", "are processes of this machine, --scheduler is a cluster: give one of them")
    if scheduler is not None:
        return Cluster(scheduler)
    return ThisProcess() if workers is None else LocalProcesses(workers)


def _run(work: StudyWork, output: Path, executor: Executor, *, resume: bool) -> Results:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from parakin.design import run_study

    bars = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*bars, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("designs", total=None)
        return run_study(
            work,
            output / PARTS,
            executor=executor,
            resume=resume,
            progress=lambda told: progress.update(task, completed=told.done, total=told.rows),
        )


def _chosen(found: Found, improved: Improved) -> tuple[Array | None, str]:
    """Return the row of the chosen design and where it comes from; None if no design is good."""
    import numpy as np

    from parakin.design.running import chosen_of, sense_of

    if not len(found.front):
        return None, ""
    rows = np.concatenate([found.front, improved.table])
    origins = [*(f"row {int(row[0])}" for row in found.front), *improved.origins]
    options = found.study.optimise
    if options is not None and options.method != "front":
        objective = options.objective or next(iter(found.study.objectives))
        costs = sense_of(found.study, objective) * rows[:, found.names.index(objective)]
        best = int(np.argmin(np.where(rows[:, -1] == 0, costs, np.inf)))
    else:
        best = int(np.flatnonzero((rows == chosen_of(found.study, rows)).all(axis=1))[0])
    return rows[best], origins[best]


class _Picked(NamedTuple):
    """What is written beside all designs and their front."""

    improved: Improved
    chosen: Array | None
    origin: str


def _write(output: Path, results: Results, evaluator: Evaluator, found: Found, picked: _Picked) -> list[str]:
    """Write all files together, or none; return their names."""
    import importlib.util

    import numpy as np

    from parakin.design import robot_file, write_designs
    from parakin.plots import design_tradeoff_figure, parallel_figure
    from parakin.plots.files import png
    from parakin.tables import write_table

    improved, chosen, origin = picked
    subject = evaluator.subject
    ending = "parquet" if importlib.util.find_spec("pyarrow") else "npz"
    with staged(output) as place:
        write_designs(place / f"designs.{ending}", found.study, results)
        if chosen is None:
            return [f"designs.{ending}"]
        write_table(place / "front.csv", found.names, np.concatenate([found.front, improved.table]))
        x = chosen[1 : 1 + len(found.study.parameters)]
        (place / "chosen.toml").write_text(robot_file(subject, x, origin), encoding="utf-8", newline="\n")
        title = f"{found.study.title}: {found.rows} designs"
        tradeoff = design_tradeoff_figure(found, subject.robot, improved.table, chosen, title)
        (place / "tradeoff.png").write_bytes(png(tradeoff))
        (place / "parallel.png").write_bytes(png(parallel_figure(found, subject.robot, chosen, title)))
    return [f"designs.{ending}", "front.csv", "tradeoff.png", "parallel.png", "chosen.toml"]


def _row(found: Found, row: Array) -> dict[str, float]:
    return dict(zip(found.names, row.tolist(), strict=True))


def _data(found: Found, improved: Improved, chosen: Array | None, origin: str) -> dict[str, object]:
    return {
        "study": found.study.name,
        "robot": found.study.robot,
        "designs": found.rows,
        "status": {code.name.lower(): count for code, count in found.counts.items()},
        "failed": {str(row): reason for row, reason in found.failed.items()},
        "slow": found.slow,
        "front": [_row(found, row) for row in found.front],
        "improved": [
            _row(found, row) | {"origin": text} for row, text in zip(improved.table, improved.origins, strict=True)
        ],
        "chosen": None if chosen is None else _row(found, chosen) | {"origin": origin},
    }


def _show(found: Found, improved: Improved, chosen: Array | None, origin: str) -> None:
    told = ", ".join(f"{count} {code.words}" for code, count in found.counts.items() if count)
    typer.echo(f"{found.study.title}: {found.rows} designs: {told}")
    for row, reason in list(found.failed.items())[:SHOWN]:
        typer.echo(f"row {row} could not be evaluated: {reason}", err=True)
    if chosen is None:
        typer.echo(f"{found.study.name}: no design is good: widen bounds or constraints", err=True)
        return
    every = -(-len(found.front) // SHOWN)
    typer.echo(f"Pareto front: {len(found.front)} designs" + (f", every {every}th shown" if every > 1 else ""))
    rows = [*found.front[::every], *improved.table]
    typer.echo(aligned(found.names[:-1], [[f"{value:.6g}" for value in row[:-1]] for row in rows]))
    for row, text in zip(improved.table, improved.origins, strict=True):
        typer.echo(f"{row[0]:.0f}: {text}")
    point = ", ".join(f"{name} {value:.6g}" for name, value in list(_row(found, chosen).items())[1:-1])
    typer.echo(f"chosen, {origin}: {point}")
