"""The workspace of a program: a place for each signal, for what is held of it, and for what the driver keeps."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.kernels.plan import Action, Call, Copy, Iterated, Plan, Repeated, Scanned, Shortened


@dataclass(frozen=True)
class Layout:
    """Where things lie in the workspace, in bytes."""

    signals: dict[str, int]
    shadows: dict[str, int]  # of the signals an iteration or a shortcut holds, by "steps or doubt signal/name"
    kept: int  # what the parts of a stage hand on
    pointers: int
    size: int


def layout(plan: Plan, width: int, kept: int) -> Layout:
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
                    hold(action.steps, action.held)
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
    return Layout(signals, shadows, shared, pointers, offset)
