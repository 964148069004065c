"""Run a study: every design evaluated by an executor, the front and the counts gathered part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.design.evaluating import LANES, DesignStatus, StudyWork, evaluator_of
from parakin.design.quantities import QUANTITIES
from parakin.design.sampling import rows_of
from parakin.design.study import Study
from parakin.executors import Executor, Progress, Results, RowStatus, ThisProcess, run
from parakin.tables.streams import write_blocks


def front_of(costs: Array) -> NDArray[np.bool_]:
    """Return which of the costs (rows, objectives), all to be made small, are not dominated. NaN is on no front.

    A row is dominated where another is at most equal in all columns and less in one; equal rows are on it together.

    >>> pk.design.front_of(np.array([[1.0, 4.0], [2.0, 2.0], [3.0, 3.0], [4.0, 1.0]]))
    array([ True,  True, False,  True])
    """
    alive = np.flatnonzero(np.isfinite(costs).all(axis=1))
    alive = alive[np.lexsort(costs[alive].T[::-1])]  # what comes later does not dominate what came before
    values = costs[alive]
    kept: list[int] = []
    while len(alive):
        best = values[0]
        kept.append(int(alive[0]))
        rest = (values < best).any(axis=1) | (values == best).all(axis=1)
        rest[0] = False
        alive, values = alive[rest], values[rest]
    result = np.zeros(len(costs), bool)
    result[kept] = True
    return result


ROW = "row"
"""Name of the column with the number of a design."""
MOST_SAMPLED = 4096
"""Designs that are kept for figures at most."""
LARGEST_FRONT = 4096
"""Designs of a front that are kept at most; of more, every so many along the first objective."""


@frozen_arrays
class Found:
    """What a study found.

    >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
    >>> found = pk.design.gather(work, pk.design.run_study(work, "found_parts"))
    >>> bool((found.column("force") > 0).all())
    True
    """

    study: Study
    """The study."""
    names: tuple[str, ...]
    """Names of the columns: row, parameters, objectives, constraints, status."""
    front: Array
    """Rows (designs, columns) of the Pareto front, in the order of the first objective."""
    sample: Array
    """Every so manyth row of all designs (at most MOST_SAMPLED, columns), for figures."""
    counts: dict[DesignStatus, int]
    """How many designs have each status."""
    failed: dict[int, str]
    """Rows that could not be computed at all, with the reason."""
    slow: str
    """Why each design needed a robot of its own; empty where it did not."""

    @property
    def rows(self) -> int:
        """How many designs there are."""
        return sum(self.counts.values()) + len(self.failed)

    def column(self, name: str) -> Array:
        """Return one column of the front.

        >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
        >>> found = pk.design.gather(work, pk.design.run_study(work, "column_parts"))
        >>> len(found.column("arm")) == len(found.front)
        True
        """
        return self.front[:, self.names.index(name)]


def sense_of(study: Study, name: str) -> float:
    """Return 1 for an objective of which least is wanted, -1 for one of which most is."""
    objective = study.objectives[name]
    return 1.0 if (objective.goal or QUANTITIES[objective.of].goal) == "least" else -1.0


def costs_of(study: Study, table: Array, names: tuple[str, ...]) -> Array:
    """Return the objectives of rows as costs, all to be made small; NaN for designs that are not good."""
    columns = [sense_of(study, name) * table[:, names.index(name)] for name in study.objectives]
    good = table[:, names.index("status")] == int(DesignStatus.GOOD)
    return np.where(good[:, None], np.stack(columns, axis=1), np.nan)


def run_study(
    work: StudyWork,
    folder: Path | str,
    *,
    executor: Executor | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Results:
    """Evaluate all designs of a study; results are in a folder, a file for each chunk, and can be resumed.

    >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
    >>> results = pk.design.run_study(work, "parts")
    >>> len(results), results.finished
    (8, True)
    """
    evaluator = evaluator_of(work)
    rows = rows_of(evaluator.subject.study)
    chunk = 16 if evaluator.subject.slow else max(16, 4 * LANES // evaluator.poses_of_a_design)
    return run(work, rows, folder, executor=executor or ThisProcess(), chunk=chunk, resume=resume, progress=progress)


def parts_of(study: Study, results: Results) -> Iterator[Array]:
    """Yield the table of a study part by part (designs, columns): memory does not grow with the number of designs."""
    names = names_of(study)
    for part in results.parts():
        good = part.status == RowStatus.COMPUTED
        rows = np.arange(part.span.first, part.span.last, dtype=float)
        columns = [rows, *(np.asarray(part.columns[name], float) for name in names[1:])]
        table = np.stack(columns, axis=1)
        table[~good, -1] = np.nan
        yield table


def names_of(study: Study) -> tuple[str, ...]:
    """Return the names of the columns of a study's table."""
    return (ROW, *study.parameters, *study.objectives, *study.constraints, "status")


def gather(work: StudyWork, results: Results) -> Found:
    """Return the front and the counts of a study whose designs are evaluated.

    >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
    >>> found = pk.design.gather(work, pk.design.run_study(work, "more_parts"))
    >>> found.rows, list(found.names)
    (8, ['row', 'arm', 'forearm', 'force', 'room', 'status'])
    """
    subject = evaluator_of(work).subject
    study, names = subject.study, names_of(subject.study)
    front, counts = np.zeros((0, len(names))), dict.fromkeys(DesignStatus, 0)
    every, sample = -(-len(results) // MOST_SAMPLED), [front]
    for table in parts_of(study, results):
        sample.append(table[table[:, 0] % every == 0])
        codes = table[:, -1]
        for code in DesignStatus:
            counts[code] += int(np.count_nonzero(codes == int(code)))
        front = _front(study, names, np.concatenate([front, table]))
    return Found(study, names, _thinned(front), np.concatenate(sample), counts, results.reasons, subject.slow)


def _front(study: Study, names: tuple[str, ...], table: Array) -> Array:
    chosen = table[front_of(costs_of(study, table, names))]
    first = chosen[:, names.index(next(iter(study.objectives)))]
    return chosen[np.argsort(first, kind="stable")]


def _thinned(front: Array) -> Array:
    if len(front) <= LARGEST_FRONT:
        return front
    return front[np.linspace(0, len(front) - 1, LARGEST_FRONT).round().astype(int)]


def write_designs(path: Path, study: Study, results: Results) -> Path:
    """Write the table of all designs, as the ending of the name says, without holding more than a part of it.

    >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
    >>> results = pk.design.run_study(work, "parts_to_write")
    >>> pk.design.write_designs(Path("designs.csv"), pk.design.load_study("delta.toml"), results).name
    'designs.csv'
    """
    return write_blocks(path, names_of(study), parts_of(study, results))


def chosen_of(study: Study, table: Array) -> Array:
    """Return the row that is chosen of rows of designs that are good: the best of one objective, or else the nearest.

    With several objectives it is the one nearest to the best value of each, which no design has together, where
    every objective counts from 0 at its best to 1 at its worst among these rows.
    """
    costs = costs_of(study, table, names_of(study))
    best, worst = np.nanmin(costs, axis=0), np.nanmax(costs, axis=0)
    shares = (costs - best) / np.where(worst > best, worst - best, 1.0)
    return table[int(np.nanargmin(np.linalg.norm(shares, axis=1)))]
