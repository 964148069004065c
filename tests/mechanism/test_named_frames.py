"""Frames of interest beside the output: where they are, how they move, what a file may say of them."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DescriptionError, UnknownNameError
from parakin.mechanism import (
    describe_mechanism,
    load_mechanism_description,
    mechanism_schema,
    mechanism_to_toml,
    parse_mechanism,
)
from parakin.robot.mechanism_cards import mechanism_card
from parakin.viewer.placing import scene_of

STEP = 1e-6
"""Time by which states are moved to differentiate [s]."""
DERIVATIVE = 1e-7
"""[m/s or rad/s, m/s^2 or rad/s^2] Central differences over STEP of numbers of the size of 1 to 100."""
TABLES: dict[str, Any] = load_mechanism_description("four_bar").model_dump(exclude_defaults=True)
CAMERA: dict[str, Any] = {
    "name": "camera",
    "body": "coupler",
    "frame": {"position": [0.1, 0.02, 0.1], "z": [1.0, 0.0, 0.0], "x": [0.0, 1.0, 0.0]},
    "source": "drawing 7",
}
FOOT: dict[str, Any] = {"name": "foot", "body": "world", "frame": {"position": [0.0, 0.0, -0.1]}}


@pytest.fixture(scope="module")
def linkage() -> pk.Robot:
    return pk.Robot(describe_mechanism(TABLES | {"frames": [CAMERA, FOOT]}, "linkage.toml"))


def test_a_frame_is_where_its_body_carries_it(linkage: pk.Robot) -> None:
    assert linkage.frame_names == ("output", "camera", "foot")
    poses = linkage.sample(20)
    coupler = linkage.body_names.index("coupler")
    bodies, camera = linkage.body_frames(poses), linkage.frame("camera", poses)
    p, R = bodies.p[:, coupler], bodies.R[:, coupler]
    np.testing.assert_allclose(camera.p, p + R @ np.array(CAMERA["frame"]["position"]), atol=1e-14)
    np.testing.assert_allclose(camera.R[..., 2], R[..., 0], atol=1e-14)
    np.testing.assert_allclose(linkage.frame("output", poses).p, linkage.platform_frame(poses).p, atol=1e-14)
    np.testing.assert_array_equal(linkage.frame("foot", linkage.home).p, FOOT["frame"]["position"])


def test_its_twist_is_the_derivative_of_its_place(linkage: pk.Robot) -> None:
    pose, velocity, acceleration = linkage.sample_states(20)
    now = linkage.frame_motion("camera", pose, velocity, acceleration)
    later, before = (
        linkage.frame_motion("camera", pose + h * velocity, velocity + h * acceleration, acceleration)
        for h in (STEP, -STEP)
    )
    np.testing.assert_allclose((later.p - before.p) / (2 * STEP), now.twist[:, :3], atol=DERIVATIVE)
    turned = (later.R - before.R) / (2 * STEP) @ np.swapaxes(now.R, 1, 2)
    np.testing.assert_allclose(turned[:, [2, 0, 1], [1, 2, 0]], now.twist[:, 3:], atol=DERIVATIVE)
    scale = np.abs(now.twist_dot).max()
    np.testing.assert_allclose((later.twist - before.twist) / (2 * STEP), now.twist_dot, atol=DERIVATIVE * scale)


def test_frames_are_written_and_read_back_and_change_no_force(linkage: pk.Robot) -> None:
    description = linkage.graph_description
    text = mechanism_to_toml(description)
    assert parse_mechanism(text.encode(), "linkage.toml") == description
    assert tomllib.loads(text)["frames"][0]["name"] == "camera"
    assert "NamedFrame" in str(mechanism_schema()["$defs"])
    states = linkage.sample_states(5)
    np.testing.assert_array_equal(linkage.inverse_dynamics(*states), pk.load("four_bar").inverse_dynamics(*states))


def test_frames_are_on_cards_and_in_pictures(linkage: pk.Robot) -> None:
    rows = dict(mechanism_card(linkage))["Frames of interest"]
    assert [name for name, _ in rows] == ["camera", "foot"]
    labels = [part.label for part in scene_of(linkage).parts]
    assert labels.count("camera") == 3
    assert labels.count("foot") == 3


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (CAMERA | {"body": "cuopler"}, "frames[1].body: no body 'cuopler', did you mean 'coupler'?"),
        (CAMERA | {"name": "foot"}, "frames: 2 are named 'foot'"),
        (CAMERA | {"name": "output"}, '"output" is the frame whose motion the mechanism is built for'),
        (CAMERA | {"position": [0.0, 0.0, 0.0]}, "unknown key; known are body, frame, name, source"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said(frame: dict[str, Any], words: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        describe_mechanism(TABLES | {"frames": [FOOT, frame]}, "linkage.toml")
    assert words in str(caught.value)


def test_a_frame_that_is_not_there_is_refused_with_those_that_are(linkage: pk.Robot) -> None:
    with pytest.raises(UnknownNameError, match="no frame 'camra'; choose one of output, camera, foot"):
        linkage.frame("camra", linkage.home)
