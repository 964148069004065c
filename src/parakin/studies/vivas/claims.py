"""The claims of [Vivas2003], and how this study reads what the paper leaves open."""

from __future__ import annotations

import numpy as np

from parakin.studies.criteria import Criterion, Evidence, Sense, Verdict
from parakin.studies.definition import Apparatus, Claim, added
from parakin.studies.vivas.setups import SETUPS

SIMILAR = 2.0
"""Factor that "very similar" and "equivalent" allow, and that "advantageous" exceeds."""
FORCE_LIMIT = 30.0
"""Limit of every drive [N m]; assumed, the library's H4 has it."""

CELL = Apparatus(
    "the H4 and its cell",
    "The H4 of LIRMM with its motors, encoders and 1 ms controller; here the library's H4 (lengths, friction, weight "
    "of arms and rods and drives of 30 N m assumed), with every combination of a rates' filter, encoders, delay and a "
    "reading of the predictive law.",
    tuple(SETUPS),
    loops=True,
)
"""The apparatus of section 5: its claims are judged in one and the same of SETUPS."""
LOG = Apparatus("a log of the H4", "Measured positions and torques; here a simulated robot.")
"""What the identification needs."""
EQUATIONS = Apparatus("the equations", "Nothing but the printed equations, on the library's H4.")
"""What claims about equations need."""

_ALIKE = "very similar or equivalent: within a factor of two"
_SATURATED = (0.0, 16.0)

CLAIMS = (
    Claim(
        "table",
        "sec. 2.3",
        "The dynamic parameters are estimated using weighted least square techniques.",
        "weighted least squares on eq. (13) give the six parameters of Table 1 back",
        LOG,
        Evidence.CONSISTENCY,
        (Criterion("largest error of a parameter", Sense.AT_MOST, 5.0, "%", "what counts as recovered"),),
        Verdict.CONSISTENT,
    ),
    Claim(
        "modes",
        "sec. 2.1",
        "Up to now, the simplest model we've got is a 8th degree polynomial equation.",
        "forward kinematics has eight complex solutions, neither more nor fewer",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (
            Criterion("fewest complex solutions", Sense.AT_LEAST, 8.0, "", "the printed degree", (0.0, 64.0)),
            Criterion("most complex solutions", Sense.AT_MOST, 8.0, "", "the printed degree", (0.0, 64.0)),
        ),
        Verdict.HOLDS,
    ),
    Claim(
        "angle",
        "sec. 5.1",
        "This motion corresponds to a joint angular magnitude of 0.35rad (20°).",
        "0.1 m along z turn the arms by 0.35 rad",
        EQUATIONS,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "future",
        "eq. (30)",
        "The minimization of the performance index without smoothing control term, in the case of the polynomial base "
        "functions, leads to the applied control variable",
        "the law as printed follows a moving set point",
        EQUATIONS,
        Evidence.INDEPENDENT,
        (Criterion("lag on the lift", Sense.AT_MOST, 1.0, "ms", "a law that follows is late by less than a tick"),),
        Verdict.REFUTED,
    ),
    Claim(
        "tracking",
        "sec. 5.1",
        "The tracking performances are very similar for both strategies.",
        "largest joint errors on the lift are alike",
        CELL,
        Evidence.INDEPENDENT,
        (Criterion("larger over smaller peak error", Sense.AT_MOST, SIMILAR, "", _ALIKE, (1.0, np.inf)),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "torques",
        "sec. 5.1",
        "The torques respect the actuator limitations.",
        "no drive saturates on the lift",
        CELL,
        Evidence.INDEPENDENT,
        (Criterion("laws that saturate or stop", Sense.AT_MOST, 0.0, "", "respect: none", (0.0, 2.0)),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "load",
        "sec. 5.2",
        "With the same controller tuning as for the tracking experiments, these results show the good robustness with "
        "respect to load variation for both strategies.",
        "both take up 4 kg without saturating or stopping",
        CELL,
        Evidence.INDEPENDENT,
        (Criterion("laws that saturate or stop", Sense.AT_MOST, 0.0, "", "good robustness: none", (0.0, 2.0)),),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "rejection",
        "sec. 5.2",
        "The rejection time is equivalent in both cases.",
        "until all errors stay within 2, 1, 0.5 and 0.3 mrad of where they end, the same bands for both laws",
        CELL,
        Evidence.INDEPENDENT,
        (Criterion("largest ratio of times over the bands", Sense.AT_MOST, SIMILAR, "", _ALIKE, (1.0, np.inf)),),
        Verdict.REFUTED,
    ),
    Claim(
        "static",
        "sec. 5.2",
        "However we notice static errors due to mechanism friction and backlash which are not yet considered in the "
        "dynamic model.",
        "errors that stay come from friction and backlash",
        CELL,
        Evidence.NONE,
        (),
        Verdict.OPEN,
    ),
    Claim(
        "mismatch",
        "sec. 5.3",
        "The PFC controller results in case of model mismatch are very advantageous with respect to the CTC controller "
        "which saturates the torque inputs.",
        "with a model wrong by half computed torque saturates, predictive control does not, and neither does with the "
        "right model",
        CELL,
        Evidence.INDEPENDENT,
        (
            Criterion("wrong models that saturate computed torque", Sense.AT_LEAST, 1.0, "", "saturates", _SATURATED),
            Criterion("wrong models that saturate predictive", Sense.AT_MOST, 0.0, "", "does not", _SATURATED),
            Criterion("laws that saturate with the right model", Sense.AT_MOST, 0.0, "", "sec. 5.1", (0.0, 2.0)),
        ),
        Verdict.CONDITIONAL,
    ),
    Claim(
        "advantage",
        "sec. 5.3",
        "The PFC controller results in case of model mismatch are very advantageous with respect to the CTC controller "
        "which saturates the torque inputs.",
        "with that model predictive control tracks much better",
        CELL,
        Evidence.INDEPENDENT,
        (Criterion("peak error, computed torque over predictive", Sense.AT_LEAST, SIMILAR, "", "very advantageous"),),
        Verdict.CONDITIONAL,
    ),
    added("rods", "what the estimate gives if arms and rods do weigh something", LOG),
    added("margins", "what gain and delay both laws bear", CELL),
    added("elastic", "elastic modes borne by a robot half as heavy", CELL),
    added(
        "springs", "who saturates with elastic drives and a model wrong by half, though stable with the right one", CELL
    ),
    added("circle", "further work announced: a circle", CELL),
    added("machining", "further work announced: a slot cut slowly", CELL),
)
"""The claims in the order of the report."""

GAPS = (
    (
        "R, L, l, d and h are not printed, nor limits of the drives (assumed 30 N m) nor the duration of the motion "
        "(assumed 0.5 s) and of the record (2 s more, so that an unstable loop has time to show it)."
    ),
    "Eq. (6) has l where the text says L; Table 1 prints inertias in Nm2, read as kg m².",
    "The plant has what eq. (13) leaves out: weight of arms and rods, friction. The controller's model is eq. (13).",
    (
        "Sensors are not described: 80 cells are tried. Where one is enough it has encoders of 2^17 counts, rates by "
        "differences filtered at 100 Hz and a tick of delay."
    ),
    (
        "Coincidence points, degree and estimator of the model's error are not given and decide stiffness and margin: "
        "6, 12, 18 samples and a ramp fitted to 18 errors; other readings: 18, 36, 54 samples, no ramp."
    ),
    "Eq. (30) leaves out the set point's own future, which eq. (20) contains: put back unless said otherwise.",
    (
        "Up to 50 % errors from the nominal values is read both ways, controller's values off the robot's and robot's "
        "off the controller's, with all signs of motors, nacelle mass and nacelle inertia: 16 wrong models."
    ),
    "How the load was put on is not said: it is there from one tick to the next while the robot holds still.",
    "No plot of sec. 5 has readable numbers: similar is within a factor of two, much better is beyond it.",
    "Friction is smooth about rest, drives are rigid and have no play, unless said otherwise.",
)
"""What the paper leaves open, and how it was read here."""
