"""The JavaScript of docs/webassembly.md runs as it is written, and gives the numbers of the kernel."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import casadi as ca
import pytest

import parakin as pk

PAGE = (Path(__file__).parents[2] / "docs" / "webassembly.md").read_text()
FETCH = """
import { readFileSync } from "node:fs";
globalThis.fetch = async (name) => new Response(readFileSync(name));
"""
"""Node.js fetches nothing from disk; a page gets the file from its server."""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_javascript_runs(tmp_path: Path) -> None:
    python, javascript = (re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0] for language in ("python", "js"))
    subprocess.run([sys.executable, "-W", "error", "-c", python], check=True, cwd=tmp_path, timeout=120)
    (tmp_path / "page.mjs").write_text(FETCH + javascript)
    run = subprocess.run(["node", "page.mjs"], check=True, cwd=tmp_path, timeout=60, capture_output=True, text=True)
    x, u = ca.SX.sym("x", 2), ca.SX.sym("u")
    function = ca.Function("pendulum", [x, u], [ca.vertcat(x[1], u - ca.sin(x[0]))], ["x", "u"], ["x_dot"])
    kernel = pk.Kernel(function, contraction=False)
    assert json.loads(run.stdout) == kernel([0.1, 0.0], 0.5)["x_dot"].tolist()
