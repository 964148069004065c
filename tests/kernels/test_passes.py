"""Each pass by itself: what it changes, and that it changes nothing else."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from parakin.kernels import Kernel, OperationCount, passes
from parakin.kernels.code import Code, Node, constant, number, read
from parakin.kernels.schedule import interleaved


def code_of(*expressions: ca.SX, inputs: int = 3) -> Code:
    """Code of expressions in x (made by the caller as symbols named x_0, x_1, ...)."""
    return read(ca.Function("f", [X[:inputs]], [ca.vertcat(*expressions)]))


X = ca.SX.sym("x", 3)
a, b, c = X[0], X[1], X[2]


def ops(code: Code) -> list[str]:
    return [node.op for node in code.nodes if node.op not in ("input", "const")]


def hand(*nodes: Node, outputs: tuple[int, ...]) -> Code:
    """Code written by hand, for what CasADi would simplify while it is built."""
    return Code(nodes, (outputs,))


INPUT_A, INPUT_B = Node("input", place=(0, 0)), Node("input", place=(0, 1))


def test_common_subexpressions_are_computed_once_whatever_their_order() -> None:
    code = hand(INPUT_A, INPUT_B, Node("add", (0, 1)), Node("add", (1, 0)), Node("mul", (2, 3)), outputs=(4,))
    assert ops(passes.fold_constants(code)) == ["add", "mul"]


def test_subtraction_is_not_merged_across_its_order() -> None:
    code = hand(INPUT_A, INPUT_B, Node("sub", (0, 1)), Node("sub", (1, 0)), Node("mul", (2, 3)), outputs=(4,))
    assert ops(passes.fold_constants(code)) == ["sub", "sub", "mul"]


def test_zeros_of_different_sign_stay_apart() -> None:
    code = hand(constant(0.0), constant(-0.0), INPUT_A, Node("mul", (0, 2)), Node("mul", (1, 2)), outputs=(3, 4))
    assert len(passes.fold_constants(code).nodes) == 5


@pytest.mark.parametrize(
    ("op", "arguments", "value"),
    [
        ("add", (0.1, 0.2), 0.1 + 0.2),
        ("div", (1.0, 0.0), float("inf")),
        ("div", (-1.0, 0.0), float("-inf")),
        ("div", (1.0, -0.0), float("-inf")),
        ("fmin", (float("nan"), 2.0), 2.0),
        ("fmax", (3.0, float("nan")), 3.0),
        ("floor", (-0.5,), -1.0),
        ("lt", (1.0, 2.0), 1.0),
        ("not", (0.0,), 1.0),
        ("if_else_zero", (0.0, 5.0), 0.0),
        ("sign", (-3.0,), -1.0),
    ],
)
def test_constants_are_folded(op: str, arguments: tuple[float, ...], value: float) -> None:
    nodes = [constant(x) for x in arguments]
    code = hand(*nodes, Node(op, tuple(range(len(nodes)))), outputs=(len(nodes),))
    folded = passes.drop_dead(passes.fold_constants(code))
    assert [number(node) for node in folded.nodes] == [value]


def test_what_python_refuses_to_fold_is_left_to_run_time() -> None:
    code = hand(constant(-1.0), Node("sqrt", (0,)), outputs=(1,))
    assert ops(passes.fold_constants(code)) == ["sqrt"]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ((Node("mul", (0, 2)), constant(1.0)), []),
        ((Node("mul", (0, 2)), constant(-1.0)), ["neg"]),
        ((Node("mul", (0, 2)), constant(2.0)), ["twice"]),
        ((Node("mul", (0, 2)), constant(0.0)), ["mul"]),
        ((Node("div", (0, 2)), constant(4.0)), ["mul"]),
        ((Node("div", (0, 2)), constant(3.0)), ["div"]),
        ((Node("div", (0, 2)), constant(5e-324)), ["div"]),
        ((Node("div", (2, 0)), constant(1.0)), ["inv"]),
        ((Node("add", (0, 2)), constant(0.0)), ["add"]),
        ((Node("add", (0, 2)), constant(-0.0)), []),
        ((Node("sub", (0, 2)), constant(0.0)), []),
        ((Node("sub", (2, 0)), constant(0.0)), ["sub"]),
        ((Node("add", (0, 2)), Node("neg", (1,))), ["sub"]),
        ((Node("sub", (0, 2)), Node("neg", (1,))), ["add"]),
        ((Node("add", (0, 0)), constant(0.0)), ["twice"]),
        ((Node("mul", (0, 0)), constant(0.0)), ["sq"]),
        ((Node("sub", (0, 0)), constant(0.0)), ["sub"]),
        ((Node("pow", (0, 2)), constant(1.0)), []),
        ((Node("pow", (0, 2)), constant(3.0)), ["pow"]),
        ((Node("sq", (2,)), Node("neg", (0,))), ["sq"]),
    ],
)
def test_strength_is_reduced_only_where_bits_stay(nodes: tuple[Node, Node], expected: list[str]) -> None:
    operation, second = nodes
    code = hand(INPUT_A, INPUT_B, second, operation, outputs=(3,))
    assert ops(passes.drop_dead(passes.reduce_strength(code))) == expected


def test_if_else_becomes_one_select() -> None:
    code = passes.simplify(code_of(ca.if_else(a < b, b, c)))
    assert ops(passes.drop_dead(passes.fold_selects(code, keep_zero_signs=False))) == ["lt", "select"]
    exact = ops(passes.drop_dead(passes.fold_selects(code, keep_zero_signs=True)))
    assert exact == ["lt", "select", "add"]


def test_if_else_of_a_negated_condition_becomes_one_select_too() -> None:
    code = passes.simplify(code_of(ca.if_else(ca.logic_not(a), b, c)))
    assert ops(passes.drop_dead(passes.fold_selects(code, keep_zero_signs=False))).count("select") == 1


def test_repeated_divisions_share_a_reciprocal() -> None:
    code = passes.simplify(code_of(a / c, b / c))
    assert ops(code) == ["div", "div"]
    assert sorted(ops(passes.share_reciprocals(code))) == ["inv", "mul", "mul"]


def test_a_single_division_stays_one() -> None:
    assert ops(passes.share_reciprocals(passes.simplify(code_of(a / c, b * c)))) == ["div", "mul"]


def test_products_used_once_are_fused() -> None:
    def contracted(*expressions: ca.SX) -> list[str]:
        return ops(passes.drop_dead(passes.contract(passes.simplify(code_of(*expressions)))))

    assert contracted(a * b + c) == ["fma"]
    assert contracted(a * b - c) == ["neg", "fma"]
    assert contracted(c - a * b) == ["neg", "fma"]
    assert contracted(a**2 + c) == ["fma"]
    assert contracted(a * b + c, a * b) == ["mul", "add"]
    assert contracted(a * b + c, a * b - c) == ["fma", "neg", "fma"], "only sums use it: nothing is saved by sharing"


def test_sums_of_products_join_the_sum_that_uses_them() -> None:
    def contracted(*expressions: ca.SX) -> list[str]:
        code = passes.drop_dead(passes.contract(passes.simplify(code_of(*expressions))))
        return [op for op in ops(code) if op != "neg"]

    assert contracted(c + (a * b - a * c)) == ["fma", "fma"]
    assert contracted((a * b - b * c) - (a * a - c * c)) == ["mul", "fma", "fma", "fma"]
    assert contracted(c + ca.sin(a * b - a * c)) == ["mul", "fma", "sin", "add"]
    assert contracted(a - (b + c)) == ["add", "sub"], "what is no product keeps its order"


def test_signs_survive_contraction() -> None:
    expressions = [
        c - (a * a - b * b),
        -(a * a) - b * b,
        (a * b - c * c) - (b * b - a * c),
        c - (a * b - (b * c - a * a)),
    ]
    kernel = Kernel(ca.Function("f", [X], [ca.vertcat(*expressions)], ["x"], ["y"]))
    states = np.random.default_rng(0).normal(size=(50, 3))
    want = [np.array(kernel.casadi(state)).ravel() for state in states]
    np.testing.assert_allclose(kernel(states)["y"], want, rtol=0, atol=1e-14)


def test_reciprocals_of_constants_are_constants() -> None:
    code = passes.prepare(passes.simplify(code_of(a / 3, b / 3)), contraction=False, reciprocals=True)
    assert ops(code) == ["mul", "mul"]


def test_interleaving_only_changes_the_order() -> None:
    """A long chain first, that nothing else waits for, and independent terms after it: they come in between."""
    chain = a
    for _ in range(20):
        chain = ca.sqrt(chain + 1)
    code = passes.prepare(
        passes.simplify(code_of(chain, a * b + c * ca.sqrt(b) - b / c)), contraction=True, reciprocals=True
    )
    got = interleaved(code)
    assert sorted(node.op for node in got.nodes) == sorted(node.op for node in code.nodes)
    assert all(argument < k for k, node in enumerate(got.nodes) for argument in node.args)
    assert ops(got)[-1] == "sqrt"
    assert ops(code)[-1] != "sqrt"
    wide = passes.simplify(code_of(*(ca.sin(a + k) * ca.cos(b + k) for k in range(500))))
    assert interleaved(interleaved(wide)).operations() == wide.operations()


def test_dead_code_goes() -> None:
    code = hand(INPUT_A, INPUT_B, Node("sin", (0,)), Node("cos", (1,)), outputs=(3,))
    assert passes.drop_dead(code) == hand(INPUT_B, Node("cos", (0,)), outputs=(1,))


# Counting -------------------------------------------------------------------------------------------------------------


def test_operations_are_counted_as_the_papers_count() -> None:
    expressions = [a + b - c, -a, 2 * b, a * b, a**2, a / b, 1 / c, ca.sqrt(a), ca.sin(a), ca.atan2(a, b), ca.exp(c)]
    kernel = Kernel(ca.Function("f", [X], expressions))
    assert kernel.operations == OperationCount(
        additions=4, multiplications=2, divisions=2, square_roots=1, trigonometric=2, other=1
    )
    assert str(kernel.operations) == (
        "4 additions, 2 multiplications, 2 divisions, 1 square roots, 2 trigonometric, 1 other"
    )
    assert kernel.operations.total == 12


def test_constants_are_folded_before_counting_and_selects_are_free() -> None:
    kernel = Kernel(ca.Function("f", [X], [ca.if_else(a, b, c) + ca.sin(ca.SX(2.0)) * 3]))
    assert kernel.operations == OperationCount(additions=1)
    assert str(OperationCount()) == "no operations"
