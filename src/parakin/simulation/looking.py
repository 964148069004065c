"""What a platform sensor does inside the loop: it tells the law what it has seen, looks at the plant, is recorded."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.mechanics import Acting
from parakin.robot import Robot
from parakin.simulation.platform_sensors import SensorStage
from parakin.simulation.sensors import LARGEST_SPEED, Ending, Symbols


def reading(sensing: SensorStage) -> ca.Function:
    """Return what a platform sensor tells the law; at rest where the plant has stopped."""
    names = ("sensor_state", "sensor_numbers")
    x: Symbols = {name: ca.SX.sym(name, sensing.read.size1_in(name)) for name in names} | {"status": ca.SX.sym("s")}
    seen = sensing.read(*[x[name] for name in names])
    moving = ca.if_else(ca.eq(x["status"], Ending.COMPLETED), seen[1], 0)
    told = ["measured_pose", "measured_velocity"]
    return ca.Function("sensor_reading", list(x.values()), [seen[0], moving], list(x), told, {"cse": True})


def looking(robot: Robot, sensing: SensorStage, *, elastic: bool = False) -> ca.Function:
    """Return one look of a platform sensor at the plant; where that has stopped the sensor keeps what it has.

    So it does where the plant has lost all finite numbers between two ticks, which is said at the next. With `elastic`
    drives encoders see the motors or the joints.
    """
    placed = robot.placed(Acting())
    sizes = {name: sensing.look.size1_in(name) for name in ("sensor_state", "tau", "sensor_noise", "sensor_numbers")}
    x: Symbols = {"place": placed.place, "velocity": placed.velocity, "status": ca.SX.sym("s")}
    x |= {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    positions = placed.q
    if elastic:
        x |= {"motor": ca.SX.sym("motor", placed.q.shape[0]), "on_motor": ca.SX.sym("on_motor")}
        positions = ca.if_else(x["on_motor"], x["motor"], placed.q)
    seen = (placed.pose, placed.velocity, positions, x["tau"])
    after = sensing.look(x["sensor_state"], *seen, x["sensor_noise"], x["sensor_numbers"])
    there = ca.sumsqr(placed.place) + ca.sumsqr(placed.velocity) < 2 * LARGEST_SPEED**2
    kept = ca.if_else(ca.logic_and(there, ca.eq(x["status"], Ending.COMPLETED)), after, x["sensor_state"])
    if not sensing.draws:
        del x["sensor_noise"]
    return ca.Function("sensor_look", list(x.values()), [kept], list(x), ["next_sensor_state"], {"cse": True})


def recording(sensing: SensorStage, name: str) -> ca.Function:
    """Return what records the state of a platform sensor, as the law was told of it, under a name."""
    state = ca.SX.sym("sensor_state", sensing.look.size1_in("sensor_state"))
    return ca.Function("record_sensor", [state], [state + 0], ["sensor_state"], [f"log_{name}"])
