"""The claims of [Codourey1997], and how this study reads what the paper leaves open."""

from __future__ import annotations

from parakin.studies.codourey.lumping import FOREARMS
from parakin.studies.common import ROUNDING
from parakin.studies.criteria import Criterion, Evidence, Sense, Verdict
from parakin.studies.definition import Apparatus, Claim, added

LITTLE = 5.0
"""Rms error [% of the rms torque] below which "not too much loss" is taken to hold."""
FORGOTTEN = 10.0
"""Adaptation that works leaves at most this share of the path's errors, and of the parameters' errors [%]."""

EXACT = 1e-10
"""Relative difference below which the forces of a robot with six freedoms count as equal: Psi has some 200 columns."""

EQUATIONS = Apparatus("the equations", "Nothing but the printed equations, on the library's Delta.")
"""What claims about equations need."""
DELTA = Apparatus(
    "the DELTA",
    "A DELTA whose dimensions and masses are not printed; here the library's Delta without friction, with forearms of "
    "its own mass, and of a quarter to four times as much.",
    tuple(FOREARMS),
)
"""The robot whose forearms are lumped: claims about the loss are judged with one mass of its forearms."""
LIBRARY = Apparatus(
    "fully parallel robots", "Robots of a thesis and of a paper that are only cited; here those of the library."
)
"""What the claim about most robots needs."""
CONTROLLER = Apparatus(
    "an adaptive controller",
    "A controller that the paper only announces; here two laws of our choice on the library's Delta, exact encoders, "
    "0.5 ms a tick.",
    loops=True,
)
"""What the claims about adaptive control need."""

_SAME = "the same but for rounding"
_LOSS = "The paper has no number for 'not too much loss'"
_LESS = "converged: nine tenths are gone"

CLAIMS = (
    Claim(
        "structure",
        "eq. (45)",
        "The linear form of the dynamic equation of the DELTA is then",
        "Psi has two columns for each arm, g_i and q_ddot_i in its own row, and J^T (x_ddot - G), up to the sign of "
        "g_i",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (
            Criterion("relative difference from the printed matrix", Sense.AT_MOST, ROUNDING, "", _SAME),
            Criterion(
                "entries that are zero on one side only", Sense.AT_MOST, 0.0, "", "printed: 9 of 21", (0.0, 21.0)
            ),
        ),
        Verdict.HOLDS,
    ),
    Claim(
        "columns",
        "sec. 3.3",
        "Furthermore, if columns of the dynamic matrix can be expressed as linear combinations of other columns, the "
        "corresponding parameters can be grouped and only one column kept in the dynamic matrix",
        "the lumped form keeps seven independent columns, and the exact one loses zero and dependent ones",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (
            Criterion("rank of the lumped form", Sense.AT_LEAST, 7.0, "", "printed: 7 parameters", (0.0, 7.0)),
            Criterion("zero columns of the exact form", Sense.AT_LEAST, 1.0, "", "can be dropped"),
            Criterion("dependent columns of the exact form", Sense.AT_LEAST, 1.0, "", "can be grouped"),
        ),
        Verdict.HOLDS,
    ),
    Claim(
        "equal",
        "sec. 4.2",
        "A linear form of the dynamic equation of the DELTA robot can be derived by a direct application of equation",
        "tau = Psi p is the model of the lumped robot",
        EQUATIONS,
        Evidence.CONSISTENCY,
        (Criterion("relative difference of torques", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "sign",
        "eq. (43)",
        "with g_i ≡ -g cos q_i (g is the gravitational acceleration).",
        "with q counted as in eqs. (38) and (39), gravity's column has a minus",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from -g cos q", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.HOLDS,
    ),
    Claim(
        "rotation",
        "eq. (41)",
        "The rotation matrix from frame A_i to the inertial frame O is given by",
        "an arm that turns by eq. (41) has the angular velocity of eq. (38)",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from [0, q_dot, 0]", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.REFUTED,
    ),
    Claim(
        "six",
        "sec. 3.3",
        "can be applied easily to 6 dof fully parallel robots also",
        "the linear form gives the forces of robots with six freedoms",
        LIBRARY,
        Evidence.CONSISTENCY,
        (Criterion("relative difference of forces", Sense.AT_MOST, EXACT, "", _SAME),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "tilde",
        "eq. (31)",
        "Equation (27) can be written in a linear form of the dynamic parameters of body i",
        "the printed matrix of omega times I_p is I omega, with I_p in the printed order",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from I omega", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.REFUTED,
    ),
    Claim(
        "workspace",
        "sec. 4.2",
        "This simplification does not lead to too much loss compared to a complete model of the dynamics",
        "a third of each forearm on the plate and two thirds at the elbow cost little, all over the workspace",
        DELTA,
        Evidence.INDEPENDENT,
        (Criterion("rms torque error", Sense.AT_MOST, LITTLE, "%", _LOSS),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "cycle",
        "sec. 4.2",
        "This simplification does not lead to too much loss compared to a complete model of the dynamics",
        "the same along pick-and-place, from slow to faster than any Delta",
        DELTA,
        Evidence.INDEPENDENT,
        (Criterion("rms torque error", Sense.AT_MOST, LITTLE, "%", _LOSS),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "robots",
        "sec. 3.3",
        "It has been shown in [4] that for most fully parallel robots this assumption leads to a simple model without "
        "too much loss.",
        "leaving out the inertia of legs costs little on more than half of the robots",
        LIBRARY,
        Evidence.INDEPENDENT,
        (Criterion("robots with little loss", Sense.AT_LEAST, 50.0, "%", "most: more than half", (0.0, 100.0)),),
        Verdict.UNDECIDED,
    ),
    Claim(
        "adaptive",
        "sec. 5",
        "It led to simple equations which can be used in a real time nonlinear adaptive control scheme.",
        "the linear form serves adaptive control: base parameters of the exact model, all 30 % wrong",
        CONTROLLER,
        Evidence.INDEPENDENT,
        (
            Criterion("path error left", Sense.AT_MOST, FORGOTTEN, "%", _LESS),
            Criterion("parameter error left", Sense.AT_MOST, FORGOTTEN, "%", _LESS),
        ),
        Verdict.HOLDS,
    ),
    Claim(
        "lumped_adaptive",
        "sec. 4.2",
        "This equation is simple and can thus be used in a real time implementation of a non-linear adaptive control "
        "scheme.",
        "eq. (45) itself serves it: its seven parameters, 30 % wrong, on the exact robot",
        CONTROLLER,
        Evidence.INDEPENDENT,
        (
            Criterion("path error left", Sense.AT_MOST, FORGOTTEN, "%", _LESS),
            Criterion("parameter error left", Sense.AT_MOST, FORGOTTEN, "%", _LESS),
        ),
        Verdict.HOLDS,
    ),
    Claim(
        "share",
        "sec. 4.2",
        "The most time consuming part is the computation of the Jacobian matrix.",
        "in our implementation J takes more than half of the operations of Psi",
        EQUATIONS,
        Evidence.OWN,
        (Criterion("operations of J", Sense.AT_LEAST, 50.0, "%", "the most time consuming part", (0.0, 100.0)),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "time",
        "sec. 4.2",
        "It can be calculated numerically [4] and takes about 1 ms on a T800 transputer.",
        "the Jacobian takes 1 ms",
        EQUATIONS,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    added("thirds", "what the seven parameters could do if fitted to the exact torques", DELTA),
)
"""The claims in the order of the report."""

GAPS = (
    "No dimensions or masses of the DELTA are printed: those of the library's Delta are assumed, and forearms varied.",
    "Eq. (36) and (43) are lost with the figures; they follow from eq. (34) with (37) to (41).",
    "'Not too much loss' has no number. Here: an rms error of at most 5 % of the rms torque, friction left out.",
    (
        "Speeds that go with an acceleration a over the workspace: none, and v = sqrt(a 0.15 m), in directions drawn "
        "at random. Pick-and-place: 25 mm up, 305 mm across, 25 mm down, and back, in 2 s to 0.3 s."
    ),
    (
        "Leaving out the inertia of legs: bars as two points by thirds; of telescopic legs each part as a point at the "
        "end that it is fixed to. The Delta with a shaft is neither, and left out."
    ),
    (
        "No adaptive law is printed. Base parameters: Slotine and Li's. Eq. (45): forces along the reference, "
        "p_dot = Gamma Psi^T f, f from PD feedback. Both follow 20 periods of a Fourier excitation of 0.5 Hz, between "
        "blends from and to rest that are not judged."
    ),
    (
        "The seven parameters have no true values on a robot that is not lumped: they are judged against those that "
        "fit the exact torques of the excitation best."
    ),
    "The acceleration of the plate is exact here, not differentiated numerically.",
)
"""What the paper leaves open, and how it was read here."""
