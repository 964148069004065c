"""Lay out the workspace of a program: places for its signals, for what is held of them, for what the driver keeps."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.kernels.context import LINE_BYTES
from parakin.kernels.plan import Action, Call, Copy, Iterated, Plan, Repeated, Scanned, Shortened
from parakin.kernels.ports import Port


@dataclass(frozen=True)
class Layout:
    """Offsets [bytes] in the workspace."""

    signals: dict[str, int]
    """Place of each signal."""
    shadows: dict[str, int]
    """Place of what an iteration or a shortcut holds of a signal, by "steps or doubt signal/name"."""
    kept: int
    """Place of the values that the parts of a stage hand on to each other."""
    pointers: int
    """Place of the addresses of each port's data, one for each lane."""
    stage: int
    """Place where W states of an output are put side by side before they are written past the caches."""
    size: int
    """Size of the workspace [bytes]."""


def is_streamed(port: Port, width: int) -> bool:
    """Return whether an output may be written past the caches: squares of it are moved, and W rows are whole lines."""
    return 1 < width <= port.size and 8 * port.size * width % LINE_BYTES == 0


def is_staged(port: Port, width: int) -> bool:
    """Return whether its rows must be put side by side for that, because a single one is not whole lines."""
    return is_streamed(port, width) and 8 * port.size % LINE_BYTES != 0


def layout(plan: Plan, width: int, kept: int) -> Layout:
    """Give everything its place, for so many lanes and `kept` values that parts of a stage hand on."""
    offset = 0

    def take(elements: int) -> int:
        nonlocal offset
        start = offset
        offset += 8 * width * elements
        return start

    signals = {name: take(size) for name, size in plan.sizes.items()}
    shadows: dict[str, int] = {}

    def hold(key: str, names: tuple[str, ...]) -> None:
        shadows.update({f"{key}/{name}": take(plan.sizes[name]) for name in names})

    def visit(actions: tuple[Action, ...]) -> None:
        for action in actions:
            match action:
                case Iterated():
                    hold(action.steps, action.held_apart)
                    visit(action.body)
                case Shortened():
                    hold(action.doubt, action.held)
                    visit(action.quick)
                    visit(action.sure)
                case Repeated(body=body) | Scanned(body=body):
                    visit(body)
                case Call() | Copy():
                    pass

    visit(plan.actions)
    shared = take(kept)
    pointers = take(len(plan.inputs) + len(plan.outputs))
    stage = take(max((port.size for port in plan.outputs if is_staged(port, width)), default=0))
    return Layout(signals, shadows, shared, pointers, stage, offset)
