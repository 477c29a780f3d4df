"""The HTTP side of the Web API: tokens, arguments, faults, and the answer's form."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from aiohttp import web

from bot.errors import RealTokenError
from bot.workspace.answers import respond
from bot.workspace.faults import Fault, Faults
from bot.workspace.methods import METHODS
from bot.workspace.methods.files import receive
from bot.workspace.model import ApiCall, Json, Message
from bot.workspace.people import APP_TOKEN_PREFIX, BOT_TOKEN_PREFIX, check_local_token
from bot.workspace.refusal import Refusal
from bot.workspace.world import World

SOCKET_METHOD = "apps.connections.open"
TOO_MANY_REQUESTS = 429
# Form arguments that carry JSON as text.
_JSON_ARGS = frozenset({"blocks", "attachments", "view", "files", "metadata"})
_USED_UP = frozenset({"used_url", "expired_url", "no_service"})


class WebApi:
    """Answer the app's calls."""

    def __init__(
        self,
        world: World,
        faults: Faults,
        *,
        bot_token: str,
        app_token: str,
        base_url: Callable[[], str],
        on_message: Callable[[Message], None],
    ) -> None:
        self._world = world
        self._faults = faults
        self._tokens = {bot_token: "bot", app_token: "app"}
        self._base_url = base_url
        self._on_message = on_message
        self.tickets: set[str] = set()

    def routes(self) -> list[web.RouteDef]:
        """List the routes that the app calls."""
        return [
            web.route("*", "/api/{method}", self.call),
            web.post("/respond/{secret}", self.respond),
            web.post("/upload/{file_id}", self.upload),
            web.get("/download/{file_id}", self.download),
        ]

    async def call(self, request: web.Request) -> web.Response:
        """Answer one Web API call."""
        method = request.match_info["method"]
        args = await _arguments(request)
        fault = self._faults.take(method)
        if fault and not fault.after_work:
            return await self._fail(method, args, fault)
        body = self._answer(method, args, _token(request, args))
        if fault:
            return await self._fail(method, args, fault)
        return web.json_response(body)

    def _answer(self, method: str, args: Json, token: str) -> Json:
        before = set(self._world.messages)
        try:
            body: Json = {"ok": True, **self._work(method, args, token)}
        except Refusal as refusal:
            body = refusal.as_json()
        self._note(method, args, body.get("error"))
        for key in sorted(set(self._world.messages) - before):
            self._on_message(self._world.messages[key])
        return body

    def _work(self, method: str, args: Json, token: str) -> Json:
        kind = self._kind_of(token)
        if method == SOCKET_METHOD:
            _need(kind, "app")
            return {"url": self._socket_url()}
        if method not in METHODS:
            raise Refusal("unknown_method")
        wanted = METHODS[method]
        _need(kind, wanted.token)
        missing = [name for name in wanted.required if args.get(name) in (None, "")]
        if missing:
            raise Refusal("invalid_arguments", [f"missing required field: {missing[0]}"])
        answer = wanted.answer(self._world, args)
        if "upload_url" in answer:
            answer["upload_url"] = self._base_url() + answer["upload_url"]
        return answer

    def _kind_of(self, token: str) -> str:
        if not token:
            raise Refusal("not_authed")
        try:
            check_local_token(
                token, APP_TOKEN_PREFIX if token.startswith("xapp") else BOT_TOKEN_PREFIX
            )
        except RealTokenError as error:
            raise Refusal("invalid_auth", [str(error)]) from error
        if token not in self._tokens:
            raise Refusal("invalid_auth")
        return self._tokens[token]

    def _socket_url(self) -> str:
        ticket = self._world.next_id("ticket")
        self.tickets.add(ticket)
        return f"{self._base_url().replace('http', 'ws', 1)}/socket?ticket={ticket}"

    async def _fail(self, method: str, args: Json, fault: Fault) -> web.Response:
        await asyncio.sleep(fault.hang_s)
        error = "ratelimited" if fault.status == TOO_MANY_REQUESTS else fault.error
        if not fault.after_work:
            self._note(method, args, error)
        headers = {}
        if fault.retry_after_s is not None:
            headers["Retry-After"] = str(fault.retry_after_s)
        return web.json_response(
            {"ok": False, "error": error}, status=fault.status, headers=headers
        )

    def _note(self, method: str, args: Json, error: str | None) -> None:
        shown = {key: value for key, value in args.items() if key != "token"}
        with self._world.change():
            self._world.calls.append(ApiCall(method, shown, ok=error is None, error=error))

    async def respond(self, request: web.Request) -> web.Response:
        """Take a post to a response url."""
        fault = self._faults.take("response_url")
        if fault:
            return await self._fail("response_url", {}, fault)
        before = set(self._world.messages)
        body = await request.json()
        error = None
        try:
            respond(self._world, request.match_info["secret"], body)
        except Refusal as refusal:
            error = refusal.code
        self._note("response_url", body, error)
        for key in sorted(set(self._world.messages) - before):
            self._on_message(self._world.messages[key])
        if error is None:
            return web.Response(text="ok")
        return web.Response(text=error, status=404 if error in _USED_UP else 400)

    async def upload(self, request: web.Request) -> web.Response:
        """Take the bytes of an external upload."""
        content = await _uploaded(request)
        try:
            file = receive(self._world, request.match_info["file_id"], content)
        except Refusal as refusal:
            return web.Response(text=refusal.code, status=400)
        return web.Response(text=f"OK - {file.size_bytes}")

    async def download(self, request: web.Request) -> web.Response:
        """Hand a file to the app; without its token Slack shows a page to sign in instead."""
        file = self._world.files.get(request.match_info["file_id"])
        is_app = self._tokens.get(_token(request, {})) == "bot"
        self._note("files.download", {"file": request.match_info["file_id"]}, None)
        if file is None or file.content is None:
            return web.Response(status=404)
        if not is_app:
            page = "<!DOCTYPE html><title>Sign in</title>"
            return web.Response(text=page, content_type="text/html")
        return web.Response(body=file.content, content_type="application/octet-stream")


def _need(kind: str, wanted: str) -> None:
    if kind != wanted:
        raise Refusal("not_allowed_token_type")


def _token(request: web.Request, args: Json) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else str(args.get("token") or "")


async def _arguments(request: web.Request) -> Json:
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        return args | dict(await request.json())
    form = await request.post()
    for key, value in form.items():
        args[key] = json.loads(str(value)) if key in _JSON_ARGS else value
    return args


async def _uploaded(request: web.Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return await request.read()
    form = await request.post()
    part = next(iter(form.values()))
    return part.file.read() if isinstance(part, web.FileField) else str(part).encode()
