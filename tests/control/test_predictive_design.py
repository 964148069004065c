"""The edges of what a predictive design may be, and which gains and state each choice gives the law."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.control import PredictiveDesign, predictive_gains
from parakin.errors import ControlError


@pytest.mark.parametrize(
    "options",
    [
        {"K_p": np.inf},
        {"K_v": 0.0},
        {"K_v": np.nan},
        {"response": 0.99},
        {"base_functions": 0},
        {"coincidence": ()},
        {"coincidence": (0, 6, 12)},
        {"coincidence": (12, 6, 18)},
        {"error_degree": -1},
        {"error_degree": 2, "error_window": 1},
        {"smoothing": -1e-9},
        {"smoothing": np.inf},
    ],
)
def test_designs_beyond_an_edge_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ControlError, match=r"predictive_functional: \w+: must be "):
        PredictiveDesign(**options)  # pyright: ignore[reportArgumentType]


def test_designs_on_an_edge_are_taken() -> None:
    PredictiveDesign(response=1.0, base_functions=1, coincidence=(1,), error_degree=2, error_window=2, smoothing=0.0)


def test_the_model_is_exact_for_a_held_input() -> None:
    """y_ddot = K_p (u - y) - K_v y_dot, against many short Euler steps."""
    design, period, steps = PredictiveDesign(), 1e-3, 20_000
    gains = predictive_gains(design, period)
    y, rate, u = 0.2, -0.5, 0.7
    for _ in range(steps):
        y, rate = y + period / steps * rate, rate + period / steps * (design.K_p * (u - y) - design.K_v * rate)
    assert gains.F_M @ [0.2, -0.5] + gains.G_M * u == pytest.approx([y, rate], rel=1e-5)


@pytest.mark.parametrize(
    ("design", "gains", "state"),
    [
        (PredictiveDesign(), {"k_m", "v"}, {"errors"}),
        (PredictiveDesign(error_degree=0), {"v"}, set()),
        (PredictiveDesign(future=False), {"k_m"}, {"errors"}),
        (PredictiveDesign(smoothing=1.0), {"k_m", "v", "k_u"}, {"errors", "u"}),
    ],
)
def test_a_law_has_what_its_design_needs(design: PredictiveDesign, gains: set[str], state: set[str]) -> None:
    law = control.predictive_functional(pk.load("five_bar"), 1e-3, design)
    always = {"K_p", "K_v", "F_M", "G_M", "k_0", "v_x"}
    assert {gain.name for gain in law.interface.gains} == always | gains
    assert {part.name for part in law.interface.state} == {"model", "held", "offset", "pose"} | state
    assert ("desired_q_ahead" in law.step.name_in()) is design.future
    proposed = control.gains_for(law, 1e6)  # no response is shorter than a sample
    fastest = predictive_gains(PredictiveDesign(**{**vars(design), "response": 1.0}), 1e-3)
    assert proposed["k_0"] == pytest.approx([fastest.k_0])
    assert set(proposed) == always | gains
