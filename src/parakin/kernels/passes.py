"""Rewrite a model's list of operations before code is made of it. Each pass is a pure function from Code to Code.

All but two keep every result bit for bit. `share_reciprocals` trades a rounding for speed and assumes divisors between
2^-1022 and 2^1022 in magnitude; `contract` rounds a product and a sum once instead of twice.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Mapping

from parakin.kernels.code import Code, Node, constant, number
from parakin.kernels.operations import OPERATIONS


class Rewriter:
    """A new list of operations under construction, in which equal nodes are one."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.nodes: list[Node] = []
        self.new: list[int] = []  # old value -> new value
        self._leaves: dict[Node, int] = {}
        self._operations: dict[str, dict[tuple[int, ...], int]] = {op: {} for op in OPERATIONS}

    def add(self, op: str, *args: int) -> int:
        """Add an operation on new values, or find the equal one that is there already, and return its value."""
        return self.operate(op, args)

    def operate(self, op: str, args: tuple[int, ...]) -> int:
        """Do what `add` does, with the arguments as one tuple."""
        if op in _COMMUTATIVE and args[0] > args[1]:
            args = (args[1], args[0])
        same = self._operations[op]
        known = same.get(args)
        if known is None:
            known = same[args] = len(self.nodes)
            self.nodes.append(Node(op, args))
        return known

    def leaf(self, node: Node) -> int:
        """Add a constant or an input, or find the equal one that is there already, and return its value."""
        known = self._leaves.get(node)
        if known is None:
            known = self._leaves[node] = len(self.nodes)
            self.nodes.append(node)
        return known

    def constant(self, value: float) -> int:
        """Add a constant and return its value's number."""
        return self.leaf(constant(value))

    def value(self, k: int) -> float | None:
        """Return the number behind a new value if it is a constant, or else None."""
        node = self.nodes[k]
        return number(node) if node.op == "const" else None


_COMMUTATIVE = frozenset(op for op, row in OPERATIONS.items() if row.commutative)
Rule = Callable[[Rewriter, tuple[int, ...], Node], int]
"""(rewriter, new arguments, the old node) -> new value."""


def rewrite(code: Code, rules: Mapping[str, Rule]) -> Code:
    """Walk the list once, each operation placed as its rule says, as it is where it has none.

    Equal expressions merge on the way: that is our CSE.
    """
    rewriter = Rewriter(code)
    new, leaf, operate = rewriter.new, rewriter.leaf, rewriter.operate
    for old in code.nodes:
        op, args = old.op, old.args
        if not args:
            new.append(leaf(old))
            continue
        moved = (new[args[0]], new[args[1]]) if len(args) == 2 else tuple([new[k] for k in args])
        rule = rules.get(op)
        new.append(operate(op, moved) if rule is None else rule(rewriter, moved, old))
    outputs = tuple(tuple([new[k] for k in values]) for values in code.outputs)
    return Code(tuple(rewriter.nodes), outputs)


def fold_constants(code: Code) -> Code:
    """Evaluate operations whose arguments are all constants."""

    def rule(rewriter: Rewriter, args: tuple[int, ...], old: Node) -> int:
        nodes = rewriter.nodes
        if nodes[args[0]].op == "const" and all(nodes[k].op == "const" for k in args):
            with contextlib.suppress(ValueError, OverflowError):
                return rewriter.constant(OPERATIONS[old.op].fold(*(number(nodes[k]) for k in args)))
        return rewriter.operate(old.op, args)

    return rewrite(code, dict.fromkeys(OPERATIONS, rule))


def reduce_strength(code: Code) -> Code:
    """Replace operations by cheaper ones with the same bits for every argument, NaN and infinities included."""
    return rewrite(code, dict.fromkeys(_IDENTITIES, _cheaper))


def _cheaper(rewriter: Rewriter, args: tuple[int, ...], old: Node) -> int:
    cheaper = _IDENTITIES[old.op](rewriter, *args)
    return rewriter.operate(old.op, args) if cheaper is None else cheaper


def _negated(rewriter: Rewriter, k: int) -> int | None:
    """Return b where value k is -b."""
    node = rewriter.nodes[k]
    return node.args[0] if node.op == "neg" else None


_ZERO, _MINUS_ZERO = constant(0.0), constant(-0.0)


def _cheaper_add(rewriter: Rewriter, a: int, b: int) -> int | None:
    nodes = rewriter.nodes
    for x, y in ((a, b), (b, a)):
        node = nodes[y]
        if node.op == "const" and node == _MINUS_ZERO:  # x + (-0.0) is x; x + 0.0 is not, where x is -0.0
            return x
        if node.op == "neg":
            return rewriter.add("sub", x, node.args[0])
    return rewriter.add("twice", a) if a == b else None


def _cheaper_sub(rewriter: Rewriter, a: int, b: int) -> int | None:
    if rewriter.nodes[b] == _ZERO:
        return a
    inner = _negated(rewriter, b)
    return None if inner is None else rewriter.add("add", a, inner)


def _cheaper_mul(rewriter: Rewriter, a: int, b: int) -> int | None:
    first, second = rewriter.nodes[a], rewriter.nodes[b]
    for x, node in ((a, second), (b, first)):
        if node.op == "const" and (reduced := _SCALED.get(number(node))) is not None:
            return x if reduced == "" else rewriter.add(reduced, x)
    if a == b:
        return rewriter.add("sq", a)
    return rewriter.add("mul", first.args[0], second.args[0]) if first.op == second.op == "neg" else None


_SCALED: dict[float, str] = {1.0: "", -1.0: "neg", 2.0: "twice"}
"""What a product with one of these factors becomes; an empty name is the other factor itself."""


def _cheaper_div(rewriter: Rewriter, a: int, b: int) -> int | None:
    scale = _exact_reciprocal(rewriter.value(b))
    if scale is not None:
        factor = rewriter.constant(scale)
        cheaper = _cheaper_mul(rewriter, a, factor)
        return rewriter.add("mul", a, factor) if cheaper is None else cheaper
    return rewriter.add("inv", b) if rewriter.value(a) == 1.0 else None


def _exact_reciprocal(divisor: float | None) -> float | None:
    """Return 1/divisor where it has no rounding: for powers of two that are not too extreme."""
    if divisor is None or not 2.0**-1022 <= abs(divisor) <= 2.0**1022 or abs(math.frexp(divisor)[0]) != 0.5:
        return None
    return 1.0 / divisor


def _cheaper_pow(rewriter: Rewriter, a: int, b: int) -> int | None:
    return a if rewriter.value(b) == 1.0 else None


def _cheaper_sq(rewriter: Rewriter, a: int) -> int | None:
    node = rewriter.nodes[a]
    return rewriter.add("sq", node.args[0]) if node.op in ("neg", "abs") else None


_IDENTITIES: dict[str, Callable[..., int | None]] = {
    "add": _cheaper_add,
    "sub": _cheaper_sub,
    "mul": _cheaper_mul,
    "div": _cheaper_div,
    "pow": _cheaper_pow,
    "sq": _cheaper_sq,
    "neg": _negated,
}
"""Rule by operation: (rewriter, *arguments) -> a cheaper value, or None where there is none."""


def fold_selects(code: Code, *, keep_zero_signs: bool) -> Code:
    """Make select(c, a, b) of if_else(c, a, b), which SX spells if_else_zero(c, a) + if_else_zero(not c, b).

    The sum turns a chosen -0.0 into +0.0; with `keep_zero_signs` adding 0.0 to the selection does so too.
    """
    if not any(node.op == "if_else_zero" for node in code.nodes):
        return code

    def rule(rewriter: Rewriter, args: tuple[int, ...], _: Node) -> int:
        first, second = rewriter.nodes[args[0]], rewriter.nodes[args[1]]
        if first.op == second.op == "if_else_zero":
            for yes, no in ((first, second), (second, first)):
                otherwise = rewriter.nodes[no.args[0]]
                if otherwise.op == "not" and otherwise.args[0] == yes.args[0]:
                    chosen = rewriter.add("select", *yes.args, no.args[1])
                    return rewriter.add("add", chosen, rewriter.constant(0.0)) if keep_zero_signs else chosen
        return rewriter.operate("add", args)

    return rewrite(code, {"add": rule})


def share_reciprocals(code: Code) -> Code:
    """Turn several divisions by one value into one reciprocal and products."""
    divisors = Counter(node.args[-1] for node in code.nodes if node.op in ("div", "inv"))
    if max(divisors.values(), default=0) < 2:
        return code

    def rule(rewriter: Rewriter, args: tuple[int, ...], old: Node) -> int:
        if divisors[old.args[1]] == 1:
            return rewriter.operate("div", args)
        known = rewriter.value(args[1])
        inverse = rewriter.add("inv", args[1]) if not known else rewriter.constant(1 / known)
        return rewriter.add("mul", args[0], inverse)

    return rewrite(code, {"div": rule})


def contract(code: Code) -> Code:
    """Fuse products into the sums they are used in: n products added to x are n multiply-adds, one after the other.

    A product that only sums use joins all of them; a sum of nothing but such, the one sum that uses it: x + (a b - c d)
    becomes (x + a b) - c d, each step rounded once.
    """
    joins = _joining(code)

    def rule(rewriter: Rewriter, args: tuple[int, ...], old: Node) -> int:
        if not (joins[old.args[0]] or joins[old.args[1]]):
            return rewriter.operate(old.op, args)
        total: int | None = None
        products: list[tuple[bool, Node]] = []
        for k, negative in zip(old.args, (False, old.op == "sub"), strict=True):
            if joins[k]:
                products += _products(code, k, negative)
            else:
                total = rewriter.add("neg", rewriter.new[k]) if negative else rewriter.new[k]
        for negative, product in products:
            a, b = rewriter.new[product.args[0]], rewriter.new[product.args[-1]]
            if negative:
                a = rewriter.add("neg", a)
            total = rewriter.add("mul", a, b) if total is None else rewriter.add("fma", a, b, total)
        assert total is not None
        return total

    return rewrite(code, {"add": rule, "sub": rule})


def _joining(code: Code) -> list[bool]:
    """Tell of each value whether it is a product that only sums use, or a sum of such that one sum alone uses."""
    uses, summed = [0] * len(code.nodes), [0] * len(code.nodes)
    for values in code.outputs:
        for k in values:
            uses[k] += 1
    for node in code.nodes:
        counted = (uses, summed) if node.op in _SUMS else (uses,)
        for k in node.args:
            for count in counted:
                count[k] += 1
    joins: list[bool] = []
    for k, (op, args, _, _) in enumerate(code.nodes):
        joining = op in _PRODUCTS or (op in _SUMS and uses[k] == 1 and joins[args[0]] and joins[args[1]])
        joins.append(joining and uses[k] == summed[k])
    return joins


_SUMS, _PRODUCTS = frozenset({"add", "sub"}), frozenset({"mul", "sq"})


def _products(code: Code, k: int, negative: bool) -> list[tuple[bool, Node]]:
    """Return the products that a joining value is the sum of, in order, each with whether it is subtracted."""
    products: list[tuple[bool, Node]] = []
    stack = [(k, negative)]
    while stack:
        k, negative = stack.pop()
        node = code.nodes[k]
        if node.op in ("mul", "sq"):
            products.append((negative, node))
        else:
            stack += [(node.args[1], negative != (node.op == "sub")), (node.args[0], negative)]
    return products


def drop_dead(code: Code) -> Code:
    """Keep only the values that an output needs."""
    needed = bytearray(len(code.nodes))
    for values in code.outputs:
        for k in values:
            needed[k] = 1
    for k in range(len(code.nodes) - 1, -1, -1):
        if needed[k]:
            for argument in code.nodes[k].args:
                needed[argument] = 1
    new: dict[int, int] = {}
    nodes: list[Node] = []
    for k, node in enumerate(code.nodes):
        if needed[k]:
            new[k] = len(nodes)
            nodes.append(Node(node.op, tuple([new[argument] for argument in node.args])) if node.args else node)
    return Code(tuple(nodes), tuple(tuple(new[k] for k in values) for values in code.outputs))


def simplify(code: Code) -> Code:
    """Apply the passes that every use of a model starts from: fewer operations, the same bits."""
    return drop_dead(reduce_strength(fold_constants(code)))


def prepare(code: Code, *, contraction: bool, reciprocals: bool) -> Code:
    """Apply all passes that a kernel asks for, in order, to simplified code."""
    code = fold_selects(code, keep_zero_signs=not contraction)
    if reciprocals:
        code = share_reciprocals(code)
    if contraction:
        code = contract(code)
    return drop_dead(code)
