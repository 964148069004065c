"""The claims of [Abdellatif2005], and how this study reads what the paper leaves open."""

from __future__ import annotations

from parakin.studies.definition import Claim, Verdict

CLAIMS = (
    Claim(
        "counts",
        "Table 1",
        "the mass matrix of the 19-body machine from its sub-chains costs so many operations",
        "699 +/-, 761 ×/÷",
        Verdict.CONDITIONAL,
    ),
    Claim(
        "cheaper",
        "Table 1",
        "that is several times less than general methods take",
        "3.7 and 4.4 times fewer",
        Verdict.CONDITIONAL,
    ),
    Claim("exact", "eq. (7)", "the sum over sub-chains is the mass matrix, nothing simplified", "-", Verdict.HOLDS),
    Claim("rate", "sec. 4", "it can be computed within a control period", "0.5 ms", Verdict.HOLDS),
    Claim(
        "inertia",
        "Fig. 5",
        "the effective inertia of some actuators varies along the circle by about so much",
        "60 %",
        Verdict.CONDITIONAL,
    ),
    Claim("differs", "Fig. 5", "for other actuators it varies much less", "-", Verdict.HOLDS),
    Claim(
        "pid",
        "Fig. 6",
        "single-joint PID is far behind feedforward with decoupling at 1 m/s",
        "-",
        Verdict.CONDITIONAL,
    ),
    Claim("ramps", "sec. 5", "PID is worst while the speed changes", "-", Verdict.CONDITIONAL),
    Claim(
        "speed",
        "sec. 1",
        "errors of single-joint control grow faster than the speed above 0.4 m/s",
        "0.4 m/s",
        Verdict.HOLDS,
    ),
    Claim(
        "decoupling",
        "Fig. 7",
        "decoupling by the mass matrix tracks better than feedforward alone",
        "-",
        Verdict.CONDITIONAL,
    ),
    Claim(
        "static",
        "sec. 4",
        "a constant model of the actuators' inertia leads to significant errors",
        "-",
        Verdict.CONDITIONAL,
    ),
    Claim(
        "correlation",
        "sec. 5",
        "the more an actuator's effective inertia varies, the more it gains by decoupling",
        "3 actuators",
        Verdict.REFUTED,
    ),
    Claim(
        "coupling",
        "added",
        "what does tell machines that gain much at equal margin from others: how strongly drives are coupled",
        "-",
        Verdict.ADDED,
    ),
)
"""The claims in the order of the report."""

GAPS = (
    (
        "No geometry, mass or drive of PaLiDA is printed: the library's numbers are assumed, and four machines of "
        "other proportions stand beside it."
    ),
    (
        "The variation of an inertia is not defined: it is read as (largest - smallest)/smallest along the circle, the "
        "ramps included."
    ),
    (
        "Effective inertia is read as the diagonal of the mass matrix in actuator space, what a drive moves while the "
        "others stand."
    ),
    "How the circle is entered is not said: the speed rises on a quarter turn; once also on a twentieth.",
    (
        "No gains and no rule to choose them are printed. PID and feedforward have the same feedback; decoupling is "
        "compared twice, with the same delay margin as theirs and with the same force noise."
    ),
    (
        "What the measured errors consist of is not said: here eight machines differ from the controller's model, "
        "inertias by up to 10 %, friction by up to 30 %, encoders of 1 µm, rates filtered at 300 Hz, a tick of delay."
    ),
    "Where the mass matrix enters is only drawn: it multiplies the feedback, at the desired pose.",
    "Eq. (14) has the angular velocity of the body before: that of the body itself is meant.",
)
"""What the paper leaves open, and how it was read here."""
