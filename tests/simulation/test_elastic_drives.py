"""Elastic drives, play and stiction move as equations say that scipy integrates with the robot's forward dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, eigh

import parakin as pk
from parakin import control, simulation
from parakin.dynamics.parameters import Quantity
from parakin.simulation import ElasticDrives, Ending, Scenario, Stiction, TorqueRipple
from parakin.simulation.effect_numbers import effect_numbers, of_drives
from parakin.simulation.imperfections import effects_of
from tests.variants import frictionless

PERIOD = 1e-3
SPRINGS = ElasticDrives(stiffness=2000.0, damping=0.2)
ENERGY = 2e-5
"""Relative to the energy of the springs' modes: RK4 damps a mode by (omega h)^5/144, with omega h up to 0.4."""
ORDER = 0.3
"""Accuracy of a measured order of convergence."""
SMOOTH_STEPS = 1e-8
"""Largest difference from scipy of a smooth run of 0.1 s with default steps [m, rad]: 5.5e-9 was found."""
KINKED_STEPS = 3e-6
"""The same where springs touch and let go inside of steps, or bristles turn round: errors of second and first order."""


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


def drifting(robot: pk.Robot, period: float = PERIOD) -> control.Law:
    """A law that keeps the drives at the forces they held the robot with."""
    return control.law("pid", robot, period).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)


class Textbook:
    """The equations of motion written down once more, for scipy; constant forces of the motors."""

    def __init__(self, robot: pk.Robot, scenario: Scenario) -> None:
        self.robot, self.scenario = robot, scenario
        self.bare = robot.parameters.copy()
        for quantity in (Quantity.ROTOR, Quantity.VISCOUS, Quantity.COULOMB):
            self.bare[of_drives(robot, quantity)] = 0.0
        self.kernel = robot.kernel("forward_dynamics", free=("parameters", "smoothing"))

    def of_drives(self, quantity: Quantity) -> np.ndarray:
        return self.robot.parameters[of_drives(self.robot, quantity)]

    def spring(self, twist: np.ndarray, rate: np.ndarray) -> np.ndarray:
        elastic = self.scenario.elastic
        assert elastic is not None
        k, d, play = (np.asarray(value, float) for value in (elastic.stiffness, elastic.damping, elastic.backlash))
        play = play / 2
        if not play:
            return k * twist + d * rate
        above, below = np.maximum(k * (twist - play) + d * rate, 0), np.minimum(k * (twist + play) + d * rate, 0)
        return np.where(twist > play, above, np.where(twist < -play, below, 0.0))

    def friction(self, rate: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        coulomb, stiction = self.of_drives(Quantity.COULOMB), self.scenario.stiction
        if stiction is None:
            return coulomb * rate / np.hypot(rate, self.scenario.smoothing), 0 * z
        given = (stiction.breakaway, stiction.stribeck_speed, stiction.presliding, stiction.bristle_damping)
        breakaway, speed, presliding, damping = (np.asarray(value, float) for value in given)
        sigma = coulomb / presliding
        g = coulomb * (1 + (breakaway - 1) * np.exp(-((rate / speed) ** 2)))
        z_dot = rate - sigma * np.abs(rate) * z / g
        return sigma * z + damping * z_dot, z_dot

    def __call__(self, _: float, y: np.ndarray) -> np.ndarray:
        pose, velocity, motor, rate, z = np.split(y, [2, 4, 6, 8])
        q, q_dot = self.robot.inverse_kinematics(pose), self.robot.actuator_velocity(pose, velocity)
        spring = self.spring(motor - q, rate - q_dot)
        friction, z_dot = self.friction(rate, z)
        told = {"parameters": self.bare, "smoothing": self.scenario.smoothing}
        a = self.kernel(pose=pose, velocity=velocity, tau=spring, **told)["acceleration"]
        tau = self.robot.static_forces(self.robot.home)
        free = tau - spring - friction - self.of_drives(Quantity.VISCOUS) * rate
        return np.concatenate([velocity, a, rate, free / self.of_drives(Quantity.ROTOR), z_dot])

    def solved(self, times: np.ndarray) -> np.ndarray:
        """Poses and motors at times (times, 4)."""
        robot, elastic = self.robot, self.scenario.elastic
        assert elastic is not None
        tau, velocity = robot.static_forces(robot.home), np.asarray(self.scenario.velocity, float)
        q_dot = robot.actuator_velocity(robot.home, velocity)
        wound = tau / np.asarray(elastic.stiffness, float) + np.sign(tau) * np.asarray(elastic.backlash) / 2
        start = [robot.home, velocity, robot.inverse_kinematics(robot.home) + wound, q_dot, [0.0, 0.0]]
        y = np.concatenate([np.asarray(part, float) for part in start])
        smooth = self.scenario.stiction is None and not np.any(elastic.backlash)
        method, longest = ("DOP853", np.inf) if smooth else ("LSODA", 2e-4)
        found = solve_ivp(self, (0.0, times[-1]), y, method, times, rtol=1e-9, atol=1e-12, max_step=longest)
        return found.y[[0, 1, 4, 5]].T


def found(robot: pk.Robot, scenario: Scenario, duration: float, substeps: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Times, and poses and motors (ticks, 4) of a simulation with constant forces."""
    reference = control.hold(robot, robot.home, duration, PERIOD)
    log = simulation.simulate(robot, drifting(robot), reference, scenario, substeps=substeps)
    assert log.status == Ending.COMPLETED
    return log.t, np.hstack([log["pose"], log["measured_q"]])


def test_springs_move_as_scipy_says_to_fourth_order(robot: pk.Robot) -> None:
    scenario = Scenario(elastic=SPRINGS, velocity=(0.2, -0.15))
    runs = [found(robot, scenario, 0.05, n) for n in (4, 8)]
    expected = Textbook(robot, scenario).solved(runs[0][0])
    errors = [float(np.abs(run - expected).max()) for _, run in runs]
    assert errors[0] < SMOOTH_STEPS
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=ORDER)


def test_play_is_crossed_as_scipy_says(robot: pk.Robot) -> None:
    """A robot without weight starts in the middle of its play: friction stops the motors, springs take up the arms."""
    flat = robot.replace(gravity=(0.0, 0.0, 0.0))
    scenario = Scenario(elastic=ElasticDrives(stiffness=2000.0, damping=0.2, backlash=2e-3), velocity=(0.1, 0.15))
    t, run = found(flat, scenario, 0.06)
    expected = Textbook(flat, scenario).solved(t)
    twist = expected[:, 2:] - flat.inverse_kinematics(expected[:, :2])
    assert (np.abs(twist) < 1e-3).any(axis=0).all()
    assert (np.abs(twist) > 1e-3).any(axis=0).any()
    assert np.abs(run - expected).max() < KINKED_STEPS


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_bristles_bend_as_scipy_says(robot: pk.Robot, damping: float) -> None:
    stiction = Stiction(breakaway=1.5, stribeck_speed=0.05, presliding=5e-4, bristle_damping=damping)
    scenario = Scenario(elastic=SPRINGS, stiction=stiction, velocity=(0.02, -0.015))
    runs = [found(robot, scenario, 0.06, n) for n in (4, 16)]
    expected = Textbook(robot, scenario).solved(runs[0][0])
    errors = [float(np.abs(run - expected).max()) for _, run in runs]
    assert errors[1] < errors[0] / 2
    assert errors[0] < KINKED_STEPS


def test_energy_of_springs_ripple_and_robot_is_kept() -> None:
    """T + U + m theta_dot^2/2 + k (theta - q)^2/2 + ripple's potential - tau theta does not change without friction."""
    robot = frictionless(pk.load("five_bar"))
    elastic = ElasticDrives(stiffness=2000.0, damping=0.0, motor_inertia=0.004)
    ripple = TorqueRipple(amplitude=0.3, periods=24, phase=0.4)
    scenario = Scenario(elastic=elastic, ripple=ripple, velocity=(0.2, -0.15))
    reference = control.hold(robot, robot.home, 0.1, PERIOD)
    log = simulation.simulate(robot, drifting(robot), reference, scenario)
    motor, rate = log["measured_q"], log["measured_q_dot"]
    kinetic, potential = robot.energy(log["pose"], log["velocity"])
    rotors = robot.parameters[of_drives(robot, Quantity.ROTOR)]
    kinetic += np.sum(0.004 * rate**2 / 2 - rotors * log["q_dot"] ** 2 / 2, axis=1)
    springs = np.sum(2000.0 * (motor - log["q"]) ** 2 / 2, axis=1)
    waves = np.sum(0.3 / 24 * np.cos(24 * motor + 0.4), axis=1)
    whole = kinetic + potential + springs + waves - np.sum(log["tau"] * motor, axis=1)
    assert np.ptp(springs) > 0.01 * kinetic.max()
    assert np.ptp(whole) < ENERGY * kinetic.max()


def test_a_drive_sticks_below_its_breakaway_and_slides_above(robot: pk.Robot) -> None:
    """Under half the force that bristles bear a drive gives way by their bend, under twice as much it slides off.

    The force grows slowly: dz/dx = 1 - z/z_s makes z = z_s (1 - e^(-x/z_s)).
    """
    flat = robot.replace(gravity=(0.0, 0.0, 0.0))
    stiction = Stiction(breakaway=1.0, presliding=1e-4, bristle_damping=0.5)
    J = flat.jacobian(flat.home)
    coulomb = flat.parameters[of_drives(flat, Quantity.COULOMB)]
    reference = control.hold(flat, flat.home, 0.5, PERIOD)
    ways = []
    for share in (0.5, 2.0):
        most = -J.T @ (share * coulomb * np.array([1.0, 0.0]))
        scenario = Scenario(stiction=stiction, wrench=lambda t, most=most: np.outer(np.sin(np.pi * t) ** 2, most))
        log = simulation.simulate(flat, drifting(flat), reference, scenario)
        ways.append(log["q"][-1, 0] - log["q"][0, 0])
    assert ways[0] == pytest.approx(1e-4 * np.log(0.5), rel=0.02)
    assert abs(ways[1]) > 0.01  # a hundred times what bristles bend


# Modes ---------------------------------------------------------------------------------------------------------------


def test_one_drive_has_the_frequency_of_two_masses_on_a_spring() -> None:
    """sqrt(k (1/m + 1/a))/(2 pi), and a drive of 250 Hz is one of 250 Hz: linear, and in what a simulation does."""
    robot = pk.load("slider_crank").replace(gravity=(0.0, 0.0, 0.0))
    m, a = 0.01, float(robot.mass_matrix(robot.home, space="actuator")[0, 0])
    a -= float(robot.parameters[of_drives(robot, Quantity.ROTOR)][0])
    given = ElasticDrives(frequency=250.0, motor_inertia=m, damping=0.0)
    stiffness = m * a / (m + a) * (2 * np.pi * 250.0) ** 2
    for elastic in (given, ElasticDrives(stiffness=stiffness, motor_inertia=m, damping=0.0)):
        frequencies, ratios = simulation.linearize(robot, Scenario(elastic=elastic)).modes()
        assert frequencies == pytest.approx([250.0], rel=1e-3)
        assert abs(ratios[0]) < 0.01  # of viscous friction alone


def eigenvalues(stiffness: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Squares of the frequencies of springs and masses, the smallest first [1/s^2]."""
    return np.sort(np.linalg.eigvals(np.linalg.solve(masses, stiffness)).real)


def test_modes_are_those_of_the_mass_matrix_and_the_springs(robot: pk.Robot) -> None:
    """Generalised eigenvalues of springs and masses, both assembled here, at a pose without weight."""
    flat = frictionless(robot).replace(gravity=(0.0, 0.0, 0.0))
    elastic = ElasticDrives(stiffness=(1500.0, 2500.0), damping=0.0)
    J, rotors = flat.jacobian(flat.home), flat.parameters[of_drives(flat, Quantity.ROTOR)]
    behind = flat.mass_matrix(flat.home) - J.T @ np.diag(rotors) @ J
    masses = np.block([[behind, np.zeros((2, 2))], [np.zeros((2, 2)), np.diag(rotors)]])
    stretch = np.hstack([-J, np.eye(2)])
    squares = eigenvalues(stretch.T @ np.diag([1500.0, 2500.0]) @ stretch, masses)
    frequencies, _ = simulation.linearize(flat, Scenario(elastic=elastic)).modes()
    assert frequencies == pytest.approx(np.sqrt(squares[2:]) / (2 * np.pi), rel=1e-9)


def test_a_drive_that_sticks_stands_on_its_bristles(robot: pk.Robot) -> None:
    flat = robot.replace(gravity=(0.0, 0.0, 0.0))
    stiction = Stiction(presliding=1e-3)
    J = flat.jacobian(flat.home)
    coulomb = flat.parameters[of_drives(flat, Quantity.COULOMB)]
    squares = eigenvalues(J.T @ np.diag(coulomb / 1e-3) @ J, flat.mass_matrix(flat.home))
    frequencies, _ = simulation.linearize(flat, Scenario(stiction=stiction), sticking=True).modes()
    assert frequencies == pytest.approx(np.sqrt(squares) / (2 * np.pi), rel=1e-9)
    assert not len(simulation.linearize(flat, Scenario(stiction=stiction)).modes()[0])


@pytest.mark.parametrize(("side", "hertz"), [("motor", 60.0), ("joint", 250.0)])
def test_gain_margins_of_elastic_loops_divide_runs_that_die_out_from_runs_that_grow(side: str, hertz: float) -> None:
    robot = frictionless(pk.load("five_bar")).replace(gravity=(0.0, 0.0, 0.0))
    elastic = ElasticDrives(frequency=hertz, damping_ratio=0.05, encoders=side)  # type: ignore[arg-type]
    law = control.law("pid", robot, PERIOD).with_gains(K_p=60.0, K_d=1.5, K_i=0.0)
    scenario = Scenario(elastic=elastic, delay=True)
    margins = simulation.margins(robot, law, scenario)
    assert margins.stable
    assert 1.0 < margins.gain < 100.0
    reference = control.hold(robot, robot.home, 0.3, PERIOD)
    sizes = []
    for share in (0.93, 1.07):
        tuned = law.with_gains(K_p=60.0 * share * margins.gain, K_d=1.5 * share * margins.gain, K_i=0.0)
        pushed = Scenario(elastic=elastic, delay=True, velocity=(1e-6, -1e-6))
        rate = simulation.simulate(robot, tuned, reference, pushed)["q_dot"]
        sizes.append(np.abs(rate[-50:]).max() / np.abs(rate[50:100]).max())
    assert sizes[0] < 0.8
    assert sizes[1] > 1.25


def test_frequencies_of_a_redundant_machine_are_those_of_one_motor_against_the_free_machine() -> None:
    """det(K - omega^2 M) = 0 of the platform and one motor on its spring, the other motors absent."""
    machine = pk.load("redundant_4rrr")
    hertz = 40.0
    scenario = Scenario(elastic=ElasticDrives(frequency=hertz))
    numbers = effect_numbers(machine, (scenario,), effects_of(scenario), machine.parameters[None])
    rotors, J = machine.parameters[of_drives(machine, Quantity.ROTOR)], machine.jacobian(machine.home)
    M_v = machine.mass_matrix(machine.home) - J.T @ np.diag(rotors) @ J
    for rotor, stiffness, row in zip(rotors, numbers["stiffness"][0], J, strict=True):
        stretch = np.append(row, -1.0)
        squares = eigh(stiffness * np.outer(stretch, stretch), block_diag(M_v, rotor), eigvals_only=True)
        assert np.sqrt(squares[-1]) / (2 * np.pi) == pytest.approx(hertz, rel=1e-9)


def test_stiffness_alone_gives_the_springs_of_a_redundant_machine_their_damping() -> None:
    """`--stiffness` asked for a damping that the command line had not: it is a fraction of critical damping."""
    machine, stiffness, ratio = pk.load("redundant_4rrr"), 5000.0, 0.03
    scenario = Scenario(elastic=ElasticDrives(stiffness=stiffness, damping_ratio=ratio))
    numbers = effect_numbers(machine, (scenario,), effects_of(scenario), machine.parameters[None])
    rotors, J = machine.parameters[of_drives(machine, Quantity.ROTOR)], machine.jacobian(machine.home)
    M_v = machine.mass_matrix(machine.home) - J.T @ np.diag(rotors) @ J
    for rotor, damping, row in zip(rotors, numbers["damping"][0], J, strict=True):
        reduced = 1 / (1 / rotor + row @ np.linalg.solve(M_v, row))
        assert damping == pytest.approx(2 * ratio * np.sqrt(stiffness * reduced), rel=1e-9)
