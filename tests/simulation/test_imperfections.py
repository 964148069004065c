"""Scenarios of imperfect machines run in lanes beside perfect ones, and what cannot be meant is refused."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin import control, motions, simulation, trajectory
from parakin.control.references import QUANTITIES
from parakin.errors import SimulationError
from parakin.simulation import Cable, ElasticDrives, Ending, Scenario, Stiction, TorqueRipple
from parakin.simulation.drive_forces import cable_wrench
from parakin.simulation.effect_numbers import effect_numbers
from parakin.simulation.imperfections import effects_of

PERIOD = 1e-3
SOFT = ElasticDrives(frequency=120.0, encoders="motor")
ROTATION = 1e-6
"""Step of differences by pose [m, rad]; a second difference of 20 N leaves 1e-7 of it."""


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def law(robot: pk.Robot) -> control.Law:
    return control.law("pid", robot, PERIOD).with_gains(K_p=60.0, K_d=1.5, K_i=0.0)


@pytest.fixture(scope="module")
def reference(robot: pk.Robot) -> control.Reference:
    whole = control.reference(robot, trajectory.motion("circle", robot), PERIOD)
    return replace(whole, **{name: getattr(whole, name)[:60] for name in QUANTITIES})


# Lanes ---------------------------------------------------------------------------------------------------------------


def test_machines_of_all_kinds_run_as_if_each_were_alone(
    robot: pk.Robot, law: control.Law, reference: control.Reference
) -> None:
    """A perfect one among them has the bits that it has alone; so have springs of other stiffness and other steps."""
    kinds = (
        Scenario(),
        Scenario(elastic=SOFT),
        Scenario(elastic=replace(SOFT, frequency=900.0)),
        Scenario(elastic=replace(SOFT, encoders="joint"), counts=2e4),
    )
    together = simulation.simulate_many(robot, law, reference, kinds, keep=range(len(kinds)), block=25)
    for k, kind in enumerate(kinds):
        alone = simulation.simulate_many(robot, law, reference, [kind], keep=[0])
        for name in ("pose", "measured_q", "tau"):
            assert (together.logs[k][name] == alone.logs[0][name]).all(), (k, name)
        assert together.summary.error_peak[k].tolist() == alone.summary.error_peak[0].tolist()
    assert len({log["pose"].tobytes() for log in together.logs.values()}) == len(kinds)
    last = simulation.simulate_many(robot, law, reference, kinds, keep=[-1]).logs[-1]
    assert (last["pose"] == together.logs[len(kinds) - 1]["pose"]).all()


def test_encoders_see_motors_or_joints(robot: pk.Robot, law: control.Law, reference: control.Reference) -> None:
    logs = [
        simulation.simulate(robot, law, reference, Scenario(elastic=replace(SOFT, encoders=side)))
        for side in ("motor", "joint")
    ]
    twist = logs[0]["measured_q"] - logs[0]["q"]
    assert np.abs(twist[0]).min() > 1e-4  # the weight winds springs up
    assert (logs[1]["measured_q"] == logs[1]["q"]).all()


def test_a_machine_that_is_lost_stops_and_its_neighbour_goes_on(
    robot: pk.Robot, law: control.Law, reference: control.Reference
) -> None:
    """Springs and bristles of a plant that is driven out of reach stop with it; blocks begin with finite numbers."""
    lost = Scenario(elastic=SOFT, stiction=Stiction(), wrench=np.array([0.0, 3000.0]))
    many = simulation.simulate_many(robot, law, reference, [replace(lost, wrench=None), lost], keep=[0, 1], block=10)
    assert many.logs[0].status == Ending.COMPLETED
    assert many.logs[1].status in (Ending.UNREACHABLE, Ending.SINGULAR)
    assert np.isfinite(many.logs[1]["pose"]).all()


# A cable, steps of force, a clock that jitters -----------------------------------------------------------------------


def test_a_cable_pulls_along_the_gradient_of_its_energy() -> None:
    """E = pull d + k max(0, d - l)^2/2, by differences of a spatial pose along each velocity."""
    motion = motions.SPATIAL
    cable = np.array([0.1, -0.3, 0.9, 0.05, 0.02, -0.04, 40.0, 0.4, 5.0])
    pose, step = ca.SX.sym("pose", 7), ca.SX.sym("step", 6)
    apart = ca.SX(cable[:3]) - motion.position(pose) - motion.rotation(pose) @ ca.SX(cable[3:6])
    distance = ca.norm_2(apart)
    energy = cable[8] * distance + cable[6] * ca.fmax(distance - cable[7], 0) ** 2 / 2
    stepped = ca.substitute(energy, pose, motion.stepped(pose, step))
    both = ca.Function("both", [pose, step], [cable_wrench(motion, pose, ca.SX(cable)), stepped])
    here = np.array([0.05, 0.1, 0.2, *np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2])])
    slopes = [
        (float(both(here, -ROTATION * one)[1]) - float(both(here, ROTATION * one)[1])) / (2 * ROTATION)
        for one in np.eye(6)
    ]
    assert np.asarray(both(here, np.zeros(6))[0]).ravel() == pytest.approx(slopes, rel=1e-6, abs=1e-6)


def test_a_cable_does_what_its_wrench_does(robot: pk.Robot, law: control.Law) -> None:
    """Far away, so that its direction does not change."""
    reference = control.hold(robot, robot.home, 0.03, PERIOD)
    cable = Cable(anchor=(6e5, 8e5, 0.0), pull=10.0)
    pulled = simulation.simulate(robot, law, reference, Scenario(cable=cable))
    pushed = simulation.simulate(robot, law, reference, Scenario(wrench=np.array([6.0, 8.0])))
    assert pulled["pose"] == pytest.approx(pushed["pose"], abs=1e-9)
    assert np.abs(pulled["pose"][-1] - robot.home).max() > 1e-4


def test_forces_come_in_steps(robot: pk.Robot, law: control.Law, reference: control.Reference) -> None:
    log = simulation.simulate(robot, law, reference, Scenario(torque_step=(0.01, 0.02)))
    steps = log["tau"] / np.array([0.01, 0.02])
    assert steps == pytest.approx(np.round(steps), abs=1e-9)
    assert len(np.unique(log["tau"][:, 0])) > 2


def test_ticks_that_jitter_see_a_moving_robot_early_and_late(robot: pk.Robot) -> None:
    """Without friction and forces a robot moves on evenly: where a tick finds it tells when the tick was."""
    flat = robot.replace(gravity=(0.0, 0.0, 0.0))
    still = control.law("pid", flat, PERIOD).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)
    reference = control.hold(flat, flat.home, 0.05, PERIOD)
    moving, jitter = Scenario(velocity=(0.1, 0.0), seed=5), 2e-4
    even = simulation.simulate(flat, still, reference, moving)
    log, again, other = (
        simulation.simulate(flat, still, reference, replace(moving, jitter=jitter, stream=stream))
        for stream in (0, 0, 1)
    )
    shift = (log["q"] - even["q"])[1:, 0] / even["q_dot"][1:, 0]
    assert jitter / 2 < np.abs(shift).max() < 1.01 * jitter
    assert np.std(shift) == pytest.approx(jitter / np.sqrt(3), rel=0.25)
    assert (log["q"] == again["q"]).all()
    assert (log["q"] != other["q"]).any()


@pytest.mark.slow
def test_ripple_of_a_gear_counts_turns_of_the_motor() -> None:
    """A spindle's drive, whose coordinate is a length, has its periods in a metre."""
    robot = pk.load("upu_3")
    law = control.law("pid", robot, PERIOD).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)
    reference = control.hold(robot, robot.home, 0.005, PERIOD)
    q = robot.inverse_kinematics(robot.home)[0]
    phase = np.pi / 2 - 2 * np.pi * 100 * q  # at its crest
    ripple = TorqueRipple(amplitude=50.0, periods=100.0, phase=phase)
    log = simulation.simulate(robot, law, reference, Scenario(ripple=ripple))
    pushed = simulation.simulate(
        robot, law, reference, Scenario(wrench=robot.jacobian(robot.home).T @ np.full(3, 50.0))
    )
    assert log["velocity"][1] == pytest.approx(pushed["velocity"][1], rel=1e-3)


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (Scenario(elastic=ElasticDrives()), "elastic: give either frequency or stiffness"),
        (
            Scenario(elastic=ElasticDrives(frequency=100.0, stiffness=10.0)),
            "elastic: give either frequency or stiffness",
        ),
        (Scenario(elastic=ElasticDrives(frequency=-1.0)), "elastic.frequency: must be finite and > 0, got -1"),
        (
            Scenario(elastic=ElasticDrives(stiffness=(1.0, 2.0, 3.0))),
            "elastic.stiffness: must be one number or 2, got 3",
        ),
        (Scenario(elastic=replace(SOFT, backlash=-1e-4)), "elastic.backlash: must be finite and >= 0, got -0.0001"),
        (
            Scenario(elastic=replace(SOFT, encoders="output")),
            "elastic.encoders: must be 'motor' or 'joint', got 'output'",
        ),
        (Scenario(elastic=replace(SOFT, motor_inertia=0.0)), "elastic.motor_inertia: must be finite and > 0, got 0"),
        (Scenario(elastic=ElasticDrives(frequency=1e5)), "a shorter period or less stiffness helps"),
        (Scenario(stiction=Stiction(breakaway=0.5)), "stiction.breakaway: must be finite and >= 1, got 0.5"),
        (Scenario(stiction=Stiction(presliding=0.0)), "stiction.presliding: must be finite and > 0, got 0"),
        (Scenario(ripple=TorqueRipple(np.nan, 24)), "ripple.amplitude: must be finite and >= 0, got nan"),
        (Scenario(cable=Cable(anchor=(0.0, 1.0))), "cable.anchor: must be three finite numbers in m, got [0.0, 1.0]"),
        (Scenario(cable=Cable(anchor=(0, 1, 0), pull=-1.0)), "cable.pull: must be finite and >= 0, got -1"),
        (Scenario(torque_step=0.0), "torque_step: must be finite and > 0, got 0"),
        (Scenario(jitter=6e-4), "jitter: must be >= 0 and less than half a tick, 0.0005 s, got 0.0006 s"),
        (Scenario(jitter=-1e-5), "jitter: must be >= 0 and less than half a tick, 0.0005 s, got -1e-05 s"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    robot: pk.Robot, law: control.Law, reference: control.Reference, scenario: Scenario, words: str
) -> None:
    with pytest.raises(SimulationError) as refused:
        simulation.simulate(robot, law, reference, scenario)
    assert words in str(refused.value)


def test_drives_without_rotors_or_friction_need_numbers(robot: pk.Robot, law: control.Law) -> None:
    bare = 0 * robot.parameters
    reference = control.hold(robot, robot.home, 0.01, PERIOD)
    for scenario, words in (
        (Scenario(elastic=SOFT, parameters=bare), "side1.arm of five_bar has a rotor of 0, and a spring needs one"),
        (Scenario(stiction=Stiction(), parameters=bare), "side1.arm of five_bar has no Coulomb friction: give coulomb"),
        (Scenario(elastic=replace(SOFT, motor_inertia=0.01), parameters=bare), "something has no mass"),
    ):
        with pytest.raises(SimulationError, match=words):
            simulation.simulate(robot, law, reference, scenario)


def test_a_mechanism_has_no_pose_to_fasten_a_cable_to() -> None:
    linkage = pk.load("slider_crank")
    scenario = Scenario(cable=Cable(anchor=(0, 0, 1), pull=1.0))
    with pytest.raises(SimulationError, match="a cable needs a platform's pose"):
        effect_numbers(linkage, [scenario], effects_of(scenario), linkage.parameters[None])
