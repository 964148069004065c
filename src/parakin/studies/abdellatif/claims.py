"""The claims of [Abdellatif2005], and how this study reads what the paper leaves open."""

from __future__ import annotations

import numpy as np

from parakin.studies.abdellatif.machines import SETUPS
from parakin.studies.abdellatif.transcribed import READINGS
from parakin.studies.criteria import Criterion, Evidence, Sense, Verdict
from parakin.studies.definition import Apparatus, Claim, added

EXACT = 1e-10
"""Relative difference below which the forces of two exact formulations count as equal."""
FAR = 5.0
"""Factor of errors from which on "clearly improper" is taken to hold."""
SIGNIFICANT = 0.1
"""Share of an error below which a difference is not put down to control concepts."""
SAME_COUNT = 1.1
"""Factor by which an own count may differ from a printed one, whose rule of counting is not given."""
CORRELATED = 0.5
"""Coefficient from which on two quantities count as correlated."""

MATRIX = Apparatus(
    "the mass matrix of PaLiDA",
    "PaLiDA modelled with 19 bodies, whose geometry and inertias are not printed; here the library's PaLiDA.",
)
"""What claims about the mass matrix need."""
COUNTED = Apparatus(
    "the operations of Table 1",
    "PaLiDA's geometry and tensors, a rule of counting, and how far eq. (5) is worked out before it is computed: none "
    "of them is printed; here the library's PaLiDA, eq. (5) body by body and with the terms of each rate collected.",
    tuple(READINGS),
)
"""What the claim about Table 1 needs."""
MACHINE = Apparatus(
    "PaLiDA on its circle",
    "PaLiDA with linear direct drives, three control concepts and a 0.5 ms tick, no gains printed; here five machines "
    "of other proportions, decoupling tuned by two rules, and two ways into the circle, each on eight plants that are "
    "not quite the controller's.",
    tuple(SETUPS),
    loops=True,
)
"""The apparatus of the experiments: their claims are judged in one and the same of SETUPS."""
OTHER = Apparatus("another machine", "The machine of a paper that is cited; here the library's PaLiDA under PID.")
"""What the claim about speeds needs."""

_CORRELATION = (-1.0, 1.0)
_COUNT = "Table 1, within a tenth: how it was counted is not said"

CLAIMS = (
    Claim(
        "counts",
        "Table 1",
        "total with proposed approach 699 761",
        "eqs. (5) and (7), written out for PaLiDA, take 699 additions and 761 multiplications",
        COUNTED,
        Evidence.COUNT,
        (
            Criterion("additions, larger over smaller count", Sense.AT_MOST, SAME_COUNT, "", _COUNT, (1.0, np.inf)),
            Criterion("multiplications, the same", Sense.AT_MOST, SAME_COUNT, "", _COUNT, (1.0, np.inf)),
        ),
        Verdict.NOT_REPRODUCED,
    ),
    Claim(
        "cheaper",
        "sec. 4",
        "The proposed approach is significantly more efficient than those provided in (Lin and Fang, 1999) and in "
        "(Dulęba, 2002).",
        "it takes 3.7 and 4.4 times fewer operations than these two",
        MATRIX,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "exact",
        "sec. 6",
        "A high computational efficient approach was therefore presented, which allows such task without any model "
        "simplifications.",
        "the sum over sub-chains is the mass matrix, nothing simplified",
        MATRIX,
        Evidence.CONSISTENCY,
        (Criterion("relative difference of forces", Sense.AT_MOST, EXACT, "", "the same but for rounding"),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "rate",
        "sec. 4",
        "To integrate the inertia-matrix into the control scheme, the methodology described in the former section was "
        "implemented for real-time calculation within a rate of 0,5 ms.",
        "it can be computed within a control period",
        MATRIX,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "inertia",
        "Fig. 5",
        "easy to notice, that the effective inertia of some actuators varies in a range of approximately 60 %.",
        "the largest variation along the circle is about 60 %",
        MACHINE,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "differs",
        "sec. 5",
        "the corresponding effective inertia is less varying during the investigated motion.",
        "for another actuator it varies much less",
        MACHINE,
        Evidence.INDEPENDENT,
        (Criterion("smallest over largest variation", Sense.AT_MOST, 2 / 3, "", "less varying", (0.0, 1.0)),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "pid",
        "Fig. 6",
        "Conventional single-joint PID-control is clearly improper and unsuitable for operating PKM at high dynamics.",
        "errors of PID are several times those of feedforward with decoupling",
        MACHINE,
        Evidence.INDEPENDENT,
        (Criterion("error of PID over decoupling's", Sense.AT_LEAST, FAR, "", "clearly improper: five times"),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "ramps",
        "sec. 5",
        "This is obvious especially during acceleration phases, where simple PID control produces intolerable "
        "performance.",
        "PID is worse while the speed changes than while it is constant",
        MACHINE,
        Evidence.INDEPENDENT,
        (Criterion("error on ramps over error after", Sense.AT_LEAST, 1 + SIGNIFICANT, "", "especially"),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "decoupling",
        "Fig. 7",
        "The integration of the computation of the mass matrix into the control concept is definitely more "
        "advantageous.",
        "decoupling by the mass matrix tracks better than feedforward alone",
        MACHINE,
        Evidence.INDEPENDENT,
        (Criterion("error over that of feedforward", Sense.AT_MOST, 1 - SIGNIFICANT, "", "definitely"),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "static",
        "sec. 4",
        "It is obvious, that a static parameterized model for actuator inertia will lead to significant and pose "
        "dependent errors.",
        "errors grow if the mass matrix of home is used, in the computed force and in the feedback",
        MACHINE,
        Evidence.INDEPENDENT,
        (Criterion("error over that of decoupling", Sense.AT_LEAST, 1 + SIGNIFICANT, "", "significant"),),
        Verdict.HOLDS,
    ),
    Claim(
        "correlation",
        "sec. 5",
        "The more the effective inertia of the actuator varies, the more important become the related tracking errors "
        "if no decoupling control is used.",
        "over the actuators of a machine, errors under feedforward alone go with the variation of the inertia",
        MACHINE,
        Evidence.INDEPENDENT,
        (Criterion("correlation", Sense.AT_LEAST, CORRELATED, "", "the more, the more", _CORRELATION),),
        Verdict.UNDECIDED,
    ),
    Claim(
        "benefit",
        "sec. 5",
        "For actuator nr. 6, the performances of both control concepts are more close, because the corresponding "
        "effective inertia is less varying during the investigated motion.",
        "over the actuators of a machine, what decoupling gains goes with the variation of the inertia",
        MACHINE,
        Evidence.INDEPENDENT,
        (Criterion("correlation", Sense.AT_LEAST, CORRELATED, "", "because", _CORRELATION),),
        Verdict.UNDECIDED,
    ),
    Claim(
        "speed",
        "sec. 1",
        "simple single-joint controllers cause superproportional errors at velocities over 0.4",
        "errors of PID grow faster than the speed above 0.4 m/s",
        OTHER,
        Evidence.INDEPENDENT,
        (Criterion("exponent of the speed", Sense.AT_LEAST, 1 + SIGNIFICANT, "", "superproportional", (-5.0, 5.0)),),
        Verdict.HOLDS,
    ),
    added("coupling", "what tells machines that gain much at equal margin from others", MACHINE),
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
    "How the circle is entered is not said: the speed rises on a quarter turn, or on a twentieth.",
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
