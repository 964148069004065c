"""Both edges of a rod in one scan line, as compiled code: a kernel for the first look at it and one for later looks.

The first one searches (`search`) and fits profiles (`profile`) between which light is even. Later ones know
where the edges are to a fraction of a pixel: they read windows there, and know the light across the rod.
"""

from __future__ import annotations

import functools

import casadi as ca

from parakin.kernels import Derivation, Kernel, Program, stage
from parakin.vision.edges.profile import FARTHEST, LIGHT, fit_stages
from parakin.vision.edges.search import HALF_WINDOW, LINE, search_function, windows_at

FIRST_STEPS = 2
"""Gauss and Newton's steps of a first look, from a pixel away: later looks begin with the line through many lines."""
LEAST_SIGNAL = 3.0
"""Contrast of a good scan line, in deviations of its residuals, at least."""
LEAST_CONTRAST = 4.0
"""Contrast of a good scan line [grey levels], at least."""
LARGEST_DEVIATION = 0.5
"""Deviation of a good scan line's position [px], at most."""
BORDER = HALF_WINDOW - 2
"""How far from the ends of a scan line the pixel of a good edge is at least [px]."""
INNER_REACH = (2.5, 1.5)
"""How far inside the contour profiles reach: in blurs, and pixels beside that; light beyond may differ."""
PROFILE = ("position", "formal", "noise", "found_blur", "contrast", "good")
"""What is known of an edge in a scan line."""


@functools.cache
def first_scan_kernel() -> Kernel:
    """Compile the first look at one scan line.

    grey (48) [grey levels], length [px], 0 for lines that do not count, places (2): where the lower and the upper edge
    are expected [px], capture [px], polarity, blur [px] and pull (2) as in `profile` -> position (2) [px],
    formal (2) [px], noise (2) [grey levels], found_blur (2) [px], contrast (2) [grey levels], good (2): whether they
    can be used; middle, across (32) as in `search`.
    """
    return Kernel(Derivation("first look at a scan line", _first_program))


@functools.cache
def later_scan_kernel(steps: int) -> Kernel:
    """Compile a later look at one scan line, with so many of Gauss and Newton's steps.

    The same but for capture and polarity; sign: 1 for rods brighter than what is behind, -1 for darker ones, level
    (2) [grey levels], shade (2, 3) and lobe (2, 2) of both edges as in `profile` -> the same but for middle and
    across; by_light (2, 4) as in `profile`.
    """
    return Kernel(Derivation(f"later look at a scan line in {steps} steps", functools.partial(_later_program, steps)))


def _first_program() -> Program:
    given = {"length": ca.SX.sym("length"), "centre": ca.SX.sym("centre", 2), "blur": ca.SX.sym("blur")}
    reach = INNER_REACH[0] * given["blur"] + INNER_REACH[1]
    begun: dict[str, ca.SX] = {}
    for side in (0, 1):
        first, last = _ends(given["centre"], given["length"], side)
        begun |= {f"first_{side}": first, f"last_{side}": ca.fmin(last, reach), f"start_{side}": ca.SX(0)}
        begun[f"blur_{side}"] = given["blur"]
    return Program(
        stage(search_function()),
        stage(_function("windows", given, begun)),
        *(step for side in (0, 1) for step in fit_stages(FIRST_STEPS, side, shaded=False)),
        stage(_collected(shaded=False)),
        outputs=(*PROFILE, "middle", "across"),
        name="first_scan",
    )


def _later_program(steps: int) -> Program:
    given = {"grey": ca.SX.sym("grey", LINE), "length": ca.SX.sym("length"), "blur": ca.SX.sym("blur")}
    given |= {name: ca.SX.sym(name, 2) for name in ("places", "level")}
    given |= {"shade": ca.SX.sym("shade", 2, LIGHT), "lobe": ca.SX.sym("lobe", 2, 2)}
    places = given["places"]
    centre = ca.floor(places + 0.5)
    width = ca.fmax(places[1] - places[0], 1)
    reach = ca.fmin(INNER_REACH[0] * given["blur"] + INNER_REACH[1], 0.5 * width)
    begun = {"centre": centre, **windows_at(ca.vertsplit(given["grey"]), ca.vertsplit(centre))}
    for side, inwards in ((0, 1.0), (1, -1.0)):
        first, last = _ends(centre, given["length"], side)
        begun |= {f"first_{side}": first, f"last_{side}": ca.fmin(last, reach)}
        begun |= {f"start_{side}": inwards * (places[side] - centre[side]), f"width_{side}": width}
        begun |= {f"blur_{side}": given["blur"], f"level_{side}": given["level"][side]}
        begun |= {f"{name}_{side}": given[name][side, :].T for name in ("shade", "lobe")}
    return Program(
        stage(_function("windows", given, begun)),
        *(step for side in (0, 1) for step in fit_stages(steps, side, shaded=True)),
        stage(_collected(shaded=True)),
        outputs=(*PROFILE, "by_light"),
        name="later_scan",
    )


def _ends(centre: ca.SX, length: ca.SX, side: int) -> tuple[ca.SX, ca.SX]:
    """Return the first and last places of a window, from its middle, that are in the line; the upper one is turned."""
    before, behind = -centre[side], length - 1 - centre[side]
    return (before, behind) if side == 0 else (-behind, -before)


def _collected(*, shaded: bool) -> ca.Function:
    """Return what turns the fits of both edges into positions in the line, and says which of them can be used."""
    given = {"centre": ca.SX.sym("centre", 2), "length": ca.SX.sym("length"), "sign": ca.SX.sym("sign")}
    names = ("position", "formal", "noise", "found_blur", "contrast")
    given |= {f"{name}_{side}": ca.SX.sym(f"{name}_{side}") for name in names for side in (0, 1)}
    both = {name: ca.vertcat(given[f"{name}_0"], given[f"{name}_1"]) for name in names}
    centre, noise = given["centre"], both["noise"]
    good = (centre >= BORDER) * (centre <= given["length"] - 1 - BORDER)
    good *= both["contrast"] * given["sign"] > ca.fmax(LEAST_CONTRAST, LEAST_SIGNAL * noise)
    good *= (ca.fabs(both["position"]) < FARTHEST - 0.01) * (both["formal"] * noise < LARGEST_DEVIATION)
    outputs = {**both, "position": centre + ca.SX([1, -1]) * both["position"], "good": good}
    if shaded:
        given |= {f"by_light_{side}": ca.SX.sym(f"by_light_{side}", LIGHT + 1) for side in (0, 1)}
        outputs["by_light"] = ca.vertcat(given["by_light_0"].T, given["by_light_1"].T)
    return _function("collected", given, outputs)


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    values = [ca.densify(ca.SX(value)) for value in outputs.values()]
    return ca.Function(name, list(inputs.values()), values, list(inputs), list(outputs), {"cse": True})
