"""What all listeners begin with."""

from __future__ import annotations

from slack_bolt import Ack

COMMAND = "/gpusize"
"""Name of the command, as in the manifest."""


def acknowledge(ack: Ack) -> None:
    """Tell Slack that the delivery arrived; nothing may stand before this."""
    ack()
