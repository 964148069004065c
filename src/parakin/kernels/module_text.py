"""Put one LLVM module together: the lane functions that a program needs, its stages, and the driver."""

from __future__ import annotations

from parakin.kernels.driver_text import DriverWriter
from parakin.kernels.lane_math import lane_function
from parakin.kernels.lanes import PAST_CACHES, Lanes
from parakin.kernels.options import Options
from parakin.kernels.plan import Plan
from parakin.kernels.schedule import interleaved
from parakin.kernels.stage_text import stage_text


def module_text(plan: Plan, options: Options) -> str:
    """Write LLVM text with `run`, and `workspace`, which tells how many bytes of workspace `run` needs."""
    width, fused = options.width, options.fused and options.contraction
    functions: list[tuple[str, Lanes]] = []
    kept = 0
    for k, stage in enumerate(plan.stages):
        code = stage.prepared(contraction=fused, reciprocals=options.reciprocals)
        if stage.quick:
            code = interleaved(code)
        stage_code = stage_text(code, len(stage.inputs), len(stage.outputs), f"stage{k}", width, fused=fused)
        functions += stage_code.functions
        kept = max(kept, stage_code.kept)
    driver = DriverWriter(plan, width, options.status, kept, fused=fused, unchecked=options.unchecked)
    functions.append((driver.text(), driver.b))
    room = f"define i64 @workspace() {{\n  ret i64 {driver.layout.size}\n}}\n"

    written: set[str] = set()
    while missing := sorted(set[str]().union(*(writer.called for _, writer in functions)) - written):
        functions += [lane_function(name, width, fused=fused) for name in missing]
        written.update(missing)
    declarations = sorted(set[str]().union(*(writer.declarations for _, writer in functions)))
    tables = sorted({table for _, writer in functions for table in writer.tables})
    notes = f"{PAST_CACHES} = !{{i32 1}}\n"
    return "\n".join([*declarations, *tables, "", *(text for text, _ in functions), room, notes])
