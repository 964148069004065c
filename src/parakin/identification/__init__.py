"""From logs to parameters one can trust: docs/identification.md."""

from parakin.identification.excitation import Excitation, ExciteOptions, excite

__all__ = ["Excitation", "ExciteOptions", "excite"]
