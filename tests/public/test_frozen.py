"""What a robot or a result hands out cannot be used to change it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import parakin
import parakin as pk
from parakin.robot import Robot


def arrays(thing: object, seen: set[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Every array that can be reached through public attributes, tuples and mappings of an object, with its path."""
    if isinstance(thing, np.ndarray):
        yield "", thing
        return
    if id(thing) in seen or isinstance(thing, (str, bytes, int, float, type)) or callable(thing):
        return
    seen.add(id(thing))
    if isinstance(thing, (tuple, list)):
        for k, entry in enumerate(thing):
            yield from ((f"[{k}]{path}", array) for path, array in arrays(entry, seen))
        return
    if isinstance(thing, dict):
        for key, entry in thing.items():
            yield from ((f"[{key!r}]{path}", array) for path, array in arrays(entry, seen))
        return
    if not type(thing).__module__.startswith("parakin"):
        return
    for name in dir(thing):
        if not name.startswith(("_", "model_")) and hasattr(thing, name):  # a robot may lack a capability
            yield from ((f".{name}{path}", array) for path, array in arrays(getattr(thing, name), seen))


def same(thing: object) -> None:
    """Write to every array that lets itself be written to; none of them may be one that is handed out again."""
    before = {path: array.copy() for path, array in arrays(thing, set())}
    assert before, "a test that finds no array would find nothing wrong"
    for _, array in arrays(thing, set()):
        if array.flags.writeable and array.dtype.kind == "f":
            np.multiply(array, 1.2, out=array)
    after = dict(arrays(thing, set()))
    changed = [path for path, array in before.items() if not np.array_equal(array, after[path], equal_nan=True)]
    assert not changed


@pytest.mark.parametrize("name", ["delta", "gough_stewart"])
def test_a_robot_keeps_its_numbers(name: str) -> None:
    same(pk.load(name).with_payload(0.5))


def test_parameters_cannot_be_scaled_in_place() -> None:
    """Seen: p *= 1.2 broke tau == Psi @ robot.parameters by 0.69 N m."""
    robot = pk.load("delta")
    with pytest.raises(ValueError, match="read-only"):
        robot.parameters[:] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        robot.home[0] = 1.0
    with pytest.raises(AttributeError, match=r"a robot does not change: make another with replace\(home=...\)"):
        robot.home = np.zeros(3)
    with pytest.raises(AttributeError, match="a robot does not change"):
        del robot.payload


def results(robot: Robot) -> Iterator[object]:
    """One of each kind of result that holds arrays."""
    state = robot.sample_states(20)
    yield robot.evaluate("inverse_dynamics", **dict(zip(("pose", "velocity", "acceleration"), state, strict=True)))
    yield robot.elements(*state)
    yield robot.bodies(*state)
    yield robot.linearize(state[0], state[1], np.zeros((20, 3)))
    yield robot.base_parameters()
    yield robot.regressor_triangle(*state)
    yield robot.compare(*state, formulation="simplified")
    yield robot.assembly_modes(robot.inverse_kinematics(robot.home))
    motion = pk.trajectory.pick_and_place(robot, cycle=0.6)
    samples = motion.sampled(200)
    yield samples
    law = pk.control.computed_torque(robot, 0.001)
    reference = pk.control.reference(robot, motion, 0.001)
    yield reference
    log = pk.simulation.simulate(robot, law, reference)
    yield log
    yield log.summary()
    yield pk.identification.base_model(robot)


def test_results_keep_their_numbers() -> None:
    for result in results(pk.load("delta")):
        same(result)


def test_every_frozen_class_with_arrays_locks_them() -> None:
    """The law behind the tests above, so that a new result cannot forget it."""
    faults: list[str] = []
    for file in sorted(Path(parakin.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and _frozen(node) and _has_arrays(node) and not _locks(node):
                faults.append(f"{file.name}: {node.name}")
    assert not faults


def _frozen(node: ast.ClassDef) -> bool:
    """A frozen dataclass that does not lock its arrays by its decorator, `frozen_arrays`."""
    return any("frozen=True" in ast.unparse(decorator) for decorator in node.decorator_list)


def _has_arrays(node: ast.ClassDef) -> bool:
    annotations = [ast.unparse(field.annotation) for field in node.body if isinstance(field, ast.AnnAssign)]
    return any(re.search(r"\b(Array|NDArray)\b", text) and "Callable" not in text for text in annotations)


def _locks(node: ast.ClassDef) -> bool:
    return any(
        isinstance(f, ast.FunctionDef) and f.name == "__post_init__" and "lock_arrays" in ast.unparse(f)
        for f in node.body
    )
