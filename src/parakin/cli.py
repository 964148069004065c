"""The command `parakin`."""

from __future__ import annotations

from typing import Annotated

import typer

import parakin
from parakin.kernels import disk_cache

app = typer.Typer(
    no_args_is_help=True, add_completion=True, help="Parallel robots: models, kernels and what runs on them."
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"parakin {parakin.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Parallel robots: models, kernels and what runs on them."""


@app.command()
def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all compiled kernels; they are made again when used.")
    ] = False,
) -> None:
    """Show where compiled kernels are kept and how much room they take.

    PARAKIN_CACHE_DIR names another place.
    """
    place = disk_cache.directory()
    if place is None:
        typer.echo(f"{disk_cache.default_directory()}: not used (see the warning)", err=True)
        raise typer.Exit(1)
    if clear:
        typer.echo(f"removed {disk_cache.clear() / 2**20:.1f} MiB from {place}")
        return
    sizes = [size for _, size, _ in disk_cache.entries(place)]
    typer.echo(f"{place}: {len(sizes)} kernels, {sum(sizes) / 2**20:.1f} of {disk_cache.LIMIT_BYTES / 2**20:.0f} MiB")
