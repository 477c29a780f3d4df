"""A Slack workspace on this machine: for tests, and for trying the bot without tokens."""

from bot.workspace.clock import Clock, ManualClock, SystemClock
from bot.workspace.driver import Person
from bot.workspace.faults import Fault
from bot.workspace.gestures import MentionsTell
from bot.workspace.local import Workspace
from bot.workspace.model import ApiCall, Delivery, Message, View
from bot.workspace.people import BotApp, Channel, User, UserGroup, check_local_token

__all__ = [
    "ApiCall",
    "BotApp",
    "Channel",
    "Clock",
    "Delivery",
    "Fault",
    "ManualClock",
    "MentionsTell",
    "Message",
    "Person",
    "SystemClock",
    "User",
    "UserGroup",
    "View",
    "Workspace",
    "check_local_token",
]
