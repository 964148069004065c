"""Run in a process of its own: MuJoCo reads a file, and its numbers go out as JSON.

    python -I mjcf_child.py FILE FOLDER BODIES LOOKED [balance]

MuJoCo can crash on a bad file, or take all memory: this process may. It imports MuJoCo and nothing of parakin. Shapes
that give no body its mass are deleted before the model is compiled, so that no mesh is read for a picture; the others
are read from regular files inside FOLDER alone, wherever in LOOKED, a JSON list of folders, MuJoCo finds them. A model
of more than BODIES bodies is counted, and not compiled. With `balance`, MuJoCo puts their mean in place of principal
moments that no body has.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from typing import Any

MEMORY = 4 * 2**30
"""Address space of the process at most [bytes]."""
PROCESSOR_TIME = 60
"""Processor time at most [s]."""
_TENDON_LAWS = ("stiffness", "damping", "frictionloss", "armature", "stiffnesspoly", "dampingpoly")
"""What makes a tendon act by itself."""


def main(path: str, folder: str, most: int, looked: list[str], *, balance: bool) -> None:
    """Print the model in a file as JSON, or {"error": ...}."""
    _bound()
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ModuleNotFoundError:
        print(json.dumps({"missing": "mujoco"}))
        return
    except (ImportError, MemoryError, OSError) as error:
        print(json.dumps({"unloaded": f"{type(error).__name__}: {error}"[:500]}))
        return
    try:
        spec = mujoco.MjSpec.from_file(path)
        if len(spec.bodies) > most:
            print(json.dumps({"many": len(spec.bodies)}))
            return
        _prune(mujoco, spec)
        _check_meshes(spec, looked or [os.path.dirname(path)], folder)
        spec.compiler.balanceinertia |= balance
        model = spec.compile()
        off = _switch_off(mujoco, model)
        explicit = [body.id for body in spec.bodies if body.explicitinertial]
        balanced = [body.id for body in spec.bodies if balance and body.explicitinertial and _impossible(body)]
        bounds = [spec.compiler.boundmass, spec.compiler.boundinertia]
        print(
            json.dumps(
                _numbers(mujoco, model) | {"explicit": explicit, "bounds": bounds, "off": off} | {"balanced": balanced}
            )
        )
    except Exception as error:  # whatever MuJoCo raises is told to the user
        print(json.dumps({"error": f"{error}"[:2000]}))


def _impossible(body: Any) -> bool:
    """Tell whether no body has the principal moments that the file gives."""
    import numpy as np

    xx, yy, zz, xy, xz, yz = body.fullinertia
    whole = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    moments = np.sort(body.inertia if np.isnan(whole).any() else np.linalg.eigvalsh(whole))
    return bool(moments[2] > moments[0] + moments[1])


def _bound() -> None:
    """Bound memory and time of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    bounds = (resource.RLIMIT_CPU, PROCESSOR_TIME), (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)
    for what, most in bounds:  # limits that are already lower stay
        known = [limit for limit in resource.getrlimit(what) if limit != resource.RLIM_INFINITY]
        least = min([most, *known])
        # SIGXCPU comes a second before the SIGKILL of the hard limit, so that it is told from other causes of SIGKILL.
        first = max(least - 1, 1) if what == resource.RLIMIT_CPU else least
        resource.setrlimit(what, (first, least))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of a library take address space that is bounded


def _check_meshes(spec: Any, looked: list[str], folder: str) -> None:
    """Refuse meshes and height fields that are no regular files inside a folder.

    An attached model has folders of its own, and `strippath` takes those of a name away: whatever MuJoCo could mean by
    a name must be right.
    """
    inside = os.path.realpath(folder)
    for entry in (*spec.meshes, *spec.hfields):
        names = {entry.file, os.path.basename(entry.file)} if entry.file else set[str]()
        for target in sorted({os.path.realpath(os.path.join(above, name)) for above in looked for name in names}):
            if os.path.exists(target) and not os.path.isfile(target):
                raise ValueError(f"mesh '{entry.file}' is no regular file")
            if os.path.exists(target) and os.path.commonpath([target, inside]) != inside:
                raise ValueError(f"mesh '{entry.file}' is outside {folder}: choose a folder that has all (--folder)")


def _switch_off(mujoco: Any, m: Any) -> list[str]:
    """Take out of a model what its flags switch off, as MuJoCo does in a simulation; return the names of those flags.

    Without constraints there are no equalities, limits and dry friction; without springs and dampers there are no
    passive forces at all, and without gravity there is nothing to compensate.
    """
    bits = mujoco.mjtDisableBit.__members__
    off = {name for name, bit in bits.items() if name != "mjNDISABLE" and m.opt.disableflags & int(bit)}
    rigid = "mjDSBL_CONSTRAINT" in off
    if "mjDSBL_PASSIVE" in off:
        off |= {"mjDSBL_SPRING", "mjDSBL_DAMPER"}
    if rigid:
        off |= {"mjDSBL_EQUALITY", "mjDSBL_LIMIT", "mjDSBL_FRICTIONLOSS"}
    if "mjDSBL_GRAVITY" in off or {"mjDSBL_SPRING", "mjDSBL_DAMPER"} <= off:
        m.body_gravcomp[:] = 0.0
    emptied = {
        "mjDSBL_SPRING": ("jnt_stiffness", "tendon_stiffness", "jnt_stiffnesspoly", "tendon_stiffnesspoly"),
        "mjDSBL_DAMPER": (
            *("dof_damping", "tendon_damping", "actuator_damping"),
            *("dof_dampingpoly", "tendon_dampingpoly", "actuator_dampingpoly"),
        ),
        "mjDSBL_FRICTIONLOSS": ("dof_frictionloss", "tendon_frictionloss"),
        "mjDSBL_EQUALITY": ("eq_active0",),
        "mjDSBL_LIMIT": ("jnt_limited", "tendon_limited"),
        "mjDSBL_GRAVITY": (),
        "mjDSBL_ACTUATION": (),
    }
    for name in off & set(emptied):
        for array in emptied[name]:
            if hasattr(m, array):
                getattr(m, array)[:] = 0
    if "mjDSBL_GRAVITY" in off:
        m.opt.gravity[:] = 0.0
    return sorted(name.removeprefix("mjDSBL_").lower() for name in off & set(emptied))


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
    points: set[str] = set()  # of flexible bodies, which are refused or left out: so are the bodies that MuJoCo made
    for flex in list(spec.flexes):
        made = re.compile(rf"{re.escape(flex.name)}_\d+")
        points |= {name for name in (*flex.nodebody, *flex.vertbody) if made.fullmatch(name)}
        spec.delete(flex)  # before its bodies, which would take it with them
    for point in sorted(points):
        spec.delete(spec.body(point))
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
    motors = getattr(m, "nactuator", m.nu)  # before MuJoCo 3.11 each actuator takes one signal
    signals = getattr(m, "actuator_ctrlnum", np.ones(motors, int))
    first = np.minimum(np.cumsum(signals) - signals, max(m.nu - 1, 0))  # of its signals

    def named(kind: Any, count: int) -> list[str]:
        return [mujoco.mj_id2name(m, kind, k) or "" for k in range(count)]

    def table(names: list[str], **columns: Any) -> list[dict[str, Any]]:
        lists = {key: column.tolist() for key, column in columns.items()}
        return [{"name": name} | {key: column[k] for key, column in lists.items()} for k, name in enumerate(names)]

    dof = m.jnt_dofadr
    return {
        "gravity": m.opt.gravity.tolist(),
        "motors_compensate": bool(m.body_gravcomp.any() and _column(m, "jnt_actgravcomp", m.njnt).any()),
        "silent_groups": int(m.opt.disableactuator),
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
            named(kinds.mjOBJ_ACTUATOR, motors),
            transmission=m.actuator_trntype,
            target=m.actuator_trnid[:, 0],
            gear=m.actuator_gear,
            gain=m.actuator_gainprm,
            gain_type=m.actuator_gaintype,
            bias=m.actuator_biasprm,
            bias_type=m.actuator_biastype,
            dynamics=m.actuator_dyntype,
            group=m.actuator_group,
            force_limited=m.actuator_forcelimited,
            force_range=m.actuator_forcerange,
            control_limited=m.actuator_ctrllimited[first] if m.nu else np.zeros(motors),
            control_range=m.actuator_ctrlrange[first] if m.nu else np.zeros((motors, 2)),
            signals=signals,
            delay=_column(m, "actuator_delay", motors),
            armature=_column(m, "actuator_armature", motors),
            damping=_column(m, "actuator_damping", motors),
            curved=np.array([row.any() for row in _column(m, "actuator_dampingpoly", motors)], bool),
        ),
        "tendons": _tendons(mujoco, m, named(kinds.mjOBJ_TENDON, m.ntendon)),
        "curved": _curved(m),
        "qpos0": m.qpos0.tolist(),
        "rest": m.qpos_spring.tolist(),
        "starts": _starts(mujoco, m),
        "codes": _codes(mujoco),
    }


def _column(m: Any, name: str, *shape: int) -> Any:
    """Return an array that MuJoCo has from some version on, or zeros."""
    import numpy as np

    return getattr(m, name, np.zeros(shape))


def _tendons(mujoco: Any, m: Any, names: list[str]) -> list[dict[str, Any]]:
    """Return the tendons; `joints` are (joint, coefficient) of a fixed one, and None of one that runs through sites."""
    tendons: list[dict[str, Any]] = []
    for k, name in enumerate(names):
        path = range(int(m.tendon_adr[k]), int(m.tendon_adr[k] + m.tendon_num[k]))
        fixed = all(m.wrap_type[j] == mujoco.mjtWrap.mjWRAP_JOINT for j in path)
        acts = [_column(m, f"tendon_{law}", m.ntendon)[k].any() for law in _TENDON_LAWS]
        tendons.append(
            {
                "name": name,
                "joints": [[int(m.wrap_objid[j]), float(m.wrap_prm[j])] for j in path] if fixed else None,
                "acts": any(acts),
                "limited": bool(m.tendon_limited[k]),
                "force_limited": bool(_column(m, "tendon_actfrclimited", m.ntendon)[k]),
                "force_range": _column(m, "tendon_actfrcrange", m.ntendon, 2)[k].tolist(),
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
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4]), balance="balance" in sys.argv[5:])
