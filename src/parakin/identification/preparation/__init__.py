"""Turns a log into states of the platform: checked, smoothed, differentiated, and handed on in blocks."""

from parakin.identification.preparation.options import Preparation
from parakin.identification.preparation.prepare import prepare
from parakin.identification.preparation.prepared import Prepared, Report

__all__ = ["Preparation", "Prepared", "Report", "prepare"]
