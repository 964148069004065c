"""Programs: named stages wired by name, with loops around them.

A program works on signals, each a named matrix that holds one value at a time. A stage reads the signals its inputs
are named after and writes those its outputs are named after; steps run in order; a loop runs its steps again on what
the signals hold by then. A signal that is read before anything wrote it is an input of the program.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import casadi as ca

from parakin.errors import ProgramError
from parakin.kernels.code import expand
from parakin.kernels.ports import names_of


@dataclass(frozen=True)
class Stage:
    """A function that is run once."""

    function: ca.Function
    """The function; `Program` expands it to an SX graph."""
    signals: tuple[tuple[str, str], ...] = ()
    """(name in the function, signal), where the two differ."""
    single: bool = False
    """Whether it runs as in single precision, rounded to 24 bits after every operation."""


@dataclass(frozen=True)
class Repeat:
    """Steps that run a fixed number of times."""

    times: int
    """How often they run, at least once."""
    body: tuple[Step, ...]
    """The steps, in order."""


@dataclass(frozen=True)
class Iterate:
    """Steps that run until a signal is not zero, for each lane by itself, at least once.

    A lane that has stopped keeps its signals while its neighbours go on. C runs all `limit` steps with the same result.
    """

    body: tuple[Step, ...]
    """The steps, in order."""
    until: str
    """Signal, a single number, that stops a lane when it is not zero."""
    limit: int
    """How often they run at most."""
    steps: str
    """Signal that gets the number of runs."""
    residual: str | None = None
    """Signal that tells how good the result is, written in the loop or after it; C needs it."""


@dataclass(frozen=True)
class Scan:
    """Steps that run once for each tick.

    Every other signal is carried from tick to tick; name it among the program's outputs to resume from it.
    """

    body: tuple[Step, ...]
    """The steps, in order."""
    inputs: tuple[str, ...] = ()
    """Signals that are read from arrays with a row for each tick."""
    outputs: tuple[str, ...] = ()
    """Signals that are written to arrays with a row for each tick."""


@dataclass(frozen=True)
class Shortcut:
    """Quick steps, and sure ones for the lanes in which the signal `doubt` is then not zero.

    Both write the same signals; the sure steps read none of those, and run only if some lane doubts. Signals that only
    the sure steps write are theirs alone: nothing else may read them. C, expressions and counts have the sure steps
    alone.
    """

    quick: tuple[Step, ...]
    """Steps that always run."""
    sure: tuple[Step, ...]
    """Steps that run if any lane doubts."""
    doubt: str
    """Signal, a single number, that the quick steps write; not zero where their result is not to be trusted."""


Step = Stage | Repeat | Iterate | Scan | Shortcut
"""One step of a program; loops hold steps of their own."""
StepLike = Step | ca.Function
"""A step, or a function that is to be run once."""


def stage(function: ca.Function, /, **signals: str) -> Stage:
    """Make a stage of a function: `stage(f, x_next="x")` writes its output x_next to the signal x.

    >>> x = ca.SX.sym("x")
    >>> halve = pk.stage(ca.Function("halve", [x], [x / 2], ["x"], ["x_next"]), x_next="x")
    >>> print(pk.Kernel(pk.Program(halve, halve, outputs=("x",), name="quarter"))(8.0)["x"])
    2.0
    """
    return Stage(function, tuple(sorted(signals.items())))


def repeat(times: int, *body: StepLike) -> Repeat:
    """Run steps a fixed number of times.

    >>> x = ca.SX.sym("x")
    >>> halve = pk.stage(ca.Function("halve", [x], [x / 2], ["x"], ["x_next"]), x_next="x")
    >>> print(pk.Kernel(pk.Program(pk.repeat(10, halve), outputs=("x",), name="tenth"))(1024.0)["x"])
    1.0
    """
    return Repeat(times, _steps(body))


def iterate(*body: StepLike, until: str, limit: int, steps: str = "steps", residual: str | None = None) -> Iterate:
    """Run steps until the signal `until` is not zero, for each state by itself, at most `limit` times.

    steps: signal that gets the number of runs; residual: signal that tells how good the result is, which C needs.

    >>> x, a = ca.SX.sym("x"), ca.SX.sym("a")
    >>> outputs = [(x + a / x) / 2, ca.fabs(x * x - a) < 1e-12]
    >>> newton = pk.stage(ca.Function("newton", [x, a], outputs, ["x", "a"], ["x_next", "done"]), x_next="x")
    >>> root = pk.Program(pk.iterate(newton, until="done", limit=20), outputs=("x", "steps"), name="root")
    >>> pk.Kernel(root)(x=1.0, a=[2.0, 9.0])["x"].round(6)
    array([1.414214, 3.      ])
    """
    return Iterate(_steps(body), until, limit, steps, residual)


def scan(*body: StepLike, inputs: str | Iterable[str] = (), outputs: str | Iterable[str] = ()) -> Scan:
    """Run steps once for each tick; `inputs` and `outputs` have a row for each tick in the caller's arrays.

    The number of ticks is the length of these arrays, or `ticks=` of the call.

    >>> x, u = ca.SX.sym("x"), ca.SX.sym("u")
    >>> add = pk.stage(ca.Function("add", [x, u], [x + u, x + u], ["x", "u"], ["x_next", "total"]), x_next="x")
    >>> running = pk.Program(pk.scan(add, inputs="u", outputs="total"), outputs=(), name="running")
    >>> pk.Kernel(running)(x=0.0, u=[1.0, 2.0, 3.0])["total"]
    array([1., 3., 6.])
    """
    return Scan(_steps(body), names_of(inputs), names_of(outputs))


def shortcut(quick: StepLike | Sequence[StepLike], sure: StepLike | Sequence[StepLike], *, doubt: str) -> Shortcut:
    """Run quick steps, and sure ones for the states in which the signal `doubt` is then not zero.

    >>> x = ca.SX.sym("x")
    >>> series = pk.stage(ca.Function("series", [x], [x - x**3 / 6, ca.fabs(x) > 1e-3], ["x"], ["y", "doubt"]))
    >>> exact = pk.stage(ca.Function("exact", [x], [ca.sin(x)], ["x"], ["y"]))
    >>> sine = pk.Program(pk.shortcut(series, exact, doubt="doubt"), outputs=("y",), name="sine")
    >>> pk.Kernel(sine)([0.0, 1.0])["y"].round(6)
    array([0.      , 0.841471])
    """
    first, second = (steps if isinstance(steps, Sequence) else (steps,) for steps in (quick, sure))
    return Shortcut(_steps(first), _steps(second), doubt)


def _steps(body: Iterable[StepLike]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for step in body:
        if isinstance(step, ca.Function):
            steps.append(Stage(step))
        elif isinstance(step, Stage | Repeat | Iterate | Scan | Shortcut):  # pyright: ignore[reportUnnecessaryIsInstance]
            steps.append(step)
        else:
            raise ProgramError("program", str(step), "a step is a casadi.Function, a stage or a loop")
    return tuple(steps)


class Program:
    """Steps, and the signals to return: `Program(f, repeat(4, g), outputs=("x",), name="rk4")`.

    >>> x, v = ca.SX.sym("x"), ca.SX.sym("v")
    >>> fall = ca.Function("fall", [x, v], [x + 0.1 * v, v - 0.981], ["x", "v"], ["x_next", "v_next"])
    >>> step = pk.stage(fall, x_next="x", v_next="v")
    >>> three = pk.Program(pk.repeat(3, step), outputs=("x", "v"), name="three")
    >>> print(pk.Kernel(three)(x=10.0, v=0.0)["x"].round(4))
    9.7057
    """

    def __init__(self, *steps: StepLike, outputs: str | Iterable[str], name: str = "program") -> None:
        self.name = name
        self.outputs = names_of(outputs)
        self.steps = tuple(self._expanded(step) for step in _steps(steps))

    def _expanded(self, step: Step) -> Step:
        """Return the step with every function an SX graph, and every loop count checked."""
        match step:
            case Stage(function):
                return replace(step, function=expand(function))
            case Repeat(times, body):
                return Repeat(self._positive(times, "repeat"), tuple(self._expanded(s) for s in body))
            case Iterate(body, until, limit, steps, residual):
                limit = self._positive(limit, until)
                return Iterate(tuple(self._expanded(s) for s in body), until, limit, steps, residual)
            case Scan(body, inputs, outputs):
                return Scan(tuple(self._expanded(s) for s in body), inputs, outputs)
            case Shortcut(quick, sure, doubt):
                return Shortcut(tuple(self._expanded(s) for s in quick), tuple(self._expanded(s) for s in sure), doubt)

    def _positive(self, count: int, signal: str) -> int:
        if not isinstance(count, numbers.Integral) or count < 1:
            raise ProgramError(self.name, signal, f"a loop runs a whole number of times, at least once, got {count!r}")
        return int(count)

    def surely(self) -> Program:
        """Return the program with the sure steps of each shortcut in its place.

        >>> program = linkage.kernel("inverse_dynamics").program
        >>> len(pk.Kernel(program.surely()).to_wasm()) < len(pk.Kernel(program).to_wasm())
        True
        """
        return Program(*_without_shortcuts(self.steps), outputs=self.outputs, name=self.name)

    def in_single(self) -> Program:
        """Return the program as single precision runs it: rounded to 24 bits after every operation, bit for bit.

        >>> x = ca.SX.sym("x")
        >>> third = pk.Program.of(ca.Function("third", [x], [x / 3], ["x"], ["y"]))
        >>> float(pk.Kernel(third.in_single())(1.0)["y"]) == float(np.float32(1) / np.float32(3))
        True
        """
        return Program(*_narrowed(self.steps), outputs=self.outputs, name=self.name)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.steps, self.outputs, self.name)

    @classmethod
    def of(cls, function: ca.Function) -> Program:
        """Make a program of one function, which keeps its name and outputs.

        >>> program = pk.Program.of(robot.kernel("inverse_kinematics").casadi)
        >>> pk.Kernel(program)(pose)["q"].round(4)
        array([-0.1802, -0.5425, -0.7979])
        """
        return cls(function, outputs=function.name_out(), name=function.name())


def _rebuild(steps: tuple[Step, ...], outputs: tuple[str, ...], name: str) -> Program:
    return Program(*steps, outputs=outputs, name=name)


def _without_shortcuts(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    kept: list[Step] = []
    for step in steps:
        match step:
            case Shortcut(sure=sure):
                kept += _without_shortcuts(sure)
            case Stage():
                kept.append(step)
            case Repeat() | Iterate() | Scan():
                kept.append(replace(step, body=_without_shortcuts(step.body)))
    return tuple(kept)


def _narrowed(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return steps with every stage in single precision."""
    narrowed: list[Step] = []
    for step in steps:
        match step:
            case Shortcut():
                narrowed.append(replace(step, quick=_narrowed(step.quick), sure=_narrowed(step.sure)))
            case Stage():
                narrowed.append(replace(step, single=True))
            case Repeat() | Iterate() | Scan():
                narrowed.append(replace(step, body=_narrowed(step.body)))
    return tuple(narrowed)
