"""Five papers re-enacted: one package for each paper, its claims as data, and a verdict on each claim."""

from parakin.studies.criteria import Criterion, Evidence, Measured, NominalLoop, Sense, Verdict
from parakin.studies.definition import Apparatus, Claim, Finding, Outcome, Progress, Study
from parakin.studies.judging import Judgement
from parakin.studies.table import STUDIES, study

__all__ = [
    "STUDIES",
    "Apparatus",
    "Claim",
    "Criterion",
    "Evidence",
    "Finding",
    "Judgement",
    "Measured",
    "NominalLoop",
    "Outcome",
    "Progress",
    "Sense",
    "Study",
    "Verdict",
    "study",
]
