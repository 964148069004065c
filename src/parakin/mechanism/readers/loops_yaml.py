"""The YAML files in which Gepetto's tools close the loops of a URDF file, as lists of texts.

    closed_loop: [['a_A', 'a_B'], ...]      pairs of frames, names of links or joints, that coincide
    type: ['6d', '3d', ...]                 all six freedoms of the pair are held, or its place only
    name_mot: ['motor', ...]                joints that are driven
    joint_name: [...], joint_type: [...]    joints that are another kind than the URDF says: SPHERICAL, UJOINT_ZY, FIXED

and, as parakin writes it for what neither dialect has words for,

    motor_sign, motor_zero, rotor_inertia   a number for each of name_mot
    spring_joint, spring_stiffness, spring_rest, inertia_joint, joint_inertia, home_joint, home, gravity,
    compensated_link, gravity_compensation

Of YAML, keys with a text or a list of texts and lists are read, in brackets or with one `- entry` a line, and comments:
no anchors, no types, nothing that grows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from parakin.description.values import LARGEST_NUMBER, shown
from parakin.errors import DescriptionError

LARGEST_YAML = 2**20
"""Largest size of such a file [bytes]."""
DEEPEST_LIST = 8
"""Lists inside each other at most."""

_TOKEN = re.compile(r"""\s*(?:(\[)|(\])|(,)|'((?:[^']|'')*)'|"([^"\\]*)"|([^\[\],'"\s][^\[\],'"]*))""")
_KEY = re.compile(r"^([A-Za-z_]\w*)[ \t]*:[ \t]*(.*)$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*)$")

_MOTOR_KEYS = {"motor_sign": "sign", "motor_zero": "zero", "rotor_inertia": "rotor_inertia"}
"""Keys with a number for each motor, and what mechanism files call it."""
_KEYS = frozenset({"closed_loop", "type", "name_mot", "joint_name", "joint_type", *_MOTOR_KEYS, "gravity"}) | {
    *("spring_joint", "spring_stiffness", "spring_rest", "home_joint", "home"),
    *("inertia_joint", "joint_inertia", "compensated_link", "gravity_compensation"),
}
"""Keys that are read."""

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
    of_motors: dict[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])
    """What the motors have, a number for each of `motors`: sign, zero [rad or m], rotor_inertia as the joint feels it
    [kg m^2 or kg]."""
    springs: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """Stiffness and rest of springs by joint."""
    inertias: dict[str, float] = field(default_factory=dict[str, float])
    """Inertias that joints have of their own, by joint [kg m^2 or kg]."""
    compensations: dict[str, float] = field(default_factory=dict[str, float])
    """Fractions of weights that are compensated, by link."""
    gravity: tuple[float, ...] | None = None
    """Acceleration of free fall [m/s^2]; None if the file does not say."""
    home: dict[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])
    """Coordinates at home by joint; quaternions (w, x, y, z) of balls."""
    unknown: tuple[str, ...] = field(default=())
    """Keys that mean nothing here."""


def read_loops(data: bytes, file: str) -> Loops:
    """Return what a YAML file says about loops and motors; `file` names it in messages."""
    if len(data) > LARGEST_YAML:
        raise DescriptionError(file, (("", f"is too large: at most {LARGEST_YAML >> 20} MiB"),))
    try:
        tables = _tables(data.decode("utf-8"), file)
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
        _of_motors(tables, motors or (), file),
        _springs(tables, file),
        _numbers_by_name(tables, "inertia_joint", "joint_inertia", file),
        _numbers_by_name(tables, "compensated_link", "gravity_compensation", file),
        tuple(_numbers(tables, "gravity", 3, file)) if "gravity" in tables else None,
        _homes(tables, file),
        tuple(key for key in tables if key not in _KEYS),
    )


def _of_motors(tables: dict[str, Value], motors: tuple[str, ...], file: str) -> dict[str, tuple[float, ...]]:
    signs = _parsed(_list(tables, "motor_sign", file), "motor_sign", file)
    if not set(signs) <= {1.0, -1.0}:
        wrong = next(sign for sign in signs if sign not in (1.0, -1.0))
        raise DescriptionError(file, (("motor_sign", f"must be 1 or -1 for each motor, got {wrong:g}"),))
    return {name: tuple(_numbers(tables, key, len(motors), file)) for key, name in _MOTOR_KEYS.items() if key in tables}


def _springs(tables: dict[str, Value], file: str) -> dict[str, tuple[float, float]]:
    names = _texts(_list(tables, "spring_joint", file), "spring_joint", file)
    stiffness, rest = (_numbers(tables, key, len(names), file) for key in ("spring_stiffness", "spring_rest"))
    return dict(zip(names, zip(stiffness, rest, strict=True), strict=True))


def _numbers_by_name(tables: dict[str, Value], names: str, values: str, file: str) -> dict[str, float]:
    """Return the numbers of one key by the names of another one."""
    named = _texts(_list(tables, names, file), names, file)
    return dict(zip(named, _numbers(tables, values, len(named), file), strict=True))


def _homes(tables: dict[str, Value], file: str) -> dict[str, tuple[float, ...]]:
    names = _texts(_list(tables, "home_joint", file), "home_joint", file)
    rows = _list(tables, "home", file)
    if len(rows) != len(names):
        reason = f"must have a list of coordinates for each of the {len(names)} entries of home_joint, got {len(rows)}"
        raise DescriptionError(file, (("home", reason),))
    lists: list[Value] = [[row] if isinstance(row, str) else row for row in rows]
    return {name: tuple(_parsed(row, "home", file)) for name, row in zip(names, lists, strict=True)}


def _numbers(tables: dict[str, Value], key: str, count: int, file: str) -> list[float]:
    """Return so many numbers of a key."""
    values = _parsed(_list(tables, key, file), key, file)
    if len(values) != count:
        raise DescriptionError(file, ((key, f"must have {count} numbers, got {len(values)}"),))
    return values


def _parsed(values: Value, key: str, file: str) -> list[float]:
    found: list[float] = []
    for text in _texts(values, key, file):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not abs(value) <= LARGEST_NUMBER:
            raise DescriptionError(file, ((key, f"must be finite numbers in SI units, got {shown(text)}"),))
        found.append(value)
    return found


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


def _tables(text: str, file: str) -> dict[str, Value]:
    """Return the values of a file by their keys; a value goes on until a line that begins with the next key."""
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
    return {key: _value(lines, key, file) for key, lines in parts.items()}


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
