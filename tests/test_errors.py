"""Errors that know what was probably meant."""

from __future__ import annotations

import pickle

import pytest

from parakin.errors import UnknownNameError, UnmatchedLawError

KNOWN = ("delta", "five_bar", "gough_stewart", "pick_and_place")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("detla", "delta"),
        ("DELTA", "delta"),
        ("fivebar", "five_bar"),
        ("pick-and-place", "pick_and_place"),
        ("Gough Stewart", "gough_stewart"),
    ],
)
def test_a_misspelt_name_is_answered_by_the_one_most_like_it(name: str, meant: str) -> None:
    error = UnknownNameError("robot", name, KNOWN)
    assert error.suggestion == meant
    assert str(error) == f"no robot '{name}'; choose one of {', '.join(KNOWN)}; did you mean '{meant}'?"


@pytest.mark.parametrize("name", ["", "x", "scara", "\x00", "7"])
def test_a_name_like_none_is_answered_by_the_list_alone(name: str) -> None:
    error = UnknownNameError("robot", name, KNOWN)
    assert error.suggestion is None
    assert str(error).endswith("five_bar, gough_stewart, pick_and_place")


def test_a_law_that_cannot_be_matched_says_what_it_reached() -> None:
    error = pickle.loads(pickle.dumps(UnmatchedLawError("pid", "delay", 3e-3, 2e-3, 5.0)))
    assert str(error) == (
        "simulation: pid: cannot be given a delay margin of 3 ms: "
        "it reaches a delay margin of 2 ms at best, at 5 rad/s; ask for less"
    )
    assert (error.target, error.reached, error.bandwidth) == (3e-3, 2e-3, 5.0)
    noisy = UnmatchedLawError("pid", "noise", 0.1, 0.2, 5.0)
    assert "it reaches a force noise of 0.2 N or N m rms at best, at 5 rad/s; ask for more" in str(noisy)
    assert "unstable at every bandwidth" in str(UnmatchedLawError("pid", "delay", 3e-3, None, None))
