"""The claims of [Ozgur2013], and how this study reads what the paper leaves open."""

from __future__ import annotations

from parakin.studies.definition import Claim, Verdict

CLAIMS = (
    Claim(
        "steps",
        "sec. 6, 8",
        "The same six steps model five-bar, 3-RRR, Delta, Orthoglide, Quattro and Gough-Stewart",
        "6 robots",
        Verdict.HOLDS,
    ),
    Claim("agreement", "sec. 6", "The forces are those of other methods", "improves on three methods", Verdict.HOLDS),
    Claim(
        "vision",
        "Table 3",
        "What the five-bar's torques take from observed elements",
        "404 additions, 656 multiplications",
        Verdict.HOLDS,
    ),
    Claim(
        "encoders",
        "Table 3",
        "What they take from encoders",
        "484 additions, 778 multiplications, 2 sines, 2 cosines",
        Verdict.CONDITIONAL,
    ),
    Claim("dearer", "Table 3", "Encoders make the model dearer than vision", "1.19 times", Verdict.HOLDS),
    Claim(
        "severe",
        "sec. 7",
        "The difference becomes severe for more complex robots",
        "more severe than on the five-bar",
        Verdict.CONDITIONAL,
    ),
    Claim("trigonometry", "sec. 8", "No trigonometric function of what is observed is needed", "none", Verdict.HOLDS),
    Claim(
        "operators", "sec. 8", "The equations use additions and multiplications only", "+ and *", Verdict.CONDITIONAL
    ),
    Claim(
        "frame",
        "eq. (10)",
        "y = x_dot/|x_dot| and z = x × y give an element its frame",
        "always",
        Verdict.CONDITIONAL,
    ),
    Claim(
        "friction",
        "Table 2, eq. (53)",
        "A passive joint's friction acts on the outer element",
        "on it alone",
        Verdict.REFUTED,
    ),
    Claim("control", "sec. 7", "Vision controls a Quattro through this model", "in another paper", Verdict.OPEN),
    Claim(
        "singular",
        "sec. 8",
        "Singularities of A, announced as future work: here A against the transposed J_qv",
        "future work",
        Verdict.ADDED,
    ),
    Claim(
        "angles", "added", "Torque error per noise of angles, observed directions against encoders", "-", Verdict.ADDED
    ),
    Claim("rates", "added", "The same with rates and accelerations taken from noisy angles", "-", Verdict.ADDED),
    Claim("near", "added", "How torque errors grow as the forearms come into line", "-", Verdict.ADDED),
)
"""The claims in the order of the report."""

GAPS = (
    "No dimensions are printed, of any robot: those of the library are used, most of them assumed.",
    (
        "The five-bar of Table 3 has uniform bars, and how its operations were counted is not said. Here: "
        "subtractions and negations are additions, divisions and squares multiplications, signs and constants free, "
        "nothing computed twice; the centre of mass anywhere on the bar's line, friction included."
    ),
    (
        "In three dimensions the five-bar's A is 3 x 2 and keeps the direction across its plane; the plane is turned "
        "so that no component is zero. The planar form is 2 x 2."
    ),
    "y of a revolute element is z × x with its joint's axis z: the sign of the rate lives in the rate.",
    "The friction of a passive joint acts on both elements, by their relative rate.",
    (
        "omega = x × x_dot + theta_dot x has no room for the spin that a universal joint forces on a strut; here it is "
        "there, and costs square roots on the Gough-Stewart."
    ),
    (
        "Encoder routes of other robots: forward kinematics (closed form, or one Newton step), rates, accelerations, "
        "then A Gamma + b = 0; nothing is shared between these steps, and tests for bad poses are counted."
    ),
    (
        "Noise: white, independent, of equal standard deviation on each measured angle, four bars in the plane or two "
        "motors; 1 kHz on a circle at 1 m/s. Rates are exact, or those of a cubic fitted to 21 samples."
    ),
)
"""What the paper leaves open, and how it was read here."""
