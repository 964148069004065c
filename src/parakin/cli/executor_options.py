"""Options of commands that make many runs: who computes them, and where their results are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from parakin.executors import Placement, Progress

Workers = Annotated[
    int | None, typer.Option(min=1, help="Run in so many processes of this machine; by default in this one.")
]
"""How many processes compute."""
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Run on the dask cluster whose scheduler is here, as tcp://host:8786; needs --folder."
    ),
]
"""Address of the scheduler of a cluster."""
Folder = Annotated[
    Path | None,
    typer.Option(help="Keep the results of all runs here, chunk by chunk, so that --resume can go on after any end."),
]
"""Where results are kept."""
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with the job in --folder: compute only what is missing or damaged there."),
]
"""Whether a job goes on."""


def placement_of(
    workers: int | None,
    scheduler: str | None,
    folder: Path | None,
    *,
    resume: bool,
    progress: Callable[[Progress], None] | None = None,
) -> Placement | None:
    """Return where runs are computed and kept; None where nothing was asked for.

    progress: is told of every chunk; None where the function that is given the placement tells in its own words.
    """
    if workers is not None and scheduler is not None:
        raise ExecutorError("--workers", "are processes of this machine, --scheduler is a cluster: give one of them")
    if scheduler is not None and folder is None:
        raise ExecutorError("--scheduler", "workers of a cluster answer by files: give a --folder that all of them see")
    if resume and folder is None:
        raise ExecutorError("--resume", "needs the --folder of the job that is to go on")
    if workers is None and folder is None:
        return None
    from parakin.executors import Cluster, LocalProcesses, Placement, ThisProcess

    if scheduler is not None:
        executor = Cluster(scheduler)
    else:
        executor = ThisProcess() if workers is None else LocalProcesses(workers)
    return Placement(executor, folder, resume, progress)
