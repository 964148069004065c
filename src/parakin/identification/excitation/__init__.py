"""Finds motions that show a robot's parameters: docs/identification.md."""

from parakin.identification.excitation.exciting import excite
from parakin.identification.excitation.options import CRITERIA, SPACES, ExciteOptions
from parakin.identification.excitation.quality import Quality
from parakin.identification.excitation.result import Excitation
from parakin.identification.excitation.search import Step
from parakin.identification.excitation.weak import Hidden, Weak

__all__ = ["CRITERIA", "SPACES", "Excitation", "ExciteOptions", "Hidden", "Quality", "Step", "Weak", "excite"]
