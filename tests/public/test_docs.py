"""What the documents say is true: code runs, citations exist, tables agree with the tests and measurements."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import parakin
from parakin import Status
from tests.kernels.lane_functions import ULPS

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
CITATION = re.compile(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d[a-z]?)\]")


RUN = [pytest.param(path, marks=pytest.mark.slow) if path.parent.name == "how" else path for path in DOCUMENTS]
"""Short answers repeat what other pages show: their code is run by `make slow`."""


@pytest.mark.parametrize("path", RUN, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_in_documents_runs(path: Path, tmp_path: Path) -> None:
    """All blocks of a page, in order, as one script."""
    script = "\n".join(re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL))
    if script:
        subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, cwd=tmp_path, timeout=120)


def test_whole_robot_files_in_documents_load(tmp_path: Path) -> None:
    """A block of TOML that begins with a name is a whole file."""
    found = 0
    for path in DOCUMENTS:
        for block in re.findall(r"```toml\n(name = .*?)```", path.read_text(), re.DOTALL):
            file = tmp_path / f"{found}.toml"
            file.write_text(block)
            assert parakin.load(file).check(parakin.load(file).home) == Status.GOOD, path.name
            found += 1
    assert found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_every_key_cited_in_the_code_is_in_the_references() -> None:
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text()))
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.toml"), *DOCUMENTS]
    cited = {(key, path.name) for path in sources for key in CITATION.findall(path.read_text())}
    assert cited, "the pattern should find at least one citation"
    assert not {entry for entry in cited if entry[0] not in known}


def test_error_bounds_are_those_the_tests_assert() -> None:
    table = dict(re.findall(r"^\| (\w+) \| ([\d.]+) \|", (ROOT / "docs" / "kernels.md").read_text(), re.MULTILINE))
    assert {name: float(bound) for name, bound in table.items()} == ULPS


def test_figures_in_the_readme_are_those_measured() -> None:
    """README's table is cut from benchmarks/results/kernels.md, row by row."""
    rows = (ROOT / "README.md").read_text().split("<!-- figures -->")[1].split("<!-- /figures -->")[0]
    measured = (ROOT / "benchmarks" / "results" / "kernels.md").read_text()
    shown = re.findall(r"^\| (?!what|-)(.+?) \| (.+?) \|$", rows, re.MULTILINE)
    assert len(shown) >= 5
    for what, value in shown:
        assert f"| {what} | {value} |" in measured, what
    figures = json.loads((ROOT / "benchmarks" / "results" / "kernels.json").read_text())["figures"]
    assert {figure["what"] for figure in figures} >= {what for what, _ in shown}


CHOOSING = {
    "dynamics": ("body-by-body", "kinematic-elements", "recursive-matrix", "subchain-mass"),
    "controllers_c": (
        "pid",
        "feedforward",
        "decoupling",
        "computed_torque",
        "computed_torque_platform",
        "predictive_functional",
        "adaptive_feedforward",
        "adaptive",
    ),
}
"""Suite -> formulations or laws whose figure is on the page that helps to choose."""


def test_figures_of_the_page_that_helps_to_choose_are_those_measured() -> None:
    text = (ROOT / "docs" / "choosing.md").read_text()
    named = {"dynamics": "palida: {} against virtual-work, in a batch", "controllers_c": "h4, {}: instructions a tick"}
    for suite, names in CHOOSING.items():
        figures = json.loads((ROOT / "benchmarks" / "results" / f"{suite}.json").read_text())["figures"]
        values = {figure["what"]: figure["value"] for figure in figures}
        for name in names:
            value = values[named[suite].format(name)]
            shown = f"{value:,.0f}" if suite == "controllers_c" else f"{value:.3f} x"
            assert re.search(rf"`\"?{name}\"?`.*\b{re.escape(shown)}(?: |,|$)", text, re.MULTILINE), (name, shown)


def test_versions_agree() -> None:
    text = {name: (ROOT / name).read_text() for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md")}
    assert f'version = "{parakin.__version__}"' in text["pyproject.toml"]
    assert f"version: {parakin.__version__}" in text["CITATION.cff"]
    assert f"## {parakin.__version__}" in text["CHANGELOG.md"]


def test_importing_parakin_imports_nothing_heavy() -> None:
    script = (
        "import sys, parakin; print([m for m in ('casadi', 'llvmlite', 'numpy', 'matplotlib') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_public_names_are_there() -> None:
    for name in parakin.__all__:
        assert getattr(parakin, name) is not None
    with pytest.raises(AttributeError, match="module 'parakin' has no attribute 'Kernal'"):
        _ = parakin.Kernal  # type: ignore[attr-defined]


SAYS = {
    "01_first_torque": "largest error",
    "02_own_robot_file": "did you mean 'mass'?",
    "03_library_tour": " states, 0 values differ",
    "04_regressor": "the same forces from 8 numbers",
    "05_identification": "13 identified, 6 weak",
    "06_compare_controllers": "laws with the same delay margin at home",
    "07_monte_carlo": "all completed",
    "08_controller_in_c": " ticks, 0 values differ",
    "09_optimal_control": "effort of the quintic",
    "10_own_model": " states, 0 values differ",
    "11_optimal_control_of_a_mechanism": "with at most 40.0 N",
    "13_many_runs": "40000 poses in 64 files, 0 failed",
    "12_what_a_law_wears": "0.0e+00 N m at the switch",
    "14_where_it_can_go": "from home, type 1 singularity within 0.1964 m",
    "15_performance_map": "% of the slice is within reach and strokes",
    "16_design_study": "as its row says: True",
    "17_what_a_camera_sees": "held by what it sees to ",
}
"""What each example must print."""


@pytest.mark.parametrize("name", SAYS)
def test_examples_run(name: str, tmp_path: Path) -> None:
    script = ROOT / "examples" / f"{name}.py"
    run = subprocess.run([sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=True)
    assert SAYS[name] in run.stdout


def test_every_example_is_run() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == set(SAYS)


def test_the_command_line_shows_and_clears_the_cache(tmp_path: Path) -> None:
    environment = os.environ | {"PARAKIN_CACHE_DIR": str(tmp_path / "cache"), "NO_COLOR": "1"}

    def parakin_command(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from parakin.cli import app; app()", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    assert parakin_command("--version").stdout == f"parakin {parakin.__version__}\n"
    assert "0 kernels, 0.0 of 512 MiB" in parakin_command("cache").stdout
    assert "removed 0.0 MiB from" in parakin_command("cache", "--clear").stdout
    (tmp_path / "cache").chmod(0o755)
    refused = parakin_command("cache")
    assert refused.returncode == 1
    assert "not cached" in refused.stderr
