"""Many runs on two processes: the conditioning of a five-bar over its workspace, kept in a folder and resumed.

python examples/13_many_runs.py [OUTPUT_DIRECTORY]
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import parakin as pk
from parakin import executors


@dataclass(frozen=True)
class Conditioning:
    """Condition numbers at the nodes of a grid, which are numbered, not stored."""

    robot: pk.Robot
    side: int  # nodes in each direction

    def __call__(self, rows: np.ndarray, _seed: int) -> dict[str, np.ndarray]:
        i, j = np.divmod(rows, self.side)
        poses = self.robot.home + 0.05 * (np.column_stack([i, j]) / (self.side - 1) - 0.5)
        return {"pose": poses, "condition": np.linalg.cond(self.robot.jacobian(poses))}


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out") / "conditioning"
    work, rows = Conditioning(pk.load("five_bar"), 200), 200**2
    results = executors.run(work, rows, folder, executor=executors.LocalProcesses(2), resume=True)
    best = min(float(np.nanmin(part["condition"])) for part in results.parts())  # a file at a time
    print(f"{rows} poses in {len(results.spans)} files, {int((results.status != 0).sum())} failed; best {best:.3f}")


if __name__ == "__main__":  # new processes read this file again
    main()
