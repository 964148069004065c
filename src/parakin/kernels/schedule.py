"""Order a stage's operations so that a processor finds several whose arguments are known.

A model comes in the order in which it was written: leg after leg, then one long elimination, each operation waiting
for the one before. A processor looks ahead over a few hundred instructions only, so what can run at the same time must
stand close together. The order here is that of an ideal machine which starts ISSUES operations a cycle: of those whose
arguments are known the one with the longest way to the end, or, while LIVE values wait for their use, the one that was
written first. The bits are the same in any order.

What it gains, and where it does not: docs/architecture.md.
"""

from __future__ import annotations

import heapq

from parakin.kernels.code import Code, Node
from parakin.kernels.operations import OPERATIONS

ISSUES = 2
"""Operations that the ideal machine starts in a cycle."""
LIVE = 128
"""Values that may wait for their use; beyond it they would be kept in memory for too long."""
CYCLES = {
    "addition": 3,
    "multiplication": 4,
    "division": 13,
    "square_root": 20,
    "trigonometric": 60,
    "other": 2,
    "free": 2,
}
"""Cycles until a result is there, by kind of operation, on processors of today."""
AT_ONCE = frozenset({"const", "input", "neg"})
"""Nodes that take no operation of their own: a negation is part of what uses it."""


def interleaved(code: Code) -> Code:
    """Return the operations in the order in which the ideal machine starts them."""
    order = _Machine(code).order()
    place = {k: new for new, k in enumerate(order)}
    nodes = [code.nodes[k] for k in order]
    return Code(
        tuple(Node(node.op, tuple([place[a] for a in node.args])) if node.args else node for node in nodes),
        tuple(tuple(place[k] for k in values) for values in code.outputs),
    )


class _Machine:
    """The ideal machine. `way`: cycles from the start of an operation to the end of all that needs it."""

    def __init__(self, code: Code) -> None:
        count = len(code.nodes)
        self.cycles = [0 if node.op in AT_ONCE else CYCLES[OPERATIONS[node.op].kind] for node in code.nodes]
        self.arguments = [tuple(set(node.args)) for node in code.nodes]
        self.users: list[list[int]] = [[] for _ in range(count)]
        self.way = list(self.cycles)
        for k in reversed(range(count)):
            for a in self.arguments[k]:
                self.users[a].append(k)
                self.way[a] = max(self.way[a], self.cycles[a] + self.way[k])
        self.missing = [len(arguments) for arguments in self.arguments]
        self.unused = [len(users) for users in self.users]
        self.known_at = [0.0] * count
        self.started = [False] * count

    def order(self) -> list[int]:
        """Return the values in the order in which their operations start."""
        waiting = [(0.0, k) for k, missing in enumerate(self.missing) if not missing]
        by_way: list[tuple[int, int]] = []
        by_age: list[int] = []
        order: list[int] = []
        now, live = 0.0, 0
        while len(order) < len(self.started):
            if not by_age:
                now = max(now, waiting[0][0])
            while waiting and waiting[0][0] <= now:
                _, k = heapq.heappop(waiting)
                heapq.heappush(by_way, (-self.way[k], k))
                heapq.heappush(by_age, k)
            k = by_way[0][1] if live <= LIVE else by_age[0]
            order.append(k)
            live += self.start(k, now, waiting)
            now += 1 / ISSUES if self.cycles[k] else 0
            while by_way and self.started[by_way[0][1]]:
                heapq.heappop(by_way)
            while by_age and self.started[by_age[0]]:
                heapq.heappop(by_age)
        return order

    def start(self, k: int, now: float, waiting: list[tuple[float, int]]) -> int:
        """Start an operation; return by how many values more have a use ahead of them."""
        self.started[k] = True
        change = 1 if self.cycles[k] and self.users[k] else 0
        for a in self.arguments[k]:
            self.unused[a] -= 1
            change -= 1 if self.cycles[a] and not self.unused[a] else 0
        for user in self.users[k]:
            self.known_at[user] = max(self.known_at[user], now + self.cycles[k])
            self.missing[user] -= 1
            if not self.missing[user]:
                heapq.heappush(waiting, (self.known_at[user], user))
        return change
