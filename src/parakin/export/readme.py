"""A controller in C comes with a page that says how it is called, and what every member of its structs is."""

from __future__ import annotations

import html

from parakin.control import Guard, Law
from parakin.export.first_place import PATH, SETTLING
from parakin.export.interface import Member, Struct, Structs
from parakin.export.selftest import tolerance
from parakin.files import printable
from parakin.kernels import Kernel
from parakin.kernels.single import FARTHEST_ANGLE


def readme_text(law: Law, structs: Structs, name: str, step: Kernel, ticks: int) -> str:
    """Write the README of a controller; `step` tells how many operations a tick takes, `ticks` what is replayed."""
    robot = law.robot
    tables = "\n\n".join(struct_table(struct, name) for struct in structs)
    return _README.format(
        name=name,
        law=law.name,
        robot=robot.name,
        title=in_markdown(robot.title),
        period=law.period,
        actuators=", ".join(robot.actuator_names),
        coordinates=", ".join(robot.pose_names),
        tables=tables,
        holding=_row(structs.holding),
        tau=_row(structs.tau),
        operations=step.operations,
        but=_BUT.format(steps=PATH + SETTLING) if law.carries_place else "",
        places=_PLACES.format(steps=PATH + SETTLING) if law.carries_place else "",
        ticks=ticks,
        angles=_ANGLES[structs.real],
        tolerance=tolerance(structs),
        step=f"{'' if law.guard is None else 'status = '}{name}_step(&state, &{name}_default_gains, &reference, "
        f"&measurement, {'' if law.guard is None else '&supervision, '}tau);",
        beat="" if law.guard is None else "\nsupervision.reset = 0.0;",
        narrow=_NARROW if structs.real == "float" else "",
        checks=_UNCHECKED if law.guard is None else _guarded(law.guard),
    )


def _guarded(guard: Guard) -> str:
    """Say what a guard does."""
    beats = guard.heartbeat_ticks
    return _GUARDED.format(
        ticks=guard.ticks,
        heartbeat=f", or {beats} ticks without heartbeat," if beats else "",
        safe=guard.safe.value,
        ramp=guard.ramp,
        beats=f"Change `supervision.heartbeat` at least every {beats} ticks." if beats else "No heartbeat is needed.",
    )


def in_markdown(text: str) -> str:
    """Return a text of a robot's file as one line of Markdown that shows it: no HTML, link or emphasis of its own."""
    marked = "".join(f"\\{letter}" if letter in "\\`*_[]|#" else letter for letter in printable(text))
    return html.escape(marked, quote=False)


def struct_table(struct: Struct, name: str) -> str:
    """Write the members of a struct as a table of Markdown."""
    rows = "\n".join(map(_row, struct.members))
    return f"`{name}_{struct.kind}`: {struct.meaning}.\n\n| member | unit | |\n|---|---|---|\n{rows}"


def _row(member: Member) -> str:
    shape = f"{member.shape[0]} x {member.shape[1]}, row by row: " if len(member.shape) == 2 else ""
    return f"| `{member.declaration.removeprefix(f'{member.real} ')}` | {member.unit} | {shape}{member.meaning} |"


_BUT = " (but one of {steps} passes in `init`)"
"""Where such a controller does have a loop."""
_PLACES = """\
- The law knows where the robot is as a `place`: coordinates of joints from which all else follows. `init` finds that
  of the first desired pose from home, in {steps} Newton steps along the way, so that it must be in the workspace.
  At every tick Newton steps from the predicted place close the loops again, and `residual` says how far they were then
  open: little beside the robot's size in every motion that the drives can follow. Stop the robot where it grows.
"""
"""How a controller whose robot has loops carries its place."""
_ANGLES = {"double": " (but for angles beyond 2^20 rad)", "float": ""}
"""Where there is a branch, by the type of numbers."""
_NARROW = f"""\
- Numbers are `float`. Sines and cosines are right up to angles of {FARTHEST_ANGLE:,.0f} rad. A supervisor that counts
  ticks must begin again before 2^24, from where on a `float` counts no further.
"""
"""What is different in single precision."""
_UNCHECKED = """\
- Numbers are not checked. A NaN or an infinity in a measurement comes out in `tau` and may stay in the state: check
  what the sensors say before the call, look at `tau` after it, and start again with `init`.
"""
"""What a controller without a guard does with numbers that are none."""
_GUARDED = """\
- `init` and `step` return a status (0 ok, 1 held, 2 fault), `state.guard_cause` says why. Forces are finite and within
  their limits, whatever the controller is told. What is not believed is replaced by what was expected; more than
  {ticks} bad ticks that good ones do not make up for{heartbeat} are a fault: the force goes to the safe one
  ({safe}) with a time constant of {ramp:g} s, and `state.guard_brake` asks for the brakes.
- A fault lasts until `supervision.reset` rises from 0 to 1 at a tick at which nothing is wrong, the set point
  being where the robot is. {beats}
"""
"""What a guarded controller does with them."""
_README = """\
# {name}

The control law `{law}` for the robot {robot} ({title}) as C99, written by parakin. One step every {period:g} s.

    make check        # compile, and replay {ticks:,} ticks of a closed loop: forces agree to {tolerance:g}
    make sanitized    # the same under the address and undefined behaviour sanitizers

## Use

```c
#include "{name}.h"

{name}_state state;
{name}_init(&state, &{name}_default_gains, &reference, &measurement, holding);{beat}
for (;;) {{ /* every {period:g} s */
    {step}
}}
```

- No heap, no static data but the default gains, no loops{but}, no branches{angles},
  nothing but `<math.h>` and `<stdint.h>`: a step is {operations}, whatever the numbers.
- Several controllers may share the code; each has a state.
- For other gains, keep a `const {name}_gains` of your own, a copy of `{name}_default_gains` with
  members changed, and give it to both functions.
- `init` takes the first set point, what is measured with the robot at rest, and the forces that hold it; the law takes
  over from the drives without a jump.
- `step` gives the forces that the drives are to apply until the next tick, within the limits of the robot file.
{checks}{places}{narrow}\
- `-ffast-math` and its like are refused: limits and checks need comparisons with NaN and infinity to be what C99 says.
- Compile with `-fno-math-errno`, as the Makefile does: else the root of a negative number takes more instructions.
- Compile without contraction (`-std=c99`, or `-ffp-contract=off`), or allow the self-test a larger difference.

## Interface

SI units. Where one unit is given it is that of every number; several are in the order of the numbers; 1 is none.

- actuators: {actuators}
- coordinates of a pose: {coordinates}

{tables}

Arguments of `{name}_init` and `{name}_step`:

| argument | unit | |
|---|---|---|
{holding}
{tau}
"""
