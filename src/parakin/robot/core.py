"""What all methods of a robot stand on: its kernels, and how states are sampled and evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.dynamics.choices import DEFAULT
from parakin.robot.engine import Engine, Input, MachineData, asked_for
from parakin.robot.results import Evaluation

if TYPE_CHECKING:
    from parakin.kernels import Kernel
    from parakin.kernels.c_files import CFiles
    from parakin.mechanism.readers import ImportReport

C_STATES = 64
"""States recorded for the self-test of C code."""


class RobotCore(MachineData):
    """A robot that does not change: its names and numbers, and the engine that computes with it."""

    import_report: ImportReport | None
    """What became of what an imported file holds, kept by variants and copies; None for robots of parakin's files."""

    def __init__(self, engine: Engine, import_report: ImportReport | None = None) -> None:
        self.engine = engine
        self.import_report = import_report
        for name in MachineData.__annotations__:
            setattr(self, name, getattr(engine, name))
        self._complete = True

    def __setattr__(self, name: str, value: object) -> None:
        if "_complete" in self.__dict__:
            raise AttributeError(f"a robot does not change: make another with replace({name}=...) or with_payload(...)")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a robot does not change: it keeps its {name}")

    # States --------------------------------------------------------------------------------------------------------

    def sample(self, count: int, seed: int = 0) -> Array:
        """Draw poses (count, coordinates) uniformly from the box around home.

        >>> robot.sample(3, seed=1).round(3)
        array([[ 0.004,  0.135, -0.501],
               [ 0.135, -0.056, -0.445],
               [ 0.098, -0.027, -0.42 ]])
        """
        return self.engine.sample(count, seed)

    def sample_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Draw poses of the box with random velocities and accelerations, whose sizes differ by factors of thousands.

        What gravity, friction and inertia do comes apart in them.

        >>> poses, velocities, accelerations = robot.sample_states(100)
        >>> robot.inverse_dynamics(poses, velocities, accelerations).shape
        (100, 3)
        """
        rng, span = np.random.default_rng(seed), np.subtract(*self.box[::-1])
        velocity, acceleration = (
            size * span * 10 ** rng.uniform(-3, 0, (count, 1)) * rng.normal(size=(count, len(span)))
            for size in (10, 200)
        )
        return self.sample(count, seed), velocity, acceleration

    def evaluate(
        self, model: str, *, formulation: str = DEFAULT, near: ArrayLike | None = None, **inputs: Input
    ) -> Evaluation:
        """Evaluate a model on one state or many without raising for a state that is no good: its status says why.

        States beyond a stroke or a joint limit are told by their status and keep their values.

            robot.evaluate("inverse_dynamics", pose=pose, velocity=v, acceleration=a, payload=ten).status

        model and inputs are those of `kernel`; what of `dynamics.choices.FREE` is given becomes an input. near: the
        configuration from which a search begins, home's by default; a mechanism takes `configuration` in place of
        `pose`, and then does not search. Unknown names and wrong shapes still raise.

        >>> out = robot.evaluate("inverse_kinematics", pose=[[0, 0, -0.43], [0.9, 0, -0.43]])
        >>> [pk.Status(status).name for status in out.status]
        ['GOOD', 'UNREACHABLE']
        >>> print(out.excess[1].max().round(3))  # metres that are missing
        0.425
        """
        return self.engine.evaluated(model, formulation, self.engine.given(model, inputs, near))

    # Kernels -------------------------------------------------------------------------------------------------------

    def kernel(
        self,
        name: str,
        *,
        formulation: str = DEFAULT,
        free: Iterable[str] = (),
        configuration: bool = False,
        by: Iterable[str] = (),
    ) -> Kernel:
        """Return the compiled model behind a method, for control loops, operation counts and C.

        formulation: that of inverse dynamics; free: what becomes inputs instead of being baked in, keys of
        `dynamics.choices.FREE`. Models of a mechanism take `near` beside `pose`, a configuration from which the search
        for that of the pose begins, or in place of both the `configuration` itself if that is asked for.

        by: inputs by which every output is derived too, "pose", "velocity", "tau", "parameters", ...; such an output
        is called tau_by_pose, with a row for each entry of tau. What of FREE is among them becomes an input: see
        `derivatives`, and docs/derivatives.md.

        >>> kernel = robot.kernel("inverse_dynamics", formulation="kinematic-elements", free=("payload",))
        >>> [socket.name for socket in kernel.inputs]
        ['pose', 'velocity', 'acceleration', 'payload']
        """
        return self.engine.kernel(name, formulation=formulation, free=free, configuration=configuration, by=by)

    def content(self, use: str) -> str:
        """Return a text that differs wherever two robots do, or what is made of them: the key of a `Derivation`.

        use: a name for what is made, which no model of `kernel` has.

        >>> robot.content("my_model") == pk.load("delta").content("my_model")
        True
        """
        return self.engine.content(asked_for(use, DEFAULT, (), False, ()))

    def to_c(
        self,
        model: str,
        directory: str | Path,
        name: str | None = None,
        *,
        formulation: str = DEFAULT,
        free: Iterable[str] = (),
        by: Iterable[str] = (),
    ) -> CFiles:
        """Write the C99 of a model (`kernel(model).to_c`) with a self-test on states of the robot's box.

        >>> files = robot.to_c("inverse_dynamics", "c")
        >>> files.source.name
        'delta_inverse_dynamics.c'
        """
        kernel = self.kernel(model, formulation=formulation, free=free, by=by)
        rng, known = np.random.default_rng(0), self.engine.recorded(self.sample(C_STATES))
        samples = {
            socket.name: known[socket.name].reshape(C_STATES, *socket.shape)
            if socket.name in known
            else rng.normal(size=(C_STATES, *socket.shape))
            for socket in kernel.inputs
        }
        return kernel.to_c(directory, name, samples=samples)
