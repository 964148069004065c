"""Options for what a law wears."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import control
from parakin.cli import app
from parakin.cli.loop_options import Worn


def test_a_law_wears_what_was_asked_for_with_the_observer_last() -> None:
    law = control.law("pid", pk.load("five_bar"))
    assert Worn(None, None, None, delay=False).put_on(law) is law
    worn = Worn(notch=120.0, shape=30.0, observer=20.0, delay=True).put_on(law)
    assert worn.worn == ("shaping", "notch", "observer")
    values = {gain.name: gain.values for gain in worn.interface.gains}
    assert values["notch_frequency"] == (120.0,)
    assert values["observer_bandwidth"] == (20.0,)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("export-c", "five_bar", "--notch", "60"), "--notch: is worn by a law: give --controller as well"),
        (("simulate", "five_bar", "--notch", "600"), "notch_frequency: must be > 0 and below 500 Hz"),
        (("simulate", "five_bar", "--observer", "1e5"), "--observer: 100000 rad/s is implausible"),
    ],
)
def test_what_cannot_be_worn_is_said(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    run = CliRunner().invoke(app, [*options, "-o", str(tmp_path / "out")])
    assert run.exit_code != 0
    assert words in run.output
