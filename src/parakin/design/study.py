"""A study file as data: which keys of a robot file are varied, over which poses, and what is wanted of a design."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from parakin.analysis import Options
from parakin.description.values import Name, NonNegative, Number, Positive, Table
from parakin.design.expressions import CONSTANTS, FUNCTIONS, Expression

MOST_PARAMETERS = 100
"""Parameters of a study at most."""
MOST_ROWS = 10**9
"""Designs of a study at most."""


def _formula(text: str) -> str:
    Expression.read(text)
    return text


Formula = Annotated[str, AfterValidator(_formula)]
"""An expression in the study's parameters."""


class Parameter(Table):
    """A number that is varied between two bounds.

    >>> pk.design.Parameter(lower=0.2, upper=0.3, key="legs[leg].elements[arm].length").points
    5
    """

    lower: Number
    """Its least value, in the units of the file."""
    upper: Number
    """Its largest value."""
    points: Annotated[int, Field(ge=1, le=10**6)] = 5
    """How many values a grid takes, the bounds included."""
    key: str | None = None
    """The key of the robot file that it is, where that is one; others are in the study's `keys`."""
    unit: Annotated[str, Field(max_length=20)] = ""
    """Its unit, for figures and tables."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.lower < self.upper:
            raise ValueError(f"lower must be below upper, got {self.lower} and {self.upper}")
        return self


class Sampling(Table):
    """How points are chosen.

    >>> pk.design.Sampling(method="sobol", count=256).seed
    0
    """

    method: Literal["grid", "sobol", "latin-hypercube"] = "sobol"
    """All combinations of values (their numbers are the parameters' `points`), a scrambled Sobol sequence, or a Latin
    hypercube."""
    count: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 1024
    """How many designs; a grid has its own number."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the scrambling, or of the hypercube."""


class Box(Table):
    """Poses as offsets from home, on a grid.

    >>> pk.design.Box(lower=(-0.1, -0.1), upper=(0.1, 0.1), points=(3, 5)).points
    (3, 5)
    """

    lower: tuple[Number, ...]
    """Smallest offsets [m, rad]; rotation vectors for spatial robots."""
    upper: tuple[Number, ...]
    """Largest offsets."""
    points: tuple[Annotated[int, Field(ge=1, le=1000)], ...]
    """How many along each coordinate: the ends included for `region`, middles of cells for `volume`."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not len(self.lower) == len(self.upper) == len(self.points):
            raise ValueError("lower, upper and points have one number for each coordinate")
        if any(low > high for low, high in zip(self.lower, self.upper, strict=True)):
            raise ValueError("lower must not be above upper")
        return self


class Cycle(Table):
    """The motion on which forces, speeds and powers are judged.

    >>> pk.design.Cycle(motion="pick_and_place").rate
    200.0
    """

    motion: str
    """A motion of `parakin motion`, made for the robot as its file has it, or a file with one, beside the study's."""
    rate: Positive = 200.0
    """States a second at which a motion of the table is sampled [Hz]."""


class AnalysisOptions(Table):
    """Choices for quantities at poses, as `analysis.Options` has them.

    >>> pk.design.AnalysisOptions(drive_stiffness=2e4).chosen.drive_stiffness
    20000.0
    """

    space: Literal["translation", "rotation", "all"] | None = None
    """Which motions and forces count."""
    direction: tuple[Number, ...] | None = None
    """One direction alone [m or rad]."""
    length: Positive | None = None
    """Characteristic length [m]; the robot's own if it is not given."""
    acceleration: NonNegative | None = None
    """Acceleration at which a payload is to be moved [m/s^2]."""
    drive_stiffness: Positive | None = None
    """Stiffness of every drive [N/m or N m/rad], in place of the file's."""
    resolution: Positive | None = None
    """Smallest step of every encoder [m or rad], in place of the file's."""
    clearance: NonNegative | None = None
    """Radial play of every joint [m], in place of the file's."""

    @property
    def chosen(self) -> Options:
        """The options of `analysis`."""
        return Options(**self.model_dump(exclude_none=True))


class Wanted(Table):
    """A quantity of a design: what it is, and how its values at all poses become one number.

    >>> pk.design.Wanted(of="force").reduce is None
    True
    """

    of: str
    """A name of the table of quantities."""
    reduce: Literal["worst", "mean", "rms"] | None = None
    """The worst of all poses (the default), their mean, or the root of their mean square."""


class Objective(Wanted):
    """A quantity that is to be made small or large.

    >>> pk.design.Objective(of="mass", goal="least").goal
    'least'
    """

    goal: Literal["least", "most"] | None = None
    """Whether least or most of it is wanted; what the quantity's own table says if it is not given."""


class Constraint(Wanted):
    """A quantity that must stay within bounds.

    >>> pk.design.Constraint(of="conditioning", most=20.0).least is None
    True
    """

    least: Number | None = None
    """The least value that is accepted."""
    most: Number | None = None
    """The largest value that is accepted."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.least is None and self.most is None:
            raise ValueError("give least, most or both")
        return self


class Optimise(Table):
    """What is done after sampling, from the best designs found.

    >>> pk.design.Optimise(method="local", objective="force").starts
    3
    """

    method: Literal["local", "evolution", "front"]
    """Gradients from the best points; differential evolution of all points at once; NSGA-II for a whole front, which
    needs pymoo."""
    objective: Name | None = None
    """The objective that is improved; the first if it is not given. A front has all of them."""
    starts: Annotated[int, Field(ge=1, le=100)] = 3
    """From how many of the best designs a local search begins."""
    steps: Annotated[int, Field(ge=1, le=10**5)] = 60
    """Steps of a local search, or generations, at most."""
    population: Annotated[int, Field(ge=8, le=10**5)] = 64
    """Designs of a generation."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the evolution."""


class Study(Table):
    """A design study.

    >>> study = pk.design.load_study("delta.toml")
    >>> list(study.parameters), list(study.objectives)
    (['arm', 'forearm'], ['force', 'room'])
    """

    name: Name
    """A short name, part of the provenance of designs."""
    title: Annotated[str, Field(min_length=1, max_length=200)]
    """What is studied, in a few words."""
    robot: str
    """Name of a library robot, or the path of a file from the study's own folder."""
    parameters: Annotated[dict[Name, Parameter], Field(min_length=1, max_length=MOST_PARAMETERS)]
    """What is varied, by name."""
    keys: dict[str, Formula] = Field(default_factory=dict)
    """Keys of the robot file that follow from parameters, with their expressions."""
    sampling: Sampling = Sampling()
    """How points are chosen."""
    region: Box | None = None
    """Poses at which conditioning, stiffness and frequencies are judged; the robot's own box if it is not given."""
    volume: Box | None = None
    """Poses of which `volume` counts those that can be reached."""
    cycle: Cycle | None = None
    """The motion on which forces are judged."""
    analysis: AnalysisOptions = AnalysisOptions()
    """Choices for quantities at poses."""
    objectives: Annotated[dict[Name, Objective], Field(min_length=1, max_length=20)]
    """What is wanted, by name."""
    constraints: dict[Name, Constraint] = Field(default_factory=dict)
    """What must hold, by name."""
    optimise: Optimise | None = None
    """What is done after sampling; nothing if it is not given."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        taken = {*CONSTANTS, *FUNCTIONS, "row", "status", "reached"}
        for name in (*self.parameters, *self.objectives, *self.constraints):
            if name in taken:
                raise ValueError(f"{name!r} means something already: choose another name")
        names = [*self.parameters, *self.objectives, *self.constraints]
        if len(set(names)) != len(names):
            raise ValueError("parameters, objectives and constraints are columns of one table: give each its own name")
        for key, text in self.keys.items():
            unknown = [name for name in Expression.read(text).names if name not in self.parameters]
            if unknown:
                raise ValueError(f"keys: {key!r} names {unknown[0]!r}; parameters are {', '.join(self.parameters)}")
        if self.optimise is not None and self.optimise.objective not in (None, *self.objectives):
            known = ", ".join(self.objectives)
            raise ValueError(f"optimise.objective: no objective {self.optimise.objective!r}; there are {known}")
        for name, parameter in self.parameters.items():
            if parameter.key is None and not any(name in Expression.read(text).names for text in self.keys.values()):
                raise ValueError(f"parameters.{name}: give its key, or name it in an expression of keys")
        return self

    @property
    def formulas(self) -> dict[str, Expression]:
        """Keys of the robot file with the expressions of their values."""
        own = {one.key: Expression.read(name) for name, one in self.parameters.items() if one.key is not None}
        return own | {key: Expression.read(text) for key, text in self.keys.items()}
