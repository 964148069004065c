"""Design studies."""

from parakin.design.evaluating import DesignStatus, Evaluator, StudyWork, evaluator_of
from parakin.design.reading import load_study, read_subject, work_of
