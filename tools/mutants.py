"""Do the tests notice? Change one operator or number at a time, and run the tests of that room.

    pip install cosmic-ray                            # not needed for anything else
    python tools/mutants.py --count 320 --seed 12 -o mutants.json [--python .venv/bin/python]

Mutants come from cosmic-ray's operators: arithmetic, comparisons, signs, logic, numbers, loops. Those inside
annotations and decorators, which compute nothing, are left out. Every worker has a copy of the tree, which itself
stays as it is. The first run of each room is without a mutant and must pass. A mutant is tried on tests with small
robots first, and on all tests of the room if it survives them. It is killed if a test fails; one that makes tests take
longer than the time allowed is listed with the survivors, for it may be the machine that is slow.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from cosmic_ray.commands import init  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
from cosmic_ray.mutating import mutate_code  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
from cosmic_ray.plugins import get_operator  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
from cosmic_ray.work_db import WorkDB, use_db  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

ROOT = Path(__file__).parents[1]
ROOMS = ("kinematics", "dynamics", "control", "identification", "simulation")
ARITHMETIC = "(Add|Sub|Mul|Div|FloorDiv|Pow)"
WANTED = re.compile(
    rf"core/(ReplaceBinaryOperator_{ARITHMETIC}_{ARITHMETIC}"
    r"|ReplaceComparisonOperator_(Eq|NotEq|Lt|LtE|Gt|GtE|Is|IsNot)_(Eq|NotEq|Lt|LtE|Gt|GtE|IsNot)"
    r"|ReplaceUnaryOperator_(USub_UAdd|Delete_USub|Delete_Not)|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue"
    r"|ReplaceAndWithOr|ReplaceOrWithAnd|NumberReplacer|ZeroIterationForLoop)$"
)
"""Operators that change what is computed; the others only make expressions that cannot be evaluated."""
LONGEST = 900.0
"""Time a room's tests may take for one mutant [s]."""
SMALL = "not (hexa or palida or quattro or orthoglide or shaft or uru or general or 6pus)"
"""Tests whose names say that they take a large robot are left for the second try."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    file: str
    line: int
    operator: str
    occurrence: int


def candidates() -> list[Mutant]:
    """Return every mutant of the rooms, those inside annotations left out."""
    with tempfile.TemporaryDirectory() as folder, use_db(str(Path(folder) / "items.sqlite"), WorkDB.Mode.create) as db:
        files = [file for room in ROOMS for file in sorted((ROOT / "src/parakin" / room).rglob("*.py"))]
        init(files, db, {})
        specs = [item.mutations[0] for item in db.work_items]
    idle = {file: _annotated(file) for file in {Path(str(spec.module_path)) for spec in specs}}
    return [
        Mutant(str(Path(str(s.module_path)).relative_to(ROOT)), s.start_pos[0], s.operator_name, s.occurrence)
        for s in specs
        if WANTED.match(s.operator_name) and tuple(s.start_pos) not in idle[Path(str(s.module_path))]
    ]


def _annotated(file: Path) -> set[tuple[int, int]]:
    """Positions (line, column) inside annotations and decorators."""
    places: set[tuple[int, int]] = set()
    lines = file.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(ast.parse("\n".join(lines))):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for annotation in (*parts, *getattr(node, "decorator_list", [])):
            if isinstance(annotation, ast.expr) and annotation.end_lineno is not None:
                for line in range(annotation.lineno, annotation.end_lineno + 1):
                    first = annotation.col_offset if line == annotation.lineno else 0
                    last = annotation.end_col_offset if line == annotation.end_lineno else len(lines[line - 1])
                    places |= {(line, column) for column in range(first, (last or 0) + 1)}
    return places


class Worker:
    """A copy of the tree in which mutants are tried one after the other."""

    def __init__(self, folder: Path, python: str) -> None:
        self.tree, self.python = folder / "tree", python
        kept = shutil.ignore_patterns(".git", ".venv", "out", "__pycache__", ".hypothesis", "*_cache")
        shutil.copytree(ROOT, self.tree, ignore=kept)
        (folder / "kernels").mkdir(mode=0o700)
        places = f"{self.tree / 'src'}{os.pathsep}{self.tree}"
        self.environment = os.environ | {"PYTHONPATH": places, "PARAKIN_TEST_CACHE": str(folder / "kernels")}

    def passes(self, file: str, chosen: str = "") -> bool | None:
        """Run the tests of a file's room, those named after the file first; None where they take too long."""
        path = Path(file)
        room = path.parts[2]
        tests = sorted((self.tree / "tests" / room).rglob("test_*.py"))
        tests.sort(key=lambda test: path.stem not in test.stem)
        command = [self.python, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow"]
        command += ["-k", chosen] if chosen else []
        try:
            done = subprocess.run(
                [*command, *map(str, tests)],
                cwd=self.tree,
                env=self.environment,
                capture_output=True,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        return done.returncode == 0

    def survives(self, mutant: Mutant) -> str | None:
        """Return the difference that no test noticed, or None."""
        path = self.tree / mutant.file
        before = path.read_text(encoding="utf-8")
        changed = str(mutate_code(before, get_operator(mutant.operator)(), mutant.occurrence) or before)
        if changed == before:
            return None
        path.write_text(changed, encoding="utf-8")
        try:
            passed = self.passes(mutant.file, SMALL) and self.passes(mutant.file)
        finally:
            path.write_text(before, encoding="utf-8")
        if passed is False:
            return None
        lines = difflib.unified_diff(before.splitlines(), changed.splitlines(), lineterm="", n=0)
        difference = "\n".join([line for line in lines if line[:1] in "+-"][2:])
        return f"took too long\n{difference}" if passed is None else difference


def main() -> None:
    """Sample, run, and write what survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=320)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the sample, in order of files")
    parser.add_argument("--python", default=sys.executable, help="runs the tests")
    parser.add_argument("-o", "--output", type=Path, default=Path("mutants.json"))
    options = parser.parse_args()
    every = candidates()
    sample = random.Random(options.seed).sample(every, options.count)
    print(f"{len(every)} mutants, {len(sample)} drawn with seed {options.seed}", flush=True)
    waiting: queue.Queue[Mutant] = queue.Queue()
    for mutant in sorted(sample, key=lambda one: one.file)[options.skip :]:
        waiting.put(mutant)
    results: list[dict[str, object]] = []
    lock = threading.Lock()

    def work(folder: Path) -> None:
        worker = Worker(folder, options.python)
        sound: set[str] = set()
        while True:
            try:
                mutant = waiting.get_nowait()
            except queue.Empty:
                return
            room = Path(mutant.file).parts[2]
            if room not in sound and not worker.passes(f"src/parakin/{room}/none.py", SMALL):
                raise RuntimeError(f"the tests of {room} fail without a mutant")
            sound.add(room)
            begun = time.monotonic()
            difference = worker.survives(mutant)
            with lock:
                results.append(asdict(mutant) | {"survives": difference})
                took = time.monotonic() - begun
                state = "killed" if difference is None else f"SURVIVES\n{difference}"
                print(f"{len(results)}/{len(sample)} {mutant.file}:{mutant.line} {took:.0f} s {state}", flush=True)
                options.output.write_text(json.dumps(results, indent=1), encoding="utf-8")

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        workers = [threading.Thread(target=work, args=(Path(folder) / str(k),)) for k in range(options.workers)]
        for k, thread in enumerate(workers):
            (Path(folder) / str(k)).mkdir()
            thread.start()
        for thread in workers:
            thread.join()
    survivors = sum(result["survives"] is not None for result in results)
    print(f"{len(results)} tried, {len(results) - survivors} killed, {survivors} survive")


if __name__ == "__main__":
    main()
