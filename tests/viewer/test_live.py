"""Poses from a running program: they reach the page and come back, and nobody else gets in."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import parakin as pk
from parakin.errors import DataError
from parakin.viewer import LiveView
from tests.viewer.browser import chromium, opened, settled, until


@pytest.fixture
def live() -> Iterator[LiveView]:
    with pk.view(pk.load("five_bar"), live=True, browser=False) as view:
        yield view


def asked(
    view: LiveView, path: str, *, method: str = "GET", body: str | None = None, **headers: str
) -> tuple[int, bytes]:
    host, port = view.origin.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    result = answer.status, answer.read()
    connection.close()
    return result


def token(view: LiveView) -> str:
    return view.url.removeprefix(view.origin).strip("/")


def test_poses_reach_the_page_and_come_back(live: LiveView) -> None:
    robot = pk.load("five_bar")
    pose = robot.sample(1, seed=4)[0]
    with (
        sync_playwright() as playwright,
        chromium(playwright) as browser,
        opened(browser, live.url, offline=False) as page,
    ):
        live.show(pose)
        until(page, f"JSON.stringify(parakin.place.pose) === JSON.stringify({pose.tolist()})")
        assert page.inner_text("#connection") == "live"
        assert live.pose is None
        page.fill("#pose-0-number", "12.5")
        page.keyboard.press("Enter")
        settled(page)
        for _ in range(100):
            if live.pose is not None:
                break
            time.sleep(0.05)
        assert live.pose is not None
        assert live.pose.tolist() == page.evaluate("parakin.place.pose")
        assert live.pages == 1
        live.close()
        until(page, "document.getElementById('connection').textContent === 'the program has ended'")


def test_the_page_is_only_at_its_address(live: LiveView) -> None:
    status, body = asked(live, f"/{token(live)}/")
    assert status == 200
    assert b"<canvas" in body
    assert asked(live, f"/{token(live)}/other")[0] == 404


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/events", "//", "/%00/", "/" + "x" * 5000])
def test_without_the_token_nothing_is_told(live: LiveView, path: str) -> None:
    status, body = asked(live, path)
    assert status == 403
    assert b"token" in body


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}])
def test_other_origins_and_hosts_are_refused(live: LiveView, headers: dict[str, str]) -> None:
    for path, method in (
        (f"/{token(live)}/", "GET"),
        (f"/{token(live)}/events", "GET"),
        (f"/{token(live)}/pose", "POST"),
    ):
        assert asked(live, path, method=method, body="[0, 0]" if method == "POST" else None, **headers)[0] == 403
    assert live.pose is None


@pytest.mark.parametrize(
    "body",
    [
        *("", "x", "[1]", '["a", 2]', "[NaN, 0]", "[1e999, 0]", "{}", "[true, false]", "[[1], [2]]"),
        *("[" * 4000, f"[1{'0' * 400}, 0]", "\x00", '"\\ud800"'),
    ],
)
def test_answers_that_are_no_poses_are_refused(live: LiveView, body: str) -> None:
    assert asked(live, f"/{token(live)}/pose", method="POST", body=body)[0] == 400
    assert live.pose is None


def test_an_answer_that_is_too_long_is_refused(live: LiveView) -> None:
    assert asked(live, f"/{token(live)}/pose", method="POST", body="[" + "0," * 5000 + "0]")[0] == 400


@pytest.mark.parametrize("lengths", [["-1"], ["\u00b2"], ["9" * 5000], ["6", "7"], ["1_0"], [" 6 x"], []])
def test_lengths_that_are_none_are_refused(live: LiveView, lengths: list[str]) -> None:
    host, port = live.origin.removeprefix("http://").split(":")
    heads = "".join(f"Content-Length: {length}\r\n" for length in lengths)
    request = f"POST /{token(live)}/pose HTTP/1.1\r\nHost: {host}:{port}\r\n{heads}\r\n[0, 0]"
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(request.encode("latin-1"))
        assert connection.recv(4096).startswith(b"HTTP/1.1 400")
    assert live.pose is None


def test_poses_are_checked(live: LiveView) -> None:
    with pytest.raises(DataError, match="2 finite numbers"):
        live.show([0.0, 0.0, 0.0])
    with pytest.raises(DataError, match="2 finite numbers"):
        live.show([np.nan, 0.0])


def test_it_listens_to_this_machine_alone_unless_asked(live: LiveView) -> None:
    assert live.origin.startswith("http://127.0.0.1:")


def test_another_host_is_warned_of() -> None:
    with (
        pytest.warns(UserWarning, match="other machines can reach"),
        pytest.raises(DataError, match="can be listened at"),
    ):
        pk.view(pk.load("five_bar"), live=True, browser=False, host="192.0.2.1")


def test_a_port_that_is_taken_moves_on_and_says_so() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with (
            pytest.warns(UserWarning, match=f"port {port} is taken"),
            pk.view(pk.load("five_bar"), live=True, browser=False, port=port) as view,
        ):
            assert not view.origin.endswith(f":{port}")


def test_closing_leaves_nothing_behind() -> None:
    before = threading.active_count()
    view = pk.view(pk.load("five_bar"), live=True, browser=False)
    host, port = view.origin.removeprefix("http://").split(":")
    view.close()
    view.close()
    assert threading.active_count() == before
    with socket.socket() as again:
        assert again.connect_ex((host, int(port))) != 0


def test_a_slow_page_gets_the_newest_poses() -> None:
    from parakin.viewer.channel import WAITING_POSES, Channel

    channel = Channel("robot", 1)
    with channel.listening() as waiting:
        for k in range(3 * WAITING_POSES):
            channel.show([float(k)])
        kept = [waiting.get_nowait() for _ in range(WAITING_POSES)]
    assert kept[-1] == f"[{3 * WAITING_POSES - 1}.0]"
    assert channel.pages == 0


def test_live_takes_neither_motion_nor_log() -> None:
    robot = pk.load("five_bar")
    with pytest.raises(DataError, match="leave motion and log out"):
        pk.view(robot, live=True, motion=pk.trajectory.motion("lift", robot))  # type: ignore[call-overload]
