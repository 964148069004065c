"""Which five-bar is better: lengths of its links against force and conditioning, and the chosen one as a robot file.

python examples/16_design_study.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import parakin as pk

STUDY = """
name = "five_bar_links"
title = "Links of a five-bar"
robot = "five_bar"
parameters.arm = { lower = 0.2, upper = 0.3, key = "legs[side].elements[arm].length" }
parameters.forearm = { lower = 0.28, upper = 0.38, key = "legs[side].elements[forearm].length" }
sampling = { method = "sobol", count = 512 }
cycle = { motion = "pick_and_place", rate = 100 }
objectives.force = { of = "cycle_force" }
objectives.room = { of = "condition" }
"""

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(parents=True, exist_ok=True)
(folder / "study.toml").write_text(STUDY, encoding="utf-8")

work = pk.design.work_of(pk.design.load_study(folder / "study.toml"), folder)
results = pk.design.run_study(work, folder / "parts", resume=True)
found = pk.design.gather(work, results)
good = found.counts[pk.design.DesignStatus.GOOD]
print(f"{found.rows} designs, {good} good, {len(found.front)} on the front")

least = found.front[np.argmin(found.column("force"))]
subject = pk.design.read_subject(folder / "study.toml")
text = pk.design.robot_file(subject, least[1:3], f"row {least[0]:.0f}")
(folder / "chosen.toml").write_text(text, encoding="utf-8")

robot = pk.load(folder / "chosen.toml")
force = np.abs(robot.inverse_dynamics(*subject.cycle)).max()
print(f"the robot of the file takes {force:.4f} N m, as its row says: {np.isclose(force, found.column('force').min())}")
