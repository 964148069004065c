"""Where in a module's memory the inputs, outputs and signals of a kernel are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parakin.kernels.plan import Action, Call, Copy, Iterated, Repeated, Scanned, Shortened

if TYPE_CHECKING:
    from parakin.kernels.kernel import Kernel

DOUBLE, INTEGER = 8, 4
"""Bytes of a double, and of an element of a status."""


@dataclass(frozen=True)
class Places:
    """Addresses of what one kernel reads and writes [bytes]."""

    inputs: dict[str, int]
    """Where the caller puts each input."""
    outputs: dict[str, int]
    """Where the caller finds each output."""
    signals: dict[str, int]
    """Where each signal is while the program runs: where it enters or leaves, if that is possible."""
    kept: int
    """Where the parts of a stage keep values for each other."""


def ports_end(kernel: Kernel, start: int) -> int:
    """Return the address behind a kernel's inputs and outputs, if they begin at `start`."""
    return _ports(kernel, start)[2]


def _ports(kernel: Kernel, start: int) -> tuple[dict[str, int], dict[str, int], int]:
    inputs: dict[str, int] = {}
    outputs: dict[str, int] = {}
    for sockets, table in ((kernel.inputs, inputs), (kernel.outputs, outputs)):
        for s in sockets:
            table[s.name] = start
            start += DOUBLE * s.size  # a status leaves half of its place free, so that doubles stay aligned
    return inputs, outputs, start


def places(kernel: Kernel, start: int, scratch: int) -> Places:
    """Give everything its place: ports from `start` on, signals that are nothing but signals from `scratch` on."""
    inputs, outputs, _ = _ports(kernel, start)
    changed = _written(kernel.plan.actions)
    signals: dict[str, int] = {}
    for name, size in kernel.plan.sizes.items():
        if name in outputs and name != kernel.status:
            signals[name] = outputs[name]
        elif name in inputs and name not in changed:
            signals[name] = inputs[name]
        else:
            signals[name] = scratch
            scratch += DOUBLE * size
    return Places(inputs, outputs, signals, scratch)


def _written(actions: tuple[Action, ...]) -> set[str]:
    """Return the signals that actions write."""
    names: set[str] = set()
    for action in actions:
        match action:
            case Call(writes=writes):
                names.update(writes)
            case Copy(target=target):
                names.add(target)
            case Repeated(body=body) | Scanned(body=body):
                names |= _written(body)
            case Iterated(body=body, steps=steps):
                names |= _written(body) | {steps}
            case Shortened(quick=quick, sure=sure):
                names |= _written((*quick, *sure))
    return names
