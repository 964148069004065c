"""Robot: what describes it and its numeric methods, each a kernel compiled when first used."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from parakin.description import RobotDescription, problems_of
from parakin.dynamics.payload import Payload
from parakin.errors import DescriptionError, EstimationError
from parakin.kernels.arguments import as_array
from parakin.robot.core import RobotCore
from parakin.robot.derivatives import ModelDerivatives
from parakin.robot.dynamics import Dynamics
from parakin.robot.engine import Engine

if TYPE_CHECKING:
    from parakin.mechanism import MechanismDescription
    from parakin.mechanism.readers import ImportReport


@final
class Robot(Dynamics, ModelDerivatives):
    """A parallel robot, or any other closed chain.

    Methods take poses `(..., n)` and return arrays with the same leading shape.

    A single state that is out of reach or singular raises; in a batch its row is NaN. `evaluate` never raises for a
    state and says of each what is wrong with it. A robot does not change: `replace` and `with_payload` make another.
    Two robots are equal if their descriptions, payloads and poses are.

    >>> robot.actuator_names, robot.pose_names
    (('leg1.arm', 'leg2.arm', 'leg3.arm'), ('x', 'y', 'z'))
    >>> robot == pk.load("delta"), robot == robot.with_payload(0.3)
    (True, False)
    """

    def __init__(
        self,
        description: RobotDescription | MechanismDescription,
        payload: Payload | None = None,
        *,
        independent: tuple[str, ...] | None = None,
        import_report: ImportReport | None = None,
    ) -> None:
        """description: a robot file or a mechanism file as data; payload: what it carries.

        independent: coordinates, joint.freedom each, that make up a pose in place of the mechanism file's;
        import_report: what became of what an imported file holds.
        """
        super().__init__(_engine_of(description, payload or Payload(), independent), import_report)

    @classmethod
    def _around(cls, engine: Engine, import_report: ImportReport | None) -> Robot:
        """Return the robot that computes with an engine."""
        robot = cls.__new__(cls)
        RobotCore.__init__(robot, engine, import_report)
        return robot

    def _variant(self, description: RobotDescription | MechanismDescription, payload: Payload) -> Robot:
        independent, report = self.engine.independent, self.import_report
        return Robot(description, payload, independent=independent, import_report=report)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.engine.source, self.payload, self.engine.independent, self.import_report)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Robot) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @functools.cached_property
    def _identity(self) -> str:
        return self.content("identity")

    def __repr__(self) -> str:
        return f"Robot({self.engine.summary})"

    @property
    def machine(self) -> RobotDescription | MechanismDescription:
        """What its file says, as data.

        >>> robot.machine.name
        'delta'
        """
        return self.engine.source

    @functools.cached_property
    def graph(self) -> Robot:
        """The robot as bodies and joints: itself, or with positions of its motors as a pose."""
        engine = self.engine.graph
        return self if engine is self.engine else Robot._around(engine, self.import_report)

    @functools.cached_property
    def by_motors(self) -> Robot:
        """The robot as bodies and joints whose pose are coordinates of its motors, as many as its freedoms.

        >>> linkage.by_motors.pose_names
        ('crank.angle',)
        """
        engine = self.engine.by_motors
        return self if engine is self.engine else Robot._around(engine, self.import_report)

    def to_toml(self) -> str:
        """Return the file of the robot; reading it gives an equal robot.

        >>> text = robot.to_toml()
        >>> text.splitlines()[0]
        'name = "delta"'
        """
        return self.engine.as_toml()

    def replace(self, *, payload: Payload | None = None, **changes: object) -> Robot:
        """Return a variant with other values in the top table of the file, checked like a file but for its mobility.

        robot.replace(gravity=(0, 0, 0)) is a robot in free fall. payload: what the variant carries; as before if it is
        not given.

        >>> robot.replace(gravity=(0, 0, -1.62)).static_forces(pose).round(3)
        array([0.21 , 0.162, 0.115])
        """
        description = self.engine.changed(changes) if changes else self.engine.source
        return self._variant(description, self.payload if payload is None else payload)

    def with_payload(self, mass: float, centre: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None) -> Robot:
        """Return the robot carrying something.

        mass [kg]; centre: its centre of mass in E, or in the output frame of a mechanism [m]; inertia: its tensor about
        that in the axes of the frame [kg m^2], or none.

        >>> robot.with_payload(0.5).static_forces(pose).round(3)
        array([1.995, 1.489, 0.993])
        """
        tensor = np.zeros((3, 3)) if inertia is None else as_array(self.name, "inertia", inertia)
        table = {"mass": mass, "centre": as_array(self.name, "centre", centre).tolist(), "inertia": tensor.tolist()}
        try:
            payload = Payload.model_validate(table)
        except ValidationError as error:
            raise DescriptionError("payload", problems_of(error)) from error
        return self._variant(self.engine.source, payload)

    def with_parameters(self, parameters: ArrayLike, source: str) -> Robot:
        """Return the robot with p instead of the values of its file; reading `to_toml` of it gives an equal robot.

        parameters: in the order of robot.parameters, of real bodies, as `consistent` gives them; those of a payload are
        left out. source: said of every changed table, for instance "identified from excitation.csv". Legs written once
        and repeated stay so if their parameters are the same, and are written out if not.

        >>> heavier = robot.with_parameters(1.1 * robot.parameters, source="a guess")
        >>> heavier.static_forces(pose) / robot.static_forces(pose)
        array([1.1, 1.1, 1.1])
        """
        from parakin.dynamics.parameters import PAYLOAD

        own = [one for one in self.parameter_table if one.owner != PAYLOAD]
        given = as_array(self.name, "parameters", parameters)
        if len(given) < len(own) or not np.isfinite(given).all():
            reason = f"{len(own)} finite values are needed, got {np.isfinite(given).sum()} of {len(given)}"
            raise EstimationError(self.name, "parameters", reason)
        changes = self.engine.changed_tables(given[: len(own)], source)
        return self._variant(self.engine.changed(changes), self.payload)


def _engine_of(
    description: RobotDescription | MechanismDescription, payload: Payload, independent: tuple[str, ...] | None
) -> Engine:
    """Return what computes with a machine."""
    if isinstance(description, RobotDescription):
        from parakin.robot.leg_engine import LegEngine

        return LegEngine(description, payload)
    from parakin.robot.graph_engine import GraphEngine

    return GraphEngine(description, payload, independent)


def _restored(
    description: RobotDescription | MechanismDescription,
    payload: Payload,
    independent: tuple[str, ...] | None,
    report: ImportReport | None,
) -> Robot:
    """Return a robot from what `__reduce__` keeps of it."""
    return Robot(description, payload, independent=independent, import_report=report)
