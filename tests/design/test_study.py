"""Study files and the expressions in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi as ca
import pytest
from pydantic import ValidationError

from parakin.design import Expression, Study, load_study
from parakin.errors import DesignError
from tests.design.studies import FIVE_BAR


def test_expressions_of_numbers_and_of_symbols_agree() -> None:
    text = "-(a + 2.5) * b**2 / sqrt(b) + sin(a) - cos(b) * tan(a) + exp(-a) * log(b) + pi + +a"
    formula = Expression.read(text)
    assert formula.names == ("a", "b")
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    symbolic = ca.Function("f", [a, b], [formula.symbol({"a": a, "b": b})])
    assert float(symbolic(0.3, 1.7)) == pytest.approx(formula.number({"a": 0.3, "b": 1.7}), rel=1e-15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os')", "is not among numbers, names of parameters"),
        ("a.b", "is not among"),
        ("a[0]", "is not among"),
        ("a if b else c", "is not among"),
        ("a +", "is no arithmetic expression"),
        ("'a'", "is not among"),
        ("True", "holds True or False"),
        ("sqrt(a, b)", "is not among"),
        ("a" * 400, "is longer than 300 characters"),
        ("(" * 150 + "a" + ")" * 149, "is no arithmetic expression"),
    ],
)
def test_what_is_more_than_arithmetic_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Expression.read(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objectives": {"arm": {"of": "mass"}}}, "columns of one table: give each its own name"),
        ({"objectives": {"status": {"of": "mass"}}}, "'status' means something already"),
        ({"keys": {"legs[side].root[0]": "armm"}}, "names 'armm'; parameters are arm, forearm"),
        ({"keys": {"legs[side].root[0]": "arm"}}, "parameters.forearm: give its key, or name it in an expression"),
        ({"constraints": {"c": {"of": "mass"}}}, "give least, most or both"),
    ],
)
def test_a_study_that_contradicts_itself_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Study.model_validate(FIVE_BAR | changes)


def test_a_file_that_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match=r"nowhere\.toml: cannot be read: No such file"):
        load_study(tmp_path / "nowhere.toml")
    (tmp_path / "bad.toml").write_text("name = ")
    with pytest.raises(DesignError, match=r"bad\.toml: is not TOML"):
        load_study(tmp_path / "bad.toml")
    (tmp_path / "empty.toml").write_text('name = "x"\n')
    with pytest.raises(DesignError, match=r"empty\.toml: title: is missing"):
        load_study(tmp_path / "empty.toml")
