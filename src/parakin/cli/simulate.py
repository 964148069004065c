"""`parakin simulate` runs a robot under a control law, or under several to compare them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from parakin.cli import loop_options as option
from parakin.cli import machine_options as machine
from parakin.cli.application import FAILED_RUN, AnyName, app, fail
from parakin.cli.outputs import check_room, finite, staged, working
from parakin.cli.simulate_results import of_one, of_several
from parakin.errors import ParakinError, SimulationError

if TYPE_CHECKING:
    from parakin.control import Law

Payload = Annotated[float, typer.Option(help="Mass in kg that the robot carries and the controller does not know of.")]
"""Mass that the robot carries [kg]."""
PayloadTime = Annotated[float, typer.Option(help="Time in s at which the payload is picked up.")]
"""Time at which it is picked up [s]."""
Mismatch = Annotated[
    list[str] | None,
    typer.Option(
        help="By how many % parameters of the plant differ from the controller's, as 20 (all of them) or "
        "'platform.*=-30'. Repeatable."
    ),
]
"""By how many % parameters of the plant are off."""
Smoothing = Annotated[
    float,
    typer.Option(
        help="Rate in m/s or rad/s below which the sign in the plant's Coulomb friction is smooth: 0.001 for logs to "
        "be identified, in which 0.01 is seen."
    ),
]
"""Rate below which Coulomb friction is smooth [m/s or rad/s]."""
Compare = Annotated[str | None, typer.Option(help="Compare these laws instead, as pid,feedforward.")]
"""Laws to compare."""
Rule = Annotated[
    Literal["margin", "noise"],
    typer.Option(help="What compared laws are given alike: the delay margin or the force noise."),
]
"""What compared laws are given alike."""
Target = Annotated[
    float | None,
    typer.Option(
        help="How much of it: a margin in s, a noise in N or N m; by default what the first law has at 60 rad/s."
    ),
]
"""How much of it."""
Guard = Annotated[
    bool, typer.Option("--guard", help="Put the guard of the robot file around the law, as exported controllers have.")
]
"""Whether laws are guarded."""
Float32 = Annotated[bool, typer.Option("--float32", help="Run the law in single precision, as `export-c --float32`.")]
"""Whether laws run in single precision."""
State = Annotated[bool, typer.Option("--state", help="Record the state of the law, too.")]
"""Whether the state of the law is recorded."""
Form = Annotated[Literal["csv", "npz", "parquet"], typer.Option("--format", help="Format of the logs.")]
"""Format of logs."""


@app.command()
def simulate(
    robot: AnyName,
    *,
    controller: option.Controller = "computed_torque",
    motion: option.MotionName = None,
    period: option.Period = 1e-3,
    gains: option.Gains = None,
    payload: Payload = 0.0,
    payload_time: PayloadTime = 0.0,
    mismatch: Mismatch = None,
    counts: option.Counts = None,
    noise: option.Noise = 0.0,
    cutoff: option.Filter = None,
    delay: option.Delay = False,
    seed: option.Seed = 0,
    smoothing: Smoothing = 0.01,
    substeps: option.Substeps = 4,
    compare: Compare = None,
    rule: Rule = "margin",
    target: Target = None,
    guard: Guard = False,
    float32: Float32 = False,
    state: State = False,
    notch: option.Notch = None,
    shape: option.Shape = None,
    observer: option.Observer = None,
    force: option.Force = False,
    elastic: machine.Elastic = None,
    stiffness: machine.Stiffness = None,
    elastic_damping: machine.Damping = 5.0,
    backlash: machine.Backlash = 0.0,
    encoders: machine.Encoders = "motor",
    breakaway: machine.Breakaway = None,
    stribeck: machine.Stribeck = 0.05,
    presliding: machine.Presliding = 5e-4,
    ripple: machine.Ripple = None,
    cable: machine.CableText = None,
    torque_step: machine.TorqueStep = None,
    jitter: machine.Jitter = 0.0,
    form: Form = "csv",
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, for programs.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for logs and figures.")] = Path("out"),
) -> None:
    """Simulate a robot under a control law; write its log, forces.png, errors.png and report.html; print a summary.

    Exit code 4 if a run failed (left the robot's reach, became singular, diverged): the summary begins with that, and
    figures end there.

    A loop that is unstable at rest is refused, unless forced, and one that is nearly so is told of.

    With --compare: several laws, tuned to have the same delay margin or the same force noise, a log and a file of gains
    each (gains_LAW.toml, for --gains), and errors.png and forces.png of all. A law that cannot be tuned so is left out,
    and what it reached is said. Rankings depend on the rule and on the motion.

    Examples: parakin simulate h4 --controller pid --motion lift --payload 0.5 --payload-time 0.3 -o out

    parakin simulate h4 --motion lift --compare pid,feedforward,computed_torque --counts 20861 --filter 200 --delay

    parakin simulate delta --elastic 250 --backlash 1e-4 --breakaway 150
    """
    springs = (elastic, stiffness, elastic_damping, backlash, encoders)
    real = machine.Machine(*springs, breakaway, stribeck, presliding, ripple, cable, torque_step, jitter)
    sensing = option.Sensing(counts, noise, cutoff, delay, seed)
    names = [name.strip() for name in compare.split(",")] if compare is not None else [controller]
    try:
        with working(f"{robot}: {', '.join(names)}") as tell:
            from parakin import simulation
            from parakin.robot import load
            from parakin.simulation.verdicts import admit

            plant = load(robot)
            planned = option.motion_for(plant, motion)
            title = f"{plant.name}, {Path(planned).name}"
            check_room(output)
            laws, reference = option.laws_and_reference(plant, names, planned, period)
            if compare is not None and gains is not None:
                raise SimulationError("gains", "compared laws get theirs by the rule: leave --gains or --compare out")
            laws = [option.with_gains(law, gains, force) for law in laws]
            laws = [option.Worn(notch, shape, observer, delay).put_on(law) for law in laws]
            laws = [_as_exported(law, guard, float32) for law in laws]
            scenario = replace(
                real.applied(sensing.scenario()),
                parameters=option.mismatched(plant, mismatch or []),
                payload=option.carried(plant, payload),
                payload_time=option.picked_up(payload_time, reference),
                smoothing=smoothing,
            )
            if compare is None:
                admit(simulation.verdict(plant, laws[0], scenario, reference.pose[0]), force)
                log = simulation.simulate(plant, laws[0], reference, scenario, substeps=substeps, record_state=state)
                result = of_one(plant, log, f"{title}: {controller}")
            else:
                result = of_several(
                    simulation.compare(
                        plant,
                        laws,
                        reference,
                        scenario,
                        rule,
                        target=target,
                        substeps=substeps,
                        record_state=state,
                        told=lambda name: tell(f"{title}: {name}"),
                    ),
                    title,
                )
            tell(f"{title}: writing")
            with staged(output) as place:
                written = result.write(place, form, plant, title)
    except ParakinError as error:
        fail(error)
    if as_json:
        typer.echo(json.dumps({"robot": plant.name, "motion": planned, **finite(result.data)}, indent=1))
    else:
        typer.echo(result.text)
        typer.echo(f"written: {', '.join(str(output / name) for name in written)}")
    if result.failures:
        raise typer.Exit(FAILED_RUN)


def _as_exported(law: Law, guard: bool, float32: bool) -> Law:
    """Return a law as C would have it: guarded, or in single precision, or both."""
    from parakin.control import guarded

    law = guarded(law) if guard else law
    return law.in_single() if float32 else law
