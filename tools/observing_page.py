"""Write docs/studies/observing.md: what a camera and an observer give a closed loop, and what they do not.

python tools/observing_page.py [tracking edges latencies static loops pictures]        all take some ten minutes
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import parakin as pk
from parakin import control, simulation
from parakin.control.references import QUANTITIES
from parakin.simulation import ElasticDrives, PlatformSensor, Scenario
from parakin.vision import (
    Appearance,
    Camera,
    EdgeNoise,
    Glance,
    Observer,
    Region,
    Rendered,
    Rig,
    Watching,
    camera_sensor,
    encoder_sensor,
    fitted_noise,
    looking_at,
    region_offsets,
    rig_of,
    watched_run,
)
from tools.misbuilt import BUILT, ENCODED, MISPLACED, encoder_error, misbuilt, misplaced, vision_error

PAGE = Path(__file__).parents[1] / "docs" / "studies" / "observing.md"
PERIOD = 2e-3
BANDWIDTH, SLOW = 160.0, 40.0
SEEDS = 32
ROBOTS = 12
ESTIMATED, KNOWN = 2e-4, 1e-7
"""How well radii are known where they are estimated along, and where they are taken as known [m]."""
SETTLED = 100
"""Ticks after which errors count: radii are known by then, and the motion has begun."""

Row = Sequence[str]
Runs = NDArray[np.float64]
"""Root mean squares of a run each: tracking [m], error of the measured pose [m], of the measured velocity [m/s]."""


def table(head: Row, rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def rig_with(robot: pk.Robot, exposure: float = 0.0) -> Rig:
    """Return the rig of all figures: 1024 px square, f = 640 px, at the base, looking down at rods of 8 mm."""
    down = looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0])
    camera = Camera("top", (1024, 1024), (640.0, 640.0), np.zeros(3), down, exposure=exposure)
    return rig_of(robot, camera, "*.forearm", radius=0.008)


def rig_beside(robot: pk.Robot) -> Rig:
    """Return the same rods before a camera beside the robot and above its base, which looks past its arms."""
    place, target = np.array([0.5, 0.25, 0.15]), robot.home[:3] + np.array([0.0, 0.0, 0.15])
    camera = Camera("beside", (1024, 1024), (640.0, 640.0), place, looking_at(place, target, [0, 1, 0]))
    return rig_of(robot, camera, "*.forearm", radius=0.008)


def fast_circle(robot: pk.Robot) -> control.Reference:
    """Return three turns of a circle at 3.8 m/s and 80 m/s^2, after a fifth of a second of rest."""
    circle = pk.trajectory.circle(robot, diameter=0.361, speed=3.8, tilt=0.0, turns=3.0, ramp=0.5)
    before = control.hold(robot, circle.sampled(500).pose[0], 0.2, PERIOD)
    moving = control.reference(robot, circle, PERIOD)
    parts = {name: np.concatenate([getattr(each, name) for each in (before, moving)]) for name in QUANTITIES}
    return control.Reference(PERIOD, **parts)


def law_of(robot: pk.Robot, bandwidth: float = BANDWIDTH, *, midway: bool = True) -> control.Law:
    """Return computed torque on a measured pose, for a bandwidth [rad/s]."""
    law = control.computed_torque_platform(robot, PERIOD, midway=midway)
    return law.with_gains(**control.gains_for(law, bandwidth))


def errors(
    plant: pk.Robot, law: control.Law, reference: control.Reference, scenarios: Sequence[Scenario]
) -> tuple[Runs, int]:
    """Return root mean squares of all runs (runs, 3), and how many did not complete."""
    many = simulation.simulate_many(plant, law, reference, scenarios, keep=range(len(scenarios)))
    rows: list[list[float]] = []
    for log in many.logs.values():
        pose, velocity = log["pose"][SETTLED:, :3], log["velocity"][SETTLED:, :3]
        tracked = log["desired_pose"][SETTLED:, :3] - pose
        told = [log["measured_pose"][SETTLED:, :3] - pose, log["measured_velocity"][SETTLED:, :3] - velocity]
        rows.append([float(np.sqrt((part**2).sum(axis=-1).mean())) for part in (tracked, *told)])
    failed = sum(log.status is not simulation.Ending.COMPLETED for log in many.logs.values())
    return np.array(rows), failed


def said(found: tuple[Runs, int]) -> Row:
    """Return tracking and estimates of runs as cells: medians."""
    rows, failed = found
    if failed:
        return [f"{failed} of {len(rows)} runs end early", "", ""]
    tracked, pose, velocity = np.median(rows, axis=0)
    return [f"{1e6 * tracked:.0f}", f"{1e6 * pose:.0f}", f"{1e3 * velocity:.1f}"]


# Tracking ------------------------------------------------------------------------------------------------------------


def tracking(robot: pk.Robot) -> Iterator[Row]:
    """Yield how well computed torque follows the circle, by what it is told."""
    reference, law = fast_circle(robot), law_of(robot)
    early = law_of(robot, midway=False)
    yield ["the exact pose, forces for the beginning of ticks", *said(errors(robot, early, reference, [Scenario()]))]
    yield ["the exact pose", *said(errors(robot, law, reference, [Scenario()]))]

    def observed(words: str, believed: pk.Robot, law: control.Law, watching: Watching) -> Row:
        late = "" if not watching.latency else ", 2 ms late"
        late += "" if not late else ", predicted" if watching.compensated else ", taken as now"
        sensor = camera_sensor(rig_with(believed), PERIOD, watching)
        found = errors(robot, law, reference, simulation.family(Scenario(sensor=sensor), SEEDS))
        return [f"an observer, {words}{late}", *said(found)]

    now, late = Watching(), Watching(latency=2e-3)
    for watching in (now, late, replace(late, compensated=False)):
        yield observed("its model right", robot, law, watching)
    for off in (0.05, -0.05):
        believed = scaled(robot, off)
        for watching in (now, late):
            yield observed(f"its model {100 * off:+.0f} %", believed, law, watching)
    for off in (0.05, -0.05):
        believed = scaled(robot, off)
        wrong = law_of(believed)
        words = f"model of the law {100 * off:+.0f} %"
        yield [f"the exact pose, {words}", *said(errors(robot, wrong, reference, [Scenario()]))]
        for watching in (now, late):
            yield observed(f"models of law and observer {100 * off:+.0f} %", believed, wrong, watching)


def scaled(robot: pk.Robot, off: float) -> pk.Robot:
    """Return the robot as a controller takes it that has all dynamic parameters too large by this fraction."""
    return robot.with_parameters((1 + off) * robot.parameters, "observing study")


def edges(robot: pk.Robot) -> Iterator[Row]:
    """Yield what worse edges do; the observer goes on to expect 0.04 px."""
    reference, law = fast_circle(robot), law_of(robot)
    sensor = camera_sensor(rig_with(robot), PERIOD)
    cases: dict[str, PlatformSensor] = {
        f"edge points off by {deviation} px": sensor.with_numbers(deviation=deviation)
        for deviation in (0.0, 0.04, 0.1, 0.2)
    }
    cases["edges 0.05 px outside"] = sensor.with_numbers(bias=0.05)
    cases["both edges of a region off together by 0.02 px"] = sensor.with_numbers(shift=0.02)
    cases["a tenth of all regions lost"] = sensor.with_numbers(**EdgeNoise(dropped=0.1).numbers)
    cases["half of all regions lost"] = sensor.with_numbers(**EdgeNoise(dropped=0.5).numbers)
    cases["rods 0.2 mm thicker than believed"] = sensor.with_numbers(thicker=2e-4)
    for name, each in cases.items():
        yield [name, *said(errors(robot, law, reference, simulation.family(Scenario(sensor=each), SEEDS)))]


# Latency -------------------------------------------------------------------------------------------------------------


def latencies(robot: pk.Robot) -> Iterator[Row]:
    """Yield the bandwidth at which the loop becomes unstable, by latency, without friction, which would hold it."""
    rubbing = np.array([entry.quantity.is_friction for entry in robot.parameter_table])
    smooth = robot.with_parameters(np.where(rubbing, 0.0, robot.parameters), "observing study")
    for latency in (0.0, 1e-3, 2e-3, 4e-3, 8e-3):
        cells = [f"{1e3 * latency:g}"]
        for compensated in (False, True):
            sensor = camera_sensor(rig_with(smooth), PERIOD, Watching(latency=latency, compensated=compensated))
            edge = _boundary(smooth, sensor.with_numbers(deviation=1e-4))
            if compensated:
                cells.append("none up to 700" if np.isinf(edge) else f"{edge:.0f}")
            else:
                whole = latency + PERIOD / 2
                cells += (
                    ["none up to 700", "", ""]
                    if np.isinf(edge)
                    else [f"{edge:.0f}", f"{edge * latency:.2f}", f"{edge * whole:.2f}"]
                )
        yield cells


def _boundary(robot: pk.Robot, sensor: PlatformSensor) -> float:
    """Return the lowest bandwidth [rad/s], of damping 1 and without integral, at which a small error grows."""
    law = control.law("computed_torque_platform", robot, PERIOD)
    bandwidths = np.geomspace(40.0, 700.0, 64)
    still = control.hold(robot, robot.home, 0.6, PERIOD)
    away = robot.home + np.array([1e-4, 0.0, 0.0, 0.0])
    scenarios = [
        Scenario(sensor=sensor, gains=control.gains_for(law, float(w), integral=0.0), pose=away) for w in bandwidths
    ]
    many = simulation.simulate_many(robot, law, still, scenarios, keep=range(len(scenarios)))
    third = len(still.t) // 3
    for w, log in zip(bandwidths, many.logs.values(), strict=True):
        early, late = (log.platform_errors[part, 0].max() for part in (slice(third, 2 * third), slice(2 * third, None)))
        if log.status is not simulation.Ending.COMPLETED or (late > early and late > 1e-5):
            return float(w)
    return np.inf


# Against encoders ----------------------------------------------------------------------------------------------------


def static_errors(robot: pk.Robot) -> Iterator[Row]:
    """Yield what errors of building and placing do to a pose at rest, without any noise."""
    nominal = rig_with(robot)
    poses = fast_circle(robot).pose[200:600:50]
    known = (ESTIMATED, KNOWN)
    for what in BUILT:
        plants = [misbuilt(robot, what, seed) for seed in range(ROBOTS)]
        encoders = [encoder_error(robot, plant, poses) for plant in plants]
        rigs = [rig_with(plant) for plant in plants]
        cameras = [[vision_error(nominal, rig, poses, deviation) for rig in rigs] for deviation in known]
        yield [BUILT[what], _rms(encoders), *map(_rms, cameras)]
    for what, words in ENCODED.items():
        plants = [misbuilt(robot, what, seed) for seed in range(ROBOTS)]
        yield [words, _rms([encoder_error(robot, plant, poses) for plant in plants]), "0", "0"]
    for what, words in MISPLACED.items():
        rigs = [misplaced(nominal, what, seed) for seed in range(ROBOTS)]
        cameras = [[vision_error(nominal, rig, poses, deviation) for rig in rigs] for deviation in known]
        yield [words, "0", *map(_rms, cameras)]


def _rms(parts: Sequence[NDArray[np.float64]]) -> str:
    """Return the root of the mean square of distances, in um."""
    return f"{1e6 * np.sqrt(np.mean(np.sum(np.square(parts), axis=-1))):.0f}"


def loops(robot: pk.Robot) -> Iterator[Row]:
    """Yield how both follow the circle on machines that are not as the controller believes."""
    reference, law = fast_circle(robot), law_of(robot)
    encoders = encoder_sensor(rig_with(robot), PERIOD, counts=2**17 / (2 * np.pi))
    good = Scenario(sensor=encoders)
    sensor = camera_sensor(rig_with(robot), PERIOD)

    def both(words: str, plant: pk.Robot, read: Scenario, truth: PlatformSensor, law: control.Law = law) -> Row:
        cameras = simulation.family(replace(read, sensor=truth), SEEDS // 4)
        return [words, said(errors(plant, law, reference, [read]))[0], said(errors(plant, law, reference, cameras))[0]]

    yield both("as believed, encoders of 2¹⁷ counts a turn", robot, good, sensor)
    for bits in (14, 12):
        coarse = Scenario(sensor=encoder_sensor(rig_with(robot), PERIOD, counts=2**bits / (2 * np.pi)))
        yield both(f"encoders of 2^{bits} counts a turn", robot, coarse, sensor)
    for seed in range(3):
        plant = misbuilt(robot, "all", seed)
        truth = camera_sensor(rig_with(robot), PERIOD, truth=rig_with(plant))
        yield both(f"geometry off by 0.1 mm, robot {seed + 1}", plant, good, truth)
    zeros = misbuilt(robot, "zeros", 0)
    yield both("zeros of the encoders off by 1 mrad", zeros, good, sensor)
    slow = law_of(robot, SLOW)
    yield both(f"all as believed, law of {SLOW:g} rad/s", robot, good, sensor, slow)
    for play in (0.0, 1e-3):
        elastic = ElasticDrives(frequency=250.0, backlash=play)
        words = "drives of 250 Hz" + (f" with {1e3 * play:g} mrad of play" if play else "") + ", encoders on motors"
        yield both(words, robot, replace(good, elastic=elastic), sensor)
        yield both(f"{words}, law of {SLOW:g} rad/s", robot, replace(good, elastic=elastic), sensor, slow)


# Pictures ------------------------------------------------------------------------------------------------------------


def pictures(robot: pk.Robot) -> Iterator[Row]:
    """Yield loops on rendered pictures, the noise model fitted to them, and what compiled loops with that predict."""
    whole, law = fast_circle(robot), law_of(robot)
    reference = replace(whole, **{name: getattr(whole, name)[350:500] for name in QUANTITIES})  # at full speed
    exposed = rig_with(robot, exposure=2e-4)
    rig, beside = rig_with(robot), rig_beside(robot)
    thin, thick = (rig_of(robot, exposed.cameras, "*.arm", radius=radius).rods for radius in (0.02, 0.04))
    cases = {
        "noise of 2 grey levels": Rendered(rig, Appearance(noise=2.0)),
        "noise of 6": Rendered(rig, Appearance(noise=6.0)),
        "noise of 2, blur of 1.5 px": Rendered(rig, Appearance(noise=2.0, blur=1.5)),
        "noise of 2, exposed for 0.2 ms": Rendered(exposed, Appearance(noise=2.0)),
        "noise of 2, arms of 20 mm radius in the way": Rendered(rig, Appearance(noise=2.0), others=thin),
        "noise of 2, from beside": Rendered(beside, Appearance(noise=2.0)),
        "noise of 2, from beside, arms of 40 mm radius in the way": Rendered(
            beside, Appearance(noise=2.0), others=thick
        ),
    }
    for words, rendered in cases.items():
        seen: list[Region] = []
        offsets: list[NDArray[np.float64]] = []

        def see(
            glance: Glance,
            show: Rendered = rendered,
            seen: list[Region] = seen,
            offsets: list[NDArray[np.float64]] = offsets,
        ) -> Region:
            seen.append(show(glance))
            offsets.append(region_offsets(show.rig, glance.pose, seen[-1]))
            return seen[-1]

        log = watched_run(robot, law, reference, Observer(rendered.rig), see)
        noise = fitted_noise(offsets)
        told = np.concatenate([each.deviation[each.deviation > 0] for each in seen])
        expected = float(np.median(told)) * rig.cameras[0].focal[0] * np.sqrt(Watching().points / 2)
        sensor = camera_sensor(rendered.rig, PERIOD).with_numbers(**noise.numbers, expected=expected)
        family = simulation.family(Scenario(sensor=sensor), SEEDS)
        many = simulation.simulate_many(robot, law, reference, family, keep=range(SEEDS))
        ran, compiled = _pictured(log), np.array([_pictured(one) for one in many.logs.values()])
        low, high = np.percentile(compiled, [5, 95], axis=0)
        numbers = (noise.deviation, expected, noise.width, noise.shift, noise.bias)
        fitted = ", ".join(f"{value:.3f}" for value in numbers)
        cells = [f"{ran[k]:.0f}, predicted {low[k]:.0f} to {high[k]:.0f}" for k in range(2)]
        yield [words, f"{fitted}, {100 * noise.dropped:.1f} %", *cells]


def _pictured(log: simulation.Log) -> NDArray[np.float64]:
    """Return how well a short run followed, and how far off the measured pose was [um rms], after 60 ticks."""
    parts = (log["desired_pose"] - log["pose"], log["measured_pose"] - log["pose"])
    return 1e6 * np.array([np.sqrt((part[60:, :3] ** 2).sum(axis=-1).mean()) for part in parts])


SECTIONS: dict[str, tuple[Row, Callable[[pk.Robot], Iterator[Row]]]] = {
    "tracking": (
        ("the law is told", "tracks to [µm rms]", "pose told, off by [µm rms]", "velocity [mm/s rms]"),
        tracking,
    ),
    "edges": (("what the camera shows", "tracks to [µm rms]", "pose off by [µm rms]", "velocity [mm/s rms]"), edges),
    "latencies": (
        ("latency L [ms]", "unstable from [rad/s]", "x L", "x (L + T/2)", "predicted forward: unstable from"),
        latencies,
    ),
    "static": (
        ("what is off", "encoders: pose off by [µm rms]", "a picture, radii estimated", "a picture, radii known"),
        static_errors,
    ),
    "loops": (("machine", "encoders track to [µm rms]", "the camera tracks to [µm rms]"), loops),
    "pictures": (
        (
            "pictures",
            "fitted: deviation, told, width, shift, bias [px]; lost",
            "tracks to [µm rms]",
            "pose off by [µm rms]",
        ),
        pictures,
    ),
}
"""The tables of the page, by their marks."""


def main() -> None:
    """Measure all tables, or those that are named, and put them into the page between their marks."""
    robot = pk.load("quattro")
    text = PAGE.read_text(encoding="utf-8")
    for name in sys.argv[1:] or SECTIONS:
        head, measure = SECTIONS[name]
        rows: list[Row] = []
        for row in measure(robot):
            print(*row, sep=" | ", flush=True)
            rows.append(row)
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, rest = text.split(begin)
        text = "\n".join([before + begin, *table(head, rows), end + rest.split(end)[1]])
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
