"""The Web API methods that the workspace answers."""

from bot.workspace.methods.registry import METHODS, Method

__all__ = ["METHODS", "Method"]
