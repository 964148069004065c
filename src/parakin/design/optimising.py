"""Better designs from the best that a study found: by slopes, by evolution, or a whole front."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.design.evaluating import DesignStatus, Evaluator
from parakin.design.lanes import Lanes
from parakin.design.running import Found, costs_of, names_of, sense_of
from parakin.design.sampling import bounds_of
from parakin.design.slopes import Slopes
from parakin.design.study import Optimise
from parakin.errors import DesignError

FIRST_STEP = 0.1
"""Size of the first step of a local search, of the range of each parameter."""
LAST_STEP = 1e-9
"""Size of a step, likewise, at which a local search ends."""
CORRECTIONS = 3
"""How often a step is corrected that leads to no good design."""
INSIDE = 1e-9
"""Distance that a search keeps from its bounds, of a bound and of 1 in its unit: above rounding, below any use."""


@frozen_arrays
class Improved:
    """Designs that an optimiser found.

    >>> pk.design.Improved(np.zeros((0, 6)), ()).origins
    ()
    """

    table: Array
    """Rows (designs, columns) as those of the study, their numbers counted on from its last."""
    origins: tuple[str, ...]
    """Where each design comes from, in words."""


def improve(evaluator: Evaluator, found: Found, told: Callable[[str], None] = lambda _: None) -> Improved:
    """Return what the optimiser of a study makes of the best designs of its front; none are worse than these.

    >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
    >>> found = pk.design.gather(work, pk.design.run_study(work, "parts_to_improve"))
    >>> pk.design.improve(pk.design.Evaluator(pk.design.read_subject("delta.toml")), found).origins  # none asked for
    ()
    """
    options = evaluator.subject.study.optimise
    if options is None or not len(found.front):
        return Improved(np.zeros((0, len(found.names))), ())
    methods = {"local": _local, "evolution": _evolution, "front": _front}
    points, origins = methods[options.method](evaluator, found, options, told)
    return Improved(table_of(evaluator, points, found.rows), origins)


def table_of(evaluator: Evaluator, points: Array, first: int) -> Array:
    """Return the rows of designs (designs, parameters) in the form of a study's table, counted from a number."""
    values = evaluator.evaluate(points)
    columns = [np.arange(first, first + len(points), dtype=float)]
    return np.stack([*columns, *(values[name] for name in names_of(evaluator.subject.study)[1:])], axis=1)


def _best_first(evaluator: Evaluator, found: Found, objective: str) -> Array:
    costs = sense_of(evaluator.subject.study, objective) * found.column(objective)
    return found.front[np.argsort(costs, kind="stable")]


def _points(table: Array, evaluator: Evaluator) -> Array:
    return table[:, 1 : 1 + len(evaluator.subject.study.parameters)]


def _objective(evaluator: Evaluator, options: Optimise) -> str:
    return options.objective or next(iter(evaluator.subject.study.objectives))


def _local(
    evaluator: Evaluator, found: Found, options: Optimise, told: Callable[[str], None]
) -> tuple[Array, tuple[str, ...]]:
    objective = _objective(evaluator, options)
    starts = _best_first(evaluator, found, objective)[: options.starts]
    points: list[Array] = []
    for row in starts:
        told(f"local search from row {int(row[0])}")
        points.append(descend(evaluator, objective, _points(row[None], evaluator)[0], options.steps))
    return np.array(points), tuple(f"local search for {objective} from row {int(row[0])}" for row in starts)


def descend(evaluator: Evaluator, objective: str, start: Array, steps: int) -> Array:
    """Return the point to which steps downhill lead: sequential linear programs with exact slopes, in a trust region.

        least t with  f_r + g_r·d <= t for the values r next to the worst,  constraints likewise,  |d| <= step

    Reach, strokes and limits of joints are among the constraints. A step is taken if the design is good and better, and
    is halved otherwise, so that a search never leaves what can be reached.
    """
    if not isinstance(evaluator.source, Lanes):
        reason = f'slopes need designs as inputs of kernels ({evaluator.subject.slow}): take method = "evolution"'
        raise DesignError(evaluator.subject.study.name, (("optimise", reason),))
    study = evaluator.subject.study
    slopes = Slopes(evaluator.source, (objective, *study.constraints), evaluator.rows_at)
    lower, upper = bounds_of(study)
    x, size = np.array(start, float), FIRST_STEP
    cost = _cost(evaluator, objective, x)
    for _ in range(steps):
        lines = _Lines.at(evaluator, slopes, objective, x)
        new, reached = x, np.inf
        while size > LAST_STEP:
            step = size * (upper - lower)
            box = np.maximum(lower, x - step), np.minimum(upper, x + step)
            new, promised = lines.least(box)
            reached = _cost(evaluator, objective, new)
            for _ in range(CORRECTIONS):  # boundaries are curved: along a tangent one leaves what can be reached
                if reached < cost:
                    break
                new, _promised = _Lines.at(evaluator, slopes, objective, new).least(box)
                reached = _cost(evaluator, objective, new)
            if reached < cost:
                size = min(2 * size, 0.5) if cost - reached > 0.5 * (cost - promised) else size
                break
            size /= 4
        if not reached < cost:
            break
        x, cost = new, reached
    return x


def _cost(evaluator: Evaluator, objective: str, x: Array) -> float:
    """Return the cost of a design; infinite if it is not good."""
    values = evaluator.evaluate(x[None])
    if values["status"][0] != int(DesignStatus.GOOD):
        return np.inf
    return float(sense_of(evaluator.subject.study, objective) * values[objective][0])


@frozen_arrays
class _Lines:
    """What a search knows of a design: a linear program in the point z and the worst cost t, about a point x."""

    x: Array
    rows: Array
    """Coefficients (rows, parameters + 1) of what must be at most `right`, by z - x and t."""
    right: Array
    """Bounds (rows,)."""

    @classmethod
    def at(cls, evaluator: Evaluator, slopes: Slopes, objective: str, x: Array) -> _Lines:
        """Linearise the objective, the constraints and the limits of a study at a point."""
        study = evaluator.subject.study
        sense, own = sense_of(study, objective), slopes.at(objective, x)
        held = [(1.0, 0.0, line) for line in slopes.limits(evaluator.must_reach, x)]
        for name, one in study.constraints.items():
            line = slopes.at(name, x)
            held += [(sign, bound, line) for sign, bound in ((1.0, one.most), (-1.0, one.least)) if bound is not None]
        rows = [np.column_stack([sense * own.slopes, -np.ones(len(own.values))])]
        right = [-sense * own.values]
        for sign, bound, line in held:
            rows.append(np.column_stack([sign * line.slopes, np.zeros(len(line.values))]))
            right.append(sign * (bound - line.values) - INSIDE * max(1.0, abs(bound)))
        return cls(x, np.concatenate(rows), np.concatenate(right))

    def least(self, box: tuple[Array, Array]) -> tuple[Array, float]:
        """Return the point of a box with the least worst cost, and that cost; x itself where there is none."""
        linprog: Any = importlib.import_module("scipy.optimize").linprog

        usable = np.isfinite(self.rows).all(axis=1) & np.isfinite(self.right)
        span = np.maximum(box[1] - box[0], LAST_STEP)
        bounds = [*zip((box[0] - self.x) / span, (box[1] - self.x) / span, strict=True), (None, None)]
        found = linprog(
            np.r_[np.zeros(len(self.x)), 1.0],
            A_ub=self.rows[usable] * np.r_[span, 1.0],
            b_ub=self.right[usable],
            bounds=bounds,
            method="highs",
        )
        if found.x is None:
            return self.x, np.inf
        return np.clip(self.x + span * found.x[:-1], *box), float(found.x[-1])


def _evolution(
    evaluator: Evaluator, found: Found, options: Optimise, told: Callable[[str], None]
) -> tuple[Array, tuple[str, ...]]:
    """Differential evolution; each generation is one call of the kernels."""
    differential_evolution: Any = importlib.import_module("scipy.optimize").differential_evolution

    objective, study = _objective(evaluator, options), evaluator.subject.study
    sense = sense_of(study, objective)
    lower, upper = bounds_of(study)
    known = _points(_best_first(evaluator, found, objective), evaluator)[: options.population // 2]
    rng = np.random.default_rng(options.seed)
    drawn = rng.uniform(lower, upper, (options.population - len(known), len(lower)))
    told(f"evolution of {options.population} designs")

    def cost(points: Array) -> Array:
        values = evaluator.evaluate(points.T)
        good = values["status"] == int(DesignStatus.GOOD)
        return np.where(good, sense * values[objective], np.inf)

    best = differential_evolution(
        cost,
        list(zip(lower, upper, strict=True)),
        init=np.concatenate([known, drawn]),
        maxiter=options.steps,
        rng=rng,
        polish=False,
        vectorized=True,
        updating="deferred",
    )
    return np.asarray(best.x, float)[None], (f"evolution for {objective} from {len(known)} designs of the front",)


def _front(
    evaluator: Evaluator, found: Found, options: Optimise, told: Callable[[str], None]
) -> tuple[Array, tuple[str, ...]]:
    """NSGA-II of pymoo, from the designs of the front."""
    problem, algorithm, minimize = _pymoo(evaluator)
    study = evaluator.subject.study
    lower, upper = bounds_of(study)
    names = names_of(study)
    rng = np.random.default_rng(options.seed)
    known = _points(found.front, evaluator)[: options.population]
    drawn = rng.uniform(lower, upper, (options.population - len(known), len(lower)))
    told(f"NSGA-II of {options.population} designs")

    class Designs(problem):
        def __init__(self) -> None:
            super().__init__(  # pyright: ignore[reportUnknownMemberType]
                n_var=len(lower), n_obj=len(study.objectives), n_ieq_constr=1, xl=lower, xu=upper
            )

        def _evaluate(self, x: Array, out: dict[str, Array], *_: object, **__: object) -> None:
            table = table_of(evaluator, x, 0)
            costs = costs_of(study, table, names)
            good = np.asarray(np.isfinite(costs).all(axis=1))
            out["F"], out["G"] = np.where(good[:, None], costs, LARGE), np.where(good, -1.0, 1.0)[:, None]

    result = minimize(
        Designs(),
        algorithm(pop_size=options.population, sampling=np.concatenate([known, drawn])),
        ("n_gen", options.steps),
        seed=options.seed,
        verbose=False,
    )
    points = np.atleast_2d(np.asarray(result.X if result.X is not None else known, float))
    return points, tuple(f"front by NSGA-II, {options.steps} generations" for _ in points)


LARGE = 1e30
"""Cost of a design that is not good, for algorithms that take no infinity."""


def _pymoo(evaluator: Evaluator) -> tuple[Any, Any, Any]:
    try:
        problem = importlib.import_module("pymoo.core.problem").Problem
        algorithm = importlib.import_module("pymoo.algorithms.moo.nsga2").NSGA2
        return problem, algorithm, importlib.import_module("pymoo.optimize").minimize
    except ImportError:
        reason = 'method = "front" needs pymoo: pip install \'parakin[design]\', or take "local" or "evolution"'
        raise DesignError(evaluator.subject.study.name, (("optimise.method", reason),)) from None
