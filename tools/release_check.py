"""Build the wheel and the source distribution, install each into an empty environment, and use what was installed.

python -m tools.release_check
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "parakin"
USED = (
    ("--version",),
    ("list",),
    ("info", "delta"),
    ("info", "tricept"),
    ("view", "h4", "--no-open", "-o", "h4.html"),
    ("export-c", "five_bar", "--controller", "pid", "-o", "pid"),
)
"""Commands that need the library, the page's assets and the compiler of kernels."""


def main() -> None:
    """Check both kinds of distribution; the first thing that is missing ends it with an error."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _run(sys.executable, "-m", "build", "--outdir", str(place / "dist"), str(ROOT))
        (wheel,) = (place / "dist").glob("*.whl")
        (source,) = (place / "dist").glob("*.tar.gz")
        missing = missing_files(wheel)
        if missing:
            raise SystemExit(f"{wheel.name} lacks {', '.join(missing)}")
        for kind, archive in (("wheel", wheel), ("sdist", source)):
            _used(place / kind, archive)
            print(f"{archive.name}: installed into an empty environment, and used")


def missing_files(wheel: Path) -> list[str]:
    """Return the files of the package that a wheel does not have."""
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return [
        name for name in (f"parakin/{path.relative_to(PACKAGE).as_posix()}" for path in files) if name not in packed
    ]


def _used(place: Path, archive: Path) -> None:
    """Install an archive into a new environment and run commands there, away from the repository."""
    venv.create(place, with_pip=True)
    python = str(place / "bin" / "python")
    constraints = str(ROOT / "constraints.txt")
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", constraints, str(archive))
    for arguments in USED:
        _run(str(place / "bin" / "parakin"), *arguments, cwd=place)
    typed = "import parakin, pathlib; assert (pathlib.Path(parakin.__file__).parent / 'py.typed').exists()"
    _run(python, "-c", typed, cwd=place)


def _run(*command: str, cwd: Path | None = None) -> None:
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONPATH"
    }  # nothing of the repository
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
