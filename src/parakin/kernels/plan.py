"""A wired program: its stages, each once, its signals with their sizes, what enters and what leaves."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from parakin.kernels.code import Code, read
from parakin.kernels.interface import Interface
from parakin.kernels.operations import OperationCount
from parakin.kernels.passes import drop_dead, fold_selects, prepare, simplify
from parakin.kernels.ports import Port

_USUAL_ITERATIONS = 5
"""Runs of an iteration that `Plan.work` reckons with, where its limit allows so many."""


@dataclass(frozen=True)
class Call:
    """Run one stage on signals."""

    stage: int
    """Number of the stage among those of the plan."""
    reads: tuple[str, ...]
    """Signal of each input of the stage."""
    writes: tuple[str, ...]
    """Signal of each output of the stage; none of them is read by it."""


@dataclass(frozen=True)
class Copy:
    """Copy one signal to another of the same size."""

    source: str
    """Signal that is read."""
    target: str
    """Signal that is written."""


@dataclass(frozen=True)
class Repeated:
    """Run actions a fixed number of times."""

    times: int
    """How often they run."""
    body: tuple[Action, ...]
    """The actions, in order."""


@dataclass(frozen=True)
class Iterated:
    """Run actions until a signal says stop, for each lane by itself."""

    body: tuple[Action, ...]
    """The actions, in order."""
    until: str
    """Signal that stops a lane when it is not zero."""
    limit: int
    """How often they run at most."""
    steps: str
    """Signal that gets the number of runs."""
    residual: str | None
    """Signal that tells how good the result is; None where nobody asked."""
    held: tuple[str, ...]
    """Signals that the body writes, and that a stopped lane keeps."""

    @property
    def copies(self) -> tuple[Copy, ...]:
        """The copies at the end of the body, where it is one call besides, so that nothing else writes their targets.

        They need only be made in lanes that go on.
        """
        copies = tuple(action for action in self.body if isinstance(action, Copy))
        return copies if isinstance(self.body[0], Call) and len(copies) == len(self.body) - 1 else ()

    @property
    def held_apart(self) -> tuple[str, ...]:
        """Signals of which a copy must be held while the body runs."""
        targets = {copy.target for copy in self.copies}
        return tuple(name for name in self.held if name not in targets)


@dataclass(frozen=True)
class Scanned:
    """Run actions once for each tick."""

    body: tuple[Action, ...]
    """The actions, in order."""
    inputs: tuple[str, ...]
    """Signals that are read from the caller's arrays at each tick."""
    outputs: tuple[str, ...]
    """Signals that are written to the caller's arrays at each tick."""
    writes: tuple[str, ...]
    """Signals that the body writes."""


@dataclass(frozen=True)
class Shortened:
    """Run quick actions, and sure ones for the lanes that doubt."""

    quick: tuple[Action, ...]
    """Actions that always run."""
    sure: tuple[Action, ...]
    """Actions that run if any lane doubts."""
    doubt: str
    """Signal that is not zero in a lane that doubts."""
    held: tuple[str, ...]
    """Signals that the sure actions write, and that a lane without doubt keeps."""


Action = Call | Copy | Repeated | Iterated | Scanned | Shortened
"""One step of a plan; loops hold actions of their own."""


@dataclass(frozen=True)
class PlannedStage:
    """A function that is compiled once, however often it is called."""

    function: ca.Function
    """The function, an SX graph."""
    inputs: tuple[Port, ...]
    """What enters it."""
    outputs: tuple[Port, ...]
    """What leaves it."""
    content: str
    """A text that differs wherever the function differs: CasADi's serialisation."""
    quick: bool
    """Whether it is a quick step of a shortcut, and worth a better order of its operations."""
    single: bool = False
    """Whether it runs as in single precision."""

    @cached_property
    def code(self) -> Code:
        """Operations of the function, simplified."""
        return simplify(read(self.function))

    def prepared(self, *, contraction: bool, reciprocals: bool, rounding: bool = True) -> Code:
        """Return the operations as a backend writes them; `contraction` and `reciprocals` are those of `Kernel`.

        rounding: whether a stage in single precision is rounded after each operation, for backends that have double.
        """
        code = prepare(self.code, contraction=contraction and not self.single, reciprocals=reciprocals)
        if not self.single:
            return code
        from parakin.kernels.single import in_single

        return in_single(code, self.function.name(), rounding=rounding)

    @cached_property
    def operations(self) -> OperationCount:
        """Operations counted; an if_else counts as the selection it is, not as the sum SX spells it with."""
        return drop_dead(fold_selects(self.code, keep_zero_signs=False)).operations()


@dataclass(frozen=True)
class Plan:
    """Everything about a program but its compiled form."""

    name: str
    """Name of the program."""
    stages: tuple[PlannedStage, ...]
    """The functions it calls, each once."""
    actions: tuple[Action, ...]
    """What is done, in order."""
    sizes: dict[str, int]
    """Number of elements of each signal."""
    inputs: tuple[Port, ...]
    """Signals that enter, in the order in which they are first read."""
    outputs: tuple[Port, ...]
    """Signals that leave, those of each tick last."""
    ticked_inputs: tuple[str, ...]
    """Inputs that have a row for each tick of the scan."""
    ticked_outputs: tuple[str, ...]
    """Outputs that have a row for each tick of the scan."""

    @cached_property
    def interface(self) -> Interface:
        """The program from outside."""
        return Interface(
            name=self.name,
            inputs=self.inputs,
            outputs=self.outputs,
            ticked_inputs=self.ticked_inputs,
            ticked_outputs=self.ticked_outputs,
            scans=any(isinstance(action, Scanned) for action in self.actions),
            has_loops=_has_loops(self.actions),
            work=self._work(self.actions),
            digest=hashlib.sha256(self._content().encode()).hexdigest(),
        )

    def _content(self) -> str:
        """Return a text that differs wherever the computation differs."""
        zeros = [(port.name, sorted(port.pattern)) for port in self.inputs]
        names = [port.name for port in self.outputs]
        stages = [stage.content for stage in self.stages]
        return repr((self.actions, zeros, names, self.ticked_inputs, self.ticked_outputs, stages))

    def _work(self, actions: tuple[Action, ...]) -> int:
        """Return a rough number of instructions for one state and tick, without reading the stages."""
        total = 1
        for action in actions:
            match action:
                case Call(stage):
                    total += self.stages[stage].function.n_instructions()
                case Copy(_, target):
                    total += self.sizes[target]
                case Repeated(times, body):
                    total += times * self._work(body)
                case Iterated(body, limit=limit):
                    total += min(limit, _USUAL_ITERATIONS) * self._work(body)
                case Scanned(body) | Shortened(body):
                    total += self._work(body)
        return total

    @cached_property
    def operations(self) -> OperationCount:
        """Operations counted: stages as often as they are called, the body of an iteration or a scan once.

        A shortcut counts as its sure steps.
        """
        return self._count(self.actions)

    def _count(self, actions: tuple[Action, ...]) -> OperationCount:
        total = OperationCount()
        for action in actions:
            match action:
                case Call(stage):
                    total += self.stages[stage].operations
                case Repeated(times, body):
                    total += self._count(body) * times
                case Iterated(body) | Scanned(body) | Shortened(sure=body):
                    total += self._count(body)
                case Copy():
                    pass
        return total


def _has_loops(actions: tuple[Action, ...]) -> bool:
    return any(
        _has_loops((*action.quick, *action.sure))
        if isinstance(action, Shortened)
        else isinstance(action, Repeated | Iterated | Scanned)
        for action in actions
    )
