"""TOML of bounded size: what a file may hold, up to its limits and beyond them."""

from __future__ import annotations

import pytest

from parakin.description.text import DEEPEST_KEY, MOST_TABLES, MOST_VALUES, NotTomlError, check_size, tables_of


@pytest.mark.parametrize("part", ["a", '"a.b"', "'a'", '"\\""', "a "])
@pytest.mark.parametrize("frame", ["{} = 1", "[{}]", "[[{}]]", "x = {{ {} = 1 }}", "x = {{ y = 1, {} = 1 }}"])
def test_keys_have_a_greatest_depth(part: str, frame: str) -> None:
    assert tables_of(frame.format(".".join([part] * DEEPEST_KEY)).encode(), 1000)
    with pytest.raises(NotTomlError, match="line 2 has a key of more than 16 parts"):
        tables_of(("\n" + frame.format(".".join([part] * (DEEPEST_KEY + 1)))).encode(), 1000)


def test_dots_that_are_no_key_do_no_harm() -> None:
    text = f"x = [{'1.5, ' * 100}]\ny = '{'a.' * 100}' # {'a.' * 100}\n"
    assert tables_of(text.encode(), 10_000)["y"] == "a." * 100


def test_tables_and_values_have_a_greatest_number() -> None:
    check_size({"a": [{}] * MOST_TABLES})
    check_size({"a": [1] * (MOST_VALUES - 1)})
    with pytest.raises(NotTomlError, match="up to 'a' it holds more than 8192 tables"):
        check_size({"a": [{}] * (MOST_TABLES + 1)})
    with pytest.raises(NotTomlError, match="up to 'a' it holds more than 65536 values"):
        check_size({"a": [1] * MOST_VALUES})
