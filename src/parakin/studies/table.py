"""The studies there are. A new paper is one module or package with a `STUDY`, and one name here."""

from __future__ import annotations

from importlib import import_module

from parakin.errors import UnknownNameError
from parakin.studies.definition import Study

STUDIES = ("codourey", "ozgur", "abdellatif", "vivas", "sinatra")
"""Names of modules or packages in parakin.studies, in the order of the report."""


def study(name: str) -> Study:
    """Return the study of this name; its modules are imported only now."""
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES)
    return import_module(f"parakin.studies.{name}").STUDY
