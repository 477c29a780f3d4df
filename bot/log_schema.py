"""What tells a log of this program from other files, and today's from older ones."""

from __future__ import annotations

APPLICATION_ID = 0x67707573
"""The letters `gpus`, written into the file's header so that a stranger's database is not taken."""

SCHEMA_VERSION = 6
"""Schema this program reads and writes: the number of steps in `bot.migrations`.

It stands here so that a log which has them all is opened without what makes them.
"""
