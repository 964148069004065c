"""The part of pinocchio that the peer tests and the benchmarks use, typed."""

from typing import Self

import numpy as np

class SE3:
    translation: np.ndarray
    rotation: np.ndarray
    def __init__(self, rotation: np.ndarray, translation: np.ndarray) -> None: ...
    @classmethod
    def Identity(cls) -> Self: ...

class Motion:
    linear: np.ndarray
    angular: np.ndarray

class Inertia:
    def __init__(self, mass: float, lever: np.ndarray, inertia: np.ndarray) -> None: ...

class JointModelSpherical: ...
class JointModelTranslation: ...
class JointModelFreeFlyer: ...
class JointModelRZ: ...
class JointModelPZ: ...

class Quaternion:
    def __init__(self, rotation: np.ndarray) -> None: ...
    def coeffs(self) -> np.ndarray: ...

class JointModelRevoluteUnaligned:
    def __init__(self, axis: np.ndarray) -> None: ...

class JointModelPrismaticUnaligned:
    def __init__(self, axis: np.ndarray) -> None: ...

JointModel = (
    JointModelSpherical
    | JointModelTranslation
    | JointModelFreeFlyer
    | JointModelRZ
    | JointModelPZ
    | JointModelRevoluteUnaligned
    | JointModelPrismaticUnaligned
)

class FrameType:
    OP_FRAME: FrameType
    BODY: FrameType

class Frame:
    name: str
    parentJoint: int
    placement: SE3
    type: FrameType
    def __init__(self, name: str, joint: int, placement: SE3, type: FrameType) -> None: ...

class ReferenceFrame: ...

LOCAL: ReferenceFrame
LOCAL_WORLD_ALIGNED: ReferenceFrame

class Data:
    oMf: list[SE3]

class Joint(JointModelSpherical):
    idx_q: int
    idx_v: int
    nq: int
    nv: int

class Model:
    nv: int
    njoints: int
    names: list[str]
    parents: list[int]
    joints: list[Joint]
    jointPlacements: list[SE3]
    inertias: list[Inertia]
    frames: list[Frame]
    upperPositionLimit: np.ndarray
    gravity: Motion
    armature: np.ndarray
    def addJoint(self, parent_id: int, joint_model: JointModel, joint_placement: SE3, joint_name: str) -> int: ...
    def appendBodyToJoint(self, joint_id: int, body_inertia: Inertia, body_placement: SE3) -> None: ...
    def getJointId(self, name: str) -> int: ...
    def addFrame(self, frame: Frame, append_inertia: bool = ...) -> int: ...
    def getFrameId(self, name: str, type: FrameType = ...) -> int: ...
    def createData(self) -> Data: ...

class ModelPool:
    def __init__(self, model: Model, size: int = ...) -> None: ...

class ContactType:
    CONTACT_3D: ContactType

class RigidConstraintData: ...

class RigidConstraintModel:
    def __init__(
        self,
        contact_type: ContactType,
        model: Model,
        joint1_id: int,
        joint1_placement: SE3,
        joint2_id: int,
        joint2_placement: SE3,
        reference_frame: ReferenceFrame,
    ) -> None: ...
    def createData(self) -> RigidConstraintData: ...

class StdVec_RigidConstraintModel:
    def append(self, item: RigidConstraintModel) -> None: ...

class StdVec_RigidConstraintData:
    def append(self, item: RigidConstraintData) -> None: ...

class ProximalSettings:
    def __init__(self, accuracy: float, mu: float, max_iter: int) -> None: ...

def rnea(model: Model, data: Data, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray: ...
def rneaInParallel(
    num_thread: int, pool: ModelPool, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray
) -> None: ...
def initConstraintDynamics(
    model: Model,
    data: Data,
    contact_models: StdVec_RigidConstraintModel,
    contact_datas: StdVec_RigidConstraintData,
) -> None: ...
def constraintDynamics(
    model: Model,
    data: Data,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    contact_models: StdVec_RigidConstraintModel,
    contact_datas: StdVec_RigidConstraintData,
    prox_settings: ProximalSettings,
) -> np.ndarray: ...
def crba(model: Model, data: Data, q: np.ndarray) -> np.ndarray: ...
def nonLinearEffects(model: Model, data: Data, q: np.ndarray, v: np.ndarray) -> np.ndarray: ...
def computeJointJacobians(model: Model, data: Data, q: np.ndarray) -> np.ndarray: ...
def forwardKinematics(model: Model, data: Data, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None: ...
def updateFramePlacements(model: Model, data: Data) -> None: ...
def getFrameJacobian(model: Model, data: Data, frame_id: int, reference_frame: ReferenceFrame) -> np.ndarray: ...
def getFrameClassicalAcceleration(
    model: Model, data: Data, frame_id: int, reference_frame: ReferenceFrame
) -> Motion: ...
def buildModelFromUrdf(filename: str) -> Model: ...
def integrate(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray: ...
