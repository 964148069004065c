"""`parakin tune` sweeps the gains of a law over many plants."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import executor_options
from parakin.cli import loop_options as option
from parakin.cli.application import FAILED_RUN, AnyName, app, fail
from parakin.cli.outputs import aligned, check_room, finite, staged, working
from parakin.errors import ParakinError, SimulationError

if TYPE_CHECKING:
    from parakin.control import Law
    from parakin.simulation import Setting, Sweep

GAINS = "gains.toml"
"""Name of the file with the gains that are recommended."""


MOST_PLANTS = 100_000
"""Random plants at most."""
MOST_VALUES = 10_000
"""Values of one range at most."""
MOST_SETTINGS = 100_000
"""Combinations of the values of all ranges at most."""


@app.command()
def tune(
    robot: AnyName,
    *,
    controller: option.Controller = "computed_torque",
    motion: option.MotionName = None,
    period: option.Period = 1e-3,
    gains: option.Gains = None,
    bandwidth: Annotated[
        str, typer.Option(help="Bandwidths in rad/s, as 20:200:8 (eight from 20 to 200) or 30,60.")
    ] = "20:200:8",
    damping: Annotated[str, typer.Option(help="Damping ratios, written the same way.")] = "1",
    gain: Annotated[
        list[str] | None,
        typer.Option(help="Sweep this gain instead, as K_p=1000:20000:6. Repeatable: all combinations are tried."),
    ] = None,
    plants: Annotated[
        int, typer.Option(min=1, max=MOST_PLANTS, help="Number of random plants that each setting is tried on.")
    ] = 32,
    mismatch: Annotated[
        float, typer.Option(help="Largest difference of the plants' parameters from the controller's, in %.")
    ] = 20.0,
    payload: Annotated[
        float, typer.Option(help="Largest mass in kg that the plants carry and the controller does not know of.")
    ] = 0.0,
    counts: option.Counts = None,
    noise: option.Noise = 0.0,
    cutoff: option.Filter = None,
    delay: option.Delay = False,
    seed: option.Seed = 0,
    substeps: option.Substeps = 4,
    force: option.Force = False,
    workers: executor_options.Workers = None,
    scheduler: executor_options.Scheduler = None,
    folder: executor_options.Folder = None,
    resume: executor_options.Resume = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the front as JSON, for programs.")] = False,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Directory for tradeoff.png, runs.csv and gains.toml.")
    ] = Path("out"),
) -> None:
    """Try settings of a law on many random plants, and show what good tracking costs.

    Prints the settings that no other beats in both error and force noise (or, where sensors are exact, largest force)
    and recommends, of those with a gain margin of 2 or more and a delay margin of 1.5 ticks or more, the one with the
    least product of both. Says which settings are unstable at home, or nearly so; unless forced, refuses if all are.
    Writes tradeoff.png, runs.csv and, where a setting is recommended, its gains as gains.toml, for --gains of this
    command, simulate, export-c and export-fmu. With --gains, gains that are not swept are those of that file. With
    --workers or --scheduler runs are spread over processes, with --folder they are kept and can be resumed; the results
    are the same to the last bit. Exit code 4 if no setting brings every plant to its end.

    Example: parakin tune h4 --motion lift --bandwidth 20:200:8 --damping 0.7,1 --counts 20861 --filter 200 --delay
    """
    sensing = option.Sensing(counts, noise, cutoff, delay, seed)
    try:
        with working(f"{robot}: {controller}"):
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            from parakin import simulation
            from parakin.control.gains_file import gains_text
            from parakin.plots import tradeoff_figure
            from parakin.plots.files import png
            from parakin.robot import load

            plant = load(robot)
        planned = option.motion_for(plant, motion)
        title = f"{plant.name}, {Path(planned).name}: {controller} on {plants} plants"
        option.check_payload(plant, payload)
        _question_mismatch(mismatch)
        check_room(output)
        bars = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        with Progress(*bars, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(title, total=None)
            (law,), reference = option.laws_and_reference(plant, [controller], planned, period)
            law = option.with_gains(law, gains, force)
            settings = settings_of(law, bandwidth, damping, gain or [])
            progress.update(task, total=len(settings))
            placement = executor_options.placement_of(
                workers,
                scheduler,
                folder,
                resume=resume,
                progress=lambda runs: progress.update(task, completed=runs.done // plants),
            )
            drawn = simulation.random_plants(plant, sensing.scenario(), plants, mismatch / 100, payload)
            swept = simulation.sweep(
                plant,
                law,
                reference,
                settings,
                drawn,
                substeps=substeps,
                force=force,
                told=lambda done: progress.update(task, completed=done),
                placement=placement,
            )
        with working(f"{title}: writing"), staged(output) as place:
            (place / "tradeoff.png").write_bytes(png(tradeoff_figure(swept, title)))
            (place / "runs.csv").write_text(runs_csv(swept), encoding="utf-8", newline="\n")
            if swept.best is not None:
                chosen = swept.settings[swept.best]
                (place / GAINS).write_text(
                    gains_text(law.with_gains(**chosen.gains), f"parakin tune, {title}: {chosen}"),
                    encoding="utf-8",
                    newline="\n",
                )
    except ParakinError as error:
        fail(error)
    if as_json:
        typer.echo(json.dumps(finite({"robot": plant.name, "law": law.name, **_data(swept)}), indent=1))
    else:
        _show(swept)
        written = ["tradeoff.png", "runs.csv", *([] if swept.best is None else [GAINS])]
        typer.echo(f"written: {', '.join(str(output / name) for name in written)}")
    if not swept.completed.any():
        raise typer.Exit(FAILED_RUN)


def _question_mismatch(percent: float) -> None:
    """Remark on a mismatch so small that it may have been meant as a share."""
    if 0 < percent < 1:
        typer.echo(f"--mismatch is in %: plants differ by {percent:g} %; for {100 * percent:g} % give that", err=True)


def values_of(text: str) -> list[float]:
    """Read a list of numbers: 20:200:8 is eight values from 20 to 200 with equal ratios, 30,60 are two."""
    import numpy as np

    try:
        if ":" not in text:
            return [float(entry) for entry in text.split(",")]
        first, last, count = text.split(":")
        low, high, number = float(first), float(last), int(count)
        if not (0 < low < high < np.inf and number > 1):
            raise ValueError
    except ValueError:
        reason = f"must read like 20:200:8, from > 0 upwards in at least two, or 30,60; got {text!r}"
        raise SimulationError("range", reason) from None
    if number > MOST_VALUES:
        raise SimulationError("range", f"at most {MOST_VALUES} values are tried, got {text!r}")
    return np.geomspace(low, high, number).tolist()


def settings_of(law: Law, bandwidth: str, damping: str, gains: Sequence[str]) -> tuple[Setting, ...]:
    """Return the settings to try: all pairs of bandwidth and damping, or all combinations of the gains named."""
    from parakin.simulation import bandwidth_settings, gain_settings

    if not gains:
        bandwidths, dampings = values_of(bandwidth), values_of(damping)
        _check_settings({"bandwidth": bandwidths, "damping": dampings})
        return bandwidth_settings(law, bandwidths, dampings)
    ranges: dict[str, list[float]] = {}
    for entry in gains:
        name, equals, values = entry.partition("=")
        if not equals or name in ranges:
            raise SimulationError("gain", f"must read like K_p=1000:20000:6, each gain once; got {entry!r}")
        ranges[name] = values_of(values)
    _check_settings(ranges)
    return gain_settings(law, ranges)


def _check_settings(ranges: Mapping[str, Sequence[float]]) -> None:
    """Refuse ranges with more combinations than fit into memory, before any is made."""
    count = math.prod(map(len, ranges.values()))
    if count > MOST_SETTINGS:
        listed = " x ".join(f"{len(values)} of {name}" for name, values in ranges.items())
        reason = f"{listed} are {count} settings, more than {MOST_SETTINGS}: give fewer values"
        raise SimulationError("range", reason)


def runs_csv(sweep: Sweep) -> str:
    """Return the text of runs.csv, a line for each setting and plant."""
    from parakin.simulation import Ending

    s = sweep.summary
    names = list(sweep.settings[0].values)
    heads = ["error rms [m or rad]", "error peak [m or rad]"]
    heads += [f"platform rms [{s.platform_unit}]", f"platform peak [{s.platform_unit}]"]
    heads += [f"force rms [{sweep.unit}]", f"force peak [{sweep.unit}]", "saturated [1]", "ending", "limits left"]
    lines = [",".join([*names, "plant", *heads])]
    for k in range(len(s)):
        setting, plant = divmod(k, sweep.plants)
        worst = [float(values[k].max()) for values in (s.error_rms, s.error_peak)]
        worst += [float(s.platform_rms[k]), float(s.platform_peak[k])]
        worst += [float(values[k].max()) for values in (s.force_rms, s.force_peak, s.saturation)]
        chosen = [repr(float(value)) for value in sweep.settings[setting].values.values()]
        ending, left = Ending(int(s.status[k])).name.lower(), " ".join(s.beyond(k))
        lines.append(",".join([*chosen, str(plant), *map(repr, worst), ending, left]))
    return "\n".join(lines) + "\n"


def _unstable(sweep: Sweep) -> list[int]:
    """Return which settings are unstable at home."""
    return [k for k in range(len(sweep.settings)) if not sweep.delay_margin[k]]


def _thin(sweep: Sweep) -> list[int]:
    """Return which settings are stable at home, but nearly unstable."""
    return [k for k in range(len(sweep.settings)) if sweep.delay_margin[k] and not sweep.sound[k]]


def _margins(sweep: Sweep, k: int) -> dict[str, float]:
    return {"gain_margin": float(sweep.gain_margin[k]), "delay_margin": float(sweep.delay_margin[k])}


def _data(sweep: Sweep) -> dict[str, object]:
    order = [int(k) for k in sweep.cost.argsort() if sweep.front[k]]
    front = [
        dict(sweep.settings[k].values) | {"error_rms": sweep.error[:, k], "cost": sweep.cost[k]} | _margins(sweep, k)
        for k in order
    ]
    best = None if sweep.best is None else dict(sweep.settings[sweep.best].values)
    left_out = int((~sweep.completed).sum())
    return {
        "cost": f"{sweep.cost_name} [{sweep.unit}]",
        "front": front,
        "recommended": best,
        "left_out": left_out,
        "unstable": [dict(sweep.settings[k].values) for k in _unstable(sweep)],
        "thin": [dict(sweep.settings[k].values) | _margins(sweep, k) for k in _thin(sweep)],
        "beyond": sweep.summary.beyond(),
    }


def _show(sweep: Sweep) -> None:
    small = f"error, m{sweep.summary.platform_unit}"
    heads = (*sweep.settings[0].values, small, "5 %", "95 %", f"{sweep.cost_name}, {sweep.unit}", "gain margin")
    rows: list[list[str]] = []
    for k in map(int, sweep.cost.argsort()):
        if sweep.front[k]:
            low, middle, high = 1e3 * sweep.error[:, k]
            loop = (sweep.cost[k], sweep.gain_margin[k], 1e3 * sweep.delay_margin[k])
            numbers = (*sweep.settings[k].values.values(), middle, low, high, *loop)
            rows.append([f"{number:.4g}" for number in numbers])
    if rows:
        typer.echo("settings that no other beats:")
        typer.echo(aligned((*heads, "delay margin, ms"), rows))
    left_out = int((~sweep.completed).sum())
    if left_out:
        typer.echo(f"{left_out} of {len(sweep.settings)} left out: unstable at home, or a plant stopped early")
    _show_doubts(sweep)
    if sweep.summary.beyond():
        runs = int((sweep.summary.excess > 0).any(axis=1).sum())
        left = ", ".join(sweep.summary.beyond())
        typer.echo(f"{runs} of {len(sweep.summary)} runs leave a stroke or joint limit (runs.csv tells which): {left}")
    if sweep.best is None:
        typer.echo("none that is sound brings every plant to its end: sweep slower ones")
        return
    typer.echo(f"recommended: {sweep.settings[sweep.best]} (sound at home, then the least error times cost)")


def _show_doubts(sweep: Sweep) -> None:
    """Say which settings are unstable at home, and which are not sound."""
    unstable = [str(sweep.settings[k]) for k in _unstable(sweep)]
    if unstable:
        typer.echo(f"unstable at home: {'; '.join(unstable)}")
    thin = [
        f"{sweep.settings[k]} ({sweep.gain_margin[k]:.3g}, {1e3 * sweep.delay_margin[k]:.3g} ms)" for k in _thin(sweep)
    ]
    if thin:
        typer.echo(f"not sound at home (gain margin below 2, or delay margin below 1.5 ticks): {'; '.join(thin)}")
