"""The claims of [Codourey1997], and how this study reads what the paper leaves open."""

from __future__ import annotations

from parakin.studies.definition import Claim, Verdict

CLAIMS = (
    Claim(
        "structure",
        "eq. (45)",
        "Psi of the DELTA has two columns for each arm, g_i and q_ddot_i in its own row, and J^T (x_ddot - G)",
        "3 x 7",
        Verdict.HOLDS,
    ),
    Claim(
        "columns",
        "sec. 3.3",
        "Columns of zeros and dependent columns of the general form (34) can be dropped",
        "7 parameters left after lumping",
        Verdict.HOLDS,
    ),
    Claim("equal", "eq. (45)", "tau = Psi p is the model of the lumped robot", "exact", Verdict.HOLDS),
    Claim(
        "sign", "eq. (41), (43)", "With q as in (41), gravity's column is g_i = -g cos q_i", "minus", Verdict.REFUTED
    ),
    Claim(
        "workspace",
        "sec. 4.2",
        "A third of each forearm on the plate and two thirds at the elbow costs little, over the workspace",
        "not too much loss",
        Verdict.HOLDS,
    ),
    Claim(
        "cycle",
        "sec. 4.2",
        "The same along fast pick-and-place",
        "not too much loss",
        Verdict.HOLDS,
    ),
    Claim(
        "robots",
        "sec. 3.3",
        "Leaving out the inertia of legs costs little on most fully parallel robots",
        "not too much loss",
        Verdict.HOLDS,
    ),
    Claim(
        "thirds",
        "added",
        "What the seven parameters could do if fitted to the exact torques instead",
        "-",
        Verdict.ADDED,
    ),
    Claim(
        "adaptive",
        "sec. 1, 5",
        "The linear form serves nonlinear adaptive control: here base parameters of the exact model, all 30 % wrong",
        "no law, no result",
        Verdict.HOLDS,
    ),
    Claim(
        "lumped_adaptive",
        "sec. 4.2",
        "Eq. (45) itself serves it: its seven parameters, 30 % wrong, on the exact robot",
        "no law, no result",
        Verdict.HOLDS,
    ),
    Claim(
        "share",
        "sec. 4.2",
        "The Jacobian is the most expensive part of the form",
        "most time consuming",
        Verdict.HOLDS,
    ),
    Claim(
        "time",
        "sec. 4.2",
        "The Jacobian is quick enough for real time: their time or less",
        "1 ms on a T800 transputer",
        Verdict.HOLDS,
    ),
)
"""The claims in the order of the report."""

GAPS = (
    (
        "No dimensions or masses of the DELTA are printed: those of the library's Delta are assumed. Losses depend on "
        "the forearms' share of what moves, which a figure varies."
    ),
    "Eq. (36) and (43) are lost with the figures; they follow from eq. (34) with (37) to (41).",
    "'Not too much loss' has no number. Here: an rms error below 5 % of the rms torque, friction left out.",
    (
        "Speeds that go with an acceleration a over the workspace: none, and v = sqrt(a 0.15 m), in directions drawn "
        "at random. Pick-and-place: 25 mm up, 305 mm across, 25 mm down, and back, in 2 s to 0.3 s."
    ),
    (
        "No adaptive law is printed. Base parameters: Slotine and Li's. Eq. (45): forces along the reference, "
        "p_dot = Gamma Psi^T f, f from PD feedback. Both follow a Fourier excitation of 0.5 Hz for 40 s, 0.5 ms a tick."
    ),
    (
        "The seven parameters have no true values on a robot that is not lumped: they are judged against those that "
        "fit the exact torques of the excitation best."
    ),
    "The acceleration of the plate is exact here, not differentiated numerically.",
)
"""What the paper leaves open, and how it was read here."""
