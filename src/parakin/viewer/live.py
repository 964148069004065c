"""A live page fed by a running program: a small server of the standard library that speaks to this machine alone.

The page is at an address with a token that nobody can guess. Requests without it, from a page of another origin,
or that name another host (a page elsewhere that lets its own name point here) are refused.
"""

from __future__ import annotations

import hmac
import ipaddress
import queue
import secrets
import sys
import threading
import warnings
import webbrowser
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.errors import DataError
from parakin.robot import Robot
from parakin.viewer.bundle import page
from parakin.viewer.channel import Channel, Waiting
from parakin.viewer.layer import Layer
from parakin.viewer.page_data import page_data

LOOPBACK = "127.0.0.1"
"""Where the server listens unless asked otherwise: nobody but this machine can reach it."""
QUIET_SECONDS = 2.0
"""Time after which a page that hears nothing is sent an empty line, by which a closed one is found out [s]."""
END = b"event: end\ndata:\n\n"
"""The event that tells a page that the program has ended."""
LARGEST_ANSWER = 4096
"""Bytes of the longest pose that a page may send."""
POLLED = 0.1
"""Time between two looks whether the server is to stop [s]."""
PORTS_TRIED = 20
"""Ports tried one after the other where the one that was asked for is taken."""


class LiveView:
    """A page that shows what a program tells it, and tells where the robot was set by hand. Close it, or use `with`.

    >>> live = pk.viewer.LiveView(robot, browser=False)
    >>> live.url.startswith("http://127.0.0.1:"), live.pages
    (True, 0)
    >>> live.close()
    """

    def __init__(
        self, robot: Robot, host: str = LOOPBACK, port: int = 0, *, browser: bool = True, layers: Sequence[Layer] = ()
    ) -> None:
        _warn_of_others(host)
        self.channel = Channel(robot.name, len(robot.home))
        """What this program and its pages tell each other."""
        self.token = secrets.token_urlsafe(18)
        """What the address must contain."""
        self._server = _listening(host, port, self)
        self.origin = f"http://{host}:{self._server.server_address[1]}"
        """Where the server listens."""
        self.url = f"{self.origin}/{self.token}/"
        """Address of the page, with its token."""
        addresses = {"events": f"/{self.token}/events", "answers": f"/{self.token}/pose"}
        title = robot.title or robot.name
        self.html = page(title, page_data(robot, live=addresses, layers=layers), connect="'self'")
        """The page."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLLED,), daemon=True)
        self._thread.start()
        if browser:
            webbrowser.open(self.url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"LiveView({self.url})"

    def show(self, pose: ArrayLike) -> None:
        """Show a pose in every open page; pages that are opened later begin with the last one.

        >>> with pk.view(robot, live=True, browser=False) as live:
        ...     live.show(robot.home)
        ...
        """
        self.channel.show(pose)

    @property
    def pose(self) -> Array | None:
        """Where the robot was last set by hand in a page; None before. Read-only."""
        return self.channel.by_hand

    @property
    def pages(self) -> int:
        """How many pages are open."""
        return self.channel.pages

    def close(self) -> None:
        """Tell the pages that the program has ended, and stop the server; a second call does nothing.

        >>> live = pk.view(robot, live=True, browser=False)
        >>> live.close()  # the pages say that the program has ended
        """
        self.channel.end()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """The server of one LiveView; its threads do not hold the program back when it ends."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, address: tuple[str, int], view: LiveView) -> None:
        self.view = view
        super().__init__(address, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Print what a request ended in, unless it is that its page went away."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType]


class _Handler(BaseHTTPRequestHandler):
    """Answers one request: the page, its stream of poses, or a pose that was set by hand."""

    protocol_version = "HTTP/1.1"
    timeout = 30
    server: _Server  # type: ignore[assignment]

    def do_GET(self) -> None:
        what = self._allowed()
        if what == "":
            self._send(HTTPStatus.OK, self.server.view.html.encode(), "text/html; charset=utf-8")
        elif what == "events":
            self._stream()
        elif what is not None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")

    def do_POST(self) -> None:
        what = self._allowed()
        if what is None:
            return
        length = _length(self.headers.get_all("Content-Length", []))
        if what != "pose" or length is None or self.headers.get("Transfer-Encoding") is not None:
            self._refuse(HTTPStatus.BAD_REQUEST, f"a pose is sent to /pose, in at most {LARGEST_ANSWER} bytes")
            return
        try:
            self.server.view.channel.answer(self.rfile.read(length))
        except (ConnectionError, TimeoutError):  # less came than was announced
            self.close_connection = True
            return
        except DataError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        self._send(HTTPStatus.NO_CONTENT, b"", "text/plain")

    def _allowed(self) -> str | None:
        """The part of the address behind the token; None where the request was refused."""
        view = self.server.view
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if f"http://{host}" != view.origin or origin not in (None, view.origin):
            self._refuse(HTTPStatus.FORBIDDEN, "this page answers to its own address alone")
            return None
        token, _, what = self.path.lstrip("/").partition("/")
        if not hmac.compare_digest(token.encode(), view.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "the address lacks its token: open the one that the program printed")
            return None
        return what

    def _stream(self) -> None:
        """Send poses as they come, until the page is closed or the program ends."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            with self.server.view.channel.listening() as waiting:
                while (event := _next_event(waiting)) is not None:
                    self.wfile.write(event)
                    self.wfile.flush()
                self.wfile.write(END)
        except (BrokenPipeError, ConnectionError, TimeoutError):
            return

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self.close_connection = True
        self._send(status, f"{reason}\n".encode(), "text/plain; charset=utf-8")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 as the base class has it
        """Print nothing: a library does not."""


def _length(headers: Sequence[str]) -> int | None:
    """Return the length that a request announces once, in ASCII digits; None where it is none or too long."""
    digits = headers[0] if len(headers) == 1 else ""
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(LARGEST_ANSWER))):
        return None
    return int(digits) if int(digits) <= LARGEST_ANSWER else None


def _next_event(waiting: Waiting) -> bytes | None:
    """The next pose as an event, an empty line where nothing happens for long, None at the end."""
    try:
        text = waiting.get(timeout=QUIET_SECONDS)
    except queue.Empty:
        return b":\n\n"
    return None if text is None else f"event: pose\ndata: {text}\n\n".encode()


def _listening(host: str, port: int, view: LiveView) -> _Server:
    """A server at this port, or at the next one that is free; 0 takes any that is free."""
    if not 0 <= port <= 65535:
        raise DataError("view", "port", f"must be from 0 to 65535, got {port}")
    last, reason = min(65536, port + PORTS_TRIED) if port else 1, ""
    for tried in range(port, last):
        try:
            server = _Server((host, tried), view)
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        if tried != port:
            warnings.warn(f"port {port} is taken: the page is at port {tried}", stacklevel=4)
        return server
    raise DataError("view", "port", f"no port from {port} on at {host} can be listened at: {reason}")


def _warn_of_others(host: str) -> None:
    """Warn of a host that other machines can reach."""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    if not loopback:
        warnings.warn(f"other machines can reach the page at {host}, and read what it shows", stacklevel=4)
