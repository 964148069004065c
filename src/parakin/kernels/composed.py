"""A program as one casadi.Function: its stages called symbolically, in order."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from parakin.errors import UnsupportedModelError
from parakin.kernels.plan import Action, Call, Copy, Plan, Repeated


def composed(plan: Plan) -> ca.Function:
    """Return the program as one casadi.Function: a single stage as it is, several called one after the other.

    Repeats are unrolled. A program with iterations or scans is no single expression and is refused.
    """
    whole = plan.stages[0].function
    if plan.actions == (Call(0, tuple(whole.name_in()), tuple(whole.name_out())),):
        return whole
    inputs = {port.name: ca.SX.sym(port.name, port.rows, port.columns) for port in plan.inputs}
    signals: dict[str, ca.SX] = dict(inputs)

    def run(actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case Call(stage, reads, writes):
                    results = plan.stages[stage].function.call([signals[name] for name in reads])
                    signals.update(zip(writes, results, strict=True))
                case Copy(source, target):
                    signals[target] = signals[source]
                case Repeated(times, body):
                    for _ in range(times):
                        run(body)
                case _:
                    raise UnsupportedModelError(
                        plan.name, "iterations and scans are not one expression; take the Functions of its stages"
                    )

    run(plan.actions)
    names = [port.name for port in plan.outputs]
    results = [signals[name] for name in names]
    options = {"allow_duplicate_io_names": True}  # a carried signal enters and leaves under one name
    return ca.Function(plan.name, list(inputs.values()), results, list(inputs), names, options)
