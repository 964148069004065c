"""Do the tests notice? Change one operator or number at a time, and run the tests that execute the changed line.

    pip install cosmic-ray coverage                  # not needed for anything else
    python tools/mutants.py draw --count 310 --seed 12
    python tools/mutants.py record                   # which test executes which line; once more goes further
    python tools/mutants.py try                      # in the order of the draw; goes on where it was stopped
    python tools/mutants.py try --again              # all that were not killed, with the record as it is by then
    python tools/mutants.py try --again 7 31 --tests tests/control/test_model.py       # two of them, on these tests
    python tools/mutants.py summary

Mutants come from cosmic-ray's operators: arithmetic, comparisons, signs, logic, numbers, loops. Those inside
annotations and decorators, which compute nothing, are left out. Every worker has a copy of the tree, which itself
stays as it is. All share one cache of kernels: its keys digest the operations of a kernel and the text of
`parakin/kernels`, neither of which a mutant of another room can change without changing the key.

A mutant is killed if a test fails or the code cannot be imported; `chosen_tests.py` says which tests are tried. Where
they take many times as long as they were recorded to, the mutant is listed as such. At the end all tests that killed
are run without a mutant, and must pass.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import difflib
import json
import os
import py_compile
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from chosen_tests import Record  # pyright: ignore[reportMissingImports]
from cosmic_ray.commands import init  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
from cosmic_ray.mutating import mutate_code  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
from cosmic_ray.plugins import get_operator  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
from cosmic_ray.work_db import WorkDB, use_db  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

ROOT = Path(__file__).parents[1]
ROOMS = ("kinematics", "dynamics", "control", "identification", "simulation")
NEIGHBOURS = ("robot", "trajectory")
"""Rooms whose tests are recorded too, for they execute lines of the five."""
ARITHMETIC = "(Add|Sub|Mul|Div|FloorDiv|Pow)"
WANTED = re.compile(
    rf"core/(ReplaceBinaryOperator_{ARITHMETIC}_{ARITHMETIC}"
    r"|ReplaceComparisonOperator_(Eq|NotEq|Lt|LtE|Gt|GtE|Is|IsNot)_(Eq|NotEq|Lt|LtE|Gt|GtE|IsNot)"
    r"|ReplaceUnaryOperator_(USub_UAdd|Delete_USub|Delete_Not)|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue"
    r"|ReplaceAndWithOr|ReplaceOrWithAnd|NumberReplacer|ZeroIterationForLoop)$"
)
"""Operators that change what is computed; the others only make expressions that cannot be evaluated."""
BUDGET = 20.0
"""Processor time that the tests chosen for one mutant may take together, as it was recorded [s]."""


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

    def __init__(self, folder: Path, kernels: Path) -> None:
        self.tree, self.log = folder / "tree", folder / "tests.log"
        kept = shutil.ignore_patterns(".git", ".venv", "out", "__pycache__", ".hypothesis", "*_cache")
        shutil.copytree(ROOT, self.tree, ignore=kept)
        # Times of files are too coarse to tell a mutant from the one before; digests are not.
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        for room in ("src", "tests"):
            compileall.compile_dir(str(self.tree / room), quiet=2, invalidation_mode=checked)
        environment = os.environ | {
            "PYTHONPATH": f"{self.tree / 'src'}{os.pathsep}{self.tree}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PARAKIN_TEST_CACHE": str(kernels),
            "OPENBLAS_NUM_THREADS": "1",
        }
        self.server = subprocess.Popen(
            [sys.executable, "tools/forked_tests.py"],
            cwd=self.tree,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, tests: list[str], seconds: float) -> dict[str, str]:
        """Run tests on the tree as it is now."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(json.dumps({"tests": tests, "seconds": seconds, "log": str(self.log)}) + "\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline())

    def attempt(self, mutant: Mutant, tests: list[str], seconds: float) -> dict[str, str]:
        """Try one mutant, and say whether it was killed and by which test."""
        path = self.tree / mutant.file
        before = path.read_text(encoding="utf-8")
        changed = str(mutate_code(before, get_operator(mutant.operator)(), mutant.occurrence))
        lines = difflib.unified_diff(before.splitlines(), changed.splitlines(), lineterm="", n=0)
        difference = {"difference": "\n".join([line for line in lines if line[:1] in "+-"][2:])}
        if not tests:
            return {"state": "not executed", "failed": "", "tests": "0"} | difference
        path.write_text(changed, encoding="utf-8")
        try:
            outcome = self.run(tests, seconds)
        finally:
            path.write_text(before, encoding="utf-8")
        outcome["state"] = {"passed": "survives", "failed": "killed"}.get(outcome["state"], outcome["state"])
        return outcome | {"tests": str(len(tests))} | difference

    def close(self) -> None:
        """End the process that runs the tests."""
        self.server.communicate()


def draw(folder: Path, count: int, seed: int) -> None:
    """Draw the sample and keep it, in random order."""
    every = candidates()
    sample = random.Random(seed).sample(every, count)
    (folder / "sample.json").write_text(json.dumps([asdict(one) for one in sample], indent=1), encoding="utf-8")
    rooms = dict(Counter(Path(one.file).parts[2] for one in sample))
    print(f"{len(every)} mutants, {len(sample)} drawn with seed {seed}: {rooms}")


def record(folder: Path, workers: int, seconds: float) -> None:
    """Record which test executes which line, one process a file of tests, each for so much processor time [s]."""
    place, kernels = folder / "record", folder / "kernels"
    place.mkdir(exist_ok=True)
    settings = {"PYTHONPATH": str(ROOT), "PARAKIN_RECORD": str(place), "PARAKIN_TEST_CACHE": str(kernels)}
    settings["PARAKIN_RECORD_SECONDS"] = str(seconds)
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "tools.executed_lines", "-m"]
    files = [file for room in (*ROOMS, *NEIGHBOURS) for file in sorted((ROOT / "tests" / room).rglob("test_*.py"))]

    def one(file: Path) -> None:
        command = [sys.executable, "-m", "pytest", *options, "not slow", str(file.relative_to(ROOT))]
        begun = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, capture_output=True, check=False)
        print(f"{file.relative_to(ROOT)} {time.monotonic() - begun:.0f} s, exit code {done.returncode}", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, files))


def attempt(folder: Path, workers: int, budget: float, again: list[int] | None, tests: list[str]) -> None:
    """Try the mutants that were not tried yet, or some again, all alive if none is named; keep outcomes at once."""
    sample = [Mutant(**one) for one in json.loads((folder / "sample.json").read_text(encoding="utf-8"))]
    known = Record(folder / "record")
    results = _results(folder)
    waiting: queue.Queue[int] = queue.Queue()
    untried = [number for number in range(len(sample)) if str(number) not in results]
    alive = sorted(int(number) for number, one in results.items() if one["state"] != "killed")
    for number in untried if again is None else again or alive:
        waiting.put(number)
    lock = threading.Lock()

    def work(place: Path) -> None:
        worker = Worker(place, folder / "kernels")
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                break
            begun = time.monotonic()
            chosen = tests or known.chosen(sample[number].file, sample[number].line, budget)
            seconds = 120.0 + 10.0 * sum(known.durations.get(test, budget) for test in chosen)
            outcome = worker.attempt(sample[number], chosen, seconds)
            with lock:
                results[str(number)] = asdict(sample[number]) | outcome
                text = f"{number} {sample[number].file}:{sample[number].line} {time.monotonic() - begun:.0f} s "
                shown = outcome["failed"] if outcome["state"] == "killed" else "\n" + outcome["difference"]
                print(f"{text} {outcome['tests']} tests {outcome['state']} {shown}", flush=True)
                (folder / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        worker.close()

    with tempfile.TemporaryDirectory(prefix="mutants-") as place, ThreadPoolExecutor(workers) as pool:
        folders = [Path(place) / str(k) for k in range(workers)]
        list(pool.map(work, folders))
        _check_killers(Path(place) / "sound", folder, results)


def _check_killers(place: Path, folder: Path, results: dict[str, dict[str, object]]) -> None:
    """Run all tests that killed without a mutant; they must pass."""
    killers = sorted({str(one["failed"]) for one in results.values() if "::" in str(one["failed"])})
    worker = Worker(place, folder / "kernels")
    outcome = worker.run(killers, 3600.0) if killers else {}
    worker.close()
    print(f"{len(killers)} tests killed; without a mutant: {outcome}")


def _results(folder: Path) -> dict[str, dict[str, object]]:
    """Read the outcomes so far, by number in the sample."""
    place = folder / "results.json"
    return json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}


def summary(folder: Path) -> None:
    """Print counts by room and state, then every mutant that was not killed."""
    results = _results(folder)
    counts = Counter((Path(str(one["file"])).parts[2], str(one["state"])) for one in results.values())
    for (room, state), count in sorted(counts.items()):
        print(f"{room:15} {state:13} {count}")
    print(f"{sum(counts.values())} tried")
    for number, one in sorted(results.items(), key=lambda item: int(item[0])):
        if one["state"] != "killed":
            print(f"\n{number} {one['file']}:{one['line']} {one['state']}\n{one['difference']}")


def main() -> None:
    """Draw, record, try or sum up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["draw", "record", "try", "summary"])
    parser.add_argument("--folder", type=Path, default=Path("out/mutants"), help="keeps sample, record and results")
    parser.add_argument("--count", type=int, default=310)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--budget", type=float, default=BUDGET, help="recorded time of the tests for one mutant [s]")
    parser.add_argument(
        "--again", type=int, nargs="*", help="numbers of the sample to try once more; all alive if none"
    )
    parser.add_argument("--seconds", type=float, default=15.0, help="processor time of a file of tests in the record")
    parser.add_argument("--tests", nargs="+", default=[], help="tests or files to take instead of those recorded")
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernels").mkdir(mode=0o700, exist_ok=True)
    if options.step == "draw":
        draw(folder, options.count, options.seed)
    elif options.step == "record":
        record(folder, options.workers, options.seconds)
    elif options.step == "try":
        attempt(folder, options.workers, options.budget, options.again, options.tests)
    else:
        summary(folder)


if __name__ == "__main__":
    main()
