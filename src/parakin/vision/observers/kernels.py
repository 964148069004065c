"""The steps of an observer as compiled kernels: after a region, after encoders, along many regions, ahead in time.

Kernels take the parts of a belief by the names of `beliefs.Belief` and give them back under the same names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields

import casadi as ca

from parakin.kernels import Derivation, Kernel, Program, scan, stage
from parakin.kernels.program import Stage
from parakin.vision.observers.beliefs import POINTS, Belief, SeenRegion
from parakin.vision.observers.filtering import Filtering, filtering
from parakin.vision.observers.settings import SETTING_NAMES, setting_symbols
from parakin.vision.rigs.rig import Rig

BELIEF = tuple(entry.name for entry in fields(Belief))
"""Names of the parts of a belief."""
MOVING = ("pose", "velocity", "excess", "disturbance")
"""Parts of a belief that go on by themselves."""
REGION = tuple(entry.name for entry in fields(SeenRegion))
"""Names of what a region shows."""
UNCHECKED = ("m", "deviation")
"""Inputs that may be NaN: points that were not found."""


def content_of(rig: Rig) -> str:
    """Return a text that differs wherever two rigs make different observers."""
    cameras = [(camera.p_OK.tolist(), camera.R_OK.tolist()) for camera in rig.cameras]
    return repr((rig.robot.content("observer"), rig.rods, cameras))


@functools.lru_cache(maxsize=32)
def region_kernel(rig: Rig) -> Kernel:
    """Compile one region: belief, dt, tau, camera, rod, m, deviation, settings -> belief."""
    return _kernel(rig, "region", lambda: Program(region_stage(rig), outputs=BELIEF, name=_name(rig, "region")))


@functools.lru_cache(maxsize=32)
def follow_kernel(rig: Rig) -> Kernel:
    """Compile many regions in one call, each with dt, tau and what it shows: the belief after every one."""

    def derive() -> Program:
        told = ("dt", "tau", *REGION)
        return Program(scan(region_stage(rig), inputs=told, outputs=BELIEF), outputs=(), name=_name(rig, "follow"))

    return _kernel(rig, "follow", derive)


@functools.lru_cache(maxsize=32)
def encoder_kernel(rig: Rig) -> Kernel:
    """Compile one reading of the encoders: belief, dt, tau, q, deviation, settings -> belief."""
    return _kernel(
        rig,
        "encoders",
        lambda: Program(encoder_stage(rig), outputs=BELIEF, name=_name(rig, "encoders")),
        unchecked=("q", "deviation"),
    )


@functools.lru_cache(maxsize=32)
def ahead_kernel(rig: Rig) -> Kernel:
    """Compile a prediction over forces tau one after the other, a time dt each, of all that goes on by itself."""

    def derive() -> Program:
        return Program(scan(ahead_stage(rig), inputs=("tau",)), outputs=MOVING, name=_name(rig, "ahead"))

    return _kernel(rig, "ahead", derive, unchecked=())


def region_stage(rig: Rig) -> Stage:
    """Return the step of one region: time passes, and the region corrects."""
    made, belief, common = _symbols(rig)
    region = {"camera": ca.SX.sym("camera"), "rod": ca.SX.sym("rod")}
    region |= {"m": ca.SX.sym("m", POINTS, 2), "deviation": ca.SX.sym("deviation", POINTS)}
    settings = setting_symbols(common["settings"])
    now = made.predicted(belief, common["tau"], common["dt"], settings)
    return _stage("region", belief, common | region, _parts(made.corrected(now, SeenRegion(**region), settings)))


def encoder_stage(rig: Rig) -> Stage:
    """Return the step of one reading of the encoders: time passes, and the reading corrects."""
    made, belief, common = _symbols(rig)
    count = common["tau"].shape[0]
    read = {"q": ca.SX.sym("q", count), "deviation": ca.SX.sym("deviation", count)}
    settings = setting_symbols(common["settings"])
    now = made.predicted(belief, common["tau"], common["dt"], settings)
    found = made.corrected_by_encoders(now, read["q"], read["deviation"], settings)
    return _stage("encoders", belief, common | read, _parts(found))


def ahead_stage(rig: Rig) -> Stage:
    """Return the step of what goes on by itself, by a time dt in which forces tau act."""
    made, belief, common = _symbols(rig)
    settings = setting_symbols(common["settings"])
    later = made.ahead(belief, [common["tau"]], common["dt"], settings)
    return _stage("ahead", belief, common, {name: getattr(later, name) for name in MOVING})


def _symbols(rig: Rig) -> tuple[Filtering, Belief, dict[str, ca.SX]]:
    made = filtering(rig)
    common = {"dt": ca.SX.sym("dt"), "tau": ca.SX.sym("tau", len(rig.robot.actuator_names))}
    return made, made.symbols(), common | {"settings": ca.SX.sym("settings", len(SETTING_NAMES))}


def _parts(belief: Belief) -> dict[str, ca.SX]:
    return {name: getattr(belief, name) for name in BELIEF}


def _stage(name: str, belief: Belief, told: Mapping[str, ca.SX], after: Mapping[str, ca.SX]) -> Stage:
    """Return a step that replaces parts of a belief."""
    held = BELIEF if len(after) == len(BELIEF) else tuple(after)
    inputs: dict[str, ca.SX] = {part: getattr(belief, part) for part in held} | dict(told)
    outputs = {f"next_{part}": ca.densify(value) for part, value in after.items()}
    function = ca.Function(
        name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True}
    )
    return stage(function, **{f"next_{part}": part for part in after})


def _name(rig: Rig, what: str) -> str:
    return f"{rig.robot.name}_observer_{what}"


def _kernel(rig: Rig, what: str, derive: Callable[[], Program], unchecked: tuple[str, ...] = UNCHECKED) -> Kernel:
    return Kernel(Derivation(repr((what, content_of(rig))), derive), unchecked=unchecked)
