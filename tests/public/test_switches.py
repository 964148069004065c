"""Above `robot/` few modules ask what kind of machine a robot is; the list of them only becomes shorter.

Counted are tests of `robot.legs`, `place_is_pose` and `searches_from_near`, and uses of `leg_description`, which asks
for legs with an error that says what is missing.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "parakin"
ABOVE = ("analysis", "assembly", "cli", "control", "design", "export", "identification", "plots", "simulation")
ABOVE += ("studies", "trajectory", "viewer", "vision")
"""Packages above `robot/`."""
KNOWN = {
    "analysis/compliance.py": 1,
    "analysis/findings.py": 2,
    "analysis/quantity.py": 2,
    "analysis/reached.py": 1,
    "analysis/singularities/chart.py": 6,
    "analysis/singularities/conditions.py": 1,
    "analysis/singularities/measures.py": 2,
    "analysis/singularities/nearest.py": 2,
    "analysis/singularities/rays.py": 2,
    "analysis/workspaces/capsules.py": 3,
    "analysis/workspaces/causes.py": 1,
    "analysis/workspaces/judging.py": 1,
    "control/carrying.py": 5,
    "control/definition.py": 1,
    "control/judging.py": 4,
    "control/parts/seeing.py": 1,
    "control/parts/shaping.py": 1,
    "design/subject.py": 2,
    "export/fmu/plant_block.py": 2,
    "export/onboard/set_points.py": 4,
    "identification/excitation/weak.py": 1,
    "identification/fit/linear.py": 1,
    "identification/online/kalman.py": 1,
    "plots/singularities.py": 3,
    "simulation/loop.py": 1,
    "simulation/plant.py": 2,
    "simulation/sensors.py": 1,
    "simulation/start.py": 1,
    "simulation/stepwise.py": 1,
    "trajectory/checking.py": 1,
    "viewer/layer_places.py": 1,
    "viewer/page_data.py": 4,
    "viewer/placing.py": 1,
    "vision/estimation/image_problems.py": 1,
    "vision/rigs/rig.py": 1,
    "vision/rigs/rods.py": 1,
}
"""Module -> how many switches it has. A new one fails; where one is gone, the number here falls."""


def switches(tree: ast.Module) -> Iterator[int]:
    """Yield the line of every switch on the kind of a machine."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("place_is_pose", "searches_from_near"):
            yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "leg_description":
            yield node.lineno
        yield from (test.lineno for test in conditions(node) if is_legs(test))


def conditions(node: ast.AST) -> list[ast.expr]:
    """Return the expressions whose truth a node asks for."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool":
        return node.args
    return []


def is_legs(node: ast.expr) -> bool:
    """Return whether an expression is `robot.legs`, of any robot."""
    return isinstance(node, ast.Attribute) and node.attr == "legs" and ast.unparse(node.value).endswith("robot")


def test_switches_on_the_kind_only_become_fewer() -> None:
    found = Counter[str]()
    for package in ABOVE:
        for file in sorted((SOURCE / package).rglob("*.py")):
            count = sum(1 for _ in switches(ast.parse(file.read_text(encoding="utf-8"))))
            if count:
                found[file.relative_to(SOURCE).as_posix()] = count
    assert dict(found) == KNOWN, "ask for a capability, or lower the numbers of modules that have fewer switches now"
