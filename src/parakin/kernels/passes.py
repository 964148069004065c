"""Rewrite a model's list of operations before code is made of it. Each pass is a pure function from Code to Code.

All but two keep every result bit for bit. `share_reciprocals` trades a rounding for speed and assumes divisors between
2^-1022 and 2^1022 in magnitude; `contract` rounds a product and a sum once instead of twice.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable

from parakin.kernels.code import Code, Node, constant, number
from parakin.kernels.operations import OPERATIONS


class Rewriter:
    """A new list of operations under construction, in which equal nodes are one."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.nodes: list[Node] = []
        self.new: list[int] = []  # old value -> new value
        self._seen: dict[Node, int] = {}

    def add(self, op: str, *args: int) -> int:
        """Add an operation on new values and return its value."""
        return self.place(Node(op, args))

    def place(self, node: Node) -> int:
        """Add a node, or find the equal one that is there already, and return its value."""
        if len(node.args) == 2 and node.args[0] > node.args[1] and OPERATIONS[node.op].commutative:
            node = Node(node.op, (node.args[1], node.args[0]))
        known = self._seen.get(node)
        if known is None:
            known = self._seen[node] = len(self.nodes)
            self.nodes.append(node)
        return known

    def constant(self, value: float) -> int:
        """Add a constant and return its value's number."""
        return self.place(constant(value))

    def value(self, k: int) -> float | None:
        """Return the number behind a new value if it is a constant, or else None."""
        node = self.nodes[k]
        return number(node) if node.op == "const" else None


Rule = Callable[[Rewriter, Node, Node], int]
"""(rewriter, node with new arguments, the old node) -> new value."""


def rewrite(code: Code, rule: Rule) -> Code:
    """Walk the list once, each node placed as the rule says. Equal expressions merge on the way: that is our CSE."""
    rewriter = Rewriter(code)
    for old in code.nodes:
        node = Node(old.op, tuple([rewriter.new[k] for k in old.args])) if old.args else old
        rewriter.new.append(rule(rewriter, node, old))
    outputs = tuple(tuple(rewriter.new[k] for k in values) for values in code.outputs)
    return Code(tuple(rewriter.nodes), outputs)


def fold_constants(code: Code) -> Code:
    """Evaluate operations whose arguments are all constants."""

    def rule(rewriter: Rewriter, node: Node, _: Node) -> int:
        if node.args and all(rewriter.nodes[k].op == "const" for k in node.args):
            with contextlib.suppress(ValueError, OverflowError):
                return rewriter.constant(OPERATIONS[node.op].fold(*(number(rewriter.nodes[k]) for k in node.args)))
        return rewriter.place(node)

    return rewrite(code, rule)


def reduce_strength(code: Code) -> Code:
    """Replace operations by cheaper ones with the same bits for every argument, NaN and infinities included."""
    return rewrite(code, _cheaper)


def _cheaper(rewriter: Rewriter, node: Node, _: Node) -> int:
    rule = _IDENTITIES.get(node.op)
    cheaper = rule(rewriter, *node.args) if rule else None
    return rewriter.place(node) if cheaper is None else cheaper


def _negated(rewriter: Rewriter, k: int) -> int | None:
    """Return b where value k is -b."""
    node = rewriter.nodes[k]
    return node.args[0] if node.op == "neg" else None


def _cheaper_add(rewriter: Rewriter, a: int, b: int) -> int | None:
    for x, y in ((a, b), (b, a)):
        if rewriter.nodes[y] == constant(-0.0):  # x + (-0.0) is x; x + 0.0 is not, where x is -0.0
            return x
        if (inner := _negated(rewriter, y)) is not None:
            return rewriter.add("sub", x, inner)
    return rewriter.add("twice", a) if a == b else None


def _cheaper_sub(rewriter: Rewriter, a: int, b: int) -> int | None:
    if rewriter.nodes[b] == constant(0.0):
        return a
    inner = _negated(rewriter, b)
    return None if inner is None else rewriter.add("add", a, inner)


def _cheaper_mul(rewriter: Rewriter, a: int, b: int) -> int | None:
    for x, y in ((a, b), (b, a)):
        if (reduced := _SCALED.get(rewriter.value(y))) is not None:
            return x if reduced == "" else rewriter.add(reduced, x)
    if a == b:
        return rewriter.add("sq", a)
    minus_a, minus_b = _negated(rewriter, a), _negated(rewriter, b)
    return rewriter.add("mul", minus_a, minus_b) if minus_a is not None and minus_b is not None else None


_SCALED: dict[float | None, str] = {1.0: "", -1.0: "neg", 2.0: "twice"}
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

    def rule(rewriter: Rewriter, node: Node, _: Node) -> int:
        if node.op == "add":
            first, second = (rewriter.nodes[k] for k in node.args)
            if first.op == second.op == "if_else_zero":
                for yes, no in ((first, second), (second, first)):
                    otherwise = rewriter.nodes[no.args[0]]
                    if otherwise.op == "not" and otherwise.args[0] == yes.args[0]:
                        chosen = rewriter.add("select", *yes.args, no.args[1])
                        return rewriter.add("add", chosen, rewriter.constant(0.0)) if keep_zero_signs else chosen
        return rewriter.place(node)

    return rewrite(code, rule)


def share_reciprocals(code: Code) -> Code:
    """Turn several divisions by one value into one reciprocal and products."""
    divisors = Counter(node.args[-1] for node in code.nodes if node.op in ("div", "inv"))
    if max(divisors.values(), default=0) < 2:
        return code

    def rule(rewriter: Rewriter, node: Node, old: Node) -> int:
        if node.op == "div" and divisors[old.args[1]] > 1:
            known = rewriter.value(node.args[1])
            inverse = rewriter.add("inv", node.args[1]) if not known else rewriter.constant(1 / known)
            return rewriter.add("mul", node.args[0], inverse)
        return rewriter.place(node)

    return rewrite(code, rule)


def contract(code: Code) -> Code:
    """Fuse products into the sums they are used in: n products added to x are n multiply-adds, one after the other.

    A product that only sums use joins all of them; a sum of nothing but such, the one sum that uses it: x + (a b - c d)
    becomes (x + a b) - c d, each step rounded once.
    """
    joins = _joining(code)

    def rule(rewriter: Rewriter, node: Node, old: Node) -> int:
        if node.op not in ("add", "sub") or not (joins[old.args[0]] or joins[old.args[1]]):
            return rewriter.place(node)
        total: int | None = None
        products: list[tuple[bool, Node]] = []
        for k, negative in zip(old.args, (False, node.op == "sub"), strict=True):
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

    return rewrite(code, rule)


def _joining(code: Code) -> list[bool]:
    """Tell of each value whether it is a product that only sums use, or a sum of such that one sum alone uses."""
    uses = code.uses()
    summed = Counter(k for node in code.nodes if node.op in ("add", "sub") for k in node.args)
    joins: list[bool] = []
    for k, node in enumerate(code.nodes):
        product = node.op in ("mul", "sq")
        product_sum = node.op in ("add", "sub") and uses[k] == 1 and all(joins[a] for a in node.args)
        joins.append((product or product_sum) and uses[k] == summed[k])
    return joins


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
