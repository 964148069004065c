"""Wire a Program into a Plan: find its inputs, check that signals fit, and refuse what does not, naming the signal."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

import casadi as ca

from parakin.errors import ProgramError
from parakin.kernels.code import input_ports, output_ports
from parakin.kernels.plan import Action, Call, Copy, Iterated, Plan, PlannedStage, Repeated, Scanned, Shortened
from parakin.kernels.ports import Port
from parakin.kernels.program import Iterate, Program, Repeat, Scan, Shortcut, Stage, Step


@dataclass
class _Planner:
    """A walk over the steps in the order in which they run, and what it has met so far."""

    name: str
    stages: list[PlannedStage] = field(default_factory=list[PlannedStage])
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    signals: dict[str, Port] = field(default_factory=dict[str, Port])
    read_as: dict[str, list[Port]] = field(default_factory=dict[str, list[Port]])
    written_as: dict[str, list[Port]] = field(default_factory=dict[str, list[Port]])
    inputs: list[str] = field(default_factory=list[str])
    residuals: dict[str, int] = field(default_factory=dict[str, int])
    """How often the signal that judges an iteration had been written before it."""
    private: dict[str, int] = field(default_factory=dict[str, int])
    """Signals that only sure steps write, and how often they had been read by the end of these: nobody else may."""
    scanned: Scan | None = None
    after_scan: bool = False
    quick: bool = False

    def refuse(self, signal: str, reason: str) -> ProgramError:
        return ProgramError(self.name, signal, reason)

    def actions(self, steps: tuple[Step, ...], *, top: bool = False) -> tuple[Action, ...]:
        actions: list[Action] = []
        for step in steps:
            match step:
                case Stage():
                    actions += self.call(step)
                case Repeat(times, body):
                    actions.append(Repeated(times, self.actions(body)))
                case Iterate():
                    actions.append(self.iterated(step))
                case Scan():
                    actions.append(self.scan(step, top=top))
                case Shortcut():
                    actions.append(self.shortened(step))
        return tuple(actions)

    def call(self, step: Stage) -> list[Action]:
        stage = self.planned(step.function, step.single)
        signal = dict(step.signals)
        unknown = signal.keys() - {port.name for port in (*stage.inputs, *stage.outputs)}
        if unknown:
            raise self.refuse(sorted(unknown)[0], f"{step.function.name()} has no input or output of that name")
        reads = tuple(signal.get(port.name, port.name) for port in stage.inputs)
        writes = tuple(signal.get(port.name, port.name) for port in stage.outputs)
        for name, port in zip(reads, stage.inputs, strict=True):
            if self.after_scan and self.scanned is not None and name in self.scanned.inputs:
                raise self.refuse(name, "is an input of each tick, so nothing can read it after the scan")
            self.meet(name, port, self.read_as)
            if name not in self.written_as and name not in self.inputs:
                self.inputs.append(name)
        for name, port in zip(writes, stage.outputs, strict=True):
            if writes.count(name) > 1:
                raise self.refuse(name, f"written twice by {step.function.name()}")
            self.meet(name, port, self.written_as)
        return self.apart(Call(self.numbers[stage.content], reads, writes))

    def apart(self, call: Call) -> list[Action]:
        """Let a stage write what it reads: through a copy, so that its pointers never overlap."""
        shared = [name for name in call.writes if name in call.reads]
        for name in shared:
            self.signals[f"{name}'"] = self.signals[name]
        writes = tuple(f"{name}'" if name in shared else name for name in call.writes)
        return [Call(call.stage, call.reads, writes), *(Copy(f"{name}'", name) for name in shared)]

    def planned(self, function: ca.Function, single: bool) -> PlannedStage:
        content = function.serialize() + (" in single precision" if single else "")
        if content not in self.numbers:
            self.numbers[content] = len(self.stages)
            ports = input_ports(function), output_ports(function)
            self.stages.append(PlannedStage(function, *ports, content, self.quick, single))
            for name in (*_repeated(function.name_in()), *_repeated(function.name_out())):
                raise self.refuse(name, f"{function.name()} has two ports of that name: name them apart")
        return self.stages[self.numbers[content]]

    def meet(self, name: str, port: Port, met: dict[str, list[Port]]) -> None:
        if not name.isidentifier():
            raise self.refuse(name, "a signal's name consists of letters, digits and _")
        met.setdefault(name, []).append(port)
        known = self.signals.setdefault(name, port._replace(name=name))
        if (known.rows, known.columns) != (port.rows, port.columns):
            sizes = f"{port.rows} x {port.columns} here, {known.rows} x {known.columns} before"
            raise self.refuse(name, f"is {sizes}; give one of them another name with stage(f, name=...)")

    def body(self, steps: tuple[Step, ...]) -> tuple[tuple[Action, ...], tuple[str, ...]]:
        """Return the actions of a loop's body, and the signals they write, private ones left out."""
        outside = {name: len(ports) for name, ports in self.written_as.items()}
        actions = self.actions(steps)
        written = [name for name, ports in self.written_as.items() if len(ports) > outside.get(name, 0)]
        return actions, tuple(name for name in written if name not in self.private)

    def iterated(self, step: Iterate) -> Iterated:
        body, held = self.body(step.body)
        if step.until not in held:
            raise self.refuse(step.until, "is not written inside the iteration that looks at it")
        if self.signals[step.until].size != 1:
            raise self.refuse(step.until, "must be a single number")
        if step.residual is not None:
            self.residuals[step.residual] = len(self.written_as.get(step.residual, ())) * (step.residual not in held)
        if step.steps in self.signals:
            raise self.refuse(step.steps, "counts the steps of an iteration: choose another name with steps=...")
        self.meet(step.steps, Port(step.steps, 1, 1, frozenset({0})), self.written_as)
        return Iterated(body, step.until, step.limit, step.steps, step.residual, held)

    def shortened(self, step: Shortcut) -> Shortened:
        self.quick, outside = True, self.quick
        quick, written = self.body(step.quick)
        self.quick = outside
        if step.doubt not in written:
            raise self.refuse(step.doubt, "is not written by the quick steps whose doubt it is")
        if self.signals[step.doubt].size != 1:
            raise self.refuse(step.doubt, "must be a single number")
        read = {name: len(ports) for name, ports in self.read_as.items()}
        known = set(self.written_as)
        sure, held = self.body(step.sure)
        for name in written:
            if len(self.read_as.get(name, ())) > read.get(name, 0):
                raise self.refuse(name, "is written by quick steps, so that the sure ones cannot read it")
        for name in held:
            if name not in written and name in known:
                raise self.refuse(name, "is written by sure steps, but not by the quick ones")
        self.private |= {name: len(self.read_as.get(name, ())) for name in held if name not in written}
        return Shortened(quick, sure, step.doubt, tuple(name for name in held if name in written))

    def scan(self, step: Scan, *, top: bool) -> Scanned:
        if not top or self.scanned is not None:
            raise self.refuse("scan", "a program has at most one scan, and not inside another loop")
        self.scanned = step
        known = set(self.signals)
        body, writes = self.body(step.body)
        self.after_scan = True
        for name in step.inputs:
            if name not in self.inputs or name in known:
                raise self.refuse(name, "is an input of each tick, so only the scan may read it, before writing it")
        for name in step.outputs:
            if name not in writes:
                raise self.refuse(name, "is an output of each tick, but nothing in the scan writes it")
        return Scanned(body, step.inputs, step.outputs, writes)


def _repeated(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if list(names).count(name) > 1})


def wired(program: Program) -> Plan:
    """Wire a program, or refuse what does not fit, naming the signal."""
    planner = _Planner(program.name)
    actions = planner.actions(program.steps, top=True)
    if not planner.stages:
        raise planner.refuse("", "a program needs at least one stage")
    for name, before in planner.residuals.items():
        if len(planner.written_as.get(name, ())) <= before:
            raise planner.refuse(name, "is not written inside the iteration that it judges, nor after it")
    for name, before in planner.private.items():
        if len(planner.read_as.get(name, ())) > before or name in program.outputs:
            raise planner.refuse(name, "is written by sure steps, but not by the quick ones")
    scanned = planner.scanned
    rows_in, rows_out = (scanned.inputs, scanned.outputs) if scanned else ((), ())
    for name in program.outputs:
        if name not in planner.written_as:
            known = ", ".join(planner.written_as)
            raise planner.refuse(name, f"is asked for but never written; the stages write {known}")
        if program.outputs.count(name) > 1:
            raise planner.refuse(name, "is asked for twice")
        if name in rows_out:
            raise planner.refuse(name, "is returned for each tick; take it out of the program's outputs")
    for name, written in planner.written_as.items():
        for reader in planner.read_as.get(name, ()):
            if any(port.pattern - reader.pattern for port in written):
                raise planner.refuse(name, "has elements that a stage reading it takes for structurally zero")
    inputs = tuple(
        planner.signals[name]._replace(
            pattern=functools.reduce(frozenset[int].intersection, (port.pattern for port in planner.read_as[name]))
        )
        for name in planner.inputs
    )
    outputs = tuple(planner.signals[name]._replace(name=name) for name in (*program.outputs, *rows_out))
    return Plan(
        name=program.name,
        stages=tuple(planner.stages),
        actions=actions,
        sizes={name: port.size for name, port in planner.signals.items()},
        inputs=inputs,
        outputs=outputs,
        ticked_inputs=rows_in,
        ticked_outputs=rows_out,
    )
