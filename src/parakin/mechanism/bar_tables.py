"""Tables of a mechanism file that say how thick its parts are: round bars, which must not touch each other."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from parakin.description.values import Name, Positive, Source, Table, Vector


class BarEnd(Table):
    """One end of a bar: a point of a body.

    >>> pk.mechanism.BarEnd(body="world", position=(0.0, 0.0, -0.1)).body
    'world'
    """

    body: Name
    """The body that carries it; "world" for the base."""
    position: Vector = (0.0, 0.0, 0.0)
    """Where it is in the body's frame [m]."""


class Bar(Table):
    """A part as a round bar for clearances: between the joints of a body, or between two points of any bodies.

    >>> thick = linkage.replace(bars=[{"body": "crank", "radius": 0.01}, {"body": "rocker", "radius": 0.01}])
    >>> pk.analysis.clearance_names(thick)
    ('crank and rocker',)
    """

    radius: Positive
    """Its radius [m]."""
    body: Name | None = None
    """The body whose joints it reaches between, or the joint of type "distance" whose rod it is. A body with joints at
    three places or more that are not on one line is a star of bars from their middle to each."""
    ends: tuple[BarEnd, BarEnd] | None = None
    """Its two ends, in place of `body`; on two bodies they make the bar of a telescope, as long as these are apart."""
    name: Name | None = None
    """What it is called; the name of its body, or of the body of its first end, if not given."""
    source: Source | None = None
    """Where these numbers come from, if not from the file's source."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.body is None) == (self.ends is None):
            raise ValueError("a bar has either a body, between whose joints it reaches, or two ends")
        if self.ends is not None and self.ends[0] == self.ends[1]:
            raise ValueError(f"its ends must be two places, got {list(self.ends[0].position)} twice")
        return self

    @property
    def called(self) -> str:
        """The name by which it is told: its own, or that of a body."""
        return self.name or self.body or (self.ends[0].body if self.ends is not None else "")
