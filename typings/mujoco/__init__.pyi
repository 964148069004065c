"""The part of mujoco that peer tests and benchmarks use, typed."""

from enum import IntEnum
from typing import Self

import numpy as np

class Named:
    id: int
    name: str
    xpos: np.ndarray
    qpos: np.ndarray
    qposadr: np.ndarray
    dofadr: np.ndarray
    range: np.ndarray
    stiffness: np.ndarray
    armature: np.ndarray
    ctrlrange: np.ndarray

class MjOption:
    timestep: float
    integrator: int
    disableflags: int
    jacobian: int

class mjtEq(IntEnum):  # noqa: N801
    mjEQ_CONNECT = ...
    mjEQ_WELD = ...
    mjEQ_JOINT = ...
    mjEQ_TENDON = ...

class mjtObj(IntEnum):  # noqa: N801
    mjOBJ_SITE = ...

class mjtDisableBit(IntEnum):  # noqa: N801
    mjDSBL_CONSTRAINT = ...

class mjtConstraint(IntEnum):  # noqa: N801
    mjCNSTR_EQUALITY = ...

class mjtJacobian(IntEnum):  # noqa: N801
    mjJAC_DENSE = ...

class mjtIntegrator:  # noqa: N801
    mjINT_EULER: int
    mjINT_RK4: int

class mjtState:  # noqa: N801
    mjSTATE_FULLPHYSICS: int

class MjModel:
    opt: MjOption
    nq: int
    nv: int
    njnt: int
    nbody: int
    ngeom: int
    neq: int
    site_bodyid: np.ndarray
    actuator_trnid: np.ndarray
    actuator_gear: np.ndarray
    dof_armature: np.ndarray
    dof_damping: np.ndarray
    dof_frictionloss: np.ndarray
    eq_data: np.ndarray
    eq_obj1id: np.ndarray
    eq_obj2id: np.ndarray
    eq_objtype: np.ndarray
    eq_type: np.ndarray
    geom_conaffinity: np.ndarray
    geom_contype: np.ndarray
    jnt_dofadr: np.ndarray
    jnt_qposadr: np.ndarray
    jnt_stiffness: np.ndarray
    key_qpos: np.ndarray
    qpos_spring: np.ndarray
    wrap_objid: np.ndarray
    wrap_prm: np.ndarray
    @classmethod
    def from_xml_path(cls, path: str) -> Self: ...
    def actuator(self, key: int | str) -> Named: ...
    def key(self, key: int | str) -> Named: ...
    @classmethod
    def from_xml_string(cls, xml: str) -> Self: ...
    def joint(self, key: int | str) -> Named: ...

class Joint:
    qpos: np.ndarray

class MjData:
    qpos: np.ndarray
    qvel: np.ndarray
    qacc: np.ndarray
    qacc_smooth: np.ndarray
    ctrl: np.ndarray
    qfrc_bias: np.ndarray
    qfrc_inverse: np.ndarray
    qfrc_passive: np.ndarray
    nefc: int
    efc_J: np.ndarray
    efc_pos: np.ndarray
    efc_type: np.ndarray
    site_xpos: np.ndarray
    site_xmat: np.ndarray
    def __init__(self, model: MjModel) -> None: ...
    def site(self, key: int | str) -> Named: ...
    def joint(self, key: int | str) -> Joint: ...

def mj_forward(m: MjModel, d: MjData) -> None: ...
def mj_inverse(m: MjModel, d: MjData) -> None: ...
def mju_mat2Quat(quat: np.ndarray, mat: np.ndarray) -> None: ...
def mj_step(m: MjModel, d: MjData) -> None: ...
def mj_integratePos(m: MjModel, qpos: np.ndarray, qvel: np.ndarray, dt: float) -> None: ...
def mj_comPos(m: MjModel, d: MjData) -> None: ...
def mj_comVel(m: MjModel, d: MjData) -> None: ...
def mj_kinematics(m: MjModel, d: MjData) -> None: ...
def mj_stateSize(m: MjModel, sig: int) -> int: ...
def mj_getState(m: MjModel, d: MjData, state: np.ndarray, sig: int) -> None: ...
def mj_resetData(m: MjModel, d: MjData) -> None: ...
def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None: ...
def mj_fullM(m: MjModel, d: MjData, dst: np.ndarray) -> None: ...
def mj_jacSite(
    m: MjModel, d: MjData, jacp: np.ndarray | None, jacr: np.ndarray | None, site: int
) -> None: ...
def mj_jacDot(
    m: MjModel, d: MjData, jacp: np.ndarray | None, jacr: np.ndarray | None, point: np.ndarray, body: int
) -> None: ...
def mj_geomDistance(  # noqa: N802
    m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: np.ndarray, /
) -> float: ...
