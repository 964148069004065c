"""A control law as a directory of C99: source, header, self-test, Makefile and README."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parakin.control import Law, Reference
from parakin.export.interface import structs_of
from parakin.export.law_source import header_text, law_kernels, source_text
from parakin.export.makefile import makefile_text
from parakin.export.readme import readme_text
from parakin.export.recording import recorded_run
from parakin.export.selftest import selftest_text
from parakin.kernels.c_files import written


@dataclass(frozen=True)
class ControllerFiles:
    """Where they are."""

    source: Path
    header: Path
    selftest: Path
    makefile: Path
    readme: Path


def export_controller(
    law: Law, directory: str | Path, name: str | None = None, *, reference: Reference | None = None
) -> ControllerFiles:
    """Write the law as `name.c`, `name.h`, `name_selftest.c`, `Makefile` and `README.md`; all or nothing.

    name: in C, `<robot>_<law>` by default; its gains are the defaults there. reference: what the closed loop that the
    self-test replays is to follow, 2,000 ticks of a Fourier motion by default. No heap, constant work a tick; the same
    law gives the same bytes.
    """
    own = name or f"{law.robot.name}_{law.name}"
    structs = structs_of(law)
    kernels = law_kernels(law, structs)
    source = source_text(structs, kernels, own)
    recording = recorded_run(law, reference)
    texts = {
        f"{own}.c": source,
        f"{own}.h": header_text(law, structs, own),
        f"{own}_selftest.c": selftest_text(law, structs, own, recording),
        "Makefile": makefile_text(own),
        "README.md": readme_text(law, structs, own, kernels[1], len(recording.command)),
    }
    return ControllerFiles(*written(own, Path(directory), texts))
