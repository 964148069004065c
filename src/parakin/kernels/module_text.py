"""One LLVM module: the lane functions a program needs, its stages, and the driver."""

from __future__ import annotations

from parakin.kernels.driver_text import DriverWriter
from parakin.kernels.lane_math import lane_function
from parakin.kernels.lanes import Lanes
from parakin.kernels.passes import prepare
from parakin.kernels.plan import Plan
from parakin.kernels.stage_text import stage_functions


def module_text(
    plan: Plan, width: int, status: str | None, *, contraction: bool, reciprocals: bool, fused: bool
) -> str:
    """LLVM text with `run`. `fused`: the host multiplies and adds in one instruction."""
    functions: list[str] = []
    writers: list[Lanes] = []
    for k, stage in enumerate(plan.stages):
        code = prepare(stage.code, contraction=contraction and fused, reciprocals=reciprocals)
        ports = len(stage.inputs), len(stage.outputs)
        for text, writer in stage_functions(code, *ports, f"stage{k}", width, fused=fused):
            functions.append(text)
            writers.append(writer)
    driver = DriverWriter(plan, width, status, fused=fused)
    functions.append(driver.text())
    writers.append(driver.b)

    written: set[str] = set()
    while missing := sorted(set[str]().union(*(writer.called for writer in writers)) - written):
        for name in missing:
            text, writer = lane_function(name, width, fused=fused)
            functions.append(text)
            writers.append(writer)
        written.update(missing)
    declarations = sorted(set[str]().union(*(writer.declarations for writer in writers)))
    return "\n".join([*declarations, "", *functions])
