"""Deliver payloads to the app over whichever way it is connected, and record them."""

from __future__ import annotations

from bot.errors import NotConnectedError
from bot.workspace.model import Delivery, DeliveryKind, Json, Message
from bot.workspace.posting import Place, notice
from bot.workspace.transport import HttpTransport, Retry, SocketTransport, Transport
from bot.workspace.world import World


class Courier:
    """Choose the transport: the url when one is set, else the open websockets."""

    def __init__(self, world: World, *, ack_limit_s: float) -> None:
        self.world = world
        self.base_url = ""
        self.sockets = SocketTransport(ack_limit_s)
        self.http: HttpTransport | None = None

    @property
    def is_connected(self) -> bool:
        """Tell whether there is a way to the app."""
        return self.http is not None or bool(self.sockets.sockets)

    @property
    def transport(self) -> Transport:
        """Return the way to the app, else raise `NotConnectedError`."""
        if self.http is not None:
            return self.http
        if self.sockets.sockets:
            return self.sockets
        raise NotConnectedError(
            "No app is connected: call connect_http(url), or connect a Socket Mode client."
        )

    async def deliver(
        self, kind: DeliveryKind, payload: Json, retry: Retry | None = None
    ) -> Delivery:
        """Bring a payload to the app and keep a record of it."""
        return self.record(await self.transport.deliver(kind, payload, retry))

    async def event(self, payload: Json) -> Delivery:
        """Deliver an event; when it is not acknowledged, once more at once as Slack does."""
        delivery = await self.deliver("event", payload)
        if delivery.acked:
            return delivery
        reason = "http_timeout" if delivery.error == "operation_timeout" else "http_error"
        return await self.deliver("event", payload, Retry(1, reason))

    def record(self, delivery: Delivery) -> Delivery:
        """Keep a record of a delivery."""
        with self.world.change():
            self.world.deliveries.append(delivery)
        return delivery

    def refuse(self, delivery: Delivery, place: Place, text: str) -> Delivery:
        """Record what Slack's client refused to send, and tell the person why."""
        notice(self.world, place, str(delivery.error), text)
        return self.record(delivery)

    def response_url(self, user: str, channel: str, message: Message | None = None) -> str:
        """Make a response url; one that belongs to a message can replace it."""
        secret = self.world.new_response_url(
            user,
            channel,
            message_ts=message.ts if message else None,
            thread_ts=message.thread_ts if message else None,
        )
        return f"{self.base_url}/respond/{secret}"
