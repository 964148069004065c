"""What all methods of a mechanism stand on: its plan, its names, its kernels, and how states are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, read_only
from parakin.dynamics.graph.models import FREE, MODELS, Options, graph_program
from parakin.dynamics.graph.parameters import all_freedoms
from parakin.dynamics.payload import Payload, mass_alone
from parakin.errors import (
    JointLimitError,
    KernelInputError,
    LimitError,
    LoopClosureError,
    OverflowStateError,
    StrokeError,
    UnknownNameError,
)
from parakin.kernels import Kernel
from parakin.kernels.threads import COMPILING
from parakin.kinematics.status import Status
from parakin.mechanism import MechanismDescription, Plan
from parakin.mechanism.plan import plan
from parakin.robot.evaluation import Evaluation
from parakin.robot.limits import Bounds

DEFAULT_TURN = 0.2
"""How far independent angles go from home where a file has no workspace [rad]."""
DEFAULT_WAY = 0.1
"""How far independent lengths go from home where a file has no workspace, in sizes of the mechanism."""
_MATRICES = frozenset({"M", "Psi", "J_qu", "wrench_on_child", "R", "A", "B", "frames"})
"""Outputs that are matrices whatever their size."""
_NUMBERS = frozenset({"status", "residual", "kinetic", "potential", "smoothing"})
"""Inputs and outputs that are one number a state; all others are vectors, if only of one entry."""
_REASONS = {
    Status.SINGULAR: "the way from `near` crosses or ends at a singularity; start from a configuration beyond it",
    Status.NOT_CONVERGED: "the loops cannot be closed there, or not from `near`; start nearer, or check the reach",
}

Input = Payload | ArrayLike | None
"""What a method takes for an input of a model: numbers, a payload, or None where it is not given."""


class MechanismCore:
    """A mechanism with its plan, and its kernels, each compiled when first used."""

    description: MechanismDescription
    """The mechanism file."""
    plan: Plan
    """How it is computed, and what its joints allow; `print` it."""
    payload: Payload
    """What the output carries; `with_payload` gives a mechanism that carries something else."""
    name: str
    """Its short name."""
    degrees_of_freedom: int
    """How many independent velocities it has, n."""
    pose_names: tuple[str, ...]
    """The independent coordinates that make up a pose, joint.freedom each."""
    pose_units: tuple[str, ...]
    """Units of the pose's numbers, m or rad."""
    actuator_names: tuple[str, ...]
    """The driven freedoms, joint.freedom each."""
    actuator_units: tuple[str, ...]
    """Units of the motors' forces, N or N m."""
    body_names: tuple[str, ...]
    """Names of the bodies."""
    joint_names: tuple[str, ...]
    """Every freedom of every joint of the file, joint.freedom each."""
    wrench_names: tuple[str, ...]
    """Names of the joints whose wrenches can be asked for."""
    home: Array
    """The pose of the assembled mechanism; read-only."""
    home_configuration: Array
    """Coordinates of the tree's joints there; read-only."""
    box: tuple[Array, Array]
    """Smallest and largest offsets from home of its workspace; read-only."""
    strokes: Bounds
    """Strokes of the motors: coordinates of driven freedoms."""
    joint_limits: Bounds
    """Limits of passive freedoms."""

    def __init__(
        self,
        description: MechanismDescription,
        payload: Payload | None = None,
        independent: tuple[str, ...] | None = None,
    ) -> None:
        self._kernels: dict[tuple[object, ...], Kernel] = {}
        self._asked = independent
        self.description = description
        self.plan = plan(description, independent)
        self.payload = payload or Payload()
        self.name = description.name
        skeleton = self.plan.skeleton
        units = {name: freedom.units for name, _, freedom, _ in all_freedoms(description)}
        units |= {
            f"{link.joint.name}.{freedom.name}": freedom.units
            for link in skeleton.links
            for freedom in link.joint.kind.freedoms
        }
        self.pose_names = self.plan.independent_names
        self.pose_units = tuple(units[name].position for name in self.pose_names)
        self.degrees_of_freedom = len(self.pose_names)
        self.actuator_names = self.plan.actuator_names
        self.actuator_units = tuple(units[name].force for name in self.actuator_names)
        self.body_names = tuple(body.name for body in description.bodies)
        self.joint_names = tuple(name for name, _, _, _ in all_freedoms(description))
        moving = {link.joint.name for link in skeleton.links} | {cut.joint.name for cut in skeleton.cuts}
        self.wrench_names = tuple(joint.name for joint in description.joints if joint.name in moving)
        self.home_configuration = read_only(self.plan.assembly.configuration)
        self.strokes = _bounds(description, driven=True)
        self.joint_limits = _bounds(description, driven=False)
        self.home = read_only(self._at_configuration("pose", self.home_configuration)["pose_found"])
        space = None if independent else description.workspace
        reach = [DEFAULT_WAY * skeleton.size if unit == "m" else DEFAULT_TURN for unit in self.pose_units]
        lower, upper = (space.lower, space.upper) if space else ([-side for side in reach], reach)
        self.box = read_only(lower), read_only(upper)
        self._complete = True

    def __setattr__(self, name: str, value: object) -> None:
        if "_complete" in self.__dict__:
            raise AttributeError(f"a mechanism does not change: make another with replace({name}=...)")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a mechanism does not change: it keeps its {name}")

    def __repr__(self) -> str:
        freedoms, motors = len(self.pose_names), len(self.actuator_names)
        return f"Mechanism({self.name}: {len(self.body_names)} bodies, {freedoms} freedoms, {motors} motors)"

    def __reduce__(self) -> tuple[type[MechanismCore], tuple[object, ...]]:
        return type(self), (self.description, self.payload, self._asked)

    # States --------------------------------------------------------------------------------------------------------

    def sample(self, count: int, seed: int = 0) -> Array:
        """Draw poses (count, n) uniformly from the box around home."""
        rng = np.random.default_rng(seed)
        return self.home + rng.uniform(*self.box, (count, self.degrees_of_freedom))

    def sample_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Draw poses of the box with random velocities and accelerations, with sizes that differ by thousands."""
        rng, span = np.random.default_rng(seed), np.subtract(*self.box[::-1])
        velocity, acceleration = (
            size * span * 10 ** rng.uniform(-3, 0, (count, 1)) * rng.normal(size=(count, len(span)))
            for size in (10, 200)
        )
        return self.sample(count, seed), velocity, acceleration

    def evaluate(self, model: str, *, near: ArrayLike | None = None, **inputs: Input) -> Evaluation:
        """Evaluate a model on one state or many without raising for a state that is no good: its status says why.

        model and inputs are those of `kernel`; give `configuration` in place of `pose` to save the search. near: the
        configuration from which the search begins, home's by default. `excess` is how far the loops are from closing
        (..., 1). Unknown names and wrong shapes still raise.
        """
        given = self._given(inputs, near)
        single = all(np.ndim(value) <= self._dimensions(name) for name, value in given.items())
        batch = {name: np.asarray(value, float)[None] for name, value in given.items()} if single else given
        out = self._outputs(model, batch)
        status = np.asarray(out.pop("status"), np.int32)
        residual = np.asarray(out.pop("residual"))[..., None]
        if "pose" in given and (self.strokes.any or self.joint_limits.any):
            status = self._judged(batch, status)
        if single:
            return Evaluation({name: value[0] for name, value in out.items()}, status[0], residual[0])
        return Evaluation(out, status, residual)

    # Kernels -------------------------------------------------------------------------------------------------------

    def kernel(self, name: str, *, free: Iterable[str] = (), configuration: bool = False) -> Kernel:
        """Return the compiled model behind a method, for control loops, operation counts and C.

        Its inputs are `pose` and `near`, a configuration from which the search for that of the pose begins; or the
        `configuration` itself if that is asked for. free: what becomes inputs instead of being baked in, keys of
        `dynamics.graph.models.FREE`. Inputs and outputs of one entry have shape ().
        """
        key = (name, tuple(sorted(set(free))), configuration)
        if key in self._kernels:
            return self._kernels[key]
        for kind, asked, known in (("model", (name,), tuple(MODELS)), ("input to free", key[1], tuple(FREE))):
            for one in asked:
                if one not in known:
                    raise UnknownNameError(kind, one, known)
        with COMPILING:
            if key not in self._kernels:
                program = graph_program(name, self.plan, Options(self.payload, key[1], not configuration))
                kept = _MATRICES.intersection(program.outputs)
                self._kernels[key] = Kernel(program, status="status", matrices=kept)
            return self._kernels[key]

    def _call(self, model: str, near: ArrayLike | None = None, **inputs: Input) -> dict[str, Array]:
        """The outputs of a model, by name; a single state that is no good raises."""
        given = self._given(inputs, near)
        out = self._outputs(model, given)
        status = out["status"]
        if status.ndim == 0 and int(status) != int(Status.GOOD):
            raise self._error(given, out)
        return out

    def _given(self, inputs: Mapping[str, Input], near: ArrayLike | None) -> dict[str, ArrayLike]:
        """What of the inputs is there; a payload as its ten numbers; `near` beside a pose."""
        payload = inputs.get("payload")
        if payload is not None and not isinstance(payload, Payload) and np.ndim(payload) == 0:
            raise mass_alone(payload)
        given: dict[str, ArrayLike] = {
            name: value.about_E if isinstance(value, Payload) else value
            for name, value in inputs.items()
            if value is not None
        }
        if "pose" in given:
            given["near"] = self.home_configuration if near is None else near
        return given

    def _outputs(self, model: str, given: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """Evaluate a model; vectors of one entry, which kernels take for numbers, keep their axis."""
        free = tuple(name for name in given if name in FREE)
        kernel = self.kernel(model, free=free, configuration="configuration" in given)
        values = dict(given)
        for socket in kernel.inputs:
            if socket.name in values and not socket.shape and socket.name not in _NUMBERS:
                array = np.asarray(values[socket.name], float)
                if array.ndim == 0 or array.shape[-1] != 1:
                    expected = "an array whose last axis has one entry, (..., 1)"
                    raise KernelInputError(kernel.name, socket.name, expected, f"shape {array.shape}")
                values[socket.name] = array[..., 0]
        out = kernel.evaluate(values)
        return {
            socket.name: out[socket.name][..., None]
            if not socket.shape and socket.name not in _NUMBERS
            else out[socket.name]
            for socket in kernel.outputs
        }

    def _dimensions(self, name: str) -> int:
        return 0 if name in _NUMBERS else 1

    def _at_configuration(self, model: str, configuration: ArrayLike) -> dict[str, Array]:
        return self._outputs(model, {"configuration": configuration})

    # What is wrong -------------------------------------------------------------------------------------------------

    def _error(self, given: Mapping[str, ArrayLike], out: Mapping[str, Array]) -> LoopClosureError | OverflowStateError:
        """The error for a single state that is not GOOD."""
        status = Status(int(out["status"]))
        if status == Status.UNUSABLE:
            sizes = {
                name: float(np.max(np.abs(np.asarray(value, float)), initial=0.0)) for name, value in given.items()
            }
            largest = max(sizes, key=lambda name: sizes[name])
            return OverflowStateError(self.name, largest, sizes[largest])
        pose = np.ravel(np.asarray(given.get("pose", given.get("configuration")), float))
        return LoopClosureError(self.name, tuple(pose.tolist()), _REASONS[status], float(out["residual"]))

    def _judged(self, batch: Mapping[str, ArrayLike], status: NDArray[np.int32]) -> NDArray[np.int32]:
        """Statuses in which GOOD poses beyond a limit are OUT_OF_STROKE or JOINT_LIMIT."""
        state = {name: batch[name] for name in ("pose", "near")}
        values = self._outputs("joint_coordinates", state)["coordinate"]
        result, good = np.array(status), status == int(Status.GOOD)
        for bounds, code in ((self.joint_limits, Status.JOINT_LIMIT), (self.strokes, Status.OUT_OF_STROKE)):
            beyond = bounds.beyond(self.limited(values, bounds)).any(axis=-1)
            result[np.broadcast_to(beyond, result.shape) & good] = code
        return result

    def limited(self, coordinates: Array, bounds: Bounds) -> Array:
        """Return those of coordinates (..., `coordinate_names`) that have the limits `bounds`."""
        places = {name: k for k, name in enumerate(self.coordinate_names)}
        return coordinates[..., [places[name] for name in bounds.names]]

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of what `joints` gives as coordinates: joint.freedom, and .qw, .qx, .qy, .qz of a ball."""
        names: list[str] = []
        for joint in self.description.joints:
            ball = [f"{joint.name}.{part}" for part in ("qw", "qx", "qy", "qz")]
            plain = [f"{joint.name}.{f.name}" for f in joint.kind.freedoms if not f.name.startswith("w")]
            names += plain + (ball if joint.type in ("spherical", "free") else [])
        return tuple(names)

    def _refuse_beyond(self, pose: ArrayLike, coordinates: Array) -> None:
        """Raise for a single pose at which a motor or a passive joint is beyond its limits."""
        kinds: tuple[tuple[Bounds, type[LimitError]], ...] = (
            (self.strokes, StrokeError),
            (self.joint_limits, JointLimitError),
        )
        for bounds, kind in kinds:
            values = self.limited(coordinates, bounds)
            if not bounds.contain(values):
                worst = int(np.argmax(bounds.excess(values)))
                limits = float(bounds.lower[worst]), float(bounds.upper[worst])
                where = tuple(np.ravel(np.asarray(pose, float)).tolist())
                raise kind(where, bounds.names[worst], float(values[worst]), *limits, bounds.units[worst])


def _bounds(description: MechanismDescription, *, driven: bool) -> Bounds:
    """Return the limits of driven or of passive freedoms, where a file has any."""
    rows = [
        (name, freedom.units.position, settings.lower, settings.upper)
        for name, _, freedom, settings in all_freedoms(description)
        if (settings.drive is not None) == driven and (settings.lower is not None or settings.upper is not None)
    ]
    lower = np.array([-np.inf if row[2] is None else row[2] for row in rows], float)
    upper = np.array([np.inf if row[3] is None else row[3] for row in rows], float)
    return Bounds(tuple(row[0] for row in rows), tuple(row[1] for row in rows), lower, upper)
