"""The root of all errors, and the shapes that most of them have."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from difflib import SequenceMatcher, get_close_matches

LISTED = 30
"""Names that a message lists at most; of more, those most like the one that is not there."""


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def escaped(text: str) -> str:
    """Return a text with control characters and halves of surrogate pairs written as escapes.

    Names of files and columns come from anywhere: what they hold must neither command a terminal nor fail to print.
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


class ParakinError(Exception):
    """Root of the tree: `except ParakinError` catches whatever parakin itself refuses.

    Its kinds are dataclasses; their fields become `args`, so that errors pickle.

    >>> try:
    ...     robot.inverse_kinematics([0.9, 0, -0.43])
    ... except pk.ParakinError as error:
    ...     print(error)
    ...
    leg2 cannot close at pose [0.9, 0, -0.43]: 425 mm missing
    """

    def __post_init__(self) -> None:
        self.args = tuple(getattr(self, field.name) for field in fields(self))  # pyright: ignore[reportArgumentType]


@dataclass(eq=False, repr=False)
class SubjectError(ParakinError):
    """Something that cannot be had of a subject: a robot, a model, a kernel."""

    subject: str
    """Name of what cannot give what was asked."""
    reason: str
    """Why it cannot, and what would help."""

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}"


@dataclass(eq=False, repr=False)
class DataError(ParakinError, ValueError):
    """A thing that cannot be made, or asked, with these data."""

    subject: str
    """Name of what was to be made or asked."""
    name: str
    """Which of its data is wrong."""
    reason: str
    """What is wrong, and what would be right."""

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}: {self.reason}"


@dataclass(eq=False, repr=False)
class ProblemsError(ParakinError, ValueError):
    """Several things wrong with one file or table, the first hundred of them listed."""

    file: str
    """The file, or what stands for one."""
    problems: tuple[tuple[str, str], ...]
    """(key, what is wrong and what would be right) of what was found; the last may say that there is more."""

    def __str__(self) -> str:
        return "\n".join(
            escaped(f"{self.file}: {key}: {reason}" if key else f"{self.file}: {reason}")
            for key, reason in self.problems
        )


@dataclass(eq=False, repr=False)
class UnknownNameError(ParakinError, KeyError):
    """A name that is not among those there are.

    >>> pk.load("detla")
    Traceback (most recent call last):
        ...
    parakin.errors.base.UnknownNameError: no robot 'detla'; choose one of delta, delta_shaft, ...; did you
        mean 'delta'?
    """

    kind: str
    """What the name should be a name of."""
    name: str
    """The name that was given."""
    known: tuple[str, ...]
    """The names there are."""

    def __str__(self) -> str:
        name, meant = escaped(self.name), self.suggestion
        ending = "" if meant is None else f"; did you mean '{meant}'?"
        if len(self.known) <= LISTED:
            return f"no {self.kind} '{name}'; choose one of {', '.join(self.known)}{ending}"
        nearest = sorted(self.known, key=self._likeness, reverse=True)[:LISTED]
        listed = f"{', '.join(nearest)}, ... ({len(self.known)} in all)"
        return f"no {self.kind} '{name}'; choose one of {listed}{ending}"

    @property
    def suggestion(self) -> str | None:
        """The known name that is most like the one given, upper and lower case aside; None where none is alike."""
        plain = {known.lower(): known for known in self.known}
        alike = get_close_matches(self.name.lower(), plain, n=1)
        return plain[alike[0]] if alike else None

    def _likeness(self, known: str) -> tuple[bool, float]:
        return self.name in known, SequenceMatcher(None, self.name, known).ratio()
