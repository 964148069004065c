"""Five papers re-enacted: one file or package a paper, claims as data, a verdict for each."""

from parakin.studies.study import Claim, Finding, Outcome, Progress, Study, Verdict
from parakin.studies.table import STUDIES, study

__all__ = ["STUDIES", "Claim", "Finding", "Outcome", "Progress", "Study", "Verdict", "study"]
