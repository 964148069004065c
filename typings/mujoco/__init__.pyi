"""The part of mujoco that the peer tests use, typed."""

from typing import Self

import numpy as np

class Named:
    id: int
    name: str
    xpos: np.ndarray

class MjModel:
    nv: int
    njnt: int
    site_bodyid: np.ndarray
    @classmethod
    def from_xml_string(cls, xml: str) -> Self: ...
    def joint(self, key: int | str) -> Named: ...

class MjData:
    qpos: np.ndarray
    qvel: np.ndarray
    qacc: np.ndarray
    ctrl: np.ndarray
    qfrc_bias: np.ndarray
    site_xpos: np.ndarray
    def __init__(self, model: MjModel) -> None: ...
    def site(self, key: int | str) -> Named: ...

def mj_forward(m: MjModel, d: MjData) -> None: ...
def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None: ...
def mj_fullM(m: MjModel, d: MjData, dst: np.ndarray) -> None: ...
def mj_jacSite(
    m: MjModel, d: MjData, jacp: np.ndarray | None, jacr: np.ndarray | None, site: int
) -> None: ...
def mj_jacDot(
    m: MjModel, d: MjData, jacp: np.ndarray | None, jacr: np.ndarray | None, point: np.ndarray, body: int
) -> None: ...
