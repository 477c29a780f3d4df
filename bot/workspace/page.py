"""The page for people: its files, the state it draws, and what it may ask for."""

from __future__ import annotations

import asyncio
import contextlib
from base64 import b64decode
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.errors import GoneError, NotConnectedError, WorkspaceError
from bot.paths import templates_dir
from bot.workspace.gestures import Gestures
from bot.workspace.interactions import Interactions, Target, message_values
from bot.workspace.model import Json, Message, View
from bot.workspace.people import User
from bot.workspace.posting import Place, notice
from bot.workspace.viewing import view_json
from bot.workspace.world import World

_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
}
# The page has its own words for these.
_CODES: dict[type[WorkspaceError], str] = {GoneError: "gone", NotConnectedError: "not_connected"}
# The page loads nothing but its own files and talks to nobody else.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; form-action 'none'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Page:
    """Serve the page, its state and its requests."""

    def __init__(self, world: World, gestures: Gestures, interactions: Interactions) -> None:
        self._world = world
        self._gestures = gestures
        self._interactions = interactions
        self._verbs: dict[str, Callable[[User, Json], Awaitable[object]]] = {
            "type": self._type,
            "act": self._act,
            "suggest": self._suggest,
            "fill": self._fill,
            "submit": self._submit,
            "close": self._close,
            "home": self._home,
        }

    def routes(self) -> list[web.RouteDef]:
        """List the routes of the page."""
        return [
            web.get("/", self.index),
            web.get("/assets/{name}", self.asset),
            web.get("/files/{file_id}", self.file),
            web.get("/ui/state", self.state),
            web.get("/ui/live", self.live),
            web.post("/ui/{verb}", self.do),
        ]

    async def index(self, _: web.Request) -> web.Response:
        """Serve the page itself."""
        return _served(_folder() / "index.html")

    async def asset(self, request: web.Request) -> web.Response:
        """Serve one of the page's own files, by name."""
        files = {path.name: path for path in _folder().iterdir() if path.suffix in _TYPES}
        path = files.get(request.match_info["name"])
        return _served(path) if path else web.Response(status=404)

    async def file(self, request: web.Request) -> web.Response:
        """Hand out an uploaded file as plain text to keep, never to run."""
        file = self._world.files.get(request.match_info["file_id"])
        if file is None or file.content is None:
            return web.Response(status=404)
        name = "".join(c for c in file.name if c.isalnum() or c in "-_. ") or "file"
        headers = {**_HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(body=file.content, content_type="text/plain", headers=headers)

    async def state(self, request: web.Request) -> web.Response:
        """Return everything that one person sees."""
        try:
            user = self._world.user_named(request.query.get("user", ""))
        except WorkspaceError as error:
            return web.json_response({"error": str(error)}, status=404)
        return web.json_response(self._state(user), headers=_HEADERS)

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Tell the page of every change, over a websocket."""
        if not _same_origin(request):
            return web.Response(status=403)
        socket = web.WebSocketResponse(heartbeat=20)
        await socket.prepare(request)
        changed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(changed.set)

        self._world.listeners.append(wake)
        reader = asyncio.ensure_future(_until_closed(socket))
        try:
            await self._report(socket, changed, reader)
        finally:
            self._world.listeners.remove(wake)
            reader.cancel()
        return socket

    async def _report(
        self, socket: web.WebSocketResponse, changed: asyncio.Event, reader: asyncio.Future[None]
    ) -> None:
        while not socket.closed:
            with contextlib.suppress(ConnectionError):
                await socket.send_json({"version": self._world.version})
            waiter = asyncio.ensure_future(changed.wait())
            waiting: list[asyncio.Future[Any]] = [waiter, reader]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            waiter.cancel()
            changed.clear()
            if reader.done():
                return

    async def do(self, request: web.Request) -> web.Response:
        """Carry out what the person did on the page."""
        verb = self._verbs.get(request.match_info["verb"])
        if verb is None or not _same_origin(request) or request.content_type != "application/json":
            return web.json_response({"error": "not allowed"}, status=403)
        try:
            body = await request.json()
            user = self._world.user_named(str(body.get("user")))
            answer = await verb(user, body)
        except WorkspaceError as error:
            code = _CODES.get(type(error), str(error))
            return web.json_response({"error": code}, status=409)
        return web.json_response({"ok": True, "answer": answer})

    async def _type(self, user: User, body: Json) -> None:
        channel = self._world.channel_named(str(body["channel"]), user.id)
        line = str(body["text"]).strip()
        thread_ts, files = body.get("thread_ts"), _decoded(body.get("files") or [])
        if files or not line.startswith("/"):
            await self._gestures.say(user, channel, line, thread_ts=thread_ts, files=files)
            return
        # The client echoes the line to its writer alone.
        notice(self._world, Place(channel.id, thread_ts, user.id), "echo", line)
        await self._gestures.command(user, channel, line, thread_ts=thread_ts)

    async def _act(self, user: User, body: Json) -> None:
        await self._interactions.act(user, self._target(body), body["action_id"], body.get("value"))

    async def _suggest(self, user: User, body: Json) -> list[Json]:
        target = self._target(body)
        return await self._interactions.suggest(user, target, body["action_id"], body["query"])

    async def _fill(self, user: User, body: Json) -> None:
        target = self._target(body)
        await self._interactions.fill(user, target, body["action_id"], body.get("value"))

    async def _submit(self, user: User, body: Json) -> None:
        await self._interactions.submit(user, self._view(body))

    async def _close(self, user: User, body: Json) -> None:
        await self._interactions.close(user, self._view(body))

    async def _home(self, user: User, _: Json) -> None:
        await self._gestures.open_home(user)

    def _target(self, body: Json) -> Target:
        return self._view(body) if body.get("view_id") else self._message(body)

    def _view(self, body: Json) -> View:
        view = self._world.views.get(str(body.get("view_id")))
        if view is None:
            raise GoneError("That view is no longer open.")
        return view

    def _message(self, body: Json) -> Message:
        message = self._world.find(str(body.get("channel")), str(body.get("ts")))
        if message is None:
            raise GoneError("That message is gone.")
        return message

    def _state(self, user: User) -> Json:
        with self._world.changed:
            stack = [self._world.views[view_id] for view_id in self._world.stacks[user.id]]
            home = self._world.views.get(self._world.homes.get(user.id, ""))
            return {
                "version": self._world.version,
                "me": user.id,
                "app": {"name": self._world.app.user.name, "id": self._world.app.user.id},
                "commands": sorted(self._gestures.commands),
                "users": [_user(item) for item in self._world.users.values()],
                "channels": self._channels(user),
                "messages": [self._shown(user, item) for item in self._world.seen_by(user.id)],
                "modals": [self._shown_view(view) for view in stack],
                "has_home": self._gestures.has_home,
                "home": self._shown_view(home) if home else None,
            }

    def _channels(self, user: User) -> list[Json]:
        return [
            {
                "id": channel.id,
                "name": channel.name,
                "is_im": channel.is_im,
                "has_app": self._world.bot_is_in(channel.id),
            }
            for channel in self._world.channels.values()
            if user.id in channel.members
        ]

    def _shown(self, user: User, message: Message) -> Json:
        return {
            **message.as_json(),
            "channel": message.channel,
            "only_you": message.is_ephemeral,
            "notice": message.notice,
            "is_reply": message.is_reply,
            "reply_broadcast": message.reply_broadcast,
            "values": message_values(self._world, user, message),
        }

    def _shown_view(self, view: View) -> Json:
        return {**view_json(self._world, view), "errors": view.errors, "notice": view.notice}


def _user(user: User) -> Json:
    return {
        "id": user.id,
        "name": user.name,
        "real_name": user.real_name,
        "locale": user.locale,
        "is_bot": user.is_bot,
    }


def _decoded(files: list[Json]) -> dict[str, bytes]:
    """Return the files that the page sent, by name."""
    try:
        return {str(one["name"]): b64decode(one["content"], validate=True) for one in files}
    except (ValueError, KeyError, TypeError) as error:
        raise WorkspaceError("A file did not arrive whole.") from error


def _folder() -> Path:
    return templates_dir() / "workspace"


def _served(path: Path) -> web.Response:
    return web.Response(
        text=path.read_text(encoding="utf-8"), content_type=_TYPES[path.suffix], headers=_HEADERS
    )


def _same_origin(request: web.Request) -> bool:
    origin = request.headers.get("Origin")
    return origin is None or origin == f"http://{request.host}"


async def _until_closed(socket: web.WebSocketResponse) -> None:
    async for _ in socket:
        pass
