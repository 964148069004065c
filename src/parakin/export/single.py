"""What single precision costs a law: the loop that its self-test replays is run with both precisions and compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parakin.control import Law, Reference
from parakin.errors import CExportError
from parakin.export.recording import recorded_run
from parakin.simulation.summary import Summary

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
