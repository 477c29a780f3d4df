"""Bring a payload to the app: as a signed HTTP request or in a Socket Mode envelope."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import urlencode

import aiohttp
from aiohttp import web
from slack_sdk.signature import SignatureVerifier

from bot.workspace.model import Delivery, DeliveryKind, Json

OK = 200
# Slack's three seconds; tests may shorten them.
ACK_LIMIT_S = 3.0
MAX_SOCKETS = 10

_ENVELOPE_TYPES: dict[DeliveryKind, str] = {"command": "slash_commands", "event": "events_api"}


@dataclass(frozen=True)
class Retry:
    """Which repetition of an event this is, and why."""

    number: int
    reason: str


class Transport(Protocol):
    """A way to the app."""

    async def deliver(
        self, kind: DeliveryKind, payload: Json, retry: Retry | None = None
    ) -> Delivery:
        """Send a payload and wait for the acknowledgement."""


def encode(kind: DeliveryKind, payload: Json) -> tuple[bytes, str]:
    """Return the body of the HTTP request and its content type."""
    if kind == "event":
        return json.dumps(payload).encode(), "application/json"
    form = payload if kind == "command" else {"payload": json.dumps(payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


def sign(body: bytes, secret: str, timestamp: str) -> str:
    """Return the v0 signature of a request."""
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=body)
    return str(signature)


def signed_headers(
    body: bytes, content_type: str, secret: str, timestamp: str | None = None
) -> dict[str, str]:
    """Return the headers of a signed request; without a timestamp, of one made now."""
    timestamp = timestamp or str(int(time.time()))
    return {
        "Content-Type": content_type,
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": sign(body, secret, timestamp),
        "User-Agent": "Slackbot 1.0 (local workspace)",
    }


class HttpTransport:
    """Signed requests to a url."""

    def __init__(self, url: str, signing_secret: str, ack_limit_s: float) -> None:
        self.url = url
        self._secret = signing_secret
        self._ack_limit_s = ack_limit_s

    async def deliver(
        self, kind: DeliveryKind, payload: Json, retry: Retry | None = None
    ) -> Delivery:
        """Send a signed request with the time of now."""
        body, content_type = encode(kind, payload)
        headers = signed_headers(body, content_type, self._secret)
        if retry:
            headers["X-Slack-Retry-Num"] = str(retry.number)
            headers["X-Slack-Retry-Reason"] = retry.reason
        delivery = Delivery(kind, payload, "http", raw_body=body, headers=headers)
        return await self.send(delivery)

    async def send(self, delivery: Delivery) -> Delivery:
        """Send the bytes and headers of a delivery as they are."""
        timeout = aiohttp.ClientTimeout(total=self._ack_limit_s)
        started = time.perf_counter()
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(
                    self.url,
                    data=delivery.raw_body,
                    headers=delivery.headers,
                    allow_redirects=False,
                ) as response,
            ):
                body = _decode(await response.text())
                status = response.status
        except TimeoutError:
            return replace(delivery, error="operation_timeout")
        except aiohttp.ClientError:
            return replace(delivery, error="dispatch_failed")
        return replace(
            delivery,
            status=status,
            body=body,
            error=None if status == OK else "dispatch_failed",
            ack_ms=(time.perf_counter() - started) * 1000,
        )


def _decode(text: str) -> Json | str:
    try:
        body = json.loads(text)
    except ValueError:
        return text
    return body if isinstance(body, dict) else text


class SocketTransport:
    """Envelopes over the websockets that the app has opened; each goes to one of them."""

    def __init__(self, ack_limit_s: float) -> None:
        self._ack_limit_s = ack_limit_s
        self._waiting: dict[str, asyncio.Future[Json]] = {}
        self.sockets: list[web.WebSocketResponse] = []
        self._turn = 0

    async def deliver(
        self, kind: DeliveryKind, payload: Json, retry: Retry | None = None
    ) -> Delivery:
        """Send an envelope to one connection and wait for its acknowledgement."""
        envelope = _envelope(kind, payload, retry)
        delivery = Delivery(kind, payload, "socket")
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[envelope["envelope_id"]] = answer
        started = time.perf_counter()
        try:
            await self._next_socket().send_json(envelope)
            ack = await asyncio.wait_for(answer, self._ack_limit_s)
        except TimeoutError:
            return replace(delivery, error="operation_timeout")
        except ConnectionError:
            return replace(delivery, error="dispatch_failed")
        finally:
            del self._waiting[envelope["envelope_id"]]
        body: Any = ack.get("payload") or ""
        ack_ms = (time.perf_counter() - started) * 1000
        return replace(delivery, status=OK, body=body, ack_ms=ack_ms)

    def acknowledge(self, message: Json) -> None:
        """Take what a client wrote: only an envelope id that is still waited for counts."""
        answer = self._waiting.get(str(message.get("envelope_id")))
        if answer is not None and not answer.done():
            answer.set_result(message)

    def _next_socket(self) -> web.WebSocketResponse:
        if not self.sockets:
            raise ConnectionError
        self._turn += 1
        return self.sockets[self._turn % len(self.sockets)]


def _envelope(kind: DeliveryKind, payload: Json, retry: Retry | None) -> Json:
    envelope: Json = {
        "envelope_id": str(uuid.uuid4()),
        "type": _ENVELOPE_TYPES.get(kind, "interactive"),
        "payload": payload,
        "accepts_response_payload": kind != "event",
    }
    if kind == "event":
        envelope["retry_attempt"] = retry.number if retry else 0
        envelope["retry_reason"] = retry.reason if retry else ""
    return envelope
