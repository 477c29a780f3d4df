"""Slack's limits on messages, modals and the App Home, checked before anything is sent."""

from bot.limits.rules import Problem
from bot.limits.surfaces import Surface, assert_valid, find_problems

__all__ = ["Problem", "Surface", "assert_valid", "find_problems"]
