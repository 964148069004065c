"""Turns a log into states of the platform: checked, smoothed, differentiated, and handed on in blocks."""

from parakin.identification.preparation.options import Preparation
from parakin.identification.preparation.prepared import ForceTiming, Prepared, Report
from parakin.identification.preparation.preparing import prepare

__all__ = ["ForceTiming", "Preparation", "Prepared", "Report", "prepare"]
