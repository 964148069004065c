"""The function around the stages: fetch inputs of W states, run the program, put outputs back, for a range of states.

    i64 run(context, workspace, start, stop)        0, or 1 if any state had an unusable input

States are numbered in C order over the batch shape. A group of W states is read straight from the caller's arrays,
element by element, into lane order, and written back the same way; the last group of a range runs its missing lanes as
copies of the last state, so nothing is ever read or written outside. A state with a non-finite input, or a value where
the model has a structural zero, comes out NaN.

A program with a status, and without a scan, is judged more strictly: an input beyond LARGEST_INPUT is unusable too, and
a state that the model calls good (0) although an output is not finite gets UNUSABLE_STATUS and comes out NaN.

`context.py` describes the context, `port_text.py` and `delivery_text.py` move the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from parakin.kernels.delivery_text import DeliveryWriter
from parakin.kernels.lanes import ON_LINES
from parakin.kernels.plan import Action, Call, Copy, Iterated, Repeated, Scanned, Shortened
from parakin.kernels.port_text import STRAIGHT


class DriverWriter(DeliveryWriter):
    """A writer of `run` for one plan and width."""

    def text(self) -> str:
        """Write the whole function."""
        b = self.b
        self.begin()
        flag = b.reserve("i64")
        b.put("i64", 0, flag)
        groups = b.count("sdiv", b.count("add", b.count("sub", "%stop", "%start"), b.width - 1), b.width)
        with b.loop(groups) as group:
            for place in self.bad:
                b.put(b.real, b.number(0.0), place)
            self.point(b.count("add", "%start", b.count("mul", group, b.width)))
            for k, port in enumerate(self.plan.inputs):
                if port.name not in self.plan.ticked_inputs:
                    self.fetch(k, port, "0")
            self.run(self.plan.actions)
            unusable = b.let(f"zext i1 {b.any(self.unusable())} to i64")
            b.put("i64", b.count("or", b.get("i64", flag), unusable), flag)
            if self.judged:
                self.deliver_judged()
            else:
                for k, port in enumerate(self.plan.outputs):
                    if port.name not in self.plan.ticked_outputs:
                        self.deliver(len(self.plan.inputs) + k, port, "0")
        self.end_stream()
        b.do(f"ret i64 {b.get('i64', flag)}")
        return b.text(f"i64 @run(ptr %context, ptr %work, i64 %start, i64 %stop) {ON_LINES}")

    # Actions -------------------------------------------------------------------------------------------------------

    def run(self, actions: Sequence[Action]) -> None:
        """Write the actions, in order."""
        for action in actions:
            match action:
                case Call(stage, reads, writes):
                    kept = self.b.address("%work", self.layout.kept)
                    pointers = ", ".join(f"ptr {place}" for place in (*map(self.signal, (*reads, *writes)), kept))
                    self.b.do(f"call void @stage{stage}({pointers})")
                case Copy(source, target):
                    self.copy(self.signal(source), self.signal(target), self.plan.sizes[target])
                case Repeated(times, body):
                    with self.b.loop(times):
                        self.run(body)
                case Iterated():
                    self.iterate(action)
                case Scanned():
                    self.scan(action)
                case Shortened():
                    self.shorten(action)

    def copy(self, source: str, target: str, size: int) -> None:
        """Copy so many elements from one place in the workspace to another."""
        self.by_elements(size, lambda k: self.b.store(self.b.load(self.element(source, k)), self.element(target, k)))

    def by_elements(self, size: int, move: Callable[[str], None]) -> None:
        """Let `move` move every element, by straight code if they are few."""
        if size <= STRAIGHT:
            for k in range(size):
                move(str(k))
            return
        with self.b.loop(size) as index:
            move(index)

    def iterate(self, action: Iterated) -> None:
        """Write a loop that runs the body until every lane has stopped, or to the limit.

        Lanes that had stopped before a run keep what they held; lanes in which `until` is now not zero stop. A single
        lane has never stopped before, so that there is nothing to keep.
        """
        b = self.b
        active = b.reserve(b.integer)
        b.put(b.integer, b.whole(-1), active)
        steps = self.signal(action.steps)
        b.store(b.number(0.0), steps)
        held = action.held_apart if b.width > 1 else ()
        with b.loop(action.limit):
            self.hold(action.steps, held)
            self.run(action.body[: len(action.body) - len(action.copies)])
            running = b.let(f"icmp ne {b.integer} {b.get(b.integer, active)}, {b.whole(0)}")
            self.give_back(action.steps, held, running)
            for copy in action.copies:
                source, target = self.signal(copy.source), self.signal(copy.target)
                self.copy_where(running, source, target, self.plan.sizes[copy.target])
            b.store(b.add(b.load(steps), b.select(running, b.number(1.0), b.number(0.0))), steps)
            go_on = b.both(running, b.compare("oeq", b.load(self.signal(action.until)), b.number(0.0)))
            b.put(b.integer, b.let(f"sext {b.mask} {go_on} to {b.integer}"), active)
            b.leave_if(b.let(f"xor i1 {b.any(go_on)}, true"))

    def shorten(self, action: Shortened) -> None:
        """Write the quick steps; if any lane doubts, the sure ones, and give the others back what they had."""
        b = self.b
        self.run(action.quick)
        doubting = b.compare("une", b.load(self.signal(action.doubt)), b.number(0.0))
        with b.when(b.any(doubting)):
            self.hold(action.doubt, action.held)
            self.run(action.sure)
            self.give_back(action.doubt, action.held, doubting)

    def shadow(self, key: str, name: str) -> str:
        """Return the place where an iteration or a shortcut, known by its `key`, holds a signal."""
        return self.b.address("%work", self.layout.shadows[f"{key}/{name}"])

    def hold(self, key: str, names: Sequence[str]) -> None:
        """Copy signals to where they are held."""
        for name in names:
            self.copy(self.signal(name), self.shadow(key, name), self.plan.sizes[name])

    def give_back(self, key: str, names: Sequence[str], changed: str) -> None:
        """Give signals the values that are held of them, in all lanes but those of the mask `changed`."""
        kept = self.b.inverted(changed) if names else ""
        for name in names:
            self.copy_where(kept, self.shadow(key, name), self.signal(name), self.plan.sizes[name])

    def copy_where(self, mask: str, source: str, target: str, size: int) -> None:
        """Copy so many elements from one place in the workspace to another, in the lanes of a mask."""
        b = self.b

        def move(k: str) -> None:
            new, old = b.load(self.element(source, k)), b.load(self.element(target, k))
            b.store(b.select(mask, new, old), self.element(target, k))

        self.by_elements(size, move)

    def scan(self, action: Scanned) -> None:
        """Write the loop over ticks. What only ticks would write is NaN where there are none."""
        given = {port.name for port in self.plan.inputs if port.name not in action.inputs}
        for name in (*action.inputs, *(name for name in action.writes if name not in given)):
            with self.b.loop(self.plan.sizes[name]) as index:
                self.b.store(self.b.number(math.nan), self.element(self.signal(name), index))
        with self.b.loop(self.ticks) as tick:
            for k, port in enumerate(self.plan.inputs):
                if port.name in action.inputs:
                    self.fetch(k, port, tick)
            self.run(action.body)
            for k, port in enumerate(self.plan.outputs):
                if port.name in action.outputs:
                    self.deliver(len(self.plan.inputs) + k, port, tick)
