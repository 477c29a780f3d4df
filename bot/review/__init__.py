"""Decisions in Slack: their card, its buttons, and the views beside it."""
