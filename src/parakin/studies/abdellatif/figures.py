"""Figures of the study of [Abdellatif2005]: effective inertia, tracking errors, and who gains by decoupling."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, letter_panels

_MARKERS = "osD^v"


def inertia_figure(t: Array, inertia: Array, actuators: Sequence[str]) -> Figure:
    """Draw the effective inertia (N, actuators) [kg] over t (N,) [s]; the legend says by how much each varies."""
    figure = Figure(figsize=(6.4, 3.0), layout="constrained")
    axes = figure.subplots()
    for k, name in enumerate(actuators):
        lowest, highest = float(inertia[:, k].min()), float(inertia[:, k].max())
        label = f"{name}: {100 * (highest / lowest - 1):.0f} %"
        axes.plot(t, inertia[:, k], color=COLOURS[k], linestyle=LINES[k % len(LINES)], linewidth=1.8, label=label)
    dressed(axes, "effective inertia [kg]")
    axes.set_xlabel("time [s]")
    axes.set_xlim(float(t[0]), float(t[-1]))
    title = "largest above\nsmallest"
    place = (1.0, 0.5)
    axes.legend(fontsize=9, frameon=False, title=title, title_fontsize=9, loc="center left", bbox_to_anchor=place)
    return figure


def errors_figure(t: Array, errors: Mapping[str, Array], actuators: Sequence[str]) -> Figure:
    """Draw tracking errors, one column for each actuator: all laws above, all but the first on a finer scale below.

    errors: law -> (N, actuators) [µm] over t (N,) [s]
    """
    figure = Figure(figsize=(7.4, 4.2), layout="constrained")
    panels = figure.subplots(2, len(actuators), sharex=True, sharey="row")
    for row, chosen in enumerate((list(errors), list(errors)[1:])):
        for k, name in enumerate(actuators):
            axes = panels[row, k]
            for label in chosen:
                place = list(errors).index(label)
                axes.plot(t, errors[label][:, k], color=COLOURS[place], linewidth=1.1, label=label)
            dressed(axes, "error [µm]" if k == 0 else "")
            if row == 0:
                axes.set_title(name, fontsize=10)
            else:
                axes.set_xlabel("time [s]")
    panels[0, 0].set_xlim(float(t[0]), float(t[-1]))
    letter_panels(panels.flat)
    lines, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, ncols=len(labels), fontsize=8.5, frameon=False, loc="outside upper center")
    return figure


def benefit_figure(machines: Mapping[str, tuple[Array, Mapping[str, Array]]]) -> Figure:
    """Draw what each actuator gains by decoupling against the variation of its inertia, one panel for each rule.

    machines: name -> (variation (actuators,) [%], rule -> error without decoupling over error with it (actuators,))
    """
    rules = list(next(iter(machines.values()))[1])
    figure = Figure(figsize=(7.4, 3.6), layout="constrained")
    panels = figure.subplots(1, len(rules), sharey=True)
    for axes, rule in zip(panels, rules, strict=True):
        for k, (name, (variation, benefit)) in enumerate(machines.items()):
            axes.plot(variation, benefit[rule], _MARKERS[k], color=COLOURS[k], markersize=6, label=name)
        axes.axhline(1.0, color="0.3", linewidth=1.0)
        axes.set_title(f"at {rule}", fontsize=10)
        axes.set_xlabel("variation of effective inertia [%]")
        axes.set_yscale("log")
        axes.set_yticks([0.25, 0.5, 1, 2, 4, 8, 16], ["1/4", "1/2", "1", "2", "4", "8", "16"])
        axes.minorticks_off()
        dressed(axes, "")
    panels[0].set_ylabel("error without / with decoupling")
    letter_panels(panels)
    lines, labels = panels[0].get_legend_handles_labels()
    figure.legend(lines, labels, ncols=3, fontsize=9, frameon=False, loc="outside upper center")
    return figure
