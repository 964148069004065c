"""Where a five-bar can go, what fits inside, and what it loses at the singularity nearest to home.

python examples/14_where_it_can_go.py [directory for figures]
"""

import sys
from pathlib import Path

import parakin as pk
from parakin.analysis import Demands, inscribed, locus, nearest_singularity, workspace
from parakin.plots import locus_figure, singularity_figure, workspace_figure

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)
robot = pk.load("five_bar")

found = workspace(robot, demands=Demands(condition=5.0))
print(found)
for cause, count in list(found.causes_outside().items())[:3]:
    print(f"  {cause}: {100 * count / (~found.lattice.inside).sum():.0f} % of the points outside")

room = inscribed(robot, found, "box", (2.0, 1.0))
print(room)

singular = nearest_singularity(robot)
print(f"from home, {singular}")

workspace_figure(found, room).savefig(output / "workspace.png")
locus_figure(locus(robot)).savefig(output / "singular_poses.png")
if singular is not None:
    singularity_figure(robot, singular).savefig(output / "singularity.png")
