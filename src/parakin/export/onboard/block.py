"""A block is a function of C with a state: settings, state and inputs in, next state and outputs out, once a period.

It is one expression, so that its kernel in Python and its C have the same bits, and it takes the same instructions at
every tick. A block may look at rows of a table; which ones, it said in its state a tick before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control.judging import BEGUN, are_numbers
from parakin.export.interface import Member, Struct
from parakin.kernels import Kernel

ROWS = "row"
"""Member of the state that has the numbers of the rows which the next tick looks at."""
PREFIXES = {"settings": "setting", "state": "state", "input": "input", "output": "output"}
"""Kind of a struct -> what the names of its members begin with in the kernel."""


@frozen_arrays
class Table:
    """Rows of numbers that a block looks at, two neighbours at a time."""

    rows: Array
    """The numbers (rows, width)."""
    looks: int
    """How many pairs of neighbours a tick looks at."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the kernel's inputs, one for each pair."""
        return tuple(f"rows_{k}" for k in range(self.looks))

    @cached_property
    def pairs(self) -> Array:
        """Each row with the one after it (rows - 1, 2 width)."""
        return np.concatenate([self.rows[:-1], self.rows[1:]], axis=1)


@dataclass(frozen=True, eq=False)
class Block:
    """A block, complete: what it is told, keeps and says, and the function that does it."""

    title: str
    """What the block is, in a phrase."""
    period: float
    """Time from one tick to the next [s]."""
    settings: Struct
    """Numbers that are chosen once, with their defaults."""
    state: Struct
    """What is carried from tick to tick, with what it begins with."""
    input: Struct
    """What the block is told at every tick."""
    output: Struct
    """What it says at every tick."""
    kernel: Kernel
    """The tick, without fused products: its bits are those of C99."""
    table: Table | None = None
    """Rows that it looks at; None for none."""

    def __iter__(self) -> Iterator[Struct]:
        """Iterate over the structs, in the order in which a header has them."""
        return iter((self.settings, self.state, self.input, self.output))


def member(name: str, size: int, unit: str, meaning: str, values: Sequence[float] | Array = ()) -> Member:
    """Return a member of a struct; values: its defaults, or what a state begins with."""
    return Member(name, (size,), unit or "1", meaning, tuple(float(value) for value in values))


Tick = Callable[[Mapping[str, ca.SX]], Mapping[str, ca.SX]]
"""A tick as a function of symbols: setting_*, state_*, input_*, rows_* -> next_* and output_*."""


def assembled(
    title: str, period: float, structs: Mapping[str, tuple[str, Sequence[Member]]], tick: Tick, table: Table | None
) -> Block:
    """Make a block from its structs, kind -> (meaning, members), and from the function that writes its tick."""
    own = {
        "state": (
            member("begun", 1, "1", "whether the numbers are a state: others are taken for the first one", (BEGUN,)),
        )
    }
    made = {kind: Struct(kind, meaning, (*members, *own.get(kind, ()))) for kind, (meaning, members) in structs.items()}
    symbols: dict[str, ca.SX] = {}
    for kind in ("settings", "state", "input"):
        for one in made[kind].members:
            name = f"{PREFIXES[kind]}_{one.name}"
            symbols[name] = ca.SX.sym(name, *one.shape)
    if table is not None:
        symbols |= {name: ca.SX.sym(name, 2 * table.rows.shape[1]) for name in table.names}
    now = {f"state_{one.name}": ca.SX(ca.DM(one.values)) for one in made["state"].members}
    begun = ca.logic_and(ca.eq(symbols["state_begun"], BEGUN), are_numbers(symbols[name] for name in now))
    begin = {
        name: ca.if_else(begun, symbols[name], ca.reshape(value, symbols[name].shape)) for name, value in now.items()
    }
    told = {"next_begun": ca.SX(BEGUN)} | dict(tick(symbols | begin))
    names = [f"next_{one.name}" for one in made["state"].members]
    names += [f"output_{one.name}" for one in made["output"].members]
    results = [ca.densify(told[name]) for name in names]
    function = ca.Function("tick", list(symbols.values()), results, list(symbols), names, {"cse": True})
    kernel = Kernel(function, contraction=False, unchecked=tuple(symbols))
    return Block(title, period, made["settings"], made["state"], made["input"], made["output"], kernel, table)


@frozen_arrays
class Ticked:
    """What a block did in a run."""

    state: Mapping[str, Array]
    """Its state after each tick (ticks, size), by members."""
    output: Mapping[str, Array]
    """What it said at each tick (ticks, size), by members."""


Inputs = Callable[[int, Mapping[str, Array]], Mapping[str, Array]]
"""What a block is told at a tick, by members: a function of the tick, and of what was said at the last one, if any."""


def run(block: Block, inputs: Inputs, ticks: int) -> Ticked:
    """Run a block by its kernel."""
    bound = block.kernel.bind()
    told = {name: values.reshape(-1) for name, values in bound.inputs.items()}
    said = {name: values.reshape(-1) for name, values in bound.outputs.items()}
    for struct in (block.settings, block.state):
        for one in struct.members:
            told[f"{PREFIXES[struct.kind]}_{one.name}"][:] = one.values
    states = {one.name: np.empty((ticks, one.size)) for one in block.state.members}
    outputs = {one.name: np.empty((ticks, one.size)) for one in block.output.members}
    last: Mapping[str, Array] = {}
    for tick in range(ticks):
        for name, values in inputs(tick, last).items():
            told[f"input_{name}"][:] = values
        if block.table is not None:
            rows = told[f"state_{ROWS}"].astype(int)
            for look, name in enumerate(block.table.names):
                told[name][:] = block.table.pairs[rows[look]]
        bound.run()
        for name, values in states.items():
            values[tick] = told[f"state_{name}"][:] = said[f"next_{name}"]
        for name, values in outputs.items():
            values[tick] = said[f"output_{name}"]
        last = {name: values[tick] for name, values in outputs.items()}
    return Ticked(states, outputs)
