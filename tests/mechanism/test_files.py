"""Mechanism files: what is wrong is said with its place and a remedy, and what is right is written and read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import parakin as pk
from parakin.description import load_description
from parakin.errors import DescriptionError, ParakinError, UnknownNameError
from parakin.mechanism import load_mechanism_description, mechanism_library, mechanism_to_toml, parse_mechanism
from parakin.mechanism.plan import plan

LIBRARY = Path(pk.__file__).parent / "mechanism" / "library"
FOUR_BAR = (LIBRARY / "four_bar.toml").read_text(encoding="utf-8")
TABLE = (LIBRARY / "redundant_4rrr.toml").read_text(encoding="utf-8")
TRIPOD = (LIBRARY / "tripod_3rps.toml").read_text(encoding="utf-8")

Edit = Callable[[str], str]
"""What a mistake makes of a file."""


def change(old: str, new: str, at: str = "") -> Edit:
    """Replace the first `old` after `at`, which must be there."""

    def edit(text: str) -> str:
        start = text.index(at)
        place = text.index(old, start)
        return text[:place] + new + text[place + len(old) :]

    return edit


def add(tables: str) -> Edit:
    """Append tables."""
    return lambda text: f"{text}\n{tables}"


def both(*edits: Edit) -> Edit:
    """Make several edits."""

    def edit(text: str) -> str:
        for one in edits:
            text = one(text)
        return text

    return edit


WORKSPACE = re.compile(r"\[workspace\]\nlower = .*\nupper = .*\n")
NO_WORKSPACE: Edit = lambda text: WORKSPACE.sub("", text)  # noqa: E731
AT_CRANK = 'name = "crank"\ntype'
AT_ELBOW = 'name = "coupler_rocker"'
AT_ROCKER = 'name = "rocker"\ntype'
CRANK_DRIVE = "drive = { rotor_inertia = 2e-5, gear_ratio = 12.0, force = 8.0, speed = 20.0 }"


def weld(name: str, parent: str, child: str, z: float) -> str:
    child_frame = f"child_frame = {{ position = [0.0, 0.0, {z}] }}"
    return f'[[joints]]\nname = "{name}"\ntype = "weld"\nparent = "{parent}"\nchild = "{child}"\n{child_frame}\n'


def coupled(*terms: str) -> Edit:
    listed = ", ".join(f'{{ coordinate = "{term}", factor = 1.0 }}' for term in terms)
    return add(f"[[couplings]]\nterms = [{listed}]\n")


MISTAKES: dict[str, tuple[str, Edit, str]] = {
    # names that do not meet
    "unknown parent": (
        FOUR_BAR,
        change('parent = "crank"', 'parent = "crnak"'),
        r"joints\[1\]\.parent: no body 'crnak', did you mean 'crank'\?; there are world, crank, coupler, rocker",
    ),
    "unknown child": (FOUR_BAR, change('child = "rocker"', 'child = "lever"'), r"joints\[2\]\.child: no body 'lever'"),
    "unknown output": (FOUR_BAR, change('body = "coupler"', 'body = "tool"'), r"output\.body: no body 'tool'"),
    "joint to itself": (
        FOUR_BAR,
        change('child = "coupler"', 'child = "crank"'),
        r"joints\[1\]: a joint connects two bodies, and this one connects 'crank' with itself",
    ),
    "two joints of one name": (
        FOUR_BAR,
        change('name = "coupler_rocker"', 'name = "crank"'),
        "joints: 2 are named 'crank': give each a name of its own",
    ),
    "two bodies of one name": (
        FOUR_BAR,
        change('name = "rocker"', 'name = "crank"'),
        "bodies: 2 are named 'crank': give each a name of its own",
    ),
    "a body called world": (
        FOUR_BAR,
        change('name = "crank"', 'name = "world"'),
        r"bodies\[0\]: \"world\" is the body that does not move",
    ),
    "a name with a space": (
        FOUR_BAR,
        change('name = "coupler"', 'name = "my coupler"'),
        r"bodies\[1\]\.name: .*letters, digits",
    ),
    "unknown independent": (
        FOUR_BAR,
        change('["crank.angle"]', '["crank"]'),
        r"independent\[0\]: no coordinate 'crank', did you mean 'crank.angle'\?; a coordinate is joint.freedom",
    ),
    "independent named twice": (
        FOUR_BAR,
        both(NO_WORKSPACE, change('["crank.angle"]', '["crank.angle", "crank.angle"]')),
        "independent: 'crank.angle' is named 2 times",
    ),
    "unknown coordinate coupled": (
        FOUR_BAR,
        coupled("crank.angle", "rocker.angel"),
        r"couplings\[0\]\.terms\[1\]\.coordinate: no coordinate 'rocker.angel', did you mean 'rocker.angle'\?",
    ),
    "coupling of one": (FOUR_BAR, coupled("crank.angle"), r"couplings\[0\]\.terms: .*at least 2"),
    "coupled ball": (
        TRIPOD,
        coupled("ball1.wx", "hinge1.angle"),
        r"couplings\[0\]\.terms\[0\]\.coordinate: 'ball1.wx' is a component of an angular velocity",
    ),
    # joints
    "unknown type": (
        FOUR_BAR,
        change('type = "revolute"', 'type = "hinge"'),
        r"joints\[0\]\.type: must be 'revolute', .* got 'hinge'",
    ),
    "unknown freedom": (
        FOUR_BAR,
        change("freedoms.angle", "freedoms.travel", AT_CRANK),
        r"joints\[0\]: a revolute joint has no freedom 'travel'; it has angle",
    ),
    "home too long": (
        FOUR_BAR,
        change('parent = "world"', 'home = [0.1, 0.2]\nparent = "world"', AT_CRANK),
        r"joints\[0\]: home of a revolute joint has 1 numbers, got 2",
    ),
    "home of a ball without its fourth number": (
        TRIPOD,
        change('parent = "piston1"', 'home = [0.0, 0.0, 0.0]\nparent = "piston1"', 'name = "ball1"'),
        r"joints\[2\]: home of a spherical joint has 4 numbers, got 3",
    ),
    "screw without pitch": (
        FOUR_BAR,
        change('type = "revolute"', 'type = "screw"', AT_CRANK),
        r"joints\[0\]: a screw needs its pitch \[m in a turn\]",
    ),
    "pitch of a hinge": (
        FOUR_BAR,
        change('type = "revolute"', 'type = "revolute"\npitch = 0.01', AT_CRANK),
        r"joints\[0\]: a screw needs its pitch .*and no other joint has one",
    ),
    "distance without length": (
        FOUR_BAR,
        both(
            change('type = "revolute"', 'type = "distance"', AT_ROCKER),
            change("freedoms.angle = { friction = { viscous = 1e-3, coulomb = 5e-3 }, lower = -1.2, upper = 1.2 }", ""),
        ),
        r"joints\[3\]: a joint of type distance needs its length \[m\]",
    ),
    "distance of nothing": (
        FOUR_BAR,
        both(
            change('type = "revolute"', 'type = "distance"\nlength = 1e-320', AT_ROCKER),
            change("freedoms.angle = { friction = { viscous = 1e-3, coulomb = 5e-3 }, lower = -1.2, upper = 1.2 }", ""),
        ),
        r"joints\[3\]: a distance of 1e-320 m is none: .* use a spherical joint",
    ),
    "rows of a hinge": (
        FOUR_BAR,
        change('type = "revolute"', 'type = "revolute"\nrows = [0, 1]', AT_CRANK),
        r"joints\[0\]: rows are axes of a spherical joint",
    ),
    "driven ball": (
        TRIPOD,
        change('child = "platform"', 'child = "platform"\nfreedoms.wz = { drive = {} }', 'name = "ball2"'),
        r"joints\[5\]\.freedoms\.wz\.drive: a ball cannot be driven: use a universal or revolute joint with a motor",
    ),
    "sprung ball": (
        TRIPOD,
        change(
            'child = "platform"', 'child = "platform"\nfreedoms.wx = { spring = { stiffness = 1.0 } }', 'name = "ball2"'
        ),
        r"joints\[5\]\.freedoms\.wx\.spring: a ball has no angle that a spring could hold",
    ),
    "limited ball": (
        TRIPOD,
        change('child = "platform"', 'child = "platform"\nfreedoms.wx = { upper = 0.5 }', 'name = "ball2"'),
        r"joints\[5\]\.freedoms\.wx: a ball has no angle to limit: give the joint a cone in place of lower and upper",
    ),
    "limits swapped": (
        FOUR_BAR,
        change("lower = -1.2, upper = 1.2", "lower = 1.2, upper = -1.2"),
        r"joints\[3\]\.freedoms\.angle: lower must be below upper, got 1.2 and -1.2",
    ),
    "x along z": (
        FOUR_BAR,
        change("z = [0.0, -1.0, 0.0]", "z = [0.0, -1.0, 0.0], x = [0.0, 1.0, 1.0]", AT_CRANK),
        r"joints\[0\]\.parent_frame: its x axis must be at a right angle to its z axis, got 135 degrees",
    ),
    "no axis": (
        FOUR_BAR,
        change("z = [0.0, -1.0, 0.0]", "z = [0.0, 0.0, 0.0]", AT_CRANK),
        r"joints\[0\]\.parent_frame\.z: must not be the zero vector",
    ),
    "position in the plane": (
        FOUR_BAR,
        change("position = [0.06, 0.0, 0.08]", "position = [0.06, 0.08]", 'name = "crank_coupler"'),
        r"joints\[1\]\.parent_frame\.position\[2\]: is missing",
    ),
    # motors
    "negative speed": (
        FOUR_BAR,
        change("speed = 20.0", "speed = -20.0"),
        r"joints\[0\]\.freedoms\.angle\.drive\.speed: must be > 0, got -20.0",
    ),
    "no gear": (
        FOUR_BAR,
        change("gear_ratio = 12.0", "gear_ratio = 0"),
        r"joints\[0\]\.freedoms\.angle\.drive\.gear_ratio: must be > 0, got 0",
    ),
    "sign of two": (
        FOUR_BAR,
        change("drive = { ", "drive = { sign = 2, "),
        r"joints\[0\]\.freedoms\.angle\.drive\.sign: must be -1 or 1, got 2",
    ),
    "negative friction": (
        FOUR_BAR,
        change("viscous = 0.02", "viscous = -0.02"),
        r"joints\[0\]\.freedoms\.angle\.friction\.viscous: must be >= 0, got -0.02",
    ),
    # bodies
    "negative mass": (
        FOUR_BAR,
        change("mass = 0.25", "mass = -0.25"),
        r"bodies\[0\]\.mass: must be >= 0 kg, got -0.25",
    ),
    "mass in words": (
        FOUR_BAR,
        change("mass = 0.25", 'mass = "light"'),
        r"bodies\[0\]\.mass: must be a number, got 'l",
    ),
    "mass is nan": (FOUR_BAR, change("mass = 0.25", "mass = nan"), r"bodies\[0\]\.mass: must be finite, got nan"),
    "inertia without mass": (
        FOUR_BAR,
        add('[[bodies]]\nname = "wheel"\ninertia = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]\n'),
        r"bodies\[3\]: a body with inertia has mass: give it, in kg",
    ),
    "impossible inertia": (
        FOUR_BAR,
        add('[[bodies]]\nname = "w"\nmass = 1.0\ninertia = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 9.0]]\n'),
        r"bodies\[3\]\.inertia: no body has principal moments 1, 1, 9 kg m\^2",
    ),
    "lopsided inertia": (
        FOUR_BAR,
        add('[[bodies]]\nname = "w"\nmass = 1.0\ninertia = [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]\n'),
        r"bodies\[3\]\.inertia: must be symmetric",
    ),
    "unknown shape": (
        FOUR_BAR,
        change('shape = "rod"', 'shape = "bar"'),
        r"bodies\[0\]\.shape: must be \"rod\", \"tube\", \"plate\" or \"point\", got 'bar'",
    ),
    "shape and inertia": (
        FOUR_BAR,
        change("radius = 0.01", "radius = 0.01\ninertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"),
        r"bodies\[0\]\.shape: inertia says it already: keep one of the two",
    ),
    "size without shape": (
        FOUR_BAR,
        add('[[bodies]]\nname = "w"\nmass = 1.0\nradius = 0.1\n'),
        r"bodies\[3\]\.radius: is a size of a shape: add shape =",
    ),
    "ends without shape": (
        FOUR_BAR,
        add('[[bodies]]\nname = "w"\nmass = 1.0\nends = [[0, 0, 0], [1, 0, 0]]\n'),
        r"bodies\[3\]\.ends: are those of a rod or tube: add shape = \"rod\" or \"tube\"",
    ),
    "ends and centre": (
        FOUR_BAR,
        change("radius = 0.01", "radius = 0.01\ncom = [0.0, 0.0, 0.0]"),
        r"bodies\[0\]\.com: follows from the ends: keep one of the two",
    ),
    "ends at one place": (
        FOUR_BAR,
        change("[0.06, 0.0, 0.08]]", "[0.0, 0.0, 0.0]]"),
        r"bodies\[0\]\.ends: must be two places, got \[0.0, 0.0, 0.0\] twice",
    ),
    "one end": (FOUR_BAR, change(", [0.06, 0.0, 0.08]]", "]"), r"bodies\[0\]\.ends\[1\]: is missing"),
    "plate with a radius": (
        TABLE,
        change("sides = ", "radius = 0.1\nsides = "),
        r"bodies\[0\]\.radius: a plate has sides: remove it",
    ),
    # keys
    "unknown key": (
        FOUR_BAR,
        change("source =", "gravty = [0.0, 0.0, 0.0]\nsource ="),
        "gravty: unknown key, did you mean 'gravity'",
    ),
    "unknown key of a body": (
        FOUR_BAR,
        change("mass = 0.25", "masss = 0.25"),
        r"bodies\[0\]\.masss: unknown key, did you mean 'mass'\?; known are com, ends, gravity_compensation, inertia",
    ),
    "unknown key of a joint": (
        FOUR_BAR,
        change("parent_frame", "parent_fram", AT_CRANK),
        r"joints\[0\]\.parent_fram: unknown key, did you mean 'parent_frame'\?",
    ),
    "unknown key of a motor": (
        FOUR_BAR,
        change("force = 8.0", "torque = 8.0"),
        r"joints\[0\]\.freedoms\.angle\.drive\.torque: unknown key; known are force, gear_ratio",
    ),
    "no source": (FOUR_BAR, change('source = "assumed"\n', ""), "source: is missing: say once, at the top"),
    "no output": (
        FOUR_BAR,
        change('[output]\nbody = "coupler"\nframe = { position = [0.18, 0.0, 0.17] }\n', ""),
        "output: is missing",
    ),
    "no bodies": (
        FOUR_BAR,
        lambda text: f"bodies = []\n{text.replace('[[bodies]]', '[[parts]]')}",
        "bodies: .*at least 1",
    ),
    "no joints": (FOUR_BAR, lambda text: text.replace("[[joints]]", "[[hinges]]"), "joints: is missing"),
    "no TOML": (FOUR_BAR, change("mass = 0.25", "mass = 0,25"), "is not TOML: .*line"),
    # box
    "box without coordinates": (
        FOUR_BAR,
        change('independent = ["crank.angle"]\n', ""),
        r"workspace: offsets are of the independent coordinates: name these \(independent = \[...\]\)",
    ),
    "box of two sides": (
        FOUR_BAR,
        change("lower = [-3.1]", "lower = [-3.1, 0.0]"),
        "workspace.lower: must have 1 numb",
    ),
    "box beside home": (
        FOUR_BAR,
        change("lower = [-3.1]", "lower = [0.5]"),
        r"workspace\.lower\[0\]: home must lie within: lower <= 0 <= upper, got 0.5 and 3.1",
    ),
    # loops
    "a loop that cannot close": (
        FOUR_BAR,
        change(
            "parent_frame",
            "child_frame = { position = [2.0, 0.0, 0.26], z = [0.0, -1.0, 0.0] }\nparent_frame",
            AT_ELBOW,
        ),
        r"joints: loops stay open: that of joint 'rocker' by \d+(\.\d+)? mm; all others close without joint 'c",
    ),
    "a hinge out of the plane": (
        FOUR_BAR,
        change("z = [0.0, -1.0, 0.0]", "z = [1.0, -1.0, 0.0]", AT_ELBOW),
        "independent: cannot all be chosen: the loops tie crank.angle",
    ),
    "more independents than freedoms": (
        FOUR_BAR,
        both(NO_WORKSPACE, change('["crank.angle"]', '["crank.angle", "rocker.angle"]')),
        "independent: cannot all be chosen: the loops tie crank.angle, rocker.angle to each other; leave 1 of them out",
    ),
    "all joints independent": (
        FOUR_BAR,
        both(
            NO_WORKSPACE,
            change('["crank.angle"]', '["crank.angle", "rocker.angle", "crank_coupler.angle", "coupler_rocker.angle"]'),
        ),
        "every joint",
    ),
    "too few independents": (
        TABLE,
        both(NO_WORKSPACE, change(', "table.angle"', "")),
        r"independent: do not determine the mechanism: add 1, such as \w+\.angle",
    ),
    "every joint of a loop driven": (
        FOUR_BAR,
        lambda text: text.replace("friction = { viscous = 1e-3, coulomb = 5e-3 }", "drive = {}"),
        "every joint",
    ),
    "every joint of a loop coupled": (
        FOUR_BAR,
        coupled("crank.angle", "rocker.angle", "crank_coupler.angle", "coupler_rocker.angle"),
        "every joint",
    ),
    "a body without a joint": (
        FOUR_BAR,
        add('[[bodies]]\nname = "cover"\nmass = 0.1\n'),
        "bodies: no chain of joints leads from the base to cover: connect it, or remove it",
    ),
    "welds that do not meet": (
        FOUR_BAR,
        both(
            add('[[bodies]]\nname = "pad"\nmass = 0.1\n'),
            add(weld("pad_a", "coupler", "pad", 0.1) + weld("pad_b", "coupler", "pad", 0.2)),
        ),
        r"open: that of joint 'pad_b' by 100 mm; all others close without joint 'pad_a', its two frames then 100 mm",
    ),
    "locked": (
        FOUR_BAR,
        both(
            NO_WORKSPACE,
            change('independent = ["crank.angle"]\n', ""),
            change('type = "revolute"', 'type = "weld"', AT_ELBOW),
            change("freedoms.angle = { friction = { viscous = 1e-3, coulomb = 5e-3 } }", "", AT_ELBOW),
        ),
        "joints: leave the mechanism no freedom",
    ),
    "a loop of screws": (
        FOUR_BAR,
        lambda text: text.replace('type = "revolute"', 'type = "screw"\npitch = 0.01'),
        "joints: a loop of screws and free joints alone cannot be planned: ",
    ),
}
"""Name of a mistake -> the file it is made in, the mistake, and what must be said."""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused_in_words(mistake: str) -> None:
    text, edit, said = MISTAKES[mistake]
    with pytest.raises(DescriptionError) as refused:
        plan(parse_mechanism(edit(text).encode(), "mine.toml"))
    assert re.search(said, str(refused.value)), str(refused.value)


def test_welds_that_meet_are_accepted() -> None:
    text = both(
        add('[[bodies]]\nname = "pad"\nmass = 0.1\n'),
        add(weld("pad_a", "coupler", "pad", 0.0) + weld("pad_b", "coupler", "pad", 0.0)),
    )(FOUR_BAR)
    planned = plan(parse_mechanism(text.encode(), "mine.toml"))
    assert (len(planned.independent), planned.redundant) == (1, 3 + 6)


@pytest.mark.parametrize("name", mechanism_library())
def test_library_files_are_written_and_read_back(name: str) -> None:
    description = load_mechanism_description(name)
    text = mechanism_to_toml(description)
    assert parse_mechanism(text.encode(), "again.toml") == description
    assert description.name == name


def test_the_example_of_the_page_is_a_mechanism() -> None:
    page = (Path(__file__).parents[2] / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    planned = plan(parse_mechanism(text.encode(), "my_linkage.toml"))
    assert str(planned) == str(plan(load_mechanism_description("four_bar")))
    assert all(f"    {line}" in page for line in str(planned).splitlines())


def test_no_name_is_in_both_libraries() -> None:
    assert len(mechanism_library()) == 13
    assert len(set(pk.library())) == len(pk.library()) == 29


def test_a_rod_by_its_ends_is_the_tensor_of_that_rod() -> None:
    """The four-bar's crank: 0.25 kg, 0.1 m along (0.6, 0, 0.8), radius 0.01 m."""
    crank = load_mechanism_description("four_bar").bodies[0]
    along, across = 0.25 * 0.01**2 / 2, 0.25 * (3 * 0.01**2 + 0.1**2) / 12
    assert crank.com == pytest.approx((0.03, 0.0, 0.04))
    n = (0.6, 0.0, 0.8)
    for i in range(3):
        for j in range(3):
            expected = along * n[i] * n[j] + across * ((i == j) - n[i] * n[j])
            assert crank.inertia[i][j] == pytest.approx(expected, abs=1e-18)


def test_one_door_takes_both_kinds_of_file_and_both_libraries(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(FOUR_BAR, encoding="utf-8")
    assert pk.load(mine).graph_description == pk.load("four_bar").graph_description
    assert pk.load(str(mine)).legs == ()
    with pytest.raises(DescriptionError, match=r"mine\.toml: is a mechanism .*: pk\.load takes both"):
        load_description(mine)
    with pytest.raises(DescriptionError, match=r'delta: is a robot .*: pk\.load\("delta"\) takes both'):
        load_mechanism_description("delta")
    mine.write_text("legs = []\n", encoding="utf-8")
    with pytest.raises(DescriptionError, match=r"mine\.toml: is a robot .*: pk\.load takes both"):
        load_mechanism_description(mine)
    for wrong, right in (("four_ber", "four_bar"), ("detla", "delta")):
        with pytest.raises(UnknownNameError, match=rf"no robot '{wrong}'; .* did you mean '{right}'"):
            pk.load(wrong)
    with pytest.raises(ParakinError, match="cannot be read"):
        pk.load(tmp_path / "nowhere.toml")
