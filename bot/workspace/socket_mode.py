"""The websocket side of Socket Mode: hello, acknowledgements, disconnects."""

from __future__ import annotations

import json

from aiohttp import WSMsgType, web

from bot.workspace.model import Json
from bot.workspace.transport import MAX_SOCKETS, SocketTransport
from bot.workspace.web_api import WebApi
from bot.workspace.world import World


class SocketMode:
    """Accept the app's websockets, each with a ticket that works once."""

    def __init__(self, world: World, api: WebApi, transport: SocketTransport) -> None:
        self._world = world
        self._api = api
        self._transport = transport

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """Serve one websocket until it closes."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._api.tickets:
            return web.Response(text="invalid ticket", status=403)
        self._api.tickets.discard(ticket)
        socket = web.WebSocketResponse(heartbeat=30)
        await socket.prepare(request)
        if len(self._transport.sockets) >= MAX_SOCKETS:
            await _disconnect(socket, "too_many_websockets")
            return socket
        await self._serve(socket)
        return socket

    async def _serve(self, socket: web.WebSocketResponse) -> None:
        with self._world.change():
            self._transport.sockets.append(socket)
        try:
            await socket.send_json(self._hello())
            async for frame in socket:
                if frame.type == WSMsgType.TEXT:
                    self._transport.acknowledge(_decode(frame.data))
        finally:
            with self._world.change():
                if socket in self._transport.sockets:
                    self._transport.sockets.remove(socket)

    async def refresh(self) -> None:
        """Ask every client to connect anew, as Slack does every few hours."""
        for socket in tuple(self._transport.sockets):
            with self._world.change():
                self._transport.sockets.remove(socket)
            await _disconnect(socket, "refresh_requested")

    async def close(self) -> None:
        """Close every websocket."""
        for socket in tuple(self._transport.sockets):
            await socket.close()

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._transport.sockets),
            "connection_info": {"app_id": self._world.app.app_id},
            "debug_info": {"host": "local", "approximate_connection_time": 18060},
        }


async def _disconnect(socket: web.WebSocketResponse, reason: str) -> None:
    await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {}})
    await socket.close()


def _decode(text: str) -> Json:
    try:
        message = json.loads(text)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}
