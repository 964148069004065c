"""A control law is written as a directory of C99: source, header, self-test, Makefile and README.

What single precision costs is measured: the loop that the self-test replays is run with both precisions and compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from parakin.control import Law, Reference, guarded
from parakin.errors import CExportError
from parakin.export.binding import binding_text
from parakin.export.interface import structs_of
from parakin.export.law_source import header_text, law_kernels, source_text
from parakin.export.makefile import makefile_text
from parakin.export.readme import readme_text
from parakin.export.recording import SENSED, recorded_run
from parakin.export.selftest import selftest_text
from parakin.kernels.c_files import written
from parakin.kernels.c_source import check_c_name
from parakin.simulation.summary import Summary
from parakin.simulation.verdicts import admit, verdict

SHARE = 0.01
"""Change of the tracking error that single precision may make, as a share of it."""
FLOOR = 1e-6
"""Change that it may make anyhow [m, or rad where nothing slides]."""


@dataclass(frozen=True)
class Precision:
    """The tracking of one law on one robot in double and in single precision.

    >>> precision = pk.export.precision(law)
    >>> precision.unit, precision.accepted
    ('m', True)
    """

    law: str
    """Name of the law."""
    robot: str
    """Name of the robot."""
    unit: str
    """Unit of the errors: m, or rad where nothing of the platform slides."""
    rms: tuple[float, float]
    """Root mean square of the platform's error, in double and in single precision."""
    peak: tuple[float, float]
    """Largest error of the platform, in double and in single precision."""

    @property
    def change(self) -> float:
        """By how much an error differs, as a share of what is allowed: 1 % of it, but at least 1 um or 1 urad."""
        return max(abs(new - old) / max(SHARE * old, FLOOR) for old, new in (self.rms, self.peak))

    @property
    def accepted(self) -> bool:
        """Whether the law may be exported in single precision."""
        return self.change <= 1.0

    def __str__(self) -> str:
        rms, peak = (f"{1e6 * old:.4g} and {1e6 * new:.4g}" for old, new in (self.rms, self.peak))
        return f"errors of the platform in double and single precision: {rms} u{self.unit} rms, {peak} at most"


def precision(law: Law, reference: Reference | None = None) -> Precision:
    """Run a law in double and in single precision along the loop of its self-test, and compare how it tracks.

    >>> print(pk.export.precision(law))
    errors of the platform in double and single precision: ... um rms, ... at most
    """
    double, single = (recorded_run(replace(law, single=narrow), reference).summary for narrow in (False, True))
    return compared(law, double, single)


def compared(law: Law, double: Summary, single: Summary) -> Precision:
    """Return the tracking of two runs of one law."""
    rms = float(double.platform_rms), float(single.platform_rms)
    peak = float(double.platform_peak), float(single.platform_peak)
    return Precision(law.name, law.robot.name, double.platform_unit, rms, peak)


def admit_single(found: Precision, force: bool) -> None:
    """Refuse a law that single precision changes too much, unless forced."""
    if found.accepted or force:
        return
    allowed = f"by more than {SHARE:.0%}, or 1 u{found.unit} where that is more"
    raise CExportError(found.law, f"{found} differ {allowed}: export it in double precision, or force it")


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
    """`Makefile`, which builds all controllers of the directory and runs their self-tests."""
    readme: Path
    """`name.md`: how the controller is called, with the meaning and unit of every number."""
    binding: Path
    """`name.py`: the controller from Python, through ctypes and the library that `make shared` builds."""


def export_controller(
    law: Law,
    directory: str | Path,
    name: str | None = None,
    *,
    reference: Reference | None = None,
    guard: bool = True,
    force: bool = False,
) -> ControllerFiles:
    """Write a law as `name.c`, `name.h`, `name_selftest.c`, `name.md`, `name.py` and a `Makefile`, all or nothing.

    `name` is the controller's in C, `<robot>_<law>` by default, and the law's gains are its defaults. The self-test
    replays a closed loop along `reference`, by default 2,000 ticks of a Fourier motion. The code has no heap and does
    the same work at every tick; the same law gives the same bytes. With `guard` a law that has no guard gets that of
    its robot's file (`control.guarded`), and `step` returns the status; without, no number is looked at.

    A law in single precision (`Law.in_single`) becomes C with `float` in the place of `double`. CExportError, unless
    `force`, where the robot then follows the self-test's motion with an error that differs by more than 1 % and 1 um.

    UnstableLoopError, unless `force`, if the loop is unstable at home with the sensors and the delay of the self-test;
    a LoopWarning if it is nearly so.

    >>> files = pk.export.export_controller(law, "controller")
    >>> files.header.name, files.selftest.name
    ('delta_computed_torque.h', 'delta_computed_torque_selftest.c')
    """
    label = name or f"{law.robot.name}_{law.name}"
    check_c_name(label, label)
    admit(verdict(law.robot, law, SENSED), force)  # of the law itself: a guard that trusts all changes no derivative
    law = guarded(law) if guard and law.guard is None else law
    structs = structs_of(law)
    kernels = law_kernels(law, structs)
    source = source_text(structs, kernels, label)
    recording = recorded_run(law, reference)
    if law.single:
        double = recorded_run(replace(law, single=False), reference)
        admit_single(compared(law, double.summary, recording.summary), force)
    texts = {
        f"{label}.c": source,
        f"{label}.h": header_text(law, structs, label),
        f"{label}_selftest.c": selftest_text(law, structs, label, recording),
        "Makefile": makefile_text(),
        f"{label}.md": readme_text(law, structs, label, kernels[1], len(recording.command)),
        f"{label}.py": binding_text(structs, label, recording, _ports(law)),
    }
    return ControllerFiles(*written(label, Path(directory), texts))


def _ports(law: Law) -> dict[str, tuple[str, ...]]:
    """Return the inputs of a law by the struct that they are members of."""
    wanted = tuple(wanted.port for wanted in law.interface.reference)
    return {"reference": wanted, "measurement": tuple(f"measured_{what}" for what in law.interface.measurement)}
