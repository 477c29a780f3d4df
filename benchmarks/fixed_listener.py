"""A bot that posts a fixed message: the least any slash command can cost."""

from __future__ import annotations

import os
import signal
import threading

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

from bot.app import build_client
from bot.settings import load_settings


def main() -> None:
    """Answer `/gpusize` with one sentence until SIGTERM."""
    settings = load_settings(os.environ)
    app = App(client=build_client(settings), process_before_response=True)

    def answer(client, body):
        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "1 × L4 24 GB"}}]
        client.chat_postMessage(channel=body["channel_id"], text="1 × L4 24 GB", blocks=blocks)

    app.command("/gpusize")(ack=lambda ack: ack(), lazy=[answer])
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    handler = SocketModeHandler(app, settings.app_token)
    handler.connect()
    stop.wait()
    handler.close()


if __name__ == "__main__":
    main()
