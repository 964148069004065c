"""Evaluate designs: objectives, constraints and a status for each, in lanes or by a robot for each."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.design.designs import Designs, Judged
from parakin.design.lanes import Lanes
from parakin.design.one_by_one import OneByOne
from parakin.design.quantities import QUANTITIES, Quantity, reduced
from parakin.design.sampling import points_at
from parakin.design.study import Constraint, Study, Wanted
from parakin.design.subject import Subject, subject_of

LANES = 2**17
"""Designs x poses that are evaluated at once at most: their inputs and outputs then take some tens of megabytes."""


class DesignStatus(IntEnum):
    """What became of a design; of several, the first that applies.

    >>> pk.design.DesignStatus.CYCLE.words
    'cannot make the cycle'
    """

    GOOD = 0
    """All constraints hold."""
    REFUSED = 1
    """A robot file with these numbers would be refused: a length or a mass is not positive, or more."""
    HOME = 2
    """Home cannot be reached, is singular or is beyond a limit."""
    CYCLE = 3
    """The cycle leaves what can be reached."""
    REGION = 4
    """A pose of the region cannot be reached."""
    CONSTRAINT = 5
    """Everything can be reached, and a constraint does not hold."""

    @property
    def words(self) -> str:
        """What it means, in a few words."""
        return _WORDS[self]


_WORDS = {
    DesignStatus.GOOD: "good",
    DesignStatus.REFUSED: "no robot file can have these numbers",
    DesignStatus.HOME: "cannot reach home",
    DesignStatus.CYCLE: "cannot make the cycle",
    DesignStatus.REGION: "cannot reach the whole region",
    DesignStatus.CONSTRAINT: "a constraint does not hold",
}


class Evaluator:
    """Evaluates points of a study.

    >>> study = pk.design.load_study("delta.toml")
    >>> found = pk.design.Evaluator(pk.design.read_subject("delta.toml")).evaluate(np.array([[0.24, 0.5]]))
    >>> sorted(found)
    ['arm', 'force', 'forearm', 'room', 'status']
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.source = OneByOne(subject) if subject.variation is None else Lanes(subject)

    def evaluate(self, points: Array) -> dict[str, Array]:
        """Return parameters, objectives, constraints and status of designs (designs, parameters), by name.

        What cannot be had of a design is NaN.

        >>> evaluator = pk.design.Evaluator(pk.design.read_subject("delta.toml"))
        >>> evaluator.evaluate(np.array([[0.24, 0.5], [0.02, 0.03]]))["status"]
        array([0., 2.])
        """
        points = np.atleast_2d(np.asarray(points, float))
        block = max(1, LANES // self.poses_of_a_design)
        parts = [self._block(points[k : k + block]) for k in range(0, len(points), block)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    @functools.cached_property
    def poses_of_a_design(self) -> int:
        """At how many poses a design is evaluated."""
        sizes = {"region": lambda: len(self.subject.region), "volume": lambda: len(self.subject.cells[0])}
        sizes |= {"cycle": lambda: len(self.subject.cycle[0]), "design": lambda: 0}
        return 1 + sum(sizes[over]() for over in self._rows)

    @functools.cached_property
    def must_reach(self) -> tuple[str, ...]:
        """Which of the cycle and the region every good design reaches."""
        return tuple(over for over in ("cycle", "region") if over in self._rows)

    @functools.cached_property
    def _rows(self) -> dict[str, dict[str, tuple[Wanted, Quantity]]]:
        """What is wanted, by the poses over which it is taken."""
        rows: dict[str, dict[str, tuple[Wanted, Quantity]]] = {}
        for name, wanted in self.subject.wanted.items():
            quantity = QUANTITIES[wanted.of]
            rows.setdefault(quantity.over, {})[name] = (wanted, quantity)
        return rows

    def _block(self, points: Array) -> dict[str, Array]:
        designs = self.source.designs(points)
        status = np.zeros(len(points), np.int8)
        found: dict[str, Array] = {}
        _mark(status, ~designs.valid, DesignStatus.REFUSED)
        at_home = designs.evaluate(("inverse_kinematics",), {"pose": _one_pose(designs.home)})
        _mark(status, ~at_home.good[:, 0], DesignStatus.HOME)
        for over, code in (("cycle", DesignStatus.CYCLE), ("region", DesignStatus.REGION), ("volume", None)):
            if over in self._rows:
                values, reached = self._over(over, designs)
                found |= values
                if code is not None:
                    _mark(status, ~reached, code)
        found |= dict.fromkeys(self._rows.get("design", {}), designs.mass)
        found = {name: np.where(designs.valid, found[name], np.nan) for name in self.subject.wanted}
        for name, one in self.subject.study.constraints.items():
            _mark(status, ~holds(one, found[name]), DesignStatus.CONSTRAINT)
        columns = {name: points[:, k] for k, name in enumerate(self.subject.study.parameters)}
        return {**columns, **found, "status": status.astype(float)}

    def _over(self, over: str, designs: Designs) -> tuple[dict[str, Array], NDArray[np.bool_]]:
        """Return the values of all that is taken over some poses, and which designs reach all of them."""
        subject, rows = self.subject, self._rows[over]
        state = self._state(over, designs)
        models = tuple(dict.fromkeys(model for _, quantity in rows.values() for model in quantity.models))
        judged = designs.evaluate(models or ("inverse_kinematics",), state)
        reached = np.asarray(judged.good.all(axis=1))
        if over == "volume":
            volume: Array = np.count_nonzero(judged.good, axis=1) * subject.cells[1]
            return dict.fromkeys(rows, volume), reached
        values: dict[str, Array] = {}
        for name, (wanted, quantity) in rows.items():
            values[name] = reduced(
                self._values(quantity, designs, state, judged), wanted.reduce or "worst", quantity.goal
            )
        return values, reached

    def _values(self, quantity: Quantity, designs: Designs, state: dict[str, Array], judged: Judged) -> Array:
        """Return the values (designs, poses, channels) of a quantity; NaN where a pose is no good."""
        if quantity.sloped is not None:
            whole = quantity.sloped.values(judged.outputs, self.subject.scale)
            return np.where(judged.good[..., None], whole, np.nan)
        assert quantity.at_poses is not None
        return designs.at_poses(quantity.at_poses, state["pose"], judged.good)[..., None]

    def rows_at(self, name: str, points: Array) -> Array:
        """Return values (designs, rows) of what is wanted at points, the worst of which counts; one for a mean.

        >>> evaluator = pk.design.Evaluator(pk.design.read_subject("delta.toml"))
        >>> x = np.array([[0.24, 0.5]])
        >>> bool(evaluator.rows_at("force", x).max() == evaluator.evaluate(x)["force"][0])
        True
        """
        wanted = self.subject.wanted[name]
        quantity = QUANTITIES[wanted.of]
        if (wanted.reduce or "worst") != "worst":
            return self.evaluate(points)[name][:, None]
        designs = self.source.designs(points)
        state = self._state(quantity.over, designs)
        judged = designs.evaluate(quantity.models or ("inverse_kinematics",), state)
        return self._values(quantity, designs, state, judged).reshape(len(points), -1)

    def _state(self, over: str, designs: Designs) -> dict[str, Array]:
        """Return the states of the cycle, of the region or of the cells of a volume."""
        subject = self.subject
        if over == "cycle":
            return dict(zip(("pose", "velocity", "acceleration"), subject.cycle, strict=True))
        return {"pose": subject.poses(designs.home, subject.region if over == "region" else subject.cells[0])}


def _one_pose(home: Array) -> Array:
    return home[None] if home.ndim == 1 else home


def _mark(status: NDArray[np.int8], where: NDArray[np.bool_], code: DesignStatus) -> None:
    """Give a status to designs that have none yet."""
    status[where & (status == 0)] = code


def holds(constraint: Constraint, values: Array) -> NDArray[np.bool_]:
    """Return where a constraint holds; not where a value is missing."""
    least = -np.inf if constraint.least is None else constraint.least
    most = np.inf if constraint.most is None else constraint.most
    return (values >= least) & (values <= most)


@dataclass(frozen=True)
class StudyWork:
    """A study as the work of an executor: texts alone, so that every process makes it ready by itself.

    >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
    >>> work(np.array([3]), 0)["status"]
    array([0.])
    """

    study: str
    """The study as JSON."""
    tables: str
    """The tables of the robot file as JSON."""
    folder: str
    """Where the study's file is."""

    def __call__(self, rows: NDArray[np.int64], _seed: int, /) -> dict[str, Array]:
        evaluator = evaluator_of(self)
        return evaluator.evaluate(points_at(evaluator.subject.study, rows))


@functools.lru_cache(maxsize=4)
def evaluator_of(work: StudyWork) -> Evaluator:
    """Return what evaluates the designs of a work, made once in a process."""
    study = Study.model_validate_json(work.study)
    return Evaluator(subject_of(study, json.loads(work.tables), Path(work.folder)))
