"""`parakin demo` shows in half a minute what parakin does, from a robot to C code and a page."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli.application import app, fail
from parakin.cli.outputs import aligned, check_room, staged, working
from parakin.errors import ParakinError, UnsupportedRobotError

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.trajectory import Samples

ROBOT, PAYLOAD, CYCLE, RATE = "delta", 0.3, 0.6, 1000.0
"""What the demo is about: the robot, what it carries [kg], the time of its cycle [s] and samples in a second."""
SETTLE = 0.2
"""How long the end of the motion is held in simulations [s]."""
LAWS = ("pid", "computed_torque")
"""The laws that are simulated."""
STATES, REPEATS = 4_000, 20
"""States in a batch that is timed, and how often it is."""
MODEL = "inverse_dynamics"
"""The model that is written as C."""


@app.command()
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for what the demo makes.")] = Path("out"),
) -> None:
    """Show what parakin does with one robot: motion, forces, control, C code, a picture and a live page.

    Example: parakin demo -o out
    """
    try:
        with working("loading"):
            from parakin.robot import load
            from parakin.trajectory import check, pick_and_place

            check_room(output)
            robot = load(ROBOT).with_payload(PAYLOAD)
            samples = pick_and_place(robot, cycle=CYCLE).sampled(RATE)
            checked = check(samples, robot)
        _step(f"1. {robot.description.title}, carrying {PAYLOAD:g} kg")
        typer.echo(f"   pick and place in {CYCLE:g} s: {'within all limits' if checked.good else 'beyond limits'}")
        with staged(output) as place:
            written = [
                *_forces(robot, samples, place),
                *_loops(robot, samples, place),
                *_c_code(robot, place),
                *_pictures(robot, samples, place),
            ]
    except ParakinError as error:
        fail(error)
    typer.echo(f"\nwritten to {output}: {', '.join(written)}")
    typer.echo(_GO_ON)


_GO_ON = """
Go on with
  your own robot     parakin info delta, docs/robot_files.md, then: parakin check my_robot.toml --draw my_robot.png
  your machine's log parakin excite ROBOT -o exc.csv, run and log it, then: parakin identify ROBOT log.csv
  the papers         parakin reproduce: five papers on parallel robots, each claim beside what parakin measures"""


def _step(text: str) -> None:
    typer.echo(f"\n{text}")


def _forces(robot: Robot, samples: Samples, place: Path) -> list[str]:
    """Print what each formulation says of the forces along the motion, and costs; write forces.png."""
    import numpy as np

    from parakin.plots import force_figure
    from parakin.plots.files import png

    state = samples.pose, samples.velocity, samples.acceleration
    with working("forces"):
        exact = robot.inverse_dynamics(*state)
        rows = [row for name in _formulations() if (row := _cost(robot, name, samples, exact))]
    peak, rms = np.abs(exact).max(), float(np.sqrt(np.mean(exact**2)))
    _step(f"2. Motor torques: {peak:.2f} N m at most, {rms:.2f} N m rms. Every way to them, and what it costs:")
    heads = ["formulation", "source", "differs by", "operations", "ns a state"]
    typer.echo(_indented(aligned(heads, rows)))
    differing = {name: robot.inverse_dynamics(*state, formulation=name) for name in ("simplified",)}
    figure = force_figure(
        samples.t, exact, robot.actuator_names, "N m", others=differing, title=f"{robot.name}, pick and place"
    )
    (place / "forces.png").write_bytes(png(figure))
    return ["forces.png"]


def _formulations() -> list[str]:
    from parakin.dynamics.formulations import FORMULATIONS

    return list(FORMULATIONS)


def _cost(robot: Robot, formulation: str, samples: Samples, exact: object) -> list[str] | None:
    """Return a formulation's row: difference from the exact forces, operations, time; None if it does not suit."""
    import numpy as np

    from parakin.dynamics.formulations import FORMULATIONS

    try:
        kernel = robot.kernel(MODEL, formulation=formulation)
        tau = robot.inverse_dynamics(samples.pose, samples.velocity, samples.acceleration, formulation=formulation)
    except UnsupportedRobotError:
        return None
    reference = np.asarray(exact)
    differs = np.abs(tau - reference).max() / np.abs(reference).max()
    states = robot.sample_states(STATES)
    taken = min(_timed(lambda: robot.inverse_dynamics(*states, formulation=formulation)) for _ in range(REPEATS))
    return [
        formulation,
        FORMULATIONS[formulation].source,
        f"{100 * differs:.2g} %",
        f"{kernel.operations.total:,}",
        f"{1e9 * taken / STATES:.0f}",
    ]


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _loops(robot: Robot, samples: Samples, place: Path) -> list[str]:
    """Simulate two laws along the motion, print their errors, write errors.png."""
    with working("closed loops"):
        from parakin import control, simulation
        from parakin.plots import comparison_figure
        from parakin.plots.files import png

        light = robot.with_payload(0.0)
        laws = {name: control.law(name, light, 1 / RATE) for name in LAWS}
        reference = control.reference(robot, samples, 1 / RATE, settle=SETTLE)
        logs = {name: simulation.simulate(robot, law, reference) for name, law in laws.items()}
        (place / "errors.png").write_bytes(png(comparison_figure(logs, f"{robot.name}, pick and place")))
    _step(f"3. Two laws at {RATE:g} Hz that do not know of the {PAYLOAD:g} kg, simulated:")
    rows = [
        [name, f"{1e3 * float(s.distance_rms):.3f}", f"{1e3 * float(s.distance_peak):.3f}", f"{s.force_rms.max():.2f}"]
        for name, s in ((name, log.summary()) for name, log in logs.items())
    ]
    typer.echo(_indented(aligned(["law", "error rms, mm", "peak, mm", "torque rms, N m"], rows)))
    return ["errors.png"]


def _c_code(robot: Robot, place: Path) -> list[str]:
    """Write the inverse dynamics as C99 and, where there is a gcc, run its self-test."""
    with working("C code"):
        files = robot.to_c(MODEL, place, f"{ROBOT}_torques")
        lines = len(files.source.read_text(encoding="utf-8").splitlines())
        verdict = _self_test(place, f"{ROBOT}_torques")
    _step(f"4. The same torques as C99 for a controller: {lines:,} lines, no heap, constant work; {verdict}")
    return [path.name for path in vars(files).values()]


def _self_test(place: Path, name: str) -> str:
    """Return in words how the self-test of generated C ended; what is compiled for it is removed."""
    if shutil.which("gcc") is None:
        return "gcc is not installed, so its self-test was not run"
    binary = place / "selftest"
    sources = [str(place / f"{name}.c"), str(place / f"{name}_selftest.c")]
    try:
        subprocess.run(["gcc", "-std=c99", "-O2", *sources, "-o", str(binary), "-lm"], check=True, capture_output=True)
        done = subprocess.run([str(binary)], check=False, capture_output=True)
    except subprocess.CalledProcessError as error:
        return f"gcc refused it: {error.stderr.decode(errors='replace')[:200]}"
    finally:
        binary.unlink(missing_ok=True)
    return "its self-test passes" if done.returncode == 0 else "ITS SELF-TEST FAILS"


def _pictures(robot: Robot, samples: Samples, place: Path) -> list[str]:
    """Write a picture of the robot in the middle of its motion, and the live page with the motion in it."""
    from parakin.cli.draw import picture_of
    from parakin.viewer import view

    with working("pictures"):
        middle = samples.pose[len(samples.t) // 4]
        (place / f"{robot.name}.png").write_bytes(picture_of(robot, middle.tolist()))
        page = view(robot, motion=samples).save(place / f"{robot.name}.html")
        size = page.stat().st_size / 1000
    _step(
        f"5. A picture of it, {robot.name}.png, and a page that computes, {robot.name}.html ({size:.0f} kB): open it,"
    )
    typer.echo("   play the motion, take hold of the platform, move a motor")
    return [f"{robot.name}.png", f"{robot.name}.html"]


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())
