"""Run in a process of its own: MuJoCo reads a file, and its numbers go out as JSON.

    python -I mjcf_child.py FILE

MuJoCo can crash on a bad file, or take all memory: this process may. It imports MuJoCo and nothing of parakin. Shapes
that give no body its mass are deleted before the model is compiled, so that no mesh is read for a picture.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

MEMORY = 4 * 2**30
"""Address space of the process at most [bytes]."""
PROCESSOR_TIME = 60
"""Processor time at most [s]."""


def main(path: str) -> None:
    """Print the model in a file as JSON, or {"error": ...}."""
    _bound()
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        print(json.dumps({"missing": "mujoco"}))
        return
    try:
        spec = mujoco.MjSpec.from_file(path)
        _prune(mujoco, spec)
        model = spec.compile()
        explicit = [body.id for body in spec.bodies if body.explicitinertial]
        bounds = [spec.compiler.boundmass, spec.compiler.boundinertia]
        print(json.dumps(_numbers(mujoco, model) | {"explicit": explicit, "bounds": bounds}))
    except Exception as error:  # whatever MuJoCo raises is told to the user
        print(json.dumps({"error": f"{error}"[:2000]}))


def _bound() -> None:
    """Bound memory and time of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_TIME, PROCESSOR_TIME))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _prune(mujoco: Any, spec: Any) -> None:
    """Delete what no number of the mechanism comes from: shapes of bodies that say their inertia, pictures, sensors."""
    from_geoms = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    wraps = {wrap.target.name for tendon in spec.tendons for wrap in tendon.path if wrap.target is not None}
    for group in (spec.pairs, spec.excludes, spec.sensors, spec.skins, spec.cameras, spec.lights, spec.tuples):
        for entry in list(group):
            spec.delete(entry)
    for geom in list(spec.geoms):
        geom.material = ""
        body = geom.parent
        useless = _rests(body) or (body.explicitinertial and not from_geoms)
        if useless and not (geom.name and geom.name in wraps):
            spec.delete(geom)
    meshes = {geom.meshname for geom in spec.geoms} - {""}
    for site in spec.sites:
        site.material = ""
    for tendon in spec.tendons:
        tendon.material = ""
    unused = [mesh for mesh in spec.meshes if mesh.name not in meshes]
    fields = [] if any(geom.hfieldname for geom in spec.geoms) else list(spec.hfields)
    for entry in (*spec.materials, *spec.textures, *unused, *fields):
        spec.delete(entry)
    spec.compiler.fusestatic = False


def _rests(body: Any) -> bool:
    """Tell whether no joint lets a body move."""
    while body.name != "world":
        if body.joints or body.mocap:
            return False
        body = body.parent
    return True


def _numbers(mujoco: Any, m: Any) -> dict[str, Any]:
    """Return the numbers of a compiled model; indices are MuJoCo's."""
    import numpy as np

    kinds = mujoco.mjtObj

    def named(kind: Any, count: int) -> list[str]:
        return [mujoco.mj_id2name(m, kind, k) or "" for k in range(count)]

    def table(names: list[str], **columns: Any) -> list[dict[str, Any]]:
        lists = {key: column.tolist() for key, column in columns.items()}
        return [{"name": name} | {key: column[k] for key, column in lists.items()} for k, name in enumerate(names)]

    dof = m.jnt_dofadr
    free = bool(m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return {
        "gravity": [0.0, 0.0, 0.0] if free else m.opt.gravity.tolist(),
        "fluid": [m.opt.density, m.opt.viscosity],
        "bodies": table(
            named(kinds.mjOBJ_BODY, m.nbody),
            parent=m.body_parentid,
            pos=m.body_pos,
            quat=m.body_quat,
            mass=m.body_mass,
            ipos=m.body_ipos,
            iquat=m.body_iquat,
            inertia=m.body_inertia,
            mocap=m.body_mocapid,
            gravcomp=m.body_gravcomp,
        ),
        "joints": table(
            named(kinds.mjOBJ_JOINT, m.njnt),
            type=m.jnt_type,
            body=m.jnt_bodyid,
            pos=m.jnt_pos,
            axis=m.jnt_axis,
            limited=m.jnt_limited,
            range=m.jnt_range,
            stiffness=m.jnt_stiffness,
            address=m.jnt_qposadr,
            force_limited=m.jnt_actfrclimited,
            force_range=m.jnt_actfrcrange,
            armature=m.dof_armature[dof],
            damping=m.dof_damping[dof],
            friction=m.dof_frictionloss[dof],
        ),
        "equalities": table(
            named(kinds.mjOBJ_EQUALITY, m.neq),
            type=m.eq_type,
            active=m.eq_active0,
            of=m.eq_objtype,
            ends=np.column_stack([m.eq_obj1id, m.eq_obj2id]),
            data=m.eq_data,
        ),
        "sites": table(named(kinds.mjOBJ_SITE, m.nsite), body=m.site_bodyid, pos=m.site_pos, quat=m.site_quat),
        "actuators": table(
            named(kinds.mjOBJ_ACTUATOR, m.nu),
            transmission=m.actuator_trntype,
            target=m.actuator_trnid[:, 0],
            gear=m.actuator_gear,
            gain=m.actuator_gainprm,
            gain_type=m.actuator_gaintype,
            bias=m.actuator_biasprm,
            bias_type=m.actuator_biastype,
            dynamics=m.actuator_dyntype,
            force_limited=m.actuator_forcelimited,
            force_range=m.actuator_forcerange,
            control_limited=m.actuator_ctrllimited,
            control_range=m.actuator_ctrlrange,
            armature=_column(m, "actuator_armature", m.nu),
            damping=_column(m, "actuator_damping", m.nu),
        ),
        "tendons": _tendons(mujoco, m, named(kinds.mjOBJ_TENDON, m.ntendon)),
        "curved": _curved(m),
        "qpos0": m.qpos0.tolist(),
        "rest": m.qpos_spring.tolist(),
        "starts": _starts(mujoco, m),
        "codes": _codes(mujoco),
    }


def _column(m: Any, name: str, count: int) -> Any:
    """Return an array that MuJoCo has from some version on, or zeros."""
    import numpy as np

    return getattr(m, name, np.zeros(count))


def _tendons(mujoco: Any, m: Any, names: list[str]) -> list[dict[str, Any]]:
    """Return the tendons; `joints` are (joint, coefficient) of a fixed one, and None of one that runs through sites."""
    tendons: list[dict[str, Any]] = []
    for k, name in enumerate(names):
        path = range(int(m.tendon_adr[k]), int(m.tendon_adr[k] + m.tendon_num[k]))
        fixed = all(m.wrap_type[j] == mujoco.mjtWrap.mjWRAP_JOINT for j in path)
        tendons.append(
            {
                "name": name,
                "joints": [[int(m.wrap_objid[j]), float(m.wrap_prm[j])] for j in path] if fixed else None,
                "acts": bool(m.tendon_stiffness[k] or m.tendon_damping[k] or m.tendon_frictionloss[k])
                or bool(_column(m, "tendon_armature", m.ntendon)[k]),
                "limited": bool(m.tendon_limited[k]),
            }
        )
    return tendons


def _curved(m: Any) -> list[int]:
    """Return the joints whose springs or dampers are polynomials, or yield."""
    found: list[int] = []
    for k in range(m.njnt):
        adr = int(m.jnt_dofadr[k])
        values = [getattr(m, name)[k] for name in ("jnt_stiffnesspoly", "jnt_springyield") if hasattr(m, name)]
        values += [m.dof_dampingpoly[adr]] if hasattr(m, "dof_dampingpoly") else []
        if any(value.any() for value in values):
            found.append(k)
    return found


def _starts(mujoco: Any, m: Any) -> list[dict[str, Any]]:
    """Return where the mechanism may start, and how far its loops are open there: qpos0, and every key frame."""
    data = mujoco.MjData(m)
    m.opt.disableflags = 0
    names = [mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_KEY, k) or f"key {k}" for k in range(m.nkey)]
    candidates = [("", m.qpos0), *zip(names, m.key_qpos, strict=True)]
    starts: list[dict[str, Any]] = []
    for name, qpos in candidates:
        data.qpos[:] = qpos
        mujoco.mj_fwdPosition(m, data)
        mujoco.mj_makeConstraint(m, data)
        rows = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        starts.append({"name": name, "qpos": qpos.tolist(), "open": float(abs(rows).max()) if len(rows) else 0.0})
    return starts


def _codes(mujoco: Any) -> dict[str, int]:
    """Return what MuJoCo's numbers mean, by name."""
    tables = (
        mujoco.mjtJoint,
        mujoco.mjtEq,
        mujoco.mjtTrn,
        mujoco.mjtObj,
        mujoco.mjtGain,
        mujoco.mjtBias,
        mujoco.mjtDyn,
    )
    return {name: int(value) for table in tables for name, value in table.__members__.items()}


if __name__ == "__main__":
    main(sys.argv[1])
