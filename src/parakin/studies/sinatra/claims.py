"""The claims of [Sinatra2009], and how this study reads what the paper leaves open."""

from __future__ import annotations

import numpy as np

from parakin.studies.common import ROUNDING
from parakin.studies.criteria import Criterion, Evidence, Sense, Verdict
from parakin.studies.definition import Apparatus, Claim, added
from parakin.studies.sinatra.legs import TENSORS

COUNTS = 5.0
"""Share of the forces above which a part counts as significant [%]."""
FEWER = 0.8
"""Operations of the new method over those of another, up to which they are "significantly" reduced."""

EQUATIONS = Apparatus("the equations", "Nothing but the printed equations and the numbers of eq. (24).")
"""What claims about equations need."""
HEXAPOD = Apparatus(
    "the hexapod in its own motions",
    "A simulated hexapod with the numbers of eq. (24), in the three motions of eq. (6), 3 s each; here the library's "
    "hexapod_sliding without friction, with the printed tensor of a leg and the nearest centre of mass that makes it "
    "possible, with that tensor and the centre in the middle, and with uniform rods.",
    tuple(TENSORS),
)
"""The machine in the motions that the paper simulates."""
FAST = Apparatus(
    "the hexapod at high speed",
    "A machine tool that the paper speaks of and does not simulate; here the same motions in a tenth of the time, with "
    "the same three legs.",
    tuple(TENSORS),
)
"""The paper's machine in motions as fast as the paper has in mind."""
SPEEDS = Apparatus(
    "a parallel robot at any speed",
    "Parallel robots at large; here the hexapod in the paper's motions, in their own time and in a tenth of it, with "
    "each of these legs.",
    tuple(TENSORS),
)
"""What a sentence about parallel robots in general needs."""

_ANY = (-np.inf, np.inf)
_SAME = "the same but for rounding"

CLAIMS = (
    Claim(
        "loop",
        "eq. (2), (7)",
        "we obtain the following matrices of transformation",
        "the matrices close the loop of leg A at home",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("gap of the loop", Sense.AT_MOST, 1e-6, "m", "closed but for rounding of the printed numbers"),),
        Verdict.REFUTED,
    ),
    Claim(
        "tensor",
        "eq. (24)",
        "As applications let us consider a manipulator, which has the following characteristics",
        "a leg of 0.398 kg and 0.5 m can have 0.0722 kg m^2 across it about its joint, with its centre of mass where "
        "the other claims about the machine have it",
        HEXAPOD,
        Evidence.INDEPENDENT,
        (
            Criterion(
                "leg's over largest possible moment", Sense.AT_MOST, 1.0 + ROUNDING, "", "a leg has these numbers"
            ),
            Criterion("leg's moment less the printed one", Sense.AT_MOST, ROUNDING, "kg m^2", "as printed"),
        ),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "velocities",
        "eq. (13)",
        "matrix conditions of connectivity established for the characteristic relative velocities of first leg",
        "a leg's part of eq. (13) is the derivative of its part of the loop (7)",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from the derivative", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.HOLDS,
    ),
    Claim(
        "angular",
        "eq. (14)",
        "denotes the skew-symmetric matrix associated to the absolute angular velocity",
        "eq. (14) is the angular velocity of the platform that eq. (5) turns",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from the derivative", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.HOLDS,
    ),
    Claim(
        "accelerations",
        "eq. (16)",
        "following other conditions of connectivity are imposed",
        "a leg's part of eq. (16) is the second derivative of its part of the loop (7)",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from the derivative", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.HOLDS,
    ),
    Claim(
        "square",
        "eq. (17)",
        "where an useful square matrix is introduced",
        "eq. (17) gives the platform's second derivative, products of all three rates included",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from the derivative", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.HOLDS,
    ),
    Claim(
        "force",
        "eq. (20)",
        "Now, we compute the force of inertia",
        "the first line of eq. (20) is the force of a body's inertia",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from the sum over points", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.HOLDS,
    ),
    Claim(
        "moment",
        "eq. (20)",
        "with respect to the centre of its first joint",
        "the second line of eq. (20) is the moment of a body's inertia, with the mass before the tensor's terms, too",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("relative difference from the sum over points", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.REFUTED,
    ),
    Claim(
        "method",
        "sec. 3",
        "The explicit dynamics equation represents a definitive formula, obtained by the transformation of the general "
        "expression of the virtual work where the relative virtual velocities only appear, generated by recursive "
        "relations.",
        "the recursive matrix relation gives the input forces",
        EQUATIONS,
        Evidence.CONSISTENCY,
        (Criterion("relative difference from other formulations", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "operations",
        "sec. 1",
        "It has been proved to reduce the number of equations and computation operations significantly by using a set "
        "of matrices for kinematics and dynamics models.",
        "in our implementations it takes fewer operations than virtual work body by body",
        EQUATIONS,
        Evidence.OWN,
        (Criterion("operations over those body by body", Sense.AT_MOST, FEWER, "", "significantly: a fifth fewer"),),
        Verdict.NOT_REPRODUCED,
    ),
    Claim(
        "efficient",
        "sec. 5",
        "Based on the principle of virtual work, the new approach is far more efficient, can eliminate all forces of "
        "internal joints and establishes a direct determination of the time-history evolution of active forces and "
        "powers required by the three actuators.",
        "it is far more efficient than the formalisms of Lagrange and of Newton and Euler",
        EQUATIONS,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "levels",
        "Fig. 3 to 8",
        "the six input forces (Fig. 5) and the powers (Fig. 6) required by the actuators are calculated by the program "
        "and plotted versus time.",
        "input forces and powers of the three motions have the plotted levels",
        HEXAPOD,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "vertical",
        "Fig. 3, 4",
        "As can be seen from Fig. 3 and Fig. 4 it is proved to be true that all input forces and powers are "
        "permanently equal to one another.",
        "in vertical motion all six forces and powers are equal, all the time",
        HEXAPOD,
        Evidence.INDEPENDENT,
        (Criterion("relative difference between actuators", Sense.AT_MOST, ROUNDING, "", _SAME),),
        Verdict.HOLDS,
    ),
    Claim(
        "rising",
        "Fig. 3",
        "platform is going to the fixed base, the limbs become more horizontally oriented, therefore increasing the "
        "actuating forces.",
        "forces grow all the way, as those that only hold the platform do, while the legs lose steepness",
        HEXAPOD,
        Evidence.INDEPENDENT,
        (
            Criterion("smallest growth from sample to sample", Sense.AT_LEAST, 0.0, "N", "increasing", _ANY),
            Criterion("smallest growth of holding forces", Sense.AT_LEAST, 0.0, "N", "therefore: by geometry", _ANY),
            Criterion("largest growth of steepness", Sense.AT_MOST, 0.0, "deg", "more horizontally oriented", _ANY),
        ),
        Verdict.HOLDS,
    ),
    Claim(
        "rotation",
        "Fig. 7, 8",
        "during the rotation motion of the platform, the actuators B, D, F only are working in an active regime with "
        "increasing forces and positive values of the absorbed powers.",
        "B, D, F and no others have a power that is never negative, and forces that grow",
        HEXAPOD,
        Evidence.INDEPENDENT,
        (
            Criterion("actuators active or idle against the text", Sense.AT_MOST, 0.0, "", "B, D, F only", (0.0, 6.0)),
            Criterion("smallest growth of B, D, F from start to end", Sense.AT_LEAST, 0.0, "N", "increasing", _ANY),
        ),
        Verdict.HOLDS,
    ),
    Claim(
        "dominance",
        "sec. 3",
        "dominance of inertial forces over the frictional and gravitational components",
        "inertial forces exceed those of gravity, in the paper's own motions and in the same ten times as fast",
        SPEEDS,
        Evidence.INDEPENDENT,
        (Criterion("inertial over gravitational forces, rms", Sense.AT_LEAST, 100.0, "%", "dominance"),),
        Verdict.UNDECIDED,
    ),
    Claim(
        "inertia",
        "sec. 1",
        "This problem is important, because the leg inertia of the Hexapod is compatible to that of the moving "
        "platform and dynamics becomes significant when operating at high speeds.",
        "at high speed the inertia of the legs, without their weight, is a significant share of the forces",
        FAST,
        Evidence.INDEPENDENT,
        (Criterion("share of the legs' inertia, rms", Sense.AT_LEAST, COUNTS, "%", "significant"),),
        Verdict.HOLDS,
    ),
    added("slow", "what the legs ask for in the paper's own motions", HEXAPOD),
    added("pairs", "the plane of symmetry shows in pairs in the rectilinear motion", HEXAPOD),
    added("reverse", "which actuators work actively when the platform turns the other way", HEXAPOD),
)
"""The claims in the order of the report."""

GAPS = (
    (
        "Base axes as in the paper: z down, gravity along +z; R of eq. (5) goes from base to platform, its transpose "
        "turns the platform. A force is positive down its guide, so holding the platform takes negative forces."
    ),
    "Eq. (2) is used without the transpose on a_2alpha: with it the loop stays open at home.",
    (
        "The leg's tensor is used as printed, about the joint centre A3. Its centre of mass is not printed: it is put "
        "where the tensor just becomes possible, and all claims are tried as well with the centre in the middle, where "
        "no leg has that tensor. The tensor's second, axial entry is printed as a gap: zero. Slider and Hooke joint "
        "have masses and no tensors: points."
    ),
    "The paper has no friction, and neither has this run. The library's drives and their friction are assumed.",
    "The vertical motion is eq. (6) with z* = 0.15 m: 0.3 m upwards in 3 s, towards the base.",
    (
        "Share of a part: the rms of the forces it asks for, over time and actuators, of the rms of all forces. Legs "
        "are all that is not the platform: sliders, Hooke joints, rods. High speed: the same way in 0.3 s."
    ),
    (
        "To work actively is read as: a power that is never negative and becomes positive. Increasing: the force is "
        "larger in size at the end than at the beginning."
    ),
)
"""What the paper leaves open, and how it was read here."""
