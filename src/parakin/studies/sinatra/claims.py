"""The claims of [Sinatra2009], and how this study reads what the paper leaves open."""

from __future__ import annotations

from parakin.studies.definition import Claim, Verdict

CLAIMS = (
    Claim("loop", "eq. (2), (7)", "The matrices close the loop of leg A at home", "closed", Verdict.REFUTED),
    Claim(
        "method",
        "eq. (21) to (23)",
        "One recursive matrix relation gives the input forces",
        "a definitive formula",
        Verdict.HOLDS,
    ),
    Claim(
        "levels",
        "Fig. 3 to 8",
        "Input forces and powers of the three motions",
        "curves, no numbers",
        Verdict.OPEN,
    ),
    Claim(
        "vertical",
        "Fig. 3, 4",
        "In vertical motion all six forces and powers are equal, all the time",
        "equal",
        Verdict.HOLDS,
    ),
    Claim(
        "rising",
        "Fig. 3",
        "Forces grow as the platform nears the base, because the legs become more horizontal",
        "increasing",
        Verdict.HOLDS,
    ),
    Claim(
        "pairs",
        "Fig. 5, 6",
        "Forces and powers of the rectilinear motion: the plane of symmetry shows in pairs",
        "six curves",
        Verdict.ADDED,
    ),
    Claim(
        "rotation",
        "Fig. 7, 8",
        "In the rotation only B, D, F work actively, with increasing forces and positive powers",
        "B, D, F",
        Verdict.HOLDS,
    ),
    Claim(
        "reverse", "added", "Which actuators work actively when the platform turns the other way", "-", Verdict.ADDED
    ),
    Claim(
        "inertia",
        "sec. 1",
        "Leg inertia counts at high speed; nobody has said how much. Here: its share of the force",
        "not quantified",
        Verdict.HOLDS,
    ),
    Claim(
        "slow",
        "sec. 1",
        "Earlier studies leave the legs out altogether: what that costs in the paper's own motions",
        "may not be negligible",
        Verdict.HOLDS,
    ),
    Claim(
        "tensor",
        "eq. (24)",
        "A leg of 0.398 kg and 0.5 m has 0.0722 kg m^2 across it",
        "0.0722 kg m^2",
        Verdict.REFUTED,
    ),
    Claim("uniform", "added", "Leg inertia's share at high speed if legs were uniform rods", "-", Verdict.ADDED),
)
"""The claims in the order of the report."""

GAPS = (
    (
        "Base axes as in the paper: z down, gravity along +z; R of eq. (5) goes from base to platform, its transpose "
        "turns the platform. A force is positive down its guide, so holding the platform takes negative forces."
    ),
    "Eq. (2) is used without the transpose on a_2alpha: with it the loop stays open at home.",
    (
        "The leg's tensor is used as printed, about the joint centre A3 with the centre of mass in the middle; its "
        "second, axial entry is printed as a gap: zero. Slider and Hooke joint have masses and no tensors: points."
    ),
    "The paper has no friction, and neither has this run. The library's drives and their friction are assumed.",
    "The vertical motion is eq. (6) with z* = 0.15 m: 0.3 m upwards in 3 s, towards the base.",
    (
        "Share of a part: the rms of the forces it asks for, over time and actuators, of the rms of all forces. Legs "
        "are all that is not the platform: sliders, Hooke joints, rods. Faster: the same way in less time."
    ),
    (
        "To work actively is read as: a power that is never negative and becomes positive. Increasing: the force is "
        "larger in size at the end than at the beginning."
    ),
)
"""What the paper leaves open, and how it was read here."""
