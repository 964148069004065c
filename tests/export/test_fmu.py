"""Units of FMI 2.0 and 3.0: a validator accepts them, another tool runs them, and the loop of two is the simulation."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu
from typer.testing import CliRunner

import parakin as pk
from parakin import control, simulation
from parakin.arrays import Array
from parakin.cli import app
from parakin.control import Law, reference
from parakin.errors import CExportError, UnstableLoopError
from parakin.export import export_fmu
from parakin.export.fmu import archive
from parakin.export.fmu.archive import PLATFORMS
from parakin.robot import Robot
from parakin.simulation import Scenario
from parakin.trajectory import fourier
from tests.c_code import STRICT
from tests.simulation.test_step_size import oscillator

TICKS = 200
ROUNDING = 1e-12
"""Share of the largest value by which two runs of a loop may differ: a plant in C takes sin and its kin of libm."""

PHASE = 5e-3
"""RK4 turns an oscillation by (omega h)^5/120 a step: 2.5e-3 rad in 0.1 s, with 3,200 steps of 31 us at 5,000 rad/s."""


class Unit:
    """A unit under fmpy, whose vectors are read and written by the names of their groups."""

    def __init__(self, slave: FMU3Slave, description: fmpy.model_description.ModelDescription) -> None:
        self.slave = slave
        self.references: dict[str, list[int]] = {}
        for variable in description.modelVariables:
            self.references.setdefault(variable.name.split("[")[0], []).append(variable.valueReference)

    def set(self, name: str, values: Sequence[float] | Array) -> None:
        self.slave.setFloat64(self.references[name], np.ravel(values).tolist())

    def get(self, name: str) -> Array:
        return np.array(self.slave.getFloat64(self.references[name]))


@contextmanager
def unit(path: Path, **starts: Sequence[float] | Array) -> Iterator[Unit]:
    """Begin a unit with parameters and inputs at time 0."""
    description = fmpy.read_model_description(str(path))
    slave = fmpy.instantiate_fmu(fmpy.extract(str(path)), description, fmi_type="CoSimulation")
    assert isinstance(slave, FMU3Slave)
    it = Unit(slave, description)
    for name, values in starts.items():
        it.set(name, values)
    slave.enterInitializationMode(startTime=0.0)
    slave.exitInitializationMode()
    try:
        yield it
    finally:
        slave.terminate()
        slave.freeInstance()


@pytest.fixture
def five_bar() -> Robot:
    return pk.load("five_bar")


@pytest.mark.parametrize("version", PLATFORMS)
def test_a_validator_accepts_units_and_another_tool_runs_them(
    version: archive.FmiVersion, five_bar: Robot, tmp_path: Path
) -> None:
    for model, wanted in ((control.law("pid", five_bar), "tau[1]"), (five_bar.with_payload(0.5), "q[1]")):
        path = export_fmu(model, tmp_path / "unit.fmu", version=version)
        assert validate_fmu(str(path)) == []
        ran = fmpy.simulate_fmu(str(path), stop_time=0.02, step_size=1e-3)
        assert len(ran) == 21
        np.testing.assert_allclose(ran[wanted], ran[wanted][0], rtol=1e-9)  # at home, at rest, held


@pytest.mark.parametrize("holding", [np.nan, -np.inf, 1e300, 100.0])
def test_forces_before_the_first_tick_are_within_limits(holding: float, five_bar: Robot, tmp_path: Path) -> None:
    """A tool may read outputs before the first step: they were the holding forces as told, NaN among them."""
    limits = [actuator.force or 0.0 for actuator in five_bar.actuators]
    with unit(export_fmu(control.law("pid", five_bar), tmp_path / "law.fmu"), holding=[holding, 1.0]) as it:
        tau = it.get("tau")
    assert tau[0] == (limits[0] if holding == 100.0 else 0.0)
    assert tau[1] == 1.0


def loop_of_units(law: Law, directory: Path) -> tuple[Array, Array]:
    """Return positions and forces of the closed loop of two units, and of the simulation of the same law and robot."""
    robot = law.robot
    along = reference(robot, fourier(robot), law.period)
    log = simulation.simulate(robot, law, along, Scenario(delay=True), contraction=False)
    ports = {w.port: along.ahead(w.quantity, w.ahead) for w in law.interface.reference}
    first = {port: values[0] for port, values in ports.items()}
    motion = {"start_pose": along.pose[0], "start_velocity": along.velocity[0]}
    holding = log["tau"][0]
    rows: list[Array] = []
    with unit(export_fmu(robot, directory / "plant.fmu"), **motion, tau=holding) as plant:
        measured = {f"measured_{what}": plant.get(what) for what in law.interface.measurement}
        with unit(export_fmu(law, directory / "law.fmu"), **first, **measured, holding=holding) as controller:
            for tick in range(TICKS):
                seen, force = {what: plant.get(what) for what in ("q", "q_dot")}, controller.get("tau")
                rows.append(np.concatenate([seen["q"], force]))
                for port, values in ports.items():
                    controller.set(port, values[tick])
                for what in law.interface.measurement:
                    controller.set(f"measured_{what}", plant.get(what))
                plant.set("tau", force)
                for each in (controller, plant):
                    each.slave.doStep(tick * law.period, law.period)
    return np.array(rows), np.concatenate([log["q"], log["tau"]], axis=1)[:TICKS]


@pytest.mark.parametrize(
    ("robot", "law"),
    [
        ("five_bar", "computed_torque"),
        pytest.param("delta", "predictive_functional", marks=pytest.mark.slow),
        pytest.param("gough_stewart", "pid", marks=pytest.mark.slow),
        pytest.param("tripod_3rps", "computed_torque", marks=pytest.mark.slow),
    ],
)
def test_two_units_in_a_loop_are_the_simulation(robot: str, law: str, tmp_path: Path) -> None:
    units, simulated = loop_of_units(control.law(law, pk.load(robot)), tmp_path)
    np.testing.assert_allclose(units, simulated, atol=ROUNDING * np.abs(simulated).max())


@pytest.mark.parametrize("version", PLATFORMS)
def test_the_functions_have_the_signatures_of_the_standard(version: str, five_bar: Robot, tmp_path: Path) -> None:
    """fmpy brings the headers of the standard: with them included, a function of another signature does not compile."""
    block = archive.controller_block(control.law("pid", five_bar), "unit")
    for name, text in (block.core() | dict(block.files)).items():
        (tmp_path / name).write_text(text)
    source = Path(archive.__file__).parent / "assets" / f"fmi{version[0]}.c"
    headers = Path(fmpy.__file__).parent / "c-code"
    known = ["-DFMI_HEADERS", "-include", str(headers / f"fmi{version[0]}Functions.h")]
    command = [*STRICT, "-Wno-pedantic", *known, f"-I{headers}", f"-I{tmp_path}", "-c", str(source)]
    run = subprocess.run([*command, "-o", str(tmp_path / "out.o")], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_state_is_kept_and_brought_back(five_bar: Robot, tmp_path: Path) -> None:
    with unit(export_fmu(five_bar, tmp_path / "plant.fmu"), tau=[0.3, -0.2]) as plant:
        plant.slave.doStep(0.0, 1e-3)
        kept = plant.slave.getFMUState()
        plant.slave.doStep(1e-3, 7e-4)  # any step: it is divided evenly
        after = plant.get("q")
        plant.slave.setFMUState(kept)
        plant.slave.doStep(1e-3, 7e-4)
        np.testing.assert_array_equal(plant.get("q"), after)
        assert plant.get("time") == pytest.approx(1.7e-3, abs=1e-15)
        plant.slave.freeFMUState(kept)


def test_a_stiff_spring_keeps_its_amplitude(tmp_path: Path) -> None:
    """x = v/omega sin(omega t). With steps of 0.25 ms nothing was left of 5,000 rad/s after 0.1 s."""
    omega, speed, robot = 5000.0, 0.01, oscillator(tmp_path, 5000.0)
    found: list[float] = []
    with unit(export_fmu(robot, tmp_path / "plant.fmu"), start_velocity=[speed]) as plant:
        for tick in range(100):
            plant.slave.doStep(tick * 1e-3, 1e-3)
            found.append(plant.get("pose")[0] * omega / speed)
    np.testing.assert_allclose(found, np.sin(omega * 1e-3 * np.arange(1, 101)), atol=PHASE)
    with pytest.raises(CExportError, match=r"its spring takes steps of .* s: make it softer"):
        export_fmu(oscillator(tmp_path, 5e6), tmp_path / "plant.fmu")


def test_a_controller_ticks_once_a_period_whatever_the_steps(five_bar: Robot, tmp_path: Path) -> None:
    """Three steps of a third of a period are one tick, and one step of three periods is three."""
    path = export_fmu(control.law("pid", five_bar), tmp_path / "law.fmu")
    forces: list[Array] = []
    for step, count in ((1e-3 / 3, 9), (1e-3, 3), (3e-3, 1)):
        with unit(path, desired_q=five_bar.inverse_kinematics(five_bar.home) + 0.01) as controller:
            for k in range(count):
                controller.slave.doStep(k * step, step)
            forces.append(controller.get("tau"))
    np.testing.assert_array_equal(forces[0], forces[1])
    np.testing.assert_array_equal(forces[0], forces[2])


def test_a_controller_says_what_its_guard_found(five_bar: Robot, tmp_path: Path) -> None:
    with unit(export_fmu(control.law("pid", five_bar), tmp_path / "law.fmu")) as controller:
        for tick in range(300):  # nothing is heard for longer than a guard waits for a heartbeat
            controller.slave.doStep(tick * 1e-3, 1e-3)
        assert controller.get("guard_status") == control.GuardStatus.OK
        controller.set("measured_q", [np.nan, 0.0])
        controller.slave.doStep(0.3, 1e-3)
        assert controller.get("guard_status") == control.GuardStatus.HELD
        assert controller.get("guard_cause") == control.GuardCause.NOT_FINITE
        assert np.isfinite(controller.get("tau")).all()


def test_what_cannot_be_packed_is_refused(five_bar: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CExportError, match=r"'1\.0'"):
        export_fmu(five_bar, tmp_path / "unit.fmu", version="1.0")  # pyright: ignore[reportArgumentType]
    with pytest.raises(CExportError, match="is no name for a model in C"):
        export_fmu(five_bar, tmp_path / "unit.fmu", name="double")
    with pytest.raises(UnstableLoopError, match="the loop is unstable"):
        export_fmu(control.law("computed_torque", five_bar).with_gains(K_d=5000.0), tmp_path / "unit.fmu")
    monkeypatch.setattr(archive.shutil, "which", lambda _: None)
    with pytest.raises(CExportError, match="install gcc"):
        export_fmu(five_bar, tmp_path / "unit.fmu")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_controllers_and_plants(tmp_path: Path) -> None:
    target = tmp_path / "law.fmu"
    good = CliRunner().invoke(app, ["export-fmu", "five_bar", "--controller", "pid", "-o", str(target)])
    assert good.exit_code == 0, good.output
    assert validate_fmu(str(target)) == []
    bad = CliRunner().invoke(app, ["export-fmu", "five_bar", "--fmi", "1", "-o", str(target)])
    assert bad.exit_code != 0
    named = CliRunner().invoke(app, ["export-fmu", "five_bar", "-o", str(tmp_path / "plant.zip")])
    assert named.exit_code != 0
    assert "must end in .fmu" in named.output


@pytest.mark.parametrize("version", PLATFORMS)
def test_steps_out_of_turn_are_refused(version: archive.FmiVersion, five_bar: Robot, tmp_path: Path) -> None:
    """The standard allows steps between initialisation and termination alone, each where the last one ended."""
    for model in (control.law("pid", five_bar), five_bar):
        path = export_fmu(model, tmp_path / "unit.fmu", version=version)
        description = fmpy.read_model_description(str(path))
        slave = fmpy.instantiate_fmu(fmpy.extract(str(path)), description, fmi_type="CoSimulation")
        assert isinstance(slave, FMU2Slave | FMU3Slave)
        with pytest.raises(FMICallException):
            slave.doStep(0.0, 1e-3)
        with pytest.raises(FMICallException):
            slave.terminate()
        if isinstance(slave, FMU2Slave):
            slave.setupExperiment(startTime=0.5)
            slave.enterInitializationMode()
        else:
            slave.enterInitializationMode(startTime=0.5)
        with pytest.raises(FMICallException):
            slave.doStep(0.5, 1e-3)
        slave.exitInitializationMode()
        slave.doStep(0.5, 1e-3)
        for wrong in (0.5, 0.0, 0.6, 5e8, np.nan):
            with pytest.raises(FMICallException):
                slave.doStep(wrong, 1e-3)
        for length in (0.0, -1e-3, np.nan, np.inf):  # "communicationStepSize must be > 0.0", both versions say
            with pytest.raises(FMICallException):
                slave.doStep(0.501, length)
        slave.doStep(0.501 + 1e-15, 1e-3)  # rounding does not count
        slave.terminate()
        with pytest.raises(FMICallException):
            slave.doStep(0.502, 1e-3)
        slave.freeInstance()


def test_a_controller_begins_with_the_inputs_of_its_first_step(five_bar: Robot, tmp_path: Path) -> None:
    """Nothing is set in the initialisation mode, and the robot stands 0.3 rad from home: no fault, no jump."""
    q = five_bar.inverse_kinematics(five_bar.home) + np.array([0.3, -0.3])
    with unit(export_fmu(control.law("pid", five_bar), tmp_path / "law.fmu")) as controller:
        for tick in range(20):
            controller.set("desired_q", q)
            controller.set("measured_q", q)
            controller.slave.doStep(tick * 1e-3, 1e-3)
            assert controller.get("guard_status") == control.GuardStatus.OK, tick


def test_the_description_lists_what_the_numbers_of_the_guard_mean(five_bar: Robot, tmp_path: Path) -> None:
    path = export_fmu(control.law("pid", five_bar), tmp_path / "law.fmu")
    told = {one.name: str(one.description) for one in fmpy.read_model_description(str(path)).modelVariables}
    for cause in control.GuardCause:
        assert f"{cause.value}: {cause.words}" in told["guard_cause"]
    assert "2: fault" in told["guard_status"]
