"""MJCF files, read by MuJoCo's own MjSpec in a process of its own.

A body's frame is MuJoCo's. Joints of a body act one after the other, with a part without mass between them; coordinates
are MuJoCo's qpos. `connect` is a ball, `weld` a weld, an equality of joints a coupling, a named site a frame.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from parakin.errors import DescriptionError
from parakin.mechanism.kinds import KINDS
from parakin.mechanism.model import BASE
from parakin.mechanism.numeric import quaternion_matrix
from parakin.mechanism.readers.choosing import Choices, note_balanced
from parakin.mechanism.readers.draft import (
    Draft,
    DraftBody,
    DraftJoint,
    Placement,
    about_z,
    along_z,
    limits_between,
    placed,
)
from parakin.mechanism.readers.mjcf_audit import audited, mesh_folders
from parakin.mechanism.readers.mjcf_child import MEMORY, PROCESSOR_TIME
from parakin.mechanism.readers.mjcf_closing import add_equalities
from parakin.mechanism.readers.mjcf_model import Compiled, MjJoint, MjModel
from parakin.mechanism.readers.mjcf_motors import add_motors
from parakin.mechanism.readers.mjcf_sites import add_sites
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.xml_text import MOST_BODIES, Element, refuse_many

LONGEST_WAIT = 120.0
"""Time that MuJoCo gets to read a file [s]."""
LEAST_BOUND = 1e-12
"""boundmass [kg] and boundinertia [kg m^2] below this are no numbers of a body: MuJoCo takes no part without mass."""
NEARLY_CLOSED = 0.03
"""How far loops may be open at a key frame for it to be home [m or rad]: printed digits, and what a simulator gives."""


def read_mjcf(root: Element, path: Path, choices: Choices) -> Draft:
    """Return the mechanism of an MJCF file."""
    journal = Journal(path.name, "MJCF", choices.without)
    folder = path.resolve().parent if choices.folder is None else Path(choices.folder).resolve()
    whole = audited(root, path, journal, folder)
    model = _compiled(path, whole, folder, balance=choices.balance_inertia)
    draft = Draft(journal, whole.attributes.get("model", path.stem), tuple(model.numbers.gravity))
    _note_options(model.numbers, journal)
    start = _start(model.numbers, journal)
    for k in range(1, len(model.bodies)):
        _add_body(draft, model, k, start)
    add_equalities(draft, model)
    add_motors(draft, model)
    add_sites(draft, model)
    return draft


def _note_options(numbers: MjModel, journal: Journal) -> None:
    """Note what the options of the whole model switch off, and refuse what a mechanism cannot have."""
    if any(numbers.fluid):
        words = "forces of the air or water around the bodies, which mechanisms have none of: set both to 0"
        journal.refuse("<option>: density, viscosity", words, "fluid")
    if numbers.motors_compensate:
        words = "motors of some joints (actuatorgravcomp) carry compensated weight, which is no part of tau here"
        journal.refuse("<joint>: actuatorgravcomp", f"{words}: remove it", "actuatorgravcomp")
    silent = [
        actuator.name or f"actuator_{k + 1}"
        for k, actuator in enumerate(numbers.actuators)
        if actuator.group >= 0 and numbers.silent_groups >> actuator.group & 1
    ]
    if "actuation" in numbers.off or silent:
        which = "all motors are" if "actuation" in numbers.off else f"motors {', '.join(silent)} are"
        journal.refuse("<option>: actuation", f"{which} switched off in the file: switch them on", "actuation")
    for name in numbers.off:
        if name != "actuation":
            journal.merged(f'<flag {name}="disable">', "switched off in the file, and not in the mechanism")


def _compiled(path: Path, whole: Element, folder: Path, *, balance: bool) -> Compiled:
    """Return what MuJoCo makes of a file; whatever happens to it there is an error here."""
    try:
        looked = mesh_folders(whole, path)
        numbers = MjModel.model_validate(_told(path, folder, looked, balance=balance))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise DescriptionError(path.name, ((f"{where}, as MuJoCo reads it", str(first["msg"])),)) from error
    bodies = [body.name or f"body_{k}" for k, body in enumerate(numbers.bodies)]
    joints = [joint.name or f"{bodies[joint.body]}_joint_{k}" for k, joint in enumerate(numbers.joints)]
    elements = {(one.tag, one.attributes["name"]): one for one in whole.walk() if "name" in one.attributes}
    return Compiled(numbers, (BASE, *bodies[1:]), tuple(joints), elements)


def _told(path: Path, folder: Path, looked: Sequence[str] = (), *, balance: bool = False) -> dict[str, object]:
    """Return what the process in which MuJoCo runs prints, or raise an error that says what became of it.

    looked: folders in which MuJoCo may look for meshes.
    """
    child = Path(__file__).with_name("mjcf_child.py")
    command = [
        sys.executable,
        "-I",
        str(child),
        str(path.resolve()),
        str(folder),
        str(MOST_BODIES),
        json.dumps(list(looked)),
    ]
    command += ["balance"] if balance else []
    try:
        with tempfile.TemporaryDirectory(prefix="parakin_mjcf_") as place:  # MuJoCo writes its log where it runs
            done = subprocess.run(command, cwd=place, capture_output=True, timeout=LONGEST_WAIT, check=False)
    except subprocess.TimeoutExpired as error:
        reason = f"MuJoCo did not read it in {LONGEST_WAIT:g} s: simplify it"
        raise DescriptionError(path.name, (("", reason),)) from error
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    try:
        told: dict[str, object] = json.loads(lines[-1]) if lines else {}
    except json.JSONDecodeError:
        told = {}
    if "missing" in told:
        reason = "MJCF files are read by MuJoCo, which is not installed: pip install 'parakin[mjcf]'"
        raise DescriptionError(path.name, (("", reason),))
    if "error" in told:
        words = " ".join(str(told["error"]).split())
        starved = "memory" in words.lower() or "unknown exception" in words  # the latter: C++ could not allocate
        limits = _limits() if starved else ""
        limits += " (--balance-inertia does that)" if "'balanceinertia'" in words else ""
        raise DescriptionError(path.name, (("", f"MuJoCo refuses it: {words}{_mesh_words(words)}{limits}"),))
    if isinstance(many := told.get("many"), int):
        refuse_many(many, path.name)
    if "unloaded" in told:
        reason = f"MuJoCo could not be loaded here, {told['unloaded']}{_limits()}"
        raise DescriptionError(path.name, (("", reason),))
    if not told:
        reason = f"MuJoCo ended without an answer ({_ending(done.returncode)}), out of memory or by a crash{_limits()}"
        raise DescriptionError(path.name, (("", f"{reason}: see whether MuJoCo's viewer opens it"),))
    return told


def _ending(code: int) -> str:
    """Return how a process ended, in words."""
    words = {"SIGXCPU": ", its processor time is used up", "SIGKILL": ", killed, as by a system whose memory runs out"}
    return f"exit code {code}{words.get(signal.Signals(-code).name, '') if code < 0 else ''}"


def _limits() -> str:
    """Return which limits of the shell are lower than those that MuJoCo gets from parakin, in words."""
    try:
        import resource
    except ImportError:
        return ""
    kinds = ((resource.RLIMIT_AS, MEMORY, 2**20, "MiB of memory (ulimit -v)"),)
    kinds += ((resource.RLIMIT_CPU, PROCESSOR_TIME, 1, "s of processor time (ulimit -t)"),)
    found: list[str] = []
    for kind, usual, unit, words in kinds:
        known = [limit for limit in resource.getrlimit(kind) if limit != resource.RLIM_INFINITY]
        if known and min(known) < usual:
            found.append(f"{min(known) / unit:.0f} {words}")
    return f"; processes here are limited to {' and '.join(found)}: raise that" if found else ""


def _mesh_words(words: str) -> str:
    """Return the remedy where a mesh is missing."""
    if "opening file" not in words.lower():
        return ""
    return "; a body without <inertial> has its mass from its shapes: put the file there, or write its <inertial>"


def _start(numbers: MjModel, journal: Journal) -> tuple[float, ...]:
    """Return qpos at home: that of the key frame 'home', else the first, if loops are nearly closed there.

    A key frame is a pose in which somebody wants the robot to be; at the zero pose legs are often stretched. Without
    one, or if it is further from closing loops than others, the start in which they close best.
    """
    zero, *keys = numbers.starts
    keys.sort(key=lambda start: start.name != "home")
    start = next((key for key in keys if key.open < NEARLY_CLOSED), None)
    start = start or min(numbers.starts, key=lambda one: one.open)
    if start is not zero:
        words = (
            f"loops are open by {start.open:.3g} there before they are closed, and by {zero.open:.3g} at the zero pose"
        )
        journal.chose(f"key frame '{start.name}'", f"is home: {words}")
    return start.qpos


# Bodies and joints -------------------------------------------------------------------------------------------------


def _add_body(draft: Draft, model: Compiled, k: int, start: tuple[float, ...]) -> None:
    body = model.numbers.bodies[k]
    name = model.bodies[k]
    place = model.place("body", body.name)
    if body.mocap >= 0:
        carries = any(other.parent == k for other in model.numbers.bodies)
        words = "a mocap body, which another program moves: "
        if not carries:
            draft.journal.dropped(place, f"{words}it carries nothing")
            return
        draft.journal.approximated(place, f"{words}it is fixed where the file has it")
    mass, *moments = _unbounded((body.mass, *body.inertia), model.numbers.bounds)
    R = quaternion_matrix(np.array(body.iquat))
    inertia = R @ np.diag(moments) @ R.T
    source = None
    if k not in model.numbers.explicit and mass > 0.0:
        source = "MuJoCo, from the shapes of the body and their densities"
        draft.journal.approximated(place, f"mass {mass:.6g} kg and inertia come from its shapes, by MuJoCo")
    compensation = body.gravcomp if mass > 0.0 else 0.0
    draft.bodies.append(DraftBody(name, place, mass, body.ipos, (inertia + inertia.T) / 2, source, compensation))
    if k in model.numbers.balanced:
        words = f"no body has the principal moments of the file; all three are {moments[0]:.6g} kg m^2, their mean"
        note_balanced(draft, draft.bodies[-1], f"{words}, as asked")
    _add_joints(draft, model, k, start)


def _unbounded(values: tuple[float, ...], bounds: tuple[float, float]) -> list[float]:
    """Return mass and moments of inertia with 0 where MuJoCo put a bound that is there only to satisfy it."""
    mass, inertia = bounds
    least = (mass, inertia, inertia, inertia)
    return [0.0 if value <= low < LEAST_BOUND else value for value, low in zip(values, least, strict=True)]


def _add_joints(draft: Draft, model: Compiled, k: int, start: tuple[float, ...]) -> None:
    """Join a body with its parent: by a weld, a joint, or several with parts without mass between them."""
    body, name = model.numbers.bodies[k], model.bodies[k]
    at = placed(body.pos, quaternion_matrix(np.array(body.quat)))
    mine = [j for j, joint in enumerate(model.numbers.joints) if joint.body == k]
    parent = model.bodies[body.parent]
    if not mine:
        draft.joints.append(DraftJoint(f"{name}_fixed", model.place("body", body.name), "weld", parent, name, at))
    for number, j in enumerate(mine):
        child = name
        if number < len(mine) - 1:
            child = f"{name}_after_{model.joints[j]}"
            draft.bodies.append(DraftBody(child, model.place("joint", model.joints[j])))
        made = _joint(model, j, (parent, child), at, start)
        _add_laws(draft, model, j, made)
        draft.joints.append(made)
        parent, at = child, placed()


def _joint(model: Compiled, j: int, ends: tuple[str, str], at: Placement, start: tuple[float, ...]) -> DraftJoint:
    joint = model.numbers.joints[j]
    name, address = model.joints[j], joint.address
    place = model.place("joint", name)
    reference = model.numbers.qpos0[address]
    if joint.type == model.code("mjJNT_FREE"):
        made = DraftJoint(name, place, "free", *ends, home=start[address : address + 7])
    elif joint.type == model.code("mjJNT_BALL"):
        centre = placed(joint.pos)
        made = DraftJoint(name, place, "spherical", *ends, at @ centre, centre, start[address : address + 4])
    else:
        slides = joint.type == model.code("mjJNT_SLIDE")
        frame = placed(joint.pos, along_z(joint.axis))
        back = placed((0.0, 0.0, -reference)) if slides else about_z(-reference)
        kind = "prismatic" if slides else "revolute"
        made = DraftJoint(name, place, kind, *ends, at @ frame @ back, frame, (start[address],))
    return made


def _losses(joint: MjJoint) -> dict[str, object]:
    """Return friction and armature of a joint as what each of its freedoms has; a ball has them about each axis."""
    table: dict[str, object] = {}
    if joint.damping or joint.friction:
        table["friction"] = {"viscous": joint.damping, "coulomb": joint.friction}
    return table | ({"inertia": joint.armature} if joint.armature else {})


def _add_laws(draft: Draft, model: Compiled, j: int, made: DraftJoint) -> None:
    """Give a joint its friction, spring and limits; what a ball or a free joint cannot have is told."""
    joint, journal = model.numbers.joints[j], draft.journal
    if j in model.numbers.curved:
        journal.refuse(made.place, "a spring or damper that is not linear: give the linear part alone", made.name)
    if made.type in ("spherical", "free"):
        made.freedoms = {freedom.name: _losses(joint) for freedom in KINDS[made.type].freedoms}
        if joint.limited:
            journal.dropped(made.place, f"its limit, {joint.range[1]:.4g} rad: balls have no limits")
        if joint.stiffness:
            words = f"a spring of {joint.stiffness:g} N m/rad in a {made.type} joint, which has no angle to hold"
            journal.refuse(made.place, f"{words}: make it hinges", made.name)
        return
    table = _losses(joint)
    if joint.stiffness:
        table["spring"] = {"stiffness": joint.stiffness, "rest": model.numbers.rest[joint.address]}
    table |= limits_between(*joint.range) if joint.limited else {}
    made.freedoms["travel" if made.type == "prismatic" else "angle"] = table
