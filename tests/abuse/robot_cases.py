"""Robot files that describe no robot, at any size a file may have, and dictionaries that no file can hold."""

from __future__ import annotations

import os
import socket
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from parakin.description import describe, load_description
from tests.abuse.confined import Case

Make = Callable[[Path], Callable[[], object]]

DELTA = (resources.files("parakin.description") / "library" / "delta.toml").read_text(encoding="utf-8")
SIZE = 2**20 - 2**10
"""Nearly the largest file there may be."""


def file(content: str | bytes) -> Make:
    def make(folder: Path) -> Callable[[], object]:
        path = folder / "robot.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return lambda: load_description(path)

    return make


def filled(line: str, before: str = "", size: int = SIZE) -> Make:
    """Return a file full of one line; {} in it is a number that counts on."""
    lines, left = [before], size - len(before)
    while left > len(line) + 8:
        lines.append(line.replace("{}", str(len(lines))))
        left -= len(lines[-1])
    return file("".join(lines))


def tables() -> dict[str, Any]:
    return tomllib.loads(DELTA)


def data(change: Callable[[dict[Any, Any]], object]) -> Make:
    """Describe the tables of a good robot after a change."""

    def make(_: Path) -> Callable[[], object]:
        changed = tables()
        change(changed)
        return lambda: describe(changed, "robot.json")

    return make


def at(place: str, value: object) -> Make:
    """Put a value at a place such as legs.0.root."""

    def change(robot: dict[str, Any]) -> None:
        *parents, last = place.split(".")
        table: Any = robot
        for parent in parents:
            table = table[int(parent) if parent.isdigit() else parent]
        table[int(last) if last.isdigit() else last] = value

    return data(change)


def legs(robot: dict[str, Any], count: int, **wrong: object) -> None:
    leg = robot["legs"][0]
    robot["legs"] = [{**leg, "name": f"l{k}", **wrong} for k in range(count)]


def endless(robot: dict[Any, Any]) -> None:
    robot["legs"].append(robot)


def special(kind: str, name: str = "robot.toml") -> Make:
    def make(folder: Path) -> Callable[[], object]:
        path = folder / name
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "zero":
            path.symlink_to("/dev/zero")
        elif kind == "folder":
            path.mkdir()
        elif kind == "loop":
            path.symlink_to(path)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(path))
        elif kind == "link":
            (folder / "kept").write_text(DELTA)
            path.symlink_to(folder / "kept")
        return lambda: load_description(path)

    return make


def named(name: str) -> Make:
    return lambda _: lambda: load_description(name)


GOOD = file(DELTA)
HEAD = DELTA.split("[", maxsplit=1)[0]
BIG = "0x" + "f" * 5000
FRICTION = "legs.0.elements.0.actuator.friction"
BODY = "legs.0.elements.0.bodies.0"

SIZES: dict[str, tuple[str, Make, Make]] = {
    "4,000 wrong legs": (
        "up to 'legs' it holds more than 65536 values",
        data(lambda r: legs(r, 4000, branch=3)),
        data(lambda r: r),
    ),
    "4,000 empty legs": ("problems in all", data(lambda r: r.update(legs=[{}] * 4000)), GOOD),
    "4,000 legs without elements": ("problems in all", data(lambda r: legs(r, 4000, elements=[])), GOOD),
    "4,000 legs that are numbers": ("problems in all", data(lambda r: r.update(legs=[1] * 4000)), GOOD),
    "100 legs of one name": ("is used 100 times", data(lambda r: legs(r, 100, name="a")), GOOD),
    "100 wrong legs of 24": ("problems in all", data(lambda r: legs(r, 100, root=[9, 9, 9], symmetry="sixths")), GOOD),
    "1 MB of empty legs": ("more than 8192 tables", filled("[[legs]]\n", HEAD), GOOD),
    "1 MB of wrong legs": ("more than 8192 tables", filled('[[legs]]\nname = "a{}"\nbranch = 5\n', HEAD), GOOD),
    "1 MB of long wrong legs": (
        "problems",
        filled('[[legs]]\nname = "a{}"\nroot = ["x", "y", 3]\n' + "# " * 80 + "\n"),
        GOOD,
    ),
    "1 MB of unknown keys": ("more than 65536 values|problems in all", filled("unknown_{} = 1\n"), GOOD),
    "1 MB of long unknown keys": ("problems in all", filled("u" * 60 + "{} = 1\n"), GOOD),
    "1 MB of unknown tables": ("more than 8192 tables", filled("[t{}]\n"), GOOD),
    "1 MB of symmetries": ("more than 8192 tables", filled("[symmetries.s{}]\n"), GOOD),
    "1 MB of bodies": ("more than 8192", filled("[[platform.bodies]]\n", "[platform]\n"), GOOD),
    "a home of 10^5 numbers": ("more than 65536 values", at("workspace.home", [0.0] * 100_000), GOOD),
    "a home of 60,000 numbers": (r"workspace.home: a pose of", at("workspace.home", [0.0] * 60_000), GOOD),
    "a home of 60,000 texts": ("problems in all", at("workspace.home", ["x"] * 60_000), GOOD),
    "8,000 symmetries": ("problems in all", at("symmetries", {f"s{k}": {"count": 3} for k in range(8000)}), GOOD),
    "a key of 500,000 parts": ("line 1 has a key of more than 16 parts", file("a." * 500_000 + "a = 1"), GOOD),
    "1 MB of keys of 1,000 parts": ("key of more than 16", filled("a." * 1000 + "k{} = 1\n"), GOOD),
    "1 MB of keys of 16 parts": ("more than 8192 tables", filled("a{}" + ".a" * 15 + " = 1\n"), GOOD),
    "quoted keys": ("key of more than 16", filled('"a". ' * 1000 + "k{} = 1\n"), GOOD),
    "literal keys": ("key of more than 16", filled("'a\"' . " * 1000 + "k{} = 1\n"), GOOD),
    "escaped keys": ("key of more than 16", filled('"\\"".' * 1000 + "k{} = 1\n"), GOOD),
    "tables of many parts": ("key of more than 16", filled("[" + "a." * 1000 + "k{}]\n"), GOOD),
    "lists of many parts": ("key of more than 16", filled("[[ " + "a." * 1000 + "k{}]]\n"), GOOD),
    "inline keys of many parts": (
        "key of more than 16",
        file("x = {" + "a." * 10_000 + "b = 1}"),
        file(DELTA + "#" + "a." * 10_000),
    ),
    "later inline keys": ("key of more than 16", file("x = {b = 1, " + "a." * 10_000 + "b = 1}"), GOOD),
    "lists in lists": ("nested too deeply", file("x = " + "[" * 100_000), GOOD),
    "tables in tables": ("nested too deeply", file("x = " + "{a = " * 100_000), GOOD),
    "1 MB and a byte": (
        "too large: .* at most 1 MiB",
        file("#" * (2**20 + 1)),
        file(DELTA + "#" * (2**20 - len(DELTA.encode()))),
    ),
    "a name of 1 MB": ("name: .*at most 64", file(DELTA.replace('name = "delta"', f'name = "{"a" * 10**6}"', 1)), GOOD),
    "a title of 1 MB": ("title: .*at most 200", at("title", "a" * 10**6), at("title", "a" * 200)),
    "a source of 1 MB": ("source: .*at most 500", at("source", "a" * 10**6), at("source", "a" * 500)),
    "a branch of 1 MB": ("legs.0..branch: must be", at("legs.0.branch", "a" * 10**6), at("legs.0.branch", -1)),
    "a motion of 1 MB": ("motion: must be", at("motion", "a" * 10**6), GOOD),
    "a mass of 1 MB": ("mass: must be a number", at(f"{BODY}.mass", "1" * 10**6), at(f"{BODY}.mass", 1)),
    "a key of 1 MB": ("unknown key", data(lambda r: r.update({"k" * 10**6: 1})), GOOD),
    "100 keys of 10 kB": ("unknown key", data(lambda r: r.update({f"{k}" + "k" * 10**4: 1 for k in range(100)})), GOOD),
    "a symmetry of 1 MB": ("symmetries", at("symmetries", {"k" * 10**6: {"count": 3}}), GOOD),
    "tables without an end": ("more than 8192 tables", data(endless), GOOD),
    "4,000 digits": ("root", at("legs.0.root", [10**4000, 0, 0]), at("legs.0.root", [0, 0, 0.0])),
}

NUMBERS: dict[str, tuple[str, Make, Make]] = {
    f"{value} as {place}": (message, at(place, value), GOOD)
    for place, values, message in (
        (f"{BODY}.mass", (0, -1.0, True, "1", [1.0], None, float("nan"), float("inf"), 1e101), "mass"),
        ("workspace.home", (5, "here", [0.0], [[0.0]], {}, [float("nan")] * 3), "workspace.home"),
        ("workspace.upper", ([0.0, 0.0, 0.0], [-1, -1, -1]), "offsets from home must be > 0"),
        ("legs", ([], 5, {}, "x", [[]]), "legs"),
        ("legs.0.branch", (0, 2, True, "1", 1.5, None), "branch"),
        ("symmetries", ([], 5, {"third": {"count": 1}}, {"third": {"count": 25}}), "symmetries|legs.0..symmetry"),
    )
    for value in values
}
NUMBERS |= {
    f"thousands of digits as {place}": (message, at(place, int(BIG, 16)), GOOD)
    for place, message in (
        ("legs.0.branch", "legs.0..branch: .*got a number of thousands of digits"),
        (f"{BODY}.mass", "mass: must be finite"),
        ("name", "name: .* got a number of thousands of digits"),
        ("motion", "motion: must be .* got a number of thousands of digits"),
        ("legs", "legs: .* got a number of thousands of digits"),
        ("symmetries", "symmetries: .* got a number of thousands of digits"),
    )
}

TEXTS: dict[str, tuple[str, Make, Make]] = {
    "zero character in a name": ("name: ", at("name", "a\0b"), at("name", "a_b")),
    "zero character in a leg's name": ("legs.0..name: ", at("legs.0.name", "a\0"), at("legs.0.name", "a")),
    "line end in a name": ("name: ", at("name", "delta\n"), GOOD),
    "surrogate in a name": ("name: ", at("name", "a\ud800"), at("name", "a")),
    "surrogate in a title": ("title: ", at("title", "a\ud800"), at("title", "ä")),
    "surrogate in a motion": ("motion: ", at("motion", "\ud800"), GOOD),
    "surrogate in a key": ("no text|unknown key|as a unicode string", data(lambda r: r.update({"\ud800": 1})), GOOD),
    "surrogate in a leg's key": (
        "no text|unknown key|as a unicode string",
        data(lambda r: r["legs"][0].update({"\ud800": 1})),
        GOOD,
    ),
    "surrogate in a symmetry": ("no text|symmetries", at("symmetries", {"\ud800": {"count": 3}}), GOOD),
    "zero character in a key": (r"a\\x00b: unknown key", file('"a\\u0000b" = 1\n' + DELTA), GOOD),
    "escape sequence in a key": (r"\\x1b.2J: unknown key", file('"\\u001b[2J" = 1\n' + DELTA), GOOD),
    "key that is a number": ("", data(lambda r: r.update({1: 2})), GOOD),
    "key that is a tuple": ("", data(lambda r: r.update({(1, 2): 2})), GOOD),
    "zero byte": ("is not TOML", file(DELTA + "\0"), GOOD),
    "UTF-16 file": (r"is not UTF-8 text \(byte 0, at line 1\)", file(DELTA.encode("utf-16")), GOOD),
    "Latin-1 file": ("is not UTF-8 text", file(DELTA.encode() + b"# \xb5"), file(DELTA + "# µ")),
    "escaped surrogate": ("is not TOML", file('name = "\\ud800"'), GOOD),
    "key twice": ("is not TOML", file('name = "a"\nname = "b"'), GOOD),
    "a date": ("length: must be a number", file(DELTA.replace("length =", "length = 1979-05-27 #", 1)), GOOD),
    "nothing": ("name: is missing", file(""), GOOD),
    "number too long": ("is not TOML", file(f"x = {'9' * 10**5}"), GOOD),
    "hexadecimal number too long": ("unknown key", file(f"x = {BIG}"), GOOD),
    "an archive": ("is not UTF-8 text|is not TOML", file(b"PK\x03\x04\xff\xfe" * 100), GOOD),
}

PLACES: dict[str, tuple[str, Make, Make]] = {
    f"robot as {kind}": (f"cannot be read: {reason}", special(kind), special("link"))
    for kind, reason in {
        "pipe": "it is a named pipe",
        "zero": "it is a device",
        "socket": "it is a socket",
        "folder": "it is a directory",
        "loop": "Too many levels",
        "nothing": "No such file",
    }.items()
}
PLACES |= {
    "zero character in a path": ("no file can have this name", special("", "a\0.toml"), special("link", "a.toml")),
    "surrogate in a path": ("no file can have this name", special("", "\ud800.toml"), special("link", "ä.toml")),
    "byte in a path": (r"udcff.toml: cannot be read", special("", "\udcff.toml"), special("link", "\udcff.toml")),
    "zero character in a library name": (r"no robot 'delta\\x00'", named("delta\0"), named("delta")),
    "surrogate in a library name": (r"no robot '\\ud800'", named("\ud800"), named("delta")),
}

CASES = {name: Case(*case) for name, case in (SIZES | NUMBERS | TEXTS | PLACES).items()}
WARM = (lambda: load_description("delta"),)
