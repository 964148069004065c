"""Five papers re-enacted: one package for each paper, its claims as data, and a verdict on each claim."""

from parakin.studies.definition import Claim, Finding, Outcome, Progress, Study, Verdict
from parakin.studies.table import STUDIES, study

__all__ = ["STUDIES", "Claim", "Finding", "Outcome", "Progress", "Study", "Verdict", "study"]
