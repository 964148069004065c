"""The claims of [Ozgur2013], and how this study reads what the paper leaves open."""

from __future__ import annotations

import numpy as np

from parakin.studies.common import ROUNDING
from parakin.studies.criteria import Criterion, Evidence, Sense, Verdict
from parakin.studies.definition import Apparatus, Claim, added
from parakin.studies.ozgur.routes import ROBOTS

LIBRARY = Apparatus(
    "the robots",
    "Quattro, Gough-Stewart, Orthoglide, Delta, 3-RRR and five-bar, no dimensions printed; here those of the library, "
    "and the Delta with a shaft besides.",
    tuple(ROBOTS),
)
"""The robots that the method is applied to; a claim about all of them is tried on each."""
FIVE_BAR = Apparatus(
    "the five-bar of Table 3",
    "A five-bar with uniform bars, whose numbers and rule of counting are not printed; here the library's with thin "
    "uniform bars, friction included.",
)
"""The robot whose operations the paper counts."""
READINGS = ("in numbers of operations", "in proportion")
"""What "difference in computational complexity" may mean."""
DIFFERENCE = Apparatus(
    "vision against encoders",
    "Implementations of both routes that are not described; here our own. On the five-bar both regrouped, in the "
    "plane; on all robots both by A Gamma + b = 0, encoders finding the pose first, by closed form or one Newton step.",
    READINGS,
)
"""The comparison of both routes, the same for every claim about it."""
FRAMES = ("arms that turn forwards", "arms at rest", "arms that turn backwards")
"""States of an element in which its frame is asked for."""
FRAME = Apparatus("the frame of an element", "Eq. (10) along a circle and at rest, on the library's five-bar.", FRAMES)
"""What the claim about eq. (10) needs."""
MODEL = Apparatus("the model of friction", "Table 2 and eq. (53) along a circle, on the library's five-bar.")
"""What the claim about friction needs."""
CAMERA = Apparatus("a Quattro with a camera", "A vision-based observer that another paper describes.")
"""What the claim about control needs."""

_SAME = "the same but for rounding"
SAME_COUNT = 1.1
"""Factor by which an own count may differ from a printed one, whose rule of counting is not given."""
_COUNT = "Table 3, within a tenth: how it was counted is not said"

CLAIMS = (
    Claim(
        "steps",
        "sec. 6",
        "In short, using the proposed method, one can write efficiently the inverse dynamic model of a parallel robot "
        "by simply following these 6 steps",
        "one code after the six steps gives the forces of other formulations on every robot",
        LIBRARY,
        Evidence.CONSISTENCY,
        (Criterion("relative difference of forces", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "trigonometry",
        "sec. 8",
        "Neither trigonometric nor exponential functions are used.",
        "no sine or cosine of what is observed is needed",
        LIBRARY,
        Evidence.COUNT,
        (Criterion("sines and cosines", Sense.AT_MOST, 0.0, "", "neither"),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "operators",
        "sec. 8",
        "Written equations use only addition (+) and multiplication (*) operators.",
        "A and b need no square root; divisions are taken for multiplications",
        LIBRARY,
        Evidence.COUNT,
        (Criterion("square roots", Sense.AT_MOST, 0.0, "", "only addition and multiplication"),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "unique",
        "sec. 7",
        "vision allows us to sense the kinematic elements (i.e., directed 3D lines) in Cartesian space, which uniquely "
        "define the state of the robot",
        "no motion of the platform leaves the directions of all elements as they are",
        LIBRARY,
        Evidence.INDEPENDENT,
        (Criterion("motions that turn no element", Sense.AT_MOST, 0.0, "", "uniquely: none", (0.0, 6.0)),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "vision",
        "Table 3",
        "The computational complexity up to the solution (65) of the five-bar mechanism costs 404 addition (+) and 656 "
        "multiplication (*) arithmetic operations.",
        "eqs. (29) to (65), transcribed line by line in three dimensions, take so many",
        FIVE_BAR,
        Evidence.COUNT,
        (
            Criterion("additions, larger over smaller count", Sense.AT_MOST, SAME_COUNT, "", _COUNT, (1.0, np.inf)),
            Criterion("multiplications, the same", Sense.AT_MOST, SAME_COUNT, "", _COUNT, (1.0, np.inf)),
        ),
        Verdict.NOT_REPRODUCED,
    ),
    Claim(
        "encoders",
        "Table 3",
        "We can see that in Table 3 trying to express dependent variables by means of independent ones increases the "
        "computational complexity and introduces non-linear operations.",
        "from encoders it takes 484 additions, 778 multiplications, 2 sines and 2 cosines",
        FIVE_BAR,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "dearer",
        "sec. 7",
        "We can see that in Table 3 trying to express dependent variables by means of independent ones increases the "
        "computational complexity and introduces non-linear operations.",
        "encoders make the five-bar's model dearer than vision, each route in the shortest form that we have",
        DIFFERENCE,
        Evidence.OWN,
        (Criterion("encoders over vision, operations", Sense.AT_LEAST, 1.0, "", "increases"),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "severe",
        "sec. 7",
        "This difference in computational complexity will be pronounced severely for a more complex parallel robot.",
        "on every other robot the difference is larger than on the five-bar",
        DIFFERENCE,
        Evidence.OWN,
        (Criterion("smallest difference over the five-bar's", Sense.AT_LEAST, 1.0, "", "more pronounced"),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "frame",
        "eq. (10)",
        "turns the kinematic element around z axis of its body frame",
        "y = x_dot/|x_dot| and z = x × y give an element a frame whose z is the joint's axis",
        FRAME,
        Evidence.INDEPENDENT,
        (Criterion("z undefined or turned over", Sense.AT_MOST, 0.0, "%", "z is the axis", (0.0, 100.0)),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "friction",
        "Table 2, eq. (53)",
        "offer resistance on the kinematic element mobility.",
        "a passive joint's friction, placed on the outer element alone, only takes power",
        MODEL,
        Evidence.INDEPENDENT,
        (Criterion("time in which it drives the robot", Sense.AT_MOST, 0.0, "%", "resistance", (0.0, 100.0)),),
        Verdict.REFUTED,
    ),
    Claim(
        "control",
        "sec. 7",
        "Thus, vision has potential to allow for a direct use of our method on the real robots.",
        "vision controls a Quattro through this model",
        CAMERA,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    added("singular", "A against the transposed J_qv: singularities, announced as future work", LIBRARY),
    added("angles", "torque error per noise of angles, observed directions against encoders", FIVE_BAR),
    added("rates", "the same with rates and accelerations taken from noisy angles", FIVE_BAR),
    added("near", "how torque errors grow as the forearms come into line", FIVE_BAR),
)
"""The claims in the order of the report."""

GAPS = (
    "No dimensions are printed, of any robot: those of the library are used, most of them assumed.",
    (
        "How the operations of Table 3 were counted is not said. Here: subtractions and negations are additions, "
        "divisions and squares multiplications, signs and constants free, nothing computed twice; friction of "
        "actuators and elbows included."
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
        "Encoder routes: forward kinematics (closed form, or one Newton step), rates, accelerations, then "
        "A Gamma + b = 0; nothing is shared between these steps, and tests for bad poses are counted."
    ),
    (
        "Noise: white, independent, of equal standard deviation on each measured angle, four bars in the plane or two "
        "motors; 1 kHz on a circle at 1 m/s. Rates are exact, or those of a cubic fitted to 21 samples."
    ),
)
"""What the paper leaves open, and how it was read here."""
