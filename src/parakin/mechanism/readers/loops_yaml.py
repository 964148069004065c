"""The YAML files in which Gepetto's tools close the loops of a URDF file, as lists of texts.

    closed_loop: [['a_A', 'a_B'], ...]      pairs of frames, names of links or joints, that coincide
    type: ['6d', '3d', ...]                 all six freedoms of the pair are held, or its place only
    name_mot: ['motor', ...]                joints that are driven
    joint_name: [...], joint_type: [...]    joints that are another kind than the URDF says: SPHERICAL, UJOINT_ZY, FIXED

and what `parakin export-urdf` adds, which those tools leave alone:

    rotor_inertia: [0.1, ...]               of each joint in name_mot, as it feels it
    spring_joint: [...], spring_stiffness: [...], spring_rest: [...]
    gravity: [0, 0, -9.81]
    home_joint: [...], home: [[0.1], ...]   coordinates of joints at home

Of YAML, keys with a text or a list of texts and lists are read, in brackets or with one `- entry` a line, and comments:
no anchors, no types, nothing that grows. What stands under other keys is not looked at.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from parakin.description.values import shown
from parakin.errors import DescriptionError

LARGEST_YAML = 2**20
"""Largest size of such a file [bytes]."""
DEEPEST_LIST = 8
"""Lists inside each other at most."""

KEYS = frozenset(
    {
        *("closed_loop", "type", "name_mot", "joint_name", "joint_type", "rotor_inertia", "gravity"),
        *("spring_joint", "spring_stiffness", "spring_rest", "home_joint", "home"),
    }
)
"""Keys that are read."""

_TOKEN = re.compile(r"""\s*(?:(\[)|(\])|(,)|'((?:[^']|'')*)'|"([^"\\]*)"|([^\[\],'"\s][^\[\],'"]*))""")
_KEY = re.compile(r"^([A-Za-z_]\w*)[ \t]*:[ \t]*(.*)$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*)$")

Value = str | list["Value"]
"""A text, or a list of texts and lists."""


@dataclass(frozen=True)
class Loop:
    """Two frames that coincide."""

    first: str
    """Name of the link or joint whose frame is the one."""
    second: str
    """Name of the link or joint whose frame is the other."""
    place_only: bool
    """Whether only their places coincide (3d), not their axes (6d)."""


@dataclass(frozen=True)
class Additions:
    """What URDF has no words for, as `parakin export-urdf` writes it."""

    rotor_inertia: dict[str, float]
    """Inertia of rotors as their joints feel it, by joint [kg or kg m^2]."""
    springs: dict[str, tuple[float, float]]
    """Stiffness [N/m or N m/rad] and slack coordinate [m or rad] of springs, by joint."""
    gravity: tuple[float, ...] | None
    """Acceleration of free fall [m/s^2]; None if the file does not say."""
    home: dict[str, tuple[float, ...]]
    """Coordinates at home, by joint; quaternions (w, x, y, z) of balls."""


@dataclass(frozen=True)
class Loops:
    """What such a file says about a URDF file."""

    file: str
    """Name of the YAML file."""
    loops: tuple[Loop, ...]
    """The pairs of frames that close loops."""
    motors: tuple[str, ...] | None
    """Names of the joints that are driven; None if the file does not say."""
    kinds: dict[str, str]
    """Joints that are another kind than the URDF file says, by name."""
    additions: Additions
    """What URDF has no words for."""
    unknown: tuple[str, ...] = field(default=())
    """Keys that mean nothing here."""


def read_loops(data: bytes, file: str) -> Loops:
    """Return what a YAML file says about loops and motors; `file` names it in messages."""
    if len(data) > LARGEST_YAML:
        raise DescriptionError(file, (("", f"is too large: at most {LARGEST_YAML >> 20} MiB"),))
    try:
        tables, unknown = _tables(data.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        raise DescriptionError(file, (("", "is not UTF-8 text: save it as UTF-8"),)) from error
    pairs = [_texts(pair, "closed_loop", file) for pair in _list(tables, "closed_loop", file)]
    for pair in pairs:
        if len(pair) != 2:
            raise DescriptionError(file, (("closed_loop", f"each entry is a pair of frames, got {shown(pair)}"),))
    kinds = _texts(_list(tables, "type", file), "type", file) if "type" in tables else ["6d"] * len(pairs)
    if len(kinds) != len(pairs) or not {kind.lower() for kind in kinds} <= {"3d", "6d"}:
        reason = f"must be 3d or 6d for each of the {len(pairs)} entries of closed_loop, got {shown(kinds)}"
        raise DescriptionError(file, (("type", reason),))
    names, types = (_texts(_list(tables, key, file), key, file) for key in ("joint_name", "joint_type"))
    if len(names) != len(types):
        raise DescriptionError(file, (("joint_type", f"must have {len(names)} entries, got {len(types)}"),))
    motors = tuple(_texts(_list(tables, "name_mot", file), "name_mot", file)) if "name_mot" in tables else None
    return Loops(
        file,
        tuple(Loop(a, b, kind.lower() == "3d") for (a, b), kind in zip(pairs, kinds, strict=True)),
        motors,
        dict(zip(names, types, strict=True)),
        _additions(tables, motors or (), file),
        unknown,
    )


def _additions(tables: dict[str, Value], motors: tuple[str, ...], file: str) -> Additions:
    """Return what a file says beside loops and motors."""

    def by_joint(names: list[str], key: str) -> dict[str, float]:
        values = _numbers(_list(tables, key, file), key, file)
        if len(values) != len(names):
            raise DescriptionError(file, ((key, f"must have {len(names)} entries, got {len(values)}"),))
        return dict(zip(names, values, strict=True))

    sprung, placed = (_texts(_list(tables, key, file), key, file) for key in ("spring_joint", "home_joint"))
    homes = [_numbers(one, "home", file) for one in _list(tables, "home", file)]
    if len(homes) != len(placed):
        raise DescriptionError(file, (("home", f"must have {len(placed)} entries, got {len(homes)}"),))
    gravity = _numbers(_list(tables, "gravity", file), "gravity", file) if "gravity" in tables else None
    if gravity is not None and len(gravity) != 3:
        raise DescriptionError(file, (("gravity", f"must be 3 numbers, got {shown(gravity)}"),))
    stiffness, rest = (by_joint(sprung, key) for key in ("spring_stiffness", "spring_rest"))
    return Additions(
        by_joint(list(motors), "rotor_inertia") if "rotor_inertia" in tables else {},
        {name: (stiffness[name], rest[name]) for name in sprung},
        gravity,
        dict(zip(placed, homes, strict=True)),
    )


def _list(tables: dict[str, Value], key: str, file: str) -> list[Value]:
    value = tables.get(key, [])
    if isinstance(value, str):
        raise DescriptionError(file, ((key, f"must be a list, got {shown(value)}"),))
    return value


def _texts(values: Value, key: str, file: str) -> list[str]:
    texts = [value for value in values if isinstance(value, str)]
    if isinstance(values, str) or len(texts) != len(values):
        raise DescriptionError(file, ((key, f"must be a list of names, got {shown(values)}"),))
    return texts


def _numbers(values: Value, key: str, file: str) -> tuple[float, ...]:
    texts = _texts(values, key, file)
    try:
        numbers = tuple(map(float, texts))
    except ValueError:
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)):
        raise DescriptionError(file, ((key, f"must be finite numbers in SI units, got {shown(texts)}"),))
    return numbers


def _tables(text: str, file: str) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Return values by the keys that are known, and other keys; a value goes on until a line begins with a key."""
    parts: dict[str, list[str]] = {}
    key = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*$", "", raw)
        if not line.strip() or line.strip() in ("---", "..."):
            continue
        found = _KEY.match(line)
        if found:
            key = found[1]
            if key in parts:
                raise DescriptionError(file, ((f"line {number}", f"'{key}' is there twice: keep one"),))
            parts[key] = [found[2]]
        elif key:
            parts[key].append(line)
        else:
            raise DescriptionError(file, ((f"line {number}", f"must begin with a key and a colon, got {shown(raw)}"),))
    known = {key: _value(lines, key, file) for key, lines in parts.items() if key in KEYS}
    return known, tuple(key for key in parts if key not in KEYS)


def _value(lines: list[str], key: str, file: str) -> Value:
    items = [_ITEM.match(line) for line in lines[1:]]
    if not lines[0].strip() and items and all(items):
        return [_flow(item[1], key, file) for item in items if item]
    return _flow("\n".join(lines), key, file)


def _flow(text: str, key: str, file: str) -> Value:
    """Return a text or a list in brackets."""
    wrong = DescriptionError(file, ((key, f"must be a list of names in brackets, got {shown(text.strip())}"),))
    whole: list[Value] = []
    open_lists = [whole]
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or len(open_lists) > DEEPEST_LIST:
            raise wrong
        at = found.end()
        if found[1]:
            inner: list[Value] = []
            open_lists[-1].append(inner)
            open_lists.append(inner)
        elif found[2]:
            open_lists.pop()
            if not open_lists:
                raise wrong
        elif not found[3]:
            single, double, plain = found[4], found[5], found[6]
            one = single.replace("''", "'") if single is not None else double if double is not None else plain.strip()
            open_lists[-1].append(one)
    if len(open_lists) != 1 or len(whole) > 1:
        raise wrong
    return whole[0] if whole else []
