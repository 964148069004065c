"""The page of a block in C: how it is called, what its states are, and what every member of its structs is."""

from __future__ import annotations

from parakin.export.onboard.block import Block
from parakin.export.onboard.motion_table import AT_REST, MotionTable
from parakin.export.onboard.source import is_machine
from parakin.export.onboard.states import PICTURE, MachineState, table_text
from parakin.export.readme import in_markdown, struct_table
from parakin.export.selftest import TOLERANCE


def page_text(block: Block, name: str, motion: MotionTable | None, ticks: int) -> str:
    """Write the page of a block; ticks: how many are replayed."""
    machine = is_machine(block)
    goal = "" if motion is not None else f"    for (int k = 0; k < {_goal_size(block)}; ++k) input.goal[k] = goal[k];\n"
    listed = ("counts", "home") if machine else ()
    sizes = {one.name: one.size for one in block.input.members}
    used = _MACHINE_LOOP if machine else _POINTS_LOOP
    loop = used.format(name=name, goal=goal, count=sizes["counts"] if listed else 0, period=block.period)
    about = (_ABOUT_MACHINE if machine else _ABOUT_POINTS) + (
        _MOVE if motion is None else _played(motion, block.period)
    )
    return block_page(block, name, ticks, loop=loop, about=about, states=_states_text() if machine else "")


def block_page(block: Block, name: str, ticks: int, *, loop: str, about: str, states: str = "") -> str:
    """Write the page of any block: how it is used, in a loop of C and in points of a list, and all of its structs."""
    return _PAGE.format(
        name=name,
        title=in_markdown(f"{block.title[0].upper()}{block.title[1:]}"),
        period=block.period,
        ticks=ticks,
        tolerance=TOLERANCE,
        loop=loop,
        operations=block.kernel.operations,
        states=states,
        about=about,
        tables="\n\n".join(struct_table(struct, name) for struct in block),
    )


def _goal_size(block: Block) -> int:
    return next(one.size for one in block.input.members if one.name == "goal")


def _states_text() -> str:
    rows = "\n".join(f"| {state.name} {state.value} | {state.words} |" for state in MachineState)
    return f"""\
## States

```
{PICTURE}```

| state | |
|---|---|
{rows}

Of several events of a state the first in this table counts:

{table_text()}

"""


def _played(motion: MotionTable, period: float) -> str:
    name, size = in_markdown(motion.name), f"{8 * motion.rows.size / 1024:.1f} kB"
    jump = (
        f"- It begins or ends with an acceleration of up to {motion.jump:.3g} m/s^2 or rad/s^2: forces jump there.\n"
        if motion.jump > AT_REST
        else ""
    )
    return f"""\
- The motion {name}, {motion.duration:.6g} s, is a table of {len(motion.rows)} rows every {motion.step:.6g} s
  ({size} of constants): pose, velocity and acceleration. Between rows goes a quintic through all three, orientations by
  rotation vectors: {motion.accuracy(period)}.
{jump}- A `start` first moves to the first pose of the motion, from rest to rest, and then plays it once.
{_MOVE}"""


_MOVE = """\
- A move goes straight from rest to rest in seven segments, all coordinates together, as fast as the settings
  `velocity`, `acceleration` and `jerk` allow; an orientation turns about one axis, each component of its rotation
  vector keeping its limits. Actuators may be too slow or the way out of reach all the same: try the moves you need.
- A `stop` brings the set point to rest along the path within `stop_time`; a `start` then begins anew from there. While
  it stops, acceleration can exceed the limit by 1.9 times the speed divided by `stop_time`.
"""
_ABOUT_MACHINE = """\
- Positions are home_q + (counts - home_counts)/counts_per_unit; home_counts are captured at each actuator's `home` in
  HOMING, once: they are kept until the state is initialised anew. Drives that home by themselves may do so while
  `homing` is 1; the machine gives no force before HOLD.
- The pose is then found on the branch of home, by one Newton step in each of 20 ticks.
- HOLD begins where the robot is, with the forces that hold it there: nothing jumps. The brakes open with it.
- `tau` is 0 and `brake` 1 in OFF and HOMING and, at the same tick, wherever `enable` is not 1. In FAULT `tau` goes to
  the safe force of the guard, `cause` says why.
- `enable`, `start` and `reset` count when they rise; a signal that is NaN is 0.
"""
_ABOUT_POINTS = """\
- The set point begins at home: bring the drives there, to `q` of the first step, before they follow. A robot whose
  state has no `desired_place` may begin elsewhere: write another pose to `state.origin` before the first step.
- `q`, `q_dot` and `q_ddot` are for drives that close their own loops. Where `good` is 0 the robot cannot reach the
  pose: `q` stands, and its rates are 0.
- `start` counts when it rises; a signal that is NaN is 0.
"""
_MACHINE_LOOP = """\
{name}_state state = {name}_initial_state;
{name}_input input = {{0}};
{name}_output output;
for (;;) {{ /* every {period:g} s */
    read_encoders(input.counts, input.home);
    read_panel(&input.enable, &input.start, &input.stop, &input.reset);
{goal}    input.heartbeat += 1.0;
    {name}_step(&state, &{name}_default_settings, &input, &output);
    write_drives(output.tau, output.brake, output.homing);
}}"""
_POINTS_LOOP = """\
{name}_state state = {name}_initial_state;
{name}_input input = {{0}};
{name}_output output;
for (;;) {{ /* every {period:g} s */
    read_panel(&input.start, &input.stop);
{goal}    {name}_step(&state, &{name}_default_settings, &input, &output);
    write_drives(output.q, output.q_dot, output.q_ddot);
}}"""
_PAGE = """\
# {name}

{title}, as C99, written by parakin. One step every {period:g} s.

    make check        # compile, and replay {ticks:,} ticks: all that is said agrees to {tolerance:g}
    make sanitized    # the same under the address and undefined behaviour sanitizers

| file | |
|---|---|
| `{name}.c`, `{name}.h` | the step, its structs, defaults and what it begins with |
| `{name}_selftest.c` | {ticks:,} ticks on record, and a `main` that replays them |
| `Makefile` | builds and tests everything in this directory |
| `{name}.md` | this page |

## Use

```c
{loop}
```

- No heap, no loops, no branches (but for angles beyond 2^20 rad): a step is {operations}, whatever the numbers and the
  state. Nothing but `<math.h>` and `<stdint.h>`, and with `-ffreestanding` not even these.
- For other settings keep a `const {name}_settings` of your own, a copy of `{name}_default_settings` with members
  changed.
{about}
{states}## Interface

SI units. Where one unit is given it is that of every number; several are in the order of the numbers; 1 is none.

{tables}
"""
