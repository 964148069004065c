"""Every element of an MJCF file is known here, or said in the report: what is read, dropped or refused.

MuJoCo's own reader gives the numbers; this walk over the same text, with its includes, is what keeps anything from
being lost without a word. It also refuses what should not reach a reader in C: document types, depth, size, cycles.
"""

from __future__ import annotations

import math
from pathlib import Path

from parakin.description.values import shown
from parakin.errors import DescriptionError
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.xml_text import MOST_ELEMENTS, Element, read_xml, xml_bytes

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
_INSIDE = {
    "mujoco": {"compiler", "option", "default", "asset", "worldbody", "tendon", "equality", "actuator", "keyframe"},
    "worldbody": {"body", "frame", "replicate", "attach", "site"},
    "body": {"body", "frame", "replicate", "attach", "site", "inertial", "joint", "freejoint"},
    "asset": {"model"},
    "tendon": {"fixed", "spatial"},
    "equality": {"connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance"},
    "actuator": {
        "motor",
        "position",
        "velocity",
        "intvelocity",
        "damper",
        "general",
        "cylinder",
        "muscle",
        "adhesion",
        "dcmotor",
    },
}
"""Elements that are read, by where they stand; <frame> and <replicate> hold what <body> does."""
_WHOLE = frozenset(
    {"default", "inertial", "joint", "freejoint", "fixed", "spatial", "compiler", "model", "option", "site"}
)
"""Elements that are read with everything in them."""
_JOINT_WORDS = {"actuatorgravcomp": "compensation of gravity by the motor is a matter of control"}
"""Attributes of joints that are not in the mechanism, and what they are."""
_APPLIED = "MuJoCo applied it: masses and inertias are those after it; but bounds below 1e-12 are taken for nothing"
_OPTIONS_READ = ("gravity",)
"""Attributes of <option> that are."""


def audited(root: Element, path: Path, journal: Journal) -> Element:
    """Return the file with its includes, and note all of it that the mechanism will not have."""
    whole = _included(root, path)
    _refuse_numbers(whole)
    dropped: list[Element] = []
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
                journal.refuse(child.place, _REFUSED[child.tag], child.attributes.get("name", child.tag))
            else:
                dropped.append(child)
    journal.leave(dropped, _DROPPED)
    _settings(whole, journal)
    return whole


def _settings(whole: Element, journal: Journal) -> None:
    """Note settings of the simulator and of joints that are not in the mechanism."""
    for option in whole.all("option"):
        left = [key for key in option.attributes if key not in _OPTIONS_READ]
        if left or option.children:
            words = ", ".join([*left, *(f"<{child.tag}>" for child in option.children)])
            journal.dropped(option.place, f"settings of a simulator: {words}")
    for key, words in _JOINT_WORDS.items():
        found = next((one for one in whole.walk() if one.tag == "joint" and key in one.attributes), None)
        if found is not None:
            journal.dropped(f"{found.place}: {key}", words)
    solver = next((one for one in whole.walk() if any(key.startswith("sol") for key in one.attributes)), None)
    if solver is not None:
        words = "how softly a simulator holds constraints and limits: here loops are closed exactly"
        journal.dropped(f"{solver.place}, and others like it: solref, solimp", words)
    for compiler in whole.all("compiler"):
        for key in ("balanceinertia", "boundmass", "boundinertia", "settotalmass", "inertiafromgeom"):
            if key in compiler.attributes:
                journal.merged(f"{compiler.place}: {key}", _APPLIED)


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


def _included(root: Element, path: Path) -> Element:
    """Return the element with what its <include> and <model> elements name in their place."""
    count = [0, sum(1 for _ in root.walk())]
    return _expanded(root, path, (path.resolve(),), count)


def _expanded(element: Element, path: Path, open_files: tuple[Path, ...], count: list[int]) -> Element:
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


def _other(element: Element, path: Path, open_files: tuple[Path, ...], count: list[int]) -> Element:
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
    count[0] += 1
    if count[0] > MOST_FILES:
        raise element.error(f"more than {MOST_FILES} files are included")
    root = read_xml(xml_bytes(target), target.name)
    count[1] += sum(1 for _ in root.walk())
    if count[1] > MOST_ELEMENTS:
        raise DescriptionError(root.file, (("", f"with all includes there are more than {MOST_ELEMENTS} elements"),))
    return _expanded(root, target, (*open_files, resolved), count)
