"""The description of a unit: `modelDescription.xml` of FMI 2.0 and 3.0, and `buildDescription.xml` of its sources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal
from xml.etree.ElementTree import Element, SubElement

from parakin.export.fmu.blocks import Block, Variable
from parakin.export.writing import xml_text
from parakin.files import printable

FmiVersion = Literal["2.0", "3.0"]
"""A version of the standard."""
_TRUE = {"canHandleVariableCommunicationStepSize": "true"}


def description_text(block: Block, version: FmiVersion, sources: Iterable[str]) -> str:
    """Write the model description of a unit."""
    return xml_text(_described_2(block, sources) if version == "2.0" else _described_3(block))


def build_text(block: Block, sources: Iterable[str]) -> str:
    """Write how the sources of a unit of FMI 3.0 are compiled."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    files = SubElement(
        SubElement(root, "BuildConfiguration", modelIdentifier=block.name), "SourceFileSet", language="C99"
    )
    for name in sources:
        SubElement(files, "SourceFile", name=name)
    return xml_text(root)


def _root(block: Block, version: str, token: str) -> Element:
    """Return the root element; `token` is the name that a version has for the token."""
    known = {"fmiVersion": version, "modelName": block.name, token: block.token}
    told = {"description": printable(block.title), "generationTool": "parakin"}
    return Element("fmiModelDescription", known | told | {"variableNamingConvention": "structured"})


def _common(root: Element, block: Block) -> Element:
    """Write units, categories of messages and the suggested step, and return the element of the variables."""
    units = SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(variable.unit for variable in block.variables()):
        SubElement(units, "Unit", name=unit)
    categories = SubElement(root, "LogCategories")
    SubElement(categories, "Category", name="logStatusError", description="what went wrong")
    SubElement(root, "DefaultExperiment", stepSize=repr(block.step))
    return SubElement(root, "ModelVariables")


def _facts(variable: Variable) -> dict[str, str]:
    """Return what both versions say of a variable in the same words."""
    group = variable.group
    facts = {"name": variable.name, "valueReference": str(variable.reference), "description": printable(group.meaning)}
    facts |= {"causality": group.causality, "variability": group.variability}
    return (
        facts
        | ({"initial": "exact"} if group.causality == "parameter" else {})
        | ({"initial": "calculated"} if group.causality == "output" else {})
    )


def _value(variable: Variable) -> dict[str, str]:
    return {"unit": variable.unit} | ({} if variable.start is None else {"start": repr(variable.start)})


def _outputs(block: Block) -> list[Variable]:
    return [variable for variable in block.variables() if variable.group.causality == "output"]


def _described_2(block: Block, sources: Iterable[str]) -> Element:
    root = _root(block, "2.0", "guid")
    states = {
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": "true",
        "canNotUseMemoryManagementFunctions": "true",
    }
    kind = SubElement(root, "CoSimulation", {"modelIdentifier": block.name} | _TRUE | states)
    files = SubElement(kind, "SourceFiles")
    for name in sources:
        SubElement(files, "File", name=name)
    variables = _common(root, block)
    for variable in block.variables():
        SubElement(SubElement(variables, "ScalarVariable", _facts(variable)), "Real", _value(variable))
    structure = SubElement(root, "ModelStructure")
    for kind in ("Outputs", "InitialUnknowns"):
        listed = SubElement(structure, kind)
        for variable in _outputs(block):
            SubElement(listed, "Unknown", index=str(variable.reference + 1))
    return root


def _described_3(block: Block) -> Element:
    root = _root(block, "3.0", "instantiationToken")
    states = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    SubElement(root, "CoSimulation", {"modelIdentifier": block.name} | _TRUE | states)
    variables = _common(root, block)
    for variable in block.variables():
        SubElement(variables, "Float64", _facts(variable) | _value(variable))
    structure = SubElement(root, "ModelStructure")
    for kind in ("Output", "InitialUnknown"):
        for variable in _outputs(block):
            SubElement(structure, kind, valueReference=str(variable.reference))
    return root
