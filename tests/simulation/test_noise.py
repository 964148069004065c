"""Noise that is drawn inside kernels: the published generator, exact for any split, and as random as it should be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import parakin as pk
from parakin.simulation.noise import MODULI, SOURCE, drawing, first_sources, source_of

LEVEL = 1e-4
"""Chance at which a test of sound noise fails; seeds are fixed, so that it does so always or never."""


def kernel_of(size: int = 4, channel: str = "noise") -> pk.Kernel:
    draw = drawing(channel, size)
    moved = pk.stage(draw, **{f"next_{source_of(channel)}": source_of(channel)})
    return pk.Kernel(pk.Program(pk.scan(moved, outputs=[channel]), outputs=[source_of(channel)], name="draws"))


def drawn(keys: list[tuple[int, int]], ticks: int, size: int = 4, channel: str = "noise") -> np.ndarray:
    return kernel_of(size, channel)(first_sources(keys, channel), ticks=ticks)[channel]


def uniforms(source: list[int], count: int) -> list[float]:
    """MRG32k3a in whole numbers, as [LEcuyer1999] has it."""
    s1, s2 = source[:3], source[3:]
    numbers: list[float] = []
    for _ in range(count):
        s1 = [*s1[1:], (1403580 * s1[1] - 810728 * s1[0]) % MODULI[0]]
        s2 = [*s2[1:], (527612 * s2[2] - 1370589 * s2[0]) % MODULI[1]]
        numbers.append(((s1[2] - s2[2]) % MODULI[0] or MODULI[0]) / (MODULI[0] + 1))
    return numbers


def normals(source: list[int], count: int) -> np.ndarray:
    u = np.array(uniforms(source, count)).reshape(-1, 2)
    radius, angle = np.sqrt(-2 * np.log(u[:, 0])), 2 * np.pi * u[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()


def test_the_generator_is_the_published_one() -> None:
    """Its first number from a source of 12345 alone, which every implementation prints, is 0.127011."""
    assert uniforms([12345] * SOURCE, 1)[0] == pytest.approx(0.127011, abs=5e-7)
    got = kernel_of()(np.full(SOURCE, 12345.0), ticks=500)["noise"]
    assert got.ravel() == pytest.approx(normals([12345] * SOURCE, 2000), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("contraction", [True, False])
def test_sources_stay_exact_whole_numbers(contraction: bool) -> None:
    program = kernel_of().program
    kernel = pk.Kernel(program, contraction=contraction)
    starts = first_sources([(0, k) for k in range(9)], "noise")
    ends = kernel(starts, ticks=1000)["noise_source"]
    for start, end in zip(starts, ends, strict=True):
        s = [int(number) for number in start]
        for _ in range(4000):
            s[:3] = [*s[1:3], (1403580 * s[1] - 810728 * s[0]) % MODULI[0]]
            s[3:] = [*s[4:], (527612 * s[5] - 1370589 * s[3]) % MODULI[1]]
        assert end.tolist() == s


def test_numbers_are_the_same_for_any_split() -> None:
    keys = [(3, stream) for stream in range(37)]
    whole = drawn(keys, 100)
    kernel, source = kernel_of(), first_sources(keys, "noise")
    parts = []
    for ticks in (1, 30, 69):
        out = kernel(source, ticks=ticks, threads=2)
        source = out["noise_source"]
        parts.append(out["noise"])
    assert np.array_equal(np.concatenate(parts, axis=1), whole)
    assert np.array_equal(drawn(keys[5:6], 100), whole[5:6])


def test_an_odd_size_draws_what_the_next_even_one_does_and_drops_the_last() -> None:
    assert np.array_equal(drawn([(1, 2)], 1, 3)[0, 0], drawn([(1, 2)], 1, 4)[0, 0, :3])


def test_no_two_keys_begin_alike() -> None:
    keys = [(seed, stream) for seed in (0, 1, 2**64 - 1) for stream in (0, 1, 2, 2**63)]
    starts = np.concatenate([first_sources(keys, channel) for channel in ("noise", "pose_noise")])
    assert len(np.unique(starts, axis=0)) == 2 * len(keys)
    assert starts.min() >= 1
    assert (starts[:, :3] < MODULI[0]).all()
    assert (starts[:, 3:] < MODULI[1]).all()


# Statistics ----------------------------------------------------------------------------------------------------------


def test_the_numbers_are_normal() -> None:
    sample = drawn([(0, stream) for stream in range(64)], 4000)
    assert stats.kstest(sample.ravel()[:200_000], "norm").pvalue > LEVEL
    count = sample.size
    assert abs(sample.mean()) < 4 / np.sqrt(count)
    assert abs(sample.var() - 1) < 4 * np.sqrt(2 / count)
    assert abs(stats.kurtosis(sample.ravel())) < 4 * np.sqrt(24 / count)
    expected = count * 2 * stats.norm.sf(3.5)
    assert abs((np.abs(sample) > 3.5).sum() - expected) < 4 * np.sqrt(expected)


@pytest.mark.parametrize("lag", [1, 2, 3, 7])
def test_ticks_and_elements_do_not_depend_on_each_other(lag: int) -> None:
    sample = drawn([(7, 0)], 100_000)[0]
    flat = sample.ravel()
    assert abs(np.mean(flat[lag:] * flat[:-lag])) < 4 / np.sqrt(len(flat))
    assert abs(np.mean(flat[lag:] ** 2 * flat[:-lag] ** 2) - 1) < 4 * np.sqrt(8 / len(flat))
    assert np.abs(np.corrcoef(sample.T) - np.eye(4)).max() < 4.5 / np.sqrt(len(sample))


def test_neighbouring_streams_seeds_and_channels_do_not_depend_on_each_other() -> None:
    ticks = 20_000
    rows = [*drawn([(0, k) for k in range(8)], ticks)[:, :, 0], *drawn([(k, 0) for k in range(1, 8)], ticks)[:, :, 0]]
    rows.append(drawn([(0, 0)], ticks, channel="pose_noise")[0, :, 0])
    assert np.abs(np.corrcoef(rows) - np.eye(len(rows))).max() < 4.5 / np.sqrt(ticks)


def test_pairs_fill_the_plane_evenly() -> None:
    """Chi-squared over a grid of 32 x 32 cells of equal probability."""
    sample = stats.norm.cdf(drawn([(11, stream) for stream in range(16)], 4000)).reshape(-1, 2)
    counts, *_ = np.histogram2d(*sample.T, bins=32, range=[[0, 1], [0, 1]])
    assert LEVEL < stats.chisquare(counts.ravel()).pvalue < 1 - LEVEL
