"""Files of results that were damaged: each makes layers, or is refused by name; none ends in a traceback."""

from __future__ import annotations

import functools
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import parakin as pk
from parakin.analysis.singularities.loci import locus
from parakin.errors import FileError, ParakinError
from parakin.viewer import layers_of
from parakin.viewer.layer_data import layer_data

MUTATIONS = 120
"""Damaged files of each kind; of 600 such files 45 ended in tracebacks before."""
Arrays = dict[str, NDArray[Any]]


@functools.cache
def saved(kind: str) -> Arrays:
    robot = pk.load("five_bar")
    if kind == "map":
        return dict(pk.analysis.performance_map(robot, ["dexterity"], pk.analysis.Slice(grid=7)).to_arrays())
    if kind == "workspace":
        return dict(pk.analysis.workspace(robot, levels=1).to_arrays())
    return dict(locus(robot, cells=32).to_arrays())


def one_number(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    if values.dtype.kind not in "fiu" or not values.size:
        return values
    changed = values.copy() if values.dtype.kind in "iu" and rng.random() < 0.5 else values.astype(float)
    choices = [-1, 99] if changed.dtype.kind in "iu" else [np.nan, np.inf, -1e300, 1e300]
    changed.flat[rng.integers(changed.size)] = rng.choice(choices)
    return changed


OF_ARRAYS: tuple[Callable[[NDArray[Any], np.random.Generator], NDArray[Any] | None], ...] = (
    lambda _values, _rng: None,
    lambda values, _rng: values.reshape(-1)[: max(0, values.size - 1)],
    lambda values, _rng: values[None],
    lambda values, _rng: np.full(values.shape, "x") if values.dtype.kind != "U" else np.zeros(values.shape),
    lambda values, _rng: values.astype(complex) if values.dtype.kind in "fiub" else np.array('{"a": [1e400]}'),
    lambda _values, _rng: np.array(0.5),
    lambda values, _rng: values[..., :0] if values.ndim else np.zeros(0),
    lambda values, _rng: values.astype(object),  # is pickled
    one_number,
)


def damaged(arrays: Arrays, rng: np.random.Generator) -> bytes:
    """Return a file whose bytes, or one of whose arrays, were changed."""
    changed = dict(arrays)
    in_bytes = rng.random() < 0.3
    if not in_bytes:
        name = list(changed)[rng.integers(len(changed))]
        values = OF_ARRAYS[rng.integers(len(OF_ARRAYS))](np.asarray(changed.pop(name)), rng)
        changed |= {} if values is None else {name: values}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=True, **changed)
    content = bytearray(buffer.getvalue())
    if in_bytes and rng.random() < 0.3:
        return bytes(content[: rng.integers(len(content))])
    for _ in range(rng.integers(1, 6) if in_bytes else 0):
        content[rng.integers(len(content))] = rng.integers(256)
    return bytes(content)


@pytest.mark.parametrize("kind", ["map", "workspace", "locus"])
def test_damaged_files_make_layers_or_are_refused(kind: str, tmp_path: Path) -> None:
    robot, rng, path = pk.load("five_bar"), np.random.default_rng(7), tmp_path / "damaged.npz"
    np.savez_compressed(path, allow_pickle=False, **saved(kind))
    assert all(layer_data(layer)["count"] for layer in layers_of(robot, path))
    refused = 0
    for _ in range(MUTATIONS):
        path.write_bytes(damaged(saved(kind), rng))
        try:
            for layer in layers_of(robot, path):
                layer_data(layer)
        except ParakinError:
            refused += 1
    assert refused > MUTATIONS / 3


@pytest.mark.parametrize("reason", [np.nan, 1e300, 99.0, 0.5])
def test_maps_with_a_reason_that_there_is_not_are_refused(reason: float, tmp_path: Path) -> None:
    arrays, path = dict(saved("map")), tmp_path / "map.npz"
    arrays["table"] = arrays["table"].copy()
    arrays["table"][0, arrays["columns"].tolist().index("dexterity.reason")] = reason
    np.savez_compressed(path, allow_pickle=False, **arrays)
    with pytest.raises(FileError, match=r"dexterity\.reason has numbers that are no reasons"):
        layers_of(pk.load("five_bar"), path)


def test_a_file_that_unpacks_to_more_than_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("table.npy", "w") as entry:
        for _ in range(257):
            entry.write(bytes(2**20))
    with pytest.raises(FileError, match="bytes, at most"):
        layers_of(pk.load("five_bar"), path)
