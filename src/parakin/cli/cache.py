"""The command about compiled kernels."""

from __future__ import annotations

from typing import Annotated

import typer

from parakin.cli.application import app


@app.command()
def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all compiled kernels; they are compiled again when they are used.")
    ] = False,
) -> None:
    """Show where compiled kernels are kept and how much room they take.

    The environment variable PARAKIN_CACHE_DIR names another place.

    Example: parakin cache --clear
    """
    from parakin.kernels import disk_cache

    place = disk_cache.directory()
    if place is None:
        typer.echo("kernels are not cached (see the warning)", err=True)
        raise typer.Exit(1)
    if clear:
        typer.echo(f"removed {disk_cache.clear() / 2**20:.1f} MiB from {place}")
        return
    sizes = [size for _, size, _ in disk_cache.entries(place)]
    typer.echo(f"{place}: {len(sizes)} kernels, {sum(sizes) / 2**20:.1f} of {disk_cache.LIMIT_BYTES / 2**20:.0f} MiB")
