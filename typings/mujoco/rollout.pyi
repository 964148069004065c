from collections.abc import Sequence

import numpy as np

from mujoco import MjData, MjModel

def rollout(
    model: MjModel, data: Sequence[MjData], initial_state: np.ndarray, control: np.ndarray
) -> tuple[np.ndarray, np.ndarray]: ...
