"""Every element of an MJCF file is known here, or said in the report: what is read, dropped or refused.

MuJoCo's own reader gives the numbers; this walk over the same text, with its includes, is what keeps anything from
being lost without a word. It also refuses what should not reach a reader in C: document types, depth, size, cycles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from parakin.description.values import shown
from parakin.errors import DescriptionError
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.xml_text import MOST_ELEMENTS, Element, read_xml, refuse_many, xml_bytes

MOST_FILES = 100
"""Files that include each other at most."""
_SHAPES = "shapes for pictures and contacts; a body without <inertial> has its mass from them"
_DROPPED = {
    "geom": _SHAPES,
    "mesh": _SHAPES,
    "material": "a colour",
    "texture": "a picture",
    "hfield": "ground",
    "skin": "a picture",
    "camera": "a camera",
    "light": "a light",
    "sensor": "sensors",
    "contact": "settings of contacts, which mechanisms have none of",
    "visual": "a picture",
    "statistic": "a picture",
    "size": "memory of a simulator",
    "custom": "numbers for other programs",
    "key": "a named state; one of them may be home",
}
"""Elements that a mechanism has no place for, and what they are."""
_REFUSED = {
    "flexcomp": "a flexible body: mechanisms have rigid bodies only",
    "composite": "a composite body: write its bodies and joints out",
    "deformable": "flexible bodies: mechanisms have rigid bodies only",
    "extension": "plugins compute forces that parakin does not know",
    "plugin": "plugins compute forces that parakin does not know",
}
"""Elements without which the mechanism would be another one."""
ACTUATORS = (
    *("motor", "position", "velocity", "intvelocity", "pid", "orientation", "damper", "general", "cylinder", "muscle"),
    *("adhesion", "dcmotor"),
)
"""Actuators, by their names in MJCF."""
MOST_OF_A_KIND = 10_000
"""Joints, sites, key frames, motors of a kind and the like that a file has at most: MuJoCo takes a minute for more."""
_COUNTED = ("joint", "site", "key", "fixed", "spatial", "connect", "weld", "tendon", *ACTUATORS)
"""Elements that are counted one by one."""
_INSIDE = {
    "mujoco": {"compiler", "option", "default", "asset", "worldbody", "tendon", "equality", "actuator", "keyframe"},
    "worldbody": {"body", "frame", "replicate", "attach", "site"},
    "body": {"body", "frame", "replicate", "attach", "site", "inertial", "joint", "freejoint"},
    "asset": {"model"},
    "tendon": {"fixed", "spatial"},
    "equality": {"connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance"},
    "actuator": set(ACTUATORS),
}
"""Elements that are read, by where they stand; <frame> and <replicate> hold what <body> does."""
_WHOLE = frozenset(
    {"default", "inertial", "joint", "freejoint", "fixed", "spatial", "compiler", "model", "option", "site"}
)
"""Elements that are read with everything in them."""
_APPLIED = "MuJoCo applied it: masses and inertias are those after it; but bounds below 1e-12 are taken for nothing"
_OPTIONS_READ = ("gravity", "density", "viscosity", "actuatorgroupdisable")
"""Attributes of <option> that are read."""
_FLAGS_READ = ("constraint", "equality", "frictionloss", "limit", "passive", "spring", "damper", "gravity", "actuation")
"""Attributes of <flag> that are read: what they switch off is not in the mechanism."""


def mesh_folders(whole: Element, path: Path) -> list[str]:
    """Return the folders in which MuJoCo may look for meshes: those of the files, with what <compiler> adds to them."""
    above = [path.resolve().parent]
    for one in whole.walk():
        if one.tag == "model" and "file" in one.attributes:
            above.append((above[0] / one.attributes["file"]).parent)
    compilers = (one.attributes for one in whole.walk() if one.tag == "compiler")
    added = ["", *(table[key] for table in compilers for key in ("meshdir", "assetdir") if key in table)]
    return sorted({str(folder / extra) for folder in above for extra in added})


def audited(root: Element, path: Path, journal: Journal, folder: Path) -> Element:
    """Return the file with its includes, and note all of it that the mechanism will not have.

    folder: what is included must be inside it.
    """
    whole = _included(root, path, folder)
    _refuse_copies(whole)
    _refuse_numbers(whole)
    left: list[Element] = []
    waiting = [(whole, whole.tag)]
    while waiting:
        element, within = waiting.pop()
        within = "body" if within in ("frame", "replicate") else within
        if within in _WHOLE:
            continue
        for child in element.children:
            if child.tag in _INSIDE.get(within, ()):
                waiting.append((child, child.tag))
            elif child.tag in _REFUSED:
                if child.tag == "flexcomp" and "file" in child.attributes:  # which is read even if it is left out
                    raise child.error("a flexible body from a file: mechanisms have rigid bodies only; remove it")
                journal.refuse(child.place, _REFUSED[child.tag], child.attributes.get("name", child.tag))
            else:
                left.append(child)
    journal.leave(left, _DROPPED)
    _settings(whole, journal)
    return whole


def _settings(whole: Element, journal: Journal) -> None:
    """Note settings of the simulator and of joints that are not in the mechanism."""
    for option in whole.all("option"):
        left = [key for key in option.attributes if key not in _OPTIONS_READ]
        left += [f"{key} {value}" for flag in option.all("flag") for key, value in flag.attributes.items()]
        left = [word for word in left if word.split()[0] not in _FLAGS_READ]
        if left:
            journal.dropped(option.place, f"settings of a simulator: {', '.join(left)}")
    solver = next((one for one in whole.walk() if any(key.startswith("sol") for key in one.attributes)), None)
    if solver is not None:
        words = "how softly a simulator holds constraints and limits: here loops are closed exactly"
        journal.dropped(f"{solver.place}, and others like it: solref, solimp", words)
    for compiler in whole.all("compiler"):
        for key in ("balanceinertia", "boundmass", "boundinertia", "settotalmass", "inertiafromgeom"):
            if key in compiler.attributes:
                journal.merged(f"{compiler.place}: {key}", _APPLIED)


def _refuse_copies(whole: Element) -> None:
    """Count bodies and elements with the copies that <replicate> and <flexcomp> make, before MuJoCo makes them."""
    bodies, elements, kinds = 0, 0, dict.fromkeys(_COUNTED, 0)
    waiting = [(whole, 1)]
    while waiting:
        element, copies = waiting.pop()
        if element.tag in ("replicate", "flexcomp"):
            copies *= max(1, math.prod(_count(element)))
        bodies += copies if element.tag in ("body", "flexcomp") else 0
        elements += copies
        refuse_many(bodies, whole.file)
        if element.tag in kinds:
            kinds[element.tag] += copies
            if kinds[element.tag] > MOST_OF_A_KIND:
                raise element.error(f"the file has more than {MOST_OF_A_KIND} elements <{element.tag}>: no robot has")
        if elements > MOST_ELEMENTS:
            raise element.error(f"with all copies the file has more than {MOST_ELEMENTS} elements")
        waiting += [(child, copies) for child in element.children]


def _count(element: Element) -> list[int]:
    """Return the whole numbers of the attribute `count`; MuJoCo refuses others."""
    words = element.attributes.get("count", "1").split()
    return [int(word) for word in words if len(word) < len(str(2**63)) and word.removeprefix("+").isdecimal()]


def _refuse_numbers(whole: Element) -> None:
    """Refuse numbers that are not finite, which MuJoCo takes with a warning."""
    for element in whole.walk():
        for key, text in element.attributes.items():
            for word in text.split():
                if word.lower().lstrip("+-")[:3] in ("nan", "inf") and _is_no_number(word):
                    if key in ("name", "class", "childclass", "file", "material", "mesh"):
                        continue
                    raise element.error(f"'{key}' must be finite, got {shown(text)}")


def _is_no_number(word: str) -> bool:
    try:
        return not math.isfinite(float(word))
    except ValueError:
        return False


# Includes ----------------------------------------------------------------------------------------------------------


@dataclass
class _Opened:
    """What was included so far."""

    folder: Path
    """The folder that all files must be in."""
    elements: int
    """How many elements there are."""
    files: int = 0
    """How many files were included."""


def _included(root: Element, path: Path, folder: Path) -> Element:
    """Return the element with what its <include> and <model> elements name in their place."""
    return _expanded(root, path, (path.resolve(),), _Opened(folder, sum(1 for _ in root.walk())))


def _expanded(element: Element, path: Path, open_files: tuple[Path, ...], count: _Opened) -> Element:
    children: list[Element] = []
    for child in element.children:
        if child.tag == "include":
            children += _other(child, path, open_files, count).children
        else:
            children.append(_expanded(child, path, open_files, count))
            if child.tag == "model" and element.tag == "asset" and "file" in child.attributes:
                model = _other(child, path, open_files, count)
                children[-1].children.append(model)
    return Element(element.file, element.line, element.tag, element.attributes, children, element.text)


def _other(element: Element, path: Path, open_files: tuple[Path, ...], count: _Opened) -> Element:
    """Return the root of the file that an element names, with its own includes."""
    name = element.need("file")
    try:
        folders = (open_files[0].parent, path.parent)
        target = next((one for one in (folder / name for folder in folders) if one.is_file()), None)
        resolved = target.resolve() if target else None
    except (OSError, ValueError):
        target, resolved = None, None
    if target is None or resolved is None:
        raise element.error(f"no file {shown(name)} beside {open_files[0].name}: put it there, or remove the line")
    if resolved in open_files:
        chain = " -> ".join(one.name for one in (*open_files, resolved))
        raise element.error(f"files include each other without end: {chain}")
    if not resolved.is_relative_to(count.folder):
        reason = f"{shown(name)} is outside the folder of the model, {count.folder}"
        raise element.error(f"{reason}: put it there, or choose a folder that has all (--folder)")
    count.files += 1
    if count.files > MOST_FILES:
        raise element.error(f"more than {MOST_FILES} files are included")
    root = read_xml(xml_bytes(target), target.name)
    count.elements += sum(1 for _ in root.walk())
    if count.elements > MOST_ELEMENTS:
        raise DescriptionError(root.file, (("", f"with all includes there are more than {MOST_ELEMENTS} elements"),))
    return _expanded(root, target, (*open_files, resolved), count)
