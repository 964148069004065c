"""Names of exports are identifiers of C, refused as they were given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import parakin as pk
from parakin.errors import CExportError
from tests.vision.rigs import quattro


def observer(folder: Path, name: str) -> None:
    pk.export.export_observer(pk.vision.Observer(quattro()), folder, name)


def controller(folder: Path, name: str) -> None:
    pk.export.export_controller(pk.control.law("pid", pk.load("delta")), folder, name)


def machine(folder: Path, name: str) -> None:
    pk.export.export_machine(pk.control.law("pid", pk.load("delta")), folder, name)


def set_points(folder: Path, name: str) -> None:
    pk.export.export_set_points(pk.load("delta"), folder, name)


def unit(folder: Path, name: str) -> None:
    pk.export.export_fmu(pk.load("delta"), folder / "unit.fmu", name=name)


def model(folder: Path, name: str) -> None:
    pk.load("delta").to_c("gravity", folder, name)


@pytest.mark.parametrize("export", [observer, controller, machine, set_points, unit, model])
@pytest.mark.parametrize("name", ["bad name", "int", "../up", "2fast", "sinf"])
def test_names_that_c_does_not_take_are_refused(export: Callable[[Path, str], None], name: str, tmp_path: Path) -> None:
    with pytest.raises(CExportError, match=f"'{name}' is no name for a "):
        export(tmp_path, name)
    assert list(tmp_path.iterdir()) == []
