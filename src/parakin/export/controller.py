"""A control law is written as a directory of C99: source, header, self-test, Makefile and README."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parakin.control import Law, Reference
from parakin.export.interface import structs_of
from parakin.export.law_source import header_text, law_kernels, source_text
from parakin.export.makefile import makefile_text
from parakin.export.readme import readme_text
from parakin.export.recording import SENSED, recorded_run
from parakin.export.selftest import selftest_text
from parakin.kernels.c_files import written
from parakin.simulation.verdicts import admit, verdict


@dataclass(frozen=True)
class ControllerFiles:
    """Where the files of an exported controller are."""

    source: Path
    """`name.c`: the law, and its default gains."""
    header: Path
    """`name.h`: the structs and the two functions to call."""
    selftest: Path
    """`name_selftest.c`: a program that replays a recorded closed loop and compares every force."""
    makefile: Path
    """`Makefile`, which builds the controller and runs its self-test."""
    readme: Path
    """`README.md`: how the controller is called, with the meaning and unit of every number."""


def export_controller(
    law: Law,
    directory: str | Path,
    name: str | None = None,
    *,
    reference: Reference | None = None,
    force: bool = False,
) -> ControllerFiles:
    """Write a law as `name.c`, `name.h`, `name_selftest.c`, `Makefile` and `README.md`, all or nothing.

    `name` is the controller's in C, `<robot>_<law>` by default, and the law's gains are its defaults. The self-test
    replays a closed loop along `reference`, by default 2,000 ticks of a Fourier motion. The code has no heap and does
    the same work at every tick; the same law gives the same bytes.

    UnstableLoopError, unless `force`, if the loop is unstable at home with the sensors and the delay of the self-test;
    a LoopWarning if it is nearly so.
    """
    label = name or f"{law.robot.name}_{law.name}"
    structs = structs_of(law)
    kernels = law_kernels(law, structs)
    source = source_text(structs, kernels, label)
    admit(verdict(law.robot, law, SENSED), force)
    recording = recorded_run(law, reference)
    texts = {
        f"{label}.c": source,
        f"{label}.h": header_text(law, structs, label),
        f"{label}_selftest.c": selftest_text(law, structs, label, recording),
        "Makefile": makefile_text(label),
        "README.md": readme_text(law, structs, label, kernels[1], len(recording.command)),
    }
    return ControllerFiles(*written(label, Path(directory), texts))
