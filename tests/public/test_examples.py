"""Every public name has an example, and every example gives what its docstring says."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import tools.examples
from tools.api_page import FRONT, MORE
from tools.examples import Entry, entries, run, shown_by, without_example


def test_every_public_name_has_an_example() -> None:
    assert without_example() == []


def test_a_name_without_an_example_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function, and a class that nothing shows; a class that a function returns is shown by it."""

    def bare() -> None:
        """Do nothing."""

    class Alone:
        """Be nothing."""

    found = (*entries(), Entry("parakin", "pk.bare", bare), Entry("parakin", "pk.Alone", Alone))
    monkeypatch.setattr(tools.examples, "entries", lambda: found)
    assert without_example() == ["pk.bare", "pk.Alone"]
    (survey,) = (entry for entry in found if entry.name == "pk.robot.Survey")
    assert shown_by(survey) == "pk.survey"


def test_an_example_that_gives_something_else_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ModuleType("wrong")
    wrong.__doc__ = """Say what is not so.

    >>> 1 + 1
    3
    """
    monkeypatch.setattr("importlib.import_module", lambda _: wrong)
    monkeypatch.setattr(tools.examples, "entries", lambda: ())
    (told,) = run("wrong")
    assert "Got:\n    2" in told


def test_what_an_example_writes_is_not_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing = ModuleType("writing")
    writing.__doc__ = """Write a file.

    >>> from pathlib import Path
    >>> Path("rig.toml").write_text("robot")
    5
    """
    monkeypatch.setattr("importlib.import_module", lambda _: writing)
    monkeypatch.setattr(tools.examples, "entries", lambda: ())
    monkeypatch.chdir(tmp_path)
    assert run("writing") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("page", FRONT + MORE)
def test_examples_give_what_they_say(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER", "true")  # a browser that shows nothing
    told = run(page)
    assert not told, "\n".join(told)
    assert list(tmp_path.iterdir()) == []
