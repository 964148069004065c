"""A unit becomes one file: description, sources, and a binary for the machine that packs it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from parakin.control import Law
from parakin.errors import CExportError
from parakin.export.fmu.blocks import Block
from parakin.export.fmu.controller_block import controller_block, with_guard
from parakin.export.fmu.description import FmiVersion, build_text, description_text
from parakin.export.fmu.plant_block import plant_block
from parakin.export.makefile import FLAGS
from parakin.export.recording import SENSED
from parakin.files import replacing
from parakin.kernels.c_source import c_names
from parakin.robot import Robot
from parakin.simulation.verdicts import admit, verdict

PLATFORMS: Mapping[FmiVersion, Mapping[str, str]] = {
    "2.0": {"x86_64": "linux64"},
    "3.0": {"x86_64": "x86_64-linux", "aarch64": "aarch64-linux"},
}
"""Folders of binaries for Linux, by the machine's processor; FMI 2.0 has no name for other processors."""
_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all files in a unit, so that the same model gives the same bytes."""


def export_fmu(
    model: Law | Robot,
    path: str | Path,
    *,
    version: FmiVersion = "3.0",
    name: str | None = None,
    guard: bool = True,
    force: bool = False,
) -> Path:
    """Write a control law, or a robot as a plant, as a functional mock-up unit for co-simulation, and return its path.

    It holds C sources and a binary for this machine, made by gcc. A controller steps once every period, with inputs
    constant until the end of a communication step; its forces come out at that end. A plant is the exact robot, with
    steps of RK4 of at most 0.25 ms, whose parameters and payload can be set. `name` is the model's in C,
    `<robot>_<law>` or `<robot>_plant` by default. With `guard` a law that has no guard gets that of its robot's file,
    without a heartbeat, and says its status. CExportError where gcc is missing or the file cannot be written;
    UnstableLoopError, unless `force`, if the law's loop is unstable at home, as in `export_controller`.

    >>> pk.export.export_fmu(robot, "delta_plant.fmu", version="2.0").name
    'delta_plant.fmu'
    """
    wanted = f"{model.robot.name}_{model.name}" if isinstance(model, Law) else f"{model.name}_plant"
    if version not in PLATFORMS:
        raise CExportError(wanted, f"version must be one of {', '.join(PLATFORMS)}, got {version!r}")
    if isinstance(model, Law) and model.single:
        raise CExportError(wanted, "units compute in double precision: give the law as it is without `in_single`")
    if name is not None and c_names([name], set()) != [name]:
        raise CExportError(wanted, f"{name!r} is no name for a model in C: choose another")
    (label,) = c_names([name or wanted], set())
    if isinstance(model, Law):
        admit(verdict(model.robot, model, SENSED), force)
        block = controller_block(with_guard(model) if guard else model, label)
    else:
        block = plant_block(model, label)
    target = Path(path)
    files = _files(block, version)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for file, content in files.items():
                archive.writestr(zipfile.ZipInfo(file, _DATE), content, zipfile.ZIP_DEFLATED)
    except OSError as error:
        reason = f"'{target}' cannot be written: {error.strerror or error}; choose another file"
        raise CExportError(label, reason) from error
    return target


def _files(block: Block, version: FmiVersion) -> dict[str, bytes]:
    """Return everything in a unit, by its path in it."""
    interface = f"fmi{version[0]}.c"
    sources = block.core() | dict(block.files)
    sources[interface] = resources.files("parakin.export.fmu").joinpath("assets", interface).read_text("utf-8")
    compiled = sorted(name for name in sources if name.endswith(".c"))
    texts = {"modelDescription.xml": description_text(block, version, compiled)}
    texts |= {f"sources/{name}": text for name, text in sources.items()}
    if version == "3.0":
        texts["sources/buildDescription.xml"] = build_text(block, compiled)
    machine = platform.machine()
    folder = PLATFORMS[version].get(machine)
    if folder is None or platform.system() != "Linux":
        reason = f"FMI {version} has no binary for {platform.system()} on {machine} here: pack it on Linux x86-64"
        raise CExportError(block.name, reason)
    binary = _compiled(block.name, sources, compiled)
    return {name: text.encode() for name, text in texts.items()} | {f"binaries/{folder}/{block.name}.so": binary}


def _compiled(name: str, sources: Mapping[str, str], compiled: list[str]) -> bytes:
    """Compile sources to a shared library that shows nothing but the functions of FMI."""
    gcc = shutil.which("gcc")
    if gcc is None:
        raise CExportError(name, "a unit holds a binary: install gcc (Debian, Ubuntu: apt-get install gcc)")
    with tempfile.TemporaryDirectory() as folder:
        for file, text in sources.items():
            Path(folder, file).write_text(text, encoding="utf-8")
        command = [gcc, *FLAGS, "-shared", "-fPIC", "-fvisibility=hidden", *compiled, "-o", "unit.so", "-lm"]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode:
            raise CExportError(name, f"gcc does not compile it: {run.stderr.strip()[:400]}")
        return Path(folder, "unit.so").read_bytes()
