# %% [markdown]
# The linear form tau = Psi p: named parameters, and the few combinations of them that forces depend on. Cells for
# Jupyter (jupytext) and VS Code; as a script: `python examples/04_regressor.py`

# %%
import numpy as np

import parakin as pk
from parakin.trajectory import pick_and_place

robot = pk.load("delta")
s = pick_and_place(robot).sampled(1000.0)  # Hz
Psi = robot.regressor(s.pose, s.velocity, s.acceleration)  # (states, motors, parameters)
tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
print(f"tau - Psi p: {np.max(np.abs(Psi @ robot.parameters - tau)):.1e} N m at most")
print("parameters:", ", ".join(robot.parameter_names[:6]), f"... {len(robot.parameters)} in all")

# %%
base = robot.base_parameters(shared=True)  # the three legs are alike
print(base)
least = np.max(np.abs(base.columns(Psi) @ base.values - tau))
print(f"the same forces from {base.rank} numbers, to {least:.1e} N m")
