"""The claims of [Vivas2003], and how this study reads what the paper leaves open."""

from __future__ import annotations

from parakin.studies.definition import Claim, Verdict

CLAIMS = (
    Claim(
        "table",
        "Table 1",
        "weighted least squares on eq. (13) give the six parameters",
        "0.0164 to 0.0234 kg m², 0.984 kg, 0.0029 kg m²",
        Verdict.HOLDS,
    ),
    Claim("rods", "added", "what the same estimate gives if arms and rods do weigh something", "-", Verdict.ADDED),
    Claim("angle", "sec. 5.1", "0.1 m along z turn the arms by 0.35 rad", "0.35 rad", Verdict.CONDITIONAL),
    Claim("future", "eq. (30)", "the predictive law as printed follows the set point", "-", Verdict.REFUTED),
    Claim("tracking", "Fig. 7, 9", "both laws track very similarly", "-", Verdict.CONDITIONAL),
    Claim("torques", "Fig. 8, 10", "their torques respect the actuators' limits", "-", Verdict.HOLDS),
    Claim("load", "Fig. 11-18", "both are robust against 4 kg on the nacelle", "4 kg", Verdict.HOLDS),
    Claim("rejection", "sec. 5.2", "both take the same time to reject it", "-", Verdict.REFUTED),
    Claim("static", "sec. 5.2", "the errors that stay come from friction and backlash", "-", Verdict.REFUTED),
    Claim(
        "mismatch",
        "sec. 5.3",
        "with a model wrong by 50 % computed torque saturates and predictive control does not",
        "50 %",
        Verdict.CONDITIONAL,
    ),
    Claim("advantage", "sec. 5.3", "with that model predictive control tracks much better", "-", Verdict.HOLDS),
    Claim("margins", "added", "what gain and delay both laws bear with the printed tuning", "-", Verdict.ADDED),
    Claim("elastic", "added", "elastic modes of the drives borne by a robot half as heavy", "-", Verdict.ADDED),
    Claim("circle", "sec. 6", "further work announced: a circle", "-", Verdict.ADDED),
    Claim("machining", "sec. 6", "further work announced: a slot cut at slow feed", "-", Verdict.ADDED),
)
"""The claims in the order of the report."""

GAPS = (
    (
        "R, L, l, d and h are not printed, nor limits of the drives (assumed 30 N m) nor the duration of the motion "
        "(assumed 0.5 s)."
    ),
    "Eq. (6) has l where the text says L; Table 1 prints inertias in Nm2, read as kg m².",
    "The plant has what eq. (13) leaves out: weight of arms and rods, friction. The controller's model is eq. (13).",
    (
        "Sensors are not described: encoders of 2^17 counts, rates by differences filtered at 100 Hz and a tick of "
        "delay unless said otherwise."
    ),
    (
        "Coincidence points, degree and estimator of the model's error are not given and decide stiffness and margin: "
        "6, 12, 18 samples and a ramp fitted to 18 errors; other readings: 18, 36, 54 samples, no ramp."
    ),
    "Eq. (30) leaves out the set point's own future, which eq. (20) contains: put back unless said otherwise.",
    (
        "Up to 50 % errors from the nominal values is read both ways, controller's values off the robot's and robot's "
        "off the controller's, with all signs."
    ),
    "How the load was put on is not said: it is there from one tick to the next while the robot holds still.",
    "No plot of sec. 5 has readable numbers: similar is within a factor of two, much better is beyond it.",
)
"""What the paper leaves open, and how it was read here."""
