# %% [markdown]
# Where in its workspace is a five-bar strong, stiff and exact? Maps of four quantities, with numbers that its file does
# not have. Cells for Jupyter (jupytext) and VS Code; as a script: `python examples/12_performance_map.py [DIRECTORY]`

# %%
import sys
from pathlib import Path

import parakin as pk
from parakin import analysis

robot = pk.load("five_bar")
options = analysis.Options(drive_stiffness=2000.0, resolution=1e-4)  # gears [N m/rad] and encoders [rad]
result = analysis.performance_map(
    robot, ["force", "acceleration", "frequency", "accuracy"], analysis.Slice(grid=31), options
)

# %%
for quantity in result.quantities:
    summary = result.summary(quantity.name)
    best = summary.largest if quantity.better == "larger" else summary.least
    at = summary.largest_at if quantity.better == "larger" else summary.least_at
    unit = result.values[quantity.name].unit
    print(f"{quantity.title}: best {best:.3g} {unit} at x = {at[0]:.3f} m, y = {at[1]:.3f} m")
share = 100 * result.summary("force").shares["good"]
print(f"{share:.0f} % of the slice is within reach and strokes")

# %%
place = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "five_bar_maps.png"
pk.plots.map_figure(result).savefig(place)
print(f"written: {place}")
