"""The loopback server: one thread, one event loop, the Web API, websockets and the page."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from aiohttp import web

from bot.errors import NotLoopbackError, WorkspaceError

START_LIMIT_S = 10.0
SETTLE_S = 0.02
T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def check_loopback(host: str) -> str:
    """Return the address to listen on, else raise `NotLoopbackError`."""
    address = "127.0.0.1" if host == "localhost" else host
    try:
        local = ipaddress.ip_address(address).is_loopback
    except ValueError:
        local = False
    if not local:
        raise NotLoopbackError(
            "The local workspace only listens on this machine (127.0.0.1 or ::1), "
            f"not on {host!r}: it has no passwords."
        )
    return address


@web.middleware
async def only_this_machine(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests that reach the server under a foreign name, as a rebinding page would."""
    name = request.url.host or ""
    try:
        check_loopback(name)
    except NotLoopbackError as error:
        return web.Response(status=403, text=str(error))
    return await handler(request)


class LoopbackServer:
    """Run an aiohttp application in a thread of its own."""

    def __init__(self, host: str, port: int) -> None:
        self.host = check_loopback(host)
        self.port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._runner: web.AppRunner | None = None

    @property
    def is_running(self) -> bool:
        """Tell whether it listens."""
        return self._loop is not None

    @property
    def base_url(self) -> str:
        """Return the address without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def start(self, routes: list[web.RouteDef]) -> None:
        """Listen; a port of 0 becomes the free port that was found."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="workspace", daemon=True
        )
        self._thread.start()
        try:
            self.run(self._listen(routes), START_LIMIT_S)
        except WorkspaceError:
            self.stop()
            raise

    def stop(self) -> None:
        """Close every connection and end the thread; a second stop does nothing."""
        if self._loop is None or self._thread is None:
            return
        self.run(self._wind_down(), START_LIMIT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_LIMIT_S)
        self._loop.close()
        self._loop = self._thread = None

    def run(self, work: Coroutine[Any, Any, T], limit_s: float | None = None) -> T:
        """Run a coroutine on the server's loop and wait for its result."""
        if self._loop is None or threading.current_thread() is self._thread:
            work.close()
            raise WorkspaceError(
                "The workspace is not running."
                if self._loop is None
                else "The workspace cannot wait for itself: call from another thread."
            )
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(limit_s)

    async def _listen(self, routes: list[web.RouteDef]) -> None:
        app = web.Application(middlewares=[only_this_machine], client_max_size=32 * 1024**2)
        app.add_routes(routes)
        self._runner = web.AppRunner(app, shutdown_timeout=1.0, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.host, self.port)
        try:
            await site.start()
        except OSError as error:
            # asyncio words its own sentence around the reason, address and all.
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise WorkspaceError(
                f"The workspace cannot listen on port {self.port} ({reason}): "
                "stop what uses it, or choose another."
            ) from error
        self.port = self._runner.addresses[0][1]

    async def _wind_down(self) -> None:
        if self._runner is not None:
            for site in list(self._runner.sites):
                await site.stop()
            # A connection taken at the last moment is known to the runner a few turns later.
            await asyncio.sleep(SETTLE_S)
            await self._runner.cleanup()
            self._runner = None
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
